"""RFC 2557 §4: the labels of body parts, as they are read from headings."""

from __future__ import annotations

import pytest

from permacite import mhtml
from permacite.errors import ParseError

URI = "http://example.org/x"


def related(*parts: str, heading: str = "") -> bytes:
    """Return a multipart/related: each part is its heading, an empty line and its body."""
    head = f'{heading}Content-Type: multipart/related; type="text/html"; boundary=b\n\n'
    text = head + "".join(f"--b\n{part}\n" for part in parts) + "--b--\n"
    return text.replace("\n", "\r\n").encode("latin-1")


def labelled(value: str) -> mhtml.BodyPart:
    """Return a part with that Content-Location, folds written as line ends."""
    page = "Content-Type: text/html\n\n<p>"
    image = f"Content-Type: image/gif\nContent-Location: {value}\n\nGIF"
    return mhtml.open(related(page, image)).part("2")


def codes(source: bytes) -> list[str]:
    """Return the codes of all defects."""
    return [defect.code for defect in mhtml.open(source).defects]


READ = [
    # id, value as it stands, URI
    ("rfc2557-r02-bare", "http://a/b", "http://a/b"),
    ("rfc2557-r02-comment-before", "(a comment) http://a/b", "http://a/b"),
    ("rfc2557-r02-comment-after", "http://a/b (a comment)", "http://a/b"),
    ("rfc2557-r02-nested-comment", "(a (nested) one)\n http://a/b\n (b (c))", "http://a/b"),
    ("rfc2557-r02-quoted-pair", "(a \\) still) http://a/b (\\()", "http://a/b"),
    ("rfc2557-r02-two-comments", "http://a/b (one) (two)", "http://a/b"),
    ("rfc2557-r02-white-space", "\t http://a/b \t", "http://a/b"),
    ("rfc2557-r02-parentheses-of-the-uri", "http://a/b(c)", "http://a/b(c)"),
    ("rfc2557-r02-comment-that-never-ends", "http://a/b (c", "http://a/b (c"),
    ("rfc2557-r03-absolute", URI, URI),
    ("rfc2557-r03-relative", "images/x.gif", "images/x.gif"),
    ("rfc2557-r03-relative-up", "../x.gif?a=1", "../x.gif?a=1"),
    ("rfc2557-r04-fictitious-scheme", "x-never-heard-of://q/w", "x-never-heard-of://q/w"),
    ("rfc2557-r04-urn", "urn:example:a:b", "urn:example:a:b"),
    ("rfc2557-r06-not-retrievable", "http://intranet.invalid/x", "http://intranet.invalid/x"),
    ("rfc2557-r12-q", "=?us-ascii?Q?a=20b=2Egif?=", "a b.gif"),
    ("rfc2557-r12-b", "=?us-ascii?B?YSBiLmdpZg==?=", "a b.gif"),
    ("rfc2557-r12-several", "=?us-ascii?Q?a_?=\n =?us-ascii?Q?b=2Egif?=", "a b.gif"),
    ("rfc2557-r12-several-on-a-line", "=?us-ascii?Q?a_?= =?us-ascii?Q?b?=", "a b"),
    ("rfc2557-r12-utf-8", "=?UTF-8?Q?caf=C3=A9?=", "café"),
    ("rfc2557-r12-language", "=?iso-8859-1*fr?Q?caf=E9?=", "café"),
    ("rfc2557-r12-inside-a-word", "http://a/=?utf-8?Q?=C3=A9?=.gif", "http://a/é.gif"),
    ("rfc2557-r12-word-of-no-charset-inside-a-word", "a=?x-none?q?b?=", "a=?x-none?q?b?="),
    ("rfc2557-r12-octets-that-are-not-of-the-charset", "=?utf-8?Q?=E9?=", "\xe9"),
    ("rfc2557-r12-odd-base64", "=?utf-8?B?YWJjZ?=", "abc"),
    ("rfc2557-r12-no-encoded-word", "http://a/?q=?b?c", "http://a/?q=?b?c"),
    (
        "rfc2557-r20-folded-encoded-words",
        "=?us-ascii?Q?http=3A//a?=\n =?us-ascii?Q?/b?=",
        "http://a/b",
    ),
    (
        "rfc2557-r21-folded",
        "\n http://example.org/a-very-\n long/path\n .gif",
        "http://example.org/a-very-long/path.gif",
    ),
    ("rfc2557-r21-folded-by-tab", "http://a/\n\tb", "http://a/b"),
    ("rfc2557-r21-fold-before-semicolon", "http://a/b\n ;v=1", "http://a/b;v=1"),
    ("rfc2557-a3-note", "http://a/b ; a note", "http://a/b"),
    ("rfc2557-a3-folded-note", "http://a/b\n ; Note - more\n ; words", "http://a/b"),
    ("rfc2557-a3-note-without-space", "http://a/b ;note", "http://a/b"),
    ("rfc2557-a4-raw-space", "my file.gif", "my file.gif"),
    ("rfc2557-a4-fold-and-raw-space", "my file\n .gif", "my file.gif"),
]


@pytest.mark.parametrize(("value", "uri"), [c[1:] for c in READ], ids=[c[0] for c in READ])
def test_a_label_is_read(value: str, uri: str) -> None:
    assert labelled(value).content_location == uri


