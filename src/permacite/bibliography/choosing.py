"""Choice of one reference from all claims of a page, and readers of its values.

What was written for citing counts first (citation_*, PRISM), then what describes the page (JSON-LD,
microdata, Dublin Core), then what was written for social networks and for search. What somebody
asserts of the document precedes all of it, followed by what the library states as the source.

Readings: a value that is no date, no DOI, no language is skipped, and the next one is taken. A
title that ends in the name of the site loses it, if it comes from the title element or from sharing
data, where people add it; so does one that is a heading of the page followed by a shorter rest,
whatever the site is called. Authors come from one vocabulary alone. The time when something was
made, or first appeared online, counts only if nothing says when it was published: a page often has
the first in the time of its server, a day before or after the other.

| specification | function |
|---|---|
| DOI Handbook §2.2 | doi |
| ISO 2108, the check digits of ISBN-10 and ISBN-13 | isbn |
| ISO 3297, the check digit of an ISSN | issn |
| BCP 47, as far as its letters | language |
| CSL 1.0.2, parts of names of persons; bodies are one whole | people, person |

Deviations: none.

Readings of values: what fails its check digit is no identifier; what is good is given as it was
written. One element or item of a list is one name, as the conventions of citation_author, Dublin
Core and schema.org have it. Only three forms are several: with semicolons; "Lee, A., Fox, B.", an
even count of four or more parts of which each second one is initials; and bylines, such as "By Ann
Lee and Bo Ek". Text before a comma is the family name; else it is the last word with the particles
before it ("van Gogh"), or all before initials ("Lee A"). A suffix ("Jr.") is a part of its own;
degrees are none. A name of one word, of a body, or in letters that are written without spaces is
whole. A body is what braces enclose, or has "&", "The" before it, or a word such as "Ministry".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from permacite import uri
from permacite.bibliography.dates import parse_date
from permacite.bibliography.model import ZOTERO, Claim, Date, Person, Reference, Stated
from permacite.errors import ParseError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from re import Pattern

__all__ = ["ASSERTION", "doi", "isbn", "issn", "language", "people", "person", "reference"]

_DOI = compile_pattern(
    r"(?i)^(?:doi:\s*|info:doi/|https?://(?:dx\.)?doi\.org/)?(10\.[0-9]{4,9}/\S+)$"
)
_ISBN = compile_pattern(r"(?i)^(?:urn:isbn:|isbn(?:-1[03])?:?)?\s*([0-9][0-9 -]{8,15}[0-9X])$")
_ISSN = compile_pattern(r"(?i)^(?:urn:issn:|issn:?)?\s*([0-9]{4})-?([0-9]{3}[0-9X])$")
_LANGUAGE = compile_pattern(r"^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8}){0,4}$")
_OLD, _NEW = 10, 13
_X = 10
_BY = compile_pattern(r"(?i)^(?:by|von|par|por|di)\s+(?=\S+\s+\S)")
_LISTED = compile_pattern(
    r"(?i)^(?:view all posts by|all posts by|posts by|(?:zeige )?[a-z]+ beiträge von"
    r"|voir tous les articles de|ver todas las entradas de)\s+"
)
"""What blogs write in a link to an author's pages."""
_NOBODY = frozenset(
    {"admin", "administrator", "wordpressadmin", "no author", "unknown", "author", "anonymous"}
    | {"anon.", "[no author]", "n.a.", "none", "null", "et al.", "et al"}
)
"""Names that programs and libraries give to whom nobody named."""
_CONTACT = compile_pattern(r"(?i)\s*(?:<[^<>]*@[^<>]*>|\bhttps?://[^\s()]+|^@\S+$|^\S+@\S+$)")
_ORCID = compile_pattern(
    r"(?i)\s*\(?(?:orcid:?\s*)?\b[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]\b\)?"
)
_ET_AL = compile_pattern(r"(?i)(?:\s*[,;]\s*|\s+)(?:et al\.?|u\. ?a\.|and others|и др\.)$")
_ALSO = compile_pattern(r"(?i)\s+(?:and|und|et|och|og|en)\s+")
_SUFFIX = compile_pattern(r"^(?:[Jj]r|[Ss]r|II|III|IV)\.?$")
_DEGREE = compile_pattern(r"^(?:P[Hh]\.?[Dd]|M\.?D|M\.?A|MBA|M\.?S[Cc]|B\.?S[Cc]|RN|JD|[Ee]sq)\.?$")
_INITIALS = compile_pattern(r"^(?:[^\W\d_]\.?-?[ -]?){1,4}$")
_CAPITALS = compile_pattern(r"^[^\W\d_a-z]{1,3}$")
"""Initials without stops, as PubMed writes them: "Lee A", "Fox BC"."""
_BODY = compile_pattern(
    r"(?i)\b(?:academy|agency|association|authority|bank|board|bureau|centre|center|college|commission"
    r"|committee|company|consortium|contributors|corporation|council|court|department|desk|directorate"
    r"|editors?|editorial|federation|foundation|gmbh|government|group|inc|initiative|institut[eo]?"
    r"|laboratory|ltd|llc|ministry|museum|nations|network|news|observatory|office|organi[sz]ation"
    r"|parliament|press|project|reuters|service|society|staff|team|trust|union|university|universität"
    r"|université|universidad|università|verein|akademie|gesellschaft|ministerium|amt)\b"
)
_AGENCY = compile_pattern(r"^[A-Z]{3,5}$")
_ASIDE = compile_pattern(r"\s*\([^()]*\)")
_PARTICLES = frozenset(
    {"Le", "La", "De", "Van", "Von", "Di", "Del", "Della", "Du", "Des", "Ten", "Ter"}
    | {"El", "Al", "Abu", "Ibn", "Bin", "Saint", "St."}
)
"""Particles that are part of the family name although they begin large."""
_MOST = 100
_LONGEST = 8
"""Words: more is a sentence about somebody, and no name."""
_LONGEST_NAME = 200
_FEWEST_PARTS = 4
_TWO = 2


