"""IANA's charsets that take several octets for a character: their names are format tokens.

The names are the preferred MIME names, in lower case, with the aliases of the registry and those
that pages are found to use.
"""

from __future__ import annotations

__all__ = ["MULTI_BYTE"]

_ALIASES = {
    "utf-8": "utf8 csutf8 unicode-1-1-utf-8",
    "utf-16": "utf16 csutf16",
    "utf-16be": "csutf16be",
    "utf-16le": "csutf16le",
    "utf-32": "utf32 csutf32",
    "utf-32be": "csutf32be",
    "utf-32le": "csutf32le",
    "utf-7": "csutf7",
    "utf-7-imap": "csutf7imap",
    "iso-10646-ucs-2": "csunicode ucs-2 ucs2",
    "iso-10646-ucs-4": "csucs4 ucs-4 ucs4",
    "iso-10646-utf-1": "csiso10646utf1",
    "unicode-1-1": "csunicode11",
    "unicode-1-1-utf-7": "csunicode11utf7",
    "cesu-8": "cscesu8 cscesu-8",
    "scsu": "csscsu",
    "bocu-1": "csbocu1 csbocu-1",
    "shift_jis": "ms_kanji csshiftjis shift-jis sjis x-sjis",
    "windows-31j": "cswindows31j cp932 ms932",
    "euc-jp": (
        "extended_unix_code_packed_format_for_japanese cseucpkdfmtjapanese eucjp x-euc-jp euc_jp"
    ),
    "extended_unix_code_fixed_width_for_japanese": "cseucfixwidjapanese",
    "iso-2022-jp": "csiso2022jp",
    "iso-2022-jp-2": "csiso2022jp2",
    "euc-kr": "cseuckr euckr euc_kr",
    "iso-2022-kr": "csiso2022kr",
    "ks_c_5601-1987": "iso-ir-149 ks_c_5601-1989 ksc_5601 korean csksc56011987",
    "gb2312": "csgb2312 euc-cn",
    "gb_2312-80": "iso-ir-58 chinese csiso58gb231280",
    "gbk": "cp936 ms936 windows-936 csgbk",
    "gb18030": "csgb18030",
    "hz-gb-2312": "cshzgb2312",
    "big5": "csbig5 big-5 x-x-big5 cn-big5",
    "big5-hkscs": "csbig5hkscs",
    "iso-2022-cn": "csiso2022cn",
    "iso-2022-cn-ext": "csiso2022cnext",
    "jis_c6226-1983": "iso-ir-87 x0208 jis_x0208-1983 csiso87jisx0208",
    "jis_x0212-1990": "x0212 iso-ir-159 csiso159jisx02121990",
}

MULTI_BYTE = {
    label: name for name, aliases in _ALIASES.items() for label in (name, *aliases.split())
}
"""Label in lower case to the name that is the format token."""
