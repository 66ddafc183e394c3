"""Atom feeds, written (RFC 4287).

What no XML document can hold is given as U+FFFD: titles and addresses come from archived pages.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["MEDIA_TYPE", "Entry", "Feed", "Link", "moment", "text"]

MEDIA_TYPE = "application/atom+xml"
_NO_XML = compile_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_EVER = datetime(1970, 1, 1, tzinfo=UTC)
"""When a feed without entries was updated."""


@dataclass(frozen=True, slots=True)
class Link:
    """Where something else is that belongs to a feed or an entry (§4.2.7)."""

    relation: str
    address: str
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One piece of a feed (§4.1.2)."""

    id: str
    title: str
    updated: datetime
    links: tuple[Link, ...]
    category: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Feed:
    """A page of entries, the newest first (§4.1.1). `str()` gives the document."""

    id: str
    title: str
    author: str
    links: tuple[Link, ...]
    entries: tuple[Entry, ...]
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


def _entry(entry: Entry) -> Iterator[str]:
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


def _links(links: Iterable[Link]) -> Iterator[str]:
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
