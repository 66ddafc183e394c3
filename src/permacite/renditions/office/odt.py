"""Rendition of ODT, the texts of OpenDocument (ISO/IEC 26300, ODF 1.0 to 1.4).

docs/explanation/the-words-of-office-files.md explains these rules, which are frozen: `odt-text/1`.

1.  The text is made of the characters of paragraphs and headings (`text:p text:h`) in the body of
    `content.xml`, in the order of the file. Headers and footers, which every page repeats, are in
    another part, and not in it; nor are the titles and descriptions of pictures (`svg:title
    svg:desc`), scripts, forms, and files that stand within this one.
2.  A paragraph stands on lines of its own, and `text:line-break` ends a line. White space (TAB, LF,
    CR, SPACE, `text:s text:tab`) collapses as in pages: a run of it is one space, and nothing at
    the edges of a line. There are no empty lines. Line ends are CRLF; a text that is not empty ends
    with one.
3.  A row of a table is a line, its cells separated by one tab each; a second paragraph of a cell
    begins a line. A table in a cell stands on lines of its own, and so does what follows it there.
    Rows and cells with a repeat count are written once.
4.  A note stands behind the line that refers to it, without its number; so does a text box.
5.  The text is that of the document with all changes taken: what was deleted stands apart in the
    file (`text:tracked-changes`), and is no text. Comments (`office:annotation`) are none. Both are
    told. Text that is hidden by its element (`text:hidden-text text:hidden-paragraph`) is left out.
6.  Labels. A heading names its section up to the next one of its level or above. A note is named
    by its number as the file has it. Pages are not labelled: `text:soft-page-break` tells where the
    last machine ended one. Numbers of lists and headings are no text and no names, since the file
    leaves them to be counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import ParseError
from permacite.renditions.lines import Lines
from permacite.renditions.model import Notice, Rendered, Rendition
from permacite.renditions.office.packages import Zipped, claims_of, preload, read_elements

if TYPE_CHECKING:
    from permacite.bibliography import Claim
    from permacite.renditions.model import Original
    from permacite.renditions.office.packages import Attributes

__all__ = ["ODT_TEXT_1"]

_CONTENT, _META, _MANIFEST = "content.xml", "meta.xml", "META-INF/manifest.xml"
_LEFT_OUT = frozenset(
    {
        "text:tracked-changes", "office:annotation", "svg:title", "svg:desc", "office:forms",
        "text:note-citation", "office:binary-data", "office:scripts", "office:event-listeners",
        "text:hidden-text", "text:hidden-paragraph",
    }
)  # fmt: skip
_PARAGRAPHS = frozenset({"text:p", "text:h"})
_APART = frozenset({"text:note-body", "draw:text-box"})
_CELLS = frozenset({"table:table-cell", "table:covered-table-cell"})
_SPACES = frozenset({"text:s", "text:tab"})
_LONGEST_NAME = 200
_STATED = {"dc:title": "title", "meta:initial-creator": "author", "dc:language": "language"}


def _decode(original: Original) -> tuple[bytes, bytes | None]:
    """Read the content and the metadata."""
    package = Zipped(original.content)
    if _CONTENT not in package:
        raise ParseError("expected an OpenDocument text, found no content.xml", "", 0)
    if _MANIFEST in package and _is_encrypted(package.read(_MANIFEST)):
        raise ParseError("expected a document that is not encrypted", _CONTENT, 0)
    return package.read(_CONTENT), package.read(_META) if _META in package else None


def _is_encrypted(manifest: bytes) -> bool:
    found: list[str] = []

    def start(name: str, _: Attributes) -> None:
        if name == "manifest:encryption-data":
            found.append(name)

    read_elements(manifest, start, _nothing, _nothing)
    return bool(found)


def _nothing(_: str) -> None:
    """Take no note."""


def _render(parts: tuple[bytes, bytes | None]) -> Rendered:
    content, meta = parts
    writer = _OdtWriter()
    read_elements(content, writer.start, writer.end, writer.text)
    return writer.rendered(claims_of(meta, _STATED, "OpenDocument"))


class _OdtWriter:
    """The content that is being read, and the text that is written of it."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._left_out = 0
        """How many elements are open from one that is left out on."""
        self._paragraphs: list[list[str] | None] = []
        """The open paragraphs: of headings the words."""
        self._headings: list[tuple[int, int]] = []
        """The open headings: level, start."""
        self._sections: list[tuple[int, int, str]] = []
        self._notes: list[tuple[str, int]] = []
        """The open notes: number, start."""
        self._citation: list[str] | None = None
        self._cells: list[bool] = []
        """Of each open cell whether nothing stands in it yet; text boxes stand in none: True."""
        self._rows: list[bool] = []
        self._apart = 0
        self._deleted = self._comments = 0

    # ------------------------------------------------------------ tokens
    def start(self, name: str, attributes: Attributes) -> None:
        """Begin an element."""
        if self._left_out:
            self._left_out += 1
            self._deleted += name == "text:changed-region"
            return
        if name in _LEFT_OUT:
            self._left_out = 1
            self._comments += name == "office:annotation"
            if name == "text:note-citation":
                self._citation = []
        elif name in _PARAGRAPHS:
            self._paragraph(name, attributes)
        elif name in _APART:
            self._begin_apart()
        elif name == "table:table-row":
            self._lines.end_line()
            self._rows.append(True)
        elif name in _CELLS:
            self._cell()
        elif name in _SPACES:
            self._write(" ")
        elif name == "text:line-break":
            self._lines.end_line()

    def end(self, name: str) -> None:
        """End it."""
        if self._left_out:
            self._left_out -= 1
        elif name in _PARAGRAPHS:
            self._paragraph_ends(name)
        elif name in _APART:
            self._end_apart(name)
        elif name == "table:table-row":
            self._rows.pop()
            self._lines.end_line()
        elif name in _CELLS:
            self._cells.pop()

    def text(self, data: str) -> None:
        """Take characters."""
        if self._citation is not None and self._left_out == 1:
            self._citation.append(data)
        elif not self._left_out and self._paragraphs:
            self._write(data)

    def _write(self, data: str) -> None:
        self._lines.write(data)
        words = self._paragraphs[-1] if self._paragraphs else None
        if words is not None:
            words.append(data)

    # ------------------------------------------------------------ paragraphs
    def _paragraph(self, name: str, attributes: Attributes) -> None:
        if self._cells and self._cells[-1]:
            self._cells[-1] = False
        else:
            self._lines.end_line()
        if name == "text:h":
            digits = attributes.get("text:outline-level", "1")
            level = int(digits) if digits in set("123456789") else 10
            if not self._apart:
                self._end_sections(level)
            self._headings.append((level, self._lines.mark()))
            self._paragraphs.append([])
        else:
            self._paragraphs.append(None)

    def _paragraph_ends(self, name: str) -> None:
        words = self._paragraphs.pop()
        if name == "text:h" and words is not None:
            level, start = self._headings.pop()
            title = " ".join("".join(words).split())[:_LONGEST_NAME]
            if title and not self._apart:
                self._sections.append((level, start, title))
        if not self._cells or self._apart:
            self._lines.end_line()

    def _end_sections(self, level: int) -> None:
        while self._sections and self._sections[-1][0] >= level:
            _, start, title = self._sections.pop()
            self._lines.label(start, "section", title, "")

    def _cell(self) -> None:
        if self._rows:
            if not self._rows[-1]:
                self._lines.cell()
            self._rows[-1] = False
        self._cells.append(True)

    # ------------------------------------------------------------ what stands apart
    def _begin_apart(self) -> None:
        self._lines.begin_apart()
        self._apart += 1
        self._cells.append(True)
        number = "".join(self._citation or ()).strip()[:_LONGEST_NAME]
        self._notes.append((number, self._lines.mark()))
        self._citation = None

    def _end_apart(self, name: str) -> None:
        number, start = self._notes.pop()
        if name == "text:note-body" and number:
            self._lines.label(start, "note", number, "")
        self._cells.pop()
        self._apart -= 1
        self._lines.end_apart()

    # ------------------------------------------------------------ what came of it
    def rendered(self, claims: tuple[Claim, ...]) -> Rendered:
        """What was written."""
        self._lines.end_line()
        self._end_sections(0)
        text, labels = self._lines.finished()
        notices = []
        if self._deleted:
            told = f"it has {self._deleted} tracked changes: insertions are text, deletions are not"
            notices.append(Notice("tracked-changes", told))
        if self._comments:
            notices.append(Notice("comments", f"it has {self._comments} comments, left out"))
        if not text:
            notices.append(Notice("no-words", "there are no words in it"))
        title = next((claim.value for claim in claims if claim.field == "title"), None)
        return Rendered(text, labels, title=title, stated=claims, notices=tuple(notices))


_ODT = "application/vnd.oasis.opendocument.text"
ODT_TEXT_1 = Rendition(
    "odt-text", 1, frozenset({_ODT, f"{_ODT}-template"}), _decode, _render, preload=preload
)
