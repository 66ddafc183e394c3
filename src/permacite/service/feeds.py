"""Atom feeds (RFC 4287), and the feed of drift of cited passages.

An entry is a piece of news: that a look at a live page found something else of a passage than the
look before. Its words are those that whoever reads it may see.
"""

from __future__ import annotations

import uuid
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from permacite.errors import PermaciteError
from permacite.scan import compile_pattern
from permacite.service import names
from permacite.service.citations.parts import words_of
from permacite.service.names import resolver_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permacite.archive.model.answered import News
    from permacite.archive.repository import Repository
    from permacite.words import Words

__all__ = ["MEDIA_TYPE", "PATH", "Feed", "FeedEntry", "FeedLink", "drift_feed", "moment", "text"]

PATH = "/-/news.atom"
"""Where the resolver of a public archive answers with its feed."""
_BECAME = {
    "verified": "feed.verified",
    "moved": "feed.moved",
    "changed": "feed.changed",
    "gone": "feed.gone",
    "gone-similar": "feed.gone-similar",
    "ambiguous": "feed.ambiguous",
}
"""What is said of a passage, by what became of it."""
_MOST = 100
_SPACE = uuid.UUID("5f0c3f4e-6d0b-5a39-9f6e-6b1a0a4f3c11")
_SHOWN = 500
"""So many characters of a passage are told."""
MEDIA_TYPE = "application/atom+xml"
_NO_XML = compile_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_EVER = datetime(1970, 1, 1, tzinfo=UTC)
"""When a feed without entries was updated."""


def drift_feed(repository: Repository, words: Words) -> Feed:
    """The feed of an archive, the newest entry first."""
    base = resolver_of(repository)
    return Feed(
        id=_id(repository, "feed"),
        title=words("feed.title", series=repository.settings.series),
        author=repository.settings.series,
        links=(FeedLink("self", base + PATH), FeedLink("alternate", base + "/")),
        entries=tuple(
            _news_entry(repository, base, each, words) for each in repository.live_pages.news(_MOST)
        ),
        language=words.language,
    )


def _news_entry(repository: Repository, base: str, news: News, words: Words) -> FeedEntry:
    citation = news.citation
    version = repository.lookup.version(citation.pdi)
    title = version.title or str(version.pdi.document)
    told = words_of(citation.fragment, citation.quote, title)
    links, lines = [_link("alternate", base, citation.fragment)], [citation.fragment]
    uri = version.provenance.uri or version.provenance.final_uri
    if uri:
        links.append(FeedLink("via", uri))
        lines.append(uri)
    now = _words(repository, news.there)
    if now is not None:
        links.append(_link("related", base, news.there))
        lines.append(words("feed.there", reference=news.there))
        if news.outcome == "changed":
            lines.append(words("feed.now", told=" ".join(now.split())[:_SHOWN]))
    return FeedEntry(
        id=_id(repository, f"{news.number} {citation.fragment}"),
        title=words(_BECAME[news.outcome], told=told[:_SHOWN]),
        updated=news.found_at,
        links=tuple(links),
        category=news.outcome,
        summary="\n".join(lines),
    )


def _words(repository: Repository, reference: str) -> str | None:
    """The words that stand there now, where they are given out."""
    with suppress(PermaciteError):
        name, fragment = names.document_of(reference)
        representation = repository.lookup.representation(name)
        repository.contents.check_access(representation)
        if fragment is not None:
            return repository.contents.excerpt(representation, fragment.specifier).text or ""
    return None


def _link(relation: str, base: str, reference: str) -> FeedLink:
    return FeedLink(relation, f"{base}/{names.as_address(reference)}", "text/html")


def _id(repository: Repository, name: str) -> str:
    return f"urn:uuid:{uuid.uuid5(_SPACE, f'{repository.settings.series} {name}')}"


@dataclass(frozen=True, slots=True)
class FeedLink:
    """Where something else is that belongs to a feed or an entry (§4.2.7)."""

    relation: str
    address: str
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One piece of a feed (§4.1.2)."""

    id: str
    title: str
    updated: datetime
    links: tuple[FeedLink, ...]
    category: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Feed:
    """A page of entries, the newest first (§4.1.1). `str()` gives the document."""

    id: str
    title: str
    author: str
    links: tuple[FeedLink, ...]
    entries: tuple[FeedEntry, ...]
    language: str = ""
    """Of titles and summaries; "" where they are in the languages of what is archived."""

    def __str__(self) -> str:
        return "\n".join(['<?xml version="1.0" encoding="utf-8"?>', *_feed(self), ""])


def text(value: str) -> str:
    """A text as the content of an element."""
    return escape(_clean(value))


def moment(when: datetime) -> str:
    """A moment to the second (RFC 3339)."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _feed(feed: Feed) -> Iterator[str]:
    language = f" xml:lang={quoteattr(feed.language)}" if feed.language else ""
    yield f'<feed xmlns="http://www.w3.org/2005/Atom"{language}>'
    yield _element("id", feed.id)
    yield _element("title", feed.title)
    yield _element("updated", moment(max((each.updated for each in feed.entries), default=_EVER)))
    yield f"<author>{_element('name', feed.author)}</author>"
    yield from _links(feed.links)
    for entry in feed.entries:
        yield from _entry(entry)
    yield "</feed>"


def _entry(entry: FeedEntry) -> Iterator[str]:
    yield "<entry>"
    yield _element("id", entry.id)
    yield _element("title", entry.title)
    yield _element("updated", moment(entry.updated))
    if entry.category:
        yield f"<category term={_value(entry.category)}/>"
    yield from _links(entry.links)
    if entry.summary:
        yield _element("summary", entry.summary)
    yield "</entry>"


def _links(links: Iterable[FeedLink]) -> Iterator[str]:
    for link in links:
        kind = f" type={_value(link.media_type)}" if link.media_type else ""
        yield f"<link rel={_value(link.relation)}{kind} href={_value(link.address)}/>"


def _element(name: str, content: str) -> str:
    return f"<{name}>{text(content)}</{name}>"


def _value(value: str) -> str:
    return quoteattr(_clean(value))


def _clean(value: str) -> str:
    """A text without what XML cannot say (XML 1.0 §2.2)."""
    return _NO_XML.sub("\ufffd", value)
