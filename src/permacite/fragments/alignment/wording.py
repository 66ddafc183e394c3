"""Two wordings of a passage side by side, word by word, in the order in which people read them.

What stands in both is shown once. Words that were moved within the passage are shown as left out in
one place and put in at another: in one line of reading, they cannot stand in both.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from permacite.fragments.alignment.aligning import align
from permacite.fragments.alignment.chains import Block, longest_chain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permacite.fragments.alignment.words import Text

__all__ = ["Piece", "compared"]


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that stand in both wordings, or in the old or the new one alone."""

    kind: Literal["same", "removed", "added"]
    words: str
    """As they stand there, with the white space that follows them."""
    start: int = field(default=0, compare=False, metadata={"json": False})
    """Where they stand there; those of both, in the new one."""


def compared(old: str, new: str) -> tuple[Piece, ...]:
    """The difference of two wordings. What is the same has the white space of the new one."""
    aligned = align(old, new)
    places = aligned.counterparts(0, len(aligned.old))
    pairs = [
        Block(mine, its, 1)
        for mine, its in enumerate(places)
        if its >= 0 and aligned.old.ids[mine] == aligned.new.ids[its]
    ]
    return tuple(_pieces(aligned.old, aligned.new, longest_chain(pairs)))


def _pieces(old: Text, new: Text, pairs: Sequence[Block]) -> Iterator[Piece]:
    """Yield runs of words; what was left out stands before what was put in for it."""
    was, now, same = 0, 0, 0
    for mine, its, _ in (*pairs, Block(len(old), len(new), 0)):
        if mine > was or its > now or mine == len(old):
            yield from _piece("same", new, same, now)
            yield from _piece("removed", old, was, mine)
            yield from _piece("added", new, now, its)
            same = its
        was, now = mine + 1, its + 1


def _piece(
    kind: Literal["same", "removed", "added"], text: Text, first: int, last: int
) -> Iterator[Piece]:
    """Yield the words up to where the next one begins, if there are any."""
    if first < last:
        end = text.starts[last] if last < len(text) else len(text.text)
        start = text.starts[first] if first else 0
        yield Piece(kind, text.text[start:end], start)
