"""Agreement of the words of a composite document with those that it quotes (PDI §3.5).

PDI draft:
  §3.5 a composite document may include text from other sources -> `agreement`, `agreement_at`

Deviations: none. Readings: the draft does not say that words must be the same. Where only white
space differs, as where lines were rewrapped, the words are those that are quoted, and the
difference is reported.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["Answer", "agreement", "agreement_at"]

Answer: TypeAlias = Literal["exact", "space", "differs"]
"""The same text, the same but for white space, or another one."""

_SLACK = 100
"""Characters beyond the words in which white space may run longer."""


def agreement(here: str, there: str) -> Answer:
    """Compare the words that stand here, all of them, with those of their source."""
    if here == there:
        return "exact"
    return "space" if here.split() == there.split() else "differs"


def agreement_at(text: str, start: int, there: str) -> Answer:
    """Compare a text, from position `start` on, with the words of a source."""
    if text.startswith(there, start):
        return "exact"
    here = " ".join(text[start : start + 2 * len(there) + _SLACK].split())
    words = " ".join(there.split())
    return "space" if words and here.startswith(words) else "differs"
