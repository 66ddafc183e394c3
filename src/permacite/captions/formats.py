r"""Readers of caption files: WebVTT and SubRip (SRT), chosen by media type.

WebVTT: The Web Video Text Tracks Format (W3C Candidate Recommendation, 2019).

| section | function |
|---|---|
| §6.1 WebVTT file parsing: the parser algorithm | parse_webvtt |
| §6.1 collect a WebVTT block | _block |
| §6.3 WebVTT cue timings and settings parsing | _cue |
| §6.3 collect a WebVTT timestamp | timestamp |
| §4.1 WebVTT file body: the optional header | _language |
| §6.4 WebVTT cue text parsing rules, the tree | webvtt_pieces |
| §6.4 WebVTT cue text tokenizer | _TOKEN, _start_tag |
| HTML §13.2.5.72 character reference state | markup.references |

Deviations: hours of more than nine digits are no time; the specification sets no bound. The text is
decoded before, by the rules for all documents; the specification knows UTF-8 alone. Regions,
settings and style sheets, which say where cues are shown, are skipped, and so are classes and
languages of spans.

Readings: a header line `Language: en`, which no rule forbids and some services write, gives the
language; the specification skips the header. A time inside a cue applies to what follows it, if it
is later than the times before it and before the end of the cue, as §4.2.2 demands of authors; any
other is skipped. A voice without a name is none.

SRT has no specification. A file is a sequence of cues: a number, a line with two times, lines of
text, an empty line. Readings, after what ffmpeg, VLC and SubRip itself read and write:

1.  A cue begins at a line with two times and `-->` between them, whatever precedes it. The line
    right above, if it holds digits alone, is its number. What comes before the first such line is
    no text.
2.  A time is hours, minutes and seconds, each of one digit or more, and milliseconds after a
    comma, a point or a colon. Hours may be missing, and so may milliseconds; of more than three
    digits the first three count. A time below zero is zero.
3.  What follows the times on their line (`X1:..`) is a position on the screen, and no text.
4.  The text continues to the next cue. Empty lines in it leave nothing.
5.  The tags `b`, `i`, `u`, `s` and `font`, in any case, are no text; neither are codes in braces
    that begin with a backslash (`{\an8}`), nor `{b}`, `{i}`, `{u}`, `{s}` and their ends. Any other
    `<` and `{` is text, and so is `&amp;`: SRT has no references.
6.  There are no voices: a name in a line is text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.errors import ParseError
from permacite.markup import references
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator, Sequence

__all__ = [
    "MOST_CUES",
    "SIGNATURE",
    "Captions",
    "Cue",
    "Piece",
    "bounded",
    "parse_subrip",
    "parse_webvtt",
    "pieces_of",
    "read_captions",
    "subrip_pieces",
    "timestamp",
    "webvtt_pieces",
]

_LINES_TO_TIMES = 2
"""The times of a cue are in its first line, or in the second below an identifier."""
SIGNATURE = "WEBVTT"
_SPEC = "WebVTT §6.1"
_ARROW = "-->"
_WEBVTT_TIME = r"(?:([0-9]{1,9}):)?([0-9]{2}):([0-9]{2})\.([0-9]{3})(?![0-9])"
_TIMESTAMP = compile_pattern(_WEBVTT_TIME)
_TIMINGS = compile_pattern(
    rf"[\t\n\f\r ]*+({_WEBVTT_TIME})[\t\n\f\r ]*+-->[\t\n\f\r ]*+({_WEBVTT_TIME})"
)
_LANGUAGE = compile_pattern(r"(?i)language[ \t]*+:[ \t]*+([a-z]{1,8}(?:-[a-z0-9]{1,8}){0,8})[ \t]*")
_LONGEST_HEADER_LINE = 100
_LAST = 59
MOST_CUES = 250_000
"""One a second for more than two days."""


def parse_webvtt(text: str) -> Captions:
    """The cues of a file, from its decoded text, a byte order mark or none before it.

    Raises ParseError for what does not begin as WebVTT, and for too many cues. Linear in time.
    """
    source = text.removeprefix("\ufeff").replace("\0", "\ufffd")
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    if not source.startswith(SIGNATURE) or source[6:7] not in {"", " ", "\t", "\n"}:
        raise ParseError(f"expected {SIGNATURE} and the end of the line", source[:80], 0, _SPEC)
    lines = source.split("\n")
    return Captions(bounded(_webvtt_cues(lines), source), _language(lines))


def _language(lines: list[str]) -> str | None:
    """The language that the header declares: the lines up to an empty one, or to a cue."""
    for line in lines[1:]:
        if not line or _ARROW in line:
            return None
        told = _LANGUAGE.fullmatch(line[:_LONGEST_HEADER_LINE])
        if told is not None:
            return str(told[1])
    return None


def _webvtt_cues(lines: list[str]) -> Iterator[Cue]:
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
            if in_header or seen_arrow or count > _LINES_TO_TIMES:
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


_TIME = r"(-?+)(?:([0-9]{1,9}):)?([0-9]{1,2}):([0-9]{1,2})(?:[,.:]([0-9]{1,3})[0-9]*+)?+(?![0-9])"
_TIMES = compile_pattern(rf"[ \t]*+{_TIME}[ \t]*+-{{1,2}}>[ \t]*+{_TIME}")
_NUMBER = compile_pattern(r"[ \t]*+[0-9]{1,9}[ \t]*+")
_TAG = compile_pattern(r"(?i)</?(?:b|i|u|s|font)(?:[ \t][^<>\n]*+)?>|\{\\[^{}\n]*+\}|\{/?[bius]\}")
_PARTS = 5
_SOME = 80


def parse_subrip(text: str) -> Captions:
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


def subrip_pieces(cue: Cue) -> Iterator[Piece]:
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


_TOKEN = compile_pattern(r"<([^>]*+)>?+|([^<]++)")
_NAME = compile_pattern(r"[^\t\n\f .]*+")
_CLASSES = compile_pattern(r"(?:\.[^\t\n\f .]*+)*+")
_DIGITS = frozenset("0123456789")
_SPANS = frozenset({"c", "i", "b", "u", "ruby", "v", "lang"})


class _OpenTag(NamedTuple):
    """A span that is open, and who speaks in it."""

    name: str
    voice: str | None


def webvtt_pieces(cue: Cue) -> Iterator[Piece]:
    """The text of a cue in pieces, each of one voice and one time."""
    stack = [_OpenTag("", None)]
    start = cue.start_ms
    waiting: list[tuple[str, str | None]] = []  # a piece ends at the next time, or with the cue
    for token in _TOKEN.finditer(cue.text):
        if token[1] is None:
            waiting.append((references.decode(token[2], nul="\ufffd"), stack[-1].voice))
        elif token[1][:1] == "/":
            _end_tag(stack, token[1][1:])
        elif token[1][:1] in _DIGITS:
            time = timestamp(token[1])
            if time is not None and start < time < cue.end_ms:
                yield from (Piece(*piece, start, time) for piece in waiting)
                waiting, start = [], time
        else:
            _start_tag(stack, token[1])
    yield from (Piece(*piece, start, cue.end_ms) for piece in waiting)


def _start_tag(stack: list[_OpenTag], tag: str) -> None:
    """Open a span: a name, classes, and an annotation behind white space."""
    name = _NAME.match(tag)
    assert name is not None  # noqa: S101 - it may be empty
    if name[0] not in _SPANS and not (name[0] == "rt" and stack[-1].name == "ruby"):
        return
    voice = stack[-1].voice
    if name[0] == "v":
        classes = _CLASSES.match(tag, name.end())
        assert classes is not None  # noqa: S101 - as before
        voice = " ".join(references.decode(tag[classes.end() :]).split()) or None
    stack.append(_OpenTag(name[0], voice))


def _end_tag(stack: list[_OpenTag], name: str) -> None:
    """Close the innermost span, if it has this name; a ruby takes its last text along."""
    if name and stack[-1].name == name:
        stack.pop()
    elif name == "ruby" and stack[-1].name == "rt":
        del stack[-2:]


class _Kind(NamedTuple):
    parse: Callable[[str], Captions]
    pieces: Callable[[Cue], Iterator[Piece]]


_KINDS = {
    "text/vtt": _Kind(parse_webvtt, webvtt_pieces),
    "application/x-subrip": _Kind(parse_subrip, subrip_pieces),
}


def read_captions(text: str, media_type: str) -> Captions:
    """The cues of a file, from its decoded text. Raises ParseError where it is no such file."""
    kind = _KINDS.get(media_type)
    if kind is None:
        expected = " or ".join(sorted(_KINDS))
        raise ParseError(f"expected captions, {expected}", media_type, 0)
    return kind.parse(text)


def pieces_of(cue: Cue, media_type: str) -> Iterator[Piece]:
    """The text of a cue of a file of that type, in pieces of one voice and one time."""
    return _KINDS[media_type].pieces(cue)


class Piece(NamedTuple):
    """A stretch of a cue's text, decoded, line ends as LF."""

    text: str
    voice: str | None
    """Who says it, where the cue tells."""
    start_ms: int
    end_ms: int


class Cue(NamedTuple):
    """Words that are shown for a time, as in the file."""

    start_ms: int
    end_ms: int
    """As written: it may lie before the start."""
    text: str
    """With its tags, line ends as LF."""
    identifier: str = ""
    """What stands in the line above its times; "" where nothing does."""
    settings: str = ""
    """What follows its times: where it is shown. Nothing here interprets it."""


class Captions(NamedTuple):
    """The cues of a file, in its order, and the language that it declares, if any."""

    cues: Sequence[Cue]
    language: str | None = None


def bounded(cues: Iterator[Cue], source: str) -> list[Cue]:
    """All cues. Raises ParseError where they are too many to be of any recording."""
    listed: list[Cue] = []
    for cue in cues:
        if len(listed) == MOST_CUES:
            raise ParseError(f"more than {MOST_CUES:,} cues", source[:80], 0)
        listed.append(cue)
    return listed
