"""The decoders of the Encoding Standard, step by step as it writes them: slow, and the oracle.

Each handler takes one octet at a time, or None at the end of the queue, and returns a string of
code points, FINISHED, CONTINUE or ERROR; octets are restored to the front of the queue. Nothing of
this comes from the package but the indexes, whose digests are the standard's own.
"""
# ruff: noqa: ARG002, C901, PLR0911, PLR0912 - the steps are the standard's, one after the other

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Protocol

from permacite.charsets.indexes import ABSENT, index_of, ranges, single_byte_indexes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["DECODERS", "slow_decode"]

FINISHED, CONTINUE, ERROR = object(), object(), object()


def is_ascii(byte: int) -> bool:
    return byte <= 0x7F


def index_code_point(pointer: int | None, index: str) -> int | None:
    """Return the index code point for pointer in index (§5)."""
    characters = index_of(index)
    if pointer is None or not 0 <= pointer < len(characters) or characters[pointer] == ABSENT:
        return None
    return ord(characters[pointer])


def ranges_code_point(pointer: int) -> int | None:
    """Return the index gb18030 ranges code point for pointer (§5)."""
    if (39419 < pointer < 189000) or pointer > 1237575:
        return None
    if pointer == 7457:
        return 0xE7C7
    offset, code_point_offset = [pair for pair in ranges() if pair[0] <= pointer][-1]
    return code_point_offset + pointer - offset


class Queue(deque[int]):
    """An I/O queue of bytes."""

    def read(self) -> int | None:
        return self.popleft() if self else None

    def restore(self, items: Sequence[int | None]) -> None:
        self.extendleft(item for item in reversed(items) if item is not None)


class Decoder(Protocol):
    """An instance of a decoder (§4.1)."""

    def handler(self, queue: Queue, byte: int | None) -> object: ...


class SingleByte:
    """§9.1.1."""

    def __init__(self, name: str) -> None:
        self.index = single_byte_indexes()[name]

    def handler(self, queue: Queue, byte: int | None) -> object:
        if byte is None:
            return FINISHED
        if is_ascii(byte):
            return chr(byte)
        if self.index[byte - 0x80] == ABSENT:
            return ERROR
        return self.index[byte - 0x80]


class GB18030:
    """§10.2.1."""

    def __init__(self) -> None:
        self.first = self.second = self.third = 0

    def handler(self, queue: Queue, byte: int | None) -> object:
        if byte is None and self.first == self.second == self.third == 0:
            return FINISHED
        if byte is None:
            self.first = self.second = self.third = 0
            return ERROR
        if self.third != 0:
            if not 0x30 <= byte <= 0x39:
                queue.restore([self.second, self.third, byte])
                self.first = self.second = self.third = 0
                return ERROR
            code_point = ranges_code_point(
                (self.first - 0x81) * (10 * 126 * 10)
                + (self.second - 0x30) * (10 * 126)
                + (self.third - 0x81) * 10
                + byte
                - 0x30
            )
            self.first = self.second = self.third = 0
            return ERROR if code_point is None else chr(code_point)
        if self.second != 0:
            if 0x81 <= byte <= 0xFE:
                self.third = byte
                return CONTINUE
            queue.restore([self.second, byte])
            self.first = self.second = 0
            return ERROR
        if self.first != 0:
            if 0x30 <= byte <= 0x39:
                self.second = byte
                return CONTINUE
            leading, pointer, self.first = self.first, None, 0
            offset = 0x40 if byte < 0x7F else 0x41
            if 0x40 <= byte <= 0x7E or 0x80 <= byte <= 0xFE:
                pointer = (leading - 0x81) * 190 + (byte - offset)
            code_point = index_code_point(pointer, "gb18030")
            if code_point is not None:
                return chr(code_point)
            if is_ascii(byte):
                queue.restore([byte])
            return ERROR
        if is_ascii(byte):
            return chr(byte)
        if byte == 0x80:
            return "\u20ac"
        if 0x81 <= byte <= 0xFE:
            self.first = byte
            return CONTINUE
        return ERROR


