"""Find what a document quotes: which words stand where, and which name they are quoted from.

| form | what marks a quotation |
|---|---|
| HTML, XHTML | `<blockquote cite="urn:pdi:...">` and `<q cite="urn:pdi:...">` |
| Markdown | a block quotation whose last paragraph, or the line below it, has a name |
| Markdown | words in quotation marks, and right behind them a link or a name in parentheses |
| Markdown | the elements of HTML, which may stand in it |

The name may stand in the address of a resolver. Only names with a version can be quoted from (PDI
§2.6). Positions are those of the text of a page (its written rendition), and of Markdown as it is.

Readings: the text of a page is where people cite, and where words can be compared letter by letter,
so a quotation's origin (PDI §3.5.2) is in the format `utf-8` of a page, not in its source. In
Markdown, backslashes before punctuation are taken off; other marks count as they stand. Nothing in
a fenced block is a quotation, and no quotation goes on beyond its paragraph.
"""

from __future__ import annotations

import bisect
import dataclasses
from typing import TYPE_CHECKING

from permacite import pdi
from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.markup.document import read_page
from permacite.scan import compile_pattern
from permacite.service import names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.markup import Document, PageReading

__all__ = ["FoundQuotation", "cited_name", "in_document", "in_markdown", "in_page"]

Name = pdi.PDI | pdi.FragmentPDI | pdi.CitationPDI

MARKDOWN = ("text/markdown",)

_ELEMENT = compile_pattern(r"(?i)<(?:blockquote|q)[\t\n\f\r /]")
_SCHEME = compile_pattern(r"(?i)pdi://")
_NAME = compile_pattern(
    r"(?i)(?:https?://[^\s<>()\[\]`\"/]{1,255}/(?:[^\s<>()\[\]`\"/?#]{1,255}/){0,8}?)?"
    r"(?:urn:)?pdi://[^\s<>\[\]`\"|{}\\^]++"
)
_TRAILING = ".,;:!?'"
_LINE = compile_pattern(r"([^\r\n]*+)(\r\n|\Z)")
_QUOTED = compile_pattern(r" {0,3}> ?")
_FENCE = compile_pattern(r" {0,3}(?:```|~~~)")
_ATTRIBUTION = compile_pattern(r"\s*(?:[\u2014\u2013\u2015<\[(`]|--|- |urn:|pdi:)")
_ESCAPED = compile_pattern(r"\\([!-/:-@\[-`{-~])")
_LINE_END = "\r\n"
_DEPTH = 20
_INLINE = compile_pattern(
    r'(?:\u201c((?:[^\u201c\u201d]++|\u201c[^\u201c\u201d]*+\u201d){1,50}+)\u201d|"([^"]++)")'
    r"\s*+\((?:\[[^\[\]\r\n]{0,200}+\]\()?+[<`]?+(?=(?:https?:|urn:|pdi:))([^\s<>`]++)"
)
_PARAGRAPH = compile_pattern(r"\r\n[ \t]*+\r\n")


@dataclass(frozen=True, slots=True)
class FoundQuotation:
    """A quotation in a text, from `start` up to `end` (characters of the canonical text)."""

    reference: str
    """The name it is quoted from, as written."""
    start: int
    end: int
    words: str
    """What is quoted; "" where the document leaves the words to whoever shows it."""


def cited_name(reference: str) -> Name:
    """The name that is quoted from. Raises ParseError where it is none, or open."""
    value = names.parse(reference)
    if isinstance(value, pdi.PDIPattern):
        raise ParseError("expected one name, found a pattern", reference, reference.find("*"))
    whole = value
    while isinstance(whole, pdi.CitationPDI):
        whole = whole.cited
    name = whole if isinstance(whole, pdi.PDI) else whole.pdi
    if name.version is None or name.format is None:
        problem = "a quotation names the format and the version that it quotes from"
        raise ParseError(problem, reference, len(reference), "PDI §2.6")
    return value


def in_document(document: Document) -> list[FoundQuotation]:
    """The quotations of a page or of a Markdown text; none of any other document."""
    if document.is_page:
        return in_page(document.reading)
    return in_markdown(document.text.text) if document.media_type in MARKDOWN else []


def in_page(page: PageReading) -> list[FoundQuotation]:
    """The quotations of an HTML or XHTML page, in the order of their start tags."""
    return [
        FoundQuotation(quotation.reference, *place, quotation.words)
        for quotation, place in _marked(page)
    ]


