"""MIME under RFC 2557: transfer encodings, parameters, encoded words."""

from __future__ import annotations

import sys

import pytest

from permacite import mhtml
from permacite.mhtml.mime import transfer
from permacite.mhtml.mime.parameters import parse_structured, without_comments
from permacite.mhtml.mime.transfer import decode, decode_pieces

DECODED = [
    # id, Content-Transfer-Encoding, body, content
    ("rfc2557-m87-case", "BASE64", b"YQ==", b"a"),
    ("rfc2557-m87-comment", "base64 (no really)", b"YQ==", b"a"),
    ("rfc2557-m87-quoted", "Quoted-Printable", b"=61", b"a"),
    ("rfc2557-m87-unknown", "x-uuencode", b"=61", b"=61"),
    ("rfc2557-m87-none", "", b"=61", b"=61"),
    ("rfc2557-m87-8bit", "8BIT", b"\xe9\r\n", b"\xe9\r\n"),
    ("rfc2557-m88-line-ends", "base64", b"YWJj\r\nZGVm\nZw==\r\n", b"abcdefg"),
    ("rfc2557-m88-foreign-characters", "base64", b"Y*W\x00J-j!", b"abc"),
    ("rfc2557-m88-after-padding", "base64", b"YQ==YWJj", b"a"),
    ("rfc2557-m88-no-padding", "base64", b"YWI", b"ab"),
    ("rfc2557-m88-one-character-too-many", "base64", b"YWJjZ", b"abc"),
    ("rfc2557-m88-padding-alone", "base64", b"====", b""),
    ("rfc2557-m88-soft-break", "quoted-printable", b"a=\r\nb=\nc", b"abc"),
    ("rfc2557-m88-soft-break-with-padding", "quoted-printable", b"a= \t\r\nb", b"ab"),
    ("rfc2557-m88-soft-break-at-the-end", "quoted-printable", b"a=", b"a"),
    (
        "rfc2557-m88-trailing-white-space",
        "quoted-printable",
        b"a \t\r\nb =20\r\nc ",
        b"a\r\nb  \r\nc",
    ),
    ("rfc2557-m88-lower-case", "quoted-printable", b"=e9=C3=a9", b"\xe9\xc3\xa9"),
    ("rfc2557-m88-no-octet", "quoted-printable", b"a=zzb", b"a=zzb"),
    ("rfc2557-m88-lone-return", "quoted-printable", b"a=\rbc\nd", b"a=\rbc\nd"),
    ("rfc2557-m88-underscore", "quoted-printable", b"a_b", b"a_b"),
    ("rfc2557-m88-raw-octets", "quoted-printable", b"\xe9=E9", b"\xe9\xe9"),
]


@pytest.mark.parametrize(
    ("encoding", "body", "content"), [c[1:] for c in DECODED], ids=[c[0] for c in DECODED]
)
def test_a_body_is_decoded(encoding: str, body: bytes, content: bytes) -> None:
    head = f"Content-Type: image/x\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n"
    part = mhtml.open(head.encode() + body).root
    assert part.content == content
    for size in (1, 2, 3, 5):
        assert b"".join(part.pieces(size)) == content


@pytest.mark.parametrize("encoding", ["base64", "quoted-printable", "7bit"])
def test_rfc2557_m88_pieces_make_the_whole(encoding: str) -> None:
    """rfc2557-m88."""
    body = bytes(range(32, 127)) * 3 + b"=\r\n =20 \r\nYWJj" * 20
    pieces = [body[at : at + 7] for at in range(0, len(body), 7)]
    assert b"".join(decode_pieces(pieces, encoding)) == decode(body, encoding)


