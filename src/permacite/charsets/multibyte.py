"""The decoders of charsets without shifts that take one to four octets for a character.

| section | function |
|---|---|
| Encoding Standard §10.1.1 GBK, §10.2.1 gb18030 | _gb18030 |
| Encoding Standard §11.1.1 Big5 | _big5 |
| Encoding Standard §12.1.1 EUC-JP | _euc_jp |
| Encoding Standard §12.3.1 Shift_JIS | _shift_jis |
| Encoding Standard §13.1.1 EUC-KR | _euc_kr |

The standard reads octet by octet. Here a pattern cuts the octets into units, each a run of ASCII, a
sequence as long as its lead asks for, or an octet that is none; and a table gives the text of a
unit. A sequence that stands for nothing is one U+FFFD, but an ASCII octet at its end is read again.

Deviations: none.
Readings: none.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from permacite.charsets.indexes import ABSENT, index_of, ranges
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

__all__ = ["Rules", "Units", "rules_of"]

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


class Rules(NamedTuple):
    """How octets are cut into units, and what these stand for."""

    units: Units
    pattern: re.Pattern[bytes]
    """Matches a unit at every place."""
    partial: re.Pattern[bytes]
    """Matches a last unit that waits for more octets."""
    python: str
    """Python's codec for nearly the same: see `bulk`."""


def rules_of(codec: str) -> Rules | None:
    """Return the rules of a codec; None where it is not one of these."""
    rules = _RULES.get(codec)
    return None if rules is None else rules()


@cache
def _gb18030() -> Rules:
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
        if len(unit) == 4 and not unit.isascii():  # noqa: PLR2004 - as its name says
            return self._ranged(unit)
        return super().text(unit)

    def width(self, unit: bytes) -> int:
        # A digit at the end is of a sequence that is cut off, or too high.
        return len(unit) if unit[-1] in b"0123456789" else super().width(unit)

    def _ranged(self, unit: bytes) -> str | None:
        """Return the character of a sequence of four (§5 index gb18030 ranges code point)."""
        first, second, third, fourth = unit
        pointer = ((first - 0x81) * 10 + second - 0x30) * 1260 + (third - 0x81) * 10 + fourth - 0x30
        if 39419 < pointer < 189000 or pointer > 1237575:  # noqa: PLR2004 - as written there
            return None
        if pointer == 7457:  # noqa: PLR2004
            return "\ue7c7"
        start, code_point = ranges()[bisect_right(ranges(), (pointer, 0x110000)) - 1]
        return chr(code_point + pointer - start)


@cache
def _big5() -> Rules:
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
def _euc_kr() -> Rules:
    units = Units()
    for pointer, character in _present("euc-kr"):
        lead, trail = divmod(pointer, 190)
        units[bytes((lead + 0x81, trail + 0x41))] = character
    return _two_octets(units, rb"\x81-\xfe", "cp949")


@cache
def _shift_jis() -> Rules:
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
def _euc_jp() -> Rules:
    units = Units()
    units.update((bytes((0x8E, octet)), chr(0xFF61 - 0xA1 + octet)) for octet in range(0xA1, 0xE0))
    for prefix, index in ((b"", "jis0208"), (b"\x8f", "jis0212")):
        for pointer, character in _present(index):
            lead, trail = divmod(pointer, 94)
            if lead < 94:  # noqa: PLR2004 - rows beyond are Shift_JIS's
                units[prefix + bytes((lead + 0xA1, trail + 0xA1))] = character
    leads = rb"[\x8e\x8f\xa1-\xfe]"
    pattern = (
        rb"[\x00-\x7f]+|\x8f[\xa1-\xfe](?:[\x00-\xff]|\Z)|" + leads + rb"[\x00-\xff]|[\x80-\xff]"
    )
    return _rules(units, pattern, leads + rb"|\x8f[\xa1-\xfe]", "euc_jp")


def _two_octets(units: Units, leads: bytes, python: str) -> Rules:
    lead = b"[" + leads + b"]"
    return _rules(units, rb"[\x00-\x7f]+|" + lead + rb"[\x00-\xff]|[\x80-\xff]", lead, python)


def _rules(units: Units, pattern: bytes, partial: bytes, python: str) -> Rules:
    return Rules(units, compile_pattern(pattern), compile_pattern(partial), python)


def _trail(number: int, after_del: int) -> int:
    """Return the trail octet of a number: 0x40 to 0x7E, and on from `after_del`."""
    below = 0x7F - 0x40
    return 0x40 + number if number < below else after_del + number - below


def _present(index: str) -> Iterator[tuple[int, str]]:
    """Yield pointers and characters of an index."""
    return ((at, one) for at, one in enumerate(index_of(index)) if one != ABSENT)


_RULES: dict[str, Callable[[], Rules]] = {
    "gbk": _gb18030,
    "gb18030": _gb18030,
    "big5": _big5,
    "euc-kr": _euc_kr,
    "shift_jis": _shift_jis,
    "euc-jp": _euc_jp,
}
