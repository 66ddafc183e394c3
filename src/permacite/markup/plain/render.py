"""Renderer of the plain text of a page: the effect of each element, and of white space."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from permacite.markup import references
from permacite.markup.names import (
    BEHIND_P,
    BLOCKS,
    BOUNDARIES,
    CELLS,
    LEFT_OUT,
    PARAGRAPHS,
    PREFORMATTED,
    ROW_ENDS,
    SECTIONS,
    VOID,
)
from permacite.markup.plain.rendition import RenditionWriter
from permacite.markup.tokens import StartTag
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.markup.plain.rendition import Rendition
    from permacite.markup.tokens import EndTag, Text

__all__ = ["RENDITION_VERSION", "Flow", "Renderer"]


_WHITE_SPACE = "\t\n\f\r "
_RUNS = r"[\t\n\f\r ]{2,}+|[\t\n\f\r\x00]"
_SPECIAL_RAW = compile_pattern(_RUNS)
_SPECIAL = compile_pattern(rf"{_RUNS}|{references.REFERENCE.pattern}")
_LINES_RAW = compile_pattern(r"\r\n?+|[\n\x00]")
_LINES = compile_pattern(rf"{_LINES_RAW.pattern}|{references.REFERENCE.pattern}")
_LINE_END = compile_pattern(r"\r\n?+|\n")
_BLANK = compile_pattern(r"[\t\f ]*+")


class Flow:
    """What was written, and the white space that waits.

    White space is written when the next visible character comes, so that what waits at the end of a
    line or of the page is never written at all.
    """

    __slots__ = (
        "breaks",
        "done",
        "held",
        "keeps_lines",
        "source",
        "space",
        "tabs",
        "writer",
        "xml",
    )

    def __init__(self, source: str, *, xml: bool) -> None:
        self.source = source
        self.xml = xml
        self.writer = RenditionWriter(source)
        self.keeps_lines = False
        """Whether a line end among white space stays one (rule 9)."""
        self.breaks = 0
        """Line ends that wait, two at most."""
        self.tabs = 0
        """Cell ends that wait; then no line ends do."""
        self.space: tuple[int, int] | None = None
        """The first run of white space that waits."""
        self.held: list[tuple[str, int, int]] = []
        """White space of preformatted text that waits, to be written as it is."""
        self.done = 0
        """Where the last written character ends in the source."""

    def forget(self) -> None:
        """Drop pending white space: a tag there ends a line."""
        self.held.clear()
        self.space = None

    def collapsed(self, start: int, end: int, *, raw: bool) -> None:
        """Write text whose white space collapses; `raw`: without references."""
        source = self.source
        special = _SPECIAL_RAW if raw else _SPECIAL
        for match in special.finditer(source, start, end):
            at = match.start()
            if start < at:
                self._words(start, at)
            start = match.end()
            if source[at] == "&":
                start = self._reference(match, pre=False)
            elif source[at] != "\x00":
                self.white_space(at, start)
        if start < end:
            self._words(start, end)

    def _words(self, start: int, end: int) -> None:
        """Write characters whose white space is single spaces."""
        source = self.source
        if source[start] == " ":
            self.white_space(start, start + 1)
            start += 1
        trailing = start < end and source[end - 1] == " "
        end -= trailing
        if start < end:
            self._separate(start)
            self.writer.copy(start, end)
            self.done = end
        if trailing:
            self.white_space(end, end + 1)

    def white_space(self, start: int, end: int) -> None:
        """Take note of a run of white space that collapses."""
        if self.keeps_lines and _LINE_END.search(self.source, start, end):
            self.breaks = 1
        elif self.space is None:
            self.space = start, end

    def preformatted(self, start: int, end: int, *, raw: bool) -> None:
        """Write text whose white space counts; `raw`: without references."""
        source = self.source
        lines = _LINES_RAW if raw else _LINES
        for match in lines.finditer(source, start, end):
            at = match.start()
            self._line(start, at)
            start = match.end()
            if source[at] == "&":
                start = self._reference(match, pre=True)
            elif source[at] != "\x00":
                self.held.append(("\r\n", at, start))
        self._line(start, end)

    def _line(self, start: int, end: int) -> None:
        """Write a piece of preformatted text without line ends."""
        source = self.source
        lead = _BLANK.match(source, start, end)
        if lead is not None and start < lead.end():
            self.held.append((source[start : lead.end()], start, lead.end()))
            start = lead.end()
        if start == end:
            return
        last = end
        while source[last - 1] in _WHITE_SPACE:
            last -= 1
        self._separate(start)
        self.writer.copy(start, last)
        self.done = last
        if last < end:
            self.held.append((source[last:end], last, end))

    def _reference(self, match: re.Match[str], *, pre: bool) -> int:
        """Write a reference, and return where what follows it begins."""
        start = match.start()
        value, end = references.resolve(match, xml=self.xml) or (match.group(), match.end())
        if value not in _WHITE_SPACE:
            self._separate(start)
            self.writer.write(value, start, end)
            self.done = end
        elif pre:
            self.held.append(("\r\n" if value in "\r\n" else value, start, end))
        else:
            self.white_space(start, end)
        return end

    def _separate(self, start: int) -> None:
        """Write the white space that waits before the visible character at `start`."""
        if self.breaks or self.tabs or not self.writer.length:
            _drop_empty_lines(self.held)
        if self.writer.length:
            self._gap(self.held[0][1] if self.held else start)
        self.breaks = self.tabs = 0
        self.space = None
        for piece in self.held:
            self.writer.write(*piece)
        self.held.clear()

    def _gap(self, start: int) -> None:
        """Write what sets the last written character apart from the one at `start`."""
        if self.breaks:
            self.writer.invent("\r\n" * self.breaks, self.done, start)
        elif self.tabs:
            self.writer.invent("\t" * self.tabs, self.done, start)
        elif self.space is not None:
            self.writer.write(" ", *self.space)


def _drop_empty_lines(pieces: list[tuple[str, int, int]]) -> None:
    """Drop white space up to its last line end: a block begins here."""
    ends = [index for index, piece in enumerate(pieces) if piece[0] == "\r\n"]
    if ends:
        del pieces[: ends[-1] + 1]


RENDITION_VERSION = 1
"""What text positions are counted by; every stored rendition names it."""

_BREAKS = dict.fromkeys(BLOCKS, 1) | dict.fromkeys(PARAGRAPHS, 2)
"""How many line ends stand between the text before and after the start or end of an element."""

_NOTED = LEFT_OUT | CELLS | _BREAKS.keys() | {"br", "dialog"}
"""Elements that matter without any attribute."""

_RUN = compile_pattern(r"[\t\n\f\r ]++")


class Renderer:
    """Makes the text of a page of its tokens: what is known of the open elements between two."""

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
        self.skip: _Skip | None = None
        self.seen_root = self.other_xml = False

    def rendition(self) -> Rendition:
        """The text, once all tokens were given."""
        flow = self.flow
        if flow.writer.length:
            flow.writer.invent("\r\n", flow.done, len(self.source))
        return flow.writer.rendition(RENDITION_VERSION)

    # ------------------------------------------------------------ tokens
    def start(self, tag: StartTag, name: str) -> None:
        """Take a start tag; `name` is its name, of XML the local one."""
        if self.skip is not None and self._left_out(self.skip, tag, name):
            return
        if not self.seen_root:
            self.seen_root = True
            self.flow.keeps_lines = self.other_xml = self.xml and name not in ("html", "svg")
        if self.other_xml or (name not in _NOTED and tag.end - tag.start == len(tag.name) + 2):
            return
        has_content = not tag.self_closing if self.xml else name not in VOID
        if _is_left_out(tag, name):
            self.skip = _Skip(name, xml=self.xml) if has_content else None
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
        """Take an end tag; `name` as in `start`."""
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

    def _left_out(self, skip: _Skip, tag: StartTag | EndTag, name: str) -> bool:
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
        if name in ROW_ENDS:
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
        """Take characters."""
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


# ---------------------------------------------------------------- what is left out, and to where
_Place: TypeAlias = Literal["inside", "last", "behind"]
"""Whether a token is part of what is left out, ends it, or comes after it."""

_ROWS = SECTIONS | {"tr"}
_CLOSED_BY: dict[str, frozenset[str]] = {
    "p": BEHIND_P,
    "li": frozenset({"li"}),
    **dict.fromkeys(("dt", "dd"), frozenset({"dt", "dd"})),
    **dict.fromkeys(("rt", "rp"), frozenset({"rb", "rt", "rtc", "rp"})),
    **dict.fromkeys(("option", "optgroup"), frozenset({"option", "optgroup"})),
    **dict.fromkeys(("caption", "colgroup"), _ROWS | {"caption", "colgroup"}),
    **dict.fromkeys(SECTIONS, SECTIONS),
    "tr": _ROWS,
    **dict.fromkeys(("td", "th"), _ROWS | CELLS),
}
"""Elements whose end tag may be left out (HTML §13.1.2.4), and the start tags that close them.