def doi(text: str) -> str | None:
    """A DOI without what is often written before it."""
    found = _DOI.match(text.strip())
    if found is None:
        return None
    if "doi.org/" not in text:
        return found[1]
    try:
        return uri.unquote(found[1])
    except ParseError:
        return found[1]


def isbn(text: str) -> str | None:
    """An ISBN whose check digit is right."""
    found = _ISBN.match(text.strip())
    if found is None:
        return None
    digits = [_X if c in "xX" else int(c) for c in found[1] if c not in " -"]
    if _X in digits[:-1]:
        return None
    if len(digits) == _OLD:
        good = sum(weight * digit for weight, digit in enumerate(reversed(digits), 1)) % 11 == 0
    else:
        weighed = sum(digit * (3 if place % 2 else 1) for place, digit in enumerate(digits))
        good = len(digits) == _NEW and digits[-1] != _X and weighed % 10 == 0
    return found[1] if good else None


def issn(text: str) -> str | None:
    """An ISSN whose check digit is right."""
    found = _ISSN.match(text.strip())
    if found is None:
        return None
    digits = [_X if c in "xX" else int(c) for c in found[1] + found[2]]
    good = sum(weight * digit for weight, digit in enumerate(reversed(digits), 1)) % 11 == 0
    return f"{found[1]}-{found[2].upper()}" if good else None


def language(text: str) -> str | None:
    """A language tag; "en_US", as Open Graph writes it, is "en-US"."""
    text = text.strip()
    return text.replace("_", "-") if _LANGUAGE.match(text) else None


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
        issued=_issued(of),
        container=_first(of.get("container", ()), _text),
        site=site,
        publisher=publisher,
        language=_first(of.get("language", ()), language),
        doi=_first([*of.get("doi", ()), *of.get("identifier", ())], doi),
        isbn=_first([*of.get("isbn", ()), *of.get("identifier", ())], isbn),
        issn=_first(of.get("issn", ()), issn),
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


def _issued(of: dict[str, list[Claim]]) -> Stated[Date] | None:
    """When it was published, else made; what is understood in part only where nothing is whole."""
    tongue = _first(of.get("language", ()), language)

    def dated(text: str) -> Date | None:
        return parse_date(text, "" if tongue is None else tongue.value)

    def understood(text: str) -> Date | None:
        date = dated(text)
        return None if date is None or date.literal else date

    issued = of.get("issued", ())
    return _first([*issued, *of.get("created", ())], understood) or _first(issued, dated)


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
        is_byline = claim.place.vocabulary in _DESCRIBING
        yield from people(claim.value, known, is_byline=is_byline)


def _pages(of: dict[str, list[Claim]]) -> Stated[str] | None:
    first, last = of.get("first page"), of.get("last page")
    if not first:
        return _first(of.get("pages", ()), _text)
    start, end = first[0].value, last[0].value if last else first[0].value
    return Stated(start if start == end else f"{start}-{end}", first[0].place)


