"""A small line chart as SVG: sizes along a logarithmic axis, ratios up a linear one."""

from __future__ import annotations

import math
from html import escape

__all__ = ["line_chart"]

WIDTH, HEIGHT = 760, 360
LEFT, RIGHT, TOP, BOTTOM = 48, 532, 44, 316
"""The edges of the plot; labels of the lines stand right of it."""
COLOURS = ("#1b6fd0", "#c2520a", "#1f8a4c", "#9b4dca", "#b8860b", "#c0336d", "#0f8a99")
LABEL_GAP = 16

_STYLE = """
text { font: 13px system-ui, sans-serif; fill: #333 }
.title { font-weight: 600; font-size: 15px }
.grid { stroke: #8884; stroke-width: 1 }
.base { stroke: #888; stroke-width: 1 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } }
""".strip()


def line_chart(title: str, sizes: list[int], lines: dict[str, list[float]]) -> str:
    """Return an SVG of `lines`, each with a value for every size; it has no background."""
    top = max(2.0, math.ceil(max(max(values) for values in lines.values()) * 2) / 2)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        f'<text class="title" x="{LEFT}" y="22">{escape(title)}</text>',
        *_axes(sizes, top),
        *_lines(sizes, lines, top),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _axes(sizes: list[int], top: float) -> list[str]:
    """Return the grid with its numbers."""
    parts = []
    step = 0.5 if top <= 3 else 1.0
    for number in range(int(top / step) + 1):
        value = number * step
        height = _y(value, top)
        kind = "base" if value == 0 else "grid"
        parts += [
            f'<line class="{kind}" x1="{LEFT}" x2="{RIGHT}" y1="{height}" y2="{height}"/>',
            f'<text x="{LEFT - 8}" y="{height + 4}" text-anchor="end">{value:g}</text>',
        ]
    for size in sizes:
        place = _x(size, sizes)
        parts.append(f'<text x="{place}" y="{BOTTOM + 20}" text-anchor="middle">{size:,}</text>')
    middle = (LEFT + RIGHT) // 2
    parts.append(f'<text x="{middle}" y="{BOTTOM + 40}" text-anchor="middle">names</text>')
    return parts


def _lines(sizes: list[int], lines: dict[str, list[float]], top: float) -> list[str]:
    """Return the lines, their points, and their names where they end."""
    parts = []
    below: float = TOP - LABEL_GAP
    names = sorted(zip(lines, COLOURS, strict=False), key=lambda one: -lines[one[0]][-1])
    for name, colour in names:
        points = [
            (_x(size, sizes), _y(value, top))
            for size, value in zip(sizes, lines[name], strict=True)
        ]
        way = " ".join(f"{x},{y}" for x, y in points)
        parts.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}"/>' for x, y in points]
        below = max(below + LABEL_GAP, points[-1][1])
        parts += [
            f'<circle cx="{RIGHT + 18}" cy="{below}" r="4" fill="{colour}"/>',
            f'<text x="{RIGHT + 28}" y="{below + 4}">{escape(name)}</text>',
        ]
    return parts


def _x(size: int, sizes: list[int]) -> float:
    """Return where a size stands."""
    share = math.log(size / sizes[0]) / math.log(sizes[-1] / sizes[0])
    return round(LEFT + 24 + share * (RIGHT - LEFT - 48), 1)


def _y(value: float, top: float) -> float:
    """Return how high a value stands."""
    return round(BOTTOM - value / top * (BOTTOM - TOP), 1)
