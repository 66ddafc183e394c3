"""From tags to lines: what each element does to the text of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.markup.elements import (
    BEHIND_P,
    BLOCKS,
    CELLS,
    LEFT_OUT,
    PARAGRAPHS,
    PREFORMATTED,
    TABLE_PARTS,
    VOID,
    Skip,
    is_left_out,
)
from permacite.markup.plain.flow import Flow
from permacite.markup.tokenizer import tokenize
from permacite.markup.tokens import EndTag, StartTag, Text
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.markup.plain.rendition import Rendition

__all__ = ["RENDITION_VERSION", "plain_text"]

RENDITION_VERSION = 1
"""What text positions are counted by; every stored rendition names it."""

_BREAKS = dict.fromkeys(BLOCKS, 1) | dict.fromkeys(PARAGRAPHS, 2)
"""How many line ends stand between the text before and after the start or end of an element."""

_NOTED = LEFT_OUT | CELLS | _BREAKS.keys() | {"br", "dialog"}
"""Elements that matter without any attribute."""

_RUN = compile_pattern(r"[\t\n\f\r ]++")


def plain_text(source: str, *, xml: bool = False) -> Rendition:
    """Return the text of a page, with the map between it and `source`.

    `xml`: the page is XHTML, SVG or other XML, by its media type. Linear in time for any source,
    and raises nothing.
    """
    renderer = _Renderer(source, xml=xml)
    for token in tokenize(source, xml=xml):
        if isinstance(token, Text):
            renderer.text(token)
        elif isinstance(token, StartTag):
            renderer.start(token, _local(token.name) if xml else token.name)
        elif isinstance(token, EndTag):
            renderer.end(token, _local(token.name) if xml else token.name)
    return renderer.flow.rendition(RENDITION_VERSION)


def _local(name: str) -> str:
    return name.rpartition(":")[2]


class _Renderer:
    """What is known of the elements that are open, between two tokens."""

    __slots__ = (
        "flow",
        "other_xml",
        "paragraph",
        "pre",
        "rows",
        "seen_root",
        "skip",
        "source",
        "xml",
    )

    def __init__(self, source: str, *, xml: bool) -> None:
        self.source = source
        self.xml = xml
        self.flow = Flow(source, xml=xml)
        self.pre = 0
        """How many elements of preformatted text are open."""
        self.paragraph = False
        """Whether a `p` is open."""
        self.rows: list[int] = []
        """For each open table the length of the text where its row began."""
        self.skip: Skip | None = None
        self.seen_root = self.other_xml = False

    # ------------------------------------------------------------ tags
    def start(self, tag: StartTag, name: str) -> None:
        if self.skip is not None and self._left_out(self.skip, tag, name):
            return
        if not self.seen_root:
            self.seen_root = True
            self.flow.keeps_lines = self.other_xml = self.xml and name not in ("html", "svg")
        if self.other_xml or (name not in _NOTED and tag.end - tag.start == len(tag.name) + 2):
            return
        has_content = not tag.self_closing if self.xml else name not in VOID
        if is_left_out(tag, name):
            self.skip = Skip(name, xml=self.xml) if has_content else None
            return
        if name in CELLS:
            self._cell()
        elif name == "br":
            self._line_end(tag)
        elif name in _BREAKS:
            self._break(name)
            if has_content:
                self._open_block(name)

    def _open_block(self, name: str) -> None:
        if name in PREFORMATTED:
            self.pre += 1
        elif name == "p":
            self.paragraph = True
        elif name == "table":
            self.rows.append(self.flow.writer.length)

    def end(self, tag: EndTag, name: str) -> None:
        if self.skip is not None and self._left_out(self.skip, tag, name):
            return
        if self.other_xml:
            return
        if name == "br":
            self._line_end(tag)
        elif name in _BREAKS:
            self._break(name)
            if name in PREFORMATTED:
                self.pre = max(0, self.pre - 1)
            elif name == "table" and self.rows:
                self.rows.pop()
                self.rows[-1:] = [self.flow.writer.length] if self.rows else []

    def _left_out(self, skip: Skip, tag: StartTag | EndTag, name: str) -> bool:
        """Ask what is left out whether it ends here, and whether the tag is part of it."""
        place = skip.place(tag, name)
        if place != "inside":
            self.skip = None
        return place != "behind"

    def _break(self, name: str) -> None:
        flow = self.flow
        flow.forget()
        lines = _BREAKS[name]
        if self.paragraph and name in BEHIND_P:
            self.paragraph, lines = False, 2
        if name in TABLE_PARTS:
            flow.tabs = 0
            if self.rows and flow.writer.length > self.rows[-1]:
                flow.breaks = 0
            if self.rows and name != "table":
                self.rows[-1] = flow.writer.length
        if not flow.tabs:
            flow.breaks = max(flow.breaks, lines)

    def _line_end(self, tag: StartTag | EndTag) -> None:
        flow = self.flow
        flow.space = None
        if self.pre:
            flow.held.append(("\r\n", tag.start, tag.end))
        elif not flow.tabs:
            flow.breaks = min(2, flow.breaks + 1)

    def _cell(self) -> None:
        flow = self.flow
        flow.held.clear()
        if self.rows and flow.writer.length > self.rows[-1]:
            flow.breaks, flow.space = 0, None
            flow.tabs += 1

    def text(self, token: Text) -> None:
        if self.skip is not None:
            return
        start, end = token.start, token.end
        blank = _RUN.match(self.source, start, end)
        if blank is not None and blank.end() == end and not self.pre:
            self.flow.white_space(start, end)
            return
        if token.mode == "cdata":
            start += len("<![CDATA[")
            end -= 3 * self.source.startswith("]]>", end - 3, end)
        write = self.flow.preformatted if self.pre else self.flow.collapsed
        write(start, end, raw=token.mode not in ("data", "rcdata"))
