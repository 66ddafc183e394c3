"""Lines of a PDF page: glyphs to fragments, fragments to lines, lines to columns (clauses 2 to 6).

A fragment is what is together on one baseline in the order of the file: it holds words and the gaps
between them. A line is the fragments that are side by side.

A gutter is a strip without glyphs between two stacks of lines that both look like running text: at
least three lines each, most of which fill their column. Rows of a table do not, and are read
across. What reaches over a gutter divides the page above and below it.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from permacite.renditions.pdf.pages import GlyphPage

__all__ = [
    "LETTER_SPACING",
    "ColumnFrame",
    "GlyphLine",
    "LineFragment",
    "fragments_of",
    "frames_of",
    "lines_of",
    "regions_of",
    "runs_of",
]


_SPACES = (0x20, 0xA0, 0x2002, 0x2003, 0x2009, 0x200A, 0x202F, 0x3000)
_WORD_GAP, _WORD_GAP_BESIDE_SPACES = 0.1, 0.2
"""A gap so wide, in sizes of the glyphs, divides words: where spaces are drawn, a wider one."""
_SPACES_ARE_DRAWN = 0.05
LETTER_SPACING = 0.06
"""Where most glyphs of a fragment stand so far apart, it is letter-spaced."""
_FRAGMENT_GAP = 1.0
_UPSIDE_DOWN = 180
_BASELINE = 0.12
_BACK = 0.35
_OVERLAP = 0.5
_FIRST_MARK, _MARKS = 0x300, frozenset({"Mn", "Mc", "Me"})


class ColumnFrame(NamedTuple):
    """The glyphs of one direction, in columns; u runs along their lines, v down across them."""

    numbers: Any
    """Of each glyph its number on the page; spaces are left out."""
    codes: Any
    u: Any
    v: Any
    end: Any
    """How far each reaches: a mark as far as the letter that it stands on."""
    size: Any
    space_before: Any
    rtl: Any
    """Whether it belongs to a script that runs to the left."""
    word_gap: float
    """A gap so wide, in sizes of the glyphs, divides words."""
    spaces: bool
    """Whether spaces are drawn."""
    blocks: Any
    """The number of its block in the order of tags."""

    def in_lists(self) -> ColumnFrame:
        """The same with lists in place of columns: single glyphs are asked for, many times each."""
        columns = {
            name: each.tolist()
            for name, each in zip(self._fields, self, strict=True)
            if isinstance(each, np.ndarray)
        }
        return self._replace(**columns)


@dataclass(slots=True, eq=False)
class LineFragment:
    """Glyphs of a frame from `start` up to `end`."""

    start: int
    end: int
    u0: float
    u1: float
    v: float
    size: float
    rtl: bool
    block: int


@dataclass(slots=True, eq=False)
class GlyphLine:
    """Fragments side by side."""

    parts: list[LineFragment]
    u0: float = 0.0
    u1: float = 0.0
    v: float = 0.0
    size: float = 0.0
    wide_gap: bool = False
    """Whether two fragments stand far from each other, as cells of a table do."""
    glyphs: list[int] = field(default_factory=list)
    """In logical order; -1 stands for a space."""


def frames_of(page: GlyphPage, rtl: Any) -> list[ColumnFrame]:
    """The frames of a page: that of the most glyphs first, then by their angle."""
    if not page.codes.size:
        return []
    angles, counts = np.unique(page.angle, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    is_space = np.isin(page.codes, _SPACES)
    fresh = _not_doubled(page) & _on_the_page(page)
    frames = []
    for angle in angles[order].tolist():
        chosen = np.flatnonzero((page.angle == angle) & fresh)
        if not chosen.size:
            continue
        if angle == _UPSIDE_DOWN:  # the decoder gives it from its end
            across = np.round(page.y[chosen] / (0.3 * float(np.median(page.size[chosen]))))
            chosen = chosen[np.lexsort((-page.x[chosen], -across))]
        spaces = is_space[chosen]
        drawn = np.zeros(chosen.size + 1, np.bool_)
        drawn[1:] = spaces
        many = float(spaces.mean()) > _SPACES_ARE_DRAWN
        kept = np.flatnonzero(~spaces)
        numbers = chosen[kept]
        if not numbers.size:
            continue
        turn = np.radians(angle)
        right, down = np.cos(turn), np.sin(turn)
        x, y = page.x[numbers], page.y[numbers]
        # A glyph that stands for several characters keeps the space that was drawn before it.
        u = np.round(x * right + y * down, 1)
        v = np.round(y * right - x * down, 1)
        frames.append(
            ColumnFrame(
                numbers,
                page.codes[numbers],
                u,
                v,
                _ends(page.codes[numbers], u, u + page.advance[numbers]),
                np.maximum(page.size[numbers], 0.1),
                drawn[kept],
                rtl[numbers],
                _WORD_GAP_BESIDE_SPACES if many else _WORD_GAP,
                many,
                page.blocks[numbers],
            )
        )
    return frames


def _ends(codes: Any, u: Any, ends: Any) -> Any:
    """How far glyphs reach; marks, and pieces of one glyph, reach as far as what they belong to."""
    last = int(codes.max())
    marks = np.zeros(codes.size, np.bool_)
    if last >= _FIRST_MARK:
        for code in np.unique(codes[codes >= _FIRST_MARK]).tolist():
            if unicodedata.category(chr(code)) in _MARKS:
                marks |= codes == code
        marks[1:] |= (u[1:] == u[:-1]) & (codes[1:] >= _FIRST_MARK)
        for index in np.flatnonzero(marks).tolist():
            if index and abs(u[index] - u[index - 1]) <= ends[index - 1] - u[index - 1]:
                ends[index] = max(ends[index], ends[index - 1])
    return ends


def _on_the_page(page: GlyphPage) -> Any:
    """Which glyphs can be seen: the middle of their box is on the page."""
    across, down = (page.boxes[:, side] + page.boxes[:, side + 2] for side in (0, 1))
    return (across >= 0) & (across <= 2 * page.width) & (down >= 0) & (down <= 2 * page.height)


def _not_doubled(page: GlyphPage) -> Any:
    """Which glyphs are not the same as one before, drawn again to look bold or to have a shadow."""
    order = np.lexsort((np.arange(page.codes.size), page.x, np.round(page.y), page.codes))
    code, x, y, size = (column[order] for column in (page.codes, page.x, page.y, page.size))
    fresh = np.ones(page.codes.size, np.bool_)
    near = 0.1 * size[1:]
    same = (code[1:] == code[:-1]) & (np.abs(np.diff(x)) < near) & (np.abs(np.diff(y)) < near)
    # The pieces of one glyph ("ff") follow each other in the order of the file, all at one place.
    piece = (np.diff(page.x) == 0) & (np.diff(page.y) == 0)
    glyph = np.concatenate(([0], np.cumsum(~piece)))
    same &= np.diff(glyph[order]) != 0
    later = np.maximum(order[1:], order[:-1])
    fresh[later[same]] = False
    return fresh


def fragments_of(frame: ColumnFrame) -> list[LineFragment]:
    """The fragments of a frame, in the order of the file."""
    u, v, end, size = frame.u, frame.v, frame.end, frame.size
    smaller = np.minimum(size[1:], size[:-1])
    forward = u[1:] - end[:-1]
    backward = u[:-1] - end[1:]
    steps_on = (np.diff(u) >= -_BACK * smaller) & (forward <= _FRAGMENT_GAP * smaller)
    steps_back = (np.diff(u) <= _BACK * smaller) & (backward <= _FRAGMENT_GAP * smaller)
    either = frame.rtl[1:] | frame.rtl[:-1]
    together = steps_on | (steps_back & either)
    together &= np.abs(np.diff(v)) <= _BASELINE * smaller + 0.05
    together &= np.maximum(size[1:], size[:-1]) <= 1.6 * smaller
    starts = np.concatenate(([0], np.flatnonzero(~together) + 1, [u.size]))
    begins = starts[:-1]
    u0 = np.minimum.reduceat(u, begins)
    u1 = np.maximum.reduceat(end, begins)
    largest = np.maximum.reduceat(size, begins)
    rtl = np.logical_or.reduceat(frame.rtl, begins)
    return [
        LineFragment(*each)
        for each in zip(
            begins.tolist(),
            starts[1:].tolist(),
            u0.tolist(),
            u1.tolist(),
            v[begins].tolist(),
            largest.tolist(),
            rtl.tolist(),
            frame.blocks[begins].tolist(),
            strict=True,
        )
    ]


def lines_of(fragments: Sequence[LineFragment]) -> list[GlyphLine]:
    """Lines from above to below, the fragments of each from the left to the right."""
    lines: list[GlyphLine] = []
    ordered = sorted(fragments, key=lambda part: (-round(part.size), part.v, part.u0))
    by_place: list[GlyphLine] = []
    for part in ordered:
        line = _home(part, by_place)
        if line is None:
            line = GlyphLine([part], v=part.v, size=part.size)
            by_place.append(line)
            lines.append(line)
        else:
            line.parts.append(part)
    for line in lines:
        line.parts.sort(key=lambda part: (part.u0, part.start))
        line.u0 = min(part.u0 for part in line.parts)
        line.u1 = max(part.u1 for part in line.parts)
        reach = line.parts[0].u1
        for part in line.parts[1:]:
            line.wide_gap |= part.u0 - reach > 1.8 * line.size
            reach = max(reach, part.u1)
    return sorted(lines, key=lambda line: (line.v - 0.35 * line.size, line.u0))


def _home(part: LineFragment, lines: Sequence[GlyphLine]) -> GlyphLine | None:
    """The line that a fragment overlaps most, if it overlaps one by half its height."""
    above, below = part.v - 0.7 * part.size, part.v + 0.2 * part.size
    height = 0.9 * part.size
    best, home = _OVERLAP, None
    for line in lines:
        top, bottom = line.v - 0.7 * line.size, line.v + 0.2 * line.size
        if bottom <= above or top >= below:
            continue
        shared = (min(below, bottom) - max(above, top)) / min(height, 0.9 * line.size)
        if line.size > 2 * part.size and abs(line.v - part.v) > 0.3 * part.size:
            continue  # an initial that reaches over several lines
        if shared > best + 1e-6:
            best, home = shared, line
    return home


_GUTTER = 0.7
_FEWEST = 3
_FILLED = 0.5
_NARROWEST = 6.0
_MOST_FRAGMENTS = 3000
_DEEPEST = 12
_BELOW, _JUMP = 0.5, 3.0


class _Cut(NamedTuple):
    above: Any
    left: Any
    right: Any
    below: Any


def runs_of(fragments: Sequence[LineFragment]) -> list[list[LineFragment]]:
    """The fragments in the order of tags, parted where it goes up the page again, or aside.

    A run holds blocks of which each begins below the one before: its content is put in order by
    place. What has no tags comes first if it stands above all that has, else last.
    """
    blocks: dict[int, list[LineFragment]] = {}
    for part in fragments:
        blocks.setdefault(part.block, []).append(part)
    loose = blocks.pop(-1, [])
    if len(blocks) <= 1:  # one block has no order
        return [list(fragments)]
    top = min(part.v for block in blocks.values() for part in block)
    runs = [[part for part in loose if part.v < top]]
    bottom = -float("inf")
    for _, block in sorted(blocks.items()):
        for piece in _pieces_of(block):
            if min(part.v for part in piece) < bottom + _BELOW * min(part.size for part in piece):
                runs.append([])
                bottom = -float("inf")
            runs[-1] += piece
            bottom = max(bottom, *(part.v for part in piece))
    return [run for run in [*runs, [part for part in loose if part.v >= top]] if run]


def _pieces_of(block: Sequence[LineFragment]) -> list[list[LineFragment]]:
    """A block, parted where it goes on at the top of another column."""
    pieces: list[list[LineFragment]] = []
    right = left = bottom = 0.0
    for part in block:
        beside = pieces and (part.u0 >= right or part.u1 <= left)
        if not pieces or (beside and part.v < bottom - _JUMP * part.size):
            pieces.append([])
            left, right, bottom = part.u0, part.u1, part.v
        pieces[-1].append(part)
        left, right = min(left, part.u0), max(right, part.u1)
        bottom = max(bottom, part.v)
    return pieces


def regions_of(fragments: Sequence[LineFragment], *, to_the_left: bool) -> list[list[LineFragment]]:
    """Stacks of lines without a gutter, in the order in which they are read."""
    if not fragments:
        return []
    ordered = sorted(fragments, key=lambda part: (part.v, part.u0))
    columns = np.array([(part.u0, part.u1, part.v, part.size) for part in ordered])
    if len(ordered) > _MOST_FRAGMENTS:
        return [ordered]
    found: list[Any] = []
    _divide(columns, np.arange(len(ordered)), found, to_the_left=to_the_left)
    return [[ordered[index] for index in numbers.tolist()] for numbers in found if numbers.size]


def _divide(
    columns: Any, numbers: Any, found: list[Any], *, to_the_left: bool, depth: int = 0
) -> None:
    cut = _cut(columns[numbers]) if numbers.size >= 2 * _FEWEST and depth < _DEEPEST else None
    if cut is None:
        found.append(numbers)
        return
    sides = (cut.right, cut.left) if to_the_left else (cut.left, cut.right)
    for part in (cut.above, *sides, cut.below):
        if part.size:
            _divide(columns, numbers[part], found, to_the_left=to_the_left, depth=depth + 1)


def _cut(columns: Any) -> _Cut | None:
    """The gutter with the most lines beside it, if there is one."""
    u0, u1, _, size = columns.T
    em = float(np.median(size))
    edges = np.unique(np.round(u0))
    left_edge = float(u0.min())
    edges = edges[edges > left_edge + _NARROWEST * em]
    if not edges.size:
        return None
    begins = edges[:, None] - 1.0
    left = u1[None, :] <= edges[:, None] - _GUTTER * em
    right = u0[None, :] >= begins
    across = ~(left | right)
    candidates = []
    for index in range(edges.size):
        strip = np.cumsum(across[index])
        most = int(strip[-1]) + 1
        lefts = np.bincount(strip[left[index]], minlength=most)
        rights = np.bincount(strip[right[index]], minlength=most)
        weight = np.minimum(lefts, rights)
        candidates += [
            (int(lefts[which] + rights[which]), -index, which)
            for which in np.flatnonzero(weight >= _FEWEST).tolist()
        ]
    for _, index, which in sorted(candidates, reverse=True)[:12]:
        strip = np.cumsum(across[-index])
        within = strip == which
        stacks = (np.flatnonzero(within & side[-index]) for side in (left, right))
        first, second = stacks
        if _are_columns(columns[first], columns[second], em):
            inside = np.concatenate((first, second))
            begin, end = int(inside.min()), int(inside.max())
            rest = np.ones(u0.size, np.bool_)
            rest[inside] = False
            others = np.flatnonzero(rest)
            return _Cut(others[others < begin], first, second, others[others > end])
    return None


def _are_columns(first: Any, second: Any, em: float) -> bool:
    if not (_is_column(first, em) and _is_column(second, em)):
        return False
    top = max(first[0, 2], second[0, 2])
    bottom = min(first[-1, 2], second[-1, 2])
    return bool(bottom - top > em)


def _is_column(stack: Any, em: float) -> bool:
    """Whether a stack looks like lines of running text, not like cells."""
    left, right = float(stack[:, 0].min()), float(stack[:, 1].max())
    if right - left < _NARROWEST * em:
        return False
    rows = np.cumsum(np.concatenate(([True], np.diff(stack[:, 2]) > 0.4 * em))) - 1
    count = int(rows[-1]) + 1
    if count < _FEWEST:
        return False
    filled = np.bincount(rows, weights=stack[:, 1] - stack[:, 0], minlength=count)
    return float(np.median(filled)) >= _FILLED * (right - left)
