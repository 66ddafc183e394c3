"""Mirror runs: everything that an archive committed since, fetched, checked and entered safely.

| step | after a stop there, the next run |
|---|---|
| the checkpoint is checked against the key, and against the last one shown | fetches it again |
| 256 entries with their openings are fetched, and checked against that root | fetches them again |
| their contents are fetched, and checked against their digests | finds the files that are there |
| their rows, and small contents for a remote store, are one transaction | continues after it |
| access to documents is written, in one transaction | continues after it |
| erased contents are destroyed, the checkpoint is kept and cosigned | does it again |

So the log of a mirror is at any moment the beginning of its origin's log.
"""

from __future__ import annotations

import base64
from contextlib import closing
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any

from permacite.archive.administration import place_of
from permacite.archive.engine.location import NO_ARCHIVE
from permacite.archive.log.keys import Verifier
from permacite.archive.log.note import Checkpoint, Note
from permacite.archive.merkle import is_consistent
from permacite.archive.model.answered import Standing, utc_now
from permacite.archive.names import checked_series
from permacite.archive.repository import Repository
from permacite.archive.transport.mirror import Mirror, begin
from permacite.archive.transport.stream import (
    MOST_CONTENTS,
    EntryBatch,
    ReceivedEntry,
    carry,
    digests_of,
    groups_of,
)
from permacite.errors import ConflictError, IntegrityError, NotFoundError, ParseError, StorageError
from permacite.lazy_dataclass import dataclass
from permacite.service import names
from permacite.service.mirroring.remote import STRETCH, RemoteArchive, RemoteTree
from permacite.service.mirroring.witness import check_no_fork, cosigned, keep_fork, pass_forks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from permacite.archive.engine.location import Location
    from permacite.archive.log.log import Log
    from permacite.archive.transport.stream import Progress
    from permacite.pdi import PDI

__all__ = ["TakenOver", "follow"]

_LOG = "/-/api/log"
_NAME_ENDS = "/log"
"""The end of the log's name, after the first series of the archive."""


@dataclass(frozen=True, slots=True)
class TakenOver:
    """The outcome of one mirror run."""

    directory: str
    """The folder of the mirror, or its location without secrets."""
    origin: str
    size: int
    """Entries of the log that are here now."""
    root: str
    key: str
    """The public key of the origin: compare it with the one that it publishes."""
    entered: int
    """Entries that are new."""
    filled: int
    """Entries that were closed earlier and are complete now."""
    octets: int
    """Contents that are new."""
    withheld: int
    """Entries whose contents the origin withholds at present."""
    standings: int
    """Changes of access to documents."""
    lost: tuple[str, ...] = ()
    """Digests of contents that the origin names and did not give."""
    cosigned_by: str | None = None
    """The key that cosigned the checkpoint here; none does while contents are lost."""
    passed: tuple[str, ...] = ()
    """The files of forks that this run continued past on request."""


def follow(
    address: str,
    into: Location,
    *,
    key: str | None = None,
    cosigner: Path | None = None,
    allow_private: bool = False,
    past_fork: bool = False,
    progress: Progress = max,
) -> TakenOver:
    """Make `into` a mirror of the archive at an address, or bring it up to date.

    `key` is the public key of that archive; without it, the first key that the archive shows is
    trusted from then on. `cosigner` is the file of a key that cosigns a complete mirror; it is made
    if missing. `past_fork` continues although the log was found forked earlier. Raises
    IntegrityError where the log is forked (both checkpoints are kept, and nothing is fetched any
    more), where entries or contents are altered, or another key signs; ConflictError where `into`
    holds anything else; BusyError during another run; ParseError for a bad address, location or
    key; CaptureError, StorageError.
    """
    key = None if key is None else str(Verifier.parse(key))
    with (
        RemoteArchive(address, allow_private=allow_private) as remote,
        closing(_opened(into, remote, key)) as repository,
    ):
        _check_mirror(repository, key)
        past = pass_forks(repository) if past_fork else []
        return _MirrorRun(remote, repository, progress).run(cosigner, past)