class Big5:
    """§11.1.1."""

    def __init__(self) -> None:
        self.leading = 0

    def handler(self, queue: Queue, byte: int | None) -> object:
        if byte is None and self.leading != 0:
            self.leading = 0
            return ERROR
        if byte is None:
            return FINISHED
        if self.leading != 0:
            leading, pointer, self.leading = self.leading, None, 0
            offset = 0x40 if byte < 0x7F else 0x62
            if 0x40 <= byte <= 0x7E or 0xA1 <= byte <= 0xFE:
                pointer = (leading - 0x81) * 157 + (byte - offset)
            two = {1133: "\u00ca\u0304", 1135: "\u00ca\u030c"}
            two |= {1164: "\u00ea\u0304", 1166: "\u00ea\u030c"}
            if pointer in two:
                return two[pointer]
            code_point = index_code_point(pointer, "big5")
            if code_point is not None:
                return chr(code_point)
            if is_ascii(byte):
                queue.restore([byte])
            return ERROR
        if is_ascii(byte):
            return chr(byte)
        if 0x81 <= byte <= 0xFE:
            self.leading = byte
            return CONTINUE
        return ERROR


class EUCJP:
    """§12.1.1."""

    def __init__(self) -> None:
        self.jis0212 = False
        self.leading = 0

    def handler(self, queue: Queue, byte: int | None) -> object:
        if byte is None and self.leading != 0:
            self.leading = 0
            return ERROR
        if byte is None:
            return FINISHED
        if self.leading == 0x8E and 0xA1 <= byte <= 0xDF:
            self.leading = 0
            return chr(0xFF61 - 0xA1 + byte)
        if self.leading == 0x8F and 0xA1 <= byte <= 0xFE:
            self.jis0212 = True
            self.leading = byte
            return CONTINUE
        if self.leading != 0:
            leading, code_point, self.leading = self.leading, None, 0
            if 0xA1 <= leading <= 0xFE and 0xA1 <= byte <= 0xFE:
                pointer = (leading - 0xA1) * 94 + byte - 0xA1
                code_point = index_code_point(pointer, "jis0212" if self.jis0212 else "jis0208")
            self.jis0212 = False
            if code_point is not None:
                return chr(code_point)
            if is_ascii(byte):
                queue.restore([byte])
            return ERROR
        if is_ascii(byte):
            return chr(byte)
        if byte in {0x8E, 0x8F} or 0xA1 <= byte <= 0xFE:
            self.leading = byte
            return CONTINUE
        return ERROR


