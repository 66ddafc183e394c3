"""MIME under RFC 2557: delimiters, headings and everything that real files get wrong in them."""

from __future__ import annotations

import io
import mmap
from pathlib import Path

import pytest

from permacite import mhtml
from permacite.errors import LimitError, ParseError

HEAD = b"Content-Type: multipart/related; type=text/html; boundary=b\r\n\r\n"
PLAIN = HEAD.replace(b"text/html", b"text/plain")
PAGE = b"Content-Type: text/html\r\n\r\n<p>"


def bodies(source: bytes) -> list[tuple[str, bytes]]:
    """Return path and undecoded body of each part that holds no others."""
    parts = mhtml.open(source).body_parts
    return [(part.path, part.body) for part in parts if not part.body_parts]


STRUCTURES = [
    # id, the octets after the heading, path and body of each part
    ("rfc2557-m80-plain", b"--b\r\n" + PAGE + b"\r\n--b--\r\n", [("1", b"<p>")]),
    ("rfc2557-m80-padding", b"--b \t \r\n" + PAGE + b"\r\n--b-- \t\r\n", [("1", b"<p>")]),
    (
        "rfc2557-m80-not-at-the-start-of-a-line",
        b"--b\r\n" + PAGE + b" --b\r\n\r\n--b--",
        [("1", b"<p> --b\r\n")],
    ),
    (
        "rfc2557-m80-more-on-the-line",
        b"--b\r\n" + PAGE + b"\r\n--bc\r\n--b.\r\n--b--",
        [("1", b"<p>\r\n--bc\r\n--b.")],
    ),
    ("rfc2557-m80-no-line-end-after-the-last", b"--b\r\n" + PAGE + b"\r\n--b--", [("1", b"<p>")]),
    (
        "rfc2557-m81-line-end-belongs-to-the-delimiter",
        b"--b\r\n" + PAGE + b"\r\n\r\n--b--",
        [("1", b"<p>\r\n")],
    ),
    ("rfc2557-m81-empty-body", b"--b\r\nX: y\r\n\r\n\r\n--b--", [("1", b"")]),
    ("rfc2557-m81-nothing-between", b"--b\r\n--b\r\n\r\n--b--", [("1", b""), ("2", b"")]),
    (
        "rfc2557-m82-preamble-and-epilogue",
        b"before\r\n--b\r\n" + PAGE + b"\r\n--b--\r\nafter\r\n--b\r\n",
        [("1", b"<p>")],
    ),
    (
        "rfc2557-m84-no-closing-delimiter",
        b"--b\r\n" + PAGE + b"\r\n--b\r\n\r\nx\r\n",
        [("1", b"<p>"), ("2", b"x\r\n")],
    ),
    (
        "rfc2557-m84-ends-in-a-heading",
        b"--b\r\n" + PAGE + b"\r\n--b\r\nContent-Ty",
        [("1", b"<p>"), ("2", b"Content-Ty")],
    ),
    ("rfc2557-m84-no-delimiter-at-all", b"\r\n" + PAGE, [("1", b"<p>")]),
    ("rfc2557-m84-nothing-at-all", b"", [("1", b"")]),
    ("rfc2557-m84-closing-delimiter-alone", b"--b--\r\n", [("1", b"")]),
    ("rfc2557-m86-no-heading", b"--b\r\n\r\nx\r\n--b--", [("1", b"x")]),
    ("rfc2557-m86-no-empty-line", b"--b\r\nwords only\r\n--b--", [("1", b"words only")]),
    (
        "rfc2557-m86-odd-line-in-a-heading",
        b"--b\r\nX: y\r\nodd\r\nZ: w\r\n\r\nx\r\n--b--",
        [("1", b"x")],
    ),
]


@pytest.mark.parametrize(
    ("octets", "expected"), [c[1:] for c in STRUCTURES], ids=[c[0] for c in STRUCTURES]
)
def test_where_parts_begin_and_end(octets: bytes, expected: list[tuple[str, bytes]]) -> None:
    assert bodies(HEAD + octets) == expected


