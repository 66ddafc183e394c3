"""From the archive's records to the values that faces print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.service.model import Document, Format, VersionNote, Withdrawn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from permacite.archive import Archive, Representation, Version, Withdrawal
    from permacite.pdi import PDI

__all__ = ["document", "documents", "history", "main_representation"]

_PREFERRED = ("text/html", "application/xhtml+xml", "text/plain")
"""What people mean by a document when they name no format, best first."""


def document(archive: Archive, version: Version) -> Document:
    """Return one version as a plain value."""
    return documents(archive, [version])[0]


def documents(archive: Archive, versions: Iterable[Version]) -> tuple[Document, ...]:
    """Return versions as plain values, each format with its withdrawal."""
    listed = list(versions)
    tombstones = _tombstones(archive, listed)
    return tuple(_document(version, tombstones) for version in listed)


def history(archive: Archive, name: PDI) -> tuple[VersionNote, ...]:
    """Return all versions of a document, the first one first. Raises NotFoundError."""
    versions = archive.versions(name)
    tombstones = _tombstones(archive, versions)
    return tuple(
        VersionNote(
            version.number,
            str(main_representation(version, tombstones).pdi),
            version.committed_at,
            _of_all(version, tombstones),
        )
        for version in versions
    )


def _tombstones(archive: Archive, versions: Iterable[Version]) -> dict[PDI, Withdrawal]:
    everything = (one for version in versions for one in version.representations)
    return archive.statements.tombstones(everything)


def _of_all(version: Version, tombstones: Mapping[PDI, Withdrawal]) -> Withdrawn | None:
    """Return the withdrawal of a version of which nothing is given out: its last."""
    found = [tombstones.get(one.pdi) for one in version.representations]
    known = [one for one in found if one is not None]
    if not known or len(known) < len(found):
        return None
    return _withdrawn(max(known, key=lambda one: one.withdrawn_at))


def _withdrawn(tombstone: Withdrawal | None) -> Withdrawn | None:
    if tombstone is None:
        return None
    return Withdrawn(tombstone.status, tombstone.reason, tombstone.withdrawn_at)


def _document(version: Version, tombstones: Mapping[PDI, Withdrawal]) -> Document:
    provenance = version.provenance
    return Document(
        pdi=str(version.pdi.document),
        version=version.number,
        title=version.title,
        uri=provenance.final_uri or provenance.uri,
        committed_at=version.committed_at,
        retrieved_at=provenance.retrieved_at,
        formats=tuple(_format(item, tombstones.get(item.pdi)) for item in version.representations),
        withdrawn=_of_all(version, tombstones),
    )


def _format(representation: Representation, tombstone: Withdrawal | None) -> Format:
    return Format(
        pdi=str(representation.pdi),
        format=representation.format,
        media_type=representation.media_type,
        charset=representation.charset,
        size_bytes=representation.size_bytes,
        digest=representation.digest,
        derived_from=representation.derived_from,
        rendition=representation.rendition,
        withdrawn=_withdrawn(tombstone),
    )


def main_representation(
    version: Version, tombstones: Mapping[PDI, Withdrawal] | None = None
) -> Representation:
    """Return the representation that stands for the document: its page, else its text.

    Where `tombstones` are given, one that is given out, if any is.
    """
    formats = version.representations
    given_out = [one for one in formats if one.pdi not in (tombstones or {})] or formats
    for media_type in _PREFERRED:
        for item in given_out:
            if item.media_type == media_type:
                return item
    return given_out[0]