@pytest.mark.parametrize("size", [0, 1, 56, 57, 58, 57_000, 57_001, 200_000])
def test_base64_is_the_same_with_and_without_the_fast_library(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    octets = bytes(range(256)) * (size // 256 + 1)
    octets = octets[:size]
    fast = transfer.encode_base64(octets)
    monkeypatch.setitem(sys.modules, "pybase64", None)
    transfer.forget_codec()
    try:
        assert transfer.encode_base64(octets) == fast
        assert transfer.decode_base64(fast) == octets
    finally:
        monkeypatch.undo()
        transfer.forget_codec()


PARAMETERS = [
    # id, value, leading value, parameters
    ("rfc2557-m90-plain", "text/html; charset=utf-8", "text/html", {"charset": "utf-8"}),
    ("rfc2557-m90-case", "Text/HTML;CHARSET=UTF-8", "text/html", {"charset": "UTF-8"}),
    ("rfc2557-m90-quoted", 'a/b; c="d;e\\"f"; g=h', "a/b", {"c": 'd;e"f', "g": "h"}),
    ("rfc2557-m90-comments", "a/b (c); d=e (f (g)) ; h=i", "a/b", {"d": "e", "h": "i"}),
    ("rfc2557-m90-comment-in-quotes", 'a/b; c="(d)"', "a/b", {"c": "(d)"}),
    (
        "rfc2557-m90-unquoted-specials",
        "a/b; boundary=----=_Next/1?x",
        "a/b",
        {"boundary": "----=_Next/1?x"},
    ),
    ("rfc2557-m90-quote-that-never-ends", 'a/b; c="d', "a/b", {"c": "d"}),
    ("rfc2557-m90-first-counts", "a/b; c=d; c=e", "a/b", {"c": "d"}),
    ("rfc2557-m90-empty-pieces", "a/b;; ;c=d;", "a/b", {"c": "d"}),
    ("rfc2557-m90-spaces", "a/b ; c = d ;e= f", "a/b", {"c": "d", "e": "f"}),
    ("rfc2557-m90-continued", 'a/b; c*0="d; "; c*1=e', "a/b", {"c": "d; e"}),
    ("rfc2557-m90-continued-out-of-order", "a/b; c*1=e; c*0=d", "a/b", {"c": "de"}),
    ("rfc2557-m90-encoded", "a/b; c*=utf-8'de'%C3%A9%20x", "a/b", {"c": "\xe9 x"}),
    (
        "rfc2557-m90-continued-and-encoded",
        "a/b; c*0*=iso-8859-1''%E9; c*1=x; c*2*=%E8",
        "a/b",
        {"c": "\xe9x\xe8"},
    ),
    ("rfc2557-m90-no-charset", "a/b; c*=idna''xn%2d", "a/b", {"c": "xn-"}),
    ("rfc2557-m90-unknown-charset", "a/b; c*=x-none''%E9", "a/b", {"c": "\xe9"}),
    ("rfc2557-m90-plain-before-encoded", "a/b; c=d; c*=utf-8''e", "a/b", {"c": "d"}),
    ("rfc2557-m90-gap", "a/b; c*0=d; c*2=e", "a/b", {"c": "d"}),
]


@pytest.mark.parametrize(
    ("value", "head", "parameters"), [c[1:] for c in PARAMETERS], ids=[c[0] for c in PARAMETERS]
)
def test_parameters(value: str, head: str, parameters: dict[str, str]) -> None:
    assert parse_structured(value) == (head, parameters)


def test_rfc2557_m90_a_folded_boundary_is_found() -> None:
    """rfc2557-m90."""
    source = (
        b'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n boundary*0=b;\r\n'
        b" boundary*1=c\r\n\r\n--bc\r\nContent-Type: text/html\r\n\r\n<p>\r\n--bc--\r\n"
    )
    assert mhtml.open(source, strict=True).root.content == b"<p>"


COMMENTS = [
    ("a (b) c", "a  c"),
    ("a (b (c) d) e", "a  e"),
    ('"(a)" (b)', '"(a)" '),
    (r"a\( b", r"a\( b"),
    ("a) b", "a) b"),
    ("(a", ""),
]


@pytest.mark.parametrize(("value", "rest"), COMMENTS)
def test_comments_are_taken_out(value: str, rest: str) -> None:
    assert without_comments(value) == rest


SUBJECTS = [
    ("plain", "plain"),
    ("=?utf-8?Q?caf=C3=A9?=", "caf\xe9"),
    ("=?utf-8?q?a?= =?utf-8?b?Yg==?= c", "ab c"),
    ("=?utf-8?q?a?=\n =?utf-8?q?b?=", "ab"),
    ("x =?iso-8859-1?q?=E9?= y", "x \xe9 y"),
    ("=?x-none?q?=E9?=", "\ufffd"),
    ("=?idna?q?xn--a?=", "xn--a"),
    ("=?utf-8?x?a?=", "=?utf-8?x?a?="),
    ("folded\n\tline", "folded\tline"),
]


@pytest.mark.parametrize(("value", "text"), SUBJECTS)
def test_the_subject_is_decoded(value: str, text: str) -> None:
    source = f"Subject: {value}\n\nx".replace("\n", "\r\n")
    assert mhtml.open(source.encode()).subject == text


WRITTEN = [
    "plain",
    "caf\xe9",
    "\u65e5\u672c " * 60,
    "x" * 200,
    "a  b" * 40,
    "=?utf-8?q?a?=",
    " \xe9 ",
    "",
]


@pytest.mark.parametrize("subject", WRITTEN)
def test_a_subject_comes_back(subject: str) -> None:
    root = mhtml.Resource(b"<p>", "text/html; charset=us-ascii")
    source = mhtml.build(root, subject=subject, profile="mail")
    assert mhtml.open(source, strict=True).subject == " ".join(subject.split())
    heading = source.partition(b"\r\n\r\n")[0]
    assert heading.isascii()