@pytest.mark.parametrize("octets", [c[1] for c in STRUCTURES], ids=[c[0] for c in STRUCTURES])
@pytest.mark.parametrize("ends", [b"\r\n", b"\n", b"\r"])
def test_rfc2557_m91_everything_is_written_back(octets: bytes, ends: bytes) -> None:
    """rfc2557-m91."""
    source = (HEAD + octets).replace(b"\r\n", ends)
    aggregate = mhtml.open(source)
    leaves = {part.path: part.raw for part in aggregate.body_parts if not part.body_parts}
    assert b"".join(aggregate.rebuilt(leaves)) == source


LF_ONLY = [c for c in STRUCTURES if c[0] != "rfc2557-m84-no-delimiter-at-all"]


@pytest.mark.parametrize(
    ("octets", "expected"), [c[1:] for c in STRUCTURES], ids=[c[0] for c in STRUCTURES]
)
@pytest.mark.parametrize("ends", [b"\n", b"\r"])
def test_rfc2557_m85_other_line_ends(
    octets: bytes, expected: list[tuple[str, bytes]], ends: bytes
) -> None:
    """rfc2557-m85."""
    source = (HEAD + octets).replace(b"\r\n", ends)
    assert bodies(source) == [(path, body.replace(b"\r\n", ends)) for path, body in expected]


NESTED = (
    b"Content-Type: multipart/mixed; boundary=out\r\n\r\n"
    b"--out\r\nContent-Type: multipart/mixed; boundary=%s\r\n\r\n"
    b"--%s\r\n\r\n1.1\r\n--%s--\r\nepilogue\r\n--out\r\n\r\n2\r\n--out--\r\n"
)


@pytest.mark.parametrize("inner", [b"out1", b"out-", b"ou", b"out--"])
def test_rfc2557_m83_boundaries_that_begin_alike(inner: bytes) -> None:
    """rfc2557-m83."""
    found = bodies(NESTED % (inner, inner, inner))
    if inner == b"out--":  # its delimiter is the outer closing delimiter: the inner one wins
        assert ("1.1", b"1.1") in found
    else:
        assert found == [("1.1", b"1.1"), ("2", b"2")]


def test_rfc2557_m83_a_boundary_used_twice_is_the_outer_ones() -> None:
    """rfc2557-m83."""
    source = NESTED % (b"out", b"out", b"out")
    aggregate = mhtml.open(source)
    assert [part.path for part in aggregate.body_parts] == ["1", "1.1", "2"]
    assert "boundary-reused" in [each.code for each in aggregate.defects]


def test_rfc2557_m84_an_outer_delimiter_ends_inner_parts() -> None:
    """rfc2557-m84."""
    source = (NESTED % (b"in", b"in", b"in")).replace(b"\r\n--in--\r\nepilogue", b"")
    aggregate = mhtml.open(source)
    assert bodies(source) == [("1.1", b"1.1"), ("2", b"2")]
    assert [(each.code, each.path) for each in aggregate.defects] == [("not-closed", "1")]


