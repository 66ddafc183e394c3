"""Analysis of the tree of an expression: longest match, beginnings, required text.

None stands for the expression that matches nothing.
"""

from __future__ import annotations

from functools import cache
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from permacite.fragments.bre.brackets import WORD, complement
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
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

__all__ = [
    "NEVER",
    "longest",
    "non_empty",
    "prefixes",
    "steps",
    "with_either_word_end",
    "without_references",
]

NOTHING = Sequence(())
_ANY = CharacterSet(complement(()))
_ANYTHING = Repeat(_ANY, 0, None)

NEVER = CharacterSet(())

_MAX_PARTS = 50
"""An expression of more unbounded parts is not looked into."""

_MAX_COPIED = 10_000
"""Steps that are written once more, in all, for references to them."""

_MAX_COUNTED = 1000
"""Longer stretches of any characters are taken for unbounded: engines write repeats out."""


def longest(node: Node) -> int | None:
    """Return the length of the longest match, in code points; None where there is no bound."""
    found: int | None = None
    match node:
        case CharacterSet():
            found = 1
        case Anchor():
            found = 0
        case Group(_, item):
            found = longest(item)
        case Repeat(item, _, high):
            once = longest(item)
            found = 0 if once == 0 else (None if once is None or high is None else once * high)
        case Sequence(items):
            found = _total([longest(item) for item in items], sum)
        case Alternation(items):
            found = _total([longest(item) for item in items], max)
    return found


def _total(lengths: list[int | None], fold: Callable[[list[int]], int]) -> int | None:
    known = [length for length in lengths if length is not None]
    return fold([0, *known]) if len(known) == len(lengths) else None


def steps(node: Node) -> int:
    """How many characters and places are looked at where all repetitions are written out."""
    match node:
        case Group(_, item):
            return steps(item)
        case Repeat(item, low, high):
            return steps(item) * max(1, low, high or 0)
        case Sequence(items) | Alternation(items):
            return sum(map(steps, items), 1)
    return 1


def prefixes(node: Node) -> Node:
    """A tree that matches at least every beginning of what `node` matches.

    A search that found no such beginning need not read on. Bounded parts count as any characters of
    that number: only the reach of an unbounded part is exact.
    """
    length = longest(node)
    if length is not None:
        return Repeat(_ANY, 0, length) if length <= _MAX_COUNTED else _ANYTHING
    match node:
        case Group(_, item):
            return prefixes(item)
        case Repeat(item, _, _):
            return Sequence((Repeat(item, 0, None), prefixes(item)))
        case Sequence(items):
            return _prefixes_of_sequence(items)
        case Alternation(items):
            return Alternation(tuple(prefixes(item) for item in items))
    return _ANYTHING


def _prefixes_of_sequence(items: tuple[Node, ...]) -> Node:
    parts: list[Node] = []
    for is_bounded, run in groupby(items, lambda item: longest(item) is not None):
        together = list(run)
        parts += [Sequence(tuple(together))] if is_bounded else together
    if len(parts) > _MAX_PARTS:
        return _ANYTHING
    found: Node = NOTHING
    for part in reversed(parts):
        found = Alternation((prefixes(part), Sequence((part, found))))
    return found


def required(root: Node) -> str:
    """Return the longest text that every match contains; "" if there is none."""
    best = run = ""
    for node in _flat(root):
        match node:
            case CharacterSet(((low, high),)) if low == high:
                run += chr(low)
            case Anchor():
                pass
            case _:
                run = ""
        best = max(best, run, key=len)
    return best


def _flat(root: Node) -> list[Node]:
    """The parts of every match, in order; a repetition stands for itself, once."""
    found: list[Node] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Sequence):
            waiting += reversed(node.items)
        elif isinstance(node, Group):
            waiting.append(node.item)
        else:
            found.append(node)
    return found


def _rebuilt(node: Node, change: Callable[[Node], Node]) -> Node:
    """Return `node` with each part changed."""
    match node:
        case Group(number, item):
            return Group(number, change(item))
        case Repeat(item, low, high):
            return Repeat(change(item), low, high)
        case Sequence(items):
            return Sequence(tuple(change(item) for item in items))
        case Alternation(items):
            return Alternation(tuple(change(item) for item in items))
    return node


