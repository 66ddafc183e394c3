"""A part as people say it, such as 0:12-0:31 or 5,10,25,30, read into the fragment of a name.

Each scheme of fragments (PDI §3.3) is one way to say a part, under its own name in every face: an
option of `cite`, a keyword of the library, a member of the HTTP API. What is typed may be what the
grammar of the scheme has, or plainer: corners without parentheses, times as clocks show them. Both
become the same positions, exactly: a time with a fraction is in milliseconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.options import option
from permacite.pdi import LINE, SCHEMES, encapsulate, parse_specifier
from permacite.pdi.escapes import UNIQUE_ID_CHARS
from permacite.pdi.schemes import check_pointer
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.pdi import Specifier

__all__ = ["PROGRAMS", "WAYS", "CiteTarget", "Way", "specifier"]

PROGRAMS = ("hypothesis", "zotero")
"""Programs that are told of passages."""

_SCHEMES = SCHEMES.extended(LINE)
_SECOND, _MINUTE, _HOUR = 1000, 60_000, 3_600_000
_SIXTY = 60
_NUMBERS = compile_pattern(r"[0-9]+,[0-9]+")
_CORNERS = compile_pattern(r"([0-9]+),([0-9]+),([0-9]+),([0-9]+)((?:,[0-9]+)?)")
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


def _counted(scheme: str, typed: str) -> Written:
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
    found = _CORNERS.fullmatch(typed.replace(" ", ""))
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
    "char": Way("A,B", "Characters A up to B of the text, from 0.", _counted),
    "line": Way("A,B", "Lines A up to B of the text, from 0.", _counted),
    "elt": Way("A,B", "Elements A to B of a page or XML, from 0.", _counted),
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
    "byte": Way("A,B", "Bytes A up to B of anything, from 0.", _counted),
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
