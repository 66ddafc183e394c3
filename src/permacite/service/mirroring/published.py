"""Published log for mirrors: entries with their openings, contents, access to documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Generator

    from permacite.archive.objects.source import ContentReader
    from permacite.archive.repository import Repository
    from permacite.archive.transport.publishing import PublishedEntry, PublishedStanding

__all__ = ["HandedEntries", "HandedOctets", "HandedStandings", "PublishedLog"]

_STEP = 1 << 18


@dataclass(frozen=True, slots=True)
class HandedEntries:
    """Consecutive entries of the log, with what may be published beside them."""

    start: int
    entries: tuple[PublishedEntry, ...]
    """At most 256; fewer if they are large."""


@dataclass(frozen=True, slots=True)
class HandedStandings:
    """Changes of access to documents, in order."""

    standings: tuple[PublishedStanding, ...]
    """The next changes; none at the end."""


class HandedOctets:
    """Open contents, to be sent."""

    def __init__(self, source: ContentReader) -> None:
        self.size = source.size
        self._source = source

    def read(self) -> Generator[bytes, None, None]:
        """Yield all bytes in pieces; the receiver compares them with the digest."""
        with self._source:
            for at in range(0, self.size, _STEP):
                yield self._source.read(at, at + _STEP)

    def close(self) -> None:
        """Close the reader."""
        self._source.close()


class PublishedLog:
    """The log of an archive for mirrors, as far as their audience may see it."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def entries(self, start: int, end: int) -> HandedEntries:
        """Return the entries of the log from `start` up to `end`, or the first of them.

        Raises NotFoundError where the log has none there.
        """
        return HandedEntries(start, tuple(self._repository.copies.publisher.entries(start, end)))

    def octets(self, digest: str) -> HandedOctets:
        """Open the contents of a digest, "sha-256:...". Raises NotFoundError if unpublished."""
        return HandedOctets(self._repository.copies.publisher.octets(digest))

    def standings(self, after: int) -> HandedStandings:
        """Return the changes of access after the place `after`."""
        return HandedStandings(tuple(self._repository.copies.publisher.standings(after)))
