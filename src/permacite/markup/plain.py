"""The plain text of a page: what its reader would call its text. Frozen, since citations count it.

`RENDITION_VERSION` names these rules; the same source gives the same text for ever. There is no
specification of this; the rules follow what browsers show without style sheets (HTML §15) and what
`innerText` gives (HTML §3.2.7), and are explained in docs/explanation/plain-text-rendition.md.

1.  The text is made of the characters between tags, in source order, references decoded. No value
    of an attribute is text, so neither is the `alt` of an image. No visible character is invented:
    no bullets, no numbers, no quotation marks.
2.  Left out with all their content: `script style title`, `template` without `shadowrootmode`
    (with it, browsers show the content), `noembed noframes iframe`,
    `audio video canvas` (what is inside is for browsers that cannot show them), `select datalist
    option optgroup`, `rp`, `annotation annotation-xml` (MathML), `desc metadata` (SVG), `dialog`
    without `open`, and every element with the attribute `hidden`. What style sheets hide is not
    known here, and is text. `noscript` is text, since nothing here runs scripts; so are `object`,
    `textarea` and `button`.
3.  Left out or hidden content ends at the end tag of its element; where that tag is optional (`p li
    dt dd tr td th` and their kind), also before the tag that closes the element by implication.
4.  White space is TAB, LF, FF, CR and SPACE. A run of it becomes one space, and nothing at the
    beginning and the end of a line. U+00A0 and all other characters stay as they are; U+0000 is
    dropped.
5.  Line ends are CRLF. `br` ends a line. An element of BLOCKS begins a line and ends one; one of
    PARAGRAPHS has an empty line before and after; an open `p` ends where a tag of BEHIND_P stands.
    There is never more than one empty line at a time, none at the beginning or end; a text that is
    not empty ends with one CRLF.
6.  In a table row cells are separated by one tab each. Line breaks at the edges of a cell do not
    count; empty cells before the first and after the last text of a row leave nothing. A table in
    a cell stands on lines of its own.
7.  In `pre listing xmp plaintext textarea` white space stays as it is, line ends as CRLF. Empty
    lines at the beginning are dropped, and white space at the end.
8.  SVG: each `text` element is a line of its own.
9.  XML (`xml=True`): elements are known by their local names. Where the root element is neither
    `html` nor `svg`, all character data is text, and white space with a line end in it is a line
    end.
"""

from __future__ import annotations

import re

from permacite.markup import references
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
from permacite.markup.rendition import Rendition, Writer
from permacite.markup.tokenizer import tokenize
from permacite.markup.tokens import EndTag, StartTag, Text
from permacite.scan import compile_pattern

__all__ = ["RENDITION_VERSION", "plain_text", "title"]

RENDITION_VERSION = 1
"""What text positions are counted by; every stored rendition names it."""

_BREAKS = dict.fromkeys(BLOCKS, 1) | dict.fromkeys(PARAGRAPHS, 2)
"""How many line ends stand between the text before and after the start or end of an element."""

_NOTED = LEFT_OUT | CELLS | _BREAKS.keys() | {"br", "dialog"}
"""Elements that matter without any attribute."""

_WHITE_SPACE = "\t\n\f\r "
_RUNS = r"[\t\n\f\r ]{2,}+|[\t\n\f\r\x00]"
_SPECIAL_RAW = compile_pattern(_RUNS)
_SPECIAL = compile_pattern(rf"{_RUNS}|{references.REFERENCE.pattern}")
_LINES_RAW = compile_pattern(r"\r\n?+|[\n\x00]")
_LINES = compile_pattern(rf"{_LINES_RAW.pattern}|{references.REFERENCE.pattern}")
_LINE_END = compile_pattern(r"\r\n?+|\n")
_RUN = compile_pattern(r"[\t\n\f\r ]++")
_BLANK = compile_pattern(r"[\t\f ]*+")


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
    return renderer.finish()


def _local(name: str) -> str:
    return name.rpartition(":")[2]


