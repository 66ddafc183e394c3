"""The transport of archives: one resumable stream of batches from a source into a sink.

| carrier | source | sink |
|---|---|---|
| copy to any engine and store | `copying.RowSource` | `copying.RowSink` |
| backup of a folder | `backup.FolderSource` | `backup.FolderSink` |
| mirror | `service.mirroring.following` | `entering.EntrySink` |
| OCFL, and back | `service.exchange.ocfl` | `entering.EntrySink` |
| BagIt, WARC, WACZ | `service.exchange.warc` | `bag_export`, `warc`, `wacz` |

A sink first stores the contents of a batch, then, in one transaction, the rows that name them.
A stopped stream continues at `BatchSink.position`. What a carrier does not take is returned as
data: see `LeftOut`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from permacite.archive.entries import digests_in, disclosed, read
from permacite.archive.merkle import leaf_hash
from permacite.errors import IntegrityError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from permacite.archive.model.answered import Standing

__all__ = [
    "MOST_CONTENTS",
    "Batch",
    "BatchOutcome",
    "BatchSink",
    "BatchSource",
    "Carried",
    "EntryBatch",
    "LeftOut",
    "Progress",
    "ReceivedEntry",
    "carry",
    "digests_of",
    "groups_of",
]

MOST_CONTENTS = 128
"""How many contents are stored before the rows that name them: small ones are in memory."""


class Progress(Protocol):
    """A callback for the progress of a stream."""

    def __call__(self, done: int, total: int, /) -> object:
        """Report how many entries, documents or contents are done, of about how many."""


class Batch(Protocol):
    """The next part of a stream; a sink takes all of it, or nothing."""

    @property
    def end(self) -> int:
        """The position of the stream after it."""


BatchT = TypeVar("BatchT", bound=Batch)
Batch_contra = TypeVar("Batch_contra", bound=Batch, contravariant=True)
Batch_co = TypeVar("Batch_co", bound=Batch, covariant=True)


class BatchSource(Protocol[Batch_co]):
    """Anything that an archive, or documents of one, can be read from."""

    @property
    def size(self) -> int:
        """The position at the end of the stream."""

    def batches(self, start: int) -> Iterator[Batch_co]:
        """Yield the batches from a position on, in their order."""


class BatchSink(Protocol[Batch_contra]):
    """Anything that an archive, or documents of one, can be written to."""

    def position(self) -> int:
        """Return how far the sink is: the stream continues there."""

    def take(self, batch: Batch_contra) -> BatchOutcome:
        """Store the contents of a batch, then what names them, all or nothing."""


class ReceivedEntry(NamedTuple):
    """One entry as it was published: see `publishing.PublishedEntry`."""

    content: bytes
    hash: bytes
    openings: Mapping[str, bytes]
    withheld: str | None
    formats: tuple[tuple[str, str], ...] = ()
    serial: bool = False
    beside: Mapping[str, Any] | None = None
    standing: Standing | None = None
    """Who may see a new document, where its source tells that together with the entry."""

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> ReceivedEntry:
        """Read an entry from JSON. Raises ValueError, LookupError, TypeError."""
        content = value["content"].encode()
        hash_ = value.get("hash")
        return cls(
            content,
            leaf_hash(content) if hash_ is None else bytes.fromhex(hash_),
            {part: opening.encode() for part, opening in value["openings"].items()},
            value["withheld"],
            tuple((str(token), str(media_type)) for token, media_type in value["formats"]),
            value["serial"] is True,
            value.get("beside"),
        )

    def disclosed(self) -> dict[str, Any]:
        """Return all that the entry and the values beside it say. Raises ValueError."""
        return disclosed(read(self.content), self.openings) | dict(self.beside or {})


class EntryBatch(NamedTuple):
    """Consecutive entries of a log, from the place `start` on."""

    start: int
    entries: Sequence[ReceivedEntry]

    @property
    def end(self) -> int:
        """The size of the log after them."""
        return self.start + len(self.entries)

    def digests(self) -> list[str]:
        """Return the digests of all contents that they name, each once. Raises IntegrityError."""
        return digests_of(self.entries)


def digests_of(entries: Iterable[ReceivedEntry]) -> list[str]:
    """Return the digests of all contents that entries name, each once. Raises IntegrityError."""
    try:
        named = (digest for each in entries for digest in digests_in(each.disclosed()))
        return list(dict.fromkeys(named))
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise IntegrityError(
            f"an entry, or what is told beside it, cannot be read: {error}",
            expected="entries of a log",
            actual="something else",
        ) from error


def groups_of(entries: Mapping[int, ReceivedEntry]) -> Iterator[dict[int, ReceivedEntry]]:
    """Yield entries by their places, so many together that few contents are in memory at a time.

    Raises IntegrityError.
    """
    group: dict[int, ReceivedEntry] = {}
    number = 0
    for place, each in entries.items():
        more = len(digests_of([each]))
        if group and number + more > MOST_CONTENTS:
            yield group
            group, number = {}, 0
        group[place] = each
        number += more
    if group:
        yield group


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that a carrier does not take."""

    name: str
    """The permanent name of a document, version or format, or the name of a table."""
    reason: str
    """Why: "closed", "withdrawn", "erased", "no-address", or a sentence about a table."""


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """The outcome of one batch."""

    contents: int = 0
    """How many contents were new in the sink."""
    lost: Sequence[str] = ()
    """The digests of contents that the source names but does not have."""
    left_out: Sequence[LeftOut] = ()


@dataclass(frozen=True, slots=True)
class Carried:
    """The outcome of a stream."""

    start: int
    """The position at which the sink was before."""
    end: int
    contents: int
    """How many contents were new in the sink."""
    lost: tuple[str, ...]
    """The digests of contents that the source names but does not have."""
    left_out: tuple[LeftOut, ...]


def carry(
    source: BatchSource[BatchT], sink: BatchSink[BatchT], progress: Progress = max
) -> Carried:
    """Carry all that the sink does not have yet; the outcome is returned.

    Where this is stopped, a second call continues. Raises what the source and the sink raise.
    """
    start = end = sink.position()
    contents = 0
    lost: list[str] = []
    left_out: list[LeftOut] = []
    for batch in source.batches(start):
        taken = sink.take(batch)
        contents += taken.contents
        lost += taken.lost
        left_out += taken.left_out
        end = batch.end
        progress(end - start, source.size - start)
    return Carried(start, end, contents, tuple(lost), tuple(left_out))
