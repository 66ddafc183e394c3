"""RFC 2557 §5: what relative URIs inside body parts are relative to."""

from __future__ import annotations

import pytest

from permacite import mhtml

IMAGE = "Content-Type: image/gif\n\nGIF"


def related(*parts: str, heading: str = "") -> bytes:
    """Return a multipart/related: each part is its heading, an empty line and its body."""
    head = f'{heading}Content-Type: multipart/related; type="text/html"; boundary=b\n\n'
    text = head + "".join(f"--b\n{part}\n" for part in parts) + "--b--\n"
    return text.replace("\n", "\r\n").encode("latin-1")


def page(label: str | None = None, *, content: str = "<p>", more: str = "") -> str:
    """Return an HTML part."""
    location = "" if label is None else f"Content-Location: {label}\n"
    return f"Content-Type: text/html\n{location}{more}\n{content}"


OUTER = "Content-Location: http://outer/o/\n"

BASES = [
    # id, heading of the message, root, base, where it was found
    (
        "rfc2557-x22-base-of-the-content",
        OUTER,
        page("http://own/p", content='<base href="http://in/">'),
        "http://in/",
        "content",
    ),
    (
        "rfc2557-x22-relative-base-of-the-content",
        OUTER,
        page("http://own/d/p", content="<BASE HREF=e/>"),
        "http://own/d/e/",
        "content",
    ),
    (
        "rfc2557-x22-the-first-base-counts",
        "",
        page(content="<base><base href=http://1/><base href=http://2/>"),
        "http://1/",
        "content",
    ),
    (
        "rfc2557-x22-a-base-in-a-comment-is-none",
        OUTER,
        page("http://own/p", content="<!--<base href=http://in/>-->"),
        "http://own/p",
        "content-location",
    ),
    (
        "rfc2557-x23-own-absolute-label",
        OUTER,
        page("http://own/p"),
        "http://own/p",
        "content-location",
    ),
    ("rfc2557-x24-label-of-the-aggregate", OUTER, page(), "http://outer/o/", "content-location"),
    ("rfc2557-x26-nothing", "", page(), "thismessage:/", "thismessage"),
    (
        "rfc2557-x27-own-relative-label",
        OUTER,
        page("d/p"),
        "http://outer/o/d/p",
        "content-location",
    ),
    (
        "rfc2557-x27-own-relative-label-and-no-outer",
        "",
        page("d/p"),
        "thismessage:/d/p",
        "content-location",
    ),
    (
        "rfc2557-x28-inner-before-outer",
        OUTER,
        page("http://own/p"),
        "http://own/p",
        "content-location",
    ),
    (
        "rfc2557-x23-a-label-nothing-is-relative-to",
        OUTER,
        page("urn:example:p"),
        "http://outer/o/",
        "content-location",
    ),
    (
        "rfc2557-r78-own-content-base",
        OUTER,
        page("p", more="Content-Base: http://b/c/\n"),
        "http://b/c/",
        "content-base",
    ),
    (
        "rfc2557-r78-content-base-in-quotes",
        "",
        page(more='Content-Base: "http://b/c/"\n'),
        "http://b/c/",
        "content-base",
    ),
    (
        "rfc2557-r78-outer-content-base",
        "Content-Base: http://b/\n" + OUTER,
        page(),
        "http://b/",
        "content-base",
    ),
]


@pytest.mark.parametrize(
    ("heading", "root", "base", "found"), [c[1:] for c in BASES], ids=[c[0] for c in BASES]
)
def test_the_first_base_that_applies(heading: str, root: str, base: str, found: str) -> None:
    resolution = mhtml.open(related(root, IMAGE, heading=heading)).resolve("x.gif")
    assert (resolution.base, resolution.base_from) == (base, found)


def test_rfc2557_x24_bases_are_looked_for_outwards() -> None:
    """rfc2557-x24."""
    inner = (
        "Content-Type: multipart/alternative; boundary=c\nContent-Location: {}\n\n"
        "--c\nContent-Type: text/html\n\n<p>\n--c--"
    )
    for label, base in (("http://in/a/", "http://in/a/"), ("a/", "http://outer/o/a/")):
        aggregate = mhtml.open(related(inner.format(label), heading=OUTER))
        assert aggregate.resolve("x", within=aggregate.part("1.1")).base == base


def test_rfc2557_x24_a_message_inside_is_within_the_outer_heading() -> None:
    """rfc2557-x24."""
    forwarded = "Content-Type: message/rfc822\n\nContent-Type: text/html\n\n<p>"
    aggregate = mhtml.open(related(page(), forwarded, heading=OUTER))
    assert aggregate.resolve("x", within=aggregate.part("2.1")).uri == "http://outer/o/x"


def test_rfc2557_x25_the_uri_of_the_request() -> None:
    """rfc2557-x25."""
    source = related(page(), IMAGE.replace("\n\n", "\nContent-Location: x.gif\n\n"))
    aggregate = mhtml.open(source, request_uri="http://example.org/dir/page.mhtml")
    found = aggregate.resolve("x.gif")
    assert found.base_from == "request"
    assert found.uri == "http://example.org/dir/x.gif"
    assert found.part is aggregate.part("2")
    assert mhtml.open(source).resolve("x.gif").uri == "thismessage:/x.gif"


def test_rfc2557_x25_a_label_goes_before_the_request() -> None:
    """rfc2557-x25."""
    aggregate = mhtml.open(related(page(), heading=OUTER), request_uri="http://elsewhere/")
    assert aggregate.resolve("x").base == "http://outer/o/"


def test_rfc2557_x27_labels_are_resolved_against_the_outer_base() -> None:
    """rfc2557-x27."""
    image = "Content-Type: image/gif\nContent-Location: x.gif\n\nGIF"
    aggregate = mhtml.open(related(page("http://own/p"), image, heading=OUTER))
    assert aggregate.resolve("http://outer/o/x.gif").part is aggregate.part("2")
    assert aggregate.resolve("http://own/x.gif").part is None


SAME_SCHEME = [
    # id, label of the page, reference, URI
    ("rfc2557-a1-same-scheme", "http://a/b/c", "http:x/y.gif", "http://a/b/x/y.gif"),
    ("rfc2557-a1-case", "http://a/b/c", "HTTP:x", "http://a/b/x"),
    ("rfc2557-a1-other-scheme", "http://a/b/c", "https:x", "https:x"),
    ("rfc2557-a1-opaque", "mailto:a@b", "mailto:c@d", "mailto:c@d"),
]


@pytest.mark.parametrize(
    ("label", "reference", "uri"), [c[1:] for c in SAME_SCHEME], ids=[c[0] for c in SAME_SCHEME]
)
def test_a_reference_that_repeats_the_scheme(label: str, reference: str, uri: str) -> None:
    assert mhtml.open(related(page(label))).resolve(reference).uri == uri


def test_rfc2557_a10_a_frame_reached_by_cid_has_its_own_label_as_base() -> None:
    """rfc2557-a10."""
    aggregate = mhtml.open(
        related(
            page("http://a/", content='<iframe src="cid:f@x">'),
            page("http://a/frames/f.html", more="Content-ID: <f@x>\n"),
            "Content-Type: image/gif\nContent-Location: http://a/frames/i.gif\n\nGIF",
        )
    )
    frame = aggregate.resolve("cid:f@x").part
    assert frame is aggregate.part("2")
    assert aggregate.resolve("i.gif", within=frame).part is aggregate.part("3")
