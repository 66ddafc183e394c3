"""Paragraphs of a PDF page: the order of glyphs in lines, and lines joined (clauses 4, 5, 7, 8)."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from permacite.renditions.pdf.lines import LETTER_SPACING, lines_of
from permacite.renditions.pdf.scripts import MIRRORED, logical

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from permacite.renditions.pdf.lines import ColumnFrame, GlyphLine, LineFragment

__all__ = ["SPACE", "PageWriter", "gaps_of", "write_region"]

SPACE, RETURN, FEED = -1, -2, -3
_HYPHENS = frozenset({0x2D, 0xAD, 0x2010})
_DOT = 0x2E
_OVERPRINTED = -0.6
"""What begins so far before the end of its neighbour, in sizes, is no part of its word."""
_LEADERS = 5
_SMALL, _RAISED = 0.85, 0.15
_SAME_SIZE = 0.05
_FIRST_LETTER, _FIRST_SYMBOL, _NO_LETTERS = 0x41, 0x2000, (0x7B, 0xC0)
_FEWEST_PAIRS = 5
_BESIDE_OTHERS = 0.4
"""Between wide characters and others a narrower gap is none of words, where spaces are drawn."""
_LAM, _ALEFS = 0x644, frozenset({0x622, 0x623, 0x625, 0x627, 0x671})
_FIRST_WIDE, _HANGUL = 0x2E80, (0xAC00, 0xD7FF)
_SYLLABLE_AND_SPACE = 1.35
_MOST_LETTER_SPACED = 0.5


@dataclass(slots=True, eq=False)
class PageWriter:
    """The text of a page that is being written: numbers of glyphs, or what was made up."""

    codes: Any
    """Of all glyphs of the page."""
    order: list[int] = field(default_factory=list)
    hyphens: list[int] = field(default_factory=list)
    """Where a hyphen at the end of a line stands that may be no part of its word."""
    joints: list[int] = field(default_factory=list)
    """Where a space between two lines of Korean stands that may be no part of the text."""
    mirrored: list[int] = field(default_factory=list)
    """Where a glyph stands for its mirror image."""

    size: float = 0.0
    """Of the line that was written last."""

    def go_on(self, following: int, size: float) -> None:
        """Join a word that a hyphen divides at the end of a column; `following`: its next glyph."""
        if self.order[-2:] != [RETURN, FEED] or abs(self.size - size) > _SAME_SIZE * size:
            return
        before, hyphen = ([-1, -1, *self.order])[-4:-2]
        if before < 0 or hyphen < 0 or int(self.codes[hyphen]) not in _HYPHENS:
            return
        if chr(self.codes[before]).islower() and chr(self.codes[following]).islower():
            del self.order[-2:]
            self.hyphens.append(len(self.order) - 1)

    def end_block(self) -> None:
        """Have what follows begin a line."""
        if self.order and self.order[-1] != FEED:
            self.order += (RETURN, FEED)


def gaps_of(frame: ColumnFrame, fragments: Sequence[LineFragment]) -> Any:
    """Of each glyph whether a gap between words stands before it, within its fragment."""
    u, end, size = frame.u, frame.end, frame.size
    gap = np.zeros(u.size)
    # Of two glyphs that run leftwards the later one ends where the earlier begins.
    gap[1:] = np.maximum(u[1:] - end[:-1], u[:-1] - end[1:])
    smaller = size.copy()
    smaller[1:] = np.minimum(size[1:], size[:-1])
    gap /= smaller
    gaps = (gap > _word_gaps(frame)) | frame.space_before
    begins = np.array([part.start for part in fragments])
    ends = np.array([part.end for part in fragments])
    letter = (frame.codes >= _FIRST_LETTER) & (frame.codes < _FIRST_SYMBOL)
    letter &= (frame.codes < _NO_LETTERS[0]) | (frame.codes >= _NO_LETTERS[1])
    pair = letter.copy()
    pair[1:] &= letter[:-1]
    pair[begins] = False
    pairs = np.add.reduceat(pair.astype(np.int64), begins)
    spaced = np.add.reduceat((pair & (gap > LETTER_SPACING)).astype(np.int64), begins)
    for index in np.flatnonzero(
        (spaced > _MOST_LETTER_SPACED * pairs) & (pairs >= _FEWEST_PAIRS)
    ).tolist():
        start, end = int(begins[index]), int(ends[index])
        between = gap[start:end][pair[start:end]]
        usual = float(np.quantile(between, 0.4, method="lower"))
        if usual > LETTER_SPACING:
            gaps[start + 1 : end] = gap[start + 1 : end] > max(frame.word_gap, 1.5 * usual + 0.05)
    return gaps


def _word_gaps(frame: ColumnFrame) -> Any:
    """Of each glyph how wide a gap before it divides words."""
    if not frame.spaces or int(frame.codes.max()) < _FIRST_WIDE:
        return frame.word_gap
    wide = frame.codes >= _FIRST_WIDE
    gaps = np.full(wide.size, frame.word_gap)
    gaps[1:][wide[1:] != wide[:-1]] = _BESIDE_OTHERS
    return gaps


def write_region(
    sheet: PageWriter, frame: ColumnFrame, gaps: list[int], parts: Sequence[LineFragment]
) -> None:
    """Write a stack of lines as paragraphs. `frame`: in lists."""
    lines = lines_of(parts)
    leftwards = _run_leftwards(frame, parts)
    for line in lines:
        if any(part.rtl for part in line.parts):
            line.glyphs = _leftward_glyphs(sheet, frame, line, leftwards=leftwards)
        else:
            line.glyphs = _glyphs(frame, gaps, line)
    lines = [line for line in lines if line.glyphs]
    for block in _blocks(lines):
        _write_block(sheet, frame, block, leftwards=leftwards)


def _run_leftwards(frame: ColumnFrame, parts: Sequence[LineFragment]) -> bool:
    """Whether most letters of a region belong to scripts that run to the left."""
    if not any(part.rtl for part in parts):
        return False
    leftwards = sum(sum(frame.rtl[part.start : part.end]) for part in parts)
    return leftwards * 2 >= sum(part.end - part.start for part in parts)


def _glyphs(frame: ColumnFrame, gaps: list[int], line: GlyphLine) -> list[int]:
    """The glyphs of a line in logical order, by their places in the frame.

    `gaps`: before which glyphs of a fragment a gap between words stands, in order.
    """
    order: list[int] = []
    last: LineFragment | None = None
    for part in line.parts:
        if last is not None and (
            frame.space_before[part.start]
            or not _OVERPRINTED < (part.u0 - last.u1) / min(part.size, last.size) < frame.word_gap
            or (last is line.parts[0] and _is_mark_of_note(frame, last, part))
        ):
            order.append(SPACE)
        begin = part.start
        for end in gaps[bisect_right(gaps, begin) : bisect_left(gaps, part.end)]:
            order += range(begin, end)
            order.append(SPACE)
            begin = end
        order += range(begin, part.end)
        last = part
    return order


def _is_mark_of_note(frame: ColumnFrame, mark: LineFragment, text: LineFragment) -> bool:
    """Whether a small raised number stands before the first letter of a line."""
    raised = mark.size < _SMALL * text.size and mark.v < text.v - _RAISED * text.size
    if not raised or not chr(frame.codes[text.start]).isalpha():
        return False
    return all(chr(int(code)).isdecimal() for code in frame.codes[mark.start : mark.end])


def _leftward_glyphs(
    sheet: PageWriter, frame: ColumnFrame, line: GlyphLine, *, leftwards: bool
) -> list[int]:
    """The same, for a line in which something runs leftwards."""
    clusters = _clusters(frame, line)
    seen: list[list[int]] = []
    codes: list[int] = []
    reach: float | None = None
    drawn = {
        index
        for part in line.parts
        for index in range(part.start + 1, part.end)
        if frame.space_before[index]
    }
    drawn |= {part.start for part in line.parts if frame.space_before[part.start]}
    for position, cluster in enumerate(clusters):
        head = cluster[0]
        left = frame.u[head]
        if reach is not None:
            before = clusters[position - 1][0]
            apart = left - reach > frame.word_gap * float(min(frame.size[head], frame.size[before]))
            between = (head in drawn and before == head - 1) or (
                before in drawn and head == before - 1
            )
            if apart or between:
                seen.append([SPACE])
                codes.append(0x20)
        reach = max(reach or left, left + float(frame.end[head] - frame.u[head]))
        seen.append(cluster)
        codes.append(frame.codes[head])
    order, turned = logical(codes, leftwards=leftwards)
    glyphs: list[int] = []
    for place in order:
        glyphs += seen[place]
        if turned[place] and codes[place] in MIRRORED:
            sheet.mirrored.append(frame.numbers[seen[place][0]])
    while glyphs and glyphs[0] == SPACE:  # one that stood between two directions
        del glyphs[0]
    while glyphs and glyphs[-1] == SPACE:
        del glyphs[-1]
    return glyphs


def _clusters(frame: ColumnFrame, line: GlyphLine) -> list[list[int]]:
    """Glyphs from the left to the right; what stands on another one goes with it."""
    numbers = [index for part in line.parts for index in range(part.start, part.end)]
    bases: list[list[int]] = []
    marks: list[int] = []
    for index in numbers:
        code = frame.codes[index]
        if unicodedata.combining(chr(code)) or unicodedata.category(chr(code)) == "Mn":
            marks.append(index)
        elif bases and frame.u[index] == frame.u[bases[-1][0]] and index == bases[-1][-1] + 1:
            bases[-1].append(index)
        else:
            bases.append([index])
    for cluster in bases:
        if len(cluster) > 1 and frame.rtl[cluster[0]]:
            cluster.reverse()  # PDFium turns the pieces of a ligature round with its line
            if frame.codes[cluster[0]] in _ALEFS and frame.codes[cluster[1]] == _LAM:
                cluster[:2] = cluster[1::-1]  # but not always; no ligature begins with that
    bases.sort(key=lambda cluster: (frame.u[cluster[0]], cluster[0]))
    for index in marks:
        if not bases:
            bases.append([index])
            continue
        place = frame.u[index]
        home = min(
            bases,
            key=lambda cluster: abs(
                frame.u[cluster[0]] + float(frame.end[cluster[0]] - frame.u[cluster[0]]) / 2 - place
            ),
        )
        home.append(index)
    return bases


def _blocks(lines: Sequence[GlyphLine]) -> list[list[GlyphLine]]:
    """Lines of one size at one distance."""
    steps = [after.v - before.v for before, after in pairwise(lines)]
    usual = sorted(step for step in steps if step > 0)
    pitch = usual[len(usual) // 2] if usual else 0.0
    blocks: list[list[GlyphLine]] = []
    for index, line in enumerate(lines):
        if not index:
            blocks.append([line])
            continue
        step, last = steps[index - 1], lines[index - 1]
        smaller = min(line.size, last.size)
        apart = step > max(1.3 * pitch, 1.35 * smaller) or step < 0.3 * smaller
        if apart or step > 2.2 * smaller or abs(line.size - last.size) > 0.12 * smaller + 0.3:
            blocks.append([line])
        else:
            blocks[-1].append(line)
    return blocks


def _write_block(
    sheet: PageWriter, frame: ColumnFrame, block: Sequence[GlyphLine], *, leftwards: bool
) -> None:
    """Write lines; one that is full goes on in the next."""
    edge = min(line.u0 for line in block) if leftwards else max(line.u1 for line in block)
    goes_on = [
        not _has_leaders(frame, line)
        and _goes_on(frame, line, following, after, edge=edge, leftwards=leftwards)
        for line, following, after in zip(block, block[1:], [*block[2:], None], strict=False)
    ]
    full = [line for line, joined in zip(block, goes_on, strict=False) if joined]
    syllables = not leftwards and _breaks_syllables(frame, full, edge)
    if block and block[0].glyphs[0] >= 0:
        sheet.go_on(frame.numbers[block[0].glyphs[0]], block[0].size)
    base = len(sheet.order)
    for index, line in enumerate(block):
        if index and not goes_on[index - 1]:
            sheet.end_block()
        elif index:
            _join(sheet, frame.numbers[line.glyphs[0]])
            if syllables and _ends_within(frame, block[index - 1], line, edge):
                sheet.joints.append(len(sheet.order) - 1)
        sheet.order += [frame.numbers[glyph] if glyph >= 0 else glyph for glyph in line.glyphs]
    if len(sheet.order) > base:
        sheet.end_block()
        sheet.size = block[-1].size


def _has_leaders(frame: ColumnFrame, line: GlyphLine) -> bool:
    dots: int = sum(frame.codes[part.start : part.end].count(_DOT) for part in line.parts)
    return dots >= _LEADERS


def _goes_on(
    frame: ColumnFrame,
    line: GlyphLine,
    following: GlyphLine,
    after: GlyphLine | None,
    *,
    edge: float,
    leftwards: bool,
) -> bool:
    """Whether the first word of the next line had no room at the end of this one."""
    end, begins = line.glyphs[-1], frame.codes[following.glyphs[0]]
    hyphen = end >= 0 and frame.codes[end] in _HYPHENS
    divided = hyphen and len(line.glyphs) > 1 and chr(begins).islower() and line.glyphs[-2] >= 0
    if (line.wide_gap or following.wide_gap) and not divided:
        return False
    size = line.size
    begin = [-part.u1 if leftwards else part.u0 for part in (line, following)]
    if begin[1] > begin[0] + 0.8 * size:
        third = None if after is None else -after.u1 if leftwards else after.u0
        if third is not None and third < begin[1] - 0.5 * size:
            return False
    if hyphen:
        return True
    room = line.u0 - edge if leftwards else edge - line.u1
    return room < _first_word(frame, following) + 0.3 * size


def _first_word(frame: ColumnFrame, line: GlyphLine) -> float:
    """How wide the first word of a line is."""
    word = line.glyphs[: line.glyphs.index(SPACE)] if SPACE in line.glyphs else line.glyphs
    begins: list[float] = [frame.u[glyph] for glyph in word]
    ends: list[float] = [frame.end[glyph] for glyph in word]
    return max(ends) - min(begins)


def _join(sheet: PageWriter, following: int) -> None:
    """Write what stands between two lines of a paragraph: a space, or nothing behind a hyphen.

    `following`: the number of the glyph that the next line begins with.
    """
    last = sheet.order[-1]
    hyphen = last >= 0 and int(sheet.codes[last]) in _HYPHENS and len(sheet.order) > 1
    before = sheet.order[-2] if hyphen else SPACE
    if last >= 0 and _is_ideograph(sheet.codes[last]) and _is_ideograph(sheet.codes[following]):
        return
    if before < 0 or not chr(sheet.codes[before]).isalnum():
        sheet.order.append(SPACE)
    elif chr(sheet.codes[before]).isalpha() and chr(sheet.codes[following]).islower():
        sheet.hyphens.append(len(sheet.order) - 1)


def _is_hangul(code: int) -> bool:
    return _HANGUL[0] <= code <= _HANGUL[1]


def _breaks_syllables(frame: ColumnFrame, lines: Sequence[GlyphLine], edge: float) -> bool:
    """Whether lines of Korean that go on end wherever they are full, be it within words."""
    if not lines or max(frame.codes) < _HANGUL[0]:
        return False
    rooms = sorted((edge - line.u1) / line.size for line in lines)
    return rooms[len(rooms) * 9 // 10 - (len(rooms) % 10 == 0)] < _SYLLABLE_AND_SPACE


def _ends_within(frame: ColumnFrame, line: GlyphLine, following: GlyphLine, edge: float) -> bool:
    """Whether the next syllable had no room on this line, and no space is drawn between them."""
    last, first = line.glyphs[-1], following.glyphs[0]
    if last < 0 or not (_is_hangul(frame.codes[last]) and _is_hangul(frame.codes[first])):
        return False
    drawn = first == last + 1 and frame.space_before[first]
    return not drawn and edge - line.u1 < frame.size[first]


def _is_ideograph(code: int) -> bool:
    """Whether a character is of a script without gaps between words: not Hangul, which has them."""
    return (
        code >= _FIRST_WIDE
        and not _HANGUL[0] <= code <= _HANGUL[1]
        and (unicodedata.east_asian_width(chr(code)) in "WF")
    )
