"""RFC 2557 §8: which label satisfies which reference."""

from __future__ import annotations

import pytest

from permacite import mhtml
from permacite.mhtml.browser_urls import escaped_as_browsers_do

PAGE = "Content-Type: text/html; charset={}\nContent-Location: http://a/d/p\n\n<p>"


def opened(*headings: str, charset: str = "utf-8") -> mhtml.Aggregate:
    """Open an aggregate of a page at http://a/d/p and a part for each heading."""
    parts = [
        PAGE.format(charset),
        *(f"{each}\nContent-Type: image/gif\n\nGIF" for each in headings),
    ]
    text = 'Content-Type: multipart/related; type="text/html"; boundary=b\n\n'
    text += "".join(f"--b\n{part}\n" for part in parts) + "--b--\n"
    return mhtml.open(text.replace("\n", "\r\n").encode("latin-1"))


LOCATION = "Content-Location: "
ID = "Content-ID: "
MATCHES = [
    # id, heading of the part, reference, whether rfc and browser find it
    (
        "rfc2557-x53-escapes-are-not-decoded",
        LOCATION + "http://a/d/a%2eb/c%20d",
        "a%2eb/c%20d",
        "rfc",
    ),
    (
        "rfc2557-x53-escaped-and-bare-differ",
        LOCATION + "thismessage:/a%2eb",
        "thismessage:/a.b",
        None,
    ),
    ("rfc2557-x53-case-of-escapes", LOCATION + "http://a/%c3", "/%C3", None),
    ("rfc2557-x54-encoded-word", LOCATION + "=?us-ascii?Q?http=3A//a/x?=", "/x", "rfc"),
    ("rfc2557-x55-both-sides-are-resolved", LOCATION + "http://a/d/x", "../d/x", "rfc"),
    ("rfc2557-x55-relative-label", LOCATION + "x", "thismessage:/x", "rfc"),
    ("rfc2557-x56-identical-octets", LOCATION + "http://a/x", "http://a/x", "rfc"),
    ("rfc2557-x56-case-of-the-path", LOCATION + "http://a/X", "http://a/x", None),
    ("rfc2557-x57-thismessage-only", LOCATION + "x", "x", None),
    ("rfc2557-x57-thismessage-and-http", LOCATION + "thismessage:/d/x", "http://a/d/x", None),
    ("rfc2557-x59-content-id", ID + "<i@x>", "cid:i@x", "rfc"),
    ("rfc2557-x59-case-of-the-scheme", ID + "<i@x>", "CID:i@x", "rfc"),
    ("rfc2557-x59-case-of-the-id", ID + "<I@x>", "cid:i@x", None),
    ("rfc2557-x59-folded-id", ID + "\n <i\n @x>", "cid:i@x", "rfc"),
    ("rfc2557-x59-id-without-brackets", ID + "i@x", "cid:i@x", "rfc"),
    ("rfc2557-x60-location-is-no-content-id", LOCATION + "cid:i@x", "cid:j@x", None),
    ("rfc2557-x62-escapes-of-a-cid-are-decoded", ID + "<i%x@h>", "cid:i%25x@h", "rfc"),
    ("rfc2557-x62-as-it-stands-first", ID + "<i%25x@h>", "cid:i%25x@h", "rfc"),
    ("rfc2557-x63-cid-of-another-message", ID + "<i@x>", "cid:k@x", None),
    ("rfc2557-x63-mid-of-another-message", ID + "<i@x>", "mid:m@x/i@x", None),
    ("rfc2557-a4-raw-space-as-it-is", LOCATION + "http://a/d/x y", "x y", "rfc"),
    ("rfc2557-a4-raw-space-escaped-in-the-page", LOCATION + "http://a/d/x y", "x%20y", "browser"),
    ("rfc2557-a4-raw-space-escaped-in-the-label", LOCATION + "http://a/d/x%20y", "x y", "browser"),
    (
        "rfc2557-a5-case-of-the-host",
        LOCATION + "http://B.example/x",
        "http://b.EXAMPLE/x",
        "browser",
    ),
    ("rfc2557-a5-port-of-the-scheme", LOCATION + "http://b:80/x", "http://b/x", "browser"),
    ("rfc2557-a5-empty-path", LOCATION + "http://b", "http://b/", "browser"),
    ("rfc2557-a5-dot-segments", LOCATION + "http://b/y/../x", "http://b/x", "browser"),
    ("rfc2557-a5-backslash", LOCATION + "http://a/d/x", "\\d\\x", "browser"),
    ("rfc2557-a5-line-break-in-a-reference", LOCATION + "http://a/d/xy", "x\ny", "browser"),
    ("rfc2557-a5-bare-bar", LOCATION + "http://a/d/x%7Cy", "x|y", "browser"),
    ("rfc2557-a5-escapes-still-differ", LOCATION + "http://a/%7ex", "/~x", None),
    ("rfc2557-a6-fragment-of-the-reference", LOCATION + "http://a/x", "/x#part", "rfc"),
    ("rfc2557-a6-fragment-of-the-label", LOCATION + "http://a/x#part", "/x", "rfc"),
    ("rfc2557-a6-other-fragment", LOCATION + "http://a/x#part", "/x#other", "rfc"),
    ("rfc2557-a9-cid-location", LOCATION + "cid:i@x", "cid:i@x", "browser"),
]


