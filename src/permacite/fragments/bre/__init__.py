"""POSIX basic regular expressions: all leftmost-longest matches, in the POSIX locale.

| module | contents |
|---|---|
| syntax | the grammar of ISO 9945-2 §2.8.3 (XBD §9.3), and its tree |
| brackets | bracket expressions (XBD §9.3.5) |
| analysis | the longest match of a tree, its beginnings, trees without something |
| backtrack | back-references, which no automaton can match |

Matching is leftmost-longest (XBD §9.1), left to right, without overlap. An automaton (RE2, of the
extra `match`) finds matches in time linear in the text. Where an expression makes each of many
matches read on far beyond its end, LimitError is raised, so that no time is lost. With
back-references, the automaton finds the places where a match may begin, and a bounded search of all
ways to match continues from there.

The tree is written in the notation of RE2, characters by code point, so that nothing in an
expression is mistaken for notation.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import TYPE_CHECKING

from permacite.errors import LimitError, PermaciteError
from permacite.fragments.bre import analysis
from permacite.fragments.bre.backtrack import BacktrackSearch, program
from permacite.fragments.bre.syntax import (
    Alternation,
    Anchor,
    CharacterSet,
    Group,
    Node,
    Repeat,
    Sequence,
    parse,
)
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

__all__ = ["Pattern", "compile", "emit"]


_ANCHORS = {
    "start": r"\A",
    "end": r"\z",
    "line-start": "(?m:^)",
    "line-end": "(?m:$)",
    "word": r"\b",
    "no-word": r"\B",
}

_NEVER = r"[^\x{0}-\x{10FFFF}]"

_MAX_REPEAT = 1000
"""RE2 takes no greater number, also of repetitions of repetitions."""

_MAX_WRITTEN = 1 << 20
"""Characters of notation."""

_MAX_NESTED = 256
"""RE2 takes expressions that are nested a thousand deep."""


class _NotExpressibleError(Exception):
    """RE2 cannot say this."""


def emit(node: Node) -> str | None:
    """Return the expression in RE2's notation; None where RE2 cannot say it.

    Raises LimitError where intervals make it too long.
    """
    try:
        return _written(node)[0]
    except _NotExpressibleError:
        return None


Written = tuple[str, int]
"""Notation, and the product of the repetitions in it."""


def _written(node: Node) -> Written:
    match node:
        case CharacterSet(ranges):
            found = _characters(ranges), 1
        case Anchor(kind) if kind in _ANCHORS:
            found = _ANCHORS[kind], 1
        case Group(_, item):
            found = _joined("", (item,))
        case Repeat():
            found = _repeat(node)
        case Sequence(items):
            found = _joined("", items)
        case Alternation(items):
            found = _joined("|", items)
        case _:
            raise _NotExpressibleError
    return found


def _joined(between: str, items: tuple[Node, ...]) -> Written:
    pieces = [_written(item) for item in items]
    times = max((times for _, times in pieces), default=1)
    return f"(?:{between.join(piece for piece, _ in pieces)})", times


def _repeat(node: Repeat) -> Written:
    """Write a repetition, in pieces where RE2 would find it too great."""
    item, times = _written(node.item)
    if isinstance(node.item, Repeat | Anchor):
        item = f"(?:{item})"
    low, high = node.low, node.high
    if (low, high) == (0, None):
        return f"{item}*", times
    greatest = max(low, high or 0)
    if greatest * times <= _MAX_REPEAT:
        return f"{item}{{{low},{'' if high is None else high}}}", max(1, greatest) * times
    most = max(1, _MAX_REPEAT // times)
    if len(item) * (greatest // most + 2) > _MAX_WRITTEN:
        raise LimitError("the expression is too large", limit="pattern", maximum=_MAX_WRITTEN)
    required = _exactly(item, low, most)
    optional = f"{item}*" if high is None else _up_to(item, high - low, most)
    return f"(?:{required}{optional})", most * times


def _exactly(item: str, count: int, most: int) -> str:
    """Write the item `count` times."""
    whole, rest = divmod(count, most)
    return f"{item}{{{most}}}" * whole + (f"{item}{{{rest}}}" if rest else "")


def _up_to(item: str, count: int, most: int) -> str:
    """Write the item from 0 to `count` times.

    Blocks of it stand one inside the other, each whole or not there, and then a part of one. Side
    by side they would mean the same, and take RE2 a time that grows with their number squared.
    """
    if count <= most:
        return f"{item}{{0,{count}}}" if count else ""
    block = (most + 1) // 2
    rest = block - 1 + (count + 1) % block  # at least all but one of a block: no number is left out
    blocks = (count - rest) // block
    nested = [min(_MAX_NESTED, blocks - done) for done in range(0, blocks, _MAX_NESTED)]
    opened = f"(?:{item}{{{block}}}"
    return "".join(opened * depth + ")?" * depth for depth in nested) + f"{item}{{0,{rest}}}"


def _characters(ranges: tuple[tuple[int, int], ...]) -> str:
    if not ranges:
        return _NEVER
    if ranges == ((0, sys.maxunicode),):
        return "(?s:.)"
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _code_point(ranges[0][0])
    members = [
        _code_point(low) + (f"-{_code_point(high)}" if high > low else "") for low, high in ranges
    ]
    return f"[{''.join(members)}]"


def _code_point(code: int) -> str:
    character = chr(code)
    return character if character.isascii() and character.isalnum() else f"\\x{{{code:X}}}"


if TYPE_CHECKING:
    import mmap
    from collections.abc import Iterator
    from typing import TypeAlias

    import re2

    Span: TypeAlias = "tuple[int, int]"
    Octets: TypeAlias = "bytes | memoryview | mmap.mmap"

_FREE_WORK = 1 << 25
"""Searches times bytes that are granted before it is asked how far matches read on."""

_WORK = 1 << 27
_PASSES = 16
"""Bytes, or passes through the text, that matches may read beyond their end, all together."""

_WINDOW_BYTES = 256
"""How far a match may read on without being counted."""

_SHARE = (1 << 31) // 16
"""One match of 16, by lot, is asked how far it read on."""

_MEMORY_BYTES = 1 << 25

_MAX_STEPS = 1 << 18
"""Steps of an expression, intervals written out: RE2 takes some tenths of a second to compile them.

