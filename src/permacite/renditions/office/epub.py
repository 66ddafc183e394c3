"""Rendition of EPUB, books of pages in a zip (EPUB 2.0.1 and 3.x).

docs/explanation/the-words-of-books.md explains these rules, which are frozen: `epub-text/1`.

1.  The text is that of the pages in the spine, in its order, those that are not linear included.
    Each page has the text that the rules of pages give it (`permacite.markup.plain`, version 1);
    what is no page, such as a picture, has none. An empty line separates two pages.
2.  A page that is in the spine twice is written once, at its first place.
3.  Labels. The entries of the table of contents (`nav` of EPUB 3, else the NCX) name the text from
    the place that they lead to up to the next such place of their level or above: "chapter", and
    "section" below that. The entries of the list of pages (`page-list`, `pageList`) name the pages
    of a printed book, up to the next; where there is none, elements that are page breaks do
    (`epub:type="pagebreak"`, `role="doc-pagebreak"`), by `title` or `aria-label`. The target is the
    reference, from the root of the zip.
4.  What is encrypted is no text, and is reported; so is a layout that is fixed, where the order of
    words is that of the file, and a page that is missing.
5.  The package states title, authors, date, publisher, language and identifiers; of `dc:creator`
    those whose role is to have written it, or who have none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from permacite.bibliography import Claim, Place
from permacite.errors import ParseError
from permacite.markup import Document, StartTag
from permacite.media_types import PAGES
from permacite.renditions.model import Label, Notice, Rendered, Rendition
from permacite.renditions.office.packages import Zipped, preload, read_elements, target_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.renditions.model import Original
    from permacite.renditions.office.packages import Attributes

__all__ = ["EPUB_TEXT_1", "NavigationEntry", "contents_of", "page_places", "places_of"]


_LONGEST_NAME = 200
_NAVS = {"toc": "chapter", "page-list": "page"}
_BREAK = "pagebreak"


class NavigationEntry(NamedTuple):
    """An entry of a table of contents, or of a list of pages."""

    kind: str
    level: int
    """From 0; pages have 0."""
    name: str
    path: str
    fragment: str


def contents_of(content: bytes, path: str) -> list[NavigationEntry]:
    """The entries of a navigation document of EPUB 3 or an NCX. Raises ParseError."""
    reader = _NavigationReader(path)
    read_elements(content, reader.start, reader.end, reader.text)
    return reader.entries


class _NavigationReader:
    """Entries as they are read: of `nav` the links, of an NCX its points and targets."""

    def __init__(self, path: str) -> None:
        self.entries: list[NavigationEntry] = []
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
        self.entries.append(NavigationEntry(kind, level, words, path, fragment))


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
    """The page breaks in a page: their names, and their places in its source."""
    if _BREAK not in document.source:
        return
    for token in document.tokens():
        if isinstance(token, StartTag) and _BREAK in document.source[token.start : token.end]:
            types = f"{token.get('epub:type') or ''} {token.get('role') or ''}".split()
            name = token.get("title") or token.get("aria-label") or ""
            words = " ".join(name.replace("\x00", "").split())[:_LONGEST_NAME]
            if words and (_BREAK in types or "doc-pagebreak" in types):
                yield words, token.start


_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_FIELDS = {
    "dc:title": "title",
    "dc:creator": "author",
    "dc:date": "issued",
    "dc:publisher": "publisher",
    "dc:language": "language",
    "dc:identifier": "identifier",
}
_NAMED = 20
"""How many parts that are missing are told by name."""
_OTHER_DATES = frozenset({"modification", "creation"})


@dataclass(slots=True)
class _Item:
    path: str
    media_type: str
    properties: str


@dataclass(slots=True)
class _Book:
    """The package document, and what it leads to."""

    path: str
    items: dict[str, _Item] = field(default_factory=dict)
    spine: list[str] = field(default_factory=list)
    toc: str = ""
    is_fixed: bool = False
    claims: list[Claim] = field(default_factory=list)
    pages: list[tuple[str, bytes, str]] = field(default_factory=list)
    """The pages of the spine: name, content, media type."""
    entries: list[NavigationEntry] = field(default_factory=list)
    encrypted: set[str] = field(default_factory=set)
    missing: list[str] = field(default_factory=list)


def _decode(original: Original) -> _Book:
    """Read the package and the pages that it names."""
    package = Zipped(original.content)
    if _CONTAINER not in package:
        raise ParseError(f"expected an EPUB, found no {_CONTAINER}", "", 0)
    book = _package(package, _root_file(package.read(_CONTAINER)))
    if _ENCRYPTION in package:
        book.encrypted = _encrypted(package.read(_ENCRYPTION))
    for name in dict.fromkeys(book.spine):
        item = book.items.get(name)
        if item is None or item.path not in package:
            book.missing.append(name if item is None else item.path)
        elif item.media_type in PAGES and item.path not in book.encrypted:
            book.pages.append((item.path, package.read(item.path), item.media_type))
    if not book.pages:
        problem = "expected an EPUB with pages that can be read"
        hint = "it is encrypted" if book.encrypted else ""
        raise ParseError(problem, book.path, 0, hint=hint)
    for item in [each for each in book.items.values() if "nav" in each.properties.split()] or [
        each for name, each in book.items.items() if name == book.toc
    ]:
        if item.path in package and item.path not in book.encrypted:
            try:
                book.entries += contents_of(package.read(item.path), item.path)
            except ParseError:
                book.missing.append(item.path)
    return book


def _nothing(_: str) -> None:
    """Take no note."""


def _root_file(container: bytes) -> str:
    paths: list[str] = []

    def start(name: str, attributes: Attributes) -> None:
        if name == "ocf:rootfile" and "full-path" in attributes:
            paths.append(attributes["full-path"])

    read_elements(container, start, _nothing, _nothing)
    if not paths:
        raise ParseError("expected an EPUB that names its package", _CONTAINER, 0)
    return paths[0]


def _encrypted(content: bytes) -> set[str]:
    """The entries that are encrypted: fonts that are merely obfuscated are too."""
    paths: set[str] = set()

    def start(name: str, attributes: Attributes) -> None:
        if name == "enc:CipherReference":
            paths.add(target_of(attributes.get("URI", ""), "")[0])

    read_elements(content, start, _nothing, _nothing)
    return paths


def _package(package: Zipped, path: str) -> _Book:
    """Read the package document."""
    if path not in package:
        raise ParseError("expected an EPUB, found no package document", path, 0)
    book = _Book(path)
    reader = _PackageReader(book)
    read_elements(package.read(path), reader.start, reader.end, reader.text)
    book.claims = reader.claims()
    return book


class _PackageReader:
    """What is read of a package document."""

    def __init__(self, book: _Book) -> None:
        self._book = book
        self._words: list[str] = []
        self._attributes: Attributes = {}
        self._property = ""
        self._claims: list[tuple[str, Claim]] = []
        """Each with the id of its element."""
        self._roles: dict[str, str] = {}

    def start(self, name: str, attributes: Attributes) -> None:
        """Take note of an element."""
        book = self._book
        self._words = []
        if name == "opf:item":
            target = target_of(attributes.get("href", ""), book.path)[0]
            item = _Item(target, attributes.get("media-type", ""), attributes.get("properties", ""))
            book.items.setdefault(attributes.get("id", ""), item)
        elif name == "opf:itemref":
            book.spine.append(attributes.get("idref", ""))
        elif name == "opf:spine":
            book.toc = attributes.get("toc", "")
        elif name == "opf:meta":
            self._property = attributes.get("property", "")
            book.is_fixed |= attributes.get("name") == "fixed-layout" and (
                attributes.get("content") == "true"
            )
            self._attributes = attributes
        elif name in _FIELDS:
            self._attributes = attributes

    def text(self, data: str) -> None:
        """Take note of characters."""
        self._words.append(data)

    def end(self, name: str) -> None:
        """Take note of what an element states."""
        value = " ".join("".join(self._words).split())[:2000]
        self._words = []
        attributes = self._attributes
        if name == "opf:meta":
            self._book.is_fixed |= self._property == "rendition:layout" and value == "pre-paginated"
            if self._property == "role":
                self._roles[attributes.get("refines", "").removeprefix("#")] = value
        elif name in _FIELDS and value and attributes.get("opf:event") not in _OTHER_DATES:
            number = attributes.get("id", "")
            if "opf:role" in attributes:
                self._roles[number or f" {len(self._claims)}"] = attributes["opf:role"]
                number = number or f" {len(self._claims)}"
            claim = Claim(_FIELDS[name], value, Place("EPUB", name))
            self._claims.append((number, claim))

    def claims(self) -> list[Claim]:
        """The claims of the package; contributors who are no authors are left out."""
        return [
            claim
            for number, claim in self._claims
            if claim.field != "author" or self._roles.get(number, "aut") == "aut"
        ]


def _render(book: _Book) -> Rendered:
    parts: list[str] = []
    length = 0
    targets = {(entry.path, entry.fragment) for entry in book.entries}
    lists_pages = any(entry.kind == "page" for entry in book.entries)
    found: dict[tuple[str, str], int] = {}
    breaks: list[NavigationEntry] = []
    for path, content, media_type in book.pages:
        document = Document(content, media_type)
        wanted = {fragment for at, fragment in targets if at == path and fragment}
        places = places_of(document, wanted)  # before the reading, which takes the tokens then
        rendition = document.reading.rendition
        if parts and rendition.text:
            parts.append("\r\n")
            length += 2
        found[path, ""] = length
        for fragment, place in places.items():
            found[path, fragment] = length + rendition.text_range(place, place)[0]
        if not lists_pages:
            for name, place in page_places(document):
                fragment = f"\x00{place}"
                found[path, fragment] = length + rendition.text_range(place, place)[0]
                breaks.append(NavigationEntry("page", 0, name, path, fragment))
        parts.append(rendition.text)
        length += len(rendition.text)
    text = "".join(parts)
    return Rendered(
        text,
        _labels(text, [*book.entries, *breaks], found),
        title=next((claim.value for claim in book.claims if claim.field == "title"), None),
        stated=tuple(book.claims),
        notices=tuple(_notices(book, text)),
    )


def _labels(
    text: str, entries: list[NavigationEntry], found: dict[tuple[str, str], int]
) -> tuple[Label, ...]:
    """Entries as labels, each up to the next place of its level or above."""
    labels = []
    for group in (
        [entry for entry in entries if entry.kind == "page"],
        [entry for entry in entries if entry.kind != "page"],
    ):
        placed = [
            (found.get((entry.path, entry.fragment), found.get((entry.path, ""))), number, entry)
            for number, entry in enumerate(group)
        ]
        ordered = sorted((at, number, entry) for at, number, entry in placed if at is not None)
        open_: list[tuple[int, NavigationEntry]] = []
        for at, _, entry in [*ordered, (len(text), 0, NavigationEntry("", -1, "", "", ""))]:
            while open_ and open_[-1][1].level >= entry.level:
                start, ended = open_.pop()
                label = _label(text, start, at, ended)
                if label is not None:
                    labels.append(label)
            open_.append((at, entry))
    return tuple(sorted(labels, key=lambda label: (label.start, -label.end)))


def _label(text: str, start: int, end: int, entry: NavigationEntry) -> Label | None:
    """The label of an entry, without white space around its text; None where it has none."""
    words = text[start:end]
    end = start + len(words.rstrip("\t\r\n "))
    start += len(words) - len(words.lstrip("\t\r\n "))
    if start >= end:
        return None
    fragment = "" if entry.fragment.startswith("\x00") else entry.fragment
    target = f"{entry.path}#{fragment}" if fragment else entry.path
    return Label(start, end, entry.kind, entry.name, target)


def _notices(book: _Book, text: str) -> list[Notice]:
    notices = []
    if book.is_fixed:
        told = "its layout is fixed: the order of words is that of the file, not of the eye"
        notices.append(Notice("fixed-layout", told))
    pages = {item.path for item in book.items.values() if item.media_type in PAGES}
    if book.encrypted & pages:
        told = f"{len(book.encrypted & pages)} pages are encrypted, and left out"
        notices.append(Notice("encrypted", told))
    elif book.encrypted:
        notices.append(Notice("fonts", "fonts or pictures are obfuscated or encrypted, no words"))
    if book.missing:
        notices.append(Notice("missing", f"missing or damaged: {', '.join(book.missing[:_NAMED])}"))
    if not text:
        notices.append(Notice("no-words", "there are no words in it"))
    return notices


EPUB_TEXT_1 = Rendition(
    "epub-text", 1, frozenset({"application/epub+zip"}), _decode, _render, preload=preload
)
