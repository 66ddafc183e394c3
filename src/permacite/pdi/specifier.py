"""What stands after the `#` of a PDI: a fragment scheme, or none, and positions.

Persistent Document Identifiers (draft-mallery-urn-pdi-00) §1.2.3, §3.3. It is also read by
itself, where a document is known by its media type and not by a name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from permacite.pdi import schemes
from permacite.pdi.formats import media_type_for
from permacite.pdi.grammar import Violation, fail
from permacite.pdi.schemes import SCHEMES, FragmentScheme, Schemes
from permacite.scan import Cursor, compile_pattern

__all__ = ["Specifier", "parse_specifier", "specifier"]

_SCHEME = compile_pattern(r"([A-Za-z][A-Za-z0-9\-]*+)=")
_COMMA_SCHEME = compile_pattern(r"(m?sec),", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Specifier:
    """A scheme (in lower case; `explicit`: whether it is written) and its positions, as written.

    `comma`: the fault tolerated in `sec,23,51`, else None.
    """

    scheme: str
    explicit: bool
    positions: tuple[str, ...]
    comma: Violation | None = None


def parse_specifier(text: str, media_type: str, known: Schemes = SCHEMES) -> Specifier:
    """Parse what follows the `#`, such as "char=3,9", for a document of `media_type`.

    `media_type` in lower case, without parameters. Raises ParseError.
    """
    return _specifier(Cursor(text), media_type, media_type, known, strict=True)


def specifier(cursor: Cursor, token: str, known: Schemes, *, strict: bool) -> Specifier:
    """Parse [fragment-scheme "="] position *("," position), to the end   (PDI §1.2.3).

    `token`: the format of the document.
    """
    media_type = media_type_for(token) or ""
    return _specifier(cursor, token[:40], media_type, known, strict=strict)


def _specifier(
    cursor: Cursor, shown: str, media_type: str, known: Schemes, *, strict: bool
) -> Specifier:
    start = cursor.offset
    name, explicit, comma = _scheme_name(cursor, shown, media_type, strict=strict)
    scheme = _scheme(cursor, name, known, start)
    if not scheme.applies(media_type):
        names = ", ".join(each.name for each in known.known if each.applies(media_type))
        problem = f"{shown} has no fragment scheme {name[:40]}"
        fail(cursor, problem, at=start, spec="PDI §3.3", hint=f"it has {names}")
    cursor.spec = scheme.spec
    positions = scheme.positions(cursor)
    if cursor.offset < len(cursor.source):
        _more(cursor)
    return Specifier(scheme.name, explicit, positions, comma)


def _scheme_name(
    cursor: Cursor, shown: str, media_type: str, *, strict: bool
) -> tuple[str, bool, Violation | None]:
    """Parse [fragment-scheme "="]: the name, and whether it is written   (PDI §3.3)."""
    start = cursor.offset
    found = _SCHEME.match(cursor.source, start)
    if found is not None:
        cursor.offset = found.end()
        return found[1].lower(), True, None
    default = schemes.default_scheme(media_type)
    if default is None:
        problem = f"expected a fragment scheme and '=', since {shown or 'it'} has no default one"
        fail(cursor, problem, spec="PDI §3.3", hint="such as byte=0,100")
    found = _COMMA_SCHEME.match(cursor.source, start) if default == "sec" else None
    if found is None:
        return default, False, None
    if strict:
        hint = f"write {found[1]}=23,51"
        fail(cursor, "expected '=' after the scheme", at=found.end(1), spec="PDI §3.4.4", hint=hint)
    cursor.offset = found.end()
    return found[1].lower(), True, Violation("comma-after-scheme", found[0], start)


def _scheme(cursor: Cursor, name: str, known: Schemes, start: int) -> FragmentScheme:
    scheme = known.get(name)
    if scheme is None:
        problem = f"unknown fragment scheme {name[:40]!r}"
        hint = f"the schemes are {', '.join(each.name for each in known.known)}"
        fail(cursor, problem, at=start, spec="PDI §3.3", hint=hint)
    return scheme


def _more(cursor: Cursor) -> NoReturn:
    """Fail where the positions should have ended."""
    hint = ""
    if cursor.peek() == "@":
        hint = "a name has a fragment or a citation, not both"
    elif cursor.peek() in ";&#":
        hint = "a name has one fragment: for several parts mint a document that asserts them"
    fail(cursor, "expected the end of the fragment", spec=cursor.spec, hint=hint)