def people(
    text: str, known: frozenset[str] = frozenset(), *, is_byline: bool = False
) -> list[Person]:
    """Everyone whom one element or item names.

    `known`: names of the site and its publisher, in small letters, which are bodies. `is_byline`:
    the vocabulary describes pages loosely, so that one element may name several.
    """
    text = " ".join(text.split())
    if text.startswith("{") and text.endswith("}") and text.count("{") == 1:
        return [Person(text[1:-1].strip())] if text[1:-1].strip() else []
    found = [
        one
        for item in text.split(";")[:_MOST]
        for name in _names(_cleaned(item), known, is_byline=is_byline)
        if 0 < len(name.split()) <= _LONGEST or is_body(name, known)
        for one in [person(name, known)]
    ]
    return found[:_MOST]


def _cleaned(item: str) -> str:
    """An item without what stands beside a name: "By", addresses, an ORCID, "et al."."""
    text = _BY.sub("", _LISTED.sub("", item.strip()))
    text = _ORCID.sub("", _CONTACT.sub("", text))
    text = _ET_AL.sub("", _ASIDE.sub("", text)).strip(" ,")
    return "" if text.startswith("/") or text.casefold() in _NOBODY else text[:_LONGEST_NAME]


def _names(text: str, known: frozenset[str], *, is_byline: bool) -> Iterator[str]:
    """The names in one item: one, but for the forms that the module describes."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    are_pairs = len(parts) >= _FEWEST_PARTS and len(parts) % _TWO == 0
    if are_pairs and all(map(_are_initials, parts[1::2])):
        pairs = zip(parts[::2], parts[1::2], strict=True)
        yield from (f"{family}, {given}" for family, given in pairs)
    elif is_body(text, known) or (len(parts) > 1 and not is_byline):
        yield text
    else:
        yield from _byline(text, parts)


def _byline(text: str, parts: list[str]) -> Iterator[str]:
    """The names in a byline: "Ann Lee, Bo Ek and Cy Fox", or "Ann Lee, CNN"."""
    names = [name.strip(" ,") for part in parts for name in _ALSO.split(part) if name.strip(" ,")]
    are_whole = all(len(name.split()) >= _TWO and not _are_initials(name) for name in names)
    is_agency = len(parts) == _TWO and _AGENCY.match(parts[1]) and not parts[0].isupper()
    yield from names if are_whole or (is_agency and len(parts[0].split()) >= _TWO) else [text]


def person(name: str, known: frozenset[str] = frozenset()) -> Person:
    """One name, divided where it can be."""
    if is_body(name, known):
        return Person(name)
    parts = [part for part in (part.strip() for part in name.split(",")) if part]
    parts = [part for part in parts if not _DEGREE.match(part)] or parts or [name]
    suffixes = [part for part in parts[1:] if _SUFFIX.match(part)]
    parts = [part for part in parts if part not in suffixes]
    if len(parts) > 1:
        return Person(parts[0], " ".join(parts[1:]), " ".join(suffixes))
    words = parts[0].split()
    while len(words) > 1 and _SUFFIX.match(words[-1]):
        suffixes.insert(0, words.pop())
    suffix = " ".join(suffixes)
    if len(words) == _TWO and _are_initials(words[1], _CAPITALS) and not words[0].isupper():
        return Person(words[0], words[1], suffix)
    return _divided(words, suffix)


def _divided(words: list[str], suffix: str) -> Person:
    """A name in the order of speech; the family name begins with the first small particle."""
    inner = enumerate(words[1:-1], 1)
    particles = (place for place, word in inner if word[0].islower() or word in _PARTICLES)
    first = next(particles, len(words) - 1)
    if "y" in words[1:-1]:  # "José Ortega y Gasset": both are the family name
        first = max(1, words.index("y", 1) - 1)
    return Person(" ".join(words[first:]), " ".join(words[:first]), suffix)


def _are_initials(text: str, form: Pattern[str] = _INITIALS) -> bool:
    return text.isupper() and form.match(text) is not None  # other scripts have no capitals


def is_body(name: str, known: frozenset[str] = frozenset()) -> bool:
    """Whether a name is that of a body, and so is one whole."""
    return (
        name.casefold() in known
        or " & " in name
        or name.startswith("The ")
        or _BODY.search(name) is not None
    )
