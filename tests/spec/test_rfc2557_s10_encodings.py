"""RFC 2557 §10: characters and line ends, read in any mix and written for each purpose."""

from __future__ import annotations

import codecs
import io

import pytest

from permacite import mhtml
from permacite.mhtml import links
from permacite.service.ingest.incoming import understood
from permacite.service.sources import Incoming

ROOT = mhtml.Resource(b"<p>\n", "text/html; charset=utf-8", "http://a/p")


def message(body: bytes, content_type: str, encoding: str = "binary") -> mhtml.BodyPart:
    """Return the only part of a message."""
    head = f"Content-Type: {content_type}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n"
    return mhtml.open(head.encode() + body).root


MIXES = [
    # id, charset, transfer encoding, body; all say <img src="é.gif" alt="é">
    ("rfc2557-r64-8bit", "iso-8859-1", "8bit", b'<img src="\xe9.gif" alt="&eacute;">'),
    (
        "rfc2557-r64-quoted",
        "utf-8",
        "quoted-printable",
        b'<img src=3D"=C3=A9.gif" alt=3D"=\r\n&#233;">',
    ),
    (
        "rfc2557-r64-base64",
        "utf-16le",
        "base64",
        b"PABpAG0AZwAgAHMAcgBjAD0AIgDpAC4AZwBpAGYAIgAgAGEAbAB0AD0AIgDpACIAPgA=",
    ),
    ("rfc2557-r64-entity", "us-ascii", "7bit", b'<img src="&#xE9;.gif" alt="&eacute">'),
    (
        "rfc2557-r64-shifted",
        "iso-2022-jp",
        "7bit",
        b'<img src="&eacute;.gif" alt="\x1b$B\x1b(B&#233;">',
    ),
]


@pytest.mark.parametrize(
    ("charset", "encoding", "body"), [c[1:] for c in MIXES], ids=[c[0] for c in MIXES]
)
def test_any_mix_of_entities_charsets_and_encodings_is_read(
    charset: str, encoding: str, body: bytes
) -> None:
    part = message(body, f"text/html; charset={charset}", encoding)
    found = list(links.references(part.content, part.content_type, part.charset))
    assert [link.value for link in found] == ["\xe9.gif"]


LATE = b"<style>" + b"a{}" * 999 + b"</style><meta charset=koi8-r>"

CHARSETS = [
    # id, content, Content-Type, charset
    (
        "rfc2557-a11-mark-first",
        b"\xef\xbb\xbf<meta charset=koi8-r>",
        "text/html; charset=iso-8859-1",
        "utf-8",
    ),
    ("rfc2557-a11-then-the-heading", b"<meta charset=koi8-r>", "text/html; charset=utf-8", "utf-8"),
    ("rfc2557-a11-then-the-content", b"<meta charset=koi8-r>", "text/html", "koi8-r"),
    ("rfc2557-a11-then-what-browsers-assume", b"<p>", "text/html", "windows-1252"),
    ("rfc2557-a11-then-utf-8-if-it-is", "<p>\xe9".encode(), "text/html", "utf-8"),
    ("rfc2557-a11-late-in-the-head", LATE, "text/html", "koi8-r"),
    ("rfc2557-a11-heading-wins-over-a-late-one", LATE, "text/html; charset=utf-8", "utf-8"),
    ("rfc2557-a11-utf-16-without-a-mark", "<p>\xe9".encode("utf-16-le"), "text/html", "utf-16-le"),
    ("rfc2557-m86-plain-text", b"x", "text/plain", "ascii"),
    ("rfc2557-a11-plain-text-with-a-mark", b"\xef\xbb\xbfx", "text/plain", "utf-8"),
    ("rfc2557-a11-unknown-charset", b"x", "text/plain; charset=x-none", "ascii"),
    ("rfc2557-a11-no-text", b"x", "image/gif", None),
]


@pytest.mark.parametrize(
    ("content", "content_type", "charset"), [c[1:] for c in CHARSETS], ids=[c[0] for c in CHARSETS]
)
def test_the_charset(content: bytes, content_type: str, charset: str | None) -> None:
    found = message(content, content_type).charset
    assert (found and codecs.lookup(found).name) == (charset and codecs.lookup(charset).name)


DIFFERING = [
    ("rfc2557-a11-heading-and-meta", b"<meta charset=koi8-r>", "utf-8", ["charset-differs"]),
    ("rfc2557-a11-heading-and-mark", b"\xef\xbb\xbf<p>", "koi8-r", ["charset-differs"]),
    ("rfc2557-a11-they-agree", b"<meta charset=UTF8>", "utf-8", []),
    ("rfc2557-a11-nothing-inside", b"<p>", "koi8-r", []),
]


