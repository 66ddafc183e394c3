"""Selections in the reader's frame, located in the document's text.

The frame counts the characters from its start to both ends of the selection. Here the same
characters are counted in the source. White space, U+0000 and U+FFFD are not counted, because trees
and style sheets move those, and nothing else. The characters around the ends, and a checksum of
those between, must agree. So the citation has exactly the selected words, or there is none.

A browser moves some text to another place in its tree: words in a table outside its cells, the
content of a template. After such text the count is wrong. Then the same characters are searched
near the place, and accepted if their context agrees too.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from bisect import bisect_right
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from permacite import mhtml
from permacite.errors import NotFoundError
from permacite.lazy_dataclass import dataclass
from permacite.markup import Document, EndTag, StartTag, Text, references
from permacite.scan import compile_pattern
from permacite.service.labels import drawn_map_of
from permacite.service.reader import sheets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive.model.answered import Representation
    from permacite.archive.repository import Repository
    from permacite.renditions.drawn import DrawnMap
    from permacite.service.reader.pages import FrameView
    from permacite.text.entity import DocumentText

__all__ = [
    "CountedCharacters",
    "CountedPage",
    "CountedText",
    "Place",
    "Selected",
    "find",
    "shortened",
    "shown",
    "size",
]

_LEFT_OUT = compile_pattern("[\t\n\f\r \x00\ufffd]+")
_SILENT = frozenset({"script", "style", "textarea", "title"})
"""Elements whose characters the frame does not count."""

_CDATA = len("<![CDATA[")
_TRIES = 8
"""How many places before and behind a wrong count are looked at."""

_NEAR = (64, 16)
"""How many characters around an end of the selection are to agree: as many as the frame tells, or
fewer, where some of them were moved."""

_ENDS = 300
"""How many characters are shown of either end of a long selection."""


_OF_TEXT_BYTES = 75
"""How much is kept of each text of a page, about: 25, and as much for each of two in the map."""


@dataclass(frozen=True, slots=True)
class Selected:
    """A selection as the frame tells it; `start` and `end` count characters from the first."""

    start: int
    end: int
    head: str
    """The first characters of the selection."""
    before: str
    after: str
    checksum: int
    """CRC-32 of the selected characters in UTF-8."""


@dataclass(frozen=True, slots=True)
class Place:
    """What would be cited for a selection: words of the document's text, and their place."""

    char: str
    """`start,end`, as `cite` takes it."""
    words: str
    """What stands there, shortened in its middle."""


class CountedCharacters(Protocol):
    """The counted characters of a document, and their positions in its text."""

    words: str
    count: int
    """How many pieces the words are in."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where in the text the characters from `start` to `end` stand."""


def shown(repository: Repository, view: FrameView, text: Representation) -> CountedCharacters:
    """What the frame shows of a document, counted; `text` is what is cited of it."""
    cited = repository.contents.text(text)
    if view.drawn is not None:
        places = drawn_map_of(repository, text)
        if places is not None:
            root = mhtml.open(repository.contents.read(view.drawn)).root
            return _CountedDrawnPage(Document(root.content, "text/html", "utf-8"), places)
    if view.is_page:
        document = Document.of(repository.contents.text(view.main), view.main.media_type)
        document.tokens()  # kept for both who need them: the rendition, and what is counted
        if document.reading.rendition.text == cited.text:
            return CountedPage(document)
    if view.paper is not None and view.paper.text is not None:
        leaf = sheets.leaf(repository, view.paper, sheets.PageRequest(view.fragment))
        start, end = sheets.span_of(repository, view.paper, leaf.number)
        return CountedText(cited.words(start, end), start)
    return CountedText(cited.text)


def size(places: CountedCharacters) -> int:
    """How many octets places take in memory, about: their words, source and text, and the map."""
    return 3 * sys.getsizeof(places.words) + _OF_TEXT_BYTES * places.count


def shortened(document: DocumentText, start: int, end: int) -> str:
    """The words from `start` to `end`, of many the first and the last."""
    if end - start <= 2 * _ENDS:
        return document.words(start, end)
    return f"{document.words(start, start + _ENDS)} … {document.words(end - _ENDS, end)}"


def find(places: CountedCharacters, selected: Selected) -> tuple[int, int]:
    """Where in the text a selection stands. Raises NotFoundError where nothing is sure."""
    length = selected.end - selected.start
    for start in _candidates(places.words, selected, length):
        words = places.words[start : start + length]
        if len(words) == length and zlib.crc32(words.encode()) == selected.checksum:
            found = places.span(start, start + length)
            if found[0] == found[1]:
                raise NotFoundError("what is selected is shown, but is no text of the page", words)
            return found
    raise NotFoundError(
        "what is selected does not stand in one stretch in the document; select less of it",
        selected.head,
    )


