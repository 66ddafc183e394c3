"""Transfer encodings: base64, quoted-printable and the identities (RFC 2045 §6).

    §6.4 unknown encodings -> decode      §6.7 quoted-printable -> decode_quoted_printable
    §6.8 base64 -> decode_base64

Deviations: None.
Readings: octets that are not of the alphabet are skipped (§6.8); what follows a padded group is
not part of the content. White space at the end of a quoted-printable line is dropped (§6.7 rule 3),
an `=` that starts no octet stays as it is. pybase64 is used where it is installed.
"""

from __future__ import annotations

import binascii
import functools
import importlib
import struct
from typing import TYPE_CHECKING

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = [
    "IDENTITIES",
    "base64_fault",
    "decode",
    "decode_base64",
    "decode_leniently",
    "decode_pieces",
    "decode_quoted_printable",
    "encode_base64",
    "encode_quoted_printable",
    "forget_codec",
    "quoted_printable_fault",
]

IDENTITIES = frozenset({"", "7bit", "8bit", "binary"})
"""Encodings that change nothing; "" is a heading without the field."""

_SPACE = b" \t\r\n"
_FOREIGN = compile_pattern(rb"[^A-Za-z0-9+/= \t\r\n]")
_BASE64 = bytes(o for o in range(256) if bytes([o]).isalnum() or o in b"+/=")
_NOT_BASE64 = bytes(o for o in range(256) if o not in _BASE64)
_MOST_PADS = 2
_ENDING = 8
"""Padding and line ends: that far from the end an `=` may stand in text that is right."""
_LONE_RETURN = compile_pattern(rb"(?<!=)((?:==)*+)=\r(?!\n)")
"""An `=` before a CR alone; two side by side stand for one."""
_TRAILING = compile_pattern(rb"(?<![ \t])[ \t]++(?=\r?\n|\Z)")
_ENDS_IN_SPACE = compile_pattern(rb"\n(?:(?<=[ \t]\n)|(?<=[ \t]\r\n))")
"""The end of a line that has some. From line end to line end is ten times as fast."""
_NO_OCTET = compile_pattern(rb"=(?![0-9A-Fa-f]{2}|[ \t]*+(?:\r?\n|\Z))")
_LINE_BASE64 = 76
_LINES = struct.Struct(f"{_LINE_BASE64}s" * 1000)
_BLOCK = _LINES.size // 4 * 3


@functools.cache
def _codec() -> tuple[Callable[[bytes], bytes], Callable[[bytes], bytes] | None]:
    """A lenient decoder, and an encoder into lines where pybase64 is installed."""
    try:
        module = importlib.import_module("pybase64")
    except ImportError:
        return binascii.a2b_base64, None
    return module.b64decode, module.encodebytes


def forget_codec() -> None:
    """Look for pybase64 again at the next call; for measuring with it and without."""
    _codec.cache_clear()


def decode_base64(text: bytes) -> bytes:
    """The octets that base64 text stands for. Never fails: see Readings."""
    # Decoders agree on everything but what stands behind padding, and what lacks it.
    padding = _padding_at(text)
    if len(text) - padding <= _ENDING and not text[padding:].strip(b"=\r\n"):
        try:
            return _codec()[0](text)
        except (binascii.Error, ValueError):
            pass
    return decode_leniently(text)


def decode_leniently(text: bytes) -> bytes:
    """The same for any text, faulty or not, without the fast way."""
    kept = text.translate(None, _NOT_BASE64)
    body = kept[: _padding_at(kept)]
    if len(body) % 4 == 1:  # six bits make no octet
        body = body[:-1]
    return binascii.a2b_base64(body + b"=" * (-len(body) % 4))


def _padding_at(text: bytes) -> int:
    padding = text.find(b"=")
    return len(text) if padding < 0 else padding


def base64_fault(text: bytes) -> tuple[str, int] | None:
    """The code of the first fault of base64 text and its offset; None where it is right."""
    foreign = _FOREIGN.search(text) if text.translate(None, _BASE64 + _SPACE) else None
    if foreign is not None:
        return "bad-base64", foreign.start()
    padding = _padding_at(text)
    pads = text[padding:].translate(None, _SPACE)
    if pads.strip(b"="):
        return "bad-base64", padding
    groups, left = divmod(len(text[:padding].translate(None, _SPACE)) + len(pads), 4)
    if left or len(pads) > _MOST_PADS or (pads and not groups):
        return "short-base64", len(text)
    return None


