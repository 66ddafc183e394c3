"""RFC 2045, 2046 and 2047 beside the messages of three readers of mail.

apache/james-mime4j says how each message divides, with every raw field and body;
stalwartlabs/mail-parser says where each part stands, and its text; SpamScope/mail-parser has
messages of spam alone, with which Python's own `email` is asked.
"""

from __future__ import annotations

import email
import html
import json
import re
from typing import TYPE_CHECKING, Any

from tests.outside.conftest import Suite

from permacite import mhtml
from permacite.charsets import decode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_TAG = re.compile(r"<(/?)(message|multipart|body-part|body|header|field|preamble|epilogue)>\r?\n")


def divided(place: Path) -> Iterator[tuple[str, object]]:
    """Yield each message of james-mime4j with what is told of it."""
    folder = place / "core/src/test/resources"
    for path in sorted(folder.rglob("*.msg")):
        told = path.with_suffix(".xml").read_bytes().decode("latin-1")
        yield f"{path.parent.name}/{path.stem}", (path.read_bytes(), told)


def placed(place: Path) -> Iterator[tuple[str, object]]:
    """Yield each sound message of stalwartlabs with its parts, line ends as it counts them."""
    folder = place / "resources/eml"
    for path in sorted(folder.rglob("*.eml")):
        if path.parent.name != "malformed":
            told = json.loads(path.with_suffix(".json").read_text("utf-8"))
            source = path.read_bytes().replace(b"\r\n", b"\n")
            yield f"{path.parent.name}/{path.stem}", (source, told)


def spam(place: Path) -> Iterator[tuple[str, object]]:
    """Yield each message of SpamScope; `mail_outlook` is of another format."""
    for path in sorted((place / "tests/mails").glob("mail_[mt]*")):
        yield path.name, path.read_bytes()


ENCODED = "a message of its own MUST NOT be encoded (RFC 2046 §5.2.1): kept as it is, and reported"
KEPT = "where no delimiter stands the body is kept as one part, and reported, not dropped"
BLANK = "a line of a space does not end a heading here, and the body begins at the first other line"
CUT = "a heading that a delimiter cuts off ends there; the parts behind it are those of its parent"
PADDED = (
    "a boundary does not end in a space (RFC 2046 §5.1.1): what follows it on the line is padding"
)
HEADLESS = "what has no heading is no message: an error"
STANDARD_64 = "base64 ends at its padding (RFC 2045 §6.8); what follows is reported, not decoded"
SUITES = {
    "message": Suite(
        "apache/james-mime4j",
        divided,
        {
            "mimetools-testmsgs/badbound": KEPT,
            "mimetools-testmsgs/hdr-fakeout": BLANK,
            "mimetools-testmsgs/multi-2gifs-base64": ENCODED,
            "testmsgs/bad-newlines-multiple-parts-base64": ENCODED,
            "testmsgs/base64encoded-rfc822message": ENCODED,
            "testmsgs/base64encoded-rfc822message-nested": ENCODED,
            "testmsgs/basic-plain-with-bad-header-separator": BLANK,
            "testmsgs/ending-boundaries": "a delimiter is a whole line, so that a boundary which"
            " begins with another one is told apart from it",
            "testmsgs/malformedHeader-noheader": HEADLESS,
            "testmsgs/malformedHeaderStartsBody-nocrlfcrlf": "a line in a heading that is no field"
            " is left out; the heading ends at the empty line",
            "testmsgs/malformedHeaderStartsBody-noheader": HEADLESS,
            "testmsgs/missing-boundary": KEPT,
            "testmsgs/missing-inner-boundary": KEPT,
            "testmsgs/missing-inner-start-boundary": KEPT,
            "testmsgs/multipartnopart": KEPT,
            "testmsgs/very-long-boundary": PADDED,
            "testmsgs/very-very-long-boundary": PADDED,
            "testmsgs/weird-boundary": PADDED,
        },
    ),
    "located": Suite(
        "stalwartlabs/mail-parser",
        placed,
        {
            "legacy/049": "a CR at the very end is an octet of the body",
            "rfc/008": ENCODED,
            "thirdparty/005": "a delimiter begins a line, in binary content too",
            "thirdparty/015": CUT,
        },
    ),
    "decoded": Suite(
        "stalwartlabs/mail-parser",
        placed,
        {
            "legacy/049": "a CR at the very end is an octet of the body",
            "rfc/000": "words in place of base64 are decoded as far as they can be",
            "rfc/008": ENCODED,
            "thirdparty/002": STANDARD_64,
            "thirdparty/005": "a delimiter begins a line, in binary content too",
            "thirdparty/010": "octets beyond us-ascii are not guessed to be of another charset",
            "thirdparty/015": CUT,
        },
    ),
    "mail": Suite(
        "SpamScope/mail-parser",
        spam,
        {
            "mail_malformed_1": "a multipart without parts is one part of text here",
            "mail_malformed_2": "fields within message/delivery-status are no parts here",
            "mail_malformed_3": "a multipart without parts is one part of text here",
            "mail_test_15": "MIME has no uuencode: its octets are kept as they are, and reported",
        },
    ),
}