class _Renderer:
    """What is known between two tokens: what was written, and the white space that waits.

    White space is written when the next visible character comes, so that what waits at the end of a
    line or of the page is never written at all.
    """

    __slots__ = (
        "breaks",
        "done",
        "held",
        "other_xml",
        "paragraph",
        "pre",
        "rows",
        "seen_root",
        "skip",
        "source",
        "space",
        "tabs",
        "writer",
        "xml",
    )

    def __init__(self, source: str, *, xml: bool) -> None:
        self.source = source
        self.xml = xml
        self.writer = Writer(source)
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
            self.other_xml = self.xml and name not in ("html", "svg")
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
            self.rows.append(self.writer.length)

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
                self.rows[-1:] = [self.writer.length] if self.rows else []

    def _left_out(self, skip: Skip, tag: StartTag | EndTag, name: str) -> bool:
        """Ask what is left out whether it ends here, and whether the tag is part of it."""
        place = skip.place(tag, name)
        if place != "inside":
            self.skip = None
        return place != "behind"

    def _break(self, name: str) -> None:
        self.held.clear()
        self.space = None
        lines = _BREAKS[name]
        if self.paragraph and name in BEHIND_P:
            self.paragraph, lines = False, 2
        if name in TABLE_PARTS:
            self.tabs = 0
            if self.rows and self.writer.length > self.rows[-1]:
                self.breaks = 0
            if self.rows and name != "table":
                self.rows[-1] = self.writer.length
        if not self.tabs:
            self.breaks = max(self.breaks, lines)

    def _line_end(self, tag: StartTag | EndTag) -> None:
        self.space = None
        if self.pre:
            self.held.append(("\r\n", tag.start, tag.end))
        elif not self.tabs:
            self.breaks = min(2, self.breaks + 1)

    def _cell(self) -> None:
        self.held.clear()
        if self.rows and self.writer.length > self.rows[-1]:
            self.breaks, self.space = 0, None
            self.tabs += 1

    # ------------------------------------------------------------ characters
    def text(self, token: Text) -> None:
        if self.skip is not None:
            return
        start, end = token.start, token.end
        blank = _RUN.match(self.source, start, end)
        if blank is not None and blank.end() == end and not self.pre:
            self._white_space(start, end)
            return
        if token.mode == "cdata":
            start += len("<![CDATA[")
            end -= 3 * self.source.startswith("]]>", end - 3, end)
        raw = token.mode not in ("data", "rcdata")
        if self.pre:
            self._preformatted(start, end, _LINES_RAW if raw else _LINES)
        else:
            self._collapsed(start, end, _SPECIAL_RAW if raw else _SPECIAL)

    def _collapsed(self, start: int, end: int, special: re.Pattern[str]) -> None:
        """Write text whose white space collapses."""
        source = self.source
        for found in special.finditer(source, start, end):
            at = found.start()
            if start < at:
                self._words(start, at)
            start = found.end()
            if source[at] == "&":
                start = self._reference(found)
            elif source[at] != "\x00":
                self._white_space(at, start)
        if start < end:
            self._words(start, end)

    def _words(self, start: int, end: int) -> None:
        """Write characters whose white space is single spaces."""
        source = self.source
        if source[start] == " ":
            self._white_space(start, start + 1)
            start += 1
        trailing = start < end and source[end - 1] == " "
        end -= trailing
        if start < end:
            self._separate(start)
            self.writer.copy(start, end)
            self.done = end
        if trailing:
            self._white_space(end, end + 1)

    def _white_space(self, start: int, end: int) -> None:
        """Take note of a run of white space that collapses."""
        if self.other_xml and _LINE_END.search(self.source, start, end):
            self.breaks = 1
        elif self.space is None:
            self.space = start, end

    def _preformatted(self, start: int, end: int, lines: re.Pattern[str]) -> None:
        """Write text whose white space counts."""
        source = self.source
        for found in lines.finditer(source, start, end):
            at = found.start()
            self._line(start, at)
            start = found.end()
            if source[at] == "&":
                start = self._reference(found)
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

    def _reference(self, found: re.Match[str]) -> int:
        """Write a reference, and return where what follows it begins."""
        start = found.start()
        value, end = references.resolve(found, xml=self.xml) or (found.group(), found.end())
        if value not in _WHITE_SPACE:
            self._separate(start)
            self._piece(value, start, end)
            self.done = end
        elif self.pre:
            self.held.append(("\r\n" if value in "\r\n" else value, start, end))
        else:
            self._white_space(start, end)
        return end

    def _separate(self, start: int) -> None:
        """Write the white space that waits before the visible character at `start`."""
        if self.breaks or self.tabs or not self.writer.length:
            self._drop_empty_lines()
        if self.writer.length:
            self._gap(self.held[0][1] if self.held else start)
        self.breaks = self.tabs = 0
        self.space = None
        for piece in self.held:
            self._piece(*piece)
        self.held.clear()

    def _gap(self, start: int) -> None:
        """Write what sets the last written character apart from the one at `start`."""
        if self.breaks:
            self.writer.invent("\r\n" * self.breaks, self.done, start)
        elif self.tabs:
            self.writer.invent("\t" * self.tabs, self.done, start)
        elif self.space is not None:
            self._piece(" ", *self.space)

    def _drop_empty_lines(self) -> None:
        """Drop the white space that waits up to the last line end: a block begins here."""
        ends = [index for index, piece in enumerate(self.held) if piece[0] == "\r\n"]
        if ends:
            del self.held[: ends[-1] + 1]

    def _piece(self, text: str, start: int, end: int) -> None:
        """Write `text`, for the source from `start` to `end`."""
        if self.source.startswith(text, start) and end - start == len(text):
            self.writer.copy(start, end)
        elif self.source.startswith("<", start):
            self.writer.invent(text, start, end)
        else:
            self.writer.replace(text, start, end)

    def finish(self) -> Rendition:
        """End the last line and return the text."""
        if self.writer.length:
            self.writer.invent("\r\n", self.done, len(self.source))
        return self.writer.rendition(RENDITION_VERSION)


def title(source: str, *, xml: bool = False) -> str | None:
    """Return the title of a page, white space collapsed; None where it has none."""
    inside = 0
    pieces: list[str] | None = None
    for token in tokenize(source, xml=xml):
        if isinstance(token, StartTag):
            name = _local(token.name) if xml else token.name
            inside += name in ("svg", "math") and not token.self_closing
            if name == "title" and not inside:
                pieces = []
        elif isinstance(token, EndTag):
            name = _local(token.name) if xml else token.name
            inside -= name in ("svg", "math") and inside > 0
            if pieces is not None and name == "title":
                break
        elif isinstance(token, Text) and pieces is not None:
            pieces.append(token.data)
    return " ".join(re.split(r"[\t\n\f\r ]+", "".join(pieces or ()))).strip(" ") or None
