"""Tables and bulk decoding of charsets without shifts, with one to four octets for a character.

| section | function |
|---|---|
| Encoding Standard §10.1.1 GBK, §10.2.1 gb18030 | _gb18030 |
| Encoding Standard §11.1.1 Big5 | _big5 |
| Encoding Standard §12.1.1 EUC-JP | _euc_jp |
| Encoding Standard §12.3.1 Shift_JIS | _shift_jis |
| Encoding Standard §13.1.1 EUC-KR | _euc_kr |

The standard reads octet by octet. Here a pattern cuts the octets into units, each a run of ASCII, a
sequence as long as its lead asks for, or an octet that is none; and a table gives the text of a
unit. A sequence without a character is one U+FFFD, but an ASCII octet at its end is read again.

Python's codecs, in C, decode in bulk where they give what these rules give. Which entries differ
depends on the version of Python. So every sequence that such a codec takes is compared with the
rules, once in a process. A character that always means one other character of ours is replaced
afterwards. An ambiguous one shows that a piece has to be decoded by the rules.

Deviations: none. Readings: none.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from permacite.charsets.indexes import ABSENT, index_of, ranges
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["Bulk", "CharsetRules", "Units", "bulk_of", "rules_of"]

_NO_CHARACTERS, _LAST_POINTER, _ODD_POINTER = range(39420, 189000), 1237575, 7457
"""Pointers of gb18030 that the standard names."""
_FOUR_OCTETS, _ROWS = 4, 94
_REPLACEMENT = "\ufffd"


class Units(dict[bytes, str]):
    """The text of each unit; that of all others is found when it is asked for."""

    def text(self, unit: bytes) -> str | None:
        """Return the text of a unit; None if it is malformed."""
        return unit.decode("ascii") if unit.isascii() else self.get(unit)

    def width(self, unit: bytes) -> int:
        """How many octets of a malformed unit are one error; the rest is ASCII."""
        return len(unit) - (len(unit) > 1 and unit[-1:].isascii())

    def __missing__(self, unit: bytes) -> str:
        text = self.text(unit)
        if text is None:
            text = _REPLACEMENT + unit[self.width(unit) :].decode("ascii")
        return text


class CharsetRules(NamedTuple):
    """How octets are cut into units, and what these stand for."""

    units: Units
    pattern: re.Pattern[bytes]
    """Matches a unit at every place."""
    partial: re.Pattern[bytes]
    """Matches a last unit that waits for more octets."""
    python: str
    """Python's codec for nearly the same: see `bulk`."""


def rules_of(codec: str) -> CharsetRules | None:
    """Return the rules of a codec; None where it is not one of these."""
    rules = _RULES.get(codec)
    return None if rules is None else rules()


@cache
def _gb18030() -> CharsetRules:
    units = _FourOctets({b"\x80": "\u20ac"})
    for pointer, character in _present("gb18030"):
        lead, trail = divmod(pointer, 190)
        units[bytes((lead + 0x81, _trail(trail, 0x80)))] = character
    pattern = (
        rb"[\x00-\x7f]+|[\x81-\xfe](?:[0-9][\x81-\xfe][0-9]|[0-9][\x81-\xfe]?\Z|[^0-9])|[\x80-\xff]"
    )
    return _rules(units, pattern, rb"[\x81-\xfe](?:[0-9][\x81-\xfe]?)?", "gb18030")


class _FourOctets(Units):
    """Units that may be four octets long, which ranges stand for, not a table."""

    def text(self, unit: bytes) -> str | None:
        if len(unit) == _FOUR_OCTETS and not unit.isascii():
            return self._ranged(unit)
        return super().text(unit)

    def width(self, unit: bytes) -> int:
        # A digit at the end is of a sequence that is cut off, or too high.
        return len(unit) if unit[-1] in b"0123456789" else super().width(unit)

    def _ranged(self, unit: bytes) -> str | None:
        """Return the character of a sequence of four (§5 index gb18030 ranges code point)."""
        first, second, third, fourth = unit
        pointer = ((first - 0x81) * 10 + second - 0x30) * 1260 + (third - 0x81) * 10 + fourth - 0x30
        if pointer in _NO_CHARACTERS or pointer > _LAST_POINTER:
            return None
        if pointer == _ODD_POINTER:
            return "\ue7c7"
        start, code_point = ranges()[bisect_right(ranges(), (pointer, 0x110000)) - 1]
        return chr(code_point + pointer - start)


