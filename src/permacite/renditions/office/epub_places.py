"""Where the entries of an EPUB's tables of contents lead: to ids in its pages, and page breaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.markup import StartTag
from permacite.renditions.office.elements import read_elements
from permacite.renditions.office.zipped import target_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.markup import Document
    from permacite.renditions.office.elements import Attributes

__all__ = ["Entry", "contents_of", "page_places", "places_of"]

_LONGEST_NAME = 200
_NAVS = {"toc": "chapter", "page-list": "page"}
_BREAK = "pagebreak"


class Entry(NamedTuple):
    """An entry of a table of contents, or of a list of pages."""

    kind: str
    level: int
    """From 0; pages have 0."""
    name: str
    path: str
    fragment: str


def contents_of(content: bytes, path: str) -> list[Entry]:
    """The entries of a navigation document of EPUB 3 or an NCX. Raises ParseError."""
    reader = _Reader(path)
    read_elements(content, reader.start, reader.end, reader.text)
    return reader.entries


class _Reader:
    """Entries as they are read: of `nav` the links, of an NCX its points and targets."""

    def __init__(self, path: str) -> None:
        self.entries: list[Entry] = []
        self._path = path
        self._kind: str | None = None
        self._navs = 0
        """How many `nav` are open."""
        self._depth = 0
        self._words: list[str] | None = None
        self._target = ""
        self._names: list[str] = []
        """Of each open point of an NCX its name."""

    def start(self, name: str, attributes: Attributes) -> None:
        """Begin an element."""
        if name == "html:nav":
            self._navs += 1
            types = attributes.get("epub:type", "").split()
            self._kind = next((_NAVS[each] for each in types if each in _NAVS), None)
            self._depth = 0
        elif self._kind and name == "html:ol":
            self._depth += 1
        elif self._kind and name == "html:a":
            self._words, self._target = [], attributes.get("href", "")
        elif name in {"ncx:navPoint", "ncx:pageTarget"}:
            self._depth += 1
            self._names.append("")
        elif name == "ncx:text" and self._names:
            self._words = []
        elif name == "ncx:content" and self._names:
            is_page = self._kind == "page"
            self._add(attributes.get("src", ""), self._names[-1], self._depth, is_page=is_page)
        elif name == "ncx:pageList":
            self._kind = "page"

    def end(self, name: str) -> None:
        """End it."""
        if name in {"html:nav", "ncx:pageList"}:
            self._kind = None
        elif self._kind and name == "html:ol":
            self._depth -= 1
        elif name == "html:a" and self._words is not None:
            words, self._words = "".join(self._words), None
            self._add(self._target, words, self._depth, is_page=self._kind == "page")
        elif name in {"ncx:navPoint", "ncx:pageTarget"}:
            self._depth -= 1
            self._names.pop()
        elif name == "ncx:text" and self._words is not None:
            self._names[-1] = self._names[-1] or "".join(self._words)
            self._words = None

    def text(self, data: str) -> None:
        """Take characters."""
        if self._words is not None:
            self._words.append(data)

    def _add(self, reference: str, name: str, depth: int, *, is_page: bool) -> None:
        words = " ".join(name.split())[:_LONGEST_NAME]
        if not words or not reference:
            return
        path, fragment = target_of(reference, self._path)
        level = 0 if is_page else max(0, depth - 1)
        kind = "page" if is_page else "section" if level else "chapter"
        self.entries.append(Entry(kind, level, words, path, fragment))


def places_of(document: Document, ids: set[str]) -> dict[str, int]:
    """Where elements with these ids (or the `name` of an `a`) begin in the source of a page."""
    places: dict[str, int] = {}
    if ids:
        for token in document.tokens():
            if isinstance(token, StartTag):
                name = token.get("id")
                if name is None and token.name == "a":
                    name = token.get("name")
                if name in ids:
                    places.setdefault(name or "", token.start)
    return places


def page_places(document: Document) -> Iterator[tuple[str, int]]:
    """The page breaks in a page: their names, and where they stand in its source."""
    if _BREAK not in document.source:
        return
    for token in document.tokens():
        if isinstance(token, StartTag) and _BREAK in document.source[token.start : token.end]:
            types = f"{token.get('epub:type') or ''} {token.get('role') or ''}".split()
            name = token.get("title") or token.get("aria-label") or ""
            words = " ".join(name.replace("\x00", "").split())[:_LONGEST_NAME]
            if words and (_BREAK in types or "doc-pagebreak" in types):
                yield words, token.start
