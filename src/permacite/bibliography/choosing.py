"""From all that a page states to one reference: which statement counts where several differ.

What was written for citing counts first (citation_*, PRISM), then what describes the page (JSON-LD,
microdata, Dublin Core), then what was written for social networks and for search. What somebody
asserts of the document counts before all of it, and next what the library states that it is from.

Readings: a value that is no date, no DOI, no language is passed over, and the next one is taken. A
title that ends in the name of the site loses it, when it comes from the title element or from what
is shared, where people write it; so does one that is a heading of the page with a shorter rest
behind it, whatever the site is called. Authors come from one vocabulary alone. When something was
made, or first stood online, counts only where nothing says when it was published: a page often has
the first in the time of its server, a day before or after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from permacite.bibliography import identifiers
from permacite.bibliography.dates import date
from permacite.bibliography.model import Claim, Person, Reference, Stated
from permacite.bibliography.people import people
from permacite.bibliography.zotero import VOCABULARY as ZOTERO
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["ASSERTION", "reference"]

ASSERTION = "assertion"
"""The vocabulary of what somebody asserts of a document."""

_RANKS = {
    name: rank
    for rank, name in enumerate(
        [
            ASSERTION,
            ZOTERO,
            "citation_*",
            "prism",
            "JSON-LD",
            "microdata",
            "Dublin Core",
            "Open Graph",
            "meta",
            "HTML",
        ]
    )
}
_KINDS = {"book": "book", "article": "webpage", "video.movie": "motion_picture"}
"""What Open Graph and Dublin Core call a kind, where CSL has a type for it."""
_DESCRIBING = frozenset({"Dublin Core", "Open Graph", "meta", "HTML"})
"""Vocabularies that describe pages loosely; any other, those of file formats too, is exact."""
_ADDRESS = compile_pattern(r"^(?:[a-z]+:/)?/\S*$")
_SEPARATORS = " |-\u2013\u2014\u00b7:\u2022\u00bb/"
"""What stands between a title and a name behind it: dashes, dots and guillemets too."""
_BEHIND_HEADING = compile_pattern(r"\s*[|\-\u2013\u2014\u00b7\u2022\u00ab\u00bb\u203a]\s")
"""A colon is none of them: what follows it may be a subtitle."""
_Value = TypeVar("_Value")


def reference(claims: Iterable[Claim]) -> Reference:
    """The reference that claims make."""
    ranked = sorted(claims, key=lambda claim: _RANKS.get(claim.place.vocabulary, 1))
    of = {name: [c for c in ranked if c.field == name] for name in {c.field for c in ranked}}
    site = _first(of.get("site", ()), _text)
    publisher = _first(of.get("publisher", ()), _text)
    known = frozenset(each.value.lower() for each in (site, publisher) if each is not None)
    return Reference(
        type=_kind(of.get("kind", ())),
        title=_title(of.get("title", ()), known, [c.value for c in of.get("heading", ())]),
        authors=_people(of.get("author", ()), known),
        editors=_people(of.get("editor", ()), known),
        issued=_first([*of.get("issued", ()), *of.get("created", ())], date),
        container=_first(of.get("container", ()), _text),
        site=site,
        publisher=publisher,
        language=_first(of.get("language", ()), identifiers.language),
        doi=_first([*of.get("doi", ()), *of.get("identifier", ())], identifiers.doi),
        isbn=_first([*of.get("isbn", ()), *of.get("identifier", ())], identifiers.isbn),
        issn=_first(of.get("issn", ()), identifiers.issn),
        volume=_first(of.get("volume", ()), _text),
        issue=_first(of.get("issue", ()), _text),
        pages=_pages(of),
        others=tuple(ranked),
    )


def _text(value: str) -> str | None:
    return value or None


def _first(claims: Iterable[Claim], read: Callable[[str], _Value | None]) -> Stated[_Value] | None:
    """The first claim that can be read."""
    for claim in claims:
        value = read(claim.value)
        if value is not None:
            return Stated(value, claim.place)
    return None


def _kind(claims: Sequence[Claim]) -> str:
    for claim in claims:
        if claim.place.vocabulary not in _DESCRIBING:
            return claim.value
        if claim.value.lower() in _KINDS:
            return _KINDS[claim.value.lower()]
    return "webpage"


def _title(
    claims: Sequence[Claim], known: frozenset[str], headings: Sequence[str]
) -> Stated[str] | None:
    for claim in claims:
        value = claim.value
        if _ADDRESS.match(value) or value.lower() in known:
            continue
        if claim.place.vocabulary in _DESCRIBING:
            value = _as_headed(_without_site(value, known), known, headings)
        if value:
            return Stated(value, claim.place)
    return None


def _without_site(title: str, known: frozenset[str]) -> str:
    """A title without the name of its site behind it."""
    for name in known:
        rest = title[: -len(name)].rstrip()
        if title.lower().endswith(name) and rest and rest[-1] in _SEPARATORS:
            return rest.rstrip(_SEPARATORS) or title
    return title


def _as_headed(title: str, known: frozenset[str], headings: Sequence[str]) -> str:
    """A title without what stands behind a heading of the page and is shorter than it.

    A heading that stands behind something is mostly the name of the site itself.
    """
    for heading in headings:
        size, folded = len(heading), heading.lower()
        if folded in known or not 0 < size < len(title) <= 2 * size:
            continue
        if title.lower().startswith(folded) and _BEHIND_HEADING.match(title[size:]):
            return title[:size]
    return title


def _people(claims: Sequence[Claim], known: frozenset[str]) -> tuple[Stated[Person], ...]:
    """Whom the best vocabulary names that names anyone, each one once."""
    for vocabulary in dict.fromkeys(claim.place.vocabulary for claim in claims):
        several = {
            person: Stated(person, claim.place)
            for claim in claims
            if claim.place.vocabulary == vocabulary
            for person in _named(claim, known)
        }
        if several:
            return tuple(several.values())
    return ()


def _named(claim: Claim, known: frozenset[str]) -> Iterator[Person]:
    if claim.given is not None:
        yield Person(claim.value, claim.given)
    else:
        yield from people(claim.value, known)


def _pages(of: dict[str, list[Claim]]) -> Stated[str] | None:
    first, last = of.get("first page"), of.get("last page")
    if not first:
        return _first(of.get("pages", ()), _text)
    start, end = first[0].value, last[0].value if last else first[0].value
    return Stated(start if start == end else f"{start}-{end}", first[0].place)
