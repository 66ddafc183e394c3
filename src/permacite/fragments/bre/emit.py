"""Write a tree in the notation of RE2, the automaton that searches.

Characters are written by code point, so that nothing in an expression can be taken for notation.
"""

from __future__ import annotations

import sys

from permacite.errors import LimitError
from permacite.fragments.bre.syntax import (
    Anchor,
    Characters,
    Choice,
    Group,
    Node,
    Repeat,
    Sequence,
)

__all__ = ["emit"]

_ANCHORS = {
    "start": r"\A",
    "end": r"\z",
    "line-start": "(?m:^)",
    "line-end": "(?m:$)",
    "word": r"\b",
    "no-word": r"\B",
}

_NEVER = r"[^\x{0}-\x{10FFFF}]"

_MAX_REPEAT = 1000
"""RE2 takes no greater number, also of repetitions of repetitions."""

_MAX_WRITTEN = 1 << 20
"""Characters of notation."""

_MAX_NESTED = 256
"""RE2 takes expressions that are nested a thousand deep."""


class _Unsaid(Exception):  # noqa: N818 - no error: it never leaves this file
    """RE2 cannot say this."""


def emit(node: Node) -> str | None:
    """Return the expression in RE2's notation; None where RE2 cannot say it.

    Raises LimitError where intervals make it too long.
    """
    try:
        return _written(node)[0]
    except _Unsaid:
        return None


Written = tuple[str, int]
"""Notation, and the product of the repetitions in it."""


def _written(node: Node) -> Written:
    match node:
        case Characters(ranges):
            found = _characters(ranges), 1
        case Anchor(kind) if kind in _ANCHORS:
            found = _ANCHORS[kind], 1
        case Group(_, item):
            found = _joined("", (item,))
        case Repeat():
            found = _repeat(node)
        case Sequence(items):
            found = _joined("", items)
        case Choice(items):
            found = _joined("|", items)
        case _:
            raise _Unsaid
    return found


def _joined(between: str, items: tuple[Node, ...]) -> Written:
    pieces = [_written(item) for item in items]
    times = max((times for _, times in pieces), default=1)
    return f"(?:{between.join(piece for piece, _ in pieces)})", times


def _repeat(node: Repeat) -> Written:
    """Write a repetition, in pieces where RE2 would find it too great."""
    item, times = _written(node.item)
    if isinstance(node.item, Repeat | Anchor):
        item = f"(?:{item})"
    low, high = node.low, node.high
    if (low, high) == (0, None):
        return f"{item}*", times
    greatest = max(low, high or 0)
    if greatest * times <= _MAX_REPEAT:
        return f"{item}{{{low},{'' if high is None else high}}}", max(1, greatest) * times
    most = max(1, _MAX_REPEAT // times)
    if len(item) * (greatest // most + 2) > _MAX_WRITTEN:
        raise LimitError("the expression is too large", limit="pattern", maximum=_MAX_WRITTEN)
    required = _exactly(item, low, most)
    optional = f"{item}*" if high is None else _up_to(item, high - low, most)
    return f"(?:{required}{optional})", most * times


def _exactly(item: str, count: int, most: int) -> str:
    """Write the item `count` times."""
    whole, rest = divmod(count, most)
    return f"{item}{{{most}}}" * whole + (f"{item}{{{rest}}}" if rest else "")


def _up_to(item: str, count: int, most: int) -> str:
    """Write the item from 0 to `count` times.

    Blocks of it stand one inside the other, each whole or not there, and then a part of one. Side
    by side they would mean the same, and take RE2 a time that grows with their number squared.
    """
    if count <= most:
        return f"{item}{{0,{count}}}" if count else ""
    block = (most + 1) // 2
    rest = block - 1 + (count + 1) % block  # at least all but one of a block: no number is left out
    blocks = (count - rest) // block
    nested = [min(_MAX_NESTED, blocks - done) for done in range(0, blocks, _MAX_NESTED)]
    opened = f"(?:{item}{{{block}}}"
    return "".join(opened * depth + ")?" * depth for depth in nested) + f"{item}{{0,{rest}}}"


def _characters(ranges: tuple[tuple[int, int], ...]) -> str:
    if not ranges:
        return _NEVER
    if ranges == ((0, sys.maxunicode),):
        return "(?s:.)"
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _code_point(ranges[0][0])
    members = [
        _code_point(low) + (f"-{_code_point(high)}" if high > low else "") for low, high in ranges
    ]
    return f"[{''.join(members)}]"


def _code_point(code: int) -> str:
    character = chr(code)
    return character if character.isascii() and character.isalnum() else f"\\x{{{code:X}}}"
