"""RFC 2557 §4.4: labels as they are written: encoded first, then folded."""

from __future__ import annotations

import re

import pytest

from permacite import mhtml

PAGE = "text/html; charset=iso-8859-1"
LONG = "http://example.org/" + "/".join(["segment"] * 30) + ";v=1/(x)"


def built(label: str, *, charset: str | None = "iso-8859-1", page: bytes = b"<p>") -> bytes:
    """Return an aggregate whose second part has that label."""
    content_type = "text/html" if charset is None else f"text/html; charset={charset}"
    root = mhtml.Resource(page, content_type, "http://example.org/")
    return mhtml.build(root, [mhtml.Resource(b"GIF", "image/gif", label)], profile="mail")


def field(source: bytes) -> bytes:
    """Return the second Content-Location of a file as it stands."""
    found = re.findall(rb"Content-Location:(.*?\r\n(?:[ \t].*?\r\n)*)", source, re.DOTALL)
    assert isinstance(found[1], bytes)
    return found[1]


WRITTEN = [
    # id, label, charset of the page, field
    ("rfc2557-w10-space", "a b.gif", "utf-8", b" =?US-ASCII?Q?a_b.gif?=\r\n"),
    ("rfc2557-w10-quote", 'a"b', "utf-8", b" =?US-ASCII?Q?a=22b?=\r\n"),
    ("rfc2557-w14-seven-bits", "a|b", "iso-8859-1", b" =?US-ASCII?Q?a|b?=\r\n"),
    (
        "rfc2557-w15-charset-of-the-page",
        "caf\xe9.gif",
        "iso-8859-1",
        b" =?iso-8859-1?Q?caf=E9.gif?=\r\n",
    ),
    ("rfc2557-w15-utf-8", "caf\xe9.gif", "utf-8", b" =?utf-8?Q?caf=C3=A9.gif?=\r\n"),
    ("rfc2557-w16-unknown", "caf\xe9.gif", None, b" =?unknown-8bit?Q?caf=C3=A9.gif?=\r\n"),
    (
        "rfc2557-w17-charset-that-lacks-the-character",
        "\u65e5.gif",
        "iso-8859-1",
        b" =?utf-8?Q?=E6=97=A5.gif?=\r\n",
    ),
    (
        "rfc2557-w17-utf-16-cannot-stand-in-a-heading",
        "caf\xe9.gif",
        "utf-16",
        b" =?utf-8?Q?caf=C3=A9.gif?=\r\n",
    ),
    ("rfc2557-w10-looks-encoded", "=?a?q?b?=", "utf-8", b" =?US-ASCII?B?PT9hP3E/Yj89?=\r\n"),
    ("rfc2557-w10-looks-like-a-comment", "(a)", "utf-8", b" =?US-ASCII?B?KGEp?=\r\n"),
    ("rfc2557-w19-short", "http://example.org/x", "utf-8", b" http://example.org/x\r\n"),
]


@pytest.mark.parametrize(
    ("label", "charset", "expected"), [c[1:] for c in WRITTEN], ids=[c[0] for c in WRITTEN]
)
def test_a_label_is_written(label: str, charset: str | None, expected: bytes) -> None:
    page = b"<p>" if charset else b"<p>\xff"
    source = built(label, charset=charset, page=page)
    assert field(source) == expected
    assert mhtml.open(source).part("2").content_location == label


ROUND_TRIPS = [
    ("rfc2557-w18-long-and-illegal", "http://example.org/" + "a b\xe9/" * 60),
    ("rfc2557-w19-long", LONG),
    ("rfc2557-w19-fold-never-before-a-semicolon", "http://example.org/" + ";" * 200),
    ("rfc2557-w19-fold-never-before-a-parenthesis", "http://example.org/" + "(a)" * 99),
    ("rfc2557-w19-many-characters", "\u65e5\u672c/" * 80),
]


STRANGE = [
    ("rfc2557-w16-half-a-character", "a\ud800", "iso-8859-1"),
    ("rfc2557-w16-octets-that-are-no-text", "a\udce9", None),
    ("rfc2557-w15-a-charset-with-shifts", "\u65e5\u672c" * 30, "iso-2022-jp"),
]


@pytest.mark.parametrize(
    ("label", "charset"), [c[1:] for c in STRANGE], ids=[c[0] for c in STRANGE]
)
def test_labels_that_are_hardly_text_are_written_all_the_same(
    label: str, charset: str | None
) -> None:
    source = built(label, charset=charset, page=b"<p>" if charset else b"<p>\xff")
    value = field(source)
    assert value.isascii()
    assert max(map(len, value.split(b"\r\n"))) <= 78
    assert mhtml.open(source).part("2").label is not None


@pytest.mark.parametrize("label", [c[1] for c in ROUND_TRIPS], ids=[c[0] for c in ROUND_TRIPS])
def test_long_labels_come_back(label: str) -> None:
    source = built(label)
    assert max(map(len, field(source).split(b"\r\n"))) <= 76
    aggregate = mhtml.open(source, strict=True)
    assert aggregate.part("2").content_location == label


def test_rfc2557_w18_a_label_is_encoded_before_it_is_folded() -> None:
    """rfc2557-w18."""
    lines = field(built("http://example.org/" + "a b\xe9/" * 60)).split(b"\r\n")
    assert len(lines) > 3
    assert all(re.fullmatch(rb" =\?[^?]+\?[QB]\?[^?]*\?=", line) for line in lines if line)


def test_rfc2557_w19_words_of_forty_characters() -> None:
    """rfc2557-w19."""
    lines = field(built(LONG)).split(b"\r\n")
    assert len(lines) > 3
    assert max(len(line.strip()) for line in lines) <= 40


def test_rfc2557_w11_the_page_is_never_altered() -> None:
    """rfc2557-w11."""
    page = b'<img src="a b.gif"><img src="caf\xe9.gif">\r\n'
    root = mhtml.Resource(page, PAGE, "http://example.org/")
    image = mhtml.Resource(b"GIF", "image/gif", "a b.gif")
    for profile in ("archive", "mail"):
        source = mhtml.build(root, [image], profile=profile)
        assert mhtml.open(source).root.content == page


def test_rfc2557_w05_labels_that_are_made_are_unique() -> None:
    """rfc2557-w05."""
    one, other = (
        mhtml.build(mhtml.Resource(page, "text/html"), [_image()], root_at=1)
        for page in (b"<p>one", b"<p>other")
    )
    ids = {mhtml.open(source).root.content_id for source in (one, other)}
    assert len(ids) == 2
    assert all(name and "@" in name for name in ids)


def _image() -> mhtml.Resource:
    return mhtml.Resource(b"GIF", "image/gif", "x.gif")