Texts in which more could be searched for would be shorter than this page.
"""

_MAX_PROGRAM = 1000
_PROGRAM_WORK = 1 << 30
"""Larger programs may be searched only in texts of so many bytes, divided by their size.

An automaton of many states may not fit into the memory, and is then run in all states at once.
"""

_LONGEST_CHARACTER = 4
"""Bytes of a character in UTF-8."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled expression; `str()` is what was compiled."""

    source: str
    root: Node
    is_regular: bool
    """Whether an automaton can match it: there are no back-references."""

    def __str__(self) -> str:
        return self.source

    def find_all(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of each match, in code points of `text`.

        Raises LimitError where the search would take too long, PermaciteError where the library
        that searches is not installed.
        """
        literal = _literal(self.root)
        if literal is not None:
            return list(_occurrences(text, literal))
        if not _contains(text, analysis.required(self.root)):
            return []
        data = _encoded(text)
        if self.is_regular:
            spans = _automaton(self.root).spans(data)
            return list(spans if len(data) == len(text) else _in_code_points(data, spans))
        return list(_backtracked(self.root, text, data))

    def find_in_utf8(self, data: Octets) -> Iterator[tuple[int, int]]:
        """Yield start and end of each match, in bytes of a text in UTF-8.

        Raises as `find_all` does, on the way.
        """
        if self.is_regular:
            yield from _automaton(self.root).spans(data)
            return
        whole = bytes(data)
        text = whole.decode()
        place = offset = 0
        for start, end in _backtracked(self.root, text, whole):
            offset += len(text[place:start].encode())
            width = len(text[start:end].encode())
            yield offset, offset + width
            place, offset = end, offset + width


def compile(  # noqa: A001 - as `re.compile` is named
    pattern: str, *, newline: bool = False, gnu: bool = False
) -> Pattern:
    """Compile a basic regular expression.

    With `newline`, `.` and `[^x]` match no newline and anchors stand at lines too (REG_NEWLINE);
    with `gnu`, the operators that GNU adds are understood. Raises as `syntax.parse` does.
    """
    root = parse(pattern, newline=newline, gnu=gnu)
    root = analysis.with_either_word_end(root) if gnu else root
    return Pattern(pattern, root, emit(root) is not None)


def _literal(root: Node) -> str | None:
    """Return the one text that matches, if there is only one, and it is not empty."""
    items = root.items if isinstance(root, Sequence) else (root,)
    found = []
    for item in items:
        if not isinstance(item, CharacterSet) or len(item.ranges) != 1:
            return None
        low, high = item.ranges[0]
        if low != high:
            return None
        found.append(chr(low))
    return "".join(found) or None


def _occurrences(text: str, literal: str) -> Iterator[Span]:
    start = text.find(literal)
    while start >= 0:
        end = start + len(literal)
        yield start, end
        start = text.find(literal, end)


def _contains(text: str, required: str) -> bool:
    """Whether the text holds what every match contains; lone surrogates match each other."""
    return required in text or _SURROGATE.search(required) is not None


def _encoded(text: str) -> bytes:
    """Return UTF-8; lone surrogates, which have none, as U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text).encode()


_SURROGATE = compile_pattern("[\ud800-\udfff]")


