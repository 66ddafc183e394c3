r"""Parser of POSIX basic regular expressions, and the tree it gives.

Basic Regular Expressions (ISO 9945-2:1993 §2.8.3; XBD §9.3 of later editions)

| section | function |
|---|---|
| XBD §9.3.2, §9.3.3 ordinary and special characters | _single |
| XBD §9.3.4 the period | _single |
| XBD §9.3.5 bracket expressions | brackets.bracket_expression |
| XBD §9.3.6 groups, back-references, intervals | _group, _back_reference, _interval |
| XBD §9.3.8 anchoring | _is_caret_anchor, _is_dollar_anchor |

Deviations: none.

Readings, where the standard leaves the meaning undefined:
- `^` is an anchor at the start and after `\(`, `$` at the end and before `\)`; elsewhere ordinary.
- `*` is ordinary at the start, after `\(`, and after an anchor `^`; `\{` there is an error.
- Two duplications one after the other (`a**`) are an error, and so is `\{2,1\}`.
- `\{,3\}` is `\{0,3\}`. The greatest number of an interval is 32,767.
- A backslash before a character that is not special means that character. The operators of GNU
  (`\+ \? \| \w \W \s \S \b \B \< \>`, and two for the ends of the text) must be asked for.
- `[a-c-e]` and a range that ends before it begins are errors.
- In newline mode (REG_NEWLINE), `.` and lists that begin with `^` do not match a newline, and
  anchors also stand at the ends of lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from permacite.errors import LimitError
from permacite.fragments.bre.brackets import WORD, bracket_expression, complement
from permacite.lazy_dataclass import dataclass
from permacite.scan import Cursor, compile_pattern

if TYPE_CHECKING:
    from typing import TypeAlias

    from permacite.fragments.bre.brackets import Ranges

__all__ = [
    "Alternation",
    "Anchor",
    "BackReference",
    "CharacterSet",
    "Group",
    "Node",
    "Repeat",
    "Sequence",
    "parse",
]

_SPEC = "XBD §9.3"
_MAX_LENGTH = 1 << 15
_MAX_NESTING = 100
_MAX_REPEAT = 32767


@dataclass(frozen=True, slots=True)
class CharacterSet:
    """One character out of some."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place: the start or end of the text or (in newline mode) of a line; a word's, for GNU."""

    kind: Literal["start", "end", "line-start", "line-end", "word", "no-word", "first", "last"]


@dataclass(frozen=True, slots=True)
class BackReference:
    """What the group of that number matched."""

    number: int


@dataclass(frozen=True, slots=True)
class Group:
    """A group, counted from 1 by its opening."""

    number: int
    item: Node


@dataclass(frozen=True, slots=True)
class Repeat:
    """The item from `low` to `high` times; None is any number."""

    item: Node
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other; nothing at all where there are no items."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Alternation:
    """One out of several."""

    items: tuple[Node, ...]


Node: TypeAlias = "CharacterSet | Anchor | BackReference | Group | Repeat | Sequence | Alternation"


def parse(pattern: str, *, newline: bool = False, gnu: bool = False) -> Node:
    """Parse a basic regular expression.

    Raises ParseError at the first character that cannot be right, LimitError for an expression
    that is too long, or too deeply nested.
    """
    if len(pattern) > _MAX_LENGTH:
        raise LimitError("the expression is too long", limit="pattern", maximum=_MAX_LENGTH)
    return _BreParser(pattern, newline=newline, gnu=gnu).tree()


class _Branch:
    """What is open: a group (or the whole), its finished alternatives, and the items of one."""

    __slots__ = ("alternatives", "items", "number", "opened")

    def __init__(self, number: int, opened: int) -> None:
        self.number = number
        self.opened = opened
        self.alternatives: list[Node] = []
        self.items: list[Node] = []

    def node(self) -> Node:
        """The branch as parsed so far."""
        last = self.items[0] if len(self.items) == 1 else Sequence(tuple(self.items))
        return Alternation((*self.alternatives, last)) if self.alternatives else last


_DIGITS = compile_pattern(r"[0-9]{1,9}")

_SPACE = ((9, 13), (32, 32))
_GNU_SETS = {"w": WORD, "W": complement(WORD), "s": _SPACE, "S": complement(_SPACE)}
_GNU_ANCHORS: dict[str, Anchor] = {
    "b": Anchor("word"),
    "B": Anchor("no-word"),
    "<": Anchor("first"),
    ">": Anchor("last"),
    "`": Anchor("start"),
    "'": Anchor("end"),
}
_GNU_REPEATS = {"\\+": (1, None), "\\?": (0, 1)}
_GNU = "+?|wWsSbB<>`'"


def _interval(cursor: Cursor) -> tuple[int, int | None]:
    r"""DUP_COUNT [ "," [ DUP_COUNT ] ] "\}" (XBD §9.5.2)."""
    start = cursor.offset
    low = cursor.match(_DIGITS)
    high = low
    if cursor.take(","):
        low, high = low or "0", cursor.match(_DIGITS)
    elif low is None:
        cursor.fail("expected a number")
    cursor.expect("\\}", "expected '\\}'")
    first, last = int(low or 0), None if high is None else int(high)
    if max(first, last or 0) > _MAX_REPEAT:
        cursor.fail(f"expected numbers up to {_MAX_REPEAT}", at=start)
    if last is not None and last < first:
        cursor.fail("the interval runs backwards", at=start)
    return first, last


