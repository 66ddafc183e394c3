"""The Encoding Standard: its labels, its indexes to the last entry, its decoders and their errors.

The digests are the identifiers that the standard publishes with its indexes of 2024-09-18.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
from tests.property.slow_decoders import DECODERS, slow_decode

from permacite.charsets import codec_of, decode, incremental, token_of
from permacite.charsets.indexes import ABSENT, index_of, ranges, single_byte_indexes
from permacite.charsets.registry import ROW_OF_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

IDENTIFIERS = {
    "big5": "8dfc771062e7be0810919082c2c06baa2236147909e0ecc235b1cb9ad782ac82",
    "euc-kr": "1d97134cbf187263585bc8f593ca4196654ed4c7a673f5672eaad4f5d9fdc4ba",
    "gb18030-ranges": "f963aaa1653f630c523e7b04729fb4e4458f35806c45eb5c179445623138f0c0",
    "gb18030": "ff1c9a923b5d24f9761b3a2de2c0f07b395f9f6f36519508944de4f0415be81c",
    "ibm866": "db6fe14a559d1601a7667338d83704773d5708dbc641e1ad3c5e21405770f05e",
    "iso-8859-10": "02c2b5590d8ccda9931008c471f6ee2c590b2c8fe5e6ccb3b08638115d778507",
    "iso-8859-13": "40736338e964ab520407cebcb01329f8d450abf6ce12bf88b74b655b60e43300",
    "iso-8859-14": "2c8651cfc08b1f35b17919ee5379f2fa006af3ec809f11b3b7f470785580542b",
    "iso-8859-15": "a560aba47bccd7510a6ac77f671fe75dca3800f05cf6d676910c311a8f8ff079",
    "iso-8859-16": "55676320d2d1b6e6909f5b3d741a7cf0cefc84e920aa4474afc091459111c2e3",
    "iso-8859-2": "9569c67f22d0b57790e1c407c6eecf227e4562322dc296de43cdab7a0152ec73",
    "iso-8859-3": "af8f1e12df79b768322b5e83613698cdc619438270a2fc359554331c805054a3",
    "iso-8859-4": "72f29c92344d351fe9e74a946e7e0468d76d542c6894ff82982cb652ebe0feb7",
    "iso-8859-5": "fa9b1f3f5242df43e2e7bca80e9b6997c67944f20a4af91ee06bacc4e132d9c9",
    "iso-8859-6": "85bb7b5c2dc75975afebe5743935ba4ed5a09c1e9e34e9bfb2ff80293f5d8bbc",
    "iso-8859-7": "f53d8aeba36314ef950eef02ffcf11dff540638ce27dfe7a86b6ccc6875afb24",
    "iso-8859-8": "7657a9ca3fa875990da960d3f812eea28dcd0ae6ed55a18d5394303c86f5484b",
    "jis0208": "cbaa91f3deb7d0841faf5c33041fc15a285da0e87e64ab802c4bf04b7c4da861",
    "jis0212": "83bf90dd1c591a4355730d8c4567efc499d74da7490531019ef22a879991cfb7",
    "koi8-r": "c5497cd9071cb352c0e56b219154e539badf63de40b71578f09e2e11fe7d50ae",
    "koi8-u": "19a4da2c3f245118bbc8019326f45a07832949938ff903f03d62ac4da1f61f40",
    "macintosh": "f2c6a4f6406b3e86a50a5dba4d2b7dd48e2e33c0d82aefe764535c934ec11764",
    "windows-1250": "0669455a7a1c70ba6003ea737991e8ee9adc455125c13cfe6705a361358de5fa",
    "windows-1251": "7592ef921679ba168b00a9e9afa3b4eebd67bf13dc7e84c4b6e120de856826e0",
    "windows-1252": "e56d49d9176e9a412283cf29ac9bd613f5620462f2a080a84eceaf974cfa18b7",
    "windows-1253": "49fdc881a3488904dd1e8dfba9aef3258454249958b611bcded1d4c981ab5561",
    "windows-1254": "e80a27adf377438be8ba5bd223875ea56d6a4d47f958cce1c957a2c446825caa",
    "windows-1255": "cd7fb43c97eefa1651084d92d02af53ad668bd848528c18c3b1af5c06b499651",
    "windows-1256": "161bdb381f16408e8bebcc8f5310c4190af0e359de8d9bbaa3628ce2f0875509",
    "windows-1257": "cc7256bdd10a5b8dc7fb6f994659f307dfcae60def9aa6c29d811f85e2842c47",
    "windows-1258": "198bacedfcf24390e219240a7b776b6cec34cff070330b08a601a69c67f7eb24",
    "windows-874": "b416583ce125e38474381b31b401a98b19ecf2e57e0998e78a1e18b14894905d",
    "x-mac-cyrillic": "73e8e7642c6fa9de29d42819b47fba55b58666fb1e339faeb4a89a0bd7c24d43",
}

STANDARD = """
utf-8: unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8
ibm866: 866 cp866 csibm866 ibm866
iso-8859-2: csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2
    latin2