def _candidates(words: str, selected: Selected, length: int) -> Iterator[int]:
    """Where a selection may begin, the likeliest place first."""
    start, head = selected.start, selected.head
    if words.endswith(selected.before, 0, start):
        yield start
    for near in _NEAR:
        before, after = selected.before[-near:], selected.after[:near]
        yield from (at + len(before) for at in _around(words, before + head, start))
        if length <= len(head):
            yield from _around(words, head + after, start)
    if words.count(head) == 1:
        yield words.find(head)


def _around(words: str, wanted: str, place: int) -> Iterator[int]:
    """Where `wanted` stands, near `place` first."""
    below = above = place
    for _ in range(_TRIES):
        if above >= 0:
            above = words.find(wanted, above)
            if above >= 0:
                yield above
                above += 1
        if below >= 0:
            below = words.rfind(wanted, 0, below + len(wanted) - 1)
            if below >= 0:
                yield below


class CountedText:
    """A text, which the frame shows as it is."""

    def __init__(self, text: str, start: int = 0) -> None:
        """`start`: where it begins in the text that is cited."""
        self._start = start
        self._text = text
        self._counts = array("q", [0])
        """How many characters are counted up to each line."""
        self._starts = array("q", [0])
        pieces: list[str] = []
        place = 0
        for line in text.splitlines(keepends=True):
            pieces.append(_LEFT_OUT.sub("", line))
            place += len(line)
            self._counts.append(self._counts[-1] + len(pieces[-1]))
            self._starts.append(place)
        self.words = "".join(pieces)
        self.count = len(pieces)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where in the text the characters from `start` to `end` stand."""
        return self._start + self._offset(start), self._start + self._offset(end - 1) + 1

    def _offset(self, count: int) -> int:
        line = bisect_right(self._counts, count) - 1
        offset = self._starts[line]
        wanted = (
            index
            for index in range(offset, len(self._text))
            if not _LEFT_OUT.match(self._text, index)
        )
        return next(islice(wanted, count - self._counts[line], None))


class CountedPage:
    """A page: characters between tags, which the frame shows, and their source."""

    def __init__(self, document: Document) -> None:
        self._source = document.source
        self._rendition = document.reading.rendition
        self._counts = array("q", [0])
        """How many characters are counted up to each of the texts, and in all."""
        self._starts, self._ends = array("q"), array("q")
        """Where each of them stands in the source."""
        self._is_cdata, self._is_data = bytearray(), bytearray()
        self._xml = document.is_xml
        pieces: list[str] = []
        for text in _shown(document):
            piece = _LEFT_OUT.sub("", text.data)
            if piece:
                pieces.append(piece)
                self._starts.append(text.start)
                self._ends.append(text.end)
                self._is_cdata.append(text.mode == "cdata")
                self._is_data.append(text.mode == "data")
                self._counts.append(self._counts[-1] + len(piece))
        self.words = "".join(pieces)
        self.count = len(pieces)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where in the text the characters from `start` to `end` stand; empty if in none of it."""
        return self._rendition.text_range(self._source_of(start)[0], self._source_of(end - 1)[1])

    def _source_of(self, count: int) -> tuple[int, int]:
        """Offset in the source of the character number `count`."""
        index = bisect_right(self._counts, count) - 1
        start, end = self._starts[index], self._ends[index]
        if self._is_cdata[index]:
            start += _CDATA
            end -= 3 * self._source.endswith("]]>", start, end)
        value, offsets = references.decode_mapped(
            self._source[start:end], xml=self._xml, references=bool(self._is_data[index])
        )
        counted = (at for at, character in enumerate(value) if not _LEFT_OUT.match(character))
        at = next(islice(counted, count - self._counts[index], None))
        return start + offsets[at], start + offsets[at + 1]


class _CountedDrawnPage(CountedPage):
    """A page as a browser drew it: its map gives the positions of its characters.

    What is in its frames and shadow roots is not counted, as the frame does not either.
    """

    def __init__(self, document: Document, places: DrawnMap) -> None:
        super().__init__(document)
        self._places = places

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where in the words the characters from `start` to `end` stand; empty if in none."""
        first, last = (
            self._places.position(0, self._source_of(count)[0]) for count in (start, end - 1)
        )
        return (0, 0) if first is None or last is None or last < first else (first, last + 1)


def _shown(document: Document) -> Iterator[Text]:
    """The texts that the frame counts: see `mhtml.export.page` for what it is given."""
    inside, templates = "", 0
    for token in document.tokens():
        if isinstance(token, StartTag):
            name = _local(token.name) if document.is_xml else token.name
            inside = "" if document.is_xml and token.self_closing else name
            templates += name == "template"
        elif isinstance(token, EndTag):
            name = _local(token.name) if document.is_xml else token.name
            inside = ""
            templates -= name == "template" and templates > 0
        elif isinstance(token, Text):
            is_read = token.mode in ("data", "cdata", "plaintext")
            if templates == 0 and inside not in _SILENT and (is_read or inside == "xmp"):
                yield token


def _local(name: str) -> str:
    return name.rpartition(":")[2].lower()