def without_references(root: Node) -> Node:
    """A tree that matches wherever `root` does: a back-reference as all that its group can match.

    What it has matched stands elsewhere, so the copy of a group has no anchors. Copies of copies
    may grow without end: from `_MAX_COPIED` on anything stands for them. Anchors at one end of a
    word, which RE2 cannot tell, are left out.
    """
    groups: dict[int, Node] = {}
    room = _MAX_COPIED

    @cache
    def copy(number: int) -> tuple[Node, int]:
        node = _without_anchors(groups[number])
        return node, steps(node)

    def change(node: Node) -> Node:
        nonlocal room
        if isinstance(node, BackReference):
            copied, size = copy(node.number)
            room -= size
            return copied if room >= 0 else _ANYTHING
        if node in (Anchor("first"), Anchor("last")):
            return NOTHING
        changed = _rebuilt(node, change)
        if isinstance(node, Group):
            groups[node.number] = changed
        return changed

    return change(root)


def _without_anchors(node: Node) -> Node:
    return NOTHING if isinstance(node, Anchor) else _rebuilt(node, _without_anchors)


def with_either_word_end(node: Node) -> Node:
    """Turn an anchor at one end of a word into one at either, beside a character of a word."""
    if isinstance(node, Sequence):
        found = list(node.items)
        for place, (before, after) in enumerate(pairwise(node.items)):
            if before == Anchor("first") and _is_in_word(after):
                found[place] = Anchor("word")
            if after == Anchor("last") and _is_in_word(before):
                found[place + 1] = Anchor("word")
        node = Sequence(tuple(found))
    return _rebuilt(node, with_either_word_end)


def _is_in_word(node: Node) -> bool:
    """Whether all that matches is characters of words, and at least one."""
    if isinstance(node, Repeat):
        return node.low > 0 and _is_in_word(node.item)
    if not isinstance(node, CharacterSet):
        return False
    return all(any(a <= low and high <= b for a, b in WORD) for low, high in node.ranges)


class _UnboundedError(Exception):
    """The matches that are not empty have no short expression."""


def non_empty(node: Node) -> Node | None:
    """A tree that matches as `node` does, but for the empty match; None where that is too long.

    The expression that matches nothing at all is `NEVER`.
    """
    try:
        return _halves(node)[1] or NEVER
    except _UnboundedError:
        return None


Halves: TypeAlias = "tuple[Node | None, Node | None]"
"""What matches the empty text (an anchor may have conditions), and what matches others."""


def _halves(node: Node) -> Halves:
    match node:
        case CharacterSet():
            return None, node
        case Anchor():
            return node, None
        case Group(_, item):
            return _halves(item)
        case Repeat():
            return _halves_of_repeat(node)
        case Sequence(items):
            return _halves_of_sequence(items)
        case Alternation(items):
            halves = [_halves(item) for item in items]
            return _choice(half[0] for half in halves), _choice(half[1] for half in halves)
    raise _UnboundedError


def _choice(items: Iterable[Node | None]) -> Node | None:
    some = tuple(item for item in items if item is not None)
    return Alternation(some) if len(some) > 1 else (some[0] if some else None)


def _halves_of_repeat(node: Repeat) -> Halves:
    empty, other = _halves(node.item)
    if node.high == 0 or other is None:
        return (NOTHING if node.low == 0 or node.high == 0 else empty), None
    if empty is None:
        once = max(1, node.low)
        return (NOTHING if node.low == 0 else None), Repeat(node.item, once, node.high)
    if empty != NOTHING:
        raise _UnboundedError
    return NOTHING, Repeat(other, 1, node.high)


def _halves_of_sequence(items: tuple[Node, ...]) -> Halves:
    """Let the first item that is not empty be each of those that can, up to one that must."""
    leading: list[Halves] = []
    for item in items:
        half = _halves(item)
        if half[0] is None:
            break
        leading.append(half)
    if len(leading) > _MAX_PARTS:
        raise _UnboundedError
    done = len(leading)
    other: Node | None = Sequence(items[done:]) if done < len(items) else None
    empty: Node | None = None if done < len(items) else NOTHING
    for first_empty, first_other in reversed(leading):
        starts = None if first_other is None else Sequence((first_other, *items[done:]))
        follows = None if other is None else _both(first_empty, other)
        other = _choice((starts, follows))
        empty = _both(first_empty, empty)
        done -= 1
    return empty, other


def _both(first: Node | None, second: Node | None) -> Node | None:
    if first is None or second is None:
        return None
    if NOTHING in (first, second):
        return second if first == NOTHING else first
    return Sequence((first, second))