iso-8859-3: csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3
    latin3
iso-8859-4: csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4
    latin4
iso-8859-5: csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5
    iso_8859-5:1988
iso-8859-6: arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6
    iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987
iso-8859-7: csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7
    iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek
iso-8859-8: csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8
    iso88598 iso_8859-8 iso_8859-8:1988 visual
iso-8859-8-i: csiso88598i iso-8859-8-i logical
iso-8859-10: csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6
iso-8859-13: iso-8859-13 iso8859-13 iso885913
iso-8859-14: iso-8859-14 iso8859-14 iso885914
iso-8859-15: csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9
iso-8859-16: iso-8859-16
koi8-r: cskoi8r koi koi8 koi8-r koi8_r
koi8-u: koi8-ru koi8-u
macintosh: csmacintosh mac macintosh x-mac-roman
windows-874: dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874
windows-1250: cp1250 windows-1250 x-cp1250
windows-1251: cp1251 windows-1251 x-cp1251
windows-1252: ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1
    iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252
windows-1253: cp1253 windows-1253 x-cp1253
windows-1254: cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9
    iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254
windows-1255: cp1255 windows-1255 x-cp1255
windows-1256: cp1256 windows-1256 x-cp1256
windows-1257: cp1257 windows-1257 x-cp1257
windows-1258: cp1258 windows-1258 x-cp1258
x-mac-cyrillic: x-mac-cyrillic x-mac-ukrainian
gbk: chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk
gb18030: gb18030
big5: big5 big5-hkscs cn-big5 csbig5 x-x-big5
euc-jp: cseucpkdfmtjapanese euc-jp x-euc-jp
iso-2022-jp: csiso2022jp iso-2022-jp
shift_jis: csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis
euc-kr: cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601
    ksc_5601 windows-949
