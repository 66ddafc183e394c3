"""What the bytes of a text are: charset names, byte order marks, and how bytes become characters.

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
- Charsets are equal by the registry's names and aliases; browsers' habit of reading `latin1` as
  `windows-1252` is not followed.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from permacite.errors import ParseError
from permacite.scan import compile_pattern
from permacite.text.tally import line_endings_of

if TYPE_CHECKING:
    from permacite.text.tally import LineEndings

__all__ = ["LONGEST_MARK", "Charset", "Encoding", "line_endings_in", "resolve", "same"]

Family = Literal["utf-8", "single", "unit", "other"]
"""How bytes and characters relate: UTF-8; one byte each; UTF-16 or UTF-32; anything else."""

_SPEC = "RFC 2046 §4.1.2"
_LABEL = compile_pattern(r"[A-Za-z0-9!#$%&'+\-^_`{}~.:()]{1,60}")
_SEPARATORS = compile_pattern(r"[^a-z0-9]+")

_NO_CHARSETS = frozenset(
    {"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
)
"""Codecs of Python that decode text, and are no charset of any document."""

# The registry's names that Python lacks, letters and digits only.
_ALIASES = {
    "csutf8": "utf-8",
    "csutf7": "utf-7",
    "csutf16": "utf-16",
    "csutf16be": "utf-16-be",
    "csutf16le": "utf-16-le",
    "csutf32": "utf-32",
    "csutf32be": "utf-32-be",
    "csutf32le": "utf-32-le",
    "csgb18030": "gb18030",
    "csgbk": "gbk",
    "cskoi8r": "koi8-r",
    "cskoi8u": "koi8-u",
    "csibm037": "cp037",
    "csshiftjis": "shift_jis",
    "cswindows31j": "cp932",
    "windows31j": "cp932",
    "csmacintosh": "mac-roman",
    "iso88598i": "iso8859-8",
    "iso88598e": "iso8859-8",
    "iso88596i": "iso8859-6",
    "iso88596e": "iso8859-6",
} | {f"cswindows{number}": f"cp{number}" for number in (874, *range(1250, 1259))}

# Names that Python takes for one codec, and the registry for charsets of their own.
_APART = {
    "ksc56011987": "ks_c_5601-1987",
    "korean": "ks_c_5601-1987",
    "ksc5601": "ks_c_5601-1987",
    "isoir149": "ks_c_5601-1987",
    "gb231280": "gb_2312-80",
    "isoir58": "gb_2312-80",
    "chinese": "gb_2312-80",
    "iso88598i": "iso-8859-8-i",
    "iso88598e": "iso-8859-8-e",
    "iso88596i": "iso-8859-6-i",
    "iso88596e": "iso-8859-6-e",
}

_MARKS: dict[str, tuple[tuple[bytes, str], ...]] = {
    "utf-8": ((b"\xef\xbb\xbf", "utf-8"),),
    "utf-16": ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"", "utf-16-be")),
    "utf-16-le": ((b"\xff\xfe", "utf-16-le"),),
    "utf-16-be": ((b"\xfe\xff", "utf-16-be"),),
    "utf-32": (
        (b"\xff\xfe\x00\x00", "utf-32-le"),
        (b"\x00\x00\xfe\xff", "utf-32-be"),
        (b"", "utf-32-be"),
    ),
    "utf-32-le": ((b"\xff\xfe\x00\x00", "utf-32-le"),),
    "utf-32-be": ((b"\x00\x00\xfe\xff", "utf-32-be"),),
    "gb18030": ((b"\x84\x31\x95\x33", "gb18030"),),
    "utf-7": ((b"+/v8-", "utf-7"),),
}

LONGEST_MARK = 5
"""Bytes at the start of an entity that `Charset.encoding` wants to see."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """How the bytes of one entity become characters.

    `codec` is Python's name, with the byte order settled; `mark_bytes` is the length of the byte
    order mark that the entity begins with.
    """

    codec: str
    mark_bytes: int
    family: Family


@dataclass(frozen=True, slots=True)
class Charset:
    """A charset that can be decoded. `label` is as given, `name` is what aliases share."""

    label: str
    name: str
    codec: str

    @property
    def is_ebcdic(self) -> bool:
        """Whether this is an EBCDIC charset, whose line ending is NEL."""
        return _family(self.codec) == "single" and b"\xc1".decode(self.codec, "replace") == "A"

    def encoding(self, head: bytes) -> Encoding:
        """Return what an entity with this charset is, whose first bytes are `head`."""
        for mark, codec in _MARKS.get(self.codec, ()):
            if head.startswith(mark):
                return Encoding(codec, len(mark), _family(codec))
        return Encoding(self.codec, 0, _family(self.codec))

    def forms(self) -> tuple[tuple[bytes, str], ...]:
        """Return the ways to write text in this charset: a byte order mark, or b"", and a codec.

        There is none for UTF-7, whose characters can be written in many ways.
        """
        if self.codec == "utf-7":
            return ()
        marked = _MARKS.get(self.codec, ())
        # Where no mark settles the byte order, the table says what does.
        settled = any(mark == b"" for mark, _ in marked)
        return marked if settled else ((b"", self.codec), *marked)


def resolve(label: str) -> Charset:
    """Return the charset of that name (RFC 2046 §4.1.2); names are case-insensitive.

    Raises ParseError where no such charset can be decoded.
    """
    if not _LABEL.fullmatch(label):
        raise ParseError("expected the name of a charset", label, 0, _SPEC)
    return _resolved(label)


@lru_cache(maxsize=256)
def _codec(folded: str, lower: str) -> str | None:
    """Return Python's name of a codec for text, or None."""
    for name in (_ALIASES.get(folded), lower):
        if name is None:
            continue
        try:
            found = codecs.lookup(name)
        except (LookupError, ValueError):
            continue
        if found._is_text_encoding and found.name not in _NO_CHARSETS:  # noqa: SLF001 - the only way to tell text codecs from others
            return "utf-8" if found.name == "utf-8-sig" else found.name
    return None


def _resolved(label: str) -> Charset:
    lower = label.lower()
    folded = _SEPARATORS.sub("", lower)
    codec = _codec(folded, lower)
    if codec is None:
        raise ParseError("expected a charset that can be decoded", label, 0, _SPEC)
    return Charset(label, _APART.get(folded, codec), codec)


def same(first: str, second: str) -> bool:
    """Whether two names stand for one charset; names that nothing here knows, only if equal."""
    if first.lower() == second.lower():
        return True
    try:
        return resolve(first).name == resolve(second).name
    except ParseError:
        return False


def line_endings_in(charset: Charset, name: str | None) -> LineEndings:
    """Return the mode of that name; by default "all" in EBCDIC charsets, "http" in others."""
    if name is None:
        return "all" if charset.is_ebcdic else "http"
    return line_endings_of(name)


@lru_cache(maxsize=256)
def _family(codec: str) -> Family:
    """Say how bytes and characters relate in `codec`."""
    if codec == "utf-8":
        return "utf-8"
    if codec in {"utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"}:
        return "unit"
    decoder = codecs.getincrementaldecoder(codec)
    alone = [decoder("replace").decode(bytes([byte])) for byte in range(256)]
    ends_are_unique = all(alone.count(ending) <= 1 for ending in "\r\n\x85")
    return "single" if ends_are_unique and all(len(one) == 1 for one in alone) else "other"