@pytest.mark.parametrize(
    ("heading", "reference", "profile"), [c[1:] for c in MATCHES], ids=[c[0] for c in MATCHES]
)
def test_which_profile_finds_the_part(heading: str, reference: str, profile: str | None) -> None:
    aggregate = opened(heading)
    part = aggregate.part("2")
    rfc = aggregate.resolve(reference)
    assert rfc.part is (part if profile == "rfc" else None)
    browser = aggregate.resolve(reference, profile="browser")
    assert browser.part is (None if profile is None else part)
    assert browser.profile == profile


def test_rfc2557_a6_the_fragment_counts_first() -> None:
    """rfc2557-a6."""
    aggregate = opened(LOCATION + "http://a/x", LOCATION + "http://a/x#y")
    assert aggregate.resolve("/x#y").part is aggregate.part("3")
    assert aggregate.resolve("/x#z").part is aggregate.part("2")


def test_rfc2557_a9_a_content_id_goes_before_a_cid_location() -> None:
    """rfc2557-a9."""
    aggregate = opened(LOCATION + "cid:i@x", ID + "<i@x>")
    assert aggregate.resolve("cid:i@x", profile="browser").part is aggregate.part("3")
    assert aggregate.resolve("cid:i@x").part is aggregate.part("3")


def test_rfc2557_a9_what_browsers_write_is_found_with_a_defect() -> None:
    """rfc2557-a9."""
    aggregate = opened(LOCATION + "cid:css-1@mhtml.blink")
    found = aggregate.resolve("cid:css-1@mhtml.blink", profile="browser")
    assert [(each.code, each.path) for each in found.defects] == [("cl-cid", "2")]
    assert [each.code for each in aggregate.defects if each.path == "2"] == ["cl-cid"]
    both = opened(LOCATION + "cid:i@x\n" + ID + "<i@x>")
    assert both.defects == ()


UNSATISFIED = [
    ("rfc2557-x58-of-the-web", "http://elsewhere/x", "external", "http://elsewhere/x"),
    ("rfc2557-x58-relative", "y", "external", "http://a/d/y"),
    ("rfc2557-x58-of-this-message", "thismessage:/y", "none", "thismessage:/y"),
    ("rfc2557-x58-another-scheme", "mailto:a@b", "external", "mailto:a@b"),
    ("rfc2557-x63-cid", "cid:k@x", "external", "cid:k@x"),
    ("rfc2557-x63-mid", "mid:k@x", "external", "mid:k@x"),
    ("rfc2557-x58-no-uri", "http:", "none", "http:"),
]


@pytest.mark.parametrize(
    ("reference", "kind", "uri"), [c[1:] for c in UNSATISFIED], ids=[c[0] for c in UNSATISFIED]
)
def test_what_no_part_satisfies(reference: str, kind: str, uri: str) -> None:
    found = opened().resolve(reference)
    assert (found.kind, found.uri, found.part, found.matched_by) == (kind, uri, None, None)


SAME_DOCUMENT = [("rfc2557-x55-empty", ""), ("rfc2557-x55-fragment-only", "#part")]


@pytest.mark.parametrize(
    "reference", [c[1] for c in SAME_DOCUMENT], ids=[c[0] for c in SAME_DOCUMENT]
)
def test_a_reference_to_the_same_document_is_the_part_itself(reference: str) -> None:
    aggregate = opened()
    found = aggregate.resolve(reference)
    assert (found.part, found.matched_by) == (aggregate.root, "same-document")