FAULTS = [
    # id, source, code, offset
    (
        "rfc2557-m80-no-boundary",
        b"Content-Type: multipart/related; type=text/plain\r\n\r\n--x\r\n\r\n1\r\n--x--",
        "no-boundary",
        14,
    ),
    (
        "rfc2557-m80-boundary-too-long",
        b"Content-Type: multipart/mixed; boundary="
        + b"x" * 71
        + b"\r\n\r\n--"
        + b"x" * 71
        + b"\r\n\r\n1\r\n--"
        + b"x" * 71
        + b"--",
        "bad-boundary",
        14,
    ),
    (
        "rfc2557-m80-boundary-of-odd-characters",
        b'Content-Type: multipart/mixed; boundary="a*b"\r\n\r\n--a*b\r\n\r\n--a*b--',
        "bad-boundary",
        14,
    ),
    (
        "rfc2557-m84-not-closed",
        HEAD + b"--b\r\n" + PAGE,
        "not-closed",
        len(HEAD + b"--b\r\n" + PAGE),
    ),
    ("rfc2557-m84-no-parts", HEAD + PAGE, "no-parts", len(HEAD)),
    ("rfc2557-m85-envelope-line", b"From someone\r\nSubject: x\r\n\r\nx", "envelope-line", 0),
    (
        "rfc2557-m85-envelope-line-of-an-inner-message",
        b"Content-Type: message/rfc822\r\n\r\nFrom someone\r\nSubject: x\r\n\r\nx",
        "envelope-line",
        32,
    ),
    (
        "rfc2557-m86-no-empty-line",
        PLAIN + b"--b\r\nX: y\r\n--b--",
        "heading-not-ended",
        len(PLAIN) + 11,
    ),
    (
        "rfc2557-m86-odd-line",
        PLAIN + b"--b\r\nX: y\r\nodd\r\nZ: w\r\n\r\n--b--",
        "bad-field",
        len(PLAIN) + 11,
    ),
    ("rfc2557-m86-bad-type", b"Content-Type: text\r\n\r\nx", "bad-content-type", 14),
    (
        "rfc2557-m86-type-given-twice",
        b"Content-Type: text/css\r\nContent-type: text/html\r\n\r\nx",
        "duplicate-field",
        38,
    ),
    (
        "rfc2557-m87-unknown-encoding",
        b"Content-Transfer-Encoding: x-uue\r\n\r\nx",
        "unknown-encoding",
        27,
    ),
    (
        "rfc2557-m88-foreign-character",
        b"Content-Transfer-Encoding: base64\r\n\r\nAAAA\r\nA*AA",
        "bad-base64",
        44,
    ),
    (
        "rfc2557-m88-after-the-padding",
        b"Content-Transfer-Encoding: base64\r\n\r\nAA==AAAA",
        "bad-base64",
        39,
    ),
    (
        "rfc2557-m88-no-whole-group",
        b"Content-Transfer-Encoding: base64\r\n\r\nAAAAA",
        "short-base64",
        42,
    ),
    (
        "rfc2557-m88-no-octet",
        b"Content-Transfer-Encoding: quoted-printable\r\n\r\na=3Db=4",
        "bad-quoted-printable",
        52,
    ),
    (
        "rfc2557-m89-encoded-multipart",
        HEAD.replace(b"\r\n\r\n", b"\r\nContent-Transfer-Encoding: base64\r\n\r\n")
        + b"--b\r\n"
        + PAGE
        + b"\r\n--b--",
        "multipart-encoded",
        88,
    ),
    (
        "rfc2557-m89-encoded-message",
        b"Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA",
        "message-encoded",
        0,
    ),
    ("rfc2557-r45-content-id", b"Content-ID: a@b\r\n\r\nx", "bad-content-id", 12),
]


@pytest.mark.parametrize(
    ("source", "code", "offset"), [c[1:] for c in FAULTS], ids=[c[0] for c in FAULTS]
)
def test_a_fault_is_reported_at_its_place(source: bytes, code: str, offset: int) -> None:
    aggregate = mhtml.open(source)
    assert [(each.code, each.offset) for each in aggregate.defects] == [(code, offset)]
    assert aggregate.root.path
    with pytest.raises(ParseError) as error:
        mhtml.open(source, strict=True)
    assert error.value.offset == offset
    assert error.value.spec == mhtml.DEFECTS[code][0]


