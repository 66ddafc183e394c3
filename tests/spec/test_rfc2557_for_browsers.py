"""Profile "chromium": what is done to parts, where it is needed, so that browsers find them.

That it helps is proved by a real browser in tests/faces/test_mhtml_browser.py.
"""

from __future__ import annotations

import pytest

from permacite import mhtml
from permacite.errors import LimitError

HERE = "http://a.example/d/"
GIF = b"GIF89a"


def written(
    page: bytes | str,
    *parts: mhtml.Resource | mhtml.Multipart,
    content_type: str = "text/html; charset=utf-8",
    label: str | None = HERE + "p",
    content_location: str | None = None,
) -> mhtml.Aggregate:
    """Return a page and its parts, written for browsers and opened again."""
    octets = page.encode() if isinstance(page, str) else page
    root = mhtml.Resource(octets, content_type, label)
    return mhtml.open(
        mhtml.build(root, parts, profile="chromium", content_location=content_location)
    )


def image(label: str | None, content_id: str | None = None) -> mhtml.Resource:
    """Return a picture with that label."""
    return mhtml.Resource(GIF, "image/gif", label, content_id)


def labels(aggregate: mhtml.Aggregate) -> list[str | None]:
    """Return the labels of all parts but the root."""
    return [part.content_location for part in aggregate.body_parts[1:]]


UNTOUCHED = [
    "<p>\xe9<img src=i.gif>\n\r\n\r",
    '<base href="http://b.example/"><img src="i.gif">',
    "<meta http-equiv=refresh content=3><p>content-security-policy",
    '<meta charset="utf8"><style>a{background:url(x.gif)}</style>',
    '<meta http-equiv="Content-Type" content="text/html; charset=utf-8">',
    "",
]


@pytest.mark.parametrize("page", UNTOUCHED)
def test_most_pages_keep_every_octet(page: str) -> None:
    aggregate = written(page, image(HERE + "i.gif"))
    assert aggregate.root.content == page.encode()
    assert aggregate.defects == ()


LABELS = [
    # label that is given, label that is written
    ("http://A.example:80/x/../y", "http://a.example/y"),
    ("x y.gif", "thismessage:/x%20y.gif"),
    ("http://a.example/\xe9", "http://a.example/%C3%A9"),
    ("http://a.example/p|q[1]", "http://a.example/p|q[1]"),
    ("http://a.example/" + "x" * 300, "http://a.example/" + "x" * 300),
    ("cid:css-1@x", "cid:css-1@x"),
    ("urn:x:y", "urn:x:y"),
]


@pytest.mark.parametrize(("given", "expected"), LABELS)
def test_labels_are_absolute_and_as_browsers_write_them(given: str, expected: str) -> None:
    assert labels(written("<p>", image(given))) == [expected]


def test_relative_labels_are_resolved_against_the_aggregate() -> None:
    aggregate = written("<p>", image("i.gif"), label=None, content_location="http://a.example/d/")
    assert aggregate.root.content_location == "http://a.example/d/"
    assert labels(aggregate) == ["http://a.example/d/i.gif"]


def test_a_page_without_a_label_gets_the_base_that_it_has() -> None:
    assert written("<p>", label=None).root.content_location == "thismessage:/"


def test_of_two_labels_that_browsers_write_alike_the_first_stays() -> None:
    aggregate = written("<p>", image("http://a.example/\xe9"), image("http://a.example/%C3%A9"))
    assert labels(aggregate) == ["http://a.example/%C3%A9"]
    kept = written("<p>", image(HERE + "x"), image(HERE + "./x", "i@x"))
    assert labels(kept) == [HERE + "x", None]
    assert kept.part("3").content_id == "i@x"


def test_the_root_comes_first_whatever_is_asked() -> None:
    root = mhtml.Resource(b"<p>", "text/html", HERE)
    aggregate = mhtml.open(mhtml.build(root, [image("x")], profile="chromium", root_at=1))
    assert aggregate.root is aggregate.part("1")


def test_nested_aggregates_become_one_list() -> None:
    frame = mhtml.Resource(b'<img src="i.gif">', "text/html", HERE + "in/f")
    inner = mhtml.Multipart((frame, image(HERE + "in/i.gif")), content_location=HERE + "whole")
    aggregate = written("<p>", inner, image("http://a.example/i.gif"))
    assert not any(part.is_multipart for part in aggregate.body_parts)
    expected = [HERE + "in/f", HERE + "whole", HERE + "in/i.gif", "http://a.example/i.gif"]
    assert labels(aggregate) == expected
    assert aggregate.part("3").content == frame.content


