"""Parser of a PDI: a document, a fragment, a citation or a pattern.

Persistent Document Identifiers (draft-mallery-urn-pdi-00)

| section | function |
|---|---|
| §1 URN, §3.8 URL form, §1.2 | parse |
| §1.2.1 resource identifier | grammar.resource_identifier |
| §1.2.2 citation specifier, §3.5 | _NameParser._citation |
| §1.2.3 fragment specifier, §3.3 | parse_specifier, _specifier |

Deviations: see `schemes` (LINE) and `model` (`au`).

Readings:
- The lenient profile (`strict=False`) reads what deployed servers and the draft's own examples
  write, and reports each fault in `violations`: a month or day of one digit, a fragment or a
  citation without a version, `#sec,23,51` for `#sec=23,51`, and `@...=urn:pdi:`. All else that
  strict parsing refuses, it refuses.
- `%2c` for the comma between positions is read by both profiles, and reported (`schemes`).
- `#sec=23,57` is printed with its scheme demanded; the text makes it the default: both are read.
- A wildcard stands for a whole field, never in a series, and in no fragment or citation.
- An origin is one position in the default scheme of the composite document: a number, or (x,y) for
  images. A format without a default scheme has no origin yet (§3.5.2), so it cannot cite.
- What is cited may itself be a citation, to a depth of 8.
"""

from __future__ import annotations

import re
from typing import NoReturn

from permacite.lazy_dataclass import dataclass
from permacite.pdi.grammar import (
    MAX_DIGITS,
    Fields,
    Violation,
    fail,
    resource_identifier,
    unescaped,
)
from permacite.pdi.model import (
    PDI,
    CitationPDI,
    FragmentPDI,
    PDIPattern,
    default_scheme,
    media_type_for,
)
from permacite.pdi.schemes import SCHEMES, FragmentScheme, Schemes, with_marks
from permacite.pdi.schemes import default_scheme as scheme_of_type
from permacite.scan import Cursor, compile_pattern

__all__ = ["MAX_DEPTH", "Specifier", "parse", "parse_specifier"]

MAX_DEPTH = 8
"""How many citations may stand within one another."""

_SCHEME = compile_pattern(r"([A-Za-z][A-Za-z0-9\-]*+)=")
_ESCAPED_COMMA = compile_pattern(r"%2[Cc]")
_COMMA_SCHEME = compile_pattern(r"(m?sec),", re.IGNORECASE | re.ASCII)
_ORIGIN = compile_pattern(r"[0-9]++")
_CORNER = compile_pattern(r"(?:\(|%28)[0-9]++,[0-9]++(?:\)|%29)")
_CITED_PREFIX = compile_pattern(r"pdi:", re.IGNORECASE | re.ASCII)
_URN = compile_pattern(r"urn:(?=pdi:)", re.IGNORECASE | re.ASCII)


def parse(
    text: str, *, strict: bool = True, schemes: Schemes = SCHEMES
) -> PDI | FragmentPDI | CitationPDI | PDIPattern:
    """Parse a name, in its URN form or its URL form (PDI §1, §3.8).

    `schemes`: the fragment schemes that are known, such as `SCHEMES.extended(LINE)`. Raises
    ParseError for anything else, in time linear in the text.
    """
    return _NameParser(Cursor(text, spec="PDI §1.2"), schemes, strict=strict).name(0)


@dataclass(frozen=True, slots=True)
class Specifier:
    """A scheme (in lower case; `explicit`: whether it is written) and its positions, as written.

    `violations`: the faults of it that were tolerated.
    """

    scheme: str
    explicit: bool
    positions: tuple[str, ...]
    violations: tuple[Violation, ...] = ()


def parse_specifier(text: str, media_type: str, known: Schemes = SCHEMES) -> Specifier:
    """Parse what follows the `#`, such as "char=3,9", for a document of `media_type`.

    Where a document is known by its media type and not by a name, it stands by itself.
    `media_type` in lower case, without parameters. Raises ParseError.
    """
    return _specifier(Cursor(text), media_type, media_type, known, strict=True)


