"""Selectors of other programs, as values: W3C, Hypothesis, Zotero.

| specification | what of it |
|---|---|
| Web Annotation Data Model §3.1, §4 | an annotation, its targets, specific resources |
| §4.2.1 Fragment, §4.2.4 TextQuote, §4.2.5 TextPosition, §4.2.6 DataPosition | selectors |
| §4.2.2 CssSelector, §4.2.3 XPathSelector | selectors of one element, such as `#name` |
| §4.2.7 SvgSelector | a rectangle of a picture, as a media fragment (`rectangle_in`) |
| §4.2.8 RangeSelector | Between |
| §4.2.9 refinedBy | Selector.refined |
| Hypothesis | PageSelector |
| Media Fragments URI 1.0 §4.2.1 temporal, npt; §4.2.2 spatial, pixel | `part_of` |
| Zotero | `{"pageIndex": 0, "rects": [[x1, y1, x2, y2]]}`, alone or as annotationPosition |

Deviations: of SvgSelector all but one rectangle is passed over beside others, as is a RangeSelector
without selectors of its ends: Hypothesis writes paths of elements in it.

Readings:
- Members that a specification does not name are passed over, as JSON-LD has it; a type may be
  written with a prefix, such as `oa:`.
- Percent and SMPTE times are not read, nor is a time without an end: each would select what depends
  on the program. A shape that is not a rectangle, or is turned or scaled, is passed over.
- A target that is an IRI alone selects what stands behind its `#`.
"""

from __future__ import annotations

import json
import math
from dataclasses import field
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.markup.tokenizer import tokenize
from permacite.markup.tokens import StartTag
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permacite.service.plain import Json

__all__ = [
    "MOST_BYTES",
    "Between",
    "Element",
    "Fragment",
    "OctetSelector",
    "PageSelector",
    "Position",
    "Quote",
    "Rectangles",
    "Said",
    "Selector",
    "Target",
    "read",
    "targets",
]

_SPEC = "Web Annotation Data Model §4"
MOST_BYTES = 1 << 20
_MEDIA = "http://www.w3.org/TR/media-frags/"
_MOST = 100
"""Selectors of a target, or targets: real ones have a handful."""
_DEEPEST = 8
_EDGES = 4
_FARTHEST = 1e6
_TIME = compile_pattern(r"t=(?:npt:)?([0-9:.]{0,20}),([0-9:.]{1,20})")
_XYWH = compile_pattern(r"xywh=(?:pixel:)?([0-9]{1,9}),([0-9]{1,9}),([0-9]{1,9}),([0-9]{1,9})")
_WHOLE = compile_pattern(r"([0-9]{1,9})(?:\.0*)?(?:px)?")
_SVG_EDGES = ("x", "y", "width", "height")
_SHAPING = frozenset({"transform", "rx", "ry", "viewBox", "style"})
_MOST_DRAWN = 10_000
"""Of a place on a page, in points."""


@dataclass(frozen=True, slots=True)
class Quote:
    """Words, and those around them."""

    exact: str
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Position:
    """Characters of a text, from 0."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class OctetSelector:
    """OctetSelector of a document, from 0."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Fragment:
    """What stands behind `#`, and the address of the rule that it follows; "" for unknown."""

    value: str
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Element:
    """The element of a page that has this id."""

    name: str


@dataclass(frozen=True, slots=True)
class PageSelector:
    """A page of a PDF, from 0."""

    index: int


@dataclass(frozen=True, slots=True)
class Rectangles:
    """Areas of a page of a PDF, from 0: left, bottom, right, top in the space of the file."""

    index: int
    areas: tuple[tuple[float, float, float, float], ...]
    following: tuple[tuple[float, float, float, float], ...] = ()
    """On the next page."""


@dataclass(frozen=True, slots=True)
class Between:
    """What stands from the beginning of one part up to the beginning of another."""

    start: tuple[Selector, ...]
    end: tuple[Selector, ...]


Said: TypeAlias = (
    Quote | Position | OctetSelector | Fragment | Element | PageSelector | Rectangles | Between
)