def outline(told: str) -> Iterator[tuple[str, str]]:
    """Yield the parts that mime4j tells of, in order: "multipart", "message", or a raw body."""
    end = 0
    for tag in _TAG.finditer(told):
        if tag[2] == "body" and tag[1]:
            yield "body", html.unescape(told[end : tag.start()])
        elif tag[2] in {"multipart", "message"} and not tag[1]:
            yield tag[2], ""
        end = tag.end()


def ours(part: mhtml.BodyPart) -> Iterator[tuple[str, str]]:
    """Yield our parts in the same words."""
    if part.is_message:
        yield "message", ""
    if part.is_multipart:
        yield "multipart", ""
    if not part.body_parts:
        yield "body", part.body.decode("latin-1")
    for each in part.body_parts:
        yield from ours(each)


def places(told: dict[str, Any], number: int = 0) -> Iterator[tuple[int, int, int]]:
    """Yield where each part stands that stalwartlabs tells of: heading, body, end."""
    part = told["parts"][number]
    yield part["offset_header"], part["offset_body"], part["offset_end"]
    ((kind, body),) = part["body"].items()
    if kind == "Message":
        yield from places(body)
    for inner in body if kind == "Multipart" else ():
        yield from places(told, inner)


def contents(told: dict[str, Any]) -> Iterator[str | bytes]:
    """Yield the decoded text or octets of each part that holds no other."""
    for part in told["parts"]:
        ((kind, body),) = part["body"].items()
        if kind == "Message":
            yield from contents(body)
        elif kind != "Multipart":
            yield body if isinstance(body, str) else bytes(body)


def walk(part: mhtml.BodyPart) -> Iterator[mhtml.BodyPart]:
    """Yield a part and all inside it, in the order of the file."""
    yield part
    for each in part.body_parts:
        yield from walk(each)


def test_messages_are_divided_as_mime4j_does(message: tuple[bytes, str]) -> None:
    source, told = message
    with mhtml.open(source) as aggregate:
        assert list(ours(aggregate.message)) == list(outline(told))


def test_parts_stand_where_stalwartlabs_finds_them(located: tuple[bytes, dict[str, Any]]) -> None:
    source, told = located
    with mhtml.open(source) as aggregate:
        stands = [(each.offset, each.body_offset, each.end) for each in walk(aggregate.message)]
    assert stands == list(places(told))


def test_parts_are_decoded_as_stalwartlabs_does(decoded: tuple[bytes, dict[str, Any]]) -> None:
    source, told = decoded
    wanted = list(contents(told))
    with mhtml.open(source) as aggregate:
        parts = [each for each in walk(aggregate.message) if not each.body_parts]
        octets = [(each.content, each.charset or "utf-8") for each in parts]
    assert len(octets) == len(wanted)
    for (content, charset), value in zip(octets, wanted, strict=True):
        assert (decode(content, charset) if isinstance(value, str) else content) == value


def test_spam_is_read_as_the_standard_library_reads_it(mail: bytes) -> None:
    leaves = [part for part in email.message_from_bytes(mail).walk() if not part.is_multipart()]
    with mhtml.open(mail) as aggregate:
        parts = [each for each in walk(aggregate.message) if not each.body_parts]
        assert [each.content_type for each in parts] == [leaf.get_content_type() for leaf in leaves]
        assert [each.content for each in parts] == [
            leaf.get_payload(decode=True) for leaf in leaves
        ]