class ISO2022JP:
    """§12.2.1."""

    def __init__(self) -> None:
        self.state = self.output_state = "ASCII"
        self.leading = 0
        self.output = False

    def handler(self, queue: Queue, byte: int | None) -> object:
        return getattr(self, self.state.replace(" ", "_").lower())(queue, byte)

    def _escaped(self) -> object:
        self.state = "escape start"
        return CONTINUE

    def _plain(self, byte: int | None, text: str | None) -> object:
        if byte == 0x1B:
            return self._escaped()
        if byte is None:
            return FINISHED
        self.output = False
        return ERROR if text is None else text

    def ascii(self, queue: Queue, byte: int | None) -> object:
        fine = byte is not None and byte <= 0x7F and byte not in {0x0E, 0x0F, 0x1B}
        return self._plain(byte, chr(byte or 0) if fine else None)

    def roman(self, queue: Queue, byte: int | None) -> object:
        fine = byte is not None and byte <= 0x7F and byte not in {0x0E, 0x0F, 0x1B}
        text = {0x5C: "\u00a5", 0x7E: "\u203e"}.get(byte or 0, chr(byte or 0))
        return self._plain(byte, text if fine else None)

    def katakana(self, queue: Queue, byte: int | None) -> object:
        fine = byte is not None and 0x21 <= byte <= 0x5F
        return self._plain(byte, chr(0xFF61 - 0x21 + (byte or 0)) if fine else None)

    def lead_byte(self, queue: Queue, byte: int | None) -> object:
        if byte is not None and 0x21 <= byte <= 0x7E:
            self.output = False
            self.leading = byte
            self.state = "trail byte"
            return CONTINUE
        return self._plain(byte, None)

    def trail_byte(self, queue: Queue, byte: int | None) -> object:
        if byte == 0x1B:
            self.state = "escape start"
            return ERROR
        self.state = "lead byte"
        if byte is not None and 0x21 <= byte <= 0x7E:
            pointer = (self.leading - 0x21) * 94 + byte - 0x21
            code_point = index_code_point(pointer, "jis0208")
            return ERROR if code_point is None else chr(code_point)
        return ERROR

    def escape_start(self, queue: Queue, byte: int | None) -> object:
        if byte in {0x24, 0x28}:
            self.leading = byte or 0
            self.state = "escape"
            return CONTINUE
        queue.restore([byte])
        self.output = False
        self.state = self.output_state
        return ERROR

    def escape(self, queue: Queue, byte: int | None) -> object:
        leading, self.leading = self.leading, 0
        state = None
        if leading == 0x28:
            state = {0x42: "ASCII", 0x4A: "Roman", 0x49: "Katakana"}.get(byte or 0)
        if leading == 0x24 and byte in {0x40, 0x42}:
            state = "lead byte"
        if state is not None:
            self.state = self.output_state = state
            output, self.output = self.output, True
            return ERROR if output else CONTINUE
        queue.restore([leading, byte])
        self.output = False
        self.state = self.output_state
        return ERROR


class ShiftJIS:
    """§12.3.1."""

    def __init__(self) -> None:
        self.leading = 0

    def handler(self, queue: Queue, byte: int | None) -> object:
        if byte is None and self.leading != 0:
            self.leading = 0
            return ERROR
        if byte is None:
            return FINISHED
        if self.leading != 0:
            leading, pointer, self.leading = self.leading, None, 0
            offset = 0x40 if byte < 0x7F else 0x41
            leading_offset = 0x81 if leading < 0xA0 else 0xC1
            if 0x40 <= byte <= 0x7E or 0x80 <= byte <= 0xFC:
                pointer = (leading - leading_offset) * 188 + byte - offset
            if pointer is not None and 8836 <= pointer <= 10715:
                return chr(0xE000 - 8836 + pointer)
            code_point = index_code_point(pointer, "jis0208")
            if code_point is not None:
                return chr(code_point)
            if is_ascii(byte):
                queue.restore([byte])
            return ERROR
        if is_ascii(byte) or byte == 0x80:
            return chr(byte)
        if 0xA1 <= byte <= 0xDF:
            return chr(0xFF61 - 0xA1 + byte)
        if 0x81 <= byte <= 0x9F or 0xE0 <= byte <= 0xFC:
            self.leading = byte
            return CONTINUE
        return ERROR


class EUCKR:
    """§13.1.1."""

    def __init__(self) -> None:
        self.leading = 0

    def handler(self, queue: Queue, byte: int | None) -> object:
        if byte is None and self.leading != 0:
            self.leading = 0
            return ERROR
        if byte is None:
            return FINISHED
        if self.leading != 0:
            leading, pointer, self.leading = self.leading, None, 0
            if 0x41 <= byte <= 0xFE:
                pointer = (leading - 0x81) * 190 + (byte - 0x41)
            code_point = index_code_point(pointer, "euc-kr")
            if code_point is not None:
                return chr(code_point)
            if is_ascii(byte):
                queue.restore([byte])
            return ERROR
        if is_ascii(byte):
            return chr(byte)
        if 0x81 <= byte <= 0xFE:
            self.leading = byte
            return CONTINUE
        return ERROR