@cache
def _big5() -> CharsetRules:
    units = Units()
    for pointer, character in _present("big5"):
        units[_big5_octets(pointer)] = character
    pairs = {1133: "\u00ca\u0304", 1135: "\u00ca\u030c", 1164: "\u00ea\u0304", 1166: "\u00ea\u030c"}
    for pointer, characters in pairs.items():
        units[_big5_octets(pointer)] = characters
    return _two_octets(units, rb"\x81-\xfe", "big5hkscs")


def _big5_octets(pointer: int) -> bytes:
    lead, trail = divmod(pointer, 157)
    return bytes((lead + 0x81, _trail(trail, 0xA1)))


@cache
def _euc_kr() -> CharsetRules:
    units = Units()
    for pointer, character in _present("euc-kr"):
        lead, trail = divmod(pointer, 190)
        units[bytes((lead + 0x81, trail + 0x41))] = character
    return _two_octets(units, rb"\x81-\xfe", "cp949")


@cache
def _shift_jis() -> CharsetRules:
    units = Units({b"\x80": "\x80"})
    units.update((bytes((octet,)), chr(0xFF61 - 0xA1 + octet)) for octet in range(0xA1, 0xE0))
    private = ((pointer, chr(0xE000 - 8836 + pointer)) for pointer in range(8836, 10716))
    for pointer, character in (*_present("jis0208"), *private):
        lead, trail = divmod(pointer, 188)
        before_katakana = lead <= 0x9F - 0x81
        octets = lead + (0x81 if before_katakana else 0xC1), _trail(trail, 0x80)
        units[bytes(octets)] = character
    return _two_octets(units, rb"\x81-\x9f\xe0-\xfc", "cp932")


@cache
def _euc_jp() -> CharsetRules:
    units = Units()
    units.update((bytes((0x8E, octet)), chr(0xFF61 - 0xA1 + octet)) for octet in range(0xA1, 0xE0))
    for prefix, index in ((b"", "jis0208"), (b"\x8f", "jis0212")):
        for pointer, character in _present(index):
            lead, trail = divmod(pointer, 94)
            if lead < _ROWS:  # the rows beyond are those of Shift_JIS
                units[prefix + bytes((lead + 0xA1, trail + 0xA1))] = character
    leads = rb"[\x8e\x8f\xa1-\xfe]"
    pattern = (
        rb"[\x00-\x7f]+|\x8f[\xa1-\xfe](?:[\x00-\xff]|\Z)|" + leads + rb"[\x00-\xff]|[\x80-\xff]"
    )
    return _rules(units, pattern, leads + rb"|\x8f[\xa1-\xfe]", "euc_jp")


def _two_octets(units: Units, leads: bytes, python: str) -> CharsetRules:
    lead = b"[" + leads + b"]"
    return _rules(units, rb"[\x00-\x7f]+|" + lead + rb"[\x00-\xff]|[\x80-\xff]", lead, python)


def _rules(units: Units, pattern: bytes, partial: bytes, python: str) -> CharsetRules:
    return CharsetRules(units, compile_pattern(pattern), compile_pattern(partial), python)


def _trail(number: int, after_del: int) -> int:
    """Return the trail octet of a number: 0x40 to 0x7E, and on from `after_del`."""
    below = 0x7F - 0x40
    return 0x40 + number if number < below else after_del + number - below


def _present(index: str) -> Iterator[tuple[int, str]]:
    """Yield pointers and characters of an index."""
    return ((at, one) for at, one in enumerate(index_of(index)) if one != ABSENT)