def test_a_nested_page_without_a_label_takes_that_of_its_aggregate() -> None:
    frame = mhtml.Resource(b"<p>", "text/html")
    inner = mhtml.Multipart((frame,), content_location=HERE + "f")
    assert labels(written("<p>", inner)) == [HERE + "f"]


ALTERNATIVES = [
    ("alternative", ["text/plain", "text/html; charset=utf-8"], 1),
    ("alternative", ["text/html", "text/html", "image/gif"], 1),
    ("alternative", ["text/plain", "image/gif"], 0),
    ("mixed", ["text/plain", "text/html", "application/xhtml+xml"], 1),
    ("related", ["text/plain", "text/html"], 0),
]


@pytest.mark.parametrize(("subtype", "types", "first"), ALTERNATIVES)
def test_what_is_shown_comes_first(subtype: mhtml.Subtype, types: list[str], first: int) -> None:
    parts = [mhtml.Resource(str(n).encode(), kind) for n, kind in enumerate(types)]
    root = mhtml.Multipart(tuple(parts), subtype)
    aggregate = mhtml.open(mhtml.build(root, profile="chromium"))
    assert aggregate.part("1").content == str(first).encode()
    assert len(aggregate.body_parts) == len(types)


def test_an_aggregate_goes_before_other_pages_in_a_mixed_message() -> None:
    inner = mhtml.Multipart((mhtml.Resource(b"<p>in", "text/html"),))
    root = mhtml.Multipart((mhtml.Resource(b"<p>out", "text/html"), inner), "mixed")
    assert mhtml.open(mhtml.build(root, profile="chromium")).part("1").content == b"<p>in"


FORMS = [
    # reference, label of the part, the label that is added
    ('<img src="a.svg#x">', HERE + "a.svg", HERE + "a.svg#x"),
    ('<iframe src="f.html#y">', HERE + "f.html", HERE + "f.html#y"),
    ('<img src="p|q.gif">', HERE + "p%7Cq.gif", HERE + "p|q.gif"),
    ('<p style="background:url(s.svg#z)">', HERE + "s.svg", HERE + "s.svg#z"),
    ("<img src='a.gif?q=\xe9'>", HERE + "a.gif?q=%C3%A9", None),
    ('<a href="f.html#y">', HERE + "f.html", None),
    ('<img src="#x">', HERE + "f.html", None),
    ('<img src="other.svg#x">', HERE + "a.svg", None),
]


@pytest.mark.parametrize(("page", "label", "added"), FORMS)
def test_a_part_is_there_under_each_form_that_is_referred_to(
    page: str, label: str, added: str | None
) -> None:
    aggregate = written(page, image(label))
    assert labels(aggregate) == [label, *([] if added is None else [added])]
    assert all(part.content == GIF for part in aggregate.body_parts[1:])


CHARSETS = [
    # content, its type, what is written
    (
        "<p>\xe9".encode("utf-16-le"),
        "text/html; charset=utf-16le",
        b"\xff\xfe" + "<p>\xe9".encode("utf-16-le"),
    ),
    ("<p>\xe9".encode("utf-16-be"), "text/html", b"\xfe\xff" + "<p>\xe9".encode("utf-16-be")),
    ("<p>\xe9".encode("utf-16"), "text/html", "<p>\xe9".encode("utf-16")),
    (
        b"<meta charset=utf-8><p>\xe9",
        "text/html; charset=iso-8859-1",
        "\ufeff<meta charset=utf-8><p>\xe9".encode(),
    ),
    (b"<meta charset=utf-8><p>\xe9", "text/html; charset=x-none", b"<meta charset=utf-8><p>\xe9"),
    (b"<p>\xe9", "text/html; charset=iso-8859-1", b"<p>\xe9"),
    (
        b'<?xml version="1.0" encoding="utf-8"?><html/>',
        "application/xhtml+xml",
        b'<?xml version="1.0" encoding="utf-8"?><html/>',
    ),
]


@pytest.mark.parametrize(("content", "content_type", "expected"), CHARSETS)
def test_a_charset_that_browsers_would_miss_is_marked(
    content: bytes, content_type: str, expected: bytes
) -> None:
    assert written(content, content_type=content_type).root.content == expected


EDITED = [
    ('<base href="sub/"><p>', f'<base href="{HERE}sub/"><p>'),
    ("<base href=/x?a&b>", "<base href=http://a.example/x?a&amp;b>"),
    (
        "<meta http-equiv='Content-Security-Policy' content=x><p>",
        "<meta data-equiv='Content-Security-Policy' content=x><p>",
    ),
    (
        '<META HTTP-EQUIV="Content-Security-Policy-Report-Only"><p>',
        '<META data-EQUIV="Content-Security-Policy-Report-Only"><p>',
    ),
    ('<audio src="s.wav"></audio>', '<audio src="data:audio/wav;base64,UklGRg=="></audio>'),
    ('<video><source src="s.wav#t=3">', '<video><source src="data:audio/wav;base64,UklGRg==">'),
    ('<video src="i.gif">', '<video src="i.gif">'),
    ('<video src="missing.mp4">', '<video src="missing.mp4">'),
]


