"""One page made inert: a pass over its tokens that collects edits, and leaves the rest alone.

A hostile page is written so that two readers disagree about where its markup begins. So, whatever
this pass takes for text, a comment or a value is written such that no reader can find a tag in it:
in the result `<` stands only where a tag, a comment or the doctype begins.

Marks wrap a cited passage where it stands: only characters between tags, so that a passage across
elements becomes several, and never white space alone, which would break a table among its rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from permacite.markup import (
    Comment,
    Doctype,
    EndTag,
    ProcessingInstruction,
    StartTag,
    Text,
    references,
)
from permacite.markup.foreign import ROOTS, ForeignContent
from permacite.mhtml.export.elements import escape
from permacite.mhtml.export.supply import without_tags
from permacite.mhtml.links import rewrite
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permacite.markup import Document, Token
    from permacite.mhtml.export.elements import Elements

__all__ = ["MARK_STYLE", "Marks", "Page"]

Edit: TypeAlias = tuple[int, int, str]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_EMPTY_COMMENT = "<!---->"
_OPENING, _CLOSING = len("<>"), len("</>")
_BEFORE_HEAD = _names("html head")
_UNMARKED = _names("select option optgroup datalist")
_ORDINARY = _names(
    "a abbr article aside b bdi bdo big blockquote br center cite code dd del dfn div dl dt em "
    "figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i ins kbd li main nav ol p pre q s samp "
    "section small span strike strong sub sup table tbody td tfoot th thead time tr tt u ul var wbr"
)
"""Elements of HTML that do nothing without attributes, and mean nothing to what follows them."""

_STYLE_SHEET = compile_pattern(
    r"\Axml-stylesheet[\t\n\r ].*?\bhref[\t\n\r ]*+=[\t\n\r ]*+[\"']([^\"'<]*+)"
)

_OTHER_STYLE = compile_pattern(r"\btype[\t\n\r ]*+=[\t\n\r ]*+[\"'](?!text/css)")


class Page:
    """One document. `elements` says what its tags become, `marks` what is marked in it.

    `head` is markup of our own that stands first in its head.
    """

    def __init__(self, document: Document, elements: Elements, marks: Marks, *, head: str) -> None:
        self._document = document
        self._source = document.source
        self._elements = elements
        self._marks = marks
        self._head = head
        self._head_at = 0
        self._before_head = True
        self._foreign = ForeignContent()
        self._depth = 0
        """How many svg and math elements are open, in XML."""
        self._inside: str | None = None
        """The element that opened just before. A `style` is left by its end tag only: one reader
        finds tags in it where another finds CSS, so there are none in the result."""
        self._css: list[Text] = []
        """The texts of the style element that is open."""
        self._unmarked: str | None = None
        """The list of options that is open."""
        self._ordinary = frozenset[str]() if elements.xml else _ORDINARY
        self._edits: list[Edit] = []

    def html(self) -> str:
        """The inert document."""
        for token in self._document.tokens():
            if isinstance(token, Text):
                self._text(token)
            elif not self._is_plain(token):
                written = self._written(token)
                if written is not None:
                    self._edits.append((token.start, token.end, written))
                if isinstance(token, EndTag) and self._inside != "style":
                    self._style()
        self._style()
        self._edits.append((self._head_at, self._head_at, self._head))
        return rewrite(self._source, self._edits)

    def _is_plain(self, tag: Token) -> bool:
        """Take note of a tag that is a name and nothing else, and stays as it is: most are such."""
        if not isinstance(tag, StartTag | EndTag) or tag.name not in self._ordinary:
            return False
        length = tag.end - tag.start - len(tag.name)
        if self._foreign.is_open or self._inside == "style":
            return False
        if length == _OPENING and isinstance(tag, StartTag):
            self._before_head = False
            self._foreign.start(tag)
            self._inside = tag.name
        elif length == _CLOSING and isinstance(tag, EndTag):
            self._foreign.end(tag.name)
            self._inside = None
        else:
            return False
        return True

    def _written(self, token: Token) -> str | None:
        """What stands for what is no text; None: the token itself."""
        if isinstance(token, StartTag):
            return self._start(token)
        if isinstance(token, EndTag):
            return self._end(token)
        if isinstance(token, Comment):
            return self._comment(token)
        if isinstance(token, Doctype):
            return self._doctype(token)
        if isinstance(token, ProcessingInstruction):
            self._instruction(token)
        return ""

    # ------------------------------------------------------------ tags
    def _start(self, tag: StartTag) -> str | None:
        name = self._local(tag)
        if self._inside == "style":
            return ""
        if self._before_head and name in _BEFORE_HEAD:
            self._head_at = tag.end
        self._before_head = self._before_head and name in _BEFORE_HEAD
        if self._elements.xml:
            self._depth += name in ROOTS and not tag.self_closing
        else:
            self._foreign.start(tag)
        is_empty = tag.self_closing and (self._elements.xml or self._is_foreign)
        self._inside = None if is_empty else name
        if name in _UNMARKED and not is_empty:
            self._unmarked = self._unmarked or name
        return self._elements.start(tag, name, foreign=self._is_foreign)

    def _end(self, tag: EndTag) -> str | None:
        name = self._local(tag)
        if self._inside == "style" and name != "style":
            return ""
        self._inside = None
        if name == self._unmarked:
            self._unmarked = None
        if self._elements.xml:
            self._depth -= name in ROOTS and self._depth > 0
        else:
            self._foreign.end(tag.name)
        return self._elements.end(tag, name)

    def _local(self, tag: StartTag | EndTag) -> str:
        return tag.name.rpartition(":")[2].lower() if self._elements.xml else tag.name

    @property
    def _is_foreign(self) -> bool:
        """Whether the innermost open element is one of SVG or MathML."""
        return self._depth > 0 or self._foreign.takes_cdata

    # ------------------------------------------------------------ what is no tag
    def _comment(self, token: Comment) -> str | None:
        raw = self._source[token.start : token.end]
        is_plain = raw.endswith("-->") and raw.count("<") == raw.count(">") == 1
        return None if is_plain else _EMPTY_COMMENT

    def _doctype(self, token: Doctype) -> str | None:
        if self._before_head:
            self._head_at = token.end
        raw = self._source[token.start : token.end]
        is_plain = raw.endswith(">") and raw.count("<") == 1 and "[" not in raw
        return None if is_plain else "<!DOCTYPE html>"

    def _instruction(self, token: ProcessingInstruction) -> None:
        """Keep the style sheet that `<?xml-stylesheet ...?>` names, if it is CSS."""
        sheet = _STYLE_SHEET.match(token.data)
        if sheet is not None and _OTHER_STYLE.search(token.data) is None:
            self._head += self._elements.style_sheet(sheet[1])

    def _text(self, text: Text) -> None:
        raw = self._source[text.start : text.end]
        if self._before_head and raw.strip("\t\n\f\r "):
            self._before_head = False
        written: str | None = None
        if self._inside == "style":
            self._css.append(text)
        elif self._inside == "script":
            written = None if self._elements.scripts else ""
        elif text.mode == "rawtext":
            written = escape(raw) if self._inside == "xmp" else ""
        elif text.mode in ("plaintext", "cdata"):
            written = escape(text.data)
        else:
            self._characters(text)
        if written is not None and written != raw:
            self._edits.append((text.start, text.end, written))

    def _characters(self, text: Text) -> None:
        """Mark text between tags, and escape every `<` in it."""
        is_marked = text.mode == "data" and self._unmarked is None and not self._is_foreign
        if is_marked and self._marks.begin_before(text.end):
            self._edits += self._marks.edits(self._source, text.start, text.end)
        at = self._source.find("<", text.start, text.end)
        while at >= 0:
            self._edits.append((at, at + 1, "&lt;"))
            at = self._source.find("<", at + 1, text.end)

    def _style(self) -> None:
        """Write the content of a style element, all its pieces as one.

        Pieces that comments or tags keep apart would come together: `u`, `rl(x)`.
        """
        texts, self._css = self._css, []
        if not texts:
            return
        css = "".join(text.data for text in texts)
        is_raw = texts[0].mode == "rawtext"
        inert = without_tags(self._elements.css(css))
        written = inert if is_raw or not self._is_foreign else escape(inert)
        if not is_raw or inert != css:
            self._edits.append((texts[0].start, texts[0].end, written))
        self._edits += [(text.start, text.end, "") for text in texts[1:]]


MARK_STYLE = (
    "mark.permacite-mark{background:#ffe08a!important;color:#231a00!important;"
    "outline:1px solid #b8860b!important;scroll-margin:30vh}"
    "@media (forced-colors:active){mark.permacite-mark{forced-color-adjust:none;"
    "background:Mark!important;color:MarkText!important;outline:2px solid Highlight!important}}"
)
"""Visible on light and dark pages, and where the user's own colours rule."""