_RULES: dict[str, Callable[[], CharsetRules]] = {
    "gbk": _gb18030,
    "gb18030": _gb18030,
    "big5": _big5,
    "euc-kr": _euc_kr,
    "shift_jis": _shift_jis,
    "euc-jp": _euc_jp,
}


_HIGH = range(0x80, 0x100)

_UNCOMPARED = {"gb18030": compile_pattern(rb"[0-9][\x81-\xfe][0-9]")}
"""What sequences of four octets end with, which are too many: such pieces are doubtful."""


class Bulk(NamedTuple):
    """Python's codec, and what its text says of octets that it reads otherwise than the rules."""

    python: str
    replaced: tuple[tuple[str, str], ...]
    doubtful: re.Pattern[str] | None
    uncompared: re.Pattern[bytes] | None

    def text(self, data: bytes) -> tuple[str, int] | None:
        """Return the text of the whole characters that `data` begins with, and their octets.

        None where the rules are needed to tell.
        """
        if self.uncompared is not None and self.uncompared.search(data):
            return None
        decoder = codecs.getincrementaldecoder(self.python)()
        try:
            text = decoder.decode(data)
        except UnicodeError:
            return None
        if self.doubtful is not None and self.doubtful.search(text):
            return None
        for theirs, ours in self.replaced:
            text = text.replace(theirs, ours)
        return text, len(data) - len(decoder.getstate()[0])


@cache
def bulk_of(codec: str) -> Bulk | None:
    """The bulk decoder for a codec of `multibyte`; None where nothing can be compared."""
    rules = rules_of(codec)
    if rules is None:
        return None
    same: set[str] = set()
    other: dict[str, set[str]] = {}
    for theirs, ours in _compared(rules):
        if theirs == ours:
            same.add(theirs)
        else:
            other.setdefault(theirs, set()).add(ours)
    if not same:
        return None
    parts = {sign for text in (*same, *other) if len(text) > 1 for sign in text}
    replaced = {
        theirs: one
        for theirs, (one, *more) in ((theirs, tuple(texts)) for theirs, texts in other.items())
        if not more and theirs not in same | parts and one not in other and _is_plain(one)
    }
    signs = re.escape("".join(sorted({sign for text in {*other} - {*replaced} for sign in text})))
    doubtful = compile_pattern(f"[{signs}]") if signs else None
    pairs = tuple(replaced.items())
    return Bulk(rules.python, pairs, doubtful, _UNCOMPARED.get(rules.python))


def _is_plain(text: str) -> bool:
    return len(text) == 1 and text != "\ufffd"


def _compared(rules: CharsetRules) -> Iterator[tuple[str, str]]:
    """Yield Python's text and ours of every sequence that Python's codec takes for characters."""
    singles = [bytes((octet,)) for octet in range(0x100)]
    taken = {unit for unit in singles if _is_taken(rules.python, unit)}
    yield from _lines(rules, taken)
    leads = [unit[0] for unit in singles if unit not in taken]
    yield from _lines(rules, map(bytes, product(leads, range(0x100))))
    if rules.python == "euc_jp":
        yield from _lines(rules, map(bytes, product((0x8F,), _HIGH, _HIGH)))


def _is_taken(python: str, unit: bytes) -> bool:
    try:
        unit.decode(python)
    except UnicodeError:
        return False
    return True


def _lines(rules: CharsetRules, units: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    """Yield both texts of the units that the codec takes; nothing where it joins lines."""
    data = b"\n".join(unit for unit in units if b"\n" not in unit)
    theirs = data.decode(rules.python, "replace").split("\n")
    ours = "".join(map(rules.units.__getitem__, rules.pattern.findall(data))).split("\n")
    if len(theirs) == len(ours):
        pairs = zip(theirs, ours, strict=True)
        yield from (pair for pair in pairs if "\ufffd" not in pair[0])