def _in_code_points(data: bytes, spans: Iterator[Span]) -> Iterator[Span]:
    """Turn offsets in bytes into offsets in code points."""
    place = offset = 0
    for start, end in spans:
        offset += len(data[place:start].decode())
        width = len(data[start:end].decode())
        yield offset, offset + width
        place, offset = end, offset + width


@lru_cache(maxsize=64)
def _automaton(root: Node) -> _Automaton:
    """The automaton for a tree without back-references.

    Raises LimitError for an expression that is too large, PermaciteError without the library.
    """
    try:
        import re2
    except ImportError as error:
        hint = "pip install 'permacite[match]'"
        raise PermaciteError("match() needs the library google-re2", hint=hint) from error
    options = re2.Options()
    options.longest_match = True
    options.never_capture = True
    options.log_errors = False
    options.max_mem = _MEMORY_BYTES

    def compiled(node: Node, notation: str) -> re2._Regexp:
        problem = "the expression is too large to search for"
        if analysis.steps(node) > _MAX_STEPS:
            raise LimitError(problem, limit="program", maximum=_MAX_STEPS)
        try:
            return re2.compile(notation.format(emit(node)).encode(), options)
        except re2.error as error:
            raise LimitError(problem, limit="memory", maximum=_MEMORY_BYTES) from error

    whole = analysis.non_empty(root)
    pattern = compiled(root if whole is None else whole, "{}")
    longest = analysis.longest(root)
    beginnings = compiled(analysis.prefixes(root), "(?:{})\\z") if longest is None else None
    return _Automaton(pattern, beginnings, _encoded(analysis.required(root)), longest)


class _Automaton:
    """Searches by an automaton, and keeps an eye on how far it reads beyond each match.

    `needle` is in every match, which is up to `longest` characters long.
    """

    def __init__(
        self,
        pattern: re2._Regexp,
        beginnings: re2._Regexp | None,
        needle: bytes,
        longest: int | None,
    ) -> None:
        self.pattern = pattern
        self.beginnings = beginnings
        self.needle = needle
        self.reach = None if longest is None else _LONGEST_CHARACTER * longest

    def search(self, data: Octets, start: int) -> re2._Match | None:
        """Return the first match from byte `start` on; it may be empty."""
        if self.needle and not isinstance(data, memoryview):  # which cannot be searched
            place = data.find(self.needle, start)
            if place < 0:
                return None
            start = max(start, place - self.reach) if self.reach is not None else start
        found: re2._Match | None = self.pattern.search(data, start)
        return found

    def spans(self, data: Octets) -> Iterator[Span]:
        """Yield the matches that are not empty, in bytes of `data`."""
        size = self.pattern.programsize
        if size > _MAX_PROGRAM:
            _limit(
                "program", len(data) * size, _PROGRAM_WORK >> (4 if size > 2 * _MAX_PROGRAM else 0)
            )
        place = read = far = lot = 0
        while (found := self.search(data, place)) is not None:
            start, end = found.span()
            if start == end:
                if end >= len(data):
                    return
                place = _next_character(data, end)
                continue
            yield start, end
            read += len(data)
            lot = (lot * 1103515245 + 12345) % (1 << 31)
            if read > _FREE_WORK and lot < _SHARE and self._reads_on(data, place, start, end):
                far += len(data) * ((1 << 31) // _SHARE)
                _limit("work", far, max(_WORK, _PASSES * len(data)))
            place = end

    def _reads_on(self, data: Octets, place: int, start: int, end: int) -> bool:
        """Whether the search from `place` went far beyond the match that it found.

        It did if what stands from `start`, or before, up to well beyond `end` might still become a
        match, or a longer one.
        """
        beyond = end + _WINDOW_BYTES
        if self.beginnings is None or beyond >= len(data):
            return False
        found = self.beginnings.search(memoryview(data)[place:beyond])
        return found is not None and place + found.start() <= start


def _limit(name: str, work: int, maximum: int) -> None:
    """Raise LimitError where the work is too much."""
    if work > maximum:
        raise LimitError("the search would take too long", limit=name, maximum=maximum)


def _next_character(data: Octets, place: int) -> int:
    """Where the next character of UTF-8 begins."""
    place += 1
    while place < len(data) and data[place] in _CONTINUATION:
        place += 1
    return place


_CONTINUATION = range(0x80, 0xC0)


def _backtracked(root: Node, text: str, data: bytes) -> Iterator[Span]:
    """Yield the matches that are not empty, in code points."""
    first, groups = program(root)
    search = BacktrackSearch(first, groups, text)
    automaton = _automaton(analysis.without_references(root))
    place = offset = 0
    while (found := automaton.search(data, offset)) is not None:
        start = found.start()
        place += len(data[offset:start].decode())
        end = search.longest_at(place)
        if end is None or end == place:
            offset, place = _next_character(data, start), place + 1
        else:
            yield place, end
            offset, place = start + len(text[place:end].encode()), end
        if offset > len(data):
            return
