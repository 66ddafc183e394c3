"""Documents as a stream for exchange formats: the public versions that a pattern covers.

What is closed, withdrawn or erased is left out, and named.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from permacite.archive.transport.stream import LeftOut
from permacite.errors import IntegrityError
from permacite.service.holdings import pattern_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permacite.archive.model.answered import JSON, Representation, Version
    from permacite.archive.repository import Repository

__all__ = [
    "DocumentBatch",
    "DocumentSource",
    "Octets",
    "citations",
    "former_names",
    "octets_of",
]

Octets: TypeAlias = "bytes | mmap.mmap"


class DocumentBatch(NamedTuple):
    """One version of a document."""

    end: int
    version: Version
    formats: Sequence[Representation]
    """Those that may be published."""
    left_out: Sequence[LeftOut]
    """The others."""


class DocumentSource:
    """The versions that a pattern covers, as the public sees them; all where it is None."""

    def __init__(self, repository: Repository, pattern: str | None) -> None:
        self._repository = repository.public()
        self._pattern = pattern
        self.size = 0
        """How many were read so far."""

    def batches(self, start: int) -> Iterator[DocumentBatch]:
        """Yield each version with the formats that may be published."""
        for number, version in enumerate(_covered(self._repository, self._pattern), 1):
            self.size = number
            if number <= start:
                continue
            restricted = self._repository.lookup.restrictions(version.representations)
            formats = [item for item in version.representations if item.pdi not in restricted]
            left_out = [LeftOut(str(pdi), each.kind) for pdi, each in restricted.items()]
            yield DocumentBatch(number, version, formats, left_out)


def _covered(repository: Repository, pattern: str | None) -> Iterator[Version]:
    """Yield the versions that a pattern covers, each with all that is on record of it."""
    for version in repository.lists.list(None if pattern is None else pattern_of(pattern)):
        yield repository.lookup.version(version.pdi)  # lists leave details out


@contextlib.contextmanager
def octets_of(repository: Repository, item: Representation) -> Iterator[Octets]:
    """Open the contents of a format, checked, and mapped where possible: they may be large.

    Raises IntegrityError.
    """
    with repository.contents.source(item) as source:
        if source.descriptor is None or not source.size:
            yield repository.contents.read(item)
            return
        with mmap.mmap(source.descriptor, 0, access=mmap.ACCESS_READ) as octets:
            actual = "sha-256:" + hashlib.sha256(octets).hexdigest()
            if actual != item.digest:
                problem = f"the stored octets of {item.pdi} are others"
                raise IntegrityError(problem, expected=item.digest, actual=actual)
            yield octets


def citations(repository: Repository, pattern: str | None) -> Iterator[dict[str, JSON]]:
    """Yield the citations of the versions that a pattern covers."""
    for version in _covered(repository.public(), pattern):
        restricted = repository.lookup.restrictions(version.representations)
        for citation in repository.passages.citations(version.pdi):
            if citation.pdi not in restricted:
                yield {
                    "reference": citation.fragment,
                    "quote": citation.quote,
                    "before": citation.before,
                    "after": citation.after,
                    "note": citation.note,
                    "cited_at": citation.cited_at.isoformat(),
                }


def former_names(version: Version) -> Iterator[tuple[str, str]]:
    """Yield the names that the formats of a version had in other archives, with their digests."""
    imported = version.provenance.details.get("imported")
    told = imported.get("names") if isinstance(imported, Mapping) else None
    held = {item.digest for item in version.representations}
    for name, digest in told.items() if isinstance(told, Mapping) else ():
        if digest in held:
            yield str(name), str(digest)
