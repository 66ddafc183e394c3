"""Find a passage, name it, record the citation, give its forms.

Quotes are looked for in a document's plain text, where white space is all alike; the citation
names characters of that text. A fragment of another format is cited as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite.archive import NewCitation
from permacite.errors import NotFoundError, ParseError
from permacite.fragments import quote as quotes
from permacite.scan import compile_pattern
from permacite.service import names
from permacite.service.citations import recorded
from permacite.service.model import Cited, Passage

if TYPE_CHECKING:
    from permacite import pdi
    from permacite.archive import Repository

__all__ = ["CONTEXT", "Choice", "cite", "passage", "passages"]

CONTEXT = 32
"""Characters kept on either side of a quote."""

_RANGE = compile_pattern(r"([0-9]{1,18}),([0-9]{1,18})")
_LINE_END = "\r\n"


@dataclass(frozen=True, slots=True)
class Choice:
    """How a passage is chosen: one of `quote`, `char`, `line`, or none for the name's fragment."""

    quote: str | None = None
    char: str | None = None
    line: str | None = None
    nth: int | None = None
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A chosen passage, and which occurrence of how many it is (counted from 1)."""

    start: int
    end: int
    nth: int = 1
    occurrences: int = 1


def passages(archive: Repository, reference: str, quote: str) -> list[Passage]:
    """List where `quote` stands in the text of `reference`, in order."""
    name, _ = names.document_of(reference)
    archive.representation(name)  # an unknown format is an error, though its text is what is read
    source = names.text_of(archive, names.text_representation(archive, name))
    found = sorted(quotes.occurrences(source.document.text, quote))
    return [passage(source, start, end) for start, end in found]


def passage(source: names.TextOf, start: int, end: int) -> Passage:
    """Return the words from `start` to `end` with their context."""
    first = max(0, start - CONTEXT)
    words = source.document.words(first, end + CONTEXT)
    lead, size = start - first, end - start
    return Passage(
        start=start,
        end=end,
        line=source.document.line(start) + 1,
        quote=words[lead : lead + size],
        before=words[:lead],
        after=words[lead + size :],
    )


def cite(archive: Repository, reference: str, choice: Choice, *, note: str | None) -> Cited:
    """Cite one passage and record it. Raises NotFoundError where it is not, or not one."""
    name, fragment = names.document_of(reference)
    if choice.quote is None and choice.char is None and choice.line is None:
        if fragment is None:
            raise ParseError(
                "expected a passage: a quote, characters, lines, or a #fragment in the name",
                reference,
                len(reference),
            )
        if not _is_of_text(archive, fragment):
            return _cite_fragment(archive, fragment, note=note)
        choice = Choice(char=",".join(fragment.positions))
    archive.representation(name)  # an unknown format is an error, though its text is what is cited
    representation = names.text_representation(archive, name)
    source = names.text_of(archive, representation)
    if choice.char is not None:
        chosen = _Chosen(*_range(choice.char, "char", source.document.length))
    else:
        chosen = _choose(source, choice)
    if chosen.start == chosen.end:
        raise ParseError(
            "expected a passage, found an empty one",
            choice.char or choice.line or choice.quote or "",
            0,
            hint="the end is excluded: 4,5 is one character",
        )
    found = passage(source, chosen.start, chosen.end)
    kept = archive.record_citation(
        NewCitation(
            fragment=str(source.representation.pdi.fragment("char", chosen.start, chosen.end)),
            pdi=source.representation.pdi,
            start=chosen.start,
            end=chosen.end,
            quote=found.quote,
            before=found.before,
            after=found.after,
            media_type=source.representation.media_type,
            note=note,
        )
    )
    return recorded.cited(archive, kept, nth=chosen.nth, occurrences=chosen.occurrences)


def _is_of_text(archive: Repository, fragment: pdi.FragmentPDI) -> bool:
    """Whether a fragment names characters of a plain text, as every citation by words does."""
    representation = archive.representation(fragment.pdi)
    return fragment.scheme == "char" and representation.media_type == "text/plain"


def _cite_fragment(archive: Repository, fragment: pdi.FragmentPDI, *, note: str | None) -> Cited:
    """Cite a fragment as it is named, of any format that can be cut."""
    representation = archive.representation(fragment.pdi)
    excerpt = archive.excerpt(representation, fragment.specifier)
    if excerpt.clipped:
        raise NotFoundError("the fragment reaches beyond the end of the document", str(fragment))
    exact = representation.pdi.fragment(fragment.scheme, *fragment.positions)
    kept = archive.record_citation(
        NewCitation(
            fragment=str(exact),
            pdi=representation.pdi,
            start=None,
            end=None,
            quote=excerpt.text or "",
            before="",
            after="",
            media_type=excerpt.media_type,
            note=note,
        )
    )
    return recorded.cited(archive, kept)


def _choose(source: names.TextOf, choice: Choice) -> _Chosen:
    text = source.document.text
    if choice.line is not None:
        ends = [found.end() for found in re.finditer(_LINE_END, text)]
        starts = [0, *ends] if text and not text.endswith(_LINE_END) else [0, *ends[:-1]]
        first, last = _range(choice.line, "line", len(starts))
        edges = [*starts, len(text)]
        return _Chosen(edges[first], edges[last])
    return _choose_quote(source, choice)


def _range(typed: str, what: str, size: int) -> tuple[int, int]:
    """Read "A,B" with A <= B <= size."""
    found = _RANGE.fullmatch(typed.strip())
    if found is None:
        raise ParseError(f"expected two numbers, such as {what} 10,25", typed, 0, "PDI §3.4.1")
    start, end = int(found[1]), int(found[2])
    if start > end:
        raise ParseError(f"range runs backwards: {start},{end}", typed, 0, "PDI §3.4.1")
    if end > size:
        raise NotFoundError(f"the text ends at {what} {size}", f"{what}={typed}")
    return start, end


def _choose_quote(source: names.TextOf, choice: Choice) -> _Chosen:
    text, name = source.document.text, str(source.representation.pdi)
    quote = choice.quote or ""
    if not quote.strip():
        raise ParseError("expected the words to cite, found none", quote, 0)
    found = sorted(quotes.occurrences(text, quote))
    if not found:
        near = quotes.nearest(text, quote)
        raise NotFoundError(
            "these words do not stand in the text",
            name,
            candidates=tuple(" ".join(item.text.split()) for item in near),
            hint="quote them as they are, or cite by --char",
        )
    if choice.nth is not None:
        if choice.nth > len(found):
            raise NotFoundError(f"the words stand {len(found)} times in the text", name)
        return _Chosen(*found[choice.nth - 1], nth=choice.nth, occurrences=len(found))
    if len(found) > 1 and (choice.before or choice.after):
        best = max(range(len(found)), key=lambda nth: _likeness(text, found[nth], choice))
        return _Chosen(*found[best], nth=best + 1, occurrences=len(found))
    if len(found) > 1:
        shown = [passage(source, start, end) for start, end in found]
        raise NotFoundError(
            f"the words stand {len(found)} times in the text; say which with --nth",
            name,
            candidates=tuple(
                f"{nth}: line {item.line}: "
                + " ".join(f"{item.before}[{item.quote}]{item.after}".split())
                for nth, item in enumerate(shown, 1)
            ),
        )
    return _Chosen(*found[0])


def _likeness(text: str, span: tuple[int, int], choice: Choice) -> int:
    """Count the characters on either side that agree with the wanted context, white space apart."""
    before = "".join((choice.before or "").split())[::-1]
    after = "".join((choice.after or "").split())
    # Context may hold twice its length in white space; more is not worth reading.
    reach = 4 * CONTEXT + 2 * max(len(before), len(after))
    left = "".join(text[max(0, span[0] - reach) : span[0]].split())[::-1]
    right = "".join(text[span[1] : span[1] + reach].split())
    return _common_prefix(left, before) + _common_prefix(right, after)


def _common_prefix(a: str, b: str) -> int:
    for length, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return length
    return min(len(a), len(b))