def decode_quoted_printable(text: bytes) -> bytes:
    """The octets that quoted-printable text stands for. Never fails."""
    # a2b_qp keeps white space at the end of a line, and would drop the rest of one at `=` CR.
    if _LONE_RETURN.search(text) is None:
        content = binascii.a2b_qp(text)
        if content[-1:] not in (b" ", b"\t") and _ENDS_IN_SPACE.search(content) is None:
            return content
    text = _TRAILING.sub(b"", _LONE_RETURN.sub(rb"\1=3D\r", text))
    return binascii.a2b_qp(text)


def quoted_printable_fault(text: bytes) -> tuple[str, int] | None:
    """The first fault of quoted-printable text and its offset; None where it is right."""
    fault = _NO_OCTET.search(text)
    return None if fault is None else ("bad-quoted-printable", fault.start())


def decode(text: bytes, encoding: str) -> bytes:
    """The content of a body; `encoding` is in lower case, unknown ones change nothing."""
    if encoding == "base64":
        return decode_base64(text)
    if encoding == "quoted-printable":
        return decode_quoted_printable(text)
    return text


def decode_pieces(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """Decode a body that comes in pieces; the result is that of `decode` on the whole."""
    if encoding == "base64":
        return _pieces_of_base64(pieces)
    if encoding == "quoted-printable":
        return _pieces_of_quoted_printable(pieces)
    return iter(pieces)


def _pieces_of_base64(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece, is_last in _with_end(pieces):
        if not rest and is_last:
            yield decode_base64(piece)
            return
        rest += piece.translate(None, _NOT_BASE64)
        padding = _padding_at(rest)
        if padding < len(rest):
            rest = rest[:padding]
            break
        whole = len(rest) // 4 * 4
        if whole:
            yield decode_base64(rest[:whole])
            rest = rest[whole:]
    if rest:
        yield decode_leniently(rest)


def _with_end(pieces: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield each piece, and whether it is the last."""
    before: bytes | None = None
    for piece in pieces:
        if before is not None:
            yield before, False
        before = piece
    if before is not None:
        yield before, True


def _pieces_of_quoted_printable(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest: list[bytes] = []
    for piece in pieces:
        cut = piece.rfind(b"\n") + 1
        if not cut:
            rest.append(piece)
            continue
        yield decode_quoted_printable(b"".join([*rest, piece[:cut]]))
        rest = [piece[cut:]]
    if any(rest):
        yield decode_quoted_printable(b"".join(rest))


def encode_base64(octets: bytes) -> bytes:
    """Base64 text in lines of 76 characters, each ended by CRLF."""
    into_lines = _codec()[1]
    if into_lines is not None:
        return into_lines(octets).replace(b"\n", b"\r\n")
    blocks = [_block(octets[at : at + _BLOCK]) for at in range(0, len(octets), _BLOCK)]
    return b"\r\n".join([*blocks, b""])


def _block(octets: bytes) -> bytes:
    """The lines of one block; `struct` cuts a whole one at once, many times as fast."""
    text = binascii.b2a_base64(octets, newline=False)
    if len(text) == _LINES.size:
        return b"\r\n".join(_LINES.unpack(text))
    return b"\r\n".join([text[at : at + _LINE_BASE64] for at in range(0, len(text), _LINE_BASE64)])


def encode_quoted_printable(octets: bytes) -> bytes:
    """Quoted-printable text in lines of at most 76 characters, CRLF between them.

    Where all line ends are CRLF they stay line ends; else every CR and LF is written as an octet.
    """
    ends = octets.count(b"\r\n")
    if ends and octets.count(b"\n") == ends == octets.count(b"\r"):
        return binascii.b2a_qp(octets, istext=True)
    coded = binascii.b2a_qp(octets, istext=False)
    return coded.replace(b"=\r\n", b"=\n").replace(b"=\n", b"=\r\n")
