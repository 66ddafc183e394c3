"""From the archive's records to the values that faces print."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive import of_all
from permacite.service.model import Document, Format, Restricted, VersionNote

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permacite.archive import Page, Repository, Representation, Restriction, Version
    from permacite.pdi import PDI

__all__ = ["document", "documents", "history"]


def document(archive: Repository, version: Version) -> Document:
    """Return one version as a plain value."""
    return _document(version, archive.restrictions(version.representations))


def documents(page: Page[Version]) -> tuple[Document, ...]:
    """Return the versions of a page as plain values, each format with its restriction."""
    return tuple(_document(version, page.restrictions) for version in page.items)


def history(archive: Repository, name: PDI) -> tuple[VersionNote, ...]:
    """Return all versions of a document, the first one first. Raises NotFoundError."""
    versions = archive.versions(name)
    restricted = archive.restrictions(one for v in versions for one in v.representations)
    return tuple(
        VersionNote(
            version.number,
            str(archive.main(version, restricted).pdi),
            version.committed_at,
            _told(of_all(version, restricted)),
        )
        for version in versions
    )


def _told(one: Restriction | None) -> Restricted | None:
    return (
        None if one is None else Restricted(one.kind, one.status, one.reason, one.since, one.until)
    )


def _document(version: Version, restricted: Mapping[PDI, Restriction]) -> Document:
    provenance = version.provenance
    return Document(
        pdi=str(version.pdi.document),
        version=version.number,
        title=version.title,
        uri=provenance.final_uri or provenance.uri,
        committed_at=version.committed_at,
        retrieved_at=provenance.retrieved_at,
        formats=tuple(_format(item, restricted.get(item.pdi)) for item in version.representations),
        restricted=_told(of_all(version, restricted)),
    )


def _format(representation: Representation, restriction: Restriction | None) -> Format:
    return Format(
        pdi=str(representation.pdi),
        format=representation.format,
        media_type=representation.media_type,
        charset=representation.charset,
        size_bytes=representation.size_bytes if representation.digest else None,
        digest=representation.digest or None,
        derived_from=representation.derived_from,
        rendition=representation.rendition,
        restricted=_told(restriction),
    )
