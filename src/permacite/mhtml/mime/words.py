"""Encoded words: text of a heading that is not ASCII (RFC 2047).

    §2 encoded-word -> ENCODED_WORD     §4.1 B, §4.2 Q -> octets_of_word, encode_word
    §5 where they may stand -> encode_text        §6.2 display -> decode_text

Deviations: an encoded word inside another word is decoded too, since mailers write it.
Readings: `octets_of_word` gives octets, not characters: RFC 2557 §4.4.1 compares those.
"""

from __future__ import annotations

import binascii
import re

from permacite.charsets import codec_of, decode
from permacite.scan import compile_pattern

__all__ = ["ENCODED_WORD", "decode_text", "encode_text", "encode_word", "octets_of_word"]

ENCODED_WORD = compile_pattern(rb"=\?([!->@-~]{1,80})\?([QqBb])\?([!->@-~]*+)\?=")
"""charset, encoding, encoded text. A language after `*` (RFC 2231 §5) is part of the charset."""

_BETWEEN = compile_pattern(rb"(?<=\?=)[ \t\r\n]++(?==\?)")
_PLAIN_Q = frozenset(range(0x21, 0x7F)) - frozenset(b'=?_"(),;<>@[\\]')
_WORD_LIMIT = 75
"""An encoded word has at most 75 characters (RFC 2047 §2)."""
_LINE_LIMIT = 76


def octets_of_word(encoding: bytes, text: bytes) -> bytes:
    """The octets that an encoded word stands for, in whatever charset they are."""
    if encoding in b"qQ":
        return binascii.a2b_qp(text.replace(b"_", b" "), header=False)
    kept = re.sub(rb"[^A-Za-z0-9+/]", b"", text)
    if len(kept) % 4 == 1:
        kept = kept[:-1]
    return binascii.a2b_base64(kept + b"=" * (-len(kept) % 4))


def decode_text(value: bytes) -> str:
    """An unfolded field's value as people read it. Never fails: odd octets are replaced."""

    def decoded(word: re.Match[bytes]) -> bytes:
        charset = word[1].partition(b"*")[0].decode("ascii")
        octets = octets_of_word(word[2], word[3])
        return _to_text(octets, charset).encode("utf-8", "replace")

    joined = _BETWEEN.sub(b"", value)
    return _to_text(ENCODED_WORD.sub(decoded, joined), "utf-8")


def _to_text(octets: bytes, charset: str) -> str:
    return decode(octets, codec_of(charset) or "utf-8")


def encode_word(octets: bytes, charset: str) -> str:
    """One encoded word for `octets`: Q, or B where most would have to be escaped."""
    quoted = "".join(
        chr(o) if o in _PLAIN_Q else "_" if o == ord(" ") else f"={o:02X}" for o in octets
    )
    if len(quoted) <= 2 * len(octets):
        return f"=?{charset}?Q?{quoted}?="
    based = binascii.b2a_base64(octets, newline=False).decode("ascii")
    return f"=?{charset}?B?{based}?="


def encode_text(value: str, name: str) -> str:
    """Return `value` for the heading field `name`: as it is if ASCII, else as encoded words.

    Lines are folded at 76 characters where a space allows it.
    """
    room = _LINE_LIMIT - len(name) - 2
    if value.isascii() and "=?" not in value:
        return _folded(value.split(" "), room, " ")
    words, piece = [], ""
    for character in value:
        if len(encode_word((piece + character).encode(), "utf-8")) > min(_WORD_LIMIT, room) - 1:
            words.append(encode_word(piece.encode(), "utf-8"))
            piece = ""
        piece += character
    return "\r\n ".join([*words, encode_word(piece.encode(), "utf-8")])


def _folded(words: list[str], room: int, between: str) -> str:
    """Join words by spaces, with a fold wherever a line would grow too long."""
    pieces, left = [words[0]], room - len(words[0])
    for word in words[1:]:
        # A line of white space alone would end the heading for some readers.
        if len(word) + 1 > left and word and pieces[-1].strip():
            pieces.append("\r\n")
            left = _LINE_LIMIT
        pieces += [between, word]
        left -= len(word) + 1
    return "".join(pieces)
