"""What an XML document states of itself: the header of TEI, the front of JATS, else a title."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.bibliography import Claim, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.markup import StartTag

__all__ = ["Statements"]

_MOST = 500
_LONGEST = 2000

_TEI, _JATS = "TEI header", "JATS"
_FIELDS = {
    ("titleStmt", "title"): (_TEI, "title"),
    ("titleStmt", "author"): (_TEI, "author"),
    ("titleStmt", "editor"): (_TEI, "editor"),
    ("publicationStmt", "publisher"): (_TEI, "publisher"),
    ("publicationStmt", "date"): (_TEI, "issued"),
    ("title-group", "article-title"): (_JATS, "title"),
    ("journal-title-group", "journal-title"): (_JATS, "container"),
    ("journal-meta", "journal-title"): (_JATS, "container"),
    ("publisher", "publisher-name"): (_JATS, "publisher"),
    ("article-meta", "volume"): (_JATS, "volume"),
    ("article-meta", "issue"): (_JATS, "issue"),
    ("article-meta", "fpage"): (_JATS, "first page"),
    ("article-meta", "lpage"): (_JATS, "last page"),
    ("journal-meta", "issn"): (_JATS, "issn"),
}
"""An element by its name and that of the one around it, and the field that it states."""
_TYPED = {
    ("idno", "DOI"): (_TEI, "doi"),
    ("idno", "ISBN"): (_TEI, "isbn"),
    ("article-id", "doi"): (_JATS, "doi"),
}
"""An element by its name and its `type` or `pub-id-type`."""
_NAMES = frozenset({"surname", "given-names", "collab"})
_DATES = frozenset({"year", "month", "day"})
_WITHIN = frozenset({"teiHeader", "front", "front-stub"})
_ELSEWHERE = frozenset({"title", "head"})


class _Open(NamedTuple):
    name: str
    claim: tuple[str, str] | None
    words: list[str] | None
    is_dated: bool


class Statements:
    """What is stated in a document that is read element by element."""

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._within = 0
        """How many headers are open."""
        self._collecting = 0
        self._claims: list[Claim] = []
        self._name: dict[str, str] = {}
        self._date: dict[str, str] = {}
        self._first_title: str | None = None
        self._root = ""

    @property
    def title(self) -> str | None:
        """The title that is stated, else what first stands in an element `title` or `head`."""
        for claim in self.claims():
            if claim.field == "title":
                return claim.value
        return self._first_title

    def claims(self) -> tuple[Claim, ...]:
        """What is stated, in order."""
        kind = "article-journal" if self._root == "article" and self._claims else ""
        typed = (Claim("kind", kind, Place(_JATS, "article")),) if kind else ()
        return tuple(self._claims) + typed

    def start(self, name: str, tag: StartTag) -> None:
        """Take note of a start tag."""
        around = self._open[-1].name if self._open else ""
        self._root = self._root or name
        self._within += name in _WITHIN
        claim = self._claim_of(around, name, tag) if self._within else None
        wanted = claim is not None or (self._within > 0 and name in _NAMES | _DATES)
        wanted = wanted or (self._first_title is None and name in _ELSEWHERE)
        is_dated = claim == (_TEI, "issued") and bool(tag.get("when"))
        words = [tag.get("when") or ""] if is_dated else [] if wanted else None
        self._open.append(_Open(name, claim, words, is_dated))
        self._collecting += words is not None

    def _claim_of(self, around: str, name: str, tag: StartTag) -> tuple[str, str] | None:
        known = _FIELDS.get((around, name))
        if known is None and name in {"idno", "article-id"}:
            kind = tag.get("type") or tag.get("pub-id-type") or ""
            known = _TYPED.get((name, kind)) or _TYPED.get((name, kind.upper()))
        return known

    def text(self, data: str) -> None:
        """Take note of characters."""
        if self._collecting:
            for element in self._open[-8:]:
                if element.words is not None and not element.is_dated:
                    element.words.append(data)

    def end(self) -> None:
        """Take note of the end of the element that was begun last."""
        name, claim, words, _ = self._open.pop()
        self._within -= name in _WITHIN
        if words is not None:
            self._collecting -= 1
            value = " ".join("".join(words).replace("\x00", "").split())[:_LONGEST]
            if value and len(self._claims) < _MOST:
                self._stated(name, claim, value)
        if name in {"contrib", "pub-date"}:
            self._claims += self._gathered(name)

    def _stated(self, name: str, claim: tuple[str, str] | None, value: str) -> None:
        if claim is not None:
            self._claims.append(Claim(claim[1], value, Place(claim[0], name)))
        elif name in _NAMES:
            self._name.setdefault(name, value)
        elif name in _DATES:
            self._date.setdefault(name, value)
        elif self._first_title is None:
            self._first_title = value

    def _gathered(self, name: str) -> Iterator[Claim]:
        """What an element states whose parts were read."""
        if name == "contrib":
            parts, self._name = self._name, {}
            place = Place(_JATS, "contrib")
            if "surname" in parts:
                yield Claim("author", parts["surname"], place, parts.get("given-names", ""))
            elif "collab" in parts:
                yield Claim("author", parts["collab"], place, "")
            return
        dated, self._date = self._date, {}
        if dated.get("year", "").isdecimal():
            digits = [dated["year"]]
            for part in ("month", "day"):
                if not dated.get(part, "").isdecimal():
                    break
                digits.append(dated[part].zfill(2))
            yield Claim("issued", "-".join(digits), Place(_JATS, "pub-date"))