class UTF8:
    """§8.1.1."""

    def __init__(self) -> None:
        self.code_point = self.seen = self.needed = 0
        self.lower, self.upper = 0x80, 0xBF

    def handler(self, queue: Queue, byte: int | None) -> object:
        if byte is None and self.needed != 0:
            self.needed = 0
            return ERROR
        if byte is None:
            return FINISHED
        if self.needed == 0:
            return self._lead(byte)
        if not self.lower <= byte <= self.upper:
            self.__init__()  # type: ignore[misc]
            queue.restore([byte])
            return ERROR
        self.lower, self.upper = 0x80, 0xBF
        self.code_point = (self.code_point << 6) | (byte & 0x3F)
        self.seen += 1
        if self.seen != self.needed:
            return CONTINUE
        code_point = self.code_point
        self.code_point = self.needed = self.seen = 0
        return chr(code_point)

    def _lead(self, byte: int) -> object:
        if byte <= 0x7F:
            return chr(byte)
        if 0xC2 <= byte <= 0xDF:
            self.needed, self.code_point = 1, byte & 0x1F
        elif 0xE0 <= byte <= 0xEF:
            self.lower = 0xA0 if byte == 0xE0 else self.lower
            self.upper = 0x9F if byte == 0xED else self.upper
            self.needed, self.code_point = 2, byte & 0xF
        elif 0xF0 <= byte <= 0xF4:
            self.lower = 0x90 if byte == 0xF0 else self.lower
            self.upper = 0x8F if byte == 0xF4 else self.upper
            self.needed, self.code_point = 3, byte & 0x7
        else:
            return ERROR
        return CONTINUE


class UTF16:
    """§14.2.1."""

    def __init__(self, *, big_endian: bool) -> None:
        self.big_endian = big_endian
        self.lead_byte: int | None = None
        self.lead_surrogate: int | None = None

    def handler(self, queue: Queue, byte: int | None) -> object:
        if byte is None:
            pending = (self.lead_byte, self.lead_surrogate) != (None, None)
            self.lead_byte = self.lead_surrogate = None
            return ERROR if pending else FINISHED
        if self.lead_byte is None:
            self.lead_byte = byte
            return CONTINUE
        first, second = (self.lead_byte, byte) if self.big_endian else (byte, self.lead_byte)
        unit = (first << 8) + second
        self.lead_byte = None
        if self.lead_surrogate is not None:
            surrogate, self.lead_surrogate = self.lead_surrogate, None
            if 0xDC00 <= unit <= 0xDFFF:
                return chr(0x10000 + ((surrogate - 0xD800) << 10) + (unit - 0xDC00))
            first, second = unit >> 8, unit & 0xFF
            queue.restore([first, second] if self.big_endian else [second, first])
            return ERROR
        if 0xD800 <= unit <= 0xDBFF:
            self.lead_surrogate = unit
            return CONTINUE
        return ERROR if 0xDC00 <= unit <= 0xDFFF else chr(unit)


class UserDefined:
    """§14.5.1."""

    def handler(self, queue: Queue, byte: int | None) -> object:
        if byte is None:
            return FINISHED
        return chr(byte) if is_ascii(byte) else chr(0xF780 + byte - 0x80)


DECODERS: dict[str, Callable[[], Decoder]] = {
    "utf-8": UTF8,
    "gbk": GB18030,
    "gb18030": GB18030,
    "big5": Big5,
    "euc-jp": EUCJP,
    "iso-2022-jp": ISO2022JP,
    "shift_jis": ShiftJIS,
    "euc-kr": EUCKR,
    "utf-16be": partial(UTF16, big_endian=True),
    "utf-16le": partial(UTF16, big_endian=False),
    "x-user-defined": UserDefined,
    **{name: partial(SingleByte, name) for name in single_byte_indexes()},
    "iso-8859-8-i": partial(SingleByte, "iso-8859-8"),
}
"""All encodings of the standard but "replacement"."""


def slow_decode(data: bytes, codec: str) -> str:
    """Return the text of the octets, byte order mark included; errors are replaced (§4.1)."""
    queue, decoder = Queue(data), DECODERS[codec]()
    output: list[str] = []
    while True:
        result = decoder.handler(queue, queue.read())
        if result is FINISHED:
            return "".join(output)
        if result is ERROR:
            output.append("\ufffd")
        elif isinstance(result, str):
            output.append(result)
