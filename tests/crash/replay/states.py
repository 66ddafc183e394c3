"""Crash states: at each point of a recording, what the disk may hold, built and examined.

The kinds of states, at a point:
  none         nothing that is pending is there
  all          all of it
  ordered      names and cuts up to some moment after the last flush, none later, as a file system
               with a journal leaves them; of the data none, all, or any sectors
  without-one  all but one change
  only-one     one change alone
  any          any sectors of any changes, some as junk
"""

from __future__ import annotations

import hashlib
import random
import shutil
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from tests.crash.replay.disk import DROPPED, JUNK, KEPT, Disk
from tests.crash.replay.invariants import Outcome, complaints, examine
from tests.crash.replay.trace import write_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from tests.crash.replay.disk import Change, Choice, Image
    from tests.crash.replay.trace import Event, Fact, Recording

__all__ = ["KINDS", "Explorer", "Moment", "Report", "crash", "moments"]

KINDS = ("none", "all", "ordered", "without-one", "only-one", "any")
_ARCHIVE = "shelf/archive/"
_BACKUP = "shelf/backup/"
_OFTEN = (0.05, 0.3, 0.5, 0.7, 0.95)

Swallow: TypeAlias = "Callable[[Event], bool]"
"""Says whether a flush is to be overlooked, as if the program had not asked for it."""


@dataclass(slots=True)
class Report:
    """What was tried, and what was found wrong."""

    calls: int = 0
    """System calls that change files or flush them."""
    acknowledgements: int = 0
    points: int = 0
    """Moments at which the power may fail: before the first call and after each."""
    states: Counter[str] = field(default_factory=Counter)
    """How many states were built, by kind."""
    opened: int = 0
    """How many different folders were opened and examined: equal ones are examined once."""
    losses: list[str] = field(default_factory=list)

    def count(self, event: Event | None) -> None:
        """Count a point, and the event before it."""
        self.points += 1
        if event is not None:
            self.acknowledgements += event.kind == "a"
            self.calls += event.kind != "a"

    def add(self, other: Report) -> None:
        """Count another report in."""
        self.calls += other.calls
        self.acknowledgements += other.acknowledgements
        self.points += other.points
        self.states.update(other.states)
        self.opened += other.opened
        self.losses += other.losses

    def __str__(self) -> str:
        kinds = ", ".join(f"{self.states[kind]} {kind}" for kind in KINDS)
        return (
            f"{self.calls} system calls, {self.acknowledgements} acknowledgements, {self.points}"
            f" crash points; {self.states.total()} states ({kinds}), {self.opened} different"
            f" folders examined, {len(self.losses)} losses"
        )


class Explorer:
    """Goes through recordings and examines what crashes leave, below one scratch folder."""

    def __init__(self, scratch: Path) -> None:
        self._places = {top: _Place(scratch / top.split("/")[1]) for top in (_ARCHIVE, _BACKUP)}

    def explore(
        self,
        recording: Recording,
        shares: Mapping[str, float],
        *,
        seed: int,
        begin: int = 0,
        known: Iterable[Fact] = (),
        swallow: Swallow | None = None,
        stop: Callable[[Report], bool] = lambda _: False,
    ) -> Report:
        """Go through a recording once.

        `shares` says for each kind at which part of the points it is tried, after the event
        `begin`. `known` was acknowledged before the first event. `stop` is asked after each point.
        """
        report = Report()
        chance = random.Random(seed)  # noqa: S311 - to be repeated
        for place, moment in enumerate(moments(recording, known, swallow)):
            report.count(moment.event)
            if place <= begin:
                continue
            for kind in _tried(shares, moment.event, chance):
                choice = _choice(kind, moment.disk, chance)
                if choice is not None:
                    report.states[kind] += 1
                    where = f"{kind} after call {report.calls} (seed {seed})"
                    found = self._examine(moment, moment.disk.image(choice), report)
                    report.losses += [f"{where}: {one}" for one in found]
            if stop(report):
                break
        return report

    def _examine(self, moment: Moment, image: Image, report: Report) -> list[str]:
        """Return what is wrong with the archive in an image, and with the backup if there is one.

        Nothing is asked of a backup before the first call for one has returned.
        """
        found = []
        for top, told in ((_ARCHIVE, moment.told), (_BACKUP, moment.backed_up)):
            if top == _BACKUP and not told:
                continue
            part = {
                path.removeprefix(top): data
                for path, data in image.items()
                if path.startswith(top) and path != top
            }
            outcome = self._places[top].examine(part, there=top in image, report=report)
            found += [f"{top}: {one}" for one in complaints(outcome, told)]
        return found


