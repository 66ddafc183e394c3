"""What the meta elements of a page state: Highwire's citation_*, PRISM, Dublin Core, Open Graph.

| specification | table |
|---|---|
| Google Scholar, Inclusion Guidelines for Webmasters | citation_* |
| PRISM 3.0 Basic Metadata | prism.* |
| DCMI, Expressing Dublin Core in HTML | dc.*, dcterms.* |
| ogp.me | og:*, article:*, book:* |
| HTML §4.2.5.1 standard metadata names | author, and what is often used beside it |

Deviations: none.
Readings: names are compared in small letters. An author that is an address is no name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.bibliography.model import Claim, Place
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.markup import StartTag

__all__ = ["claims"]

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


def claims(tag: StartTag) -> Iterator[Claim]:
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
