"""Rendition of DOCX, the files of Word (ISO/IEC 29500, transitional and strict).

docs/explanation/the-words-of-office-files.md explains these rules, which are frozen: `docx-text/1`.

1.  The text is made of the characters of runs (`w:t`, and `m:t` of formulas) of the main part, in
    the order of the file. Headers and footers, which every page repeats, are not in it, nor are
    alternative words of pictures, SmartArt, charts, and other files that stand within this one.
2.  A paragraph stands on lines of its own, but for a large first letter (`w:dropCap`), which the
    next goes on from. `w:br` and `w:cr` end a line. White space (TAB, LF,
    CR, SPACE, and `w:tab w:ptab`) collapses as in pages: a run of it is one space, and nothing at
    the edges of a line. There are no empty lines. Line ends are CRLF; a text that is not empty ends
    with one. U+0000 is none of XML.
3.  A row of a table is a line, its cells separated by one tab each; a second paragraph of a cell
    begins a line. A table in a cell stands on lines of its own, and so does what follows it there.
4.  `w:noBreakHyphen` is U+2011, `w:softHyphen` U+00AD, `w:sym` the character that it names, in the
    private use area as the file has it.
5.  A footnote or an endnote stands behind the line that refers to it first; so does a text box,
    once (`mc:Fallback` is left out). Of a field the result is text, its instruction is not.
6.  The text is that of the document with all changes taken: what is inserted or moved here
    (`w:ins w:moveTo`) is text, what is deleted or moved away (`w:del w:moveFrom`) is none, and a
    paragraph whose mark is deleted goes on in the next. Comments are no text. Notices report both.
7.  Runs that are hidden themselves (`w:vanish`) are left out.
8.  Characters are in logical order, whatever their direction.
9.  Labels. A heading names its section up to the next heading of its level or above; where Word
    numbers a paragraph, the number is before the name of a heading, or names the paragraph as an
    item: numbers are no text. Notes are named by their numbers, where they count from 1 through the
    whole document in the usual way. Pages are not labelled: where they end depends on fonts and
    printers, and the marks that Word leaves are those of the last machine.

`docx-reviewed-text/1`, made on request alone, has rules 1 to 5 and 7 to 9, and in place of 6: words
that were deleted stand where they were, comments behind the line; deletions, insertions and
comments are labelled with the names of their authors.
"""

from __future__ import annotations

import posixpath
from functools import partial
from typing import TYPE_CHECKING

from permacite.errors import ParseError
from permacite.renditions.model import Rendered, Rendition
from permacite.renditions.office.docx_parts import DocxParts
from permacite.renditions.office.docx_text import DocxText
from permacite.renditions.office.elements import claims_of, read_elements
from permacite.renditions.office.zipped import Zipped, preload, target_of

if TYPE_CHECKING:
    from permacite.renditions.model import Original
    from permacite.renditions.office.elements import Attributes

__all__ = ["DOCX_REVIEWED_TEXT_1", "DOCX_TEXT_1"]

_MAIN = "word/document.xml"
_WANTED = frozenset({"styles", "numbering", "footnotes", "endnotes", "comments", "settings"})
_CORE = {"dc:title": "title", "dc:creator": "author", "dc:language": "language"}


def _decode(original: Original) -> DocxParts:
    """Read the parts that count."""
    package = Zipped(original.content)
    roots = _relationships(package, "")
    main = roots.get("officeDocument", _MAIN)
    if main not in package:
        raise ParseError("expected a Word document, found no main part", main, 0)
    related = _relationships(package, main)
    others = {kind: package.read(name) for kind, name in related.items() if kind in _WANTED}
    core = roots.get("core-properties")
    return DocxParts(package.read(main), others, package.read(core) if core else None)


def _relationships(package: Zipped, part: str) -> dict[str, str]:
    """The parts that a part refers to, by the last word of the type; the first of each counts."""
    folder, name = posixpath.split(part)
    path = posixpath.join(folder, "_rels", f"{name}.rels")
    related: dict[str, str] = {}

    def start(name: str, attributes: Attributes) -> None:
        if name != "rel:Relationship" or attributes.get("TargetMode") == "External":
            return
        kind = attributes.get("Type", "").rpartition("/")[2]
        target = target_of(attributes.get("Target", ""), part)[0]
        if target in package:
            related.setdefault(kind, target)

    if path in package:
        read_elements(package.read(path), start, _nothing, _nothing)
    return related


def _nothing(_: str) -> None:
    """Take no note."""


def _render(parts: DocxParts, *, reviewed: bool = False) -> Rendered:
    writer = DocxText(parts, reviewed=reviewed)
    read_elements(parts.main, writer.start, writer.end, writer.text)
    text, labels, notices = writer.finished()
    claims = claims_of(parts.core, _CORE, "core properties")
    title = next((claim.value for claim in claims if claim.field == "title"), None)
    return Rendered(text, labels, title=title, stated=claims, notices=notices)


_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_TYPES = {".docx": f"{_WORD}.document", ".dotx": f"{_WORD}.template"} | {
    ".docm": "application/vnd.ms-word.document.macroenabled.12"
}
DOCX_TEXT_1 = Rendition(
    "docx-text",
    1,
    frozenset(_TYPES.values()),
    _decode,
    _render,
    preload=preload,
    suffixes=_TYPES,
)
DOCX_REVIEWED_TEXT_1 = Rendition(
    "docx-reviewed-text",
    1,
    frozenset(_TYPES.values()),
    _decode,
    partial(_render, reviewed=True),
    preload=preload,
    on_request=True,
)