NO_MESSAGES = [
    ("rfc2557-m85-html", b"<!doctype html><p>x", 0),
    ("rfc2557-m85-pdf", b"%PDF-1.7\n%\xe2\xe3", 0),
    ("rfc2557-m85-text", b"Dear Ann: this is a letter.\r\n\r\nYours", 0),
    ("rfc2557-m85-other-fields", b"Host: x\r\nAccept: y\r\n\r\n", 0),
    ("rfc2557-m85-nothing", b"", 0),
    ("rfc2557-m85-empty-lines", b"\r\n\r\nx", 4),
    ("rfc2557-m85-zeros", b"\0" * 100, 0),
    ("rfc2557-m85-zip", b"PK\x03\x04" + bytes(40), 0),
]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(
    ("source", "offset"), [c[1:] for c in NO_MESSAGES], ids=[c[0] for c in NO_MESSAGES]
)
def test_what_is_no_message_is_refused(source: bytes, offset: int, *, strict: bool) -> None:
    with pytest.raises(ParseError, match="expected an MHTML or MIME message") as error:
        mhtml.open(source, strict=strict)
    assert error.value.offset == offset


MESSAGES = [
    ("rfc2557-m85-mark", b"\xef\xbb\xbfSubject: x\r\n\r\nx"),
    ("rfc2557-m85-envelope", b"From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\nx"),
    ("rfc2557-m85-empty-line-first", b"\r\nContent-Type: text/html\r\n\r\nx"),
    ("rfc2557-m85-space-before-the-colon", b"Content-Type : text/html\r\n\r\nx"),
    ("rfc2557-m85-heading-alone", b"MIME-Version: 1.0"),
]


@pytest.mark.parametrize("source", [c[1] for c in MESSAGES], ids=[c[0] for c in MESSAGES])
def test_what_is_a_message_is_read(source: bytes) -> None:
    assert mhtml.open(source).root.path == "1"


LIMITS = [
    # id, limits, source, code
    ("rfc2557-m92-depth", mhtml.Limits(depth=1), NESTED % (b"in", b"in", b"in"), "too-deep"),
    (
        "rfc2557-m92-heading",
        mhtml.Limits(heading_bytes=100),
        b"Subject: x\r\n" + b"X: y\r\n" * 50,
        "heading-too-long",
    ),
    (
        "rfc2557-m92-decoded",
        mhtml.Limits(decoded_bytes=2),
        HEAD + b"--b\r\n" + PAGE + b"\r\n--b--",
        "decoded-too-long",
    ),
]


@pytest.mark.parametrize(
    ("limits", "source", "code"), [c[1:] for c in LIMITS], ids=[c[0] for c in LIMITS]
)
def test_a_limit_of_one_part_is_a_defect(limits: mhtml.Limits, source: bytes, code: str) -> None:
    codes = [each.code for each in mhtml.open(source, limits=limits).defects]
    assert code in codes
    assert code not in [each.code for each in mhtml.open(source).defects]


def test_rfc2557_m92_limits_of_the_whole_raise() -> None:
    """rfc2557-m92."""
    source = HEAD + (b"--b\r\n" + PAGE + b"\r\n") * 3 + b"--b--"
    with pytest.raises(LimitError) as error:
        mhtml.open(source, limits=mhtml.Limits(parts=3))
    assert (error.value.limit, error.value.maximum) == ("parts", 3)
    part = mhtml.open(source, limits=mhtml.Limits(parts=4, decoded_bytes=2)).root
    with pytest.raises(LimitError):
        part.content  # noqa: B018 - reading it is what fails


def test_rfc2557_m91_a_changed_part_leaves_the_rest_alone() -> None:
    """rfc2557-m91."""
    source = b"before\r\n".join([HEAD, b"--b\r\n" + PAGE + b"\r\n--b\t\r\n\r\n2\r\n--b--\r\nafter"])
    aggregate = mhtml.open(source)
    new = b"Content-Type: text/plain\r\n\r\nnew"
    assert b"".join(aggregate.rebuilt({"1": new})) == source.replace(PAGE, new)
    assert b"".join(aggregate.rebuilt({})) == source