_OPEN = '<mark class="permacite-mark">'
_FIRST = '<mark class="permacite-mark" id="permacite-mark">'
_CLOSE = "</mark>"


class Marks:
    """The ranges to be marked, in order; `count` is how many marks were made."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self._ranges = _merged(ranges)
        self._next = 0
        self.count = 0

    def __bool__(self) -> bool:
        return bool(self._ranges)

    def begin_before(self, end: int) -> bool:
        """Whether one of the ranges that are left begins before `end`."""
        return self._next < len(self._ranges) and self._ranges[self._next][0] < end

    def edits(self, source: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
        """Yield the insertions that mark a text token; tokens come in source order."""
        while self._next < len(self._ranges) and self._ranges[self._next][1] <= start:
            self._next += 1
        index = self._next
        while index < len(self._ranges) and self._ranges[index][0] < end:
            first = max(start, self._ranges[index][0])
            last = min(end, self._ranges[index][1])
            index += 1
            if source[first:last].strip("\t\n\f\r "):
                first, last = _whole_references(source, start, first, last)
                yield first, first, _OPEN if self.count else _FIRST
                yield last, last, _CLOSE
                self.count += 1


def _merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    return merged


def _whole_references(source: str, low: int, start: int, end: int) -> tuple[int, int]:
    """Widen a range so that no character reference is cut."""
    for offset in (start, end):
        ampersand = source.rfind("&", max(low, offset - 40), offset)
        reference = references.REFERENCE.match(source, ampersand) if ampersand >= 0 else None
        resolved = reference and references.resolve(reference)
        if resolved and ampersand < offset < resolved[1]:
            start, end = min(start, ampersand), max(end, resolved[1])
    return start, end
