"""What is wrong with one part: its heading, its label, its encoding, its charset, its type.

RFC 2557 §4.2, §10, §12 fields -> _in_heading      RFC 2045 §6 encodings -> _in_encoding
RFC 2557 §10 charsets -> _in_charset
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.charsets import codec_of
from permacite.errors import LimitError
from permacite.media_types import is_media_type
from permacite.mhtml.charset import charset_inside, is_markup
from permacite.mhtml.label import read_id
from permacite.mhtml.mime.model import Defect
from permacite.mhtml.mime.parameters import parse_structured
from permacite.mhtml.mime.transfer import IDENTITIES, base64_fault, quoted_printable_fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.mhtml.reading.part import BodyPart

__all__ = ["defects_of"]

_ONCE = ("content-type", "content-transfer-encoding", "content-id", "message-id")
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"%PDF-", "application/pdf"),
)
_SPECIFIC = ("image/png", "image/gif", "image/jpeg", "text/html", "text/css", "text/plain")
"""Types that are told from each other; others may be wider names for the same content."""


def defects_of(part: BodyPart) -> Iterator[Defect]:
    """Yield what is wrong with a part itself, in no order. Decodes its content in pieces."""
    yield from _in_heading(part)
    if not part.body_parts:
        yield from _in_encoding(part)
        yield from _in_content(part)


def _in_heading(part: BodyPart) -> Iterator[Defect]:
    heading = part.heading
    for name in _ONCE:
        for field in heading.all(name)[1:]:
            yield Defect("duplicate-field", field.offset, part.path, field.name)
    for code in ("content-base", "content-encoding"):
        unwanted = heading.get(code)
        if unwanted is not None:
            yield Defect(code, unwanted.offset, part.path)
    yield from _in_label(part)
    content_id = heading.get("Content-ID")
    if content_id is not None and not read_id(content_id.value)[1]:
        yield Defect("bad-content-id", content_id.offset, part.path)
    yield from _in_type(part)
    for offset in heading.faults:
        yield Defect("bad-field", offset, part.path)


def _in_label(part: BodyPart) -> Iterator[Defect]:
    locations = part.heading.all("Content-Location")
    for field in locations[1:]:
        yield Defect("label-twice", field.offset, part.path)
    for code, offset in () if part.label is None else part.label.faults:
        # The RFC has a cid: label beside a Content-ID itself (§9.5): nothing is lost by it.
        if code != "cl-cid" or part.content_id is None:
            yield Defect(code, locations[0].offset + offset, part.path)


def _in_type(part: BodyPart) -> Iterator[Defect]:
    field = part.heading.get("Content-Type")
    if field is not None and not is_media_type(parse_structured(field.latin1)[0]):
        yield Defect("bad-content-type", field.offset, part.path)


def _in_encoding(part: BodyPart) -> Iterator[Defect]:
    encoding = part.transfer_encoding
    if encoding in IDENTITIES:
        return
    if encoding not in ("base64", "quoted-printable"):
        yield part.defect("unknown-encoding", "Content-Transfer-Encoding", encoding)
        return
    find = base64_fault if encoding == "base64" else quoted_printable_fault
    fault = find(part.body)
    if fault is not None:
        yield Defect(fault[0], part.body_offset + fault[1], part.path)


def _in_content(part: BodyPart) -> Iterator[Defect]:
    """Compare what the heading says of the content with what the content says."""
    try:
        head = part.beginning()
        for _ in part.pieces():
            pass
    except LimitError:
        yield part.defect("decoded-too-long")
        return
    actual = next((name for magic, name in _MAGIC if head.startswith(magic)), None)
    if actual is not None and part.content_type in _SPECIFIC and part.content_type != actual:
        yield part.defect("content-differs", "Content-Type", actual)
    declared = part.parameters.get("charset")
    if declared is None:
        return
    content = part.content if is_markup(part.content_type) else head
    inside = charset_inside(content, part.content_type)
    if inside not in {None, codec_of(declared)}:
        detail = f"{declared}, and {inside} inside"
        yield part.defect("charset-differs", "Content-Type", detail)