What is hidden in such an element ends where the element does, as far as the tags alone tell.
"""

_NEVER_HIDDEN = frozenset({"html", "body"})
_HIDDEN = compile_pattern("hidden", re.IGNORECASE | re.ASCII)


def _is_left_out(tag: StartTag, name: str) -> bool:
    """Whether a start tag begins an element that is no text.

    Those are the elements of LEFT_OUT (but not a template that is a shadow root), `dialog` without
    `open`, and what has `hidden`, in any form. On the root element or on `body` that is not heeded:
    scripts take it away at once.
    """
    if name in LEFT_OUT:
        return name != "template" or tag.get("shadowrootmode") is None
    if name == "dialog" and tag.get("open") is None:
        return True
    if _HIDDEN.search(tag.source, tag.start, tag.end) is None or name in _NEVER_HIDDEN:
        return False
    return tag.get("hidden") is not None


class _Skip:
    """One element that is left out: says which tokens after its start tag belong to it."""

    __slots__ = ("_boundaries", "_closed_by", "_counts", "_name", "_open", "_xml")

    def __init__(self, name: str, *, xml: bool) -> None:
        self._name = name
        self._xml = xml
        self._closed_by = frozenset[str]() if xml else _CLOSED_BY.get(name, frozenset())
        self._open: list[str] = []
        self._counts: dict[str, int] = {}
        self._boundaries = 0

    def place(self, tag: StartTag | EndTag, name: str) -> _Place:
        """Say where the next tag stands. `name`: its name as `plain` compares it."""
        if isinstance(tag, StartTag):
            if name in self._closed_by and not self._boundaries:
                return "behind"
            if not (tag.self_closing if self._xml else name in VOID):
                self._push(name)
        elif name in self._counts:
            while self._pop() != name:
                pass
        elif name == self._name:
            return "last"
        elif self._closed_by:
            return "behind"
        return "inside"

    def _push(self, name: str) -> None:
        self._open.append(name)
        self._counts[name] = self._counts.get(name, 0) + 1
        self._boundaries += name in BOUNDARIES

    def _pop(self) -> str:
        name = self._open.pop()
        self._boundaries -= name in BOUNDARIES
        self._counts[name] -= 1
        if not self._counts[name]:
            del self._counts[name]
        return name