def _marked(page: PageReading) -> Iterator[tuple[FoundQuotation, tuple[int, int]]]:
    """The quotations that elements mark, placed in the source; and their places in its text.

    Elements that nobody closes lie in one another. Where the words of all are more than `_DEPTH`
    times the text, the rest is passed over: no author means it, and a machine would drown in it.
    """
    rendition = page.rendition
    left = _DEPTH * len(rendition.text)
    for reference, start, end in page.quotations:
        if not _SCHEME.search(reference):
            continue
        begin, stop = rendition.text_range(start, end)
        left -= stop - begin
        if left < 0:
            return
        words = rendition.text[begin:stop]
        yield FoundQuotation(reference.strip(), start, end, words), (begin, stop)


def in_markdown(text: str) -> list[FoundQuotation]:
    """The quotations of a Markdown text, whose line ends are CRLF."""
    lines = [(match.start(), match[1]) for match in _LINE.finditer(text)]
    quotations = []
    fences: list[int] = []
    number = 0
    while number < len(lines):
        if _FENCE.match(lines[number][1]):
            fences.append(lines[number][0])
        fenced = len(fences) % 2 == 1
        first = number
        while number < len(lines) and not fenced and _QUOTED.match(lines[number][1]):
            number += 1
        if number > first:
            quotations += _in_block(lines[first:number], _below(lines, number))
        else:
            number += 1
    quotations += [
        quotation
        for quotation in (*_inline(text), *_marked_up(text))
        if bisect.bisect(fences, quotation.start) % 2 == 0
    ]
    return sorted(quotations, key=lambda quotation: quotation.start)


def _inline(text: str) -> Iterator[FoundQuotation]:
    """What stands in quotation marks, with a name in parentheses behind it."""
    for match in _INLINE.finditer(text):
        group = 1 if match[1] is not None else 2
        written = _NAME.match(_trimmed(match[3]))
        if written is not None and not _PARAGRAPH.search(match[group]):
            words = _ESCAPED.sub(r"\1", match[group])
            yield FoundQuotation(_trimmed(written[0]), match.start(group), match.end(group), words)


def _marked_up(text: str) -> Iterator[FoundQuotation]:
    """The quotations of the HTML in a Markdown text."""
    if not _ELEMENT.search(text):
        return
    for quotation, _ in _marked(read_page(text)):
        yield dataclasses.replace(quotation, words=_ESCAPED.sub(r"\1", quotation.words))


def _below(lines: list[tuple[int, str]], number: int) -> str:
    """The line below a block, an empty one apart, if it says where the words are from."""
    for _, line in lines[number : number + 2]:
        if line.strip():
            return line if _ATTRIBUTION.match(line) else ""
    return ""


def _in_block(block: list[tuple[int, str]], below: str) -> list[FoundQuotation]:
    """The quotation that a block of quoted lines is, if a name says so."""
    inner: list[tuple[int, str]] = []
    for start, line in block:
        mark = _QUOTED.match(line)
        assert mark is not None  # noqa: S101 - that is what made it a block
        inner.append((start + mark.end(), line[mark.end() :]))
    last = max((i for i, (_, line) in enumerate(inner) if not line.strip()), default=-1)
    own = " ".join(line for _, line in inner[last + 1 :])
    reference = _last_name(own) if last >= 0 and _ATTRIBUTION.match(own) else None
    if reference is not None:
        inner = inner[:last]
    else:
        reference = _last_name(below)
    while inner and not inner[-1][1].strip():
        inner.pop()
    while inner and not inner[0][1].strip():
        inner.pop(0)
    if reference is None or not inner:
        return []
    words = _LINE_END.join(_ESCAPED.sub(r"\1", line) for _, line in inner)
    return [FoundQuotation(reference, inner[0][0], inner[-1][0] + len(inner[-1][1]), words)]


def _last_name(line: str) -> str | None:
    """The last name in a line that can be quoted from, or else the last one; or None.

    Our own form has two: the address of the passage, and after it the name itself.
    """
    written = [_trimmed(match[0]) for match in _NAME.finditer(line)]
    for reference in reversed(written):
        try:
            cited_name(reference)
        except ParseError:
            continue
        return reference
    return written[-1] if written else None


def _trimmed(name: str) -> str:
    """A name without the punctuation of the sentence around it."""
    name = name.rstrip(_TRAILING)
    while name.endswith(")") and name.count(")") > name.count("("):
        name = name[:-1].rstrip(_TRAILING)
    return name
