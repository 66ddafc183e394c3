"""Parts of a document in people's words: typed, such as 0:12-0:31, and told.

Each scheme of fragments (PDI §3.3) is one way to say a part, under its own name in every face: an
option of `cite`, a keyword of the library, a member of the HTTP API. What is typed may be what the
grammar of the scheme has, or plainer: corners without parentheses, times as clocks show them. Both
become the same positions, exactly: a time with a fraction is in milliseconds.

What is counted is told with its last one, as HTTP counts octets: `byte=5,10` is bytes 5-9. Times
and corners are told as they stand in the name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from permacite import pdi
from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.options import option
from permacite.pdi import LINE, SCHEMES, encapsulate, parse_specifier
from permacite.pdi.grammar import UNIQUE_ID_CHARS
from permacite.pdi.schemes import check_pointer, part_path, table_area
from permacite.scan import compile_pattern
from permacite.words import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permacite.pdi import Specifier
    from permacite.words import Words

__all__ = [
    "PROGRAMS",
    "WAYS",
    "CiteTarget",
    "Part",
    "Way",
    "clock",
    "part_of",
    "specifier",
    "told",
    "told_of",
    "words_of",
]

Ends: TypeAlias = tuple[int | None, int | None]
"""The first and the last; None for the last that there is."""

_NUMBER = compile_pattern(r"[0-9]+")
_COUNTED = {
    "char": "character",
    "line": "line",
    "elt": "element",
    "byte": "byte",
    "part": "character",
}
_CORNERS = 4
_SECOND, _MINUTE, _HOUR = 1000, 60_000, 3_600_000
PROGRAMS = ("hypothesis", "zotero")
"""Programs that are told of passages."""

_SCHEMES = SCHEMES.extended(LINE)
_SIXTY = 60
_NUMBERS = compile_pattern(r"[0-9]+,[0-9]+")
_RECTANGLE = compile_pattern(r"([0-9]+),([0-9]+),([0-9]+),([0-9]+)((?:,[0-9]+)?)")
_AREA = compile_pattern(r"[0-9]+(?:,[0-9]+){3,4}")
_TIMES = compile_pattern("([^,\u2013-]+)[,\u2013-]([^,\u2013-]+)")
_CLIP = compile_pattern("(?i)(m?sec),([^,\u2013-]+[,\u2013-][^,\u2013-]+)((?:,.+)?)")
_TIME = compile_pattern(r"((?:[0-9]{1,6}:){0,2})([0-9]{1,18})(?:\.([0-9]{1,3})0*)?")
_INNER = compile_pattern(r"([0-9]+(?:\.[0-9]+)*+),([0-9]+,[0-9]+)")
_NAME = compile_pattern(f"{UNIQUE_ID_CHARS}++")
_SPACES = compile_pattern(r"\s*+([-,\u2013])\s*+")


Written = tuple[str, str]
"""A scheme, and positions as its grammar has them."""


@dataclass(frozen=True, slots=True)
class Part:
    """What a fragment names, as numbers."""

    scheme: str
    span: tuple[int, int] | None = None
    """Of what is counted, from 0: the first, and the one after the last."""
    names: tuple[str, str] | None = None
    """Of the first and the last element."""
    milliseconds: tuple[int, int] | None = None
    """When it begins and ends, of sound and video."""
    corners: tuple[int, int, int, int] | None = None
    """Left, top, right, bottom; the last two are excluded."""
    frame: int | None = None
    """Which picture, from 0, where the name says so."""
    rows: Ends | None = None
    """The first and the last of a table, from 1."""
    columns: Ends | None = None
    pointer: str = ""
    """To a value of JSON."""
    place: pdi.PagePlace | None = None
    """A page of a PDF, or an area of it."""
    inner: str = ""
    """The number of the body part in whose text it is."""


def part_of(fragment: pdi.FragmentPDI) -> Part:
    """The numbers of a fragment."""
    scheme, positions = fragment.scheme, fragment.positions
    if scheme in {"name", "pointer", "row", "col", "cell", "part"}:
        return _uncounted(scheme, positions)
    numbers = [int(digits) for digits in _NUMBER.findall(",".join(positions))]
    if scheme in _COUNTED:
        return Part(scheme, span=(numbers[0], numbers[1] + (scheme == "elt")))
    if scheme == "rect":
        left, top, right, bottom, *frame = numbers
        return Part(scheme, corners=(left, top, right, bottom), frame=next(iter(frame), None))
    if scheme not in {"sec", "msec", "crop"}:
        return Part(scheme, place=pdi.PagePlace.of(scheme, positions))
    unit = positions[0] if scheme == "crop" else scheme
    start, end, *corners = numbers
    factor = _SECOND if unit == "sec" else 1
    times = start * factor, end * factor
    if len(corners) < _CORNERS:
        return Part(scheme, milliseconds=times)
    left, top, right, bottom = corners
    return Part(scheme, milliseconds=times, corners=(left, top, right, bottom))


def _uncounted(scheme: str, positions: tuple[str, ...]) -> Part:
    """Elements by their names, a value of JSON, cells of a table, words of a page within."""
    if scheme == "part":
        path, start, end = positions
        return Part(scheme, span=(int(start), int(end)), inner=part_path(path))
    if scheme == "name":
        return Part(scheme, names=(_name(positions[0]), _name(positions[-1])))
    if scheme == "pointer":
        return Part(scheme, pointer=pdi.decapsulate(positions[0]))
    rows, columns = table_area(scheme, positions)
    is_row, is_column = scheme != "col", scheme != "row"
    return Part(scheme, rows=rows if is_row else None, columns=columns if is_column else None)


def _name(position: str) -> str:
    try:
        return pdi.decapsulate(position)
    except ParseError:  # its octets are no UTF-8
        return position


def told_of(reference: str, words: Words = ENGLISH) -> str:
    """The part that a recorded citation names, in words; "" where it names none."""
    name = pdi.parse(reference, strict=False)
    return told(part_of(name), words) if isinstance(name, pdi.FragmentPDI) else ""


def words_of(reference: str, quote: str, title: str) -> str:
    """What is cited, on one line: the words, or else "0:12-0:31 of" and the title."""
    part = told_of(reference)
    place = ENGLISH("parts.of", part=part, title=title) if part else title
    return " ".join(quote.split()) or " ".join(place.split())


def told(part: Part, words: Words = ENGLISH) -> str:
    """A part in words."""
    said = []
    if part.span is not None:
        said.append(_counted(words, _COUNTED[part.scheme], *part.span))
    said += _named(words, part)
    for what, ends in (("row", part.rows), ("column", part.columns)):
        if ends is not None:
            said.append(_ended(words, what, *ends))
    if part.milliseconds is not None:
        said.append("-".join(map(clock, part.milliseconds)))
    if part.frame is not None:
        said.append(words("parts.frame", number=part.frame))
    if part.place is not None:
        said += _placed(words, part.place)
    if part.corners is not None:
        left, top, right, bottom = part.corners
        said.append(words("parts.rectangle", left=left, top=top, right=right, bottom=bottom))
    return ", ".join(said) or part.scheme


def _named(words: Words, part: Part) -> Iterator[str]:
    """Elements, a value of JSON, or a page within, by their names."""
    if part.names is not None:
        first, last = part.names
        yield words("parts.named", count=1 if first == last else 2, first=first, last=last)
    if part.pointer:
        yield words("parts.pointer", pointer=part.pointer)
    if part.inner:
        yield words("parts.inner", inner=part.inner)


def _counted(words: Words, what: str, start: int, end: int) -> str:
    if start == end:
        return words(f"parts.before_{what}", first=start)
    return words(f"parts.{what}", count=end - start, first=start, last=end - 1)


def _placed(words: Words, place: pdi.PagePlace) -> Iterator[str]:
    """An area of a page of a PDF, and the page."""
    if place.area is not None:
        left, top, width, height = place.area
        yield words("parts.area", left=left, top=top, width=width, height=height)
    yield words("parts.page", number=place.page)


def _ended(words: Words, what: str, first: int | None, last: int | None) -> str:
    """Rows or columns of a table, such as "rows 5-7", "row 5 to the last"."""
    if first is None:
        return words(f"parts.last_{what}")
    if last is None:
        return words(f"parts.{what}_to_last", first=first)
    return words(f"parts.{what}", count=last - first + 1, first=first, last=last)


def clock(milliseconds: int) -> str:
    """A time as a clock shows it: 0:12, 1:02:03, 0:12.5."""
    hours, rest = divmod(milliseconds, _HOUR)
    minutes, rest = divmod(rest, _MINUTE)
    seconds, thousandths = divmod(rest, _SECOND)
    fraction = f".{thousandths:03}".rstrip("0") if thousandths else ""
    if hours:
        return f"{hours}:{minutes:02}:{seconds:02}{fraction}"
    return f"{minutes}:{seconds:02}{fraction}"


@dataclass(frozen=True, slots=True)
class Way:
    """How a part is said by one scheme: what is typed, and what it means, for people."""

    typed: str
    told: str
    read: Callable[[str, str], Written]
    """From a scheme and what is typed to what the grammar has. Raises ParseError."""


def specifier(scheme: str, typed: str, media_type: str) -> Specifier:
    """The fragment that `typed` means in a document of `media_type`.

    Raises ParseError, placed in `scheme=typed`, where it means none.
    """
    source, start = f"{scheme}={typed}", len(scheme) + 1
    exactly = typed if scheme == "pointer" else typed.strip()
    name, positions = WAYS[scheme].read(scheme, exactly)
    try:
        return parse_specifier(f"{name}={positions}", media_type, _SCHEMES)
    except ParseError as error:
        inside = error.offset - len(name) - 1
        # Only what is left as it was typed has its places; of what was read, all is meant.
        offset = start + inside if positions == typed and inside >= 0 else min(start, error.offset)
        raise ParseError(error.problem, source, offset, error.spec, hint=error.hint) from error


# ---------------------------------------------------------------- what is typed


def _numbered(scheme: str, typed: str) -> Written:
    """Read A,B."""
    if _NUMBERS.fullmatch(typed) is None:
        _fail(scheme, typed, "two numbers", "10,25")
    return scheme, typed


def _rectangle(scheme: str, typed: str) -> Written:
    """Read X1,Y1,X2,Y2[,FRAME]."""
    corners = _corners(typed)
    if corners is None:
        _fail(scheme, typed, "the corners of a rectangle", "5,10,25,30")
    return scheme, corners


def _corners(typed: str) -> str | None:
    """Corners in parentheses, as the grammar has them; None for none."""
    if "(" in typed or "%28" in typed:
        return typed
    found = _RECTANGLE.fullmatch(typed.replace(" ", ""))
    return found and "({},{}),({},{}){}".format(*found.groups())


def _interval(scheme: str, typed: str) -> Written:
    """Read A,B or A-B, times as a clock shows them or numbers of what the scheme counts."""
    written = _times(scheme, typed)
    if written is None:
        _fail(scheme, typed, "two times", "12,31 or 0:12-0:31")
    return written


def _clip(scheme: str, typed: str) -> Written:
    """Read sec|msec,A,B[,X1,Y1,X2,Y2]."""
    found = _CLIP.fullmatch(typed)
    times = found and _times(found[1].lower(), found[2])
    corners = _corners(found[3][1:]) if found and found[3] else ""
    if times is None or corners is None:
        example = "sec,12,31 or msec,0:12-0:31,5,10,25,30"
        _fail(scheme, typed, "a unit, two times, and corners if any", example)
    return scheme, ",".join(filter(None, (*times, corners)))


def _times(unit: str, typed: str) -> Written | None:
    """A unit and two times in it: milliseconds where a second is not fine enough."""
    found = _TIMES.fullmatch(typed.replace(" ", ""))
    times = [_milliseconds(unit, time) for time in found.groups()] if found else [None]
    whole = [time for time in times if time is not None]
    if whole != times:
        return None
    if unit == "sec" and not any(time % _SECOND for time in whole):
        return "sec", ",".join(str(time // _SECOND) for time in whole)
    return "msec", ",".join(map(str, whole))


def _milliseconds(unit: str, time: str) -> int | None:
    """A time, [[hours:]minutes:]seconds[.thousandths] or a number of `unit`; None for none."""
    found = _TIME.fullmatch(time)
    if found is None:
        return None
    clock, number, thousandths = found.groups()
    if unit == "msec" and not clock:
        return int(number) if thousandths is None else None
    minutes, hours = ([int(part) for part in clock.split(":")[-2::-1]] + [0, 0])[:2]
    if (clock and int(number) >= _SIXTY) or (clock.count(":") > 1 and minutes >= _SIXTY):
        return None
    below = int((thousandths or "").ljust(3, "0"))
    return hours * _HOUR + minutes * _MINUTE + int(number) * _SECOND + below


def _names(scheme: str, typed: str) -> Written:
    """Read NAME or NAME,NAME; what a name in a URN cannot hold is escaped."""
    names = typed.split(",") if "," in typed else [typed, typed]
    if not all(names):
        _fail(scheme, typed, "the name of an element", "intro, or intro,end")
    written = (name if _NAME.fullmatch(name) else encapsulate(name) for name in names)
    return scheme, ",".join(written)


def _of_table(scheme: str, typed: str) -> Written:
    """Read A or A-B as RFC 7111 has them, of cells with a comma in each; an en dash is a hyphen."""
    return scheme, _SPACES.sub(r"\1", typed).replace("\u2013", "-")


def _pointer(scheme: str, typed: str) -> Written:
    """Read a JSON pointer as it is; what a name in a URN cannot hold is escaped."""
    try:
        check_pointer(typed)
    except ParseError as error:
        raise error.within(f"{scheme}={typed}", len(scheme) + 1) from error
    return scheme, encapsulate(typed)


def _view(scheme: str, typed: str) -> Written:
    """Read LEFT,TOP,WIDTH,HEIGHT[,PAGE]."""
    plain = typed.replace(" ", "")
    if _AREA.fullmatch(plain) is None:
        _fail(scheme, typed, "left, top, width and height of an area", "72,100,200,150")
    return scheme, plain


def _inner(scheme: str, typed: str) -> Written:
    """Read PART,A,B, a part within another as the grammar has it, or 3.1."""
    plain = typed.replace(" ", "")
    found = _INNER.fullmatch(plain)
    if found is None and not plain.startswith(("(", "%28")):
        _fail(scheme, typed, "the number of a body part and two of characters", "2,15,32")
    if found is None or "." not in found[1]:
        return scheme, plain
    return scheme, f"({found[1].replace('.', ',')}),{found[2]}"


def _fail(scheme: str, typed: str, what: str, example: str) -> NoReturn:
    source = f"{scheme}={typed}"
    known = _SCHEMES.get(scheme)
    rule = "" if known is None else known.spec
    raise ParseError(f"expected {what}, such as {example}", source, len(scheme) + 1, rule)


WAYS = {
    "char": Way("A,B", "Characters A up to B of the text, from 0.", _numbered),
    "line": Way("A,B", "Lines A up to B of the text, from 0.", _numbered),
    "elt": Way("A,B", "Elements A to B of a page or XML, from 0.", _numbered),
    "name": Way("NAME[,NAME]", "The element of this name or id, or all up to another.", _names),
    "rect": Way("X1,Y1,X2,Y2", "The rectangle from a corner up to another, in pixels.", _rectangle),
    "sec": Way("A,B", "Seconds A up to B of sound or video; or 0:12-0:31.", _interval),
    "msec": Way("A,B", "Milliseconds A up to B of sound or video.", _interval),
    "crop": Way(
        "UNIT,A,B[,X1,Y1,X2,Y2]",
        "Times of a video in sec or msec, and a rectangle of its pictures.",
        _clip,
    ),
    "viewrect": Way(
        "LEFT,TOP,WIDTH,HEIGHT[,PAGE]",
        "An area of a page of a PDF in points; else the page is that of --page.",
        _view,
    ),
    "part": Way(
        "PART,A,B",
        "Characters A up to B of the text of a page within the page, a body part of its aggregate.",
        _inner,
    ),
    "byte": Way("A,B", "Bytes A up to B of anything, from 0.", _numbered),
    "row": Way(
        "A[-B]", "Row A of a table (CSV), from 1, or rows A to B; * is the last.", _of_table
    ),
    "col": Way("A[-B]", "Column A of a table, from 1, or columns A to B.", _of_table),
    "cell": Way("R,C[-R,C]", "The cell in row R, column C, or all from one to another.", _of_table),
    "pointer": Way("/A/B", "The value of a JSON document that a JSON pointer names.", _pointer),
}
"""How a part is said, by the name of its scheme."""


def _part(scheme: str) -> Any:
    """The option of a scheme."""
    return option(WAYS[scheme].told, metavar=WAYS[scheme].typed)


@dataclass(frozen=True, slots=True)
class CiteTarget:
    """Which part of a document is cited, by its words or by one of the schemes of fragments."""

    quote: str | None = option("The words, as they stand in the text; white space is all alike.")
    nth: int | None = option("Which occurrence, where there are more.", kind="integer", least=1)
    page: str | None = option("The page that the words stand on, as it is printed; or all of it.")
    char: str | None = _part("char")
    line: str | None = _part("line")
    elt: str | None = _part("elt")
    name: str | None = _part("name")
    rect: str | None = _part("rect")
    sec: str | None = _part("sec")
    msec: str | None = _part("msec")
    crop: str | None = _part("crop")
    viewrect: str | None = _part("viewrect")
    part: str | None = _part("part")
    byte: str | None = _part("byte")
    row: str | None = _part("row")
    col: str | None = _part("col")
    cell: str | None = _part("cell")
    pointer: str | None = _part("pointer")
    frame: int | None = option("Which picture --rect is in.", kind="integer", least=0, metavar="N")
    damaged: bool = option("Cite a recording even where it is damaged.", default=False)
    before: str | None = option("The words before the quote.", is_typed=False)
    after: str | None = option("The words after the quote.", is_typed=False)

    @property
    def ways(self) -> dict[str, str]:
        """Each scheme that a part is said by, and what is typed."""
        typed = {scheme: getattr(self, scheme) for scheme in WAYS}
        return {scheme: str(text) for scheme, text in typed.items() if text is not None}

    @property
    def place(self) -> tuple[str, str] | None:
        """The one scheme that the part is said by, and what is typed; None where none is.

        Raises ParseError where there are several schemes, or a frame without a rectangle.
        """
        given = self.ways
        if len(given) > 1:
            problem = f"expected one part, found {' and '.join(given)}"
            raise ParseError(problem, " ".join(f"{way}={text}" for way, text in given.items()), 0)
        if self.frame is not None and "rect" not in given:
            problem = "expected a rectangle (rect) of the frame"
            raise ParseError(problem, f"frame={self.frame}", 0, "PDI §3.4.5 Image")
        if self.frame is not None:
            given["rect"] += f",{self.frame}"
        return next(iter(given.items()), None)