CHARSETS = [
    # id, charset of the page, label, reference, profile
    (
        "rfc2557-r13-octets-of-the-page",
        "iso-8859-1",
        "=?iso-8859-1?Q?http=3A//a/caf=E9?=",
        "/caf\xe9",
        "rfc",
    ),
    (
        "rfc2557-r13-octets-of-a-page-in-utf-8",
        "utf-8",
        "=?utf-8?Q?http=3A//a/caf=C3=A9?=",
        "/caf\xe9",
        "rfc",
    ),
    (
        "rfc2557-r13-other-octets-same-text",
        "utf-8",
        "=?iso-8859-1?Q?http=3A//a/caf=E9?=",
        "/caf\xe9",
        "browser",
    ),
    ("rfc2557-a5-escaped-label", "iso-8859-1", "http://a/caf%C3%A9", "/caf\xe9", "browser"),
    (
        "rfc2557-a5-query-in-the-charset-of-the-page",
        "iso-8859-1",
        "http://a/?q=%E9",
        "/?q=\xe9",
        "browser",
    ),
    ("rfc2557-a5-query-in-utf-8", "utf-8", "http://a/?q=%C3%A9", "/?q=\xe9", "browser"),
]


@pytest.mark.parametrize(
    ("charset", "label", "reference", "profile"),
    [c[1:] for c in CHARSETS],
    ids=[c[0] for c in CHARSETS],
)
def test_references_beyond_ascii(charset: str, label: str, reference: str, profile: str) -> None:
    aggregate = opened(LOCATION + label, charset=charset)
    found = aggregate.resolve(reference, profile="browser")
    assert (found.part, found.profile) == (aggregate.part("2"), profile)


UNUSUAL = [
    # charset of the page, label, reference, whether rfc and browser find it
    ("utf-8", "http://a/d/1a:b%20", "1a:b ", None),
    ("utf-8", "http://a/d/a b:c", "a b:c", "rfc"),
    ("utf-8", "http://a/d/a'b", "a'b", "rfc"),
    ("utf-8", "http://a/d/a#b#c", "a#b#c", "rfc"),
    ("utf-8", "http://a/d/100%", "100%", "rfc"),
    ("iso-8859-1", "http://a/d/%E6%97%A5", "\u65e5", "browser"),
    ("iso-8859-1", "http://a/?q=%26%2326085%3B", "/?q=\u65e5", "browser"),
    ("utf-16", "http://a/d/%C3%A9", "\xe9", "browser"),
    ("utf-8", "http://xn--bcher-kva.example/x", "http://b\xfccher.example/x", "browser"),
    ("utf-8", "http://a/d/x", "http://", None),
    ("utf-8", "http://a/d/x", "\ud800", None),
]


@pytest.mark.parametrize(("charset", "label", "reference", "profile"), UNUSUAL)
def test_references_that_no_grammar_allows(
    charset: str, label: str, reference: str, profile: str | None
) -> None:
    aggregate = opened(LOCATION + label, charset=charset)
    found = aggregate.resolve(reference, profile="browser")
    assert (found.part and found.part.path, found.profile) == (profile and "2", profile)


def test_a_charset_that_cannot_write_a_query_is_passed_over() -> None:
    assert escaped_as_browsers_do("?\xe9", "undefined") == "?%C3%A9"


def test_an_answer_explains_itself() -> None:
    found = opened(LOCATION + "http://a/x").resolve("/x#y")
    assert str(found) == (
        "http://a/x#y: part 2 by content-location http://a/x, profile rfc "
        "(base http://a/d/p from content-location)"
    )
    assert repr(opened().root) == "<BodyPart '1' text/html http://a/d/p>"
    assert str(opened().resolve("y")) == (
        "http://a/d/y: external (base http://a/d/p from content-location)"
    )


def test_where_there_is_no_aggregate_browsers_look_through_the_message() -> None:
    text = (
        "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n"
        "<p>\r\n--b\r\nContent-Type: image/gif\r\nContent-ID: <i@x>\r\n\r\nGIF\r\n--b--\r\n"
    )
    aggregate = mhtml.open(text.encode())
    assert aggregate.resolve("cid:i@x").kind == "external"
    found = aggregate.resolve("cid:i@x", profile="browser")
    assert found.part is aggregate.part("2")
    assert [each.code for each in found.defects] == ["outside-related"]
