"""Aggregates as files and back, and rewritten aggregates: nothing is lost."""

from __future__ import annotations

import json

import pytest

from permacite import mhtml
from permacite.errors import NotFoundError, ParseError

HERE = "http://a.example/d/"


def held() -> mhtml.Packed:
    """Return an aggregate with everything that one can hold."""
    plain = mhtml.Resource(b"x\r\n", "text/plain; charset=utf-8")
    page = mhtml.Resource(b'<img src="i.gif">', "text/html", HERE + "p.html", "root@x")
    frame = mhtml.Resource(b"<p>", "text/html")
    gif = mhtml.Resource(
        b"GIF89a\r\n\xff",
        "image/gif",
        "i.gif",
        headers=(("Content-Disposition", 'inline; filename="\xe9.gif"'), ("X-Two", "words here")),
    )
    inner = mhtml.Multipart(
        (frame, mhtml.Resource(b"", "image/gif", "i.gif")),
        content_location="in/",
        content_id="inner@x",
        headers=(("X-Three", "y"),),
    )
    return mhtml.Packed(
        mhtml.Multipart((plain, page), "alternative"),
        (gif, inner, mhtml.Multipart((plain,), "mixed")),
        subject="caf\xe9",
        date="Sat, 21 Nov 2026 12:00:00 GMT",
        headers=(("From", "a@b"),),
        content_location=HERE,
    )


@pytest.mark.parametrize("profile", ["archive", "mail"])
def test_what_is_unpacked_is_packed_again(profile: mhtml.Profile) -> None:
    source = held().build(profile)
    aggregate = mhtml.open(source, strict=True)
    files = {file.name: file.content for file in mhtml.extract(aggregate)}
    assert mhtml.pack(files).build(profile) == source
    assert mhtml.rewritten(source, profile=profile) == source
    if profile == "archive":
        root, resources = mhtml.contents_of(aggregate)
        assert (root, tuple(resources)) == (held().root, held().resources)


def test_the_manifest_says_what_the_parts_were() -> None:
    aggregate = mhtml.open(held().build())
    files = {file.name: file.content for file in mhtml.extract(aggregate)}
    manifest = json.loads(files["aggregate.json"])
    assert manifest["format"] == "permacite.aggregate/1"
    assert manifest["subject"] == "caf\xe9"
    assert manifest["root"]["multipart"] == "alternative"
    assert manifest["resources"][0]["content_location"] == "i.gif"
    assert set(files) == {
        "part.txt",
        "p.html",
        "i.gif",
        "part.html",
        "i-2.gif",
        "part-2.txt",
        "aggregate.json",
    }


NAMES = [
    # label, type, name of the file
    (None, "image/gif", "part.gif"),
    (HERE + "a.gif?b=c.d#e", "image/gif", "a.gif"),
    (HERE + "a.php?id=3", "image/gif", "a.php.gif"),
    (HERE + "script.js", "application/x-javascript", "script.js"),
    (HERE + "data", "application/x-odd", "data.bin"),
    (HERE + "a%20b%C3%A9.gif", "image/gif", "a_b\xe9.gif"),
    (HERE + "\u65e5\u672c.png", "image/png", "\u65e5\u672c.png"),
    (HERE, "text/css", "part.css"),
    ("urn:x:y.gif", "image/gif", "y.gif"),
    ("cid:css-1@mhtml.blink", "text/css", "css-1_mhtml.blink.css"),
    (HERE + "..%2f..%2fx.gif", "image/gif", "x.gif"),
    (HERE + "lpt1.html", "text/html", "_lpt1.html"),
    (HERE + "...", "image/gif", "part.gif"),
]


@pytest.mark.parametrize(("label", "media_type", "name"), NAMES)
def test_names_of_files(label: str | None, media_type: str, name: str) -> None:
    root = mhtml.Resource(b"<p>", "text/html", "http://root.example/")
    part = mhtml.Resource(b"x", media_type, label)
    files = list(mhtml.extract(mhtml.open(mhtml.build(root, [part]))))
    assert [file.name for file in files] == ["index.html", name, "aggregate.json"]


def test_files_without_a_manifest_are_packed_by_their_names() -> None:
    files = {"b.html": b"<p>b", "a.html": b"<p>a", "i/100%?#.gif": b"GIF89a", "odd": b"x"}
    packed = mhtml.pack(files)
    assert isinstance(packed.root, mhtml.Resource)
    assert packed.root.content == b"<p>a"
    parts = [(part.content_location, part.content_type) for part in packed.resources]
    assert parts == [
        ("b.html", "text/html"),
        ("i/100%25%3F%23.gif", "image/gif"),
        ("odd", "application/octet-stream"),
    ]
    index = mhtml.pack({**files, "index.html": b"<p>i"}).root
    assert isinstance(index, mhtml.Resource)
    assert index.content == b"<p>i"


