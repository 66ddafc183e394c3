"""One version of a document as it is told: its formats, its title, what of it is not given out.

All times are aware datetimes in UTC. Digests are "sha-256:<hex>".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from permacite.archive.gate import of_all
from permacite.archive.model.answered import Restriction
from permacite.lazy_dataclass import dataclass
from permacite.pdi import DRAWN_PAGE

if TYPE_CHECKING:
    from datetime import datetime

    from permacite.archive.model.answered import Page, Representation, Version
    from permacite.archive.repository import Repository
    from permacite.pdi import PDI

__all__ = [
    "SAME_SOURCE",
    "Document",
    "Format",
    "Reported",
    "Restriction",
    "VersionNote",
    "document",
    "documents",
    "history",
    "opened",
    "reported",
]

SAME_SOURCE = "same_source"
"""What a version has on record that holds the octets of an earlier one: the name of that."""


@dataclass(frozen=True, slots=True)
class Format:
    """One committed format of a version. `pdi` is its full name."""

    pdi: str
    format: str
    media_type: str
    charset: str | None
    size_bytes: int | None
    digest: str | None
    """None, as the size, where the bytes are not given out to whoever asks."""
    derived_from: str | None
    """The format that it was made from; None for what was received."""
    rendition: str | None
    """The rules that it was made by, and their version."""
    restricted: Restriction | None = None
    """Why its bytes are not given out; None where they are."""


@dataclass(frozen=True, slots=True)
class Document:
    """One version of a document, with all its formats."""

    pdi: str
    """The document's name without format and version."""
    version: int
    """Its number, from 1."""
    title: str | None
    uri: str | None
    """The address that it came from."""
    committed_at: datetime
    """When it entered the log, in UTC."""
    retrieved_at: datetime | None
    """When it was fetched from there."""
    formats: tuple[Format, ...]
    """What was committed together: a page, its text, the aggregate of all it shows."""
    restricted: Restriction | None = None
    """Why nothing of it is given out; None where any format is."""
    same_source: str | None = None
    """Of a version that holds the octets of an earlier one, read by newer rules: that one's name.
    """
    transcript_of: tuple[str, ...] = ()
    """In lists: of captions, the recordings in which their words are said."""
    reported: Reported | None = None
    """Who else captured it, where we did not; not told in lists."""

    @property
    def full_name(self) -> str:
        """The name of the first format that is given out, or else of the first one."""
        for item in self.formats:
            if item.restricted is None:
                return item.pdi
        return self.formats[0].pdi if self.formats else self.pdi

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of its formats."""
        return tuple([item.format for item in self.formats])


@dataclass(frozen=True, slots=True)
class Reported:
    """That others captured a page, as the file says that it came from; its date is their claim."""

    file: str
    software: str
    """"" where the file does not say."""
    shows: str
    """"received": octets as they were served; "reported": as a program reports them; "drawn": as a
    browser drew them; "converted": as somebody made them of another document."""

    @property
    def told(self) -> str:
        """In words, as a citation says it."""
        by = f"captured by {self.software}" if self.software else "captured by others"
        how = {"reported": "as reported", "drawn": "as drawn and", "converted": "as converted and"}
        return f"{how.get(self.shows, 'as')} {by}, from {self.file}"


@dataclass(frozen=True, slots=True)
class VersionNote:
    """One version of a document among the others."""

    number: int
    pdi: str
    """The full name that people mean by it: one that is given out, if any is."""
    committed_at: datetime
    restricted: Restriction | None
    """As of the whole version."""


def opened(repository: Repository, version: Version) -> Representation:
    """The format that readers are led to: of a thin page what a browser drew, else the main one."""
    withheld = repository.lookup.restrictions(version.representations)
    for item in version.representations:
        if item.format == DRAWN_PAGE and item.pdi not in withheld:
            whole = repository.lookup.version(item.pdi)  # lists leave out what is on record
            if "thin" in whole.provenance.details:
                return item
    return repository.lookup.main(version, withheld)


def documents(page: Page[Version]) -> tuple[Document, ...]:
    """The versions of a page, each format with its restriction."""
    return tuple(document(version, page.restrictions) for version in page.items)


def history(repository: Repository, name: PDI) -> tuple[VersionNote, ...]:
    """All versions of a document, the first one first. Raises NotFoundError."""
    versions = repository.lookup.versions(name)
    restricted = repository.lookup.restrictions(
        item for version in versions for item in version.representations
    )
    return tuple(
        VersionNote(
            version.number,
            str(repository.lookup.main(version, restricted).pdi),
            version.committed_at,
            of_all(version, restricted),
        )
        for version in versions
    )


def document(version: Version, restricted: Mapping[PDI, Restriction]) -> Document:
    """One version, each format with its restriction."""
    provenance = version.provenance
    return Document(
        pdi=str(version.pdi.document),
        version=version.number,
        title=version.title,
        uri=provenance.final_uri or provenance.uri,
        committed_at=version.committed_at,
        retrieved_at=provenance.retrieved_at,
        formats=tuple(_format(item, restricted.get(item.pdi)) for item in version.representations),
        restricted=of_all(version, restricted),
        same_source=same_source(version),
        reported=reported(version),
    )


def reported(version: Version) -> Reported | None:
    """Who else captured a version, by its record."""
    imported = version.provenance.details.get("imported")
    if not isinstance(imported, Mapping):
        return None
    made_by = imported.get("made_by")
    software = made_by.get("software") if isinstance(made_by, Mapping) else None
    return Reported(
        str(imported.get("file") or version.provenance.details.get("file_name") or ""),
        str(software or ""),
        str(imported.get("shows") or ""),
    )


def same_source(version: Version) -> str | None:
    """The version whose octets this one holds, by its record."""
    name = version.provenance.details.get(SAME_SOURCE)
    return name if isinstance(name, str) else None


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
        restricted=restriction,
    )
