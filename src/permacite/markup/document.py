"""Document: markup that is read once, with its text, its tokens, title and metadata.

All callers take it from the same Document: decoding takes a while, and finding the
tokens of a page takes longer than all that is done with them.

| section | function |
|---|---|
| `permacite.markup.plain`, the text of a page | plain_text |
| HTML §4.2.2 the title element | title |
| HTML §4.4.4, §4.5.7 blockquote and q, with `cite` | PageReading.quotations |

Deviations: none.
Readings: a `title` of SVG is none of the page. Elements of one name are closed innermost first, and
what nobody closes goes on to the end.
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from permacite.charsets import of_codec
from permacite.markup.charset import sniff_charset
from permacite.markup.foreign import ROOTS
from permacite.markup.plain.render import Renderer
from permacite.markup.tokenizer import tokenize
from permacite.markup.tokens import EndTag, StartTag, Text
from permacite.media_types import PAGES, is_xml
from permacite.scan import compile_pattern
from permacite.text.entity import DocumentText

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permacite.markup.charset import Settled
    from permacite.markup.plain.rendition import Rendition, Run
    from permacite.markup.tokens import Token

__all__ = ["Document", "PageReading", "Quotation", "plain_text", "read_page", "title"]

_KEPT_CHARACTERS = 1 << 22
"""Tokens take a dozen times the memory of their source: those of longer pages are not kept."""

_QUOTING = frozenset({"blockquote", "q"})
_NOTED = _QUOTING | ROOTS.keys() | {"title"}
_WHITE_SPACE = compile_pattern(r"[\t\n\f\r ]+")


class Quotation(NamedTuple):
    """The content of an element that quotes, from `start` up to `end` in the source."""

    cite: str
    start: int
    end: int


class PageReading(NamedTuple):
    """What one pass over the tokens of a page gives."""

    rendition: Rendition
    title: str | None
    """White space collapsed; None where there is none."""
    quotations: tuple[Quotation, ...]
    """Of the elements with `cite`, in the order of their start tags."""


class Document:
    """Octets of a media type, decoded in one way; each part is made when it is first asked for."""

    def __init__(self, content: bytes, media_type: str, label: str | None = None) -> None:
        """Take octets that came in. `media_type` is without parameters; `label` is the charset."""
        self.media_type = media_type
        self.label = label
        self.content = content
        self._tokens: list[Token] | None = None

    @classmethod
    def of(cls, text: DocumentText, media_type: str) -> Document:
        """Return a document whose charset is settled already."""
        document = cls(b"", media_type)
        document.text = text
        return document

    @cached_property
    def settled(self) -> Settled:
        """The charset, and what settled it."""
        return sniff_charset(self.content, self.label, self.media_type)

    @cached_property
    def text(self) -> DocumentText:
        """The text, with the positions of a PDI."""
        return DocumentText(self.content, of_codec(self.settled.codec))

    @property
    def source(self) -> str:
        """All characters, line ends as they are stored: what offsets of markup count."""
        return self.text.stored

    @property
    def is_page(self) -> bool:
        """Whether this is HTML or XHTML."""
        return self.media_type in PAGES

    @property
    def is_xml(self) -> bool:
        """Whether its tags are those of XML."""
        return is_xml(self.media_type)

    def tokens(self) -> Iterable[Token]:
        """The tokens, kept for all who ask next, unless the document is very long."""
        if self._tokens is None:
            tokens = tokenize(self.source, xml=self.is_xml)
            if len(self.source) > _KEPT_CHARACTERS:
                return tokens
            self._tokens = list(tokens)
        return self._tokens

    @cached_property
    def reading(self) -> PageReading:
        """What a page says; tokens that nobody asked for before are not kept."""
        return read_page(self.source, xml=self.is_xml, tokens=self._tokens)

    @cached_property
    def title(self) -> str | None:
        """The title of a page; to find it, no more is read than up to its end."""
        known = self.__dict__.get("reading")
        return title(self.source, xml=self.is_xml) if known is None else known.title

    def runs(self, spans: Iterable[tuple[int, int]]) -> list[Run]:
        """The source places of (start, end) spans of the page's text, run by run.

        The page is read up to the last of them: a text grows at its end alone. Raises NotFoundError
        for a span outside the text.
        """
        spans = list(spans)
        known = self.__dict__.get("reading")
        if known is None:
            last = max((end for _, end in spans), default=0)
            known = read_page(self.source, xml=self.is_xml, tokens=self._tokens, until=last)
        return [run for span in spans for run in known.rendition.runs(*span)]


def read_page(
    source: str,
    *,
    xml: bool = False,
    tokens: Iterable[Token] | None = None,
    until: int = sys.maxsize,
) -> PageReading:
    """Read a page in one pass; `tokens` are its tokens, where they were found before.

    `until`: read no further once the text has so many characters. Linear in time for any source,
    and raises nothing.
    """
    renderer = Renderer(source, xml=xml)
    notes = _Notes(xml=xml)
    for token in tokenize(source, xml=xml) if tokens is None else tokens:
        if isinstance(token, Text):
            renderer.text(token)
            if notes.in_title:
                notes.words.append(token.data)
            if renderer.flow.writer.length >= until:
                break
        elif isinstance(token, StartTag):
            name = _local(token.name) if xml else token.name
            renderer.start(token, name)
            if name in _NOTED:
                notes.start(token, name)
        elif isinstance(token, EndTag):
            name = _local(token.name) if xml else token.name
            renderer.end(token, name)
            if name in _NOTED:
                notes.end(token, name)
    return PageReading(renderer.rendition(), notes.title, notes.quotations(len(source)))


def plain_text(source: str, *, xml: bool = False) -> Rendition:
    """The text of a page, with the map between it and `source`.

    `xml`: the page is XHTML, SVG or other XML, by its media type. Linear in time for any source,
    and raises nothing.
    """
    return read_page(source, xml=xml).rendition


def title(source: str, *, xml: bool = False) -> str | None:
    """The title of a page, white space collapsed; None where it has none."""
    notes = _Notes(xml=xml)
    for token in tokenize(source, xml=xml):
        if isinstance(token, StartTag):
            notes.start(token, _local(token.name) if xml else token.name)
        elif isinstance(token, EndTag):
            notes.end(token, _local(token.name) if xml else token.name)
            if notes.is_titled:
                break
        elif isinstance(token, Text) and notes.in_title:
            notes.words.append(token.data)
    return notes.title


def _local(name: str) -> str:
    return name.rpartition(":")[2]


class _Begun(NamedTuple):
    """An element that quotes and is open, the `number`th of all."""

    number: int
    cite: str | None
    start: int


class _Notes:
    """What is noted of a page that is being read: its title, and the elements that quote."""

    __slots__ = ("_closed", "_count", "_foreign", "_open", "_xml", "in_title", "is_titled", "words")

    def __init__(self, *, xml: bool) -> None:
        self._xml = xml
        self._foreign = 0
        """How many svg and math elements are open."""
        self.in_title = self.is_titled = False
        self.words: list[str] = []
        self._count = 0
        self._open: dict[str, list[_Begun]] = {name: [] for name in _QUOTING}
        self._closed: list[tuple[_Begun, int]] = []

    @property
    def title(self) -> str | None:
        """The words of the title."""
        return _WHITE_SPACE.sub(" ", "".join(self.words)).strip(" ") or None

    def quotations(self, end: int) -> tuple[Quotation, ...]:
        """What is quoted in a source that goes on up to `end`."""
        left = [(begun, end) for several in self._open.values() for begun in several]
        return tuple(
            Quotation(begun.cite, begun.start, stop)
            for begun, stop in sorted(self._closed + left)
            if begun.cite is not None
        )

    def start(self, tag: StartTag, name: str) -> None:
        """Take note of a start tag."""
        if name in ROOTS:
            self._foreign += not tag.self_closing
        elif name == "title":
            if not self._foreign and not self.is_titled:
                self.in_title, self.words = True, []
        elif name in _QUOTING:
            begun = _Begun(self._count, tag.get("cite"), tag.end)
            self._count += 1
            if self._xml and tag.self_closing:
                self._closed.append((begun, tag.end))
            else:
                self._open[name].append(begun)

    def end(self, tag: EndTag, name: str) -> None:
        """Take note of an end tag."""
        if name in ROOTS:
            self._foreign -= self._foreign > 0
        elif name == "title":
            self.is_titled = self.is_titled or self.in_title
            self.in_title = False
        elif name in _QUOTING and self._open[name]:
            self._closed.append((self._open[name].pop(), tag.start))
