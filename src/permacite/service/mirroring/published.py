"""Published log for mirrors: entries with their openings, contents, access to documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

    from permacite.archive import Repository
    from permacite.archive.objects import ContentReader
    from permacite.archive.transport.publishing import PublishedEntry, PublishedStanding

__all__ = ["HandedEntries", "HandedOctets", "HandedStandings", "PublishedLog"]

_STEP = 1 << 18


@dataclass(frozen=True, slots=True)
class HandedEntries:
    """Entries of the log, in their order, with what may be told beside them."""

    start: int
    entries: tuple[PublishedEntry, ...]
    """At most 256, and fewer where they are large."""


@dataclass(frozen=True, slots=True)
class HandedStandings:
    """Who may see documents, as it was said one time after another."""

    standings: tuple[PublishedStanding, ...]
    """The next of them; none at the end."""


class HandedOctets:
    """Octets that are open, to be sent."""

    def __init__(self, source: ContentReader) -> None:
        self.size = source.size
        self._source = source

    def read(self) -> Generator[bytes, None, None]:
        """All of them, a stretch at a time; whoever takes them compares them with the digest."""
        with self._source:
            for at in range(0, self.size, _STEP):
                yield self._source.read(at, at + _STEP)

    def close(self) -> None:
        """Let go of them."""
        self._source.close()


class PublishedLog:
    """The log of an archive for mirrors, as far as their audience may see it."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def entries(self, start: int, end: int) -> HandedEntries:
        """The entries of the log from `start` up to `end`, or the first of them.

        Raises NotFoundError where the log has none there.
        """
        return HandedEntries(start, tuple(self._repository.publisher.entries(start, end)))

    def octets(self, digest: str) -> HandedOctets:
        """The octets with a digest, "sha-256:...". Raises NotFoundError for all not given out."""
        return HandedOctets(self._repository.publisher.octets(digest))

    def standings(self, after: int) -> HandedStandings:
        """Who may see which document, as it was said behind the place `after`."""
        return HandedStandings(tuple(self._repository.publisher.standings(after)))
