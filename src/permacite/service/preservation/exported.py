"""What is written for others: the versions that a pattern covers, their octets, what was cited.

What is closed, withdrawn or erased is left out.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from permacite.errors import IntegrityError
from permacite.service.resolution.holdings import pattern_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive import JSON, Repository, Representation, Version

__all__ = ["Octets", "citations", "covered", "former_names", "octets_of"]

Octets: TypeAlias = "bytes | mmap.mmap"


def covered(repository: Repository, pattern: str | None) -> Iterator[Version]:
    """The versions that a pattern covers, each with all that is on record of it."""
    repository = repository.public()
    for version in repository.list(None if pattern is None else pattern_of(pattern)):
        yield repository.version(version.pdi)  # lists leave details out


@contextlib.contextmanager
def octets_of(repository: Repository, item: Representation) -> Iterator[Octets]:
    """The octets of a format, checked, and mapped where they can be: they may be large.

    Raises IntegrityError.
    """
    with repository.source(item) as source:
        if source.descriptor is None or not source.size:
            yield repository.read(item)
            return
        with mmap.mmap(source.descriptor, 0, access=mmap.ACCESS_READ) as octets:
            actual = "sha-256:" + hashlib.sha256(octets).hexdigest()
            if actual != item.digest:
                problem = f"the stored octets of {item.pdi} are others"
                raise IntegrityError(problem, expected=item.digest, actual=actual)
            yield octets


def citations(repository: Repository, pattern: str | None) -> Iterator[dict[str, JSON]]:
    """What was cited of the versions that a pattern covers."""
    for version in covered(repository, pattern):
        restricted = repository.restrictions(version.representations)
        for citation in repository.citations(version.pdi):
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
    """The names that the formats of a version had in other archives, with their digests."""
    imported = version.provenance.details.get("imported")
    told = imported.get("names") if isinstance(imported, Mapping) else None
    held = {item.digest for item in version.representations}
    for name, digest in told.items() if isinstance(told, Mapping) else ():
        if digest in held:
            yield str(name), str(digest)
