"""Robots directives of a page: the field `X-Robots-Tag`, and `<meta name="robots">`.

Both say the same words, of which two count here: `noarchive` (or `nocache`) and `nofollow` (or
`none`). They are said to all robots, or to one by its name: then they count if it is ours. A page
that a person asks for is saved all the same; crawls and watches obey. What is asked is kept with
the page and told.

Readings: nothing but the words of search engines describes this. In one field a name counts for
all words behind it, up to the next name, as Google reads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.markup import StartTag

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from permacite.markup import Document

__all__ = ["AGENT", "Directives", "asked_in", "directives_of"]

AGENT = "permacite"
"""The name by which sites may ask something of this program alone, here and in robots.txt."""

_FIELD = "x-robots-tag"
_WITH_VALUES = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
)
"""Words that a colon follows, and that are no names of robots."""
_NO_ARCHIVE = frozenset({"noarchive", "nocache"})
_NO_FOLLOW = frozenset({"nofollow", "none"})
_MOST = 64
"""So many words of a page are kept; more are no wishes of a person."""


class Directives(NamedTuple):
    """The words of a page, each as (who says it, the word)."""

    said: tuple[tuple[str, str], ...]

    @property
    def forbids_keeping(self) -> str:
        """What asks that no copy be kept, such as `X-Robots-Tag: noarchive`; "" where nothing."""
        return next((f"{by}: {word}" for by, word in self.said if word in _NO_ARCHIVE), "")

    @property
    def forbids_following(self) -> bool:
        """Whether robots are to follow no link of the page."""
        return any(word in _NO_FOLLOW for _, word in self.said)

    def on_record(self) -> dict[str, list[str]]:
        """As it is kept with the page."""
        return {"asks_robots": [f"{by}: {word}" for by, word in self.said]} if self.said else {}


def directives_of(document: Document, fields: Iterable[Sequence[str]]) -> Directives:
    """What a page asks of this robot; `fields` are the header fields that it came with."""
    said = [
        ("X-Robots-Tag", word)
        for name, value in fields
        if name.lower() == _FIELD
        for word in _words(value)
    ]
    if document.is_page:
        said += _in_page(document)
    return Directives(tuple(dict.fromkeys(said))[:_MOST])


def asked_in(details: Mapping[str, object]) -> list[str]:
    """What a page asked of robots, from what is on record of it."""
    words = details.get("asks_robots", ())
    return [str(word) for word in words] if isinstance(words, list | tuple) else []


def _words(value: str) -> Iterator[str]:
    """The words of a field that are said to all robots, or to ours by its name."""
    is_ours = True
    for item in value.split(","):
        name, colon, rest = item.partition(":")
        word = item
        if colon and name.strip().lower() not in _WITH_VALUES:
            is_ours, word = name.strip().lower() == AGENT, rest
        if is_ours and word.strip():
            yield " ".join(word.lower().split())


def _in_page(document: Document) -> Iterator[tuple[str, str]]:
    for token in document.tokens():
        if isinstance(token, StartTag) and token.name == "meta":
            name = (token.get("name") or "").strip().lower()
            if name in {"robots", AGENT}:
                for word in (token.get("content") or "").lower().split(","):
                    if word.strip():
                        yield f"meta {name}", " ".join(word.split())
