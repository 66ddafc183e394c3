"""Profile "mail": an aggregate crosses a real mail transfer and means the same when it arrives."""

from __future__ import annotations

import email
import email.policy
import smtplib
import socket
from typing import TYPE_CHECKING

import pytest
from aiosmtpd.controller import Controller

from permacite import mhtml
from permacite.mhtml import links

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aiosmtpd.smtp import SMTP, Envelope, Session

LINES = ".\n..\n.dot\nFrom here\n>From there\n--x\n--\n=\n=3D\n \n\t\n" + "x" * 5000 + "\n"
PAGE = (
    f'<meta charset=utf-8><title>caf\xe9 \u65e5\u672c</title><pre>{LINES}</pre><img src="i.gif">'
    '<img src="a b.gif"><img src="caf\xe9.gif"><img src="cid:n@x"><iframe src="f/f.html"></iframe>'
)
FRAME = '<p>\xe9<img src="../i.gif"><img src="in.gif">'


def held() -> tuple[mhtml.Resource, list[mhtml.Resource | mhtml.Multipart]]:
    """Return a page and what it refers to: odd names, a nested aggregate, every octet there is."""
    every = bytes(range(256)) * 400
    parts: list[mhtml.Resource | mhtml.Multipart] = [
        mhtml.Resource(b"GIF89a" + every, "image/gif", "http://a.example/i.gif"),
        mhtml.Resource(b"GIF89a2", "image/gif", "http://a.example/a b.gif"),
        mhtml.Resource(b"GIF89a3", "image/gif", "http://a.example/caf\xe9.gif"),
        mhtml.Resource(b"GIF89a4", "image/gif", None, "n@x"),
        mhtml.Resource(b"GIF89a5", "image/gif", "http://a.example/" + "long/" * 60 + "x.gif"),
        mhtml.Multipart(
            (
                mhtml.Resource(FRAME.encode("utf-16"), "text/html; charset=utf-16"),
                mhtml.Resource(b"GIF89a6", "image/gif", "in.gif"),
            ),
            content_location="http://a.example/f/f.html",
        ),
    ]
    root = mhtml.Resource(PAGE.encode(), "text/html; charset=utf-8", "http://a.example/")
    return root, parts


class _Inbox:
    """Keeps what is delivered."""

    def __init__(self) -> None:
        self.messages: list[bytes] = []

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 - its name
        assert isinstance(envelope.original_content, bytes)
        self.messages.append(envelope.original_content)
        return "250 OK"


@pytest.fixture
def inbox() -> Iterator[tuple[_Inbox, int]]:
    """Return a mail server on loopback: what arrives there, and its port."""
    kept = _Inbox()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    # Only the plain protocol: lines of at most 1000 octets, no names beyond ASCII.
    controller = Controller(kept, hostname="127.0.0.1", port=port, enable_SMTPUTF8=False)
    controller.start()
    yield kept, port
    controller.stop()


def answers(aggregate: mhtml.Aggregate) -> list[tuple[str, str, str | None, bytes]]:
    """Return every reference of every part, what it means, and its content but for line ends."""
    found = []
    for part in aggregate.body_parts:
        for link in links.references(part.content, part.content_type, part.charset):
            answer = aggregate.resolve(link.value, within=part)
            shown = answer.root
            path = None if shown is None else shown.path
            content = b"" if shown is None else shown.content.replace(b"\r\n", b"\n")
            found.append((part.path, link.value, path, content))
    return found


def test_an_aggregate_survives_a_real_transfer(inbox: tuple[_Inbox, int]) -> None:
    root, parts = held()
    headers = (("From", "ann@a.example"), ("To", "bob@b.example"))
    sent = mhtml.build(root, parts, profile="mail", subject="caf\xe9 " * 40, headers=headers)
    kept, port = inbox
    with smtplib.SMTP("127.0.0.1", port) as client:
        assert client.sendmail("ann@a.example", ["bob@b.example"], sent) == {}
    (received,) = kept.messages
    aggregate = mhtml.open(received, strict=True)
    assert received == sent
    assert aggregate.subject == ("caf\xe9 " * 40).strip()
    assert answers(aggregate) == answers(mhtml.open(mhtml.build(root, parts)))
    assert all(path is not None for _, _, path, _ in answers(aggregate))


def test_mail_systems_that_rewrite_line_ends_do_no_harm() -> None:
    root, parts = held()
    sent = mhtml.build(root, parts, profile="mail")
    stored = sent.replace(b"\r\n", b"\n")
    trimmed = b"\n".join(line.rstrip() for line in stored.split(b"\n"))
    expected = [part.content for part in mhtml.open(sent).body_parts if not part.body_parts]
    for source in (stored, trimmed):
        aggregate = mhtml.open(source)
        read = [part.content for part in aggregate.body_parts if not part.body_parts]
        assert [each.replace(b"\r\n", b"\n") for each in read] == [
            each.replace(b"\r\n", b"\n") for each in expected
        ]


def test_the_standard_library_finds_the_same_parts() -> None:
    root, parts = held()
    sent = mhtml.build(root, parts, profile="mail", subject="caf\xe9")
    message = email.message_from_bytes(sent, policy=email.policy.default)
    assert message["subject"] == "caf\xe9"
    assert message.defects == []
    walked = [part for part in message.walk() if not part.is_multipart()]
    assert [defect for part in walked for defect in part.defects] == []
    ours = [part for part in mhtml.open(sent).body_parts if not part.body_parts]
    assert [part.get_payload(decode=True) for part in walked] == [part.content for part in ours]
    assert [part.get_content_type() for part in walked] == [part.content_type for part in ours]
