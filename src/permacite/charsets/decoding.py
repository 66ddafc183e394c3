"""Octets as text by the rules of the Encoding Standard: whole, or piece by piece.

| section | function |
|---|---|
| Encoding Standard §6 decode, UTF-8 decode | decode |
| Encoding Standard §6 UTF-8 decode without BOM | decode(..., keep_mark=True) |
| Encoding Standard §8 to §14 decoders | incremental |

Both give the same characters for the same octets, however these are cut into pieces. What is
malformed is U+FFFD, as often as the standard says; the text never holds a surrogate.
"""

from __future__ import annotations

import codecs
from functools import lru_cache
from typing import Literal, Protocol

from permacite.charsets.labels import python_codec
from permacite.charsets.registry import MARKS, USER_DEFINED
from permacite.scan import compile_pattern

__all__ = ["Decoder", "Family", "decode", "family_of", "incremental", "settled"]

Family = Literal["utf-8", "single", "unit", "other"]
"""How octets and characters relate: UTF-8; one octet each; UTF-16 or UTF-32; anything else."""

_SURROGATES = compile_pattern("[\ud800-\udfff]")
_UNITS = frozenset({"utf-16le", "utf-16be", "utf-32le", "utf-32be"})


class Decoder(Protocol):
    """What decodes text in pieces, as Python's incremental decoders do."""

    def decode(self, data: bytes, /, *, final: bool = False) -> str:
        """Return the characters of the octets so far that are whole; all of them if `final`."""

    def getstate(self) -> tuple[bytes, int]:
        """Return the octets that wait for more, and what else is remembered; a fresh one's is 0."""

    def setstate(self, state: tuple[bytes, int], /) -> None:
        """Go on from what `getstate` returned."""

    def reset(self) -> None:
        """Forget everything."""


def decode(data: bytes, codec: str, *, keep_mark: bool = False) -> str:
    """Return the text of `data`, without the byte order mark of its codec unless `keep_mark`.

    `codec` is what `codec_of` or `resolve` gives, not a label. Raises LookupError for any other.
    """
    settled_codec, length = settled(data[:8], codec)
    decoder = incremental(settled_codec)
    return decoder.decode(data if keep_mark or not length else data[length:], final=True)


def settled(head: bytes, codec: str) -> tuple[str, int]:
    """Return the codec with its byte order settled, and the length of the mark in the first octets.

    Only marks of the codec itself count: see `MARKS`.
    """
    for mark, marked in MARKS.get(codec, ()):
        if head.startswith(mark):
            return marked, len(mark)
    return codec, 0


def incremental(codec: str, errors: str = "replace") -> Decoder:
    """Return a decoder for text in pieces, with its state; a byte order mark is a character to it.

    `errors`: as in Python; each error spans the octets that one U+FFFD stands for. Raises
    LookupError for what is no codec.
    """
    table = single_byte_table(codec)
    if table is not None:
        return _SingleByteDecoder(table, errors)
    return codecs.getincrementaldecoder(_PYTHON.get(codec, codec))(errors)


_PYTHON = {"shift_jis": "cp932", "euc-kr": "cp949", "gbk": "gb18030", "big5": "big5hkscs"}
_SINGLE = {
    "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "windows-874": "cp874",
    "iso-8859-8-i": "iso-8859-8",
    "replacement": "ascii",
}


class _SingleByteDecoder:
    """Encoding Standard §9.1: an octet is a character, or an error."""

    def __init__(self, table: str, errors: str) -> None:
        self._table = table
        self._errors = errors

    def decode(self, data: bytes, /, *, final: bool = False) -> str:
        """Return the characters of the octets, whether they are the last or not."""
        del final
        return codecs.charmap_decode(data, self._errors, self._table)[0]

    def getstate(self) -> tuple[bytes, int]:
        """Return nothing: no octet waits for another."""
        return b"", 0

    def setstate(self, state: tuple[bytes, int], /) -> None:
        """Go on as before."""

    def reset(self) -> None:
        """Go on as before."""


_OTHERWISE = {
    "windows-1255": {0xCA: "\u05ba"},
    "koi8-u": {0xAE: "\u045e", 0xBE: "\u040e"},
}


@lru_cache(maxsize=256)
def single_byte_table(codec: str) -> str | None:
    """Return the 256 characters of a charset of single octets, U+FFFE for none; else None."""
    if codec == USER_DEFINED:
        return "".join(map(chr, (*range(0x80), *range(0xF780, 0xF800))))
    if codec in _UNITS or codec in _PYTHON or codec == "utf-8":
        return None
    name = python_codec(_SINGLE.get(codec, codec))
    if name is None:
        raise LookupError(f"no codec: {codec}")
    decoder = codecs.getincrementaldecoder(name)
    table = [decoder("replace").decode(bytes([byte])) for byte in range(256)]
    if any(len(one) != 1 for one in table) or any(table.count(one) > 1 for one in "\r\n\x85"):
        return None
    if codec.startswith("windows"):
        for byte in range(0x80, 0xA0):
            if table[byte] == "\ufffd":
                table[byte] = chr(byte)
    for byte, character in _OTHERWISE.get(codec, {}).items():
        table[byte] = character
    return "".join(table).replace("\ufffd", "\ufffe")


@lru_cache(maxsize=256)
def family_of(codec: str) -> Family:
    """Say how octets and characters relate in `codec`."""
    if codec == "utf-8":
        return "utf-8"
    if codec in _UNITS:
        return "unit"
    return "other" if single_byte_table(codec) is None else "single"
