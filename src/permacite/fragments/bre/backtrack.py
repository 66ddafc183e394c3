"""Backtracking matcher for back-references, which no automaton can match; each state once.

A way to match is known by where it is in the expression, where in the text, and what the groups
that are referred to have matched. Ways that meet are one way, and all are counted: a search ends,
or it reaches its limit, and says so. Of the ways that match, the longest is taken (XBD §9.1).

Readings: a back-reference to a group that has matched nothing yet does not match. What a group
matched in an earlier round of a repetition stays, until it matches again.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from permacite.errors import LimitError
from permacite.fragments.bre.syntax import (
    Alternation,
    Anchor,
    BackReference,
    CharacterSet,
    Group,
    Node,
    Repeat,
    Sequence,
)

if TYPE_CHECKING:
    from typing import TypeAlias

__all__ = ["BacktrackSearch", "ProgramStep", "program"]

_MAX_STEPS = 20_000
"""Steps that a program may have: intervals are written out."""

_WAYS = 200_000
_WAYS_PER_CHARACTER = 32
"""Ways to match that may be looked at from one place, and in all for each character besides."""

_COMPARED = 64
"""Comparing so many characters counts as one more way."""

Kind = Literal["character", "anchor", "reference", "open", "close", "fork", "match"]

Captures: TypeAlias = "tuple[int, ...]"
"""For each group that is referred to: where it opened, and where its last match began and ended."""


_NONE = Sequence(())


@dataclass(slots=True)
class ProgramStep:
    """One step of a program, and the steps that may follow. `slot` is a group's in the captures."""

    kind: Kind
    node: Node
    slot: int
    following: tuple[ProgramStep, ...]


def program(root: Node) -> tuple[ProgramStep, int]:
    """Return the first step of `root`, and how many groups are referred to.

    Raises LimitError where intervals make it too long.
    """
    numbers = sorted(set(_references(root)))
    writer = _ProgramWriter({number: slot for slot, number in enumerate(numbers)})
    return writer.write(root, writer.step("match")), len(numbers)


def _references(node: Node) -> list[int]:
    """Return the numbers of the groups that are referred to."""
    match node:
        case BackReference(number):
            return [number]
        case Group(_, item) | Repeat(item, _, _):
            return _references(item)
        case Sequence(items) | Alternation(items):
            return [number for item in items for number in _references(item)]
    return []


class _ProgramWriter:
    """Writes a program from its end to its start."""

    def __init__(self, slots: dict[int, int]) -> None:
        self.slots = slots
        self.written = 0

    def step(
        self, kind: Kind, *following: ProgramStep, node: Node = _NONE, slot: int = 0
    ) -> ProgramStep:
        """Make a step."""
        self.written += 1
        if self.written > _MAX_STEPS:
            raise LimitError("the expression is too large", limit="program", maximum=_MAX_STEPS)
        return ProgramStep(kind, node, slot, following)

    def write(self, node: Node, after: ProgramStep) -> ProgramStep:
        """Write the steps of `node`, which lead to `after`, and return the first."""
        match node:
            case CharacterSet() | Anchor():
                kind: Kind = "character" if isinstance(node, CharacterSet) else "anchor"
                return self.step(kind, after, node=node)
            case BackReference(number):
                return self.step("reference", after, slot=3 * self.slots[number])
            case Group():
                return self._group(node, after)
            case Repeat():
                return self._repeat(node, after)
            case Alternation(items):
                return self.step("fork", *(self.write(item, after) for item in items))
        for item in reversed(node.items):
            after = self.write(item, after)
        return after

    def _group(self, group: Group, after: ProgramStep) -> ProgramStep:
        if group.number not in self.slots:
            return self.write(group.item, after)
        slot = 3 * self.slots[group.number]
        inside = self.write(group.item, self.step("close", after, slot=slot))
        return self.step("open", inside, slot=slot)

    def _repeat(self, repeat: Repeat, after: ProgramStep) -> ProgramStep:
        if repeat.high is None:
            loop = self.step("fork")
            loop.following = (self.write(repeat.item, loop), after)
            after = loop
        else:
            done = after
            for _ in range(repeat.high - repeat.low):
                after = self.step("fork", self.write(repeat.item, after), done)
        for _ in range(repeat.low):
            after = self.write(repeat.item, after)
        return after


