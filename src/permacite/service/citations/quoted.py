"""Places of quoted words in a text, and the choice among several."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from permacite.errors import NotFoundError, ParseError
from permacite.fragments import quote as quotes
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from permacite.service import names

__all__ = ["CONTEXT", "Chosen", "Passage", "agreement", "choose", "passage", "several", "unknown"]

CONTEXT = 32
"""Characters kept on either side of a quote, at most."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A place in a document where quoted words stand."""

    start: int
    end: int
    line: int
    """The line of the start, counted from 1, for people."""
    quote: str
    before: str
    after: str
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Chosen:
    """A chosen passage, and which occurrence of how many it is (counted from 1)."""

    start: int
    end: int
    nth: int = 1
    occurrences: int = 1


def passage(source: names.TextOf, start: int, end: int) -> Passage:
    """The words from `start` to `end` with their context, in which no word is cut."""
    first = max(0, start - CONTEXT - 1)
    words = source.document.words(first, end + CONTEXT + 1)
    lead, size = start - first, end - start
    before, after = words[:lead], words[lead + size :]
    return Passage(
        start=start,
        end=end,
        line=source.document.line(start) + 1,
        quote=words[lead : lead + size],
        before=_whole_words(before[::-1])[::-1],
        after=_whole_words(after),
    )


def _whole_words(text: str) -> str:
    """The first of a text, up to the last word that would not be cut; a word that is too long is.

    Scripts with wide characters write no spaces, and may be cut anywhere.
    """
    kept = text[:CONTEXT]
    if len(kept) == len(text) or any(_parts_words(sign) for sign in (text[CONTEXT], kept[-1])):
        return kept
    last = max((at for at, sign in enumerate(kept) if sign.isspace()), default=0)
    return kept[:last] or kept


def _parts_words(sign: str) -> bool:
    return sign.isspace() or unicodedata.east_asian_width(sign) in "WF"


def choose(
    source: names.TextOf,
    quote: str,
    nth: int | None,
    *,
    before: str,
    after: str,
    within: list[tuple[int, int]] | None = None,
) -> Chosen:
    """The place of quoted words, `within` stretches. Raises NotFoundError for none or several."""
    text, name = source.document.text, str(source.representation.pdi)
    if not quote.strip():
        raise ParseError("expected the words to cite, found none", quote, 0)
    spans = sorted(quotes.occurrences(text, quote))
    if within is not None and spans:
        spans = [each for each in spans if any(s < each[1] and each[0] < e for s, e in within)]
        if not spans:
            raise NotFoundError("these words do not stand on that page", name)
    count = len(spans)
    if not spans:
        raise unknown(source, quote, hint="quote them as they are, or cite by --char")
    if nth is not None:
        if nth > count:
            raise NotFoundError(f"the words stand {count} times in the text", name)
        return Chosen(*spans[nth - 1], nth=nth, occurrences=count)
    if count > 1 and (before or after):
        best = max(range(count), key=lambda place: agreement(text, spans[place], before, after))
        return Chosen(*spans[best], nth=best + 1, occurrences=count)
    if count > 1:
        raise several(source, spans, "; say which with --nth")
    return Chosen(*spans[0])


def unknown(source: names.TextOf, quote: str, *, hint: str = "") -> NotFoundError:
    """The error of words that do not stand in a text, with what is most like them."""
    near = quotes.nearest(source.document.text, quote)
    return NotFoundError(
        "these words do not stand in the text",
        str(source.representation.pdi),
        candidates=tuple(" ".join(item.text.split()) for item in near),
        hint=hint,
    )


def several(source: names.TextOf, spans: list[tuple[int, int]], way: str = "") -> NotFoundError:
    """The error of words that stand in several places, which are its candidates."""
    shown = [passage(source, start, end) for start, end in spans]
    return NotFoundError(
        f"the words stand {len(spans)} times in the text{way}",
        str(source.representation.pdi),
        candidates=tuple(
            f"{place}: line {item.line}: "
            + " ".join(f"{item.before}[{item.quote}]{item.after}".split())
            for place, item in enumerate(shown, 1)
        ),
    )


def agreement(text: str, span: tuple[int, int], before: str, after: str) -> int:
    """Count the characters on either side that agree with the wanted context, white space apart.

    Hyphens are left out too: some readers of PDFs keep those at the ends of lines.
    """
    before, after = quotes.letters(before).text[::-1], quotes.letters(after).text
    # Context may hold twice its length in white space; more is not worth reading.
    reach = 4 * CONTEXT + 2 * max(len(before), len(after))
    left = quotes.letters(text[max(0, span[0] - reach) : span[0]]).text[::-1]
    right = quotes.letters(text[span[1] : span[1] + reach]).text
    return _common_prefix(left, before) + _common_prefix(right, after)


def _common_prefix(a: str, b: str) -> int:
    for length, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return length
    return min(len(a), len(b))
