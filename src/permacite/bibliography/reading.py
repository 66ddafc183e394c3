"""Claims of a page about itself, gathered in one pass over its tokens; those of meta elements.

| specification | table |
|---|---|
| Google Scholar, Inclusion Guidelines for Webmasters | citation_* |
| PRISM 3.0 Basic Metadata | prism.* |
| DCMI, Expressing Dublin Core in HTML | dc.*, dcterms.* |
| ogp.me | og:*, article:*, book:* |
| HTML §4.2.5.1 standard metadata names | author, and common names beside it |

Deviations: none. Readings: names are compared in small letters. An author that is an address is no
name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.bibliography import schema_org
from permacite.bibliography.model import Claim, Place
from permacite.bibliography.schema_org import Microdata, json_ld_items
from permacite.markup import EndTag, StartTag, Text
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permacite.markup import Document, Token

__all__ = ["gather"]


_HIGHWIRE = {
    "title": "title",
    "author": "author",
    "authors": "author",
    "editor": "editor",
    "publication_date": "issued",
    "date": "issued",
    "online_date": "created",
    "cover_date": "issued",
    "year": "issued",
    "journal_title": "container",
    "conference_title": "container",
    "inbook_title": "container",
    "book_title": "container",
    "publisher": "publisher",
    "dissertation_institution": "publisher",
    "technical_report_institution": "publisher",
    "language": "language",
    "doi": "doi",
    "isbn": "isbn",
    "issn": "issn",
    "volume": "volume",
    "issue": "issue",
    "firstpage": "first page",
    "lastpage": "last page",
    "pages": "pages",
}
_NAMES = {
    "prism": {
        "title": "title",
        "publicationname": "container",
        "publicationdate": "issued",
        "coverdate": "issued",
        "doi": "doi",
        "isbn": "isbn",
        "issn": "issn",
        "eissn": "issn",
        "volume": "volume",
        "number": "issue",
        "startingpage": "first page",
        "endingpage": "last page",
        "pagerange": "pages",
    },
    "Dublin Core": {
        "title": "title",
        "creator": "author",
        "publisher": "publisher",
        "issued": "issued",
        "date.issued": "issued",
        "date": "issued",
        "date.created": "created",
        "created": "created",
        "language": "language",
        "identifier": "identifier",
        "identifier.doi": "doi",
        "source": "identifier",
        "type": "kind",
    },
    "Open Graph": {
        "og:title": "title",
        "og:site_name": "site",
        "og:locale": "language",
        "og:type": "kind",
        "article:author": "author",
        "article:published_time": "issued",
        "article:published": "issued",
        "og:article:published_time": "issued",
        "og:article:author": "author",
        "book:author": "author",
        "book:isbn": "isbn",
        "book:release_date": "issued",
    },
    "meta": {
        "author": "author",
        "byl": "author",
        "parsely-author": "author",
        "sailthru.author": "author",
        "parsely-title": "title",
        "sailthru.title": "title",
        "twitter:title": "title",
        "date": "issued",
        "pubdate": "issued",
        "publishdate": "issued",
        "publish-date": "issued",
        "publication_date": "issued",
        "parsely-pub-date": "issued",
        "sailthru.date": "issued",
        "publisher": "publisher",
        "application-name": "site",
        "content-language": "language",
    },
}
_KINDS = {
    "citation_journal_title": "article-journal",
    "citation_conference_title": "paper-conference",
    "citation_inbook_title": "chapter",
    "citation_dissertation_institution": "thesis",
    "citation_technical_report_institution": "report",
    "citation_isbn": "book",
    "prism.publicationname": "article-journal",
}
"""What the presence of a name says of the kind of document."""
_HIGHWIRE_NAME = compile_pattern(r"^(?:citation|bepress_citation|eprints\.citation)_(.+)$")
_PREFIXED = compile_pattern(r"^(prism|dc|dcterms)[.:](.+)$")
_IS_ADDRESS = compile_pattern(r"(?i)^(?:https?:)?//")


def meta_claims(tag: StartTag) -> Iterator[Claim]:
    """What one meta element states."""
    content = " ".join((tag.get("content") or "").split())
    if not content:
        return
    for attribute in ("name", "property", "http-equiv", "itemprop"):
        for typed in (tag.get(attribute) or "").split():
            yield from _claims(typed.lower(), content, tag.start)
        if tag.get(attribute):
            return


def _claims(name: str, content: str, start: int) -> Iterator[Claim]:
    vocabulary, field = _field(name)
    place = Place(vocabulary, name, start)
    if name in _KINDS:
        yield Claim("kind", _KINDS[name], place)
    if field is None or (field == "author" and _IS_ADDRESS.match(content)):
        return
    values = content.split(";") if name.endswith("citation_authors") else [content]
    for value in values:
        if value.strip():
            yield Claim(field, value.strip(), place)


def _field(name: str) -> tuple[str, str | None]:
    """The vocabulary of a name, and the field that it is for."""
    if found := _HIGHWIRE_NAME.match(name):
        return "citation_*", _HIGHWIRE.get(found[1])
    if found := _PREFIXED.match(name):
        vocabulary = "prism" if found[1] == "prism" else "Dublin Core"
        return vocabulary, _NAMES[vocabulary].get(found[2].removeprefix("terms."))
    for vocabulary in ("Open Graph", "meta"):
        if name in _NAMES[vocabulary]:
            return vocabulary, _NAMES[vocabulary][name]
    return "meta", None


_MOST = 5000
"""Claims that are kept of one page; each value is cut to `_LONGEST` characters."""
_LONGEST = 2000
_MOST_HEADINGS = 8

_STATING = ("<html", "<meta", "<script", "<h1")
_RELATION = compile_pattern(r"rel[\t\n\f\r ]*+=")
"""What begins a claim, but for those of microdata."""


def gather(document: Document) -> list[Claim]:
    """The claims of a page, in the order of its elements; JSON-LD and microdata behind."""
    return _ClaimReader().read(document)


class _ClaimReader:
    """Gathers what tokens state."""

    def __init__(self) -> None:
        self._claims: list[Claim] = []
        self._scripts: list[tuple[int, str]] = []
        self._script: int | None = None
        """Where the script of JSON-LD that is open begins."""
        self._author: tuple[int, list[str]] | None = None
        """Where the link of the author begins that is open, and its words (HTML §4.6.7.2)."""
        self._linked: list[Claim] = []
        """What such links say: one is of the page's author, others are of what it links to."""
        self._heading: tuple[int, list[str]] | None = None
        """Where the heading begins that is open, and its words."""
        self._headings = 0
        self._microdata: Microdata | None = None

    def read(self, document: Document) -> list[Claim]:
        """Read a page, up to the last place that could state something."""
        lowered = document.source.lower()  # never shorter: what is found in it is not too early
        if "itemscope" in lowered:
            self._microdata = Microdata()
        self._gather(document.tokens(), _last_stating(lowered))
        if document.title:
            self._claim(Claim("title", document.title, Place("HTML", "title")))
        for claim in self._linked[:1]:
            self._claim(claim)
        items = json_ld_items(self._scripts)
        for claim in schema_org.claims(items, "JSON-LD"):
            self._claim(claim)
        if self._microdata is not None:
            for claim in schema_org.claims(self._microdata.items, "microdata"):
                self._claim(claim)
        return self._claims

    def _gather(self, tokens: Iterable[Token], last: int) -> None:
        for token in tokens:
            if token.start > last and not self._is_inside:
                return
            if isinstance(token, StartTag):
                self._start(token)
            elif isinstance(token, EndTag):
                self._end(token)
            elif isinstance(token, Text):
                self._text(token)

    @property
    def _is_inside(self) -> bool:
        """Whether something is open that what follows belongs to."""
        begun = (self._script, self._author, self._heading, self._microdata)
        return any(each is not None for each in begun)

    def _claim(self, claim: Claim) -> None:
        value = " ".join(claim.value.split())[:_LONGEST]
        if value and value.isprintable() and len(self._claims) < _MOST:
            self._claims.append(claim._replace(value=value))

    def _start(self, tag: StartTag) -> None:
        if self._microdata is not None:
            self._microdata.start(tag)
        if tag.name == "meta" and len(self._claims) < _MOST:
            for claim in meta_claims(tag):
                self._claim(claim)
        elif tag.name == "html":
            stated = tag.get("lang") or tag.get("xml:lang")
            if stated:
                self._claim(Claim("language", stated, Place("HTML", "html lang", tag.start)))
        elif tag.name == "script":
            is_data = (tag.get("type") or "").strip().lower().startswith("application/ld+json")
            self._script = tag.start if is_data else None
        elif tag.name == "h1" and self._headings < _MOST_HEADINGS:
            self._heading = (tag.start, [])
            self._headings += 1
        elif tag.name == "a" and "author" in (tag.get("rel") or "").lower().split():
            self._author = (tag.start, [])

    def _end(self, tag: EndTag) -> None:
        self._script = None
        if self._microdata is not None:
            self._microdata.end(tag)
        if tag.name == "a" and self._author is not None:
            start, words = self._author
            self._linked.append(
                Claim("author", "".join(words), Place("HTML", "a rel=author", start))
            )
            self._author = None
        elif tag.name == "h1" and self._heading is not None:
            start, words = self._heading
            self._claim(Claim("heading", "".join(words), Place("HTML", "h1", start)))
            self._heading = None

    def _text(self, text: Text) -> None:
        if self._script is not None:
            self._scripts.append((self._script, text.data))
            return
        if self._microdata is not None and self._microdata.is_reading:
            self._microdata.text(text.data)
        if self._author is not None:
            self._author[1].append(text.data)
        if self._heading is not None:
            self._heading[1].append(text.data)


def _last_stating(lowered: str) -> int:
    """Where the last tag or attribute stands that could state something, but for microdata."""
    related = (match.start() for match in _RELATION.finditer(lowered))
    return max([*map(lowered.rfind, _STATING), *related])