class BacktrackSearch:
    """A search through one text. The steps it may take are counted over all its calls."""

    def __init__(self, first: ProgramStep, groups: int, text: str) -> None:
        self.first = first
        self.unset = (-1,) * (3 * groups)
        self.text = text
        self.maximum = self.left = _WAYS + _WAYS_PER_CHARACTER * len(text)

    def longest_at(self, start: int) -> int | None:
        """Return the end of the longest match that begins at `start`, or None."""
        best: int | None = None
        waiting = [(self.first, start, self.unset)]
        # Between two forks there is one way: only there can ways have met.
        seen: set[tuple[int, int, Captures]] = set()
        while waiting:
            step, place, captures = waiting.pop()
            while step.kind not in {"fork", "match"} and place >= 0:
                place, captures = self._taken(step, place, captures)
                self._count(1)
                step = step.following[0]
            if place < 0:
                continue
            if step.kind == "match":
                best = place if best is None else max(best, place)
            elif (way := (id(step), place, captures)) not in seen:
                seen.add(way)
                self._count(1 if len(seen) < _WAYS else self.maximum)
                waiting += [(following, place, captures) for following in step.following]
        return best

    def _count(self, ways: int) -> None:
        self.left -= ways
        if self.left < 0:
            problem = "there are too many ways in which the expression could match"
            raise LimitError(problem, limit="ways", maximum=self.maximum)

    def _taken(self, step: ProgramStep, place: int, captures: Captures) -> tuple[int, Captures]:
        """Take one step. Returns the place after it, -1 where it cannot be taken."""
        slot = step.slot
        if step.kind == "character":
            if place < len(self.text) and _holds(step.node, self.text[place]):
                return place + 1, captures
            return -1, captures
        if step.kind == "open":
            return place, (*captures[:slot], place, *captures[slot + 1 :])
        if step.kind == "close":
            return place, (*captures[:slot], -1, captures[slot], place, *captures[slot + 3 :])
        if step.kind == "reference":
            return self._repeated(place, captures[slot + 1], captures[slot + 2]), captures
        return (place if _stands(step.node, self.text, place) else -1), captures

    def _repeated(self, place: int, start: int, end: int) -> int:
        """Return the end of what a group matched, where it stands again; -1 where it does not."""
        length = end - start
        if start < 0 or place + length > len(self.text):
            return -1
        self._count(length // _COMPARED)
        return place + length if self.text.startswith(self.text[start:end], place) else -1


@lru_cache(maxsize=1 << 14)
def _holds(characters: Node, character: str) -> bool:
    """Whether the character is one of those."""
    ranges = characters.ranges if isinstance(characters, CharacterSet) else ()
    code = ord(character)
    before = bisect_right(ranges, (code, 0x110000)) - 1
    return before >= 0 and code <= ranges[before][1]


def _stands(anchor: Node, text: str, place: int) -> bool:
    """Whether the anchor stands at that place."""
    kind = anchor.kind if isinstance(anchor, Anchor) else "end"
    before, after = text[place - 1 : place] if place else "", text[place : place + 1]
    word = _is_word(before), _is_word(after)
    return {
        "start": place == 0,
        "end": place == len(text),
        "line-start": before in {"", "\n"},
        "line-end": after in {"", "\n"},
        "word": word[0] != word[1],
        "no-word": word[0] == word[1],
        "first": not word[0] and word[1],
        "last": word[0] and not word[1],
    }[kind]


def _is_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")
