"""Charset sniffing: HTML §13.2.3, the Encoding Standard, XML §4.3.3, CSS Syntax §3.2."""

from __future__ import annotations

import pytest

from permacite.charsets import USER_DEFINED
from permacite.markup import charset_in, content_type, decode, sniff_charset

ASCII = "windows-1252"
LONG = b"<!doctype html><html><head><link rel=a>" + b" " * 1024

SNIFFED = [
    # section, content, charset of the transport, codec
    ("mark-utf-8", b"\xef\xbb\xbf<meta charset=koi8-r>", "latin1", "utf-8"),
    ("mark-utf-16", b"\xff\xfea\0", "utf-8", "utf-16le"),
    ("mark-utf-16-be", b"\xfe\xff\0a", None, "utf-16be"),
    ("transport", b"<meta charset=koi8-r>", "UTF-8", "utf-8"),
    ("transport-in-white-space", b"", " utf-8\t", "utf-8"),
    ("transport-latin1", b"", "iso-8859-1", "windows-1252"),
    ("transport-unknown", b"<meta charset=koi8-r>", "nonsense", "koi8-r"),
    ("transport-utf-16", b"", "utf-16", "utf-16le"),
    ("transport-no-charset", b"", "base64", "windows-1252"),
    ("transport-codec-of-python", b"", "cp437", "cp437"),
    ("transport-user-defined", b"", "x-user-defined", USER_DEFINED),
    ("fallback", b"caf\xe9", None, "windows-1252"),
    ("utf-8-by-its-content", "caf\xe9".encode(), None, "utf-8"),
    ("utf-8-but-for-one-octet", "caf\xe9".encode() + b"\xe9", None, "windows-1252"),
    ("meta", b"<meta charset=koi8-r>", None, "koi8-r"),
    ("meta-quoted", b"<META\nCHARSET = 'koi8-r' >", None, "koi8-r"),
    ("meta-slash", b"<meta/charset=koi8-r/>", None, "windows-1252"),
    ("meta-other-attributes", b"<meta name=x a='>' charset=koi8-r>", None, "koi8-r"),
    ("meta-first-counts", b"<meta charset=koi8-r charset=utf-8>", None, "koi8-r"),
    ("meta-unknown-goes-on", b"<meta charset=x><meta charset=koi8-r>", None, "koi8-r"),
    ("meta-utf-16-is-utf-8", b"<meta charset=utf-16>", None, "utf-8"),
    ("meta-user-defined", b"<meta charset=x-user-defined>", None, "windows-1252"),
    ("meta-pragma", b"<meta http-equiv=Content-Type content='text/html;charset=koi8-r'>", None,
     "koi8-r"),
    ("meta-pragma-later", b"<meta content='charset=koi8-r'http-equiv=content-type>", None,
     "koi8-r"),
    ("meta-content-without-pragma", b"<meta content='charset=koi8-r'>", None, "windows-1252"),
    ("meta-other-name", b"<metal charset=koi8-r>", None, "windows-1252"),
    ("meta-in-comment", b"<!--<meta charset=koi8-r>--><meta charset=utf-8>", None, "utf-8"),
    ("meta-behind-short-comment", b"<!--><meta charset=koi8-r>", None, "koi8-r"),
    ("meta-in-open-comment", b"<!-- <meta charset=koi8-r>", None, "windows-1252"),
    ("meta-in-a-value", b"<a b='<meta charset=koi8-r>'><meta charset=utf-8>", None, "utf-8"),
    ("meta-in-an-instruction", b"<?a <meta charset=koi8-r>", None, "windows-1252"),
    ("meta-in-a-script-counts", b"<script>'<meta charset=koi8-r>'", None, "koi8-r"),
    ("meta-cut-off", b"<meta charset=koi8-r", None, "windows-1252"),
    ("meta-behind-an-open-quote", b"<meta a='><meta charset=koi8-r>", None, "windows-1252"),
    ("meta-within-1024", b" " * 1003 + b"<meta charset=koi8-r>", None, "koi8-r"),
    ("meta-beyond-1024", b" " * 1004 + b"<meta charset=koi8-r>", None, "koi8-r"),
    ("meta-behind-a-script", LONG + b"<script>'<meta charset=x>'</script><meta charset=koi8-r>",
     None, "koi8-r"),
    ("meta-late-in-a-script", LONG + b"<script>'<meta charset=koi8-r>'</script>", None, ASCII),
    ("meta-late-in-a-comment", LONG + b"<!--<meta charset=koi8-r>-->", None, ASCII),
    ("meta-late-in-a-title", LONG + b"<title><meta charset=koi8-r></title>", None, ASCII),
    ("meta-late-in-noscript", LONG + b"<noscript><meta charset=koi8-r></noscript>", None, ASCII),
    ("meta-behind-the-head", LONG + b"</head><meta charset=koi8-r>", None, ASCII),
    ("meta-late-in-the-body", LONG + b"<p><meta charset=koi8-r>", None, ASCII),
    ("meta-late-behind-words", LONG + b"words <meta charset=koi8-r>", None, ASCII),
    ("meta-late-pragma", LONG + b"<meta content='a;charset=koi8&#45;r' http-equiv=content-type>",
     None, "koi8-r"),
    ("meta-label-with-a-quote", b'<meta charset=iso8859-2">', None, ASCII),
    ("xml-declaration-in-html", b"<?xml version='1.0' encoding='koi8-r'?>", None, "koi8-r"),
    ("xml-declaration-meta-first", b"<?xml encoding='koi8-r'?><meta charset=utf-8>", None, "utf-8"),
    ("utf-16-be-by-its-look", "<?xml".encode("utf-16-be"), None, "utf-16be"),
    ("utf-16-by-its-look", "<?xml".encode("utf-16-le"), None, "utf-16le"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "transport", "codec"), [c[1:] for c in SNIFFED], ids=[c[0] for c in SNIFFED]
)
def test_html(content: bytes, transport: str | None, codec: str) -> None:
    assert sniff_charset(content, transport).codec == codec


