"""Refuse a document that misquotes, before it gets a name that it can never lose.

Readings: a draft by our own user is refused, since words and name are permanent once committed
(PDI §2.1) and a slip is cheaper to mend before. A page of somebody else (saved, in an aggregate, or
with the address that it came from) is archived as it is, and its quotations recorded as differing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from permacite.errors import IntegrityError, PermaciteError
from permacite.service.quotations import finding
from permacite.service.quotations.recording import MOST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permacite.service.quotations.recording import Quotations
    from permacite.service.resolution.resolving import Resolution

__all__ = ["check_quotations"]

_SHOWN = 3
_LONGEST = 400
_HINT = "mend it, or have the difference recorded: --misquoted, or ?misquoted over HTTP"


def check_quotations(resolution: Resolution, quotations: Quotations) -> None:
    """Raise IntegrityError where a document quotes other words than stand at their names.

    `expected` and `actual` are the words there and here of the first such quotation; the problem
    shows more of them, side by side. A name that nothing here answers to, or that nothing can be
    quoted from, is no fault.
    """
    wrong = [
        (one, there)
        for found in quotations.values()
        for one, there in _differing(resolution, found[:MOST])
    ]
    if not wrong:
        return
    (first, words), count = wrong[0], len(wrong)
    what = "a quotation is not what its source says" if count == 1 else f"{count} quotations differ"
    told = [f"{what}:", *(_side_by_side(one, there) for one, there in wrong[:_SHOWN])]
    told.append(_HINT)
    raise IntegrityError("\n".join(told), expected=words, actual=first.words)


def _differing(
    resolution: Resolution, found: list[finding.Found]
) -> Iterator[tuple[finding.Found, str]]:
    """Yield the quotations whose words differ, each with those of its source."""
    read = _reader(resolution)
    for one in found:
        there = read(one.reference)
        if one.words.strip() and there is not None and there.split() != one.words.split():
            yield one, there


def _reader(resolution: Resolution) -> Callable[[str], str | None]:
    """Return what reads the words of a name, each name once; None where there are none."""

    @lru_cache(maxsize=MOST)
    def read(reference: str) -> str | None:
        try:
            finding.cited_name(reference)
            return resolution.resolve(reference).text
        except PermaciteError:  # told, and not refused: there is nothing to compare with
            return None

    return read


def _side_by_side(one: finding.Found, there: str) -> str:
    return f"{one.reference}\n  here:  {_line(one.words)}\n  there: {_line(there)}"


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."
