"""RFC 2557 §6, §7: aggregates as they are written: type, start, distinct labels."""

from __future__ import annotations

import email
import hashlib
import io
import re

import pytest

from permacite import mhtml
from permacite.errors import ConflictError, LimitError, ParseError

ROOT = mhtml.Resource(b'<img src="x.gif">\r\n', "text/html; charset=utf-8", "http://a/p")
GIF = mhtml.Resource(b"GIF89a\x00", "image/gif", "http://a/x.gif")
PROFILES: tuple[mhtml.Profile, ...] = ("archive", "mail", "chromium")


@pytest.mark.parametrize("profile", PROFILES)
def test_rfc2557_w31_a_page_and_its_resources_are_multipart_related(
    profile: mhtml.Profile,
) -> None:
    """rfc2557-w31."""
    aggregate = mhtml.open(mhtml.build(ROOT, [GIF], profile=profile), strict=True)
    assert aggregate.message.content_type == "multipart/related"
    assert [part.content_type for part in aggregate.body_parts] == ["text/html", "image/gif"]
    assert aggregate.resolve("x.gif").part is aggregate.part("2")
    assert [part.content for part in aggregate.body_parts] == [ROOT.content, GIF.content]


def test_rfc2557_w29_a_single_page_needs_no_multipart() -> None:
    """rfc2557-w29."""
    aggregate = mhtml.open(mhtml.build(ROOT, alone=True), strict=True)
    assert aggregate.message.content_type == "text/html"
    assert aggregate.body_parts == (aggregate.message,)
    assert aggregate.root.content == ROOT.content


@pytest.mark.parametrize("profile", PROFILES)
def test_rfc2557_w29_or_as_an_aggregate_of_one(profile: mhtml.Profile) -> None:
    """rfc2557-w29."""
    aggregate = mhtml.open(mhtml.build(ROOT, profile=profile), strict=True)
    assert [part.path for part in aggregate.body_parts] == ["1"]


def test_rfc2557_w30_links_that_nothing_satisfies_stay() -> None:
    """rfc2557-w30."""
    aggregate = mhtml.open(mhtml.build(ROOT))
    assert aggregate.root.content == ROOT.content
    assert aggregate.resolve("x.gif").kind == "external"


def test_rfc2557_w39_the_type_parameter_is_written() -> None:
    """rfc2557-w39."""
    for root in (ROOT, GIF):
        message = mhtml.open(mhtml.build(root)).message
        assert message.parameters["type"] == root.content_type.partition(";")[0]


def test_rfc2557_w40_the_type_of_alternatives_is_their_own() -> None:
    """rfc2557-w40."""
    plain = mhtml.Resource(b"x", "text/plain; charset=us-ascii")
    root = mhtml.Multipart((plain, ROOT), "alternative")
    aggregate = mhtml.open(mhtml.build(root, [GIF]), strict=True)
    assert aggregate.message.parameters["type"] == "multipart/alternative"
    assert aggregate.root.path == "1.2"
    assert aggregate.resolve("x.gif").part is aggregate.part("2")


def test_rfc2557_w41_a_root_that_is_not_first_is_named_by_start() -> None:
    """rfc2557-w41."""
    aggregate = mhtml.open(mhtml.build(ROOT, [GIF], root_at=1), strict=True)
    assert aggregate.root is aggregate.part("2")
    assert aggregate.message.parameters["start"] == f"<{aggregate.root.content_id}>"
    assert "start" not in mhtml.open(mhtml.build(ROOT, [GIF])).message.parameters


def test_rfc2557_w41_its_own_content_id_is_used() -> None:
    """rfc2557-w41."""
    root = mhtml.Resource(b"<p>", "text/html", content_id="mine@x")
    message = mhtml.open(mhtml.build(root, [GIF], root_at=1)).message
    assert message.parameters["start"] == "<mine@x>"


@pytest.mark.parametrize("profile", ["archive", "mail"])
def test_rfc2557_w46_uris_are_kept(profile: mhtml.Profile) -> None:
    """rfc2557-w46."""
    labels = ["http://A.example:80/x/../y", "HTTP://b/%7e", "x;y=1?z#f", "urn:x:y"]
    parts = [mhtml.Resource(b"GIF", "image/gif", label) for label in labels]
    aggregate = mhtml.open(mhtml.build(ROOT, parts, profile=profile))
    assert [part.content_location for part in aggregate.body_parts[1:]] == labels