FAULTY = [
    # id, value, code, offset of the fault in the value
    ("rfc2557-a3-note-is-a-defect", "http://a/b ; a note", "label-note", 11),
    ("rfc2557-a4-raw-space-is-a-defect", "my file.gif", "label-space", 2),
    ("rfc2557-r02-comment-that-never-ends", "(a", "label-empty", None),
    ("rfc2557-r02-empty", "", "label-empty", 0),
    ("rfc2557-w10-raw-octet", "caf\xe9.gif", "label-illegal", 3),
    ("rfc2557-r12-word-inside-a-word", "a=?utf-8?Q?b?=", "label-words", 1),
    ("rfc2557-x60-cid", "CID:x@y", "cl-cid", 0),
]


@pytest.mark.parametrize(
    ("value", "code", "offset"), [c[1:] for c in FAULTY], ids=[c[0] for c in FAULTY]
)
def test_a_faulty_label_is_reported_at_its_place(value: str, code: str, offset: int | None) -> None:
    page = "Content-Type: text/html\n\n<p>"
    source = related(page, f"Content-Location: {value}\nContent-Type: image/gif\n\nGIF89a")
    start = source.index(b"Content-Location: ") + len("Content-Location: ")
    expected = [] if offset is None else [("2", start + offset)]
    found = [each for each in mhtml.open(source).defects if each.code == code]
    assert [(each.path, each.offset) for each in found] == expected
    if expected:
        with pytest.raises(ParseError) as error:
            mhtml.open(source, strict=True)
        assert error.value.offset == start + (offset or 0)
        assert error.value.spec == found[0].spec


def test_rfc2557_r01_any_heading_may_have_a_label() -> None:
    """rfc2557-r01."""
    source = related(
        "Content-Type: text/html\nContent-Location: page\n\n<p>",
        "Content-Type: multipart/alternative; boundary=c\nContent-Location: inner\n\n"
        "--c\nContent-Location: text\n\nwords\n--c--",
        heading="Content-Location: http://a/whole\n",
    )
    aggregate = mhtml.open(source)
    labels = [part.content_location for part in (aggregate.message, *aggregate.body_parts)]
    assert labels == ["http://a/whole", "page", "inner", "text"]


def test_rfc2557_r01_a_message_without_parts_may_have_a_label() -> None:
    """rfc2557-r01."""
    source = b"Content-Location: http://a/b\r\nContent-Type: text/html\r\n\r\n<p>"
    assert mhtml.open(source).root.content_location == "http://a/b"


def test_rfc2557_r07_a_heading_has_one_label() -> None:
    """rfc2557-r07."""
    source = related(
        "Content-Type: text/html\n\n<p>",
        "Content-Location: first\nContent-Type: image/gif\nContent-Location: second\n\nGIF",
    )
    aggregate = mhtml.open(source)
    assert aggregate.part("2").content_location == "first"
    twice = [defect for defect in aggregate.defects if defect.code == "label-twice"]
    assert [(each.path, each.offset) for each in twice] == [("2", source.index(b"second"))]


def test_rfc2557_a8_the_first_of_two_labels_is_found() -> None:
    """rfc2557-a8."""
    source = related(
        "Content-Type: text/html\n\n<p>",
        "Content-Location: first\nContent-Location: second\nContent-Type: image/gif\n\nGIF",
    )
    aggregate = mhtml.open(source)
    assert aggregate.resolve("first").part is aggregate.part("2")
    assert aggregate.resolve("second").part is None


SATISFYING = [
    ("rfc2557-r08-content-id", "cid:one@x", "2", "content-id"),
    ("rfc2557-r08-content-location", "http://a/one", "2", "content-location"),
    ("rfc2557-r08-message-id", "mid:whole@x", "", "message-id"),
    ("rfc2557-r08-message-and-content-id", "mid:whole@x/one@x", "2", "content-id"),
    ("rfc2557-r08-message-id-of-a-part-is-none", "mid:part@x", None, None),
]


@pytest.mark.parametrize(
    ("reference", "path", "matched_by"),
    [c[1:] for c in SATISFYING],
    ids=[c[0] for c in SATISFYING],
)
def test_every_kind_of_label_satisfies(
    reference: str, path: str | None, matched_by: str | None
) -> None:
    source = related(
        "Content-Type: text/html\n\n<p>",
        "Content-Type: image/gif\nContent-ID: <one@x>\nContent-Location: http://a/one\n"
        "Message-ID: <part@x>\n\nGIF",
        heading="Message-ID: <whole@x>\n",
    )
    found = mhtml.open(source).resolve(reference)
    assert (None if found.part is None else found.part.path) == path
    assert found.matched_by == matched_by


def test_rfc2557_r09_the_label_of_an_aggregate_is_not_its_roots() -> None:
    """rfc2557-r09."""
    source = related(
        "Content-Type: text/html\nContent-Location: http://a/page\n\n<p>",
        heading="Content-Location: http://a/page.mhtml\n",
    )
    aggregate = mhtml.open(source)
    found = aggregate.resolve("http://a/page.mhtml")
    assert (found.kind, found.part) == ("aggregate", aggregate.message)
    assert found.root is aggregate.root
    assert aggregate.resolve("http://a/page").kind == "part"


def test_rfc2557_r13_octets_match_whatever_the_charset_says() -> None:
    """rfc2557-r13."""
    source = related(
        'Content-Type: text/html; charset=iso-8859-1\n\n<img src="caf\xe9.gif">',
        "Content-Type: image/gif\nContent-Location: =?koi8-r?Q?caf=E9=2Egif?=\n\nGIF",
        "Content-Type: image/gif\nContent-Location: =?unknown-8bit?Q?caf=C3=A9=2Egif?=\n\nGIF",
    )
    aggregate = mhtml.open(source)
    assert aggregate.resolve("caf\xe9.gif").part is aggregate.part("2")
    assert codes(source) == []