OTHERS = [
    ("application/xml", b"<a/>", None, "utf-8"),
    ("text/xml", b"<?xml version='1.0' encoding=\"koi8-r\"?>", None, "koi8-r"),
    ("image/svg+xml", b"<?xml version='1.0' encoding='utf-16'?>", None, "utf-8"),
    ("text/xml", "<?xml".encode("utf-16-le"), None, "utf-16le"),
    ("text/xml", "<?xml".encode("utf-16-be"), None, "utf-16be"),
    ("application/xhtml+xml", b"<html><meta charset=koi8-r>", None, "utf-8"),
    ("application/xhtml+xml; a=b", b"", "koi8-r", "koi8-r"),
    ("text/css", b"a{}", None, "utf-8"),
    ("text/css", b'@charset "koi8-r";', None, "koi8-r"),
    ("text/css", b"@charset 'koi8-r';", None, "utf-8"),
    ("text/css", b' @charset "koi8-r";', None, "utf-8"),
    ("text/css", b'@charset "utf-16";', None, "utf-8"),
    ("text/css", b'@charset "koi8-r";', "utf-8", "utf-8"),
]


@pytest.mark.parametrize(("media_type", "content", "transport", "codec"), OTHERS)
def test_xml_and_css(media_type: str, content: bytes, transport: str | None, codec: str) -> None:
    assert sniff_charset(content, transport, media_type).codec == codec


CONTENTS = [
    ("text/html; charset=utf-8", "utf-8"),
    ("text/html;CHARSET = 'a b' ;c", "a b"),
    ("charset=a;charset=b", "a"),
    ("charset charset=a", "a"),
    ('charset="a', None),
    ("charset=", None),
    ("text/html", None),
]


@pytest.mark.parametrize(("content", "label"), CONTENTS)
def test_label_in_a_content_attribute(content: str, label: str | None) -> None:
    assert charset_in(content) == label


DECODED = [
    # content, charset, text
    (b"\x80\x81\x9d\xff", "windows-1252", "\u20ac\x81\x9d\xff"),
    (b"\x80\xaa\xd2", "windows-1253", "\u20ac\ufffd\ufffd"),
    (b"\xca", "windows-1255", "\u05ba"),
    (b"\xae\xbe\xa4", "koi8-u", "\u045e\u040e\u0454"),
    (b"\x80\xfc", "cp874", "\u20ac\ufffd"),
    (b"\x80a\xff", USER_DEFINED, "\uf780a\uf7ff"),
    (b"\xef\xbb\xbfa", "utf-8", "a"),
    (b"\xc3(\xed\xa0\x80", "utf-8", "\ufffd(\ufffd\ufffd\ufffd"),
    (b"\xff\xfea\0", "utf-16-le", "a"),
    (b"\xfe\xff\0a", "utf-16", "a"),
    (b"\0\xd8a\0", "utf-16-le", "\ufffda"),
    (b"+2AA-", "utf-7", "\ufffd"),
    (b"\x82\xa0\x87\x40", "cp932", "\u3042\u2460"),
    (b"a", "no such charset", "a"),
    (b"YQ==", "base64", "YQ=="),
]


@pytest.mark.parametrize(("content", "charset", "text"), DECODED)
def test_decodes_as_browsers_do(content: bytes, charset: str, text: str) -> None:
    assert decode(content, charset) == text


FIELDS = [
    # what is tested, field, media type, charset
    ("none", "Text/HTML", "text/html", None),
    ("empty", "", "", None),
    ("plain", "text/html; charset=UTF-8", "text/html", "utf-8"),
    ("quoted", 'text/html;charset="koi8-r"', "text/html", "koi8-r"),
    ("quoted-with-escape", 'text/html;charset="koi8\\-r"', "text/html", "koi8-r"),
    ("single-quotes", "text/html; charset='koi8-r'", "text/html", "koi8-r"),
    ("white-space", " text/html ;\tCharset = koi8-r ", "text/html", "koi8-r"),
    ("not-the-first-parameter", "a/b; x=y; charset=koi8-r", "a/b", "koi8-r"),
    ("inside-a-quoted-value", 'a/b; x="; charset=utf-8"; charset=koi8-r', "a/b", "koi8-r"),
    ("first-counts", "a/b; charset=koi8-r; charset=utf-8", "a/b", "koi8-r"),
    ("empty-does-not-count", 'a/b; charset=; charset=""; charset=utf-8', "a/b", "utf-8"),
    ("no-value", "a/b; charset", "a/b", None),
    ("no-value-then-one", "a/b; charset; charset=utf-8", "a/b", "utf-8"),
    ("unclosed", 'a/b; charset="utf-8', "a/b", "utf-8"),
    ("another-name", "a/b; xcharset=utf-8", "a/b", None),
]


@pytest.mark.parametrize(
    ("field", "media_type", "charset"), [row[1:] for row in FIELDS], ids=[row[0] for row in FIELDS]
)
def test_content_type_fields(field: str, media_type: str, charset: str | None) -> None:
    assert content_type(field) == (media_type, charset)


@pytest.mark.parametrize("piece", [";", '"', ";a", "; charset=", 'a="', "\\", " ", ';a="\\"'])
def test_long_content_type_fields_take_no_time(piece: str) -> None:
    media_type, _ = content_type("a/b;" + piece * 200_000)
    assert media_type == "a/b"
