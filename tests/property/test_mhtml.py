"""MHTML laws: round trips, no failures, and pieces make the whole."""

from __future__ import annotations

import binascii
import email
import email.policy
import quopri
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from permacite import mhtml
from permacite.errors import LimitError, ParseError
from permacite.mhtml.label import read_location, write_location
from permacite.mhtml.mime import transfer
from permacite.mhtml.mime.octets import octets_of
from permacite.mhtml.mime.parameters import parse_structured
from permacite.mhtml.mime.words import decode_text, encode_text

PROFILES: tuple[mhtml.Profile, ...] = ("archive", "mail", "chromium")

# What messages are made of, and what breaks them.
FRAGMENTS = [
    *["--b", "--b--", "--c", "--bc", "\r\n", "\n", "\r", "\r\n\r\n", " ", "\t", ":", ";", "=", '"'],
    *["Content-Type: multipart/related; boundary=b", "Content-Type: multipart/mixed; boundary=c"],
    *["Content-Type: message/rfc822", "Content-Type: text/html", "boundary=bc", "(", ")", "<p>"],
    *["Content-Transfer-Encoding: base64", "Content-Transfer-Encoding: quoted-printable", "=3D"],
    *["Content-Location: http://a/b", "Content-Location: c", "Content-ID: <a@b>", "=\r\n", "AAAA"],
    *["=?utf-8?Q?=C3=A9?=", "=?x?B?AA==?=", '<base href="x">', "\xe9", "\0", "start=<a@b>", "cid:"],
]
MESSAGES = st.lists(st.sampled_from(FRAGMENTS), max_size=40).map(
    lambda words: "".join(words).encode("latin-1")
)
STARTED = MESSAGES.map(lambda rest: b"Content-Type: multipart/related; boundary=b\r\n" + rest)
TYPES = st.sampled_from(
    ["text/html", "text/plain; charset=utf-8", "image/png", "text/css", "application/x-y"]
)
LABELS = st.text(min_size=1, max_size=60).filter(lambda text: text.strip() != "")


@given(st.one_of(STARTED, MESSAGES, st.binary(max_size=300)))
@example(b"Content-Type: multipart/related; boundary=b\r\n\r\n--b")
def test_any_octets_are_a_message_or_an_error_and_come_back(source: bytes) -> None:
    try:
        aggregate = mhtml.open(source)
    except ParseError as error:
        offset = error.offset
    else:
        offset = require_whole(aggregate, source)
    assert 0 <= offset <= len(source)


def require_whole(aggregate: mhtml.Aggregate, source: bytes) -> int:
    """Assert that the parts of a message are inside each other and make it; return its size."""
    leaves = {part.path: part.raw for part in aggregate.body_parts if not part.body_parts}
    assert b"".join(aggregate.rebuilt(leaves)) == source
    assert aggregate.root in aggregate.body_parts
    for part in aggregate.body_parts:
        assert 0 <= part.offset <= part.body_offset <= part.end <= len(source)
        assert b"".join(part.pieces(7)) == part.content
        outer = part.parent or part
        assert outer.offset <= part.offset <= part.end <= outer.end
    for defect in aggregate.defects:
        assert 0 <= defect.offset <= len(source)
        assert defect.problem
        assert defect.spec
    return aggregate.size_bytes


@given(st.one_of(STARTED, MESSAGES), st.text(max_size=30))
def test_any_reference_has_an_answer(source: bytes, reference: str) -> None:
    try:
        aggregate = mhtml.open(source)
    except ParseError:
        return
    for part in aggregate.body_parts[:4]:
        for profile in ("rfc", "browser"):
            chosen: mhtml.Matching = "browser" if profile == "browser" else "rfc"
            found = aggregate.resolve(reference, within=part, profile=chosen)
            assert (found.part is None) == (found.kind in {"none", "external"})
            assert str(found)


@given(st.one_of(STARTED, MESSAGES))
def test_every_message_that_is_read_can_be_rewritten(source: bytes) -> None:
    try:
        aggregate = mhtml.open(source)
    except ParseError:
        return
    for profile in PROFILES:
        try:
            again = mhtml.open(mhtml.rewritten(source, profile=profile))
        except LimitError:
            continue
        if profile == "archive":
            assert again.root.content == aggregate.root.content


@given(
    st.binary(max_size=200),
    st.lists(st.tuples(st.binary(max_size=300), TYPES), max_size=6),
    st.text(max_size=30),
)
def test_what_is_written_is_read_again(
    page: bytes, contents: list[tuple[bytes, str]], subject: str
) -> None:
    root = mhtml.Resource(page, "application/octet-stream", "http://a/")
    parts = [
        mhtml.Resource(content, media_type, f"http://a/{number}")
        for number, (content, media_type) in enumerate(contents)
    ]
    subject = "".join(each for each in subject if each.isprintable() or each == " ")
    for profile in PROFILES:
        source = mhtml.build(root, parts, profile=profile, subject=subject)
        assert source == mhtml.build(root, parts, profile=profile, subject=subject)
        aggregate = mhtml.open(source)
        assert aggregate.structure_defects == ()
        assert aggregate.subject == " ".join(subject.split())
        read = [(part.content_location, part.content) for part in aggregate.body_parts]
        if profile == "archive":
            assert read == [(each.content_location, each.content) for each in (root, *parts)]
        assert [label for label, _ in read] == [each.content_location for each in (root, *parts)]
        assert read[0][1] == page
        counted = email.message_from_bytes(source, policy=email.policy.default)
        assert len(list(counted.iter_parts())) == len(parts) + 1