class _NameParser:
    """The productions of §1.2, over one text, in one profile."""

    __slots__ = ("cursor", "schemes", "strict")

    def __init__(self, cursor: Cursor, schemes: Schemes, *, strict: bool) -> None:
        self.cursor = cursor
        self.schemes = schemes
        self.strict = strict

    def name(self, depth: int) -> PDI | FragmentPDI | CitationPDI | PDIPattern:
        """Parse resource-identifier [citation-specifier / fragment-specifier]   (PDI §1.2)."""
        cursor = self.cursor
        begin = cursor.offset
        fields = resource_identifier(cursor, strict=self.strict)
        written = cursor.source[begin : cursor.offset]
        if cursor.offset < len(cursor.source):
            self._check_specific(fields)
            document = PDI.of(fields, written)
            if cursor.peek() == "#":
                return self._fragment(document, begin)
            return self._citation(document, begin, depth)
        if fields.has_wildcard:
            return PDIPattern.of(fields, written)
        return PDI.of(fields, written)

    def _check_specific(self, fields: Fields) -> None:
        """Refuse a fragment or citation of anything but a format of a version (PDI §2.5, §2.6)."""
        cursor = self.cursor
        what = "fragment" if cursor.peek() == "#" else "citation"
        if fields.has_wildcard:
            fail(cursor, f"a name with wildcards has no {what}", spec="PDI §3.6.3")
        if fields.format is None:
            fail(
                cursor,
                f"a {what} needs a format and a version before it",
                spec="PDI §2.5",
                hint=f"such as {fields.unique_id[:40]}.text.1",
            )
        if fields.version is None and self.strict:
            fail(
                cursor,
                f"a {what} needs a version before it",
                spec="PDI §2.6",
                hint=f"such as {fields.unique_id[:40]}.{fields.format[:40]}.1",
            )

    def _fragment(self, document: PDI, begin: int) -> FragmentPDI:
        """Parse "#" [fragment-scheme "="] position *("," position)   (PDI §1.2.3)."""
        cursor = self.cursor
        violations = _tolerated(document, "fragment-without-version", cursor.offset)
        cursor.expect("#")
        token = document.format or ""
        media_type = media_type_for(token) or ""
        part = _specifier(cursor, token[:40], media_type, self.schemes, strict=self.strict)
        written = cursor.source[begin:]
        return FragmentPDI(
            document,
            part.scheme,
            part.explicit,
            part.positions,
            violations + part.violations,
            written,
        )

    def _citation(self, document: PDI, begin: int, depth: int) -> CitationPDI:
        """Parse "@" origin-position "=" pdi   (PDI §1.2.2)."""
        cursor = self.cursor
        violations = _tolerated(document, "citation-without-version", cursor.offset)
        if depth == MAX_DEPTH:
            problem = f"expected at most {MAX_DEPTH} citations within one another"
            fail(cursor, problem, spec="PDI §3.5")
        cursor.expect("@")
        origin = _origin(cursor, document.format or "")
        if not cursor.take("="):
            fail(
                cursor,
                "expected '=' and the PDI that is cited",
                spec="PDI §3.5.2",
                hint="an origin is one position" if cursor.peek() == "," else "",
            )
        if urn := _URN.match(cursor.source, cursor.offset):
            violations = (*violations, Violation("urn-in-citation", urn[0], cursor.offset))
            if self.strict:
                fail(cursor, "expected pdi://, without urn:, for what is cited")
        elif not _CITED_PREFIX.match(cursor.source, cursor.offset):
            fail(cursor, "expected the PDI that is cited", spec="PDI §3.5.2", hint="pdi://...")
        cited = self._cited(depth)
        if isinstance(cited, PDI):
            violations += _tolerated(cited, "citation-without-version", cursor.offset)
        return CitationPDI(document, origin, cited, violations, cursor.source[begin:])

    def _cited(self, depth: int) -> PDI | FragmentPDI | CitationPDI:
        """Parse one document, a part of it or its citation; strictly with a version (PDI §2.6)."""
        cursor = self.cursor
        start = cursor.offset
        cited = self.name(depth + 1)
        if isinstance(cited, PDIPattern):
            at = cursor.source.index("*", start)
            fail(cursor, "a citation cites one document, not a pattern", at=at, spec="PDI §3.6.3")
        if isinstance(cited, PDI) and cited.version is None and self.strict:
            fail(
                cursor,
                "expected the format and the version of what is cited",
                spec="PDI §2.6" if cited.format else "PDI §2.5",
            )
        return cited


