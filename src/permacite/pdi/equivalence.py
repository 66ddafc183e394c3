"""Equivalence of names: the same name, the same thing, or one covers the other.

Persistent Document Identifiers (draft-mallery-urn-pdi-00)

| section | function |
|---|---|
| §3.6.4 lexical equivalence | lexically_equal |
| §2.5, §3.3, §3.4 what defaults mean | denotes_same |
| §3.6.3 wildcards, §2.3 intervals, §2.5 generic resources | covers |

Deviations: none.

Readings:
- Step 3 leaves the prefix in (`urn:pdi:` and `pdi:` are different text for the same name), and
  step 4 treats every unique-id as opaque: no foreign identifier is canonicalised by its own rules.
- Lexical equivalence fills in nothing, pads nothing and compares no numbers; `denotes_same` does
  all three. A version left out is equal to no version given, in either sense.
- A pattern covers what lies below it: a field left out at the end stands for any, a fragment and
  a citation belong to their document. A "*" needs the field to be there. A series matches whole.
"""

from __future__ import annotations

from permacite.pdi.grammar import unescaped
from permacite.pdi.model import PDI, CitationPDI, FragmentPDI, PDIPattern, default_scheme
from permacite.pdi.rfc8118 import PagePlace
from permacite.pdi.schemes import table_area
from permacite.pdi.syntax import parse

__all__ = ["covers", "denotes_same", "lexically_equal"]

Name = PDI | FragmentPDI | CitationPDI | PDIPattern

_LEXICAL = {"unpadded-date", "comma-after-scheme", "escaped-comma", "urn-in-citation"}
"""The tolerated faults that make a different text."""


def lexically_equal(a: Name | str, b: Name | str) -> bool:
    """Whether two names are the same text in canonical form (PDI §3.6.4).

    Text is parsed leniently, and kept as it is: `1999/9/16` is not `1999/09/16`.
    """
    return _lexical(_value(a)) == _lexical(_value(b))


def denotes_same(a: Name | str, b: Name | str) -> bool:
    """Whether two names stand for the same thing by what the draft says of defaults.

    The URN form and the URL form are the same; so are `#37,51` and `#char=37,51` of a text,
    `sec=1,2` and `msec=1000,2000`, a frame left out and frame 0, `row=5` and `row=5-5`.
    """
    return _meaning(_value(a)) == _meaning(_value(b))


def covers(pattern: Name | str, pdi: Name | str) -> bool:
    """Whether `pdi` belongs to what `pattern` names (PDI §3.6.3).

    Without wildcards and with all fields, a name covers itself and its fragments.
    """
    outer, inner = _value(pattern), _value(pdi)
    if isinstance(outer, FragmentPDI | CitationPDI):
        return _meaning(outer) == _meaning(inner)
    if isinstance(inner, FragmentPDI | CitationPDI):
        inner = inner.pdi
    if outer.series != inner.series:
        return False
    wanted, given = _fields(outer), _fields(inner)
    size = max(index + 1 for index, field in enumerate(wanted) if field is not None)
    return all(map(_matches, wanted[:size], given))


def _value(name: Name | str) -> Name:
    return parse(name, strict=False) if isinstance(name, str) else name


def _matches(wanted: str | None, given: str | None) -> bool:
    return given is not None and wanted in {"*", given}


def _fields(value: PDI | PDIPattern) -> tuple[str | None, ...]:
    """Return the fields after the series, in canonical form."""
    text = value.canonical()
    date, specifier = text.rsplit("/", 1)
    parts = specifier.split(".")
    padding = [None] * (3 - len(parts))
    return (*date.rsplit("/", 3)[1:], *parts, *padding)


def _lexical(value: Name) -> tuple[object, ...]:
    faults: list[tuple[str, str]] = []
    each: Name = value
    while isinstance(each, CitationPDI):
        faults += _faults(each)
        each = each.cited
    return value.canonical(), *faults, *_faults(each)


def _faults(value: Name) -> list[tuple[str, str]]:
    return [(each.rule, each.found.lower()) for each in value.violations if each.rule in _LEXICAL]


def _meaning(value: Name) -> tuple[object, ...]:
    """Return a key that is equal for names that denote the same."""
    if isinstance(value, FragmentPDI):
        return (*_meaning(value.pdi), "#", *_part(value))
    if isinstance(value, CitationPDI):
        origin = _coordinate(value.origin)
        scheme = default_scheme(value.pdi.format or "")
        return (*_meaning(value.pdi), "@", scheme, origin, _meaning(value.cited))
    return (value.series, *_fields(value))


def _part(value: FragmentPDI) -> tuple[object, ...]:
    """Return the positions as numbers, with the defaults filled in."""
    scheme, positions = value.scheme, value.positions
    if scheme in {"sec", "msec", "crop"}:
        unit, start, end, *corners = positions if scheme == "crop" else (scheme, *positions)
        return ("time", *_milliseconds(unit, start, end), *map(_coordinate, corners))
    place = PagePlace.of(scheme, positions)
    if place is not None:
        return scheme, place
    if scheme == "rect":
        frame = int(positions[2]) if positions[2:] else 0
        return ("rect", *map(_coordinate, positions[:2]), frame)
    if scheme in {"char", "elt", "byte", "line"}:
        return (scheme, *map(int, positions))
    if scheme in {"row", "col", "cell"}:
        return ("cells", *table_area(scheme, positions))
    return (scheme, *map(unescaped, positions))


def _milliseconds(unit: str, start: str, end: str) -> tuple[int, int]:
    factor = 1000 if unit == "sec" else 1
    return int(start) * factor, int(end) * factor


def _coordinate(position: str) -> tuple[int, ...]:
    return tuple(int(number) for number in position.strip("()").split(","))