def _opened(into: Location, remote: RemoteArchive, key: str | None) -> Repository:
    """Open the mirror at a location; make it if there is none. Raises as `follow`."""
    try:
        return Repository.open(into)
    except StorageError as error:
        if error.reason not in NO_ARCHIVE:
            raise
    state = remote.json(_LOG)
    keys = _keys_of(state, key)
    name = _checked(state, keys).origin
    series = checked_series(name.removesuffix(_NAME_ENDS))
    filled = partial(begin, series=series, origin=remote.address, keys=keys)
    place_of(into).make(filled, utc_now, None)
    return Repository.open(into)


def _check_mirror(repository: Repository, key: str | None) -> None:
    """Raise ConflictError where this is no mirror, IntegrityError where of another log."""
    where = repository.where
    if Mirror(repository.parts).origin is None:
        raise ConflictError(f"{where} is an archive of its own, and no mirror", where)
    if key is not None and str(repository.log.keys.verifier) != key:
        raise IntegrityError(
            f"{where} mirrors a log with another key",
            expected=key,
            actual=str(repository.log.keys.verifier),
        )


def _keys_of(state: dict[str, Any], key: str | None) -> list[Verifier]:
    """Return the keys that an archive shows; the first must be `key`. Raises IntegrityError."""
    try:
        keys = [Verifier.parse(str(text)) for text in state["keys"]]
    except (LookupError, TypeError, ParseError) as error:
        raise IntegrityError(
            "the archive tells no key of its log", expected="its public keys", actual=str(error)
        ) from error
    told = str(keys[0]) if keys else "none"
    if told != (key or told) or not keys:
        raise IntegrityError(
            "the archive signs with another key", expected=key or "its public keys", actual=told
        )
    return keys


def _checked(state: dict[str, Any], keys: Sequence[Verifier]) -> Checkpoint:
    """Return the checkpoint of an archive, signed by its first key. Raises IntegrityError."""
    try:
        note = Note.parse(str(state["checkpoint"]))
        shown = Checkpoint.parse(note.text)
    except (LookupError, ParseError) as error:
        raise IntegrityError(
            "the archive shows no checkpoint", expected="a signed checkpoint", actual=str(error)
        ) from error
    signed = [each for each in keys if each.signatures(note)]
    if keys[0] not in signed or not all(each.verifies(note) for each in signed):
        raise IntegrityError(
            "the checkpoint is not signed by the key of this log",
            expected=str(keys[0]),
            actual=", ".join(line.name for line in note.signatures),
        )
    return shown


