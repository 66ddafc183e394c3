"""Agreement of the words of a composite document with those that it quotes (PDI §3.5).

PDI draft:
  §3.5 a composite document may include text from other sources -> `agreement`, `agreement_at`

Deviations: none. Readings: the draft does not say that words must be the same. Where only white
space differs, as where lines were rewrapped, the words are those that are quoted, and the
difference is reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.pdi.model import PDI, CitationPDI, FragmentPDI

__all__ = ["Answer", "agreement", "agreement_at", "begins_with_name", "difference"]

Answer: TypeAlias = Literal["exact", "space", "differs"]
"""The same text, the same but for white space, or another one."""

_SLACK = 100
"""Characters beyond the words in which white space may run longer."""
_WORDS = 8
"""Of a difference."""
_GOES_ON = compile_pattern(r"[.,]?[\w#=@/%-]")
"""What may follow in a name that is longer."""


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


def begins_with_name(text: str, name: PDI | FragmentPDI | CitationPDI) -> bool:
    """Whether a name stands at the beginning of a text, with "urn:" or without, and no longer."""
    written = name.canonical().removeprefix("urn:")
    text = text[4:] if text[:4].lower() == "urn:" else text
    rest = text[len(written) :]
    return text.startswith(written) and _GOES_ON.match(rest) is None


def difference(here: str, there: str) -> str:
    """The first words that differ, of both texts."""
    theirs = there.split()
    ours = here.split()[: max(1, len(theirs))]
    same = next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), None)
    at = max(0, min(len(ours), len(theirs)) if same is None else same)
    first, second = (" ".join(words[at : at + _WORDS]) or "nothing" for words in (ours, theirs))
    return f"it has “{first}”, the source has “{second}”"
