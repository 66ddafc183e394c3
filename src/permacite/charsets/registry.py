"""Registry of charsets: names, codec and format token of every charset that documents use.

A row is one charset of IANA's registry, with the names that are aliases of each other there, the
labels that the Encoding Standard adds, and those that pages, mail and Python are found to use. So
the table answers both views: two names stand for one charset if they are in one row (`comparing`),
and a label is decoded as its row says, whatever the row is called (`decoding`).

| specification | column |
|---|---|
| IANA character sets, RFC 2978 | names |
| Encoding Standard §4.2 names and labels | names, codec |
| PDI §3.4.1 the name of a multi-byte charset as format token | token, `token_of` |
| Encoding Standard §4.2 get an encoding | `codec_of` |

Deviations: see `decoding`. `hz-gb-2312` and `iso-2022-kr` name codecs of their own, not
"replacement": what an archive shows is inert, and mail in them would be lost.

Readings: names that IANA does not know are in the row that the Encoding Standard decodes alike. A
name that is no label of the Encoding Standard is taken all the same if IANA or Python knows a
charset by it, as mail and old servers write them (`utf-32`, `cp037`).
"""

from __future__ import annotations

import codecs
from functools import lru_cache
from typing import NamedTuple

from permacite.scan import compile_pattern

__all__ = [
    "MARKS",
    "ROWS",
    "ROW_OF_NAME",
    "RULES_VERSION",
    "USER_DEFINED",
    "CharsetRow",
    "codec_of",
    "python_codec",
    "row_alike",
    "row_of",
    "token_of",
]

RULES_VERSION = 2
"""The version of the rules by which labels are read and octets decoded, for a text's provenance.

1 were the codecs of Python; 2 is the Encoding Standard with its indexes of 2024-09-18.
"""