@pytest.mark.parametrize(("page", "expected"), EDITED)
def test_what_browsers_cannot_do_is_done_for_them(page: str, expected: str) -> None:
    sound = mhtml.Resource(b"RIFF", "audio/wav", HERE + "s.wav")
    assert written(page, image(HERE + "i.gif"), sound).root.content == expected.encode()


FRAMES = [
    ("<p>", '<base href="http://a.example/d/f" /><p>'),
    ("<head><title>x", '<head><base href="http://a.example/d/f" /><title>x'),
    (
        "<!doctype html><html><head><p>",
        '<!doctype html><html><head><base href="http://a.example/d/f" /><p>',
    ),
    ("<html><body>", '<html><base href="http://a.example/d/f" /><body>'),
    ("<!doctype html><body>", '<!doctype html><base href="http://a.example/d/f" /><body>'),
    ("", '<base href="http://a.example/d/f" />'),
]


@pytest.mark.parametrize(("page", "expected"), FRAMES)
def test_a_frame_reached_by_cid_gets_a_base(page: str, expected: str) -> None:
    frame = mhtml.Resource(page.encode(), "text/html", HERE + "f", "f@x")
    aggregate = written('<iframe src="cid:f@x">', frame)
    assert aggregate.part("2").content == expected.encode()
    assert written("<p>", frame).part("2").content == page.encode()


def test_an_edit_keeps_the_charset_of_the_page() -> None:
    page = '<base href="sub/"><p>\xe9'
    kept = written(page.encode("latin-1"), content_type="text/html; charset=iso-8859-1")
    assert kept.root.content == page.replace("sub/", HERE + "sub/").encode("latin-1")
    wide = written(page.encode("utf-16-le"), content_type="text/html; charset=utf-16le")
    assert wide.root.content == b"\xef\xbb\xbf" + page.replace("sub/", HERE + "sub/").encode()
    broken = written(b'<base href="sub/"><p>\xff')
    assert broken.root.content.startswith(b"\xef\xbb\xbf<base")


def test_sound_beyond_the_limit_stays_a_part() -> None:
    large = mhtml.Resource(bytes(65 * 1024 * 1024), "audio/wav", HERE + "a.wav")
    page = '<audio src="a.wav">'
    assert written(page, large).root.content == page.encode()


def test_a_hostile_page_cannot_make_the_file_grow_without_end() -> None:
    sound = mhtml.Resource(bytes(10_000), "audio/wav", HERE + "a.wav")
    page = '<audio src="a.wav">' * 5000
    embedded = written(page, sound).root.content.count(b"data:")
    assert 1 <= embedded <= 2
    frames = "".join(f'<iframe src="p#{number}">' for number in range(3000))
    assert len(written(frames + " " * 100_000).body_parts) < 300


def test_what_is_nested_too_deep_is_refused() -> None:
    part: mhtml.Resource | mhtml.Multipart = image(None)
    for _ in range(70):
        part = mhtml.Multipart((part,))
    with pytest.raises(LimitError):
        written("<p>", part)


def test_for_browsers_turns_any_aggregate_into_one_that_they_open() -> None:
    root = mhtml.Resource(b'<img src="i.gif#x">', "text/html; charset=utf-8", "p")
    source = mhtml.build(
        root,
        [image("i.gif")],
        subject="caf\xe9",
        date="Sat, 21 Nov 2026 12:00:00 GMT",
        headers=(("From", "a@b"),),
        content_location="http://a.example/",
    )
    aggregate = mhtml.open(mhtml.for_browsers(source), strict=True)
    assert labels(aggregate) == ["http://a.example/i.gif", "http://a.example/i.gif#x"]
    heading = aggregate.message.heading
    assert [heading.text(name) for name in ("Subject", "Date", "From")] == [
        "caf\xe9",
        "Sat, 21 Nov 2026 12:00:00 GMT",
        "a@b",
    ]


def test_for_browsers_wraps_a_single_page() -> None:
    alone = mhtml.build(mhtml.Resource(b"<p>", "text/html", HERE), alone=True)
    aggregate = mhtml.open(mhtml.for_browsers(alone), strict=True)
    assert aggregate.message.content_type == "multipart/related"
    assert aggregate.root.content == b"<p>"
