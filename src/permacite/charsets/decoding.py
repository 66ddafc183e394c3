"""Decoding of octets by the rules of the Encoding Standard, and the charsets of MIME.

| section | function |
|---|---|
| Encoding Standard §6 decode, UTF-8 decode | decode |
| Encoding Standard §6 UTF-8 decode without BOM | decode, with `keep_mark` |
| Encoding Standard §8 UTF-8, §14.2 UTF-16 | Python's, which say the same |
| Encoding Standard §9 single-byte encodings, §14.5 x-user-defined | _table |
| Encoding Standard §10 to §13 legacy multi-byte encodings | multibyte |
| Encoding Standard §12.2.1 ISO-2022-JP decoder | Iso2022Jp._run |
| RFC 2046 §4.1.2 the charset parameter | resolve, same |
| RFC 5147 §2, §2.1.2 byte order marks | Charset.encoding |
| RFC 2781 §4.3 UTF-16 without a mark | Charset.encoding |

Whole or in pieces, the same octets give the same characters, however they are cut. What is
malformed is U+FFFD, as often as the standard says; the text never holds a surrogate.

Deviations: "replacement" reads ASCII and no other octet, so that an archive shows what can be read
of a page in ISO-2022-CN; the standard gives one U+FFFD for all of it.

Readings: an initial mark is no character, with `utf-16le` and its like too, which RFC 2781 would
count; it is one in GB 18030 and UTF-7 too. `utf-16` and `utf-32` without a mark are big-endian (RFC
2781 §4.3). Charsets are equal by the registry's names and aliases; where the Encoding Standard
decodes one as a superset, so does MIME's view, but for `us-ascii`, `iso-8859-1`, `iso-8859-9` and
`iso-8859-11`, whose octets from 0x80 to 0x9F are other characters there. Charsets that the standard
does not know are decoded by Python's codecs. ISO-2022-JP has octets of seven bits, whose meaning
escape sequences shift. Instead of the states "escape start", "escape" and "trail byte", the decoder
looks at the octets ahead, which wait if there are too few; it remembers the output state and the
output flag.
"""

from __future__ import annotations

import codecs
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from permacite.charsets.decoders import MultiByte, Pending, SingleByte, WithoutSurrogates
from permacite.charsets.indexes import ABSENT, single_byte_indexes
from permacite.charsets.multibyte import rules_of
from permacite.charsets.registry import MARKS, ROWS, USER_DEFINED, python_codec, row_alike
from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.charsets.decoders import Decoder
    from permacite.charsets.multibyte import CharsetRules

__all__ = [
    "LONGEST_MARK",
    "Charset",
    "Encoding",
    "Family",
    "Iso2022Jp",
    "decode",
    "encode",
    "family_of",
    "incremental",
    "of_codec",
    "preload",
    "resolve",
    "same",
    "settled",
]

_ROW = range(0x21, 0x7F)
"""The octets of a row of ISO-2022-JP."""
_IN_ASCII, _ROMAN, _KATAKANA, _LEAD_BYTE = range(4)
_SHIFTED = 4
"""The output flag: a shift was the last thing seen, and a second one is an error."""

_ESCAPES = {b"(B": _IN_ASCII, b"(J": _ROMAN, b"(I": _KATAKANA, b"$@": _LEAD_BYTE, b"$B": _LEAD_BYTE}
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


class Iso2022Jp(Pending):
    """Decodes runs of octets between shifts; two octets for a character are those of EUC-JP."""

    def __init__(self, errors: str, euc_jp: CharsetRules) -> None:
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
    is_lead = data[place] in _ROW
    return 2 if is_lead and data[place + 1 : place + 2] != b"\x1b" else 1


Family = Literal["utf-8", "single", "unit", "other"]
"""How octets and characters relate: UTF-8; one octet each; UTF-16 or UTF-32; anything else."""