@given(LABELS)
def test_a_label_that_is_written_is_read_again(label: str) -> None:
    if any(ord(each) < 0x20 or 0xD7FF < ord(each) < 0xE000 for each in label):
        return
    for charset in ("utf-8", "iso-8859-1", "utf-16", None):
        value = write_location(label, charset=charset)
        assert value.isascii()
        assert all(len(line) <= 76 for line in value.split("\r\n"))
        read = read_location(value.encode("ascii"))
        # A space at either end is no part of a URI, and a semicolon behind one begins a note.
        if label == label.strip() and " ;" not in label:
            assert read.text == label or charset not in {"utf-8", "iso-8859-1"}


@given(st.binary(max_size=80))
def test_any_value_is_a_label(value: bytes) -> None:
    label = read_location(value)
    assert all(0 <= offset <= len(value) for _, offset in label.faults)


@given(st.text(max_size=80))
def test_a_text_that_is_written_is_read_again(text: str) -> None:
    text = "".join(each for each in text if each.isprintable())
    written = encode_text(text, "Subject").encode("ascii")
    unfolded = written.replace(b"\r\n", b"")
    assert decode_text(unfolded) == text


@given(st.text(max_size=80))
def test_any_value_has_parameters(value: str) -> None:
    head, parameters = parse_structured(value)
    assert head == head.lower()
    assert all(name == name.lower() for name in parameters)


@given(st.binary(max_size=400))
def test_base64_comes_back(octets: bytes) -> None:
    text = transfer.encode_base64(octets)
    assert transfer.decode_base64(text) == octets
    assert transfer.base64_fault(text) is None
    assert all(len(line) <= 76 for line in text.split(b"\r\n"))
    assert binascii.a2b_base64(text) == octets


@given(st.one_of(st.binary(max_size=400), st.text(" \t\r\n=.aF\xe9").map(str.encode)))
def test_quoted_printable_comes_back(octets: bytes) -> None:
    text = transfer.encode_quoted_printable(octets)
    assert transfer.decode_quoted_printable(text) == octets
    assert transfer.quoted_printable_fault(text) is None
    assert all(len(line) <= 76 for line in text.split(b"\r\n"))
    assert quopri.decodestring(text) == octets


@given(st.text(" \t\r\n=.aF3").map(str.encode))
@example(b"==\r===\r====\ra=\r \n")
@example(b"a= \t\r\nb =\r\nc \t\n=20 \r\n==\n=\rd\n=\r\r\ne =")
def test_any_quoted_printable_decodes_as_it_does_octet_by_octet(text: bytes) -> None:
    assert transfer.decode_quoted_printable(text) == one_by_one(text)


def one_by_one(text: bytes) -> bytes:
    """The octets of quoted-printable text, by the rules of RFC 2045 §6.7 alone."""
    pieces = []
    lines = re.split(rb"(\r?\n)", text)
    for line, end in zip(lines[::2], [*lines[1::2], b""], strict=True):
        rest, kept_end = line.rstrip(b" \t"), end
        while rest:
            if rest == b"=":
                rest = kept_end = b""
            elif match := re.match(rb"=([0-9A-Fa-f]{2})", rest):
                pieces.append(bytes.fromhex(match[1].decode()))
                rest = rest[3:]
            else:
                pieces.append(rest[:1])
                rest = rest[1 + rest.startswith(b"==") :]
        pieces.append(kept_end)
    return b"".join(pieces)


HYPHENS = [b"-", b"--", b"\n", b"\n-", b"\n--", b"\n--b", b"-" * 40, b"-x" * 40_000, b"y" * 70_000]


@given(st.lists(st.sampled_from(HYPHENS), max_size=8).map(b"".join), st.integers(0, 400_000))
def test_a_delimiter_is_found_where_plain_search_finds_it(source: bytes, start: int) -> None:
    for needle in (b"\n--", b"\n--b"):
        assert octets_of(source).find(needle, start) == source.find(needle, start)


@given(st.text("AZaz09+/= \r\n*-").map(str.encode))
def test_any_base64_decodes_alike_in_pieces_and_without_faults_only_if_there_are_none(
    text: bytes,
) -> None:
    whole = transfer.decode_base64(text)
    pieces = [text[at : at + 5] for at in range(0, len(text), 5)]
    assert b"".join(transfer.decode_pieces(pieces, "base64")) == whole
    if transfer.base64_fault(text) is None:
        assert binascii.a2b_base64(text.translate(None, b" \r\n"), strict_mode=True) == whole


@pytest.mark.parametrize("fast", [True, False])
@given(st.text("AZaz09+/= \r\n*-").map(str.encode))
def test_base64_decodes_alike_with_and_without_the_fast_library(fast: bool, text: bytes) -> None:  # noqa: FBT001
    kept = text.translate(None, b" \r\n*-").partition(b"=")[0]
    kept = kept[: len(kept) - (len(kept) % 4 == 1)]
    expected = binascii.a2b_base64(kept + b"=" * (-len(kept) % 4))
    assert (transfer.decode_base64 if fast else transfer.decode_leniently)(text) == expected