def test_rfc2557_w47_digests_of_the_content_still_hold() -> None:
    """rfc2557-w47."""
    written = mhtml.write(io.BytesIO(), ROOT, [GIF])
    digests = [hashlib.sha256(each.content).hexdigest() for each in (ROOT, GIF)]
    assert [part.digest_given for part in written.parts] == digests
    assert [part.digest_written for part in written.parts] == digests
    assert not any(part.changed for part in written.parts)


def test_rfc2557_w48_a_page_that_was_rewritten_is_written_as_it_is_given() -> None:
    """rfc2557-w48."""
    page = mhtml.Resource(b'<object data="cid:x@y">', "text/html")
    thing = mhtml.Resource(b"GIF", "image/gif", content_id="x@y")
    aggregate = mhtml.open(mhtml.build(page, [thing]), strict=True)
    assert aggregate.resolve("cid:x@y").part is aggregate.part("2")


CONFLICTS = [
    # id, parts beside the root, what the error names
    ("rfc2557-w49-ids", [("a", "i@x"), ("b", "i@x")], ["2", "3", "<i@x>"]),
    (
        "rfc2557-w50-locations",
        [("http://a/i", None), ("http://a/i", None)],
        ["2", "3", "http://a/i"],
    ),
    ("rfc2557-w50-resolved-alike", [("i", None), ("./i", None)], ["2", "3", "./i"]),
    ("rfc2557-w50-like-the-root", [("http://a/p", None)], ["1", "2", "http://a/p"]),
]


@pytest.mark.parametrize(
    ("labels", "named"), [c[1:] for c in CONFLICTS], ids=[c[0] for c in CONFLICTS]
)
def test_two_parts_with_one_label_are_refused(
    labels: list[tuple[str, str | None]], named: list[str]
) -> None:
    parts = [mhtml.Resource(b"x", "image/gif", label, name) for label, name in labels]
    with pytest.raises(ConflictError) as error:
        mhtml.build(ROOT, parts)
    assert all(name in error.value.problem for name in named)


def test_rfc2557_w50_an_inner_aggregate_may_repeat_a_label() -> None:
    """rfc2557-w50."""
    inner = mhtml.Multipart((ROOT, GIF), content_location="http://a/inner")
    aggregate = mhtml.open(mhtml.build(ROOT, [GIF, inner]), strict=True)
    assert aggregate.resolve("x.gif", within=aggregate.part("3.1")).part is aggregate.part("3.2")


def test_rfc2557_w61_content_ids_that_are_made_differ_with_the_content() -> None:
    """rfc2557-w61."""
    pages = [mhtml.Resource(text, "text/html") for text in (b"<p>1", b"<p>2")]
    ids = [mhtml.open(mhtml.build(page, [GIF], root_at=1)).root.content_id for page in pages]
    assert len(set(ids)) == 2
    assert all(name is not None and re.fullmatch(r"[!-~]+@[!-~]+", name) for name in ids)


def test_rfc2557_s76_a_part_without_a_label_satisfies_nothing() -> None:
    """rfc2557-s76."""
    aggregate = mhtml.open(mhtml.build(ROOT, [mhtml.Resource(b"GIF", "image/gif")]))
    assert aggregate.resolve("x.gif").kind == "external"


REFUSED = [
    # id, field, where the error points in its source
    ("rfc2557-w79-content-base", ("Content-Base", "http://a/"), 0),
    ("rfc2557-r07-second-location", ("content-location", "http://a/"), 0),
    ("rfc2557-r69-content-encoding", ("Content-Encoding", "gzip"), 0),
    ("rfc2557-m91-line-end", ("X-A", "b\r\nX-C: d"), 1),
    ("rfc2557-m91-name", ("X A", "b"), 0),
]