class _Entries:
    """The entries that a checkpoint of the origin covers, as a source."""

    def __init__(self, remote: RemoteArchive, log: Log, shown: Checkpoint) -> None:
        self._remote = remote
        self._log = log
        self._shown = shown
        self.size = shown.size

    def batches(self, start: int) -> Iterator[EntryBatch]:
        """Yield the entries from a place on, a stretch at a time checked against the checkpoint.

        Raises IntegrityError.
        """
        if start >= self.size:
            return
        tree = RemoteTree(self._remote, self._log, start, self.size)
        if tree.root() != self._shown.root:
            raise IntegrityError(
                f"the tiles of {self._remote.address} do not lead to the root that it signed",
                expected=self._shown.root.hex(),
                actual=tree.root().hex(),
            )
        while start < self.size:
            end = min(self.size, (start // STRETCH + 1) * STRETCH)
            entries = self.between(start, end)
            tree.check(start, [each.hash for each in entries])
            for group in groups_of(dict(enumerate(entries, start))):
                yield EntryBatch(min(group), [*group.values()])
            start = end

    def between(self, start: int, end: int) -> list[ReceivedEntry]:
        """Fetch the entries from `start` up to `end`. Raises IntegrityError."""
        entries: list[ReceivedEntry] = []
        while start + len(entries) < end:
            path = f"/-/log/entries?start={start + len(entries)}&end={end}"
            answer = self._remote.json(path)
            try:
                more = [ReceivedEntry.read(each) for each in answer["entries"]]
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                raise IntegrityError(
                    f"{self._remote.address}{path} answers no entries: {error}",
                    expected="entries of a log",
                    actual="something else",
                ) from error
            if not more:
                problem = f"{self._remote.address} has no entry {start + len(entries)}"
                raise IntegrityError(problem, expected="an entry", actual="none")
            entries += more
        return entries[: end - start]


class _Checkpoints:
    """The checkpoints that the origin shows, checked against the last one that it showed."""

    def __init__(self, remote: RemoteArchive, repository: Repository) -> None:
        self._remote = remote
        self._repository = repository

    def shown(self, seen: str | None) -> tuple[Checkpoint, str]:
        """Fetch the current checkpoint, which extends the one `seen` last, and its note.

        Raises IntegrityError.
        """
        if seen is None:
            return self._read(self._remote.json(_LOG))
        last = Checkpoint.parse(Note.parse(seen).text)
        state = self._state_since(last.size)
        shown, note = self._read(state)
        if not self._agree(last, shown, state):
            raise keep_fork(self._repository, seen, note)
        if shown.size < last.size:
            raise IntegrityError(
                f"{self._remote.address} shows a log of {shown.size} entries, and had {last.size}",
                expected=f"{last.size} entries or more",
                actual=f"{shown.size} entries",
                hint="it was cut short, or restored from an earlier copy: nothing was taken",
            )
        return shown, note

    def _agree(self, last: Checkpoint, shown: Checkpoint, state: dict[str, Any]) -> bool:
        """Whether the last checkpoint and the current one may be of the same log."""
        if shown.size >= last.size:
            proof = _proof_in(state)
            return is_consistent(last.size, last.root, shown.size, shown.root, proof=proof)
        log = self._repository.log
        return shown.size > log.size() or log.root(shown.size) == shown.root

    def _state_since(self, size: int) -> dict[str, Any]:
        """Fetch the state of the log, with a consistency proof from a size if it is that long."""
        try:
            return self._remote.json(f"{_LOG}?since={size}")
        except NotFoundError:
            return self._remote.json(_LOG)

    def _read(self, state: dict[str, Any]) -> tuple[Checkpoint, str]:
        """Return the checkpoint, and the note with the origin's own signatures."""
        keys = self._repository.log.keys.verifiers
        shown = _checked(state, keys)
        return shown, Note.parse(str(state["checkpoint"])).signed_by(keys[0].name)


class _MirrorRun:
    """One run of a mirror that is open."""

    def __init__(self, remote: RemoteArchive, repository: Repository, progress: Progress) -> None:
        self._remote = remote
        self._repository = repository
        self._mirror = Mirror(repository.parts)
        self._sink = self._mirror.sink(remote)
        self._progress = progress
        self._octets = 0
        self._lost: list[str] = []

    def run(self, cosigner: Path | None, past: Sequence[Path]) -> TakenOver:
        """Fetch everything that a checkpoint covers. Raises as `follow`."""
        check_no_fork(self._repository)
        seen = self._mirror.seen()
        shown, note = _Checkpoints(self._remote, self._repository).shown(seen)
        try:
            self._mirror.note_seen(note, seen)
            taken = self._fetch_all(shown, note, cosigner)
        except IntegrityError:
            check_no_fork(self._repository)  # another machine may have found a fork meanwhile
            raise
        return replace(taken, passed=tuple(map(str, past)))

    def _fetch_all(self, shown: Checkpoint, note: str, cosigner: Path | None) -> TakenOver:
        """Fetch everything that a checkpoint covers, which extends the last one."""
        place = self._mirror.standing_place()
        standings = self._fetch_standings(place)
        entries = _Entries(self._remote, self._repository.log, shown)
        entered = self._enter(entries)
        filled = self._fill(entries)
        self._take_lost(self._mirror.lost())
        self._set_standings(standings, place)
        self._mirror.note_lost(self._lost)
        self._repository.access.finish_erasing()
        self._mirror.keep_checkpoint(shown.size, note)
        is_whole = not self._mirror.lost()
        signer = cosigned(self._mirror, note, cosigner) if cosigner and is_whole else None
        self._mirror.note_followed()
        return TakenOver(
            directory=self._repository.where,
            origin=self._remote.address,
            size=shown.size,
            root=base64.b64encode(shown.root).decode(),
            key=str(self._repository.log.keys.verifier),
            entered=entered,
            filled=filled,
            octets=self._octets,
            withheld=len(self._mirror.waiting()),
            standings=len(standings),
            lost=tuple(self._mirror.lost()),
            cosigned_by=signer,
        )

    def _enter(self, entries: _Entries) -> int:
        """Enter all that is new; how many entries. Raises IntegrityError."""
        known = self._repository.log.size()

        def report(done: int, _: int) -> None:
            self._progress(known + done, entries.size)

        carried = carry(entries, self._sink, report)
        self._count(carried.contents, carried.lost)
        return carried.end - carried.start

    def _fill(self, entries: _Entries) -> int:
        """Complete entries that are not closed any more; how many. Raises IntegrityError."""
        filled = 0
        for stretch in _stretches(
            place for place in self._mirror.waiting() if place < entries.size
        ):
            fetched = entries.between(stretch[0], stretch[-1] + 1)
            kept = self._repository.log.leaves(stretch[0], stretch[-1] + 1)
            for leaf, each in zip(kept, fetched, strict=True):
                if each.hash != leaf.hash:
                    raise IntegrityError(
                        f"entry {leaf.sequence} is another than it was",
                        expected=leaf.hash.hex(),
                        actual=each.hash.hex(),
                    )
            for group in groups_of(dict(zip(stretch, fetched, strict=True))):
                digests = digests_of(group.values())
                taken, more = self._sink.receive(digests, partial(self._mirror.fill, group))
                self._count(taken.contents, taken.lost)
                filled += more
        return filled

    def _take_lost(self, digests: Sequence[str]) -> None:
        """Store contents that the origin named, and did not give earlier."""
        for start in range(0, len(digests), MOST_CONTENTS):
            taken, _ = self._sink.receive(
                digests[start : start + MOST_CONTENTS], self._mirror.stage
            )
            self._count(taken.contents, taken.lost)

    def _count(self, contents: int, lost: Iterable[str]) -> None:
        """Count contents that came, and note those that are not to be had."""
        self._octets += contents
        self._lost += lost

    def _fetch_standings(self, place: int) -> list[tuple[int, PDI, Standing]]:
        """Fetch the changes of access after a place. Raises IntegrityError."""
        told: list[tuple[int, PDI, Standing]] = []
        ground = self._mirror.default_ground()
        while True:
            answer = self._remote.json(f"/-/log/standings?after={place}")
            try:
                rows = answer["standings"]
                for row in rows:
                    until = row["embargo_until"]
                    embargo = None if until is None else date.fromisoformat(until)
                    name, _ = names.document_of(row["name"])
                    told.append((row["place"], name, Standing(row["access"], ground, embargo)))
            except (LookupError, TypeError, ValueError) as error:
                raise IntegrityError(
                    f"{self._remote.address} does not tell who may see what",
                    expected="standings",
                    actual=str(error),
                ) from error
            if not rows or told[-1][0] <= place:
                return told
            place = told[-1][0]

    def _set_standings(self, told: list[tuple[int, PDI, Standing]], after: int) -> None:
        """Write the changes of access after a place."""
        if told:
            rows = [row[1:] for row in told]
            self._mirror.set_standings(rows, after=after, place=told[-1][0])


def _proof_in(state: dict[str, Any]) -> list[bytes]:
    """Return the hashes of the consistency proof; none where there is no proof."""
    try:
        return [base64.b64decode(text) for text in state["since"]["proof"]]
    except (LookupError, TypeError, ValueError):
        return []


def _stretches(places: Iterator[int]) -> Iterator[list[int]]:
    """Yield consecutive places, at most 256 together."""
    stretch: list[int] = []
    for place in sorted(places):
        if stretch and (place != stretch[-1] + 1 or len(stretch) == STRETCH):
            yield stretch
            stretch = []
        stretch.append(place)
    if stretch:
        yield stretch