@dataclass(frozen=True, slots=True)
class Selector:
    """One way to say where a passage is; `refined` says what of it is meant."""

    said: Said
    refined: tuple[Selector, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """What selects one passage, in several ways that select the same."""

    selectors: tuple[Selector, ...]
    source: str = ""
    """The document that it is of, as it says."""
    passed_over: tuple[str, ...] = field(default=())
    """Types of selectors that are not read."""


def read(text: str) -> tuple[Target, ...]:
    """The targets of an annotation, or of what else selects a passage. Raises ParseError."""
    if len(text) > MOST_BYTES:
        raise ParseError("expected a selector, found too long a text", text[:40], 0, _SPEC)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ParseError(error.msg, text, error.pos, "RFC 8259") from error
    except (RecursionError, ValueError) as error:  # too deep, or a number of too many digits
        raise ParseError("expected JSON that can be read", text[:40], 0, "RFC 8259") from error
    targets = tuple(_targets(value, text))
    if not any(target.selectors for target in targets):
        others = dict.fromkeys(name for target in targets for name in target.passed_over)
        found = f", found {', '.join(others)}" if others else ""
        _refuse(f"expected a selector that is read{found}", text)
    return targets


def targets(annotation: dict[str, Json]) -> tuple[Target, ...]:
    """The targets of an annotation, one at least, those without a selector too."""
    several = tuple(_targets(annotation, json.dumps(annotation)[:MOST_BYTES]))
    if not several:
        raise ParseError("expected a target", "", 0, _SPEC)
    return several


def _targets(value: Json, text: str) -> Iterator[Target]:
    """The targets of an annotation; one for anything that is less."""
    if isinstance(value, dict) and isinstance(value.get("data"), dict):
        value = value["data"]  # an item of Zotero's web API
    if not isinstance(value, dict):
        yield _target(value, "", text)
        return
    if "annotationPosition" in value:
        yield _of_zotero(value, text)
        return
    if "target" not in value:
        yield _target(value, "", text)
        return
    several = _several(value["target"])
    if len(several) > _MOST:
        _refuse(f"expected at most {_MOST} targets", text)
    source = value.get("uri")
    for each in several:
        yield _target(each, source if isinstance(source, str) else "", text)


def _target(value: Json, source: str, text: str) -> Target:
    """A specific resource, an IRI, a selector, or several selectors."""
    if isinstance(value, str):
        address, _, fragment = value.partition("#")
        chosen = (Selector(Fragment(fragment)),) if fragment else ()
        return Target(chosen, address)
    if isinstance(value, dict) and ("selector" in value or "source" in value):
        source = _address(value.get("source")) or source
        value = value.get("selector")
    selectors, others = _selectors(value, text)
    return Target(selectors, source, others)


def _address(value: Json) -> str:
    """The address of a source: an IRI, or an object that has one."""
    if isinstance(value, dict):
        value = value.get("id", value.get("@id"))
    return value if isinstance(value, str) else ""


def _of_zotero(item: dict[str, Json], text: str) -> Target:
    """An annotation of Zotero: its position is JSON within a text."""
    position = item["annotationPosition"]
    if isinstance(position, str):
        try:
            position = json.loads(position)
        except (RecursionError, ValueError) as error:
            raise ParseError("expected JSON in annotationPosition", text, 0) from error
    selectors, others = _selectors(position, text)
    words = item.get("annotationText")
    if isinstance(words, str) and words.strip():
        selectors = (*selectors, Selector(Quote(words)))
    return Target(selectors, "", others)


def _selectors(
    value: Json, text: str, depth: int = 0
) -> tuple[tuple[Selector, ...], tuple[str, ...]]:
    """All selectors that are read, and the types of the others."""
    several = _several(value)
    if len(several) > _MOST or depth > _DEEPEST:
        _refuse("expected fewer selectors", text)
    found: list[Selector] = []
    others: list[str] = []
    for each in several:
        if not isinstance(each, dict):
            _refuse("expected an object for each selector", text)
        is_range = _type(each) == "RangeSelector"
        said = _range(each, text, depth) if is_range else _said(each, text)
        if said is None:
            others.append(_type(each) or "an object without a type")
            continue
        refined, beyond = _selectors(each.get("refinedBy"), text, depth + 1)
        if beyond:  # what is wider than what was meant is not taken for it
            others += beyond
            continue
        found.append(Selector(said, refined))
    return tuple(found), tuple(others)


def _several(value: Json) -> list[Json]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _type(value: dict[str, Json]) -> str:
    for name in _several(value.get("type", value.get("@type"))):
        if isinstance(name, str):
            return name.rpartition(":")[2][:40]
    return ""


def _said(value: dict[str, Json], text: str) -> Said | None:
    """What one selector says; None for a type that is not read. Raises ParseError."""
    kind = _type(value)
    if kind in _READ:
        return _READ[kind](value, text)
    if "pageIndex" in value and "rects" in value:
        areas, following = _areas(value["rects"], text), _areas(value.get("nextPageRects"), text)
        return Rectangles(_number(value, "pageIndex", text), areas, following)
    return None


def _range(value: dict[str, Json], text: str, depth: int) -> Between | None:
    """A range between two selectors; None where either is not read."""
    ends = [
        _selectors(value.get(name), text, depth + 1) for name in ("startSelector", "endSelector")
    ]
    if not all(found and not others for found, others in ends):
        return None
    return Between(ends[0][0], ends[1][0])


def _by_svg(value: dict[str, Json], text: str) -> Fragment | None:
    """The one rectangle that a drawing has."""
    rectangle = rectangle_in(_text(value, "value", text))
    return None if rectangle is None else Fragment(rectangle, _MEDIA)


def _quote(value: dict[str, Json], text: str) -> Quote:
    exact = _text(value, "exact", text)
    return Quote(exact, *(_optional(value, name) for name in ("prefix", "suffix")))


def _fragment(value: dict[str, Json], text: str) -> Fragment:
    return Fragment(_text(value, "value", text), _optional(value, "conformsTo"))


def _by_css(value: dict[str, Json], text: str) -> Element | None:
    """The element that a selector names by its id alone: `#name`."""
    path = _text(value, "value", text).strip()
    return _named(path[1:]) if path.startswith("#") else None


def _by_xpath(value: dict[str, Json], text: str) -> Element | None:
    """The same by a path: `//*[@id="name"]` or `id("name")`."""
    path = _text(value, "value", text).strip()
    for before, after in (("//*[@id=", "]"), ("id(", ")")):
        literal = path.removeprefix(before).removesuffix(after)
        if path == before + literal + after and literal[:1] == literal[-1:] in ("'", '"'):
            return _named(literal[1:-1])
    return None


def _named(name: str) -> Element | None:
    """An element with an id that needs no escapes."""
    plain = name.replace("-", "").replace("_", "").isalnum()
    return Element(name) if plain else None


def _text(value: dict[str, Json], name: str, text: str) -> str:
    found = value.get(name)
    if not isinstance(found, str) or not found.strip():
        _refuse(f"expected text in the member `{name}` of {_type(value)}", text, name)
    return found


def _optional(value: dict[str, Json], name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""


def _number(value: dict[str, Json], name: str, text: str) -> int:
    found = value.get(name)
    if type(found) is not int or not 0 <= found < 1 << 53:
        _refuse(f"expected a number from 0 in the member `{name}`", text, name)
    return found


def _span(value: dict[str, Json], text: str) -> tuple[int, int]:
    start, end = _number(value, "start", text), _number(value, "end", text)
    if start >= end:
        _refuse(f"expected the end of {_type(value)} behind its start", text, "end")
    return start, end


def _areas(value: Json, text: str) -> tuple[tuple[float, float, float, float], ...]:
    """Rectangles of Zotero, their corners in order."""
    several = _several(value)
    if len(several) > MOST_BYTES // _EDGES:
        _refuse("expected fewer rectangles", text, "rects")
    found = []
    for each in several:
        edges = [edge for edge in _several(each) if isinstance(edge, int | float)]
        near = all(math.isfinite(edge) and abs(edge) <= _FARTHEST for edge in edges)
        if len(edges) != _EDGES or not near:
            _refuse(
                "expected rectangles of four numbers, such as [72, 500, 200, 512]", text, "rects"
            )
        left, bottom, right, top = edges
        found.append((min(left, right), min(bottom, top), max(left, right), max(bottom, top)))
    return tuple(found)


def _refuse(problem: str, text: str, near: str = "") -> NoReturn:
    raise ParseError(problem, text, max(0, text.find(f'"{near}"')) if near else 0, _SPEC)


def part_of(fragment: str) -> tuple[str, str] | None:
    """The way to say what a media fragment selects, and what to type; None for any other."""
    times = corners = ""
    for dimension in fragment.split("&"):
        time, area = _TIME.fullmatch(dimension), _XYWH.fullmatch(dimension)
        if time is not None and not times:
            times = f"{time[1] or '0'},{time[2]}"
        elif area is not None and not corners:
            left, top, width, height = map(int, area.groups())
            corners = f"{left},{top},{left + width},{top + height}"
        else:
            return None
    if times and corners:
        return "crop", f"sec,{times},{corners}"
    return ("sec", times) if times else ("rect", corners)


def rectangle_in(svg: str) -> str | None:
    """The one rectangle of a drawing as a media fragment; None where there is anything else."""
    if len(svg) > _MOST_DRAWN:
        return None
    tags = [each for each in tokenize(svg, xml=True) if isinstance(each, StartTag)]
    shapes = [each for each in tags if each.name.rpartition(":")[2] != "svg"]
    is_shaped = any(_SHAPING & {each.name for each in tag.attributes} for tag in tags)
    if len(shapes) != 1 or shapes[0].name.rpartition(":")[2] != "rect" or is_shaped:
        return None
    edges = [_WHOLE.fullmatch((shapes[0].get(name) or "").strip()) for name in _SVG_EDGES]
    numbers = [each[1] for each in edges if each is not None]
    return f"xywh={','.join(numbers)}" if len(numbers) == len(_SVG_EDGES) else None


_READ: dict[str, Callable[[dict[str, Json], str], Said | None]] = {
    "TextQuoteSelector": _quote,
    "TextPositionSelector": lambda value, text: Position(*_span(value, text)),
    "DataPositionSelector": lambda value, text: OctetSelector(*_span(value, text)),
    "FragmentSelector": _fragment,
    "CssSelector": _by_css,
    "XPathSelector": _by_xpath,
    "SvgSelector": _by_svg,
    "PageSelector": lambda value, text: PageSelector(_number(value, "index", text)),
}
"""What reads the selectors of each type."""