@pytest.mark.parametrize(
    ("content", "declared", "codes"), [c[1:] for c in DIFFERING], ids=[c[0] for c in DIFFERING]
)
def test_a_disagreement_is_recorded(content: bytes, declared: str, codes: list[str]) -> None:
    source = f"Content-Type: text/html; charset={declared}\r\n\r\n".encode() + content
    assert [each.code for each in mhtml.open(source).defects] == codes
    assert mhtml.open(source).root.content == content


def test_a11_a_page_that_comes_in_is_read_by_the_heading_of_its_part() -> None:
    """rfc2557-a11: its markup and its looks say nothing, or otherwise."""
    heading = b"Content-Type: text/html; charset=%s\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
    for charset, octets in ((b"utf-8", "<p>\xe9 \u2014".encode()), (b"koi8-r", b"<p>\xc1 \xc2")):
        page = heading % charset + b"<title>t</title><meta charset=windows-1252>" + octets
        found = {
            one.media_type: one
            for one in understood(Incoming.of_field(page, "message/rfc822")).representations
        }
        text = found["text/plain"]
        assert text.content.decode().split() == octets.decode(charset.decode())[3:].split()


TEXTS = [
    ("lf", b"a\nb\n", b"a\r\nb\r\n"),
    ("cr", b"a\rb\r", b"a\r\nb\r\n"),
    ("crlf", b"a\r\nb\r\n", b"a\r\nb\r\n"),
    ("mixed", b"a\nb\r\nc\rd", b"a\r\nb\r\nc\r\nd"),
    ("space before the end of a line", b"a \nb\t\n ", b"a \r\nb\t\r\n "),
    ("dots and From", b".\n.a\nFrom me\n--x\n=\n", b".\r\n.a\r\nFrom me\r\n--x\r\n=\r\n"),
    ("long lines", b"x" * 3000 + b"\n\xc3\xa9" * 400, b"x" * 3000 + b"\r\n\xc3\xa9" * 400),
    ("nothing", b"", b""),
]


@pytest.mark.parametrize(
    ("content", "canonical"), [c[1:] for c in TEXTS], ids=[c[0] for c in TEXTS]
)
def test_rfc2557_w66_text_gets_canonical_line_ends_in_the_mail_profile(
    content: bytes, canonical: bytes
) -> None:
    """rfc2557-w66."""
    text = mhtml.Resource(content, "text/plain; charset=utf-8", "http://a/t")
    source = mhtml.build(ROOT, [text], profile="mail")
    assert mhtml.open(source, strict=True).part("2").content == canonical


@pytest.mark.parametrize("content", [c[1] for c in TEXTS], ids=[c[0] for c in TEXTS])
def test_rfc2557_a12_the_other_profiles_keep_the_octets(content: bytes) -> None:
    """rfc2557-a12."""
    text = mhtml.Resource(content, "text/plain; charset=utf-8", "http://a/t")
    for profile in ("archive", "chromium"):
        source = mhtml.build(ROOT, [text], profile=profile)
        assert mhtml.open(source, strict=True).part("2").content == content


def test_rfc2557_a12_a_change_of_line_ends_is_said() -> None:
    """rfc2557-a12."""
    text = mhtml.Resource(b"a\n", "text/plain", "http://a/t")
    data = mhtml.Resource(b"a\n", "application/octet-stream", "http://a/d")
    written = mhtml.write(io.BytesIO(), ROOT, [text, data], profile="mail")
    assert [part.changed for part in written.parts] == [True, True, False]
    assert not any(p.changed for p in mhtml.write(io.BytesIO(), ROOT, [text, data]).parts)


def test_rfc2557_a12_text_that_cannot_have_crlf_is_kept() -> None:
    """rfc2557-a12."""
    content = "a\nb".encode("utf-16-le")
    text = mhtml.Resource(content, "text/plain; charset=utf-16le", "http://a/t")
    source = mhtml.build(ROOT, [text], profile="mail")
    assert mhtml.open(source).part("2").content == content


@pytest.mark.parametrize("content", [bytes(range(256)) * 40, b"\n" * 500, b"\xff" * 5000])
def test_rfc2557_w65_the_mail_profile_is_seven_bit_in_short_lines(content: bytes) -> None:
    """rfc2557-w65."""
    parts = [
        mhtml.Resource(content, kind, f"http://a/\xe9 {kind}", headers=(("X-Name", "\xe9" * 200),))
        for kind in ("text/plain", "application/octet-stream", "text/css; charset=iso-8859-1")
    ]
    source = mhtml.build(ROOT, parts, profile="mail", subject="\u65e5\u672c" * 100)
    assert source.isascii()
    assert b"\0" not in source
    lines = source.split(b"\r\n")
    assert max(map(len, lines)) <= 78
    assert not any(b"\n" in line or b"\r" in line for line in lines)
    assert not any(line.startswith(b"From ") for line in lines)