_UNITS = frozenset({"utf-16le", "utf-16be", "utf-32le", "utf-32be"})
_SAME_INDEX = {"iso-8859-8-i": "iso-8859-8"}
_BIG_ENDIAN = {"utf-16": "utf-16be", "utf-32": "utf-32be"}
_ENCODERS = {**_BIG_ENDIAN, "shift_jis": "cp932", "euc-kr": "cp949", "big5": "big5hkscs"}
"""Python's names of what encodes charsets of several octets, where they are others."""
_ASCII = "".join(map(chr, range(0x80)))
_UNDEFINED = "\ufffe"
"""What stands in Python's tables for no character."""


def decode(data: bytes, codec: str, *, keep_mark: bool = False) -> str:
    """Return the text of `data`, without the byte order mark of its codec unless `keep_mark`.

    `codec` is what `codec_of` or `resolve` gives, not a label. Raises LookupError for any other.
    """
    codec, length = settled(data[:8], codec)
    return incremental(codec).decode(data if keep_mark else data[length:], final=True)


def encode(text: str, codec: str) -> bytes:
    """Return the octets of `text`, without a byte order mark, of which `decode` gives it back.

    Python's encoders make those of several octets. Raises UnicodeEncodeError where a character is
    lacking or they mean another by it, LookupError for what is no codec.
    """
    table = _table(codec)
    if table is not None:
        return codecs.charmap_encode(text, "strict", codecs.charmap_build(table))[0]
    octets = text.encode(_ENCODERS.get(codec, codec))
    if decode(octets, codec, keep_mark=True) != text:
        raise UnicodeEncodeError(codec, text, 0, len(text), "means other characters")
    return octets


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
    LookupError for what is no codec. Of charsets with shifts that the standard does not know, a
    decoder raises UnicodeError for pieces that are too small to tell what they are.
    """
    if codec == "utf-8":  # told at once, since most texts are in it
        return codecs.getincrementaldecoder(codec)(errors)
    table = _table(codec)
    if table is not None:
        return SingleByte(table, errors)
    rules = rules_of("euc-jp" if codec == "iso-2022-jp" else codec)
    if rules is None:
        decoder = codecs.getincrementaldecoder(_BIG_ENDIAN.get(codec, codec))(errors)
        return WithoutSurrogates(decoder) if codec == "utf-7" else decoder
    if codec == "iso-2022-jp":
        return Iso2022Jp(errors, rules)
    return MultiByte(codec, errors, rules)


def preload() -> None:
    """Read all that decoding may need of files, for a process that can open none later."""
    for codec in {row.codec for row in ROWS if row.codec is not None}:
        rules = rules_of(codec)
        incremental(codec).decode(b"", final=True)
        codecs.lookup(rules.python if rules else _BIG_ENDIAN.get(codec, "utf-8"))


@lru_cache(maxsize=256)
def family_of(codec: str) -> Family:
    """Say how octets and characters relate in `codec`. Raises LookupError for what is no codec."""
    if codec == "utf-8":
        return "utf-8"
    if codec in _UNITS:
        return "unit"
    return "other" if _table(codec) is None else "single"


@lru_cache(maxsize=256)
def _table(codec: str) -> str | None:
    """Return the 256 characters of a codec of single octets, U+FFFE for none; else None.

    Raises LookupError for what is no codec.
    """
    if codec == "utf-8":  # told at once, since most texts are in it
        return None
    if codec == USER_DEFINED:
        return _ASCII + "".join(map(chr, range(0xF780, 0xF800)))
    if codec == "replacement":
        return _ASCII + 0x80 * _UNDEFINED
    index = single_byte_indexes().get(_SAME_INDEX.get(codec, codec))
    if index is not None:
        return _ASCII + index.replace(ABSENT, _UNDEFINED)
    return None if codec == "iso-2022-jp" or rules_of(codec) else _python_table(codec)


def _python_table(codec: str) -> str | None:
    """Return the table of a codec that only Python has; None if it is not of single octets."""
    name = python_codec(codec)
    if name is None:
        raise LookupError(f"no codec: {codec}")
    decoder = codecs.getincrementaldecoder(name)
    alone = [decoder("replace").decode(bytes((octet,))) for octet in range(0x100)]
    is_single = all(len(one) == 1 for one in alone)
    if not is_single or any(alone.count(ending) > 1 for ending in "\r\n\x85"):
        return None
    return "".join(alone).replace("\ufffd", _UNDEFINED)


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
