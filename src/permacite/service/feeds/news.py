"""What became of cited passages, as a feed.

An entry is a piece of news: that a look at a live page found something else of a passage than the
look before. Its words are those that whoever reads it may see.
"""

from __future__ import annotations

import uuid
from contextlib import suppress
from typing import TYPE_CHECKING

from permacite.errors import PermaciteError
from permacite.service import names
from permacite.service.citations.parts import words_of
from permacite.service.feeds.atom import Entry, Feed, Link
from permacite.service.location import resolver_of

if TYPE_CHECKING:
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
_SHOWN = 500
"""So many characters of a passage are told."""


def of(repository: Repository, words: Words) -> Feed:
    """The feed of an archive, the newest entry first."""
    base = resolver_of(repository)
    return Feed(
        id=_id(repository, "feed"),
        title=words("feed.title", series=repository.settings.series),
        author=repository.settings.series,
        links=(Link("self", base + PATH), Link("alternate", base + "/")),
        entries=tuple(
            _entry(repository, base, each, words) for each in repository.live_pages.news(_MOST)
        ),
        language=words.language,
    )


def _entry(repository: Repository, base: str, news: News, words: Words) -> Entry:
    citation = news.citation
    version = repository.lookup.version(citation.pdi)
    title = version.title or str(version.pdi.document)
    told = words_of(citation.fragment, citation.quote, title)
    links, lines = [_link("alternate", base, citation.fragment)], [citation.fragment]
    uri = version.provenance.uri or version.provenance.final_uri
    if uri:
        links.append(Link("via", uri))
        lines.append(uri)
    now = _words(repository, news.there)
    if now is not None:
        links.append(_link("related", base, news.there))
        lines.append(words("feed.there", reference=news.there))
        if news.outcome == "changed":
            lines.append(words("feed.now", told=" ".join(now.split())[:_SHOWN]))
    return Entry(
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


def _link(relation: str, base: str, reference: str) -> Link:
    return Link(relation, f"{base}/{names.as_address(reference)}", "text/html")


def _id(repository: Repository, name: str) -> str:
    return f"urn:uuid:{uuid.uuid5(_SPACE, f'{repository.settings.series} {name}')}"