def _tolerated(document: PDI, rule: str, offset: int) -> tuple[Violation, ...]:
    return () if document.version is not None else (Violation(rule, "", offset),)


def _origin(cursor: Cursor, token: str) -> str:
    """Parse origin-position: one position in the default scheme of the format   (PDI §3.5.2)."""
    scheme = default_scheme(token)
    if scheme is None:
        fail(
            cursor,
            f"{token[:40]} has no origin position, so it cannot hold a citation",
            spec="PDI §3.5.2",
            hint="cite from a text, an image, sound or video",
        )
    begin = cursor.offset
    origin = cursor.match(_CORNER if scheme == "rect" else _ORIGIN)
    if origin is None:
        what = "(x,y), the corner" if scheme == "rect" else "a whole number, the position"
        fail(cursor, f"expected {what} where the citation begins", spec="PDI §3.5.2")
    if len(origin) > MAX_DIGITS:
        fail(cursor, f"expected at most {MAX_DIGITS} digits", at=begin, spec="PDI §3.5.2")
    return with_marks(origin)


def _specifier(
    cursor: Cursor, shown: str, media_type: str, known: Schemes, *, strict: bool
) -> Specifier:
    """Parse [fragment-scheme "="] position *("," position), to the end   (PDI §1.2.3).

    `shown`: the format or the media type, as errors name it.
    """
    start = cursor.offset
    name, explicit, violations = _scheme_name(cursor, shown, media_type, strict=strict)
    scheme = _scheme(cursor, name, known, start)
    if not scheme.applies(media_type):
        names = ", ".join(each.name for each in known.known if each.applies(media_type))
        problem = f"{shown} has no fragment scheme {name[:40]}"
        fail(cursor, problem, at=start, spec="PDI §3.3", hint=f"it has {names}")
    cursor.spec = scheme.spec
    positions = scheme.positions(cursor)
    if cursor.offset < len(cursor.source):
        _more(cursor)
    written = cursor.source[start:]
    comma = _ESCAPED_COMMA.search(written) if "%" in written else None
    if comma is not None and _ESCAPED_COMMA.search(",".join(positions)) is None:
        fault = Violation("escaped-comma", unescaped(written), start + comma.start())
        violations = (*violations, fault)
    return Specifier(scheme.name, explicit, positions, violations)


def _scheme_name(
    cursor: Cursor, shown: str, media_type: str, *, strict: bool
) -> tuple[str, bool, tuple[Violation, ...]]:
    """Parse [fragment-scheme "="]: the name, and whether it is written   (PDI §3.3)."""
    start = cursor.offset
    match = _SCHEME.match(cursor.source, start)
    if match is not None:
        cursor.offset = match.end()
        return match[1].lower(), True, ()
    default = scheme_of_type(media_type)
    if default is None:
        problem = f"expected a fragment scheme and '=', since {shown or 'it'} has no default one"
        fail(cursor, problem, spec="PDI §3.3", hint="such as byte=0,100")
    match = _COMMA_SCHEME.match(cursor.source, start) if default == "sec" else None
    if match is None:
        return default, False, ()
    if strict:
        hint = f"write {match[1]}=23,51"
        fail(cursor, "expected '=' after the scheme", at=match.end(1), spec="PDI §3.4.4", hint=hint)
    cursor.offset = match.end()
    return match[1].lower(), True, (Violation("comma-after-scheme", match[0], start),)


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
