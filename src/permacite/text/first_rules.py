"""First decoding rules of documents: frozen, because minted names depend on them.

A byte order mark decides, then the label. Labels are read by the table below, else as Python does,
and decoded by Python's codecs, with the single bytes of the Encoding Standard where those differ.
What is malformed becomes U+FFFD. docs/decisions/0025-one-text.md says for which names.
"""

from __future__ import annotations

import codecs
from functools import lru_cache
from typing import TYPE_CHECKING

from permacite.charsets import Charset, Encoding
from permacite.charsets.decoders import SingleByte, WithoutSurrogates
from permacite.lazy_dataclass import dataclass
from permacite.scan import compile_pattern
from permacite.text.entity import canonical

if TYPE_CHECKING:
    from permacite.charsets import Decoder, Family

__all__ = ["CODEC_OF_LABEL", "charset", "codec_of", "text_around"]

USER_DEFINED = "x-user-defined"
"""The one name here that is no codec of Python."""

# The names and labels of the Encoding Standard §4.2, by hand. The names are those Python knows;
# browsers read many labels as a superset of what they say (`latin1` as windows-1252, `gb2312` as
# GB 18030), and so does this. Deviations: the labels of the "replacement" encoding name their own
# codec where Python has one (what an archive shows is inert already); the others name US-ASCII.
# EUC-JP lacks the vendor extensions.
_LABELS = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8",
    "ibm866": "866 cp866 csibm866 ibm866",
    "iso-8859-2": "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 "
    "iso_8859-2:1987 l2 latin2",
    "iso-8859-3": "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 "
    "iso_8859-3:1988 l3 latin3",
    "iso-8859-4": "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 "
    "iso_8859-4:1988 l4 latin4",
    "iso-8859-5": "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 "
    "iso_8859-5 iso_8859-5:1988",
    "iso-8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 "
    "iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987",
    "iso-8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 "
    "iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek",
    "iso-8859-8": "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 "
    "iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical",
    "iso-8859-10": "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6",
    "iso-8859-13": "iso-8859-13 iso8859-13 iso885913",
    "iso-8859-14": "iso-8859-14 iso8859-14 iso885914",
    "iso-8859-15": "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9",
    "iso-8859-16": "iso-8859-16",
    "koi8-r": "cskoi8r koi koi8 koi8-r koi8_r",
    "koi8-u": "koi8-ru koi8-u",
    "macintosh": "csmacintosh mac macintosh x-mac-roman",
    "cp874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874",
    "windows-1250": "cp1250 windows-1250 x-cp1250",
    "windows-1251": "cp1251 windows-1251 x-cp1251",
    "windows-1252": "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 "
    "iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252",
    "windows-1253": "cp1253 windows-1253 x-cp1253",
    "windows-1254": "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 "
    "iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254",
    "windows-1255": "cp1255 windows-1255 x-cp1255",
    "windows-1256": "cp1256 windows-1256 x-cp1256",
    "windows-1257": "cp1257 windows-1257 x-cp1257",
    "windows-1258": "cp1258 windows-1258 x-cp1258",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "gb18030": "gb18030 chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 "
    "x-gbk",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese euc-jp x-euc-jp",
    "iso-2022-jp": "csiso2022jp iso-2022-jp",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 "
    "ksc5601 ksc_5601 windows-949",
    "utf-16-be": "unicodefffe utf-16be",
    "utf-16-le": "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le",
    USER_DEFINED: "x-user-defined",
    "hz": "hz-gb-2312",
    "iso-2022-kr": "csiso2022kr iso-2022-kr",
    "us-ascii": "iso-2022-cn iso-2022-cn-ext replacement",
}

CODEC_OF_LABEL = {label: codec for codec, labels in _LABELS.items() for label in labels.split()}
"""Every label, in lower case, and the codec that it names."""

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16-be"), (b"\xff\xfe", "utf-16-le"))
_MORE_MARKS = {"utf-32": ((b"\0\0\xfe\xff", "utf-32-be"), (b"", "utf-32-le"))}
_UNITS = frozenset({"utf-16-be", "utf-16-le", "utf-32-be", "utf-32-le"})
_FALLBACK = "windows-1252"
_WHITE_SPACE = "\t\n\f\r "
_LABEL = compile_pattern(r"[a-z0-9](?:[a-z0-9_.:\-]{0,40}[a-z0-9])?")
"""Python finds codecs by what is almost their name, too."""
_NOT_CHARSETS = frozenset({"idna", "mbcs", "oem", "punycode", "undefined"})
_OTHERWISE = {"cp1255": {0xCA: "\u05ba"}, "koi8-u": {0xAE: "\u045e", 0xBE: "\u040e"}}
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
    return "single" if ends_are_unique and all(len(each) == 1 for each in alone) else "other"


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