@pytest.mark.parametrize("new", [b"\r\n\r\nx\r\n--b\r\ny", b"X: y\r\n\r\n--b--", b"--b\r\n"])
def test_rfc2557_m91_a_changed_part_cannot_end_the_aggregate(new: bytes) -> None:
    """rfc2557-m91."""
    aggregate = mhtml.open(HEAD + b"--b\r\n" + PAGE + b"\r\n--b--\r\n")
    with pytest.raises(ParseError, match="delimiter"):
        b"".join(aggregate.rebuilt({"1": new}))


def test_rfc2557_m91_a_part_inside_a_changed_one_cannot_be_changed() -> None:
    """rfc2557-m91."""
    aggregate = mhtml.open(NESTED % (b"in", b"in", b"in"))
    with pytest.raises(ParseError):
        b"".join(aggregate.rebuilt({"1": b"\r\n", "1.1": b"\r\n"}))


def test_a_defect_says_what_is_wrong_and_where() -> None:
    (defect,) = mhtml.open(HEAD + b"--b\r\n" + PAGE + b"\r\n--b\r\n\r\n").defects
    assert str(defect) == (
        "not-closed at 107: the closing delimiter of a multipart is missing [RFC 2046 §5.1.1]"
    )
    inner = mhtml.Defect("bad-content-id", 7, "3.1", "x")
    assert str(inner) == (
        "bad-content-id at 7: part 3.1: a Content-ID stands in angle brackets (x) [RFC 2045 §7]"
    )


def test_a_boundary_that_is_not_named_is_taken_from_the_first_delimiter() -> None:
    start = b"Content-Type: multipart/mixed\r\n\r\n"
    assert bodies(start + b"\r\n--x\r\n\r\n1\r\n--x--") == [("1", b"1")]
    assert bodies(start + b"no delimiter") == [("1", b"no delimiter")]


def test_a_heading_longer_than_the_first_read_is_read_whole() -> None:
    lines = b"".join(b"X-%d: y\r\n" % n for n in range(2000))
    part = mhtml.open(HEAD + b"--b\r\n" + lines + b"\r\nx\r\n--b--").part("1")
    assert (len(part.heading.fields), part.body) == (2000, b"x")


def test_every_code_of_a_defect_is_documented() -> None:
    page = Path(__file__).resolve().parents[2] / "docs/how-to/read-and-write-mhtml.md"
    rows = [line.split(" | ") for line in page.read_text(encoding="utf-8").splitlines()]
    listed = {row[0].strip("|` "): (row[2].strip("| "), row[1]) for row in rows if len(row) == 3}
    assert {code: listed.get(code) for code in mhtml.DEFECTS} == mhtml.DEFECTS


def test_bytes_maps_and_files_read_alike(tmp_path: Path) -> None:
    parts = [mhtml.Resource(bytes(range(256)) * 9000, "image/gif", f"http://a/{n}") for n in "123"]
    source = mhtml.build(mhtml.Resource(b"<p>", "text/html", "http://a/"), parts)
    path = tmp_path / "x.mhtml"
    path.write_bytes(source)
    expected = [part.content for part in mhtml.open(source).body_parts]
    with mhtml.open(path) as aggregate:
        assert [part.content for part in aggregate.body_parts] == expected
        assert aggregate.raw == source
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert [part.content for part in mhtml.open(mapped).body_parts] == expected
    nested = tmp_path / "nested.mhtml"
    nested.write_bytes(NESTED.replace(b"1.1", b"\n--x\n" * 400_000) % (b"in", b"in", b"in"))
    with mhtml.open(nested) as aggregate:
        assert [part.path for part in aggregate.body_parts] == ["1", "1.1", "2"]
    view = io.BytesIO(source).getbuffer()
    assert [part.content for part in mhtml.open(view).body_parts] == expected