def test_without_a_page_nothing_is_packed() -> None:
    with pytest.raises(ParseError, match="expected a page"):
        mhtml.pack({"a.gif": b"GIF89a"})


def manifest(**changed: object) -> dict[str, bytes]:
    """Return a manifest and its file, with some fields changed."""
    root = {"file": "p.html", "content_type": "text/html", "headers": []}
    whole = {"format": "permacite.aggregate/1", "root": root, "resources": [], "headers": []}
    return {"aggregate.json": json.dumps(whole | changed).encode(), "p.html": b"<p>"}


PART = {"file": "p.html", "content_type": "text/html", "headers": []}
MALFORMED = [
    {"format": "other"},
    {"resources": {}},
    {"resources": [1]},
    {"root": [PART]},
    {"root": {**PART, "file": None}},
    {"root": {**PART, "content_type": 3}},
    {"root": {**PART, "headers": [["a"]]}},
    {"root": {**PART, "headers": None}},
    {"root": {"multipart": "digest", "body_parts": [], "headers": []}},
    {"root": {"multipart": "mixed", "headers": []}},
    {"subject": 5},
]


@pytest.mark.parametrize("changed", MALFORMED)
def test_a_manifest_that_is_none_is_refused(changed: dict[str, object]) -> None:
    assert mhtml.pack(manifest()).build()
    with pytest.raises(ParseError, match=r"aggregate[.]json"):
        mhtml.pack(manifest(**changed))


def test_a_manifest_that_nests_without_end_is_refused() -> None:
    part: dict[str, object] = {**PART}
    for _ in range(80):
        part = {"multipart": "mixed", "body_parts": [part], "headers": []}
    with pytest.raises(ParseError):
        mhtml.pack(manifest(root=part))


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(NotFoundError) as error:
        mhtml.pack(manifest(root={**PART, "file": "missing.html"}))
    assert error.value.name == "missing.html"


def test_a_broken_manifest_is_shown_where_it_breaks() -> None:
    with pytest.raises(ParseError) as error:
        mhtml.pack({"aggregate.json": b'{"format": }'})
    assert error.value.offset == 11


UNWRITABLE = [
    # heading of a part that cannot be written as it is, and what becomes of it
    ("Content-Type: text/\x01html", "text/plain", None, None),
    ("Content-Type: text/html; a=\x01", "text/html", None, None),
    ("Content-ID: <a b\x7f>", "text/plain", None, None),
    ("Content-ID: <a\xe9>", "text/plain", None, None),
    ("Content-Location: cid:x@y", "text/plain", None, "x@y"),
    ("Content-Location: cid:\xe9", "text/plain", None, None),
    ("Content-Location: \t", "text/plain", None, None),
    ("X-Odd: a\x01b", "text/plain", None, None),
]


@pytest.mark.parametrize(("heading", "media_type", "label", "content_id"), UNWRITABLE)
def test_what_cannot_be_written_as_it_is_does_not_stop_the_rest(
    heading: str, media_type: str, label: str | None, content_id: str | None
) -> None:
    source = (
        "Subject: a\x01b\r\nDate: \x01\r\nContent-Type: multipart/related; type=text/html; "
        f"boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>\r\n--b\r\n{heading}\r\n\r\n"
        "x\r\n--b--\r\n"
    ).encode("latin-1")
    aggregate = mhtml.open(mhtml.rewritten(source, profile="archive"))
    part = aggregate.part("2")
    assert (part.content_type, part.content_location, part.content_id) == (
        media_type,
        label,
        content_id,
    )
    assert part.content == b"x"
    assert aggregate.subject == "a b"
    assert aggregate.message.heading.get("Date") is None


def test_shared_labels_are_left_out_when_a_message_becomes_an_aggregate() -> None:
    part = "--b\r\nContent-ID: <a@b>\r\nContent-Location: x\r\n\r\n{}\r\n"
    source = "Content-Type: multipart/mixed; boundary=b\r\n\r\n" + part.format(1) + part.format(2)
    aggregate = mhtml.open(mhtml.rewritten(source.encode(), profile="archive"))
    leaves = [part for part in aggregate.body_parts if not part.body_parts]
    assert [(each.content_location, each.content_id) for each in leaves] == [
        ("x", "a@b"),
        (None, None),
    ]
