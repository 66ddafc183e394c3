"""Parts of pictures and recordings as other programs select them: media fragments, and SVG.

| specification | function |
|---|---|
| Media Fragments URI 1.0 §4.2.1 temporal, npt; §4.2.2 spatial, pixel | part_of |
| Web Annotation Data Model §4.2.7 SvgSelector, of one rectangle | rectangle_in |

Readings: percent and SMPTE times are not read, nor is a time without an end: each would select what
depends on the program. A shape that is no rectangle is wider in every rectangle around it, and is
passed over, as is one that is turned or scaled.
"""

from __future__ import annotations

from permacite.markup.tokenizer import tokenize
from permacite.markup.tokens import StartTag
from permacite.scan import compile_pattern

__all__ = ["part_of", "rectangle_in"]

_TIME = compile_pattern(r"t=(?:npt:)?([0-9:.]{0,20}),([0-9:.]{1,20})")
_AREA = compile_pattern(r"xywh=(?:pixel:)?([0-9]{1,9}),([0-9]{1,9}),([0-9]{1,9}),([0-9]{1,9})")
_WHOLE = compile_pattern(r"([0-9]{1,9})(?:\.0*)?(?:px)?")
_EDGES = ("x", "y", "width", "height")
_SHAPING = frozenset({"transform", "rx", "ry", "viewBox", "style"})
_MOST = 10_000


def part_of(fragment: str) -> tuple[str, str] | None:
    """The way to say what a media fragment selects, and what to type; None for any other."""
    times = corners = ""
    for dimension in fragment.split("&"):
        time, area = _TIME.fullmatch(dimension), _AREA.fullmatch(dimension)
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
    if len(svg) > _MOST:
        return None
    tags = [each for each in tokenize(svg, xml=True) if isinstance(each, StartTag)]
    shapes = [each for each in tags if each.name.rpartition(":")[2] != "svg"]
    is_shaped = any(_SHAPING & {each.name for each in tag.attributes} for tag in tags)
    if len(shapes) != 1 or shapes[0].name.rpartition(":")[2] != "rect" or is_shaped:
        return None
    edges = [_WHOLE.fullmatch((shapes[0].get(name) or "").strip()) for name in _EDGES]
    numbers = [each[1] for each in edges if each is not None]
    return f"xywh={','.join(numbers)}" if len(numbers) == len(_EDGES) else None