@dataclass(slots=True)
class Moment:
    """A point at which the power may fail. It changes as the recording goes on."""

    event: Event | None
    """What happened last."""
    disk: Disk
    told: set[Fact]
    """What was acknowledged up to now."""
    backed_up: set[Fact] = field(default_factory=set)
    """What of it was acknowledged before the last backup was."""


def moments(
    recording: Recording, known: Iterable[Fact] = (), swallow: Swallow | None = None
) -> Iterator[Moment]:
    """Return all points of a recording, the first one before the first event."""
    moment = Moment(None, Disk(recording.before), set(known))
    yield moment
    for event in recording.events:
        if event.kind == "s" and swallow is not None and swallow(event):
            continue
        moment.event = event
        moment.disk.apply(event)
        if ("backup",) in event.facts:
            moment.backed_up = set(moment.told)
        else:
            moment.told.update(event.facts)
        yield moment


def crash(recording: Recording, seed: int) -> tuple[Image, set[Fact]]:
    """Return what one crash leaves after an archive was made, and what was acknowledged by then."""
    chance = random.Random(seed)  # noqa: S311 - to be repeated
    made = False
    place = chance.randrange(len(recording.events))
    for number, moment in enumerate(moments(recording)):
        made = made or ("created",) in moment.told
        if made and number >= place:
            break
    choice = _choice(chance.choice(("none", "ordered", "any")), moment.disk, chance)
    return moment.disk.image(choice or (lambda _change, _sector: KEPT)), set(moment.told)


class _Place:
    """A scratch folder that is made to hold one image after another."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[bytes, Outcome] = {}

    def examine(self, part: Image, *, there: bool, report: Report) -> Outcome:
        """Return what opening such a folder gives."""
        key = _key(part) if there else b""
        if key not in self._known:
            report.opened += 1
            self._write(part, there=there)
            self._known[key] = examine(self._folder)
        return self._known[key]

    def _write(self, part: Image, *, there: bool) -> None:
        """Make the folder hold exactly the image."""
        shutil.rmtree(self._folder, ignore_errors=True)
        if not there:
            return
        self._folder.mkdir(parents=True)
        write_files(self._folder, part)


def _key(part: Image) -> bytes:
    """Return a digest of an image."""
    found = hashlib.blake2b(digest_size=16)
    for path in sorted(part):
        found.update(f"{path}\0{len(part[path])}\0".encode())
        found.update(part[path])
    return found.digest()


def _tried(shares: Mapping[str, float], event: Event | None, chance: random.Random) -> list[str]:
    """Return the kinds to be tried at a point."""
    kinds = [kind for kind in KINDS if chance.random() < shares.get(kind, 0.0)]
    if event is not None and event.kind not in "sa" and "none" in kinds:
        kinds.remove("none")  # what is certain is as it was
    return kinds


def _choice(kind: str, disk: Disk, chance: random.Random) -> Choice | None:
    """Return a choice of a kind, or None where nothing is pending to choose from."""
    if kind in {"none", "all"}:
        kept = KEPT if kind == "all" else DROPPED
        return lambda _change, _sector: kept
    pending = disk.pending()
    if not pending:
        return None
    if kind == "ordered":
        return _ordered(disk, pending, chance)
    if kind == "any":
        return _any(chance.choice(_OFTEN), chance, junk=chance.choice((0.0, 0.0, 0.3)))
    one = chance.choice(pending)
    this, others = (DROPPED, KEPT) if kind == "without-one" else (KEPT, DROPPED)
    return lambda change, _sector: this if change is one else others


def _ordered(disk: Disk, pending: list[Change], chance: random.Random) -> Choice:
    """Return a choice that keeps names and cuts up to a moment."""
    later = [change.sequence for change in pending if change.sequence > disk.flushed]
    last = chance.choice([disk.flushed, *later])
    data = _any(chance.choice((0.0, 0.5, 1.0)), chance, junk=0.0)

    def choose(change: Change, sector: int) -> int:
        if change.kind == "w":
            return data(change, sector)
        return KEPT if change.sequence <= last else DROPPED

    return choose


def _any(often: float, chance: random.Random, *, junk: float) -> Choice:
    """Return a choice that keeps each sector by chance: the same under all names of a file."""
    tosses: dict[tuple[int, int], float] = {}

    def choose(change: Change, sector: int) -> int:
        toss = tosses.setdefault((change.sequence, sector), chance.random())
        if toss < often:
            return KEPT
        return JUNK if toss < often + (1 - often) * junk else DROPPED

    return choose
