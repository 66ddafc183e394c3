"""Inert page: one pass over its tokens collects edits, and leaves the rest unchanged.

A hostile page is written so that two readers disagree about where its markup begins. So, whatever
this pass takes for text, a comment or a value is written such that no reader can find a tag in it:
in the result `<` stands only where a tag, a comment or the doctype begins.

Marks wrap a cited passage where it stands: only characters between tags, so that a passage across
elements becomes several, and never white space alone, which would break a table among its rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from permacite.markup import Comment, Doctype, EndTag, ProcessingInstruction, StartTag, Text
from permacite.markup.foreign import ROOTS, ForeignContent
from permacite.mhtml.export.elements import escape, start_tag
from permacite.mhtml.export.supply import without_tags
from permacite.mhtml.links import rewrite
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.markup import Document, Token
    from permacite.mhtml.export.elements import Elements, InertDocument
    from permacite.mhtml.export.marks import Marks

__all__ = ["InertPage"]

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


class InertPage:
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
        self._xml = elements.document.xml
        self._nesting = _Nesting(xml=self._xml)
        self._foreign = self._nesting.foreign
        self._inside: str | None = None
        """The element that opened just before. A `style` is left by its end tag only: one reader
        finds tags in it where another finds CSS, so there are none in the result."""
        self._style = _StyleContent(elements.document)
        self._unmarked: str | None = None
        """The list of options that is open."""
        self._ordinary = frozenset[str]() if self._xml else _ORDINARY
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
                    self._edits += self._style.edits(is_foreign=self._nesting.is_foreign)
        self._edits += self._style.edits(is_foreign=self._nesting.is_foreign)
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
            return _comment(self._source[token.start : token.end])
        if isinstance(token, Doctype):
            return self._doctype(token)
        if isinstance(token, ProcessingInstruction):
            self._instruction(token)
        return ""

    def _start(self, tag: StartTag) -> str | None:
        name = self._local(tag)
        if self._inside == "style":
            return ""
        if self._before_head and name in _BEFORE_HEAD:
            self._head_at = tag.end
        self._before_head = self._before_head and name in _BEFORE_HEAD
        self._nesting.start(tag, name)
        is_empty = tag.self_closing and (self._xml or self._nesting.is_foreign)
        self._inside = None if is_empty else name
        if name in _UNMARKED and not is_empty:
            self._unmarked = self._unmarked or name
        return self._elements.start(tag, name, foreign=self._nesting.is_foreign)

    def _end(self, tag: EndTag) -> str | None:
        name = self._local(tag)
        if self._inside == "style" and name != "style":
            return ""
        self._inside = None
        if name == self._unmarked:
            self._unmarked = None
        self._nesting.end(tag, name)
        return self._elements.end(tag, name)

    def _local(self, tag: StartTag | EndTag) -> str:
        return tag.name.rpartition(":")[2].lower() if self._xml else tag.name

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
            document = self._elements.document
            href = document.styles.sheet(sheet[1], document.part)
            self._head += start_tag("link", [("rel", "stylesheet"), ("href", href)])

    def _text(self, text: Text) -> None:
        raw = self._source[text.start : text.end]
        if self._before_head and raw.strip("\t\n\f\r "):
            self._before_head = False
        written: str | None = None
        if self._inside == "style":
            self._style.add(text)
        elif self._inside == "script":
            written = None if self._elements.document.scripts else ""
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
        is_marked = text.mode == "data" and self._unmarked is None and not self._nesting.is_foreign
        if is_marked and self._marks.begin_before(text.end):
            self._edits += self._marks.edits(self._source, text.start, text.end)
        at = self._source.find("<", text.start, text.end)
        while at >= 0:
            self._edits.append((at, at + 1, "&lt;"))
            at = self._source.find("<", at + 1, text.end)


class _StyleContent:
    """The content of the style element that is open, all its pieces as one.

    Pieces that comments or tags keep apart would come together: `u`, `rl(x)`.
    """

    def __init__(self, document: InertDocument) -> None:
        self._document = document
        self._texts: list[Text] = []

    def add(self, text: Text) -> None:
        """Add a piece."""
        self._texts.append(text)

    def edits(self, *, is_foreign: bool) -> Iterator[Edit]:
        """Yield what makes the content inert, and begin a new one."""
        texts, self._texts = self._texts, []
        if not texts:
            return
        css = "".join(text.data for text in texts)
        is_raw = texts[0].mode == "rawtext"
        inert = without_tags(self._document.styles.inlined(css, self._document.part))
        written = inert if is_raw or not is_foreign else escape(inert)
        if not is_raw or inert != css:
            yield texts[0].start, texts[0].end, written
        yield from ((text.start, text.end, "") for text in texts[1:])


def _comment(raw: str) -> str | None:
    """What is written for a comment; None: the comment itself."""
    is_plain = raw.endswith("-->") and raw.count("<") == raw.count(">") == 1
    return None if is_plain else _EMPTY_COMMENT


class _Nesting:
    """The open elements of SVG and MathML."""

    def __init__(self, *, xml: bool) -> None:
        self._xml = xml
        self.foreign = ForeignContent()
        """Those of HTML."""
        self._depth = 0
        """The number of open svg and math elements in XML."""

    @property
    def is_foreign(self) -> bool:
        """Whether the innermost open element is one of SVG or MathML."""
        return self._depth > 0 or self.foreign.takes_cdata

    def start(self, tag: StartTag, name: str) -> None:
        """Take a start tag."""
        if self._xml:
            self._depth += name in ROOTS and not tag.self_closing
        else:
            self.foreign.start(tag)

    def end(self, tag: EndTag, name: str) -> None:
        """Take an end tag."""
        if self._xml:
            self._depth -= name in ROOTS and self._depth > 0
        else:
            self.foreign.end(tag.name)
