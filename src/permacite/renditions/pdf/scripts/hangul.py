"""Lines of Korean that end within words: whether a space stood between two lines (clause 8).

Where every line is full to a syllable, words go on in the next line without a hyphen, and a space
at the end of a line is not drawn. Other words of the document tell, and the syllables that words
end in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["spaces_between"]

_ENDINGS = frozenset("은는이가을를의에로와과도며고서다어여지한된할만께면나")
"""Particles and endings: many words end in one, few hold one at another place."""
_MOSTLY, _ENOUGH = 0.8, 5


def spaces_between(pairs: Sequence[tuple[str, str]], known: frozenset[str]) -> list[bool]:
    """Of each end of one line and beginning of the next whether they are two words.

    If nearly all are, lines do not end within words, and all are.
    """
    told = [_are_two(first, second, known) for first, second in pairs]
    if len(told) >= _ENOUGH and sum(told) >= _MOSTLY * len(told):
        return [True] * len(told)
    return told


def _are_two(first: str, second: str, known: frozenset[str]) -> bool:
    if first + second in known or set(second) <= _ENDINGS:
        return False
    if len(first) == 1:
        return first in known and second in known
    return (len(second) > 1 and second in known) or first[-1:] in _ENDINGS