DIGEST = b"Content-Type: multipart/digest; boundary=b\r\n\r\n"
DIGESTED = [
    # id, the octets of the one part, its media type, the bodies inside and their subjects
    ("no-type", b"\r\nSubject: s\r\n\r\nx", "message/rfc822", [("s", b"x")]),
    ("other-fields", b"X: y\r\n\r\nSubject: s\r\n\r\nx", "message/rfc822", [("s", b"x")]),
    ("mailbox-line", b"\r\nFrom me\nSubject: s\r\n\r\nx", "message/rfc822", [("s", b"x")]),
    ("typed", b"Content-Type: text/plain\r\n\r\nSubject: s\r\n\r\nx", "text/plain", []),
    ("bad-type", b"Content-Type: text\r\n\r\nSubject: s\r\n\r\nx", "text/plain", []),
]


@pytest.mark.parametrize(
    ("part", "media_type", "inside"),
    [row[1:] for row in DIGESTED],
    ids=[f"rfc2557-m86-digest-{row[0]}" for row in DIGESTED],
)
def test_a_part_of_a_digest_is_a_message_unless_it_says_otherwise(
    part: bytes, media_type: str, inside: list[tuple[str | None, bytes]]
) -> None:
    first = mhtml.open(DIGEST + b"--b\r\n" + part + b"\r\n--b--\r\n").body_parts[0]
    assert first.content_type == media_type
    messages = [(one.heading.text("Subject"), one.body) for one in first.body_parts]
    assert messages == inside


FORWARDED = (
    b"Subject: inner\r\nMessage-ID: <m@b>\r\nContent-Location: http://a/d/\r\n"
    + HEAD
    + b"--b\r\n"
    + PAGE
    + b"\r\n--b\r\nContent-Type: image/gif\r\nContent-Location: x.gif\r\n\r\nGIF89a\r\n--b--\r\n"
)
FORWARD = b"Subject: outer\r\nContent-Type: message/rfc822\r\n\r\n"


def test_rfc2557_m86_an_aggregate_that_is_the_whole_of_another_message() -> None:
    """rfc2557-m86."""
    aggregate = mhtml.open(FORWARD + FORWARDED)
    parts = (aggregate.message, *aggregate.body_parts)
    assert [(part.path, part.content_type, part.is_message) for part in parts] == [
        ("", "message/rfc822", True),
        ("1", "multipart/related", True),
        ("1.1", "text/html", False),
        ("1.2", "image/gif", False),
    ]
    assert aggregate.message.content == aggregate.part("1").raw == FORWARDED
    assert aggregate.root is aggregate.part("1.1")
    assert aggregate.subject == "outer"
    assert aggregate.location is None
    assert aggregate.resolve("x.gif").part is aggregate.part("1.2")
    assert aggregate.resolve("mid:m@b").part is aggregate.part("1")
    assert aggregate.defects == ()


@pytest.mark.parametrize("profile", ["archive", "mail", "chromium"])
def test_rfc2557_m86_such_an_aggregate_is_rewritten(profile: mhtml.Profile) -> None:
    """rfc2557-m86."""
    again = mhtml.open(mhtml.rewritten(FORWARD + FORWARDED, profile=profile))
    message = again.part("1")
    assert (again.subject, message.content_type) == ("outer", "message/rfc822")
    assert message.content == FORWARDED
    found = again.resolve("x.gif")
    assert (again.root.path, found.uri) == ("1.1.1", "http://a/d/x.gif")
    assert found.part is not None
    assert found.part.content == b"GIF89a"


def test_rfc2557_m87_an_outermost_message_in_a_transfer_encoding_is_not_opened() -> None:
    """rfc2557-m87."""
    head = FORWARD.replace(b"\r\n\r\n", b"\r\nContent-Transfer-Encoding: base64\r\n\r\n")
    aggregate = mhtml.open(head + b"U3ViamVjdDogeA0KDQp4")
    assert [part.path for part in aggregate.body_parts] == ["1"]
    assert aggregate.root.content == b"Subject: x\r\n\r\nx"
    assert [defect.code for defect in aggregate.structure_defects] == ["message-encoded"]
