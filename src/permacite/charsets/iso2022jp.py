"""ISO-2022-JP: octets of seven bits, whose meaning escape sequences shift.

Encoding Standard §12.2.1 ISO-2022-JP decoder -> Iso2022Jp._run. Its states "escape start", "escape"
and "trail byte" look at the octets ahead here, which wait where there are too few; what is left to
remember is the output state and the output flag.

Deviations: none.
Readings: none.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from permacite.charsets.decoders import Pending
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.charsets.multibyte import Rules

__all__ = ["Iso2022Jp"]

_ASCII, _ROMAN, _KATAKANA, _LEAD_BYTE = range(4)
_SHIFTED = 4
"""The output flag: a shift was the last thing seen, and a second one is an error."""

_ESCAPES = {b"(B": _ASCII, b"(J": _ROMAN, b"(I": _KATAKANA, b"$@": _LEAD_BYTE, b"$B": _LEAD_BYTE}
_PARTS = (b"", b"(", b"$")
"""What may stand behind an ESC and be the beginning of a sequence."""
_ESC = 0x1B

_RUNS = (
    compile_pattern(rb"[^\x0e\x0f\x1b\x80-\xff]+"),
    compile_pattern(rb"[^\x0e\x0f\x1b\x80-\xff]+"),
    compile_pattern(rb"[\x21-\x5f]+"),
    compile_pattern(rb"(?:[\x21-\x7e]{2})+"),
)
"""For each output state, octets that are characters."""

_ASCII_TABLE = "".join(map(chr, range(0x80)))
_TABLES = (
    _ASCII_TABLE,
    _ASCII_TABLE.translate({0x5C: "\u00a5", 0x7E: "\u203e"}),
    "".join(map(chr, (*range(0x21), *range(0xFF61, 0xFFA0)))),
)
_PAIRS = compile_pattern(rb"(?s:..)")
_SET_HIGH_BIT = bytes(octet | 0x80 for octet in range(0x100))


class Iso2022Jp(Pending):
    """Decodes runs of octets between shifts; two octets for a character are those of EUC-JP."""

    def __init__(self, errors: str, euc_jp: Rules) -> None:
        super().__init__("iso-2022-jp", errors)
        self._units = euc_jp.units

    def _run(self, data: bytes, state: int, *, final: bool) -> tuple[str, int, int]:
        texts: list[str] = []
        place = 0
        while place < len(data):
            if data[place] == _ESC:
                ahead = data[place + 1 : place + 3]
                if ahead in _PARTS and not final:
                    break
                text, width, state = self._escape(data, place, ahead, state)
            elif (run := _RUNS[state & 3].match(data, place)) is not None:
                state &= 3
                text, width = self._characters(data, run.start(), run.end(), state), len(run[0])
            else:
                state &= 3
                width = _error_width(data, place) if state == _LEAD_BYTE else 1
                if place + width > len(data) and not final:
                    break
                width = min(width, len(data) - place)
                text = self._malformed(data, place, place + width)
            texts.append(text)
            place += width
        return "".join(texts), place, state

    def _escape(self, data: bytes, place: int, ahead: bytes, state: int) -> tuple[str, int, int]:
        """Return the text for an ESC, the octets it takes, and the state after it."""
        shifted = _ESCAPES.get(ahead)
        if shifted is None:
            return self._malformed(data, place, place + 1), 1, state & 3
        text = self._malformed(data, place, place + 3) if state & _SHIFTED else ""
        return text, 3, shifted | _SHIFTED

    def _characters(self, data: bytes, start: int, end: int, state: int) -> str:
        run = data[start:end]
        if state != _LEAD_BYTE:
            return codecs.charmap_decode(run, "strict", _TABLES[state])[0]
        pairs = _PAIRS.findall(run.translate(_SET_HIGH_BIT))
        text = "".join(map(self._units.__getitem__, pairs))
        if self._errors == "replace" or "\ufffd" not in text:
            return text
        places = range(start, end, 2)
        return "".join(
            self._malformed(data, place, place + 2) if one == "\ufffd" else one
            for place, one in zip(places, text, strict=True)
        )


def _error_width(data: bytes, place: int) -> int:
    """How many octets are one error: a lead takes the octet behind it along, but no ESC."""
    is_lead = 0x21 <= data[place] <= 0x7E  # noqa: PLR2004 - the octets of a row
    return 2 if is_lead and data[place + 1 : place + 2] != b"\x1b" else 1