USER_DEFINED = "x-user-defined"
_WHITE_SPACE = "\t\n\f\r "
_LABEL = compile_pattern(r"[a-z0-9](?:[a-z0-9_.:\-]{0,40}[a-z0-9])?")
"""Python finds codecs by what is almost their name, too."""
_SEPARATORS = compile_pattern(r"[^a-z0-9]+")
_NO_CHARSETS = frozenset(
    {"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
)
"""Codecs of Python that decode text, and are no charset of any document."""


class CharsetRow(NamedTuple):
    """One charset. `name` is IANA's preferred one, in lower case, as are all `names`."""

    name: str
    codec: str | None
    """The codec of the decoding view; None where nothing decodes it."""
    token: str | None
    """The format token of text in it; None where one octet is one character."""
    names: tuple[str, ...]


MARKS: dict[str, tuple[tuple[bytes, str], ...]] = {
    "utf-8": ((b"\xef\xbb\xbf", "utf-8"),),
    "utf-16": ((b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"), (b"", "utf-16be")),
    "utf-16le": ((b"\xff\xfe", "utf-16le"),),
    "utf-16be": ((b"\xfe\xff", "utf-16be"),),
    "utf-32": (
        (b"\xff\xfe\x00\x00", "utf-32le"),
        (b"\x00\x00\xfe\xff", "utf-32be"),
        (b"", "utf-32be"),
    ),
    "utf-32le": ((b"\xff\xfe\x00\x00", "utf-32le"),),
    "utf-32be": ((b"\x00\x00\xfe\xff", "utf-32be"),),
    "gbk": ((b"\x84\x31\x95\x33", "gbk"),),
    "gb18030": ((b"\x84\x31\x95\x33", "gb18030"),),
    "utf-7": ((b"+/v8-", "utf-7"),),
}
"""For each codec, the byte order marks that a text in it may begin with, and the codec they settle.

The empty mark says what settles the byte order where there is none (RFC 2781 §4.3).
"""

# name, or name > codec where it is decoded as another: further names.
_SINGLE_BYTE = """
us-ascii > windows-1252: ansi_x3.4-1968 ascii
ibm866: 866 cp866 csibm866
iso-8859-1 > windows-1252: cp819 csisolatin1 ibm819 iso-ir-100 iso8859-1 iso88591 iso_8859-1
    iso_8859-1:1987 l1 latin1
iso-8859-2: csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 latin2
iso-8859-3: csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 latin3
iso-8859-4: csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 latin4
iso-8859-5: csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988
iso-8859-6: arabic asmo-708 csisolatinarabic ecma-114 iso-ir-127 iso8859-6 iso88596 iso_8859-6
    iso_8859-6:1987
iso-8859-6-e > iso-8859-6: csiso88596e
iso-8859-6-i > iso-8859-6: csiso88596i
iso-8859-7: csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 iso88597 iso_8859-7
    iso_8859-7:1987 sun_eu_greek
iso-8859-8: csisolatinhebrew hebrew iso-ir-138 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 visual
iso-8859-8-e > iso-8859-8: csiso88598e
iso-8859-8-i: csiso88598i logical
iso-8859-9 > windows-1254: csisolatin5 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5
    latin5
iso-8859-10: csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6
iso-8859-11 > windows-874: iso8859-11 iso885911
tis-620 > windows-874:
iso-8859-13: iso8859-13 iso885913
iso-8859-14: iso8859-14 iso885914
iso-8859-15: csisolatin9 iso8859-15 iso885915 iso_8859-15 l9
iso-8859-16:
koi8-r: cskoi8r koi koi8 koi8_r
koi8-u: cskoi8u
koi8-ru > koi8-u:
macintosh: csmacintosh mac x-mac-roman mac-roman
windows-874: dos-874 cp874 cswindows874
windows-1250: cp1250 x-cp1250 cswindows1250
windows-1251: cp1251 x-cp1251 cswindows1251
windows-1252: cp1252 x-cp1252 cswindows1252
windows-1253: cp1253 x-cp1253 cswindows1253
windows-1254: cp1254 x-cp1254 cswindows1254
windows-1255: cp1255 x-cp1255 cswindows1255
windows-1256: cp1256 x-cp1256 cswindows1256
windows-1257: cp1257 x-cp1257 cswindows1257
windows-1258: cp1258 x-cp1258 cswindows1258
x-mac-cyrillic: x-mac-ukrainian mac-cyrillic
x-user-defined:
replacement:
cp037: csibm037
"""

# The same, of charsets that take several octets for a character; `?` where nothing decodes it.
_MULTI_BYTE = """
utf-8: utf8 csutf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8 utf-8-sig
utf-16 > utf-16le: utf16 csutf16 unicode unicodefeff
utf-16be: csutf16be unicodefffe
utf-16le: csutf16le
utf-32: utf32 csutf32
utf-32be: csutf32be
utf-32le: csutf32le
utf-7: csutf7
utf-7-imap > ?: csutf7imap
iso-10646-ucs-2 > utf-16le: csunicode ucs-2 ucs2
iso-10646-ucs-4 > ?: csucs4 ucs-4 ucs4
iso-10646-utf-1 > ?: csiso10646utf1
unicode-1-1 > ?: csunicode11
unicode-1-1-utf-7 > utf-7: csunicode11utf7
cesu-8 > ?: cscesu8 cscesu-8
scsu > ?: csscsu
bocu-1 > ?: csbocu1 csbocu-1
shift_jis: ms_kanji csshiftjis shift-jis sjis x-sjis
windows-31j > shift_jis: cswindows31j cp932 ms932
euc-jp: extended_unix_code_packed_format_for_japanese cseucpkdfmtjapanese eucjp x-euc-jp euc_jp
extended_unix_code_fixed_width_for_japanese > ?: cseucfixwidjapanese
iso-2022-jp: csiso2022jp
iso-2022-jp-2: csiso2022jp2
euc-kr: cseuckr euckr euc_kr
iso-2022-kr: csiso2022kr
ks_c_5601-1987 > euc-kr: iso-ir-149 ks_c_5601-1989 ksc_5601 ksc5601 korean csksc56011987
gb2312 > gbk: csgb2312 euc-cn gb_2312
gb_2312-80 > gbk: iso-ir-58 chinese csiso58gb231280
gbk: cp936 ms936 windows-936 csgbk x-gbk
gb18030: csgb18030
hz-gb-2312: cshzgb2312 hz
big5: csbig5 big-5 x-x-big5 cn-big5
big5-hkscs > big5: csbig5hkscs
iso-2022-cn > replacement: csiso2022cn
iso-2022-cn-ext > replacement: csiso2022cnext
jis_c6226-1983 > ?: iso-ir-87 x0208 jis_x0208-1983 csiso87jisx0208
jis_x0212-1990 > ?: x0212 iso-ir-159 csiso159jisx02121990
"""

# Charsets that the Encoding Standard alone knows: text in them takes the token of their codec.
_OF_THE_STANDARD = """
windows-949 > euc-kr: cp949 ms949
"""


def _rows(table: str, *, tokens: bool = False) -> list[CharsetRow]:
    rows = []
    for line in table.replace("\n    ", " ").split("\n")[1:-1]:
        heading, _, names = line.partition(":")
        name, _, codec = heading.partition(" > ")
        decodes = None if codec == "?" else codec or name
        rows.append(CharsetRow(name, decodes, name if tokens else None, (name, *names.split())))
    return rows


ROWS = (
    *_rows(_SINGLE_BYTE),
    *_rows(_MULTI_BYTE, tokens=True),
    *(row._replace(token=row.codec) for row in _rows(_OF_THE_STANDARD)),
)

TOKENS = frozenset(row.token for row in ROWS if row.token is not None)
"""Every name of a multi-byte charset that is the format token of text in it."""

ROW_OF_NAME = {name: row for row in ROWS for name in row.names}
"""Every name of the registry, in lower case, and its row."""


def codec_of(label: str) -> str | None:
    """Return the codec that a label names, None where it names none (Encoding Standard §4.2).

    The codec is the encoding's name in lower case, or Python's for a charset that the standard does
    not know. A codec names itself, and so do Python's names of the codecs.
    """
    row = row_of(label.strip(_WHITE_SPACE).lower())
    return None if row is None else row.codec


def token_of(codec: str) -> str:
    """Return the format token of plain text in a codec or charset of that name (PDI §3.4.1).

    That is "text", but the charset's name where a character may take several octets.
    """
    row = row_of(codec.lower())
    return (row and row.token) or "text"


@lru_cache(maxsize=512)
def row_of(name: str) -> CharsetRow | None:
    """Return the charset of a name in lower case; one that Python alone knows has a row too."""
    row = ROW_OF_NAME.get(name)
    if row is not None or _LABEL.fullmatch(name) is None:
        return row
    python = python_codec(name)
    if python is None:
        return None
    return _folded_rows().get(_fold(python)) or CharsetRow(python, python, None, (python,))


def row_alike(name: str) -> CharsetRow | None:
    """Return the charset of a name in lower case, of which letters and digits alone count."""
    return ROW_OF_NAME.get(name) or _folded_rows().get(_fold(name)) or row_of(name)


def python_codec(name: str) -> str | None:
    """Return Python's name of its codec for a charset; None where it has none by that name."""
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    # The only way to tell codecs for text from others.
    is_text = getattr(info, "_is_text_encoding", True)
    return None if not is_text or info.name in _NO_CHARSETS else info.name


def _fold(name: str) -> str:
    return _SEPARATORS.sub("", name)


@lru_cache(maxsize=1)
def _folded_rows() -> dict[str, CharsetRow]:
    return {_fold(name): row for name, row in ROW_OF_NAME.items()}
