"""Rendition of e-mail (RFC 5322, RFC 2045 to 2049): a message, its parts and its attachments.

docs/explanation/the-words-of-mail.md explains these rules, which are frozen: `mail-text/1`.

1.  The text begins with the fields From, To, Cc, Date and Subject, those that the message has, in
    this order, each on a line as "Name: value", folds undone and encoded words decoded. Of a field
    that stands twice the first counts.
2.  The parts follow, in the order of the message. text/plain and other text stand as they are
    written, text/html and XHTML as the rules of pages have them. Charsets are those of the heading,
    else of the text itself. Lines stay as they were sent, flowed ones too (RFC 3676). Style sheets
    and scripts are no text.
3.  Of multipart/alternative, the last part counts that is text/plain, text/html, XHTML, or holds
    one: what people were shown. Parts that are named as attachments are none of the alternatives.
4.  A message within the message has its fields and parts where it stands.
5.  Between two pieces of the text stands an empty line. Empty lines at the beginning of a piece and
    white space at its end are dropped. Line ends are CRLF. U+0000 is dropped.
6.  Labels: a part with a file name is an attachment of that name, a message within the message has
    its subject. The target is the Content-ID, as `cid:`. A notice reports attachments without
    words.
7.  What is encrypted or signed as a whole (S/MIME) has no words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.bibliography import Claim, Place
from permacite.charsets import decode
from permacite.markup import Document, plain_text
from permacite.media_types import PAGES
from permacite.mhtml.mime.parameters import parse_structured
from permacite.mhtml.mime.words import decode_text
from permacite.mhtml.reading import open_aggregate
from permacite.renditions.model import Notice, Rendered, Rendition
from permacite.renditions.office.stacked import Stacked, cleaned

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permacite.mhtml.reading.part import BodyPart
    from permacite.renditions.model import Original

__all__ = ["MAIL_TEXT_1"]

_FIELDS = ("From", "To", "Cc", "Date", "Subject")
_SHOWN = frozenset({"text/plain", *PAGES})
_NO_WORDS = frozenset({"text/css", "text/javascript", "text/ecmascript"})
_NAMED = 20
"""How many attachments are told by their names."""
_LONGEST_NAME = 200


def _decode(original: Original) -> BodyPart:
    """Open the message."""
    return open_aggregate(original.content[:]).message


def _render(message: BodyPart) -> Rendered:
    writer = _MailWriter()
    writer.message(message)
    return writer.rendered(_claims(message))


def _named(part: BodyPart) -> str:
    """The file name of a part; "" where it has none."""
    field = part.heading.get("Content-Disposition")
    name = parse_structured(field.latin1)[1].get("filename") if field is not None else None
    given = name or part.parameters.get("name") or ""
    known = decode_text(given.encode()) if given.isascii() else given  # words of RFC 2047 in it
    return " ".join(cleaned(known).split())


def _is_attached(part: BodyPart) -> bool:
    field = part.heading.get("Content-Disposition")
    return field is not None and parse_structured(field.latin1)[0] == "attachment"


def _holds_words(part: BodyPart) -> bool:
    """Whether a part is, or holds, what a reader of mail shows."""
    waiting = [part]
    while waiting:
        each = waiting.pop()
        if each.body_parts:
            waiting += each.body_parts
        elif each.content_type in _SHOWN and not _is_attached(each):
            return True
    return False


class _MailWriter:
    """The text that is written of a message."""

    def __init__(self) -> None:
        self._text = Stacked()
        self._wordless: list[str] = []
        """Names or types of the parts that have no words."""
        self._sealed = False

    def message(self, message: BodyPart) -> None:
        """Write the fields of a message, and its parts."""
        lines = []
        for name in _FIELDS:
            value = message.heading.text(name)
            if value is not None:
                lines.append(f"{name}: {' '.join(cleaned(value).split())}")
        self._text.write("\n".join(lines))
        self._content(message)

    def _content(self, part: BodyPart) -> None:
        """Write what a part holds."""
        kind = part.content_type
        if part.is_multipart:
            parts: Iterable[BodyPart] = part.body_parts
            if kind == "multipart/alternative":
                shown = [each for each in parts if _holds_words(each)]
                parts = [
                    each
                    for each in parts
                    if each is (shown[-1] if shown else None) or _is_attached(each)
                ]
            for each in parts:
                self._content(each)
        elif part.body_parts:
            for each in part.body_parts:
                start = self._text.length
                self.message(each)
                self._label(start, ("message", each.heading.text("Subject") or ""), part)
        else:
            self._leaf(part)

    def _leaf(self, part: BodyPart) -> None:
        kind, name = part.content_type, _named(part)
        words = self._words(part) if kind.startswith("text/") or kind in PAGES else None
        if words is None:
            self._sealed |= kind.endswith("pkcs7-mime") or kind == "application/pgp-encrypted"
            if name or _is_attached(part):
                self._wordless.append(name or kind)
            return
        place = self._text.write(words)
        if place is not None and name:
            target = f"cid:{part.content_id}" if part.content_id else ""
            self._text.label(*place, ("attachment", name), target)

    @staticmethod
    def _words(part: BodyPart) -> str | None:
        """The text of a part; None where it is none."""
        kind = part.content_type
        if kind in _NO_WORDS:
            return None
        codec = part.charset
        if codec is None:
            source = Document(part.content, kind).text.stored
        else:
            source = decode(part.content, codec)
        if kind in PAGES:
            return plain_text(source, xml=kind != "text/html").text
        return source

    def _label(self, before: int, named: tuple[str, str], part: BodyPart) -> None:
        """Label what was written since the text had a length."""
        start = before + 2 if before else 0
        target = f"cid:{part.content_id}" if part.content_id else ""
        self._text.label(start, self._text.length - 2, named, target)

    def rendered(self, claims: tuple[Claim, ...]) -> Rendered:
        """What was written."""
        text, labels = self._text.finished()
        notices = []
        if self._wordless:
            names = ", ".join(name[:_LONGEST_NAME] for name in self._wordless[:_NAMED])
            told = f"{len(self._wordless)} attachments have no words: {names}"
            notices.append(Notice("attachments", told))
        if self._sealed:
            notices.append(Notice("encrypted", "it holds parts that are encrypted or sealed"))
        if not text:
            notices.append(Notice("no-words", "there are no words in it"))
        title = next((claim.value for claim in claims if claim.field == "title"), None)
        return Rendered(text, labels, title=title, stated=claims, notices=tuple(notices))


def _claims(message: BodyPart) -> tuple[Claim, ...]:
    """What the message states: subject, sender, date."""
    claims = []
    for name, field in (("Subject", "title"), ("From", "author"), ("Date", "issued")):
        value = " ".join(cleaned(message.heading.text(name) or "").split())[:2000]
        if field == "issued":
            value = value.rpartition(",")[2].strip()  # the day of the week
        if value:
            claims.append(Claim(field, value, Place("e-mail", name)))
    return tuple(claims)


_SAMPLE = b"""Subject: =?utf-8?B?YQ==?= =?utf-8?Q?b?=
Content-Type: multipart/mixed; boundary=x

--x
Content-Type: text/html
Content-Transfer-Encoding: base64

YQ==
--x
Content-Transfer-Encoding: quoted-printable

=61
--x--
"""


def _preload() -> None:
    """Read a mail in each coding, for a process that can import nothing later."""
    _render(open_aggregate(_SAMPLE).message)


MAIL_TEXT_1 = Rendition(
    "mail-text", 1, frozenset({"message/rfc822"}), _decode, _render, preload=_preload
)