def test_rfc2557_w67_digests_that_no_longer_hold_are_dropped() -> None:
    """rfc2557-w67."""
    fields = (("Content-MD5", "Q2hlY2sgSW50ZWdyaXR5IQ=="), ("Digest", "SHA=x"), ("X-Kept", "y"))
    text = mhtml.Resource(b"a\n", "text/plain", "http://a/t", headers=fields)
    data = mhtml.Resource(b"a\n", "image/gif", "http://a/d", headers=fields)
    stream = io.BytesIO()
    written = mhtml.write(stream, ROOT, [text, data], profile="mail")
    assert [part.dropped for part in written.parts] == [(), ("Content-MD5", "Digest"), ()]
    aggregate = mhtml.open(stream.getvalue())
    assert aggregate.part("2").heading.get("Content-MD5") is None
    assert aggregate.part("2").heading.text("X-Kept") == "y"
    assert aggregate.part("3").heading.get("Digest") is not None


TYPES = [
    # id, Content-Type that is given, what is read again
    ("rfc2557-m90-long", "text/plain; charset=us-ascii; x=" + "y" * 60, {"x": "y" * 60}),
    (
        "rfc2557-m90-not-ascii",
        'image/gif; name="caf\xe9 \u65e5.gif"',
        {"name": "caf\xe9 \u65e5.gif"},
    ),
    ("rfc2557-m90-quoted", 'image/gif; name="a\\"b;c"; y=' + "z" * 60, {"name": 'a"b;c'}),
    ("rfc2557-m90-no-name", "image/gif; \xe9=1; name=x; y=" + "z" * 60, {"name": "x"}),
]


@pytest.mark.parametrize(
    ("content_type", "parameters"), [c[1:] for c in TYPES], ids=[c[0] for c in TYPES]
)
def test_types_are_written_with_their_parameters(
    content_type: str, parameters: dict[str, str]
) -> None:
    part = mhtml.Resource(b"GIF89a", content_type, "http://a/t")
    source = mhtml.build(ROOT, [part], profile="mail")
    assert source.isascii()
    read = mhtml.open(source).part("2")
    assert read.content_type == content_type.partition(";")[0]
    assert {name: read.parameters[name] for name in parameters} == parameters


def test_text_of_which_most_must_be_escaped_is_written_in_base64() -> None:
    text = mhtml.Resource("\u65e5\u672c".encode() * 50, "text/plain; charset=utf-8", "http://a/t")
    part = mhtml.open(mhtml.build(ROOT, [text], profile="mail")).part("2")
    assert part.transfer_encoding == "base64"
    assert part.content == text.content


def test_messages_inside_are_never_encoded() -> None:
    for content, encoding in ((b"Subject: x\r\n\r\n", "7bit"), (b"Subject: \xe9\r\n\r\n", "8bit")):
        inner = mhtml.Resource(content, "message/rfc822")
        aggregate = mhtml.open(mhtml.build(ROOT, [inner], profile="mail"), strict=True)
        assert aggregate.part("2").transfer_encoding == encoding
        assert aggregate.part("2.1").raw == content


LABELLED = [
    ("rfc2557-w68-ascii", b"x", "text/plain", "us-ascii"),
    ("rfc2557-w68-declared-inside", b"<meta charset=koi8-r>\xc1", "text/html", "koi8-r"),
    ("rfc2557-w68-mark", b"\xef\xbb\xbf<p>", "text/html", "utf-8"),
    ("rfc2557-w68-given", b"\xe9", "text/plain; charset=iso-8859-1", "iso-8859-1"),
    ("rfc2557-w17-not-known", b"\xe9", "text/plain", None),
]


@pytest.mark.parametrize(
    ("content", "content_type", "charset"), [c[1:] for c in LABELLED], ids=[c[0] for c in LABELLED]
)
def test_text_is_sent_with_its_charset(
    content: bytes, content_type: str, charset: str | None
) -> None:
    text = mhtml.Resource(content, content_type, "http://a/t")
    part = mhtml.open(mhtml.build(ROOT, [text], profile="mail")).part("2")
    assert part.parameters.get("charset") == charset


def test_rfc2557_r69_a_content_encoding_is_a_defect() -> None:
    """rfc2557-r69."""
    source = b"Content-Type: text/html\r\nContent-Encoding: gzip\r\n\r\nx"
    aggregate = mhtml.open(source)
    assert [(each.code, each.offset) for each in aggregate.defects] == [("content-encoding", 43)]
    assert aggregate.root.content == b"x"