replacement: csiso2022kr hz-gb-2312 iso-2022-cn iso-2022-cn-ext iso-2022-kr replacement
utf-16be: unicodefffe utf-16be
utf-16le: csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le
x-user-defined: x-user-defined
"""
"""Every encoding with its labels (§4.2)."""

KOREAN = "iso-2022-kr"
OF_OUR_OWN = {"hz-gb-2312": "hz-gb-2312", "iso-2022-kr": KOREAN, "csiso2022kr": KOREAN}


def test_e2_every_index_is_the_published_one() -> None:
    """encoding-e2: the identifier of an index is the digest of the list of its code points."""
    names = ("big5", "euc-kr", "gb18030", "jis0208", "jis0212")
    indexes = {name: index_of(name) for name in names} | single_byte_indexes()
    listed = {
        name: str([None if one == ABSENT else ord(one) for one in characters])
        for name, characters in indexes.items()
    }
    listed["gb18030-ranges"] = str([list(pair) for pair in ranges()])
    found = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in listed.items()}
    assert found == IDENTIFIERS


def sequences(codec: str) -> Iterator[tuple[bytes, str]]:
    """Yield every sequence of octets that a row of an index stands for, and its character."""
    if codec.removesuffix("-i") in single_byte_indexes():
        for octet, character in enumerate(single_byte_indexes()[codec.removesuffix("-i")], 0x80):
            yield bytes([octet]), character
    elif codec in {"gbk", "gb18030"}:
        for pointer, character in enumerate(index_of("gb18030")):
            lead, trail = divmod(pointer, 190)
            yield bytes([lead + 0x81, trail + (0x40 if trail < 0x3F else 0x41)]), character
        for pointer in range(39420):
            offset, start = [pair for pair in ranges() if pair[0] <= pointer][-1]
            code_point = 0xE7C7 if pointer == 7457 else start + pointer - offset
            yield four(pointer), chr(code_point)
    elif codec == "big5":
        for pointer, character in enumerate(index_of("big5")):
            lead, trail = divmod(pointer, 157)
            yield bytes([lead + 0x81, trail + (0x40 if trail < 0x3F else 0x62)]), character
    elif codec == "euc-kr":
        for pointer, character in enumerate(index_of("euc-kr")):
            yield bytes([pointer // 190 + 0x81, pointer % 190 + 0x41]), character
    else:
        yield from japanese(codec)


def japanese(codec: str) -> Iterator[tuple[bytes, str]]:
    for pointer, character in enumerate(index_of("jis0208")):
        lead, trail = divmod(pointer, 188)
        sjis = [lead + (0x81 if lead < 0x1F else 0xC1), trail + (0x40 if trail < 0x3F else 0x41)]
        row, cell = divmod(pointer, 94)
        if codec == "shift_jis":
            yield bytes(sjis), character
        elif row < 94 and codec == "euc-jp":
            yield bytes([row + 0xA1, cell + 0xA1]), character
        elif row < 94:
            yield b"\x1b$B" + bytes([row + 0x21, cell + 0x21]) + b"\x1b(B", character
    if codec == "euc-jp":
        for pointer, character in enumerate(index_of("jis0212")):
            yield bytes([0x8F, pointer // 94 + 0xA1, pointer % 94 + 0xA1]), character


def four(pointer: int) -> bytes:
    rest, fourth = divmod(pointer, 10)
    rest, third = divmod(rest, 126)
    first, second = divmod(rest, 10)
    return bytes([first + 0x81, second + 0x30, third + 0x81, fourth + 0x30])


LEGACY = sorted(set(DECODERS) - {"utf-8", "utf-16be", "utf-16le", "x-user-defined"})


def test_e3_every_entry_of_every_index_decodes() -> None:
    """encoding-e3: alone, all together in one text, and all together in small pieces."""
    count = 0
    for codec in LEGACY:
        rows = [(octets, one) for octets, one in sequences(codec) if one != ABSENT]
        count += len(rows)
        assert [
            octets.hex() for octets, one in rows if decode(octets, codec, keep_mark=True) != one
        ] == []
        whole = b"\n".join(octets for octets, _ in rows)
        text = "\n".join(one for _, one in rows)
        assert decode(whole, codec) == text
        decoder = incremental(codec)
        pieces = [decoder.decode(whole[at : at + 1001]) for at in range(0, len(whole), 1001)]
        assert "".join(pieces) + decoder.decode(b"", final=True) == text
    assert count == 194253


MALFORMED = [
    # clause id, codec, octets, text
    ("encoding-e4-ascii-is-read-again", "gbk", b"\x81 \x81<", "\ufffd \ufffd<"),
    ("encoding-e4-other-octets-are-not", "gbk", b"\x81\xff\x81\x7f", "\ufffd\ufffd\x7f"),
    ("encoding-e4-third-of-four", "gb18030", b"\x81\x300\x81\x30\x81a", "\ufffd00\ufffd0\u4e64"),
    ("encoding-e4-four-that-lack", "gb18030", b"\x84\x31\xa5\x30\xe3\x32\x9a\x36", "\ufffd\ufffd"),
    ("encoding-e4-cut-off-is-one-error", "gb18030", b"a\x81\x30\x81", "a\ufffd"),
    ("encoding-e4-euro", "gbk", b"\x80", "\u20ac"),
    ("encoding-e4-of-2022", "gb18030", b"\xa8\xbc\x81\x35\xf4\x37\xa6\xd9", "\u1e3f\ue7c7\ufe10"),
    ("encoding-e4-big5-two-characters", "big5", b"\x88\x62\x88\xa5", "\u00ca\u0304\u00ea\u030c"),
    ("encoding-e4-big5-lead", "big5", b"\x80a\xff\x81@", "\ufffda\ufffd\ufffd@"),
    ("encoding-e4-euc-jp-vendor", "euc-jp", b"\xad\xa1\xb3\xf4\xbc\xb0", "\u2460\u682a\u5f0f"),
    ("encoding-e4-three", "euc-jp", b"\x8f\xa2\xaf\x8f\xa1\xffa\x8f\xa1b", "\u02d8\ufffda\ufffdb"),
    ("encoding-e4-euc-jp-half-width", "euc-jp", b"\x8e\xb1\x8e\xe0\x8ea", "\uff71\ufffd\ufffda"),
    ("encoding-e4-sjis-private", "shift_jis", b"\xf0\x40\xf9\xfc\xfa\x40", "\ue000\ue757\u2170"),
    ("encoding-e4-sjis-octets", "shift_jis", b"\x80\xa0\xfd\\~\xb1", "\x80\ufffd\ufffd\\~\uff71"),
    ("encoding-e4-euc-kr", "euc-kr", b"\x81A\x81[\xc9\xa1", "\uac02\ufffd[\ufffd"),
    ("encoding-e4-jis-shifts", "iso-2022-jp", b"\x1b$@0l\x1b(J\\~\x1b(I1\x1b(B~",
     "\u4e00\u00a5\u203e\uff71~"),
    ("encoding-e4-jis-shift-twice", "iso-2022-jp", b"\x1b$B\x1b(Ba", "\ufffda"),
    ("encoding-e4-jis-odd", "iso-2022-jp", b"\x1b$B0\x1b(Ba\x1b(Xb\x0e", "\ufffda\ufffd(Xb\ufffd"),
    ("encoding-e4-jis-line-end", "iso-2022-jp", b"\x1b$B0l\n0", "\u4e00\ufffd\ufffd"),
    ("encoding-e4-1252", "windows-1252", b"\x81\x80", "\x81\u20ac"),
    ("encoding-e4-1253", "windows-1253", b"\xaa\xff", "\ufffd\ufffd"),
    ("encoding-e4-utf-8", "utf-8", b"\xf0\x9f\x98a\xed\xa0\x80", "\ufffda\ufffd\ufffd\ufffd"),
    ("encoding-e4-utf-16", "utf-16le", b"\x00\xd8a\0\x00\xdc\x00\xd8a", "\ufffda\ufffd\ufffd"),
    ("encoding-e4-user-defined", "x-user-defined", b"a\x80\xff", "a\uf780\uf7ff"),
    ("encoding-e5-replacement", "replacement", b"<p>\x0e\xc3", "<p>\x0e\ufffd"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("codec", "data", "text"), [c[1:] for c in MALFORMED], ids=[c[0] for c in MALFORMED]
)
def test_malformed_octets(codec: str, data: bytes, text: str) -> None:
    assert decode(data, codec) == text
    assert codec == "replacement" or slow_decode(data, codec) == text


def test_e1_every_label_names_its_encoding() -> None:
    """encoding-e1: but for those of the encoding "replacement" that can be read."""
    rows = STANDARD.replace("\n    ", " ").strip().split("\n")
    pairs = [row.split(": ") for row in rows]
    named = {label: name for name, labels in pairs for label in labels.split()}
    assert len(named) == 228
    assert {label: codec_of(label) for label in named} == named | OF_OUR_OWN


NAMED = [
    # label, codec, format token
    (" UTF-8\n", "utf-8", "utf-8"),
    ("latin1", "windows-1252", "text"),
    ("us-ascii", "windows-1252", "text"),
    ("gb2312", "gbk", "gbk"),
    ("gb_2312-80", "gbk", "gbk"),
    ("gb18030", "gb18030", "gb18030"),
    ("cp936", "gbk", "gbk"),
    ("sjis", "shift_jis", "shift_jis"),
    ("big5-hkscs", "big5", "big5"),
    ("utf-16", "utf-16le", "utf-16le"),
    ("unicodefffe", "utf-16be", "utf-16be"),
    ("hz-gb-2312", "hz-gb-2312", "hz-gb-2312"),
    ("iso-2022-cn", "replacement", "text"),
    # Python's names, which archives made before the registry hold
    ("cp932", "shift_jis", "shift_jis"),
    ("cp949", "euc-kr", "euc-kr"),
    ("big5hkscs", "big5", "big5"),
    ("euc_jp", "euc-jp", "euc-jp"),
    ("iso2022_jp", "iso-2022-jp", "iso-2022-jp"),
    ("mac-cyrillic", "x-mac-cyrillic", "text"),
    ("utf-16-le", "utf-16le", "utf-16le"),
    ("cp1252", "windows-1252", "text"),
    # charsets that the standard does not know
    ("utf-32", "utf-32", "utf-32"),
    ("cp037", "cp037", "text"),
    ("utf-7", "utf-7", "utf-7"),
]


@pytest.mark.parametrize(("label", "codec", "token"), NAMED, ids=[c[0].strip() for c in NAMED])
def test_e1_a_label_names_a_codec_and_that_a_token(label: str, codec: str, token: str) -> None:
    assert (codec_of(label), token_of(codec)) == (codec, token)


def test_e1_a_codec_names_itself() -> None:
    codecs = {row.codec for row in ROW_OF_NAME.values() if row.codec is not None}
    assert [codec for codec in codecs if codec_of(codec) != codec] == []


@pytest.mark.parametrize("label", ['iso8859-2"', "'utf-8'", "utf-8;", "utf\u20118", "", "base64"])
def test_e1_other_labels_name_nothing(label: str) -> None:
    assert codec_of(label) is None


MARKED = [
    # clause id, codec, octets, text, text with the mark kept
    ("encoding-e6-utf-8", "utf-8", b"\xef\xbb\xbfa", "a", "\ufeffa"),
    ("encoding-e6-utf-8-once", "utf-8", b"\xef\xbb\xbf\xef\xbb\xbf", "\ufeff", "\ufeff\ufeff"),
    ("encoding-e6-utf-16", "utf-16le", b"\xff\xfea\0", "a", "\ufeffa"),
    ("encoding-e6-other-order", "utf-16be", b"\xff\xfe\0a", "\ufffea", "\ufffea"),
    ("encoding-e6-other-codec", "windows-1252", b"\xef\xbb\xbfa", "\xef\xbb\xbfa", "\xef\xbb\xbfa"),
    ("encoding-e6-gb18030", "gb18030", b"\x84\x31\x95\x33a", "a", "\ufeffa"),
]


@pytest.mark.parametrize(
    ("codec", "data", "text", "kept"), [c[1:] for c in MARKED], ids=[c[0] for c in MARKED]
)
def test_byte_order_marks(codec: str, data: bytes, text: str, kept: str) -> None:
    assert (decode(data, codec), decode(data, codec, keep_mark=True)) == (text, kept)


@pytest.mark.parametrize("codec", ["nonsense", "base64", ""])
def test_what_is_no_codec_is_refused(codec: str) -> None:
    with pytest.raises(LookupError):
        decode(b"a", codec)
