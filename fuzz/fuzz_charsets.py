"""Feed permacite.charsets: any octets in any charset are text, and the same text in any pieces."""

from __future__ import annotations

from permacite.charsets import codec_of, decode, encode, incremental
from permacite.charsets.registry import ROWS

SEEDS: list[bytes] = [
    b"euc-jp\n\xad\xa1\xb3\xf4\xbc\xb0\x8f\xa2\xaf\x8e\xb1<p>",
    b"iso-2022-jp\n\x1b$B0l\x1b(J\\~\x1b(I1\x1b(B~",
    b"gb18030\n\x81\x30\x81\x30\xa8\xbc\x84\x31\x95\x33\x80",
    b"big5\n\x88\x62\xa4\xa4\xa4\xe5<",
    b"shift_jis\n\x87\x40\xb1\xf0\x40\\",
    b"euc-kr\n\xb0\xa1\x81A[",
    b"utf-16le\n\xff\xfea\0\0\xd8",
    b"utf-7\n+2AA-",
    b"windows-1253\n\xaa\xd2",
]

_OF_PYTHON = frozenset({"hz-gb-2312", "iso-2022-kr", "iso-2022-jp-2"})
"""Codecs with shifts that the standard does not know."""

_CODECS = sorted({row.codec for row in ROWS if row.codec is not None})


def target(data: bytes) -> None:
    """Decode what follows the first line in the charset that it names."""
    label, _, octets = data.partition(b"\n")
    codec = codec_of(label.decode("latin-1")) or _CODECS[len(data) % len(_CODECS)]
    text = decode(octets, codec, keep_mark=True)
    text.encode()  # which no surrogate would let it
    step = 1 + len(label) % 7
    decoder = incremental(codec)
    try:
        pieces = [decoder.decode(octets[at : at + step]) for at in range(0, len(octets), step)]
    except UnicodeError:
        _law(codec in _OF_PYTHON, "a decoder takes pieces of any size")
        return
    whole = "".join(pieces) + decoder.decode(b"", final=True)
    _law(whole == text, "pieces are decoded as the whole")
    try:
        again = encode(text, codec)
    except UnicodeEncodeError:
        return
    _law(decode(again, codec, keep_mark=True) == text, "what was encoded is decoded again")


def _law(holds: bool, law: str) -> None:  # noqa: FBT001 - as in the other targets
    if not holds:
        raise AssertionError(law)
