"""The words of e-mail: each rule of docs/explanation/the-words-of-mail.md by an example."""

from __future__ import annotations

import pytest

from permacite.renditions import Notice, Original, Rendered, rendition_named

HEAD = "Subject: =?utf-8?Q?L=C3=A4rm?=\nX-Other: no\nFrom: Jane Roe <jane@a.example>\n"
DATE = "Date: Sun, 22 Nov 2026 20:00:00 +0000\n"
FIELDS = "From: Jane Roe <jane@a.example>\r\nSubject: L\u00e4rm\r\n"


def rendered(source: str | bytes) -> Rendered:
    content = source if isinstance(source, bytes) else source.encode()
    return rendition_named("mail-text/1")(Original(content, "message/rfc822"))


def multipart(kind: str, *parts: str, boundary: str = "b") -> str:
    inner = "".join(f"--{boundary}\n{part}\n" for part in parts)
    return f"Content-Type: multipart/{kind}; boundary={boundary}\n\n{inner}--{boundary}--\n"


def part(kind: str, content: str, *, name: str = "", attached: bool = False) -> str:
    place = "attachment" if attached else "inline"
    file_name = f'Content-Disposition: {place}; filename="{name}"\n' if name or attached else ""
    return f"Content-Type: {kind}\n{file_name}\n{content}"


PLAIN, HTML = part("text/plain", "plain"), part("text/html", "<p>page<br>b</p>")
RULES = [
    # what it shows, the rest of the message, what stands behind the fields
    ("2 text", "\n\n a  b\n\tc\n\n\n", [" a  b\r\n\tc"]),
    ("2 charset", "Content-Type: text/plain; charset=utf-8\n\n\u00e4\n", ["\u00e4"]),
    ("2 page", HTML, ["page\r\nb"]),
    ("2 order", multipart("mixed", HTML, PLAIN), ["page\r\nb", "plain"]),
    ("2 no words", multipart("related", PLAIN, part("text/css", "no")), ["plain"]),
    ("3 alternatives", multipart("alternative", PLAIN, HTML), ["page\r\nb"]),
    ("3 last known", multipart("alternative", PLAIN, part("text/calendar", "no")), ["plain"]),
    ("3 nested", multipart("alternative", PLAIN, multipart("related", HTML, boundary="c")),
     ["page\r\nb"]),
    ("4 message", multipart("mixed", PLAIN, part("message/rfc822", "Subject: in\n\nwords")),
     ["plain", "Subject: in", "words"]),
    ("5 NUL", "\na\x00b", ["ab"]),
]  # fmt: skip


@pytest.mark.parametrize(("rest", "pieces"), [c[1:] for c in RULES], ids=[c[0] for c in RULES])
def test_rules(rest: str, pieces: list[str]) -> None:
    assert rendered(HEAD + rest).text == "\r\n".join([FIELDS, *(f"{one}\r\n" for one in pieces)])


def test_attachments_and_messages_are_named() -> None:
    """Rule 6."""
    note = part("text/plain", "note", name="=?utf-8?Q?n=C3=B6te.txt?=", attached=True)
    inner = "Content-ID: <m@a>\n" + part("message/rfc822", "Subject: in\n\nwords")
    picture = part("image/png", "x", name="p.png")
    found = rendered(HEAD + multipart("mixed", PLAIN, note, inner, picture))
    assert [
        (each.kind, each.name, found.text[each.start : each.end], each.target)
        for each in found.labels
    ] == [
        ("attachment", "n\u00f6te.txt", "note", ""),
        ("message", "in", "Subject: in\r\n\r\nwords", "cid:m@a"),
    ]
    assert found.notices == (Notice("attachments", "1 attachments have no words: p.png"),)


def test_the_fields_state_title_author_and_date() -> None:
    found = rendered(HEAD + DATE + "\na")
    assert found.text.startswith("From: Jane Roe <jane@a.example>\r\nDate: Sun, 22 Nov 2026")
    assert [(claim.field, claim.value) for claim in found.stated] == [
        ("title", "L\u00e4rm"),
        ("author", "Jane Roe <jane@a.example>"),
        ("issued", "22 Nov 2026 20:00:00 +0000"),
    ]


def test_encrypted_mail_is_reported() -> None:
    """Rule 7."""
    sealed = 'Content-Type: application/pkcs7-mime; name="smime.p7m"\n\nxx'
    codes = [notice.code for notice in rendered(HEAD + sealed).notices]
    assert codes == ["attachments", "encrypted"]
