"""Everything that a page states of itself, gathered in one pass over its tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.bibliography import json_ld, meta, schema_org
from permacite.bibliography.microdata import Microdata
from permacite.bibliography.model import Claim, Place
from permacite.markup import EndTag, StartTag, Text
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permacite.markup import Document, Token

__all__ = ["gather"]

_MOST = 5000
"""Claims that are kept of one page; each value is cut to `_LONGEST` characters."""
_LONGEST = 2000
_MOST_HEADINGS = 8

_STATING = ("<html", "<meta", "<script", "<h1")
_RELATION = compile_pattern(r"rel[\t\n\f\r ]*+=")
"""What begins a claim, but for those of microdata."""


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
        items = json_ld.items(self._scripts)
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
