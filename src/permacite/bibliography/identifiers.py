"""Identifiers that a page states of itself: DOI, ISBN, ISSN, language tags, each checked.

| specification | function |
|---|---|
| DOI Handbook §2.2 | doi |
| ISO 2108, the check digits of ISBN-10 and ISBN-13 | isbn |
| ISO 3297, the check digit of an ISSN | issn |
| BCP 47, as far as its letters | language |

Deviations: none.
Readings: what fails its check digit is no identifier; what is good is given as it was written.
"""

from __future__ import annotations

from permacite import uri
from permacite.errors import ParseError
from permacite.scan import compile_pattern

__all__ = ["doi", "isbn", "issn", "language"]

_DOI = compile_pattern(
    r"(?i)^(?:doi:\s*|info:doi/|https?://(?:dx\.)?doi\.org/)?(10\.[0-9]{4,9}/\S+)$"
)
_ISBN = compile_pattern(r"(?i)^(?:urn:isbn:|isbn(?:-1[03])?:?)?\s*([0-9][0-9 -]{8,15}[0-9X])$")
_ISSN = compile_pattern(r"(?i)^(?:urn:issn:|issn:?)?\s*([0-9]{4})-?([0-9]{3}[0-9X])$")
_LANGUAGE = compile_pattern(r"^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{1,8}){0,4}$")
_OLD, _NEW = 10, 13
_X = 10


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