@pytest.mark.parametrize(("field", "offset"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_fields_that_may_not_be_written(field: tuple[str, str], offset: int) -> None:
    part = mhtml.Resource(b"x", "image/gif", headers=(field,))
    with pytest.raises(ParseError) as error:
        mhtml.build(part)
    assert error.value.offset == offset
    with pytest.raises(ParseError):
        mhtml.build(ROOT, [part])
    with pytest.raises(ParseError):
        mhtml.build(ROOT, headers=(field,))


MALFORMED = [
    ("rfc2557-m86-no-type", mhtml.Resource(b"", ""), 0),
    ("rfc2557-m86-half-a-type", mhtml.Resource(b"", "text"), 0),
    ("rfc2557-m86-line-end-in-the-type", mhtml.Resource(b"", "text/html;\n"), 10),
    ("rfc2557-r02-empty-label", mhtml.Resource(b"", "text/html", " "), 0),
    ("rfc2557-w61-bad-id", mhtml.Resource(b"", "text/html", None, "a b"), 1),
    ("rfc2557-w61-brackets", mhtml.Resource(b"", "text/html", None, "<a@b>"), 0),
]


@pytest.mark.parametrize(
    ("resource", "offset"), [c[1:] for c in MALFORMED], ids=[c[0] for c in MALFORMED]
)
def test_what_cannot_be_written_is_refused(resource: mhtml.Resource, offset: int) -> None:
    with pytest.raises(ParseError) as error:
        mhtml.build(resource)
    assert error.value.offset == offset


def test_rfc2557_w79_no_content_base_survives_a_rewriting() -> None:
    """rfc2557-w79."""
    source = (
        b"Content-Base: http://a/\r\nContent-Type: multipart/related; type=text/html; boundary=b"
        b"\r\n\r\n--b\r\nContent-Base: http://b/\r\nContent-Type: text/html\r\n"
        b"Content-Location: p\r\n\r\n<p>\r\n--b--\r\n"
    )
    for profile in PROFILES:
        again = mhtml.rewritten(source, profile=profile)
        assert b"content-base" not in again.lower()
        assert mhtml.open(again).root.content_location == "http://b/p"


def test_rfc2557_m92_what_is_nested_too_deep_is_not_written() -> None:
    """rfc2557-m92."""
    part: mhtml.Resource | mhtml.Multipart = ROOT
    for _ in range(70):
        part = mhtml.Multipart((part,))
    for profile in PROFILES:
        with pytest.raises(LimitError):
            mhtml.build(part, profile=profile)


def test_the_same_input_gives_the_same_octets() -> None:
    one, other = (mhtml.build(ROOT, [GIF], subject="S", date="D") for _ in range(2))
    assert one == other
    changed = mhtml.Resource(b"<p>", "text/html", "http://a/p")
    assert mhtml.build(changed, [GIF]) != mhtml.build(ROOT, [GIF])


def test_a_boundary_occurs_in_no_body() -> None:
    boundary = mhtml.open(mhtml.build(ROOT, [GIF])).message.parameters["boundary"]
    hostile = mhtml.Resource(f"x\r\n--{boundary}\r\n\r\ny".encode(), "text/plain", "http://a/h")
    aggregate = mhtml.open(mhtml.build(ROOT, [GIF, hostile]), strict=True)
    assert aggregate.message.parameters["boundary"] == boundary
    assert aggregate.part("3").content == hostile.content
    assert aggregate.part("3").transfer_encoding == "base64"


def test_write_streams_and_tells_what_it_wrote() -> None:
    stream = io.BytesIO()
    written = mhtml.write(stream, ROOT, (part for part in [GIF]), subject="Gr\xfc\xdfe")
    source = stream.getvalue()
    assert source == mhtml.build(ROOT, [GIF], subject="Gr\xfc\xdfe")
    assert (written.size_bytes, written.digest) == (len(source), hashlib.sha256(source).hexdigest())
    aggregate = mhtml.open(source)
    assert aggregate.subject == "Gr\xfc\xdfe"
    assert [part.offset for part in written.parts] == [part.offset for part in aggregate.body_parts]


def test_fields_of_parts_and_messages_are_kept() -> None:
    part = mhtml.Resource(
        b"x", "image/gif", headers=(("Content-Disposition", 'attachment; filename="\xe9.gif"'),)
    )
    source = mhtml.build(ROOT, [part], headers=(("From", "a@b"), ("To", "c@d")))
    aggregate = mhtml.open(source, strict=True)
    assert aggregate.message.heading.text("From") == "a@b"
    kept = aggregate.part("2").heading.text("Content-Disposition")
    assert kept == 'attachment; filename="\xe9.gif"'


@pytest.mark.parametrize("profile", PROFILES)
def test_the_standard_library_reads_what_is_written(profile: mhtml.Profile) -> None:
    message = email.message_from_bytes(mhtml.build(ROOT, [GIF], profile=profile))
    assert message.is_multipart()
    payloads = [part.get_payload(decode=True) for part in message.get_payload()]  # type: ignore[union-attr]
    assert payloads == [ROOT.content, GIF.content]
