"""What several names stand for, or one: sets by pattern, all formats, all names (PDI §3.6.3).

Readings: a set is what this archive knows, so its answer never claims to be complete (pdi-48), even
where this archive mints the series: others may have been given a part of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import LimitError, NotFoundError
from permacite.service import names
from permacite.service.promises_model import NameSet
from permacite.service.resolution import listing
from permacite.service.resolution.resolving import resolve

if TYPE_CHECKING:
    from permacite.archive import Repository, Version
    from permacite.service.model import Resolved

__all__ = ["instances", "matching", "names_from", "names_of"]

_MOST_BYTES = 256 * 1024 * 1024


def matching(
    archive: Repository,
    pattern: str,
    *,
    limit: int,
    after: str | None = None,
    until: str | None = None,
) -> NameSet:
    """Return a page of the documents that a pattern covers, as far as this archive knows."""
    wanted = listing.pattern_of(pattern)
    page = listing.list_documents(archive, pattern, limit=limit, after=after, until=until)
    formats = [one for document in page.documents for one in document.formats]
    if wanted.format not in {None, "*"}:
        formats = [one for one in formats if one.format == wanted.format]
    return NameSet(
        pattern=pattern,
        complete=False,
        known=page.total,
        names=tuple(one.pdi for one in formats),
        documents=page.documents,
        next=page.next,
        until=page.until,
    )


def instances(archive: Repository, reference: str) -> list[Resolved]:
    """Return every format of the version that a name means, those that are restricted left out.

    Raises LimitError for too much, RestrictedError where none is left.
    """
    version = _version(archive, reference)
    if sum(one.size_bytes for one in version.representations) > _MOST_BYTES:
        raise LimitError("too much for one answer", limit="answer_bytes", maximum=_MOST_BYTES)
    restricted = archive.restrictions(version.representations)
    given_out = [one for one in version.representations if one.pdi not in restricted]
    # Where nothing is given out, the answer is the error that says why.
    wanted = given_out or version.representations
    return [resolve(archive, str(one.pdi)) for one in wanted]


def names_of(archive: Repository, reference: str) -> list[str]:
    """Return the full names of what `reference` means; the first is the one that answers.

    A name without a format means all formats of its version.
    """
    name, fragment = names.document_of(reference)
    exact = archive.representation(name).pdi
    if name.format is None:
        formats = _version(archive, reference).representations
        return [str(exact), *(str(one.pdi) for one in formats if one.pdi != exact)]
    return [str(exact) + (f"#{fragment.specifier}" if fragment is not None else "")]


def names_from(archive: Repository, address: str) -> list[str]:
    """Return the full names of what was archived from an address, newest first.

    Raises NotFoundError where nothing was.
    """
    found = archive.find_by_uri(address)
    if not found:
        raise NotFoundError("nothing was archived from there", address)
    return [str(one.pdi) for version in found for one in version.representations]


def _version(archive: Repository, reference: str) -> Version:
    return archive.version(names.document_of(reference)[0])
