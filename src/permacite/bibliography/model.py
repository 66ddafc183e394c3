"""Values of a reference: each field of a document, with the place that states it."""

from __future__ import annotations

from dataclasses import field
from typing import Generic, NamedTuple, TypeVar

from permacite.lazy_dataclass import dataclass

__all__ = ["ZOTERO", "Claim", "Date", "Person", "Place", "Reference", "Stated", "iso"]

ZOTERO = "Zotero"
"""The vocabulary of what a Zotero library states."""

_Value = TypeVar("_Value")


class Date(NamedTuple):
    """A date of a reference: the day, month or year with which it begins, and all of it in EDTF."""

    year: int | None
    """None for a text that names none; the year 0 is 1 BC, -43 is 44 BC."""
    month: int | None = None
    day: int | None = None
    edtf: str = ""
    """All of it: an interval, a season, circa, unspecified digits."""
    literal: str = ""
    """The text as it was written, where it says more than was understood."""

    def __str__(self) -> str:
        """As ISO 8601 has it: 2026, 2026-11 or 2026-11-22; the literal where no year is known."""
        return self.literal if self.year is None else iso(self.year, self.month, self.day)


def iso(year: int, month: int | None = None, day: int | None = None) -> str:
    """A year, a month or a day as ISO 8601 has it."""
    parts = [f"-{-year:04}" if year < 0 else f"{year:04}"]
    return "-".join(parts + [f"{part:02}" for part in (month, day) if part is not None])


class Person(NamedTuple):
    """Who wrote or published: a person by family and given names, or a name that is one whole."""

    family: str
    given: str = ""
    """Empty for a body, and for a name that is not divided."""
    suffix: str = ""
    """Such as "Jr." or "III"."""

    def __str__(self) -> str:
        return f"{self.given} {self.family} {self.suffix}".strip()

    @property
    def inverted(self) -> str:
        """As lists have it: "King, Martin Luther, Jr."."""
        return ", ".join(part for part in self if part)


class Place(NamedTuple):
    """Where something is stated."""

    vocabulary: str
    """Such as "citation_*", "JSON-LD" or "assertion"."""
    name: str
    """Such as "citation_author" or "NewsArticle.author"; who made an assertion."""
    start: int | None = None
    """The offset of the element in the decoded source of the page."""

    def __str__(self) -> str:
        return f"{self.vocabulary}: {self.name}"


@dataclass(frozen=True, slots=True)
class Stated(Generic[_Value]):
    """A value, and the place that states it."""

    value: _Value
    place: Place


class Claim(NamedTuple):
    """One value as a page has it, for one field of a reference."""

    field: str
    value: str
    place: Place
    given: str | None = None
    """Of a person whose name comes divided: `value` is the family name then. "" where it is whole,
    and None where nothing is known of its parts."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What a document says of itself. What nothing states is None, or empty."""

    type: str = "webpage"
    """A type of CSL 1.0.2, such as "article-journal"."""
    title: Stated[str] | None = None
    authors: tuple[Stated[Person], ...] = ()
    editors: tuple[Stated[Person], ...] = ()
    issued: Stated[Date] | None = None
    container: Stated[str] | None = None
    """The journal or the book that it is a part of."""
    site: Stated[str] | None = None
    publisher: Stated[str] | None = None
    language: Stated[str] | None = None
    """A language tag (BCP 47)."""
    doi: Stated[str] | None = None
    isbn: Stated[str] | None = None
    issn: Stated[str] | None = None
    volume: Stated[str] | None = None
    issue: Stated[str] | None = None
    pages: Stated[str] | None = None
    """As "17-31"."""
    others: tuple[Claim, ...] = field(default=(), repr=False)
    """What the page states besides, and what gave way to a better statement."""
