r"""Read SRT files (SubRip), for which there is no specification: the forms that are found.

A file is a row of cues: a number, a line with two times, lines of text, an empty line.

Readings, after what ffmpeg, VLC and SubRip itself read and write:
1.  A cue begins at a line with two times and `-->` between them, whatever stands before it. The
    line right above, if it holds digits alone, is its number. What comes before the first such line
    is no text.
2.  A time is hours, minutes and seconds, each of one digit or more, and milliseconds behind a
    comma, a point or a colon. Hours may be missing, and so may milliseconds; of more than three
    digits the first three count. A time below zero is zero.
3.  What follows the times on their line (`X1:..`) is where the cue is shown, and no text.
4.  The text goes on to the next cue. Empty lines in it leave nothing.
5.  The tags `b`, `i`, `u`, `s` and `font`, in any case, are no text; neither are codes in braces
    that begin with a backslash (`{\an8}`), nor `{b}`, `{i}`, `{u}`, `{s}` and their ends. Any other
    `<` and `{` is text, and so is `&amp;`: SRT has no references.
6.  No voice is told: where a name stands in a line, it is text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.captions.model import Captions, Cue, Piece, bounded
from permacite.captions.webvtt import SIGNATURE
from permacite.errors import ParseError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

__all__ = ["parse", "pieces"]

_TIME = r"(-?+)(?:([0-9]{1,9}):)?([0-9]{1,2}):([0-9]{1,2})(?:[,.:]([0-9]{1,3})[0-9]*+)?+(?![0-9])"
_TIMES = compile_pattern(rf"[ \t]*+{_TIME}[ \t]*+-{{1,2}}>[ \t]*+{_TIME}")
_NUMBER = compile_pattern(r"[ \t]*+[0-9]{1,9}[ \t]*+")
_TAG = compile_pattern(r"(?i)</?(?:b|i|u|s|font)(?:[ \t][^<>\n]*+)?>|\{\\[^{}\n]*+\}|\{/?[bius]\}")
_PARTS = 5
_SOME = 80


def parse(text: str) -> Captions:
    """The cues of a file, from its decoded text, a byte order mark or none before it.

    Raises ParseError where there is no cue, for WebVTT, and for too many cues. Linear in time.
    """
    source = text.removeprefix("\ufeff").replace("\0", "\ufffd")
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    if source.startswith(SIGNATURE):
        problem = "this is WebVTT under the name of SRT"
        raise ParseError(problem, source[:_SOME], 0, hint="a file of it is named .vtt")
    cues = bounded(_cues(source.split("\n")), source)
    if not cues:
        problem = "expected two times, such as 00:00:01,000 --> 00:00:02,500"
        raise ParseError(problem, source[:_SOME], 0)
    return Captions(cues)


def pieces(cue: Cue) -> Iterator[Piece]:
    """The text of a cue, without its tags."""
    yield Piece(_TAG.sub("", cue.text), None, cue.start_ms, cue.end_ms)


def _cues(lines: list[str]) -> Iterator[Cue]:
    """Every cue with what stands below it, up to the next one."""
    open_cue: Cue | None = None
    first = 0
    for number, line in enumerate(lines):
        times = _TIMES.match(line) if "-->" in line else None
        if times is None:
            continue
        numbered = number > first and _NUMBER.fullmatch(lines[number - 1]) is not None
        if open_cue is not None:
            yield _with_text(open_cue, lines[first : number - numbered])
        identifier = lines[number - 1].strip() if numbered else ""
        start, end = (_milliseconds(times, group) for group in (1, 1 + _PARTS))
        open_cue = Cue(start, end, "", identifier, line[times.end() :].strip())
        first = number + 1
    if open_cue is not None:
        yield _with_text(open_cue, lines[first:])


def _with_text(cue: Cue, lines: list[str]) -> Cue:
    return cue._replace(text="\n".join(lines).strip("\n"))


def _milliseconds(times: re.Match[str], group: int) -> int:
    """One of the two times of a line."""
    sign, hours, minutes, seconds, fraction = times.group(*range(group, group + _PARTS))
    if sign:
        return 0
    whole = (int(hours or 0) * 60 + int(minutes)) * 60 + int(seconds)
    return whole * 1000 + int(fraction or 0)
