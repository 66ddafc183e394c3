"""Everything that a page states of itself, gathered in one pass over its tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.bibliography import json_ld, meta, schema_org
from permacite.bibliography.microdata import Microdata
from permacite.bibliography.model import Claim, Place
from permacite.markup import EndTag, StartTag, Text

if TYPE_CHECKING:
    from permacite.markup import Document

__all__ = ["gather"]

_MOST = 5000
"""Claims that are kept of one page; each value is cut to `_LONGEST` characters."""
_LONGEST = 2000
_MOST_HEADINGS = 8


def gather(document: Document) -> list[Claim]:
    """The claims of a page, in the order of its elements; JSON-LD and microdata behind."""
    return _Reader().read(document)


class _Reader:
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
        self._microdata = Microdata()

    def read(self, document: Document) -> list[Claim]:
        """Read a page."""
        for token in document.tokens():
            if isinstance(token, StartTag):
                self._start(token)
            elif isinstance(token, EndTag):
                self._end(token)
            elif isinstance(token, Text):
                self._text(token)
        if document.reading.title:
            self._claim(Claim("title", document.reading.title, Place("HTML", "title")))
        for claim in self._linked[:1]:
            self._claim(claim)
        items = json_ld.items(self._scripts)
        for claim in schema_org.claims(items, "JSON-LD"):
            self._claim(claim)
        for claim in schema_org.claims(self._microdata.items, "microdata"):
            self._claim(claim)
        return self._claims

    def _claim(self, claim: Claim) -> None:
        value = " ".join(claim.value.split())[:_LONGEST]
        if value and value.isprintable() and len(self._claims) < _MOST:
            self._claims.append(claim._replace(value=value))

    def _start(self, tag: StartTag) -> None:
        self._microdata.start(tag)
        if tag.name == "meta" and len(self._claims) < _MOST:
            for claim in meta.claims(tag):
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
        if self._microdata.is_reading:
            self._microdata.text(text.data)
        if self._author is not None:
            self._author[1].append(text.data)
        if self._heading is not None:
            self._heading[1].append(text.data)
