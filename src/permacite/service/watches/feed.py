"""What became of cited passages, as an Atom feed (RFC 4287).

An entry is a piece of news: that a look at a live page found something else of a passage than the
look before. Its words are those that whoever reads it may see.
"""

from __future__ import annotations

import uuid
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from permacite.errors import PermaciteError
from permacite.scan import compile_pattern
from permacite.service import names
from permacite.service.base import resolver_of
from permacite.service.citations.parts import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive import News, Repository
    from permacite.words import Words

__all__ = ["PATH", "of"]

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
_NO_XML = compile_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_EVER = datetime(1970, 1, 1, tzinfo=UTC)
"""When a feed without entries was updated."""
_SHOWN = 500
"""So many characters of a passage are told."""


def of(repository: Repository, words: Words) -> str:
    """The feed of an archive, the newest entry first."""
    news = repository.news(_MOST)
    base = resolver_of(repository)
    latest = news[0].found_at if news else _EVER
    head = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang={quoteattr(words.language)}>',
        f"<id>{_id(repository, 'feed')}</id>",
        f"<title>{_text(words('feed.title', series=repository.series))}</title>",
        f"<updated>{_moment(latest)}</updated>",
        f"<author><name>{_text(repository.series)}</name></author>",
        f'<link rel="self" href={quoteattr(base + PATH)}/>',
        f'<link rel="alternate" href={quoteattr(base + "/")}/>',
    ]
    entries = ["\n".join(_entry(repository, base, each, words)) for each in news]
    return "\n".join([*head, *entries, "</feed>", ""])


def _entry(repository: Repository, base: str, news: News, words: Words) -> Iterator[str]:
    """The lines of one entry."""
    citation = news.citation
    version = repository.version(citation.pdi)
    title = version.title or str(version.pdi.document)
    told = words_of(citation.fragment, citation.quote, title)
    uri = version.provenance.uri or version.provenance.final_uri
    yield "<entry>"
    yield f"<id>{_id(repository, f'{news.number} {citation.fragment}')}</id>"
    yield f"<title>{_text(words(_BECAME[news.outcome], told=told[:_SHOWN]))}</title>"
    yield f"<updated>{_moment(news.found_at)}</updated>"
    yield f"<category term={quoteattr(news.outcome)}/>"
    yield _link("alternate", base, citation.fragment)
    lines = [citation.fragment, *([uri] if uri else [])]
    if uri:
        yield f'<link rel="via" href={quoteattr(_clean(uri))}/>'
    now = _words(repository, news.there)
    if now is not None:
        yield _link("related", base, news.there)
        lines.append(words("feed.there", reference=news.there))
        if news.outcome == "changed":
            lines.append(words("feed.now", told=" ".join(now.split())[:_SHOWN]))
    yield f"<summary>{_text(chr(10).join(lines))}</summary>"
    yield "</entry>"


def _words(repository: Repository, reference: str) -> str | None:
    """The words that stand there now, where they are given out."""
    with suppress(PermaciteError):
        name, fragment = names.document_of(reference)
        representation = repository.representation(name)
        repository.check_access(representation)
        if fragment is not None:
            return repository.excerpt(representation, fragment.specifier).text or ""
    return None


def _link(relation: str, base: str, reference: str) -> str:
    address = f"{base}/{names.as_address(reference)}"
    return f'<link rel="{relation}" type="text/html" href={quoteattr(address)}/>'


def _id(repository: Repository, name: str) -> str:
    return f"urn:uuid:{uuid.uuid5(_SPACE, f'{repository.series} {name}')}"


def _text(text: str) -> str:
    return escape(_clean(text))


def _clean(text: str) -> str:
    """A text without what XML cannot say (XML 1.0 §2.2)."""
    return _NO_XML.sub("\ufffd", text)


def _moment(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