class _BreParser:
    """Parses one expression, with a stack of open groups instead of recursion."""

    def __init__(self, pattern: str, *, newline: bool, gnu: bool) -> None:
        self.cursor = Cursor(pattern, spec=_SPEC)
        self.newline = newline
        self.gnu = gnu
        self.open = [_Branch(0, 0)]
        self.groups = 0
        self.closed: set[int] = set()
        self.repeatable = False
        """Whether a duplication here would have something to repeat."""
        self.repeated = False
        """Whether the last item is a duplication already."""

    def tree(self) -> Node:
        """Parse the whole (XBD §9.5.2 basic_reg_exp)."""
        while not self.cursor.at_end:
            self._step()
        if len(self.open) > 1:
            self.cursor.fail("expected '\\)' for this '\\('", at=self.open[-1].opened)
        return self.open[0].node()

    def _step(self) -> None:
        """Parse one token and, for an item, put it into the open branch."""
        cursor = self.cursor
        if self._duplication():
            return
        if cursor.take("\\("):
            self._group()
        elif cursor.take("\\)"):
            self._group_end()
        elif self.gnu and cursor.take("\\|"):
            self.open[-1].alternatives.append(self._finished_branch())
            self.repeatable = self.repeated = False
        elif self._is_caret_anchor():
            self._add(Anchor("line-start" if self.newline else "start"), repeatable=False)
        elif self._is_dollar_anchor():
            self._add(Anchor("line-end" if self.newline else "end"), repeatable=False)
        else:
            self._single()

    def _finished_branch(self) -> Node:
        items, self.open[-1].items = self.open[-1].items, []
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _add(self, node: Node, *, repeatable: bool = True) -> None:
        self.open[-1].items.append(node)
        self.repeatable = repeatable
        self.repeated = False

    def _is_caret_anchor(self) -> bool:
        """Take a `^` that is an anchor: the first of an expression or a group (XBD §9.3.8)."""
        return not self.open[-1].items and self.cursor.take("^")

    def _is_dollar_anchor(self) -> bool:
        """Take a `$` that is an anchor: the last of an expression or a group (XBD §9.3.8)."""
        cursor = self.cursor
        ends = ("\\)", "\\|") if self.gnu else ("\\)",)
        after = cursor.offset + 1
        if not (after >= len(cursor.source) or cursor.source.startswith(ends, after)):
            return False
        return cursor.take("$")

    def _group(self) -> None:
        r"""\( (XBD §9.3.6)."""
        if len(self.open) > _MAX_NESTING:
            raise LimitError("groups are nested too deeply", limit="nesting", maximum=_MAX_NESTING)
        self.groups += 1
        self.open.append(_Branch(self.groups, self.cursor.offset - 2))
        self.repeatable = self.repeated = False

    def _group_end(self) -> None:
        r"""\) (XBD §9.3.6)."""
        if len(self.open) == 1:
            self.cursor.fail("no '\\(' is open here", at=self.cursor.offset - 2)
        branch = self.open.pop()
        self.closed.add(branch.number)
        self._add(Group(branch.number, branch.node()))

    def _duplication(self) -> bool:
        r"""`*`, `\{m,n\}`, and GNU's `\+` and `\?`, after an item (XBD §9.3.6)."""
        start = self.cursor.offset
        for written, (low, high) in {"*": (0, None), **(_GNU_REPEATS if self.gnu else {})}.items():
            if self.repeatable and self.cursor.take(written):
                self._repeat(low, high, start)
                return True
        if not self.cursor.take("\\{"):
            return False
        if not self.repeatable:
            self.cursor.fail("an interval needs something before it", at=start)
        self._repeat(*_interval(self.cursor), start)
        return True

    def _repeat(self, low: int, high: int | None, start: int) -> None:
        if self.repeated and not self.cursor.source.startswith(tuple(_GNU_REPEATS), start):
            self.cursor.fail("a duplication cannot be repeated", at=start)
        items = self.open[-1].items
        items[-1] = Repeat(items[-1], low, high)
        self.repeated = True

    def _single(self) -> None:
        """Parse what matches one character, or a back-reference or an anchor of GNU."""
        character = self.cursor.peek()
        self.cursor.offset += 1
        if character == "\\":
            self._escaped()
        elif character == "[":
            self._add(CharacterSet(bracket_expression(self.cursor, newline=self.newline)))
        elif character == ".":
            self._add(CharacterSet(complement(((10, 10),) if self.newline else ())))
        else:
            self._add(CharacterSet(((ord(character), ord(character)),)))

    def _escaped(self) -> None:
        """Parse what stands after a backslash (XBD §9.3.3, §9.3.6)."""
        cursor = self.cursor
        start = cursor.offset - 1
        if cursor.at_end:
            cursor.fail("expected a character after the backslash")
        character = cursor.peek()
        cursor.offset += 1
        if character in "123456789":
            self._back_reference(int(character), start)
        elif character not in _GNU:
            self._add(CharacterSet(((ord(character), ord(character)),)))
        elif not self.gnu:
            cursor.fail(
                f"'\\{character}' is undefined; GNU's meaning needs to be asked for", at=start
            )
        elif character in _GNU_SETS:
            self._add(CharacterSet(_GNU_SETS[character]))
        elif character in _GNU_ANCHORS:
            self._add(_GNU_ANCHORS[character], repeatable=False)
        else:
            self._add(CharacterSet(((ord(character), ord(character)),)))

    def _back_reference(self, number: int, start: int) -> None:
        r"""\1 to \9, to a group that is closed (XBD §9.3.6)."""
        if number not in self.closed:
            self.cursor.fail(f"no group {number} is closed before this", at=start)
        self._add(BackReference(number))
