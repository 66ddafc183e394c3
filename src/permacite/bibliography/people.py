"""Names of persons and bodies, divided as CSL divides them.

One element or item of a list is one name, as the conventions of citation_author, Dublin Core and
schema.org have it. Only three forms are several: with semicolons; "Lee, A., Fox, B.", an even count
of four or more parts of which each second one is initials; and bylines, such as "By Ann Lee and Bo
Ek", in the vocabularies that describe pages loosely.

Readings: text before a comma is the family name; else it is the last word with the particles before
it ("van Gogh"), or all before initials ("Lee A"). A suffix ("Jr.") is a part of its own; degrees
are none. A name of one word, of a body, or in letters that are written without spaces is whole. A
body is what braces enclose, or has "&", "The" before it, or a word for bodies such as "Ministry".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.bibliography.model import Person
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Pattern

__all__ = ["people", "person"]


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
