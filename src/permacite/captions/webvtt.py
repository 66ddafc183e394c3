"""Read WebVTT files: WebVTT, The Web Video Text Tracks Format (W3C Candidate Recommendation, 2019).

| section | function |
|---|---|
| §6.1 WebVTT file parsing: the parser algorithm | parse |
| §6.1 collect a WebVTT block | _block |
| §6.3 WebVTT cue timings and settings parsing | _cue |
| §6.3 collect a WebVTT timestamp | timestamp |
| §4.1 WebVTT file body: the optional header | _language |

Deviations: hours of more than nine digits are no time; the specification knows no bound. The text
is decoded before it comes here, by the rules for all documents; the specification knows UTF-8
alone. Where cues are shown (regions, settings, style sheets) is read past, and not interpreted.

Readings: a header line `Language: en`, which no rule forbids and some services write, tells the
language; the specification skips the header.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.captions.model import Captions, Cue, bounded
from permacite.errors import ParseError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["SIGNATURE", "parse", "timestamp"]

SIGNATURE = "WEBVTT"
_SPEC = "WebVTT §6.1"
_ARROW = "-->"
_TIME = r"(?:([0-9]{1,9}):)?([0-9]{2}):([0-9]{2})\.([0-9]{3})(?![0-9])"
_TIMESTAMP = compile_pattern(_TIME)
_TIMINGS = compile_pattern(rf"[\t\n\f\r ]*+({_TIME})[\t\n\f\r ]*+-->[\t\n\f\r ]*+({_TIME})")
_LANGUAGE = compile_pattern(r"(?i)language[ \t]*+:[ \t]*+([a-z]{1,8}(?:-[a-z0-9]{1,8}){0,8})[ \t]*")
_LONGEST_HEADER_LINE = 100
_LAST = 59


def parse(text: str) -> Captions:
    """The cues of a file, from its decoded text, a byte order mark or none before it.

    Raises ParseError for what does not begin as WebVTT, and for too many cues. Linear in time.
    """
    source = text.removeprefix("\ufeff").replace("\0", "\ufffd")
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    if not source.startswith(SIGNATURE) or source[6:7] not in {"", " ", "\t", "\n"}:
        raise ParseError(f"expected {SIGNATURE} and the end of the line", source[:80], 0, _SPEC)
    lines = source.split("\n")
    return Captions(bounded(_cues(lines), source), _language(lines))


def _language(lines: list[str]) -> str | None:
    """The language that the header declares: the lines up to an empty one, or to a cue."""
    for line in lines[1:]:
        if not line or _ARROW in line:
            return None
        told = _LANGUAGE.fullmatch(line[:_LONGEST_HEADER_LINE])
        if told is not None:
            return str(told[1])
    return None


def _cues(lines: list[str]) -> Iterator[Cue]:
    """The cues of all blocks; the first block, right below the signature, is the header."""
    number = 1
    if number < len(lines) and lines[number]:
        number, _ = _block(lines, number, in_header=True)
    while number < len(lines):
        if not lines[number]:
            number += 1
            continue
        number, cue = _block(lines, number, in_header=False)
        if cue is not None:
            yield cue


def _block(lines: list[str], number: int, *, in_header: bool) -> tuple[int, Cue | None]:
    """Collect a WebVTT block from a line on: where the next begins, and the cue that this is."""
    cue: Cue | None = None
    seen_arrow = False
    buffer: list[str] = []
    count = 0
    while number < len(lines):
        line = lines[number]
        count += 1
        if _ARROW in line:
            # Times stand in the first line, or in the second below an identifier.
            if in_header or seen_arrow or count > 2:  # noqa: PLR2004 - the specification's number
                break
            seen_arrow = True
            cue = _cue(line, buffer[0] if buffer else "")
            if cue is not None:
                buffer = []
        elif not line:
            break
        else:
            buffer.append(line)
        number += 1
    return number, None if cue is None else cue._replace(text="\n".join(buffer))


def _cue(line: str, identifier: str) -> Cue | None:
    """A cue without its text, from its times and settings; None where they are none."""
    timings = _TIMINGS.match(line)
    if timings is None:
        return None
    start, end = timestamp(timings[1]), timestamp(timings[6])
    if start is None or end is None:
        return None
    return Cue(start, end, "", identifier, line[timings.end() :].strip("\t\n\f\r "))


def timestamp(text: str) -> int | None:
    """Milliseconds from a whole timestamp; None where it is none."""
    time = _TIMESTAMP.fullmatch(text)
    if time is None:
        return None
    hours, minutes, seconds, fraction = (int(part or 0) for part in time.groups())
    if minutes > _LAST or seconds > _LAST:
        return None
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + fraction
