"""Comparison of charset names: whether two names are one charset in MIME (the comparing view).

| section | function |
|---|---|
| RFC 2046 §4.1.2 the charset parameter | resolve, same |
| RFC 5147 §2, §2.1.2 byte order marks | Charset.encoding |
| RFC 2781 §4.3 UTF-16 without a mark | Charset.encoding |

Deviations: none.

Readings:
- An initial byte order mark is no character, with the labels `utf-16le`, `utf-16be`, `utf-32le` and
  `utf-32be` too, which RFC 2781 would count. GB18030 has a mark of its own.
- `utf-16` and `utf-32` without a mark are big-endian (RFC 2781 §4.3), whatever this machine is.
- Charsets are equal by the registry's names and aliases. Where the Encoding Standard decodes one as
  a superset, so does this view, but for `us-ascii`, `iso-8859-1`, `iso-8859-9` and `iso-8859-11`,
  whose octets from 0x80 to 0x9F are other characters there.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from permacite.charsets.decoding import Family, decode, family_of, incremental, settled
from permacite.charsets.labels import python_codec, row_alike
from permacite.charsets.registry import MARKS
from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.charsets.decoders import Decoder

__all__ = ["LONGEST_MARK", "Charset", "Encoding", "of_codec", "resolve", "same"]

_SPEC = "RFC 2046 §4.1.2"
_LABEL = compile_pattern(r"[A-Za-z0-9!#$%&'+\-^_`{}~.:()]{1,60}")

_EXACT = {
    "us-ascii": "ascii",
    "iso-8859-1": "latin-1",
    "iso-8859-9": "iso8859-9",
    "iso-8859-11": "iso8859-11",
    "tis-620": "tis-620",
    "utf-16": "utf-16",
    "iso-10646-ucs-2": "utf-16",
}
"""Charsets that the Encoding Standard decodes as others, and what decodes themselves."""

LONGEST_MARK = max(len(mark) for marks in MARKS.values() for mark, _ in marks)
"""Bytes at the start of an entity that `Charset.encoding` wants to see."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """How the octets of one entity become characters.

    `codec` is what `incremental` takes, with the byte order settled; `mark_bytes` is the length of
    the byte order mark that the entity begins with.
    """

    codec: str
    mark_bytes: int
    family: Family

    def decoder(self, errors: str = "replace") -> Decoder:
        """A decoder for the octets in pieces, without those of the mark."""
        return incremental(self.codec, errors)

    def decode(self, octets: bytes) -> str:
        """Return all characters of octets that follow the mark."""
        return self.decoder().decode(octets, final=True)


@dataclass(frozen=True, slots=True)
class Charset:
    """A charset that can be decoded. `label` is as given, `name` is what aliases share.

    `encoder` is Python's name of what encodes into it; None where nothing does.
    """

    label: str
    name: str
    codec: str
    encoder: str | None

    @property
    def is_ebcdic(self) -> bool:
        """Whether this is an EBCDIC charset, whose line ending is NEL."""
        return family_of(self.codec) == "single" and decode(b"\xc1", self.codec) == "A"

    def encoding(self, head: bytes) -> Encoding:
        """The encoding of an entity with this charset, whose first octets are `head`."""
        codec, length = settled(head, self.codec)
        return Encoding(codec, length, family_of(codec))

    def forms(self) -> tuple[tuple[bytes, str], ...]:
        """Return the ways to write text in this charset: a byte order mark, or b"", and an encoder.

        There is none for UTF-7, whose characters can be written in many ways.
        """
        if self.encoder is None or self.codec == "utf-7":
            return ()
        marks = MARKS.get(self.codec, ())
        if any(mark == b"" for mark, _ in marks):
            return marks  # where no mark settles the byte order, the table says what does
        return ((b"", self.encoder), *((mark, self.encoder) for mark, _ in marks))


def resolve(label: str) -> Charset:
    """Return the charset of that name (RFC 2046 §4.1.2); names are case-insensitive.

    Raises ParseError where no such charset can be decoded.
    """
    if not _LABEL.fullmatch(label):
        raise ParseError("expected the name of a charset", label, 0, _SPEC)
    charset = _resolved(label.lower())
    if charset is None:
        raise ParseError("expected a charset that can be decoded", label, 0, _SPEC)
    return replace(charset, label=label)


@lru_cache(maxsize=256)
def _resolved(name: str) -> Charset | None:
    row = row_alike(name)
    if row is None or row.codec is None:
        return None
    encoders = filter(None, map(python_codec, (*row.names, row.codec)))
    return Charset(name, row.name, _EXACT.get(row.name, row.codec), next(encoders, None))


def of_codec(codec: str) -> Charset:
    """Return the charset that is known by its codec alone: what `codec_of` gives, not a label."""
    return Charset(codec, codec, codec, None)


def same(first: str, second: str) -> bool:
    """Whether two names stand for one charset; names that nothing here knows, only if equal."""
    if first.lower() == second.lower():
        return True
    try:
        return resolve(first).name == resolve(second).name
    except ParseError:
        return False
