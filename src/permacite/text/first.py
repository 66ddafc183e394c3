"""The first rules by which documents were decoded: frozen, for the names that were minted by them.

A byte order mark decides, then the label. Labels are read as `labels` has them, else as Python
does, and decoded by Python's codecs, with the single bytes of the Encoding Standard where those
differ. What is malformed becomes U+FFFD. docs/decisions/0025-one-text.md says for which names.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from permacite.charsets import Charset, Encoding
from permacite.charsets.decoders import SingleByte, WithoutSurrogates
from permacite.scan import compile_pattern
from permacite.text.document import canonical
from permacite.text.labels import CODEC_OF_LABEL, USER_DEFINED

if TYPE_CHECKING:
    from permacite.charsets import Decoder, Family

__all__ = ["charset", "codec_of", "text_around"]

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"))
_MORE_MARKS = {"utf-32": ((b"\0\0\xfe\xff", "utf-32-be"), (b"", "utf-32-le"))}
_UNITS = frozenset({"utf-16-be", "utf-16-le", "utf-32-be", "utf-32-le"})
_FALLBACK = "windows-1252"
_WHITE_SPACE = "\t\n\f\r "
_LABEL = compile_pattern(r"[a-z0-9](?:[a-z0-9_.:\-]{0,40}[a-z0-9])?")
"""Python finds codecs by what is almost their name, too."""
_NOT_CHARSETS = frozenset({"idna", "mbcs", "oem", "punycode", "undefined"})
_OTHERWISE = {
    "cp1255": {0xCA: "\u05ba"},
    "koi8-u": {0xAE: "\u045e", 0xBE: "\u040e"},
}
"""Where the Encoding Standard maps a byte otherwise than the codec of Python."""


def charset(label: str) -> Charset:
    """Return the charset that a label names; windows-1252 where it names none."""
    codec = codec_of(label) or _FALLBACK
    name = codec if codec == USER_DEFINED else codecs.lookup(codec).name
    return _FirstCharset(label, name, name, None)


@lru_cache(maxsize=256)
def codec_of(label: str) -> str | None:
    """Return the codec that a charset label names, None where it names none."""
    label = label.strip(_WHITE_SPACE).strip("\"'").lower()
    known = CODEC_OF_LABEL.get(label)
    if known is not None or _LABEL.fullmatch(label) is None:
        return known
    try:
        info = codecs.lookup(label)
    except (LookupError, ValueError):
        return None
    # Codecs of Python that are no charsets (base64, rot13) do not decode bytes into text.
    is_text = getattr(info, "_is_text_encoding", True)
    if not is_text or info.name in _NOT_CHARSETS or "escape" in info.name:
        return None
    return CODEC_OF_LABEL.get(info.name, info.name)


def text_around(content: bytes, label: str | None) -> str | None:
    """Return the text that proofs compared the words around a passage with; None where none was.

    Passages themselves were always those of `charset`; what stood around them was not.
    """
    try:
        text = content.decode(label or "utf-8").removeprefix("\ufeff")
    except (LookupError, ValueError):
        return None
    return canonical(text)


@dataclass(frozen=True, slots=True)
class _FirstCharset(Charset):
    """A charset as the first rules decode it."""

    def encoding(self, head: bytes) -> Encoding:
        """The encoding of an entity whose first bytes are `head`: any mark wins over the label."""
        for mark, codec in (*_MARKS, *_MORE_MARKS.get(self.codec, ())):
            if head.startswith(mark):
                return _FirstEncoding(codec, len(mark), _family(codec))
        return _FirstEncoding(self.codec, 0, _family(self.codec))


@dataclass(frozen=True, slots=True)
class _FirstEncoding(Encoding):
    """How the first rules decode; the codec is Python's, but for what has a table."""

    def decoder(self, errors: str = "replace") -> Decoder:
        """A decoder for text in pieces."""
        table = _table(self.codec)
        if table is not None:
            return SingleByte(table, errors)
        decoder = codecs.getincrementaldecoder(self.codec)(errors)
        return WithoutSurrogates(decoder) if self.codec == "utf-7" else decoder


@lru_cache(maxsize=256)
def _family(codec: str) -> Family:
    """Say how bytes and characters relate in `codec`."""
    if codec == "utf-8":
        return "utf-8"
    if codec in _UNITS:
        return "unit"
    if _table(codec) is not None:
        return "single"
    decoder = codecs.getincrementaldecoder(codec)
    alone = [decoder("replace").decode(bytes([byte])) for byte in range(256)]
    ends_are_unique = all(alone.count(ending) <= 1 for ending in "\r\n\x85")
    return "single" if ends_are_unique and all(len(one) == 1 for one in alone) else "other"


@lru_cache(maxsize=64)
def _table(codec: str) -> str | None:
    """Return the 256 characters of a charset of single bytes as browsers read it, else None."""
    if codec == USER_DEFINED:
        return "".join(map(chr, (*range(0x80), *range(0xF780, 0xF800))))
    if not codec.startswith("cp125") and codec not in ("cp874", "koi8-u"):
        return None
    table = list(bytes(range(256)).decode(codec, "replace"))
    for byte in range(0x80, 0xA0):
        if table[byte] == "\ufffd":
            table[byte] = chr(byte)
    for byte, character in _OTHERWISE.get(codec, {}).items():
        table[byte] = character
    return "".join(table)
