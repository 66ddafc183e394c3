"""Names of people as pages write them, divided into family and given names.

Readings: a name of one word, of an organization, or in letters that are written without spaces
stays whole. What is before a comma is the family name; else it is the last word, with the particles
before it that begin small ("van Gogh") and with a "Jr." behind it; degrees are no part of a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.bibliography.model import Person
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["people", "person"]

_BY = compile_pattern(r"(?i)^(?:by|von|par|por|di)\s+(?=\S+\s+\S)")
_LISTED = compile_pattern(
    r"(?i)^(?:view all posts by|all posts by|posts by|(?:zeige )?[a-z]+ beiträge von"
    r"|voir tous les articles de|ver todas las entradas de)\s+"
)
"""What blogs write in a link to an author's pages."""
_NOBODY = frozenset({"admin", "administrator", "wordpressadmin", "no author", "unknown", "author"})
"""Names that programs give to whom nobody named."""
_ADDRESS = compile_pattern(r"(?i)\s*(?:<[^<>]*@[^<>]*>|\bhttps?://[^\s()]+|^@\S+$|^\S+@\S+$)")
_AND = compile_pattern(r"(?i)\s*(?:;|\s&\s|\s(?:and|und|et|y|e)\s)\s*")
_SUFFIX = compile_pattern(r"^(?:[Jj]r|[Ss]r|II|III|IV)\.?$")
_DEGREE = compile_pattern(r"^(?:P[Hh]\.?[Dd]|M\.?D|M\.?A|MBA|M\.?S[Cc]|B\.?S[Cc]|RN|JD|[Ee]sq)\.?$")
_ORGANIZATION = compile_pattern(
    r"(?i)\b(?:agency|association|authority|board|bureau|centre|center|committee|company|contributors"
    r"|corporation|council|department|desk|editors?|editorial|foundation|gmbh|government|group|inc"
    r"|institute?|ltd|ministry|museum|news|office|organi[sz]ation|press|project|reuters|service|society"
    r"|staff|team|university|universität|université)\b"
)
_AGENCY = compile_pattern(r"^[A-Z]{3,5}$")
_ASIDE = compile_pattern(r"\s*\([^()]*\)")
_MOST = 100
_LONGEST = 8
"""Words: more is a sentence about somebody, and no name."""
_TWO = 2


def people(text: str, known: frozenset[str] = frozenset()) -> list[Person]:
    """Everyone whom a text names, such as "By Ann Lee, Bo Ek and Cy Fox".

    `known`: names of the site and its publisher, in small letters, which are organizations.
    """
    text = _BY.sub("", _LISTED.sub("", text.strip()))
    text = _ASIDE.sub("", _ADDRESS.sub("", text)).strip(" ,")
    if not text or text.startswith("/") or text.lower() in _NOBODY:
        return []
    several: list[str] = []
    for part in _AND.split(text)[:_MOST]:
        pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
        # "Lee, Ann" is one name, "Ann Lee, Bo Ek" are two.
        is_list = len(pieces) > 1 and all(len(piece.split()) >= _TWO for piece in pieces)
        several += pieces if is_list or _is_of_agency(pieces) else [part.strip(" ,")]
    if _is_organization(text, known):
        several = [text]
    return [person(name, known) for name in several if 0 < len(name.split()) <= _LONGEST][:_MOST]


def _is_of_agency(pieces: Sequence[str]) -> bool:
    """Whether the second is no given name, but whom the first one writes for: "Ann Lee, CNN"."""
    return (
        len(pieces) == _TWO
        and len(pieces[0].split()) >= _TWO
        and _AGENCY.match(pieces[1]) is not None
        and not pieces[0].isupper()
    )


def person(name: str, known: frozenset[str] = frozenset()) -> Person:
    """One name, divided where it can be."""
    if _is_organization(name, known):
        return Person(name)
    parts = [part for part in (part.strip() for part in name.split(",")) if part]
    parts = [part for part in parts if not _DEGREE.match(part)] or parts or [name]
    if len(parts) > 1 and not _SUFFIX.match(parts[1]):
        return Person(parts[0], " ".join(parts[1:]))
    words = " ".join(parts).split()
    last = len(words) - 1
    while last > 0 and _SUFFIX.match(words[last]):
        last -= 1
    first = last
    while first > 1 and words[first - 1][0].islower():
        first -= 1
    return Person(" ".join(words[first:]), " ".join(words[:first]))


def _is_organization(name: str, known: frozenset[str]) -> bool:
    return name.lower() in known or _ORGANIZATION.search(name) is not None
