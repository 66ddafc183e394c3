"""Bytes of a document or of a part: whole, in ranges, or 304 (RFC 9110 §13, §14).

| answer | read and checked before |
|---|---|
| 304 of a document, of its bytes or characters (`#byte=`, `#char=`) | nothing |
| HEAD of a document | nothing |
| a document, or ranges of it | the pieces that hold what is sent, each before it is sent |
| `#byte=`, and `#char=` of a text with an index | the pieces that hold the part |
| any other part | all of it, before the answer starts |
| GET of any of these with `?check=whole` | all of it, before the answer starts |

| request | answer |
|---|---|
| If-None-Match, or without it If-Modified-Since | 304 if the client has the current content |
| Range of bytes, with a valid If-Range or none | 206: one range, or multipart/byteranges |
| ranges that all start after the end | 416 |
| other units, faulty ranges, more than `RANGES` | as without the field (§14.2) |

Ranges that overlap, or nearly touch, are joined, in the order of the bytes.

Stored bytes are read one stretch at a time, when the network has room for it, so that many such
answers need little memory. A part that was cut out of a recording is in memory until the client has
read it: slow clients take room from other large parts, which get 503, and from nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import re
from email.utils import format_datetime, parsedate_to_datetime
from typing import TYPE_CHECKING, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from permacite.errors import BusyError
from permacite.limits import LARGE_PARTS_BYTES, RANGES
from permacite.web import headers

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from datetime import datetime

    from starlette.types import Receive, Scope, Send

    from permacite.service.resolution.resolving import Octets, Resolved

__all__ = ["LARGE_BYTES", "Streamed", "answer_part", "answer_stored"]


def answer_stored(request: Request, held: Octets, naming: dict[str, str]) -> Response | None:
    """The answer if nothing must be cut out of a document; else None."""
    fields = headers.bytes_headers() | naming | {"Accept-Ranges": "bytes"}
    fields["Last-Modified"] = http_date(held.committed_at)
    tag = f'"{held.tag}"'
    if held.tag is not None:
        fields["ETag"] = tag
        if is_unchanged(request.headers, tag, held.committed_at):
            return Response(status_code=304, headers=fields)
    if held.size is None:
        return None
    digest = base64.b64encode(bytes.fromhex(held.tag or "")).decode()
    fields |= {"Repr-Digest": f"sha-256=:{digest}:"} | _typed(request, held.part)
    if request.method == "HEAD":
        return Response(headers=fields | {"Content-Length": str(held.size)})
    spans = asked_ranges(request.headers, held.size, tag, held.committed_at)
    return _stretches(held, spans, held.size, fields, whole=_is_whole(request))


def answer_part(
    request: Request, part: Resolved, held: Octets | None, naming: dict[str, str]
) -> Response:
    """The answer with a part that was cut out: whole, one range, or "not modified"."""
    size = len(part.content)
    fields = headers.bytes_headers() | naming | headers.repr_digest(part.content)
    fields |= {"Accept-Ranges": "bytes"} | _typed(request, part)
    modified = None
    if held is not None:
        modified = held.committed_at
        fields["Last-Modified"] = http_date(modified)
        if held.tag is not None:
            fields["ETag"] = f'"{held.tag}"'
    if is_unchanged(request.headers, fields["ETag"], modified):
        return Response(status_code=304, headers=fields)
    spans = asked_ranges(request.headers, size, fields["ETag"], modified)
    if spans is None or len(spans) > 1:
        return (
            LargePart(part.content, 200, fields)
            if size > LARGE_BYTES
            else Response(part.content, headers=fields)
        )
    if not spans:
        return _unsatisfied(size, fields)
    (span,) = spans
    return Response(part.content[span.start : span.end], 206, fields | _placed(span, size))


def _is_whole(request: Request) -> bool:
    return request.query_params.get("check") == "whole"


def _typed(request: Request, part: Resolved) -> dict[str, str]:
    """The fields that describe the type."""
    # A charset travels in the Content-Type field; Starlette would add utf-8 to any text.
    charset = f"; charset={part.charset}" if part.charset else ""
    seen_as = headers.kept_from_view(part.media_type, request.headers.get("sec-fetch-dest"))
    return {"Content-Type": part.media_type + charset} | seen_as


def _stretches(
    held: Octets,
    spans: Sequence[ByteRange] | None,
    size: int,
    fields: dict[str, str],
    *,
    whole: bool,
) -> Response:
    """The answer with ranges of a document, or with all of it."""
    if spans is None:
        fields |= {"Content-Length": str(size)}
        return Streamed(_read(held, [ByteRange(0, size)], None, whole=whole), 200, fields)
    if not spans:
        return _unsatisfied(size, fields)
    if len(spans) == 1:
        (span,) = spans
        fields |= _placed(span, size) | {"Content-Length": str(span.end - span.start)}
        return Streamed(_read(held, spans, None, whole=whole), 206, fields)
    # Made of the digest of the octets, the boundary cannot be planned to stand in them.
    seed = hashlib.sha256(f"permacite {held.tag}".encode()).hexdigest()
    several = Several(spans, size, fields["Content-Type"], seed[:32])
    fields |= {"Content-Type": several.media_type, "Content-Length": str(several.size)}
    return Streamed(_read(held, spans, several, whole=whole), 206, fields)


def _read(
    held: Octets, spans: Sequence[ByteRange], several: Several | None, *, whole: bool
) -> Generator[bytes, None, None]:
    if whole:
        held.check()
    for number, span in enumerate(spans):
        if several is not None:
            yield several.heads[number]
        yield from held.read(span.start, span.end, STRETCH_BYTES)
    if several is not None:
        yield several.end


def _placed(span: ByteRange, size: int) -> dict[str, str]:
    return {"Content-Range": f"bytes {span.start}-{span.end - 1}/{size}"}


def _unsatisfied(size: int, fields: dict[str, str]) -> Response:
    del fields["Content-Type"]
    return Response(status_code=416, headers=fields | {"Content-Range": f"bytes */{size}"})


_RANGE = re.compile(r"([0-9]{0,18})-([0-9]{0,18})")
_LONGEST = RANGES * 40
_NEAR = 100
"""Bytes between two ranges that cost less than the head of another part."""


class ByteRange(NamedTuple):
    """A range of bytes, end excluded."""

    start: int
    end: int


def http_date(when: datetime) -> str:
    """A time in the form of header fields, in whole seconds."""
    return format_datetime(when.replace(microsecond=0), usegmt=True)


def is_unchanged(fields: Mapping[str, str], tag: str, modified: datetime | None) -> bool:
    """Whether the client has the current content (RFC 9110 §13.2.2)."""
    if "if-none-match" in fields:
        return headers.names_tag(fields["if-none-match"], tag)
    since = _time(fields.get("if-modified-since", ""))
    return modified is not None and since is not None and modified.replace(microsecond=0) <= since


def asked_ranges(
    fields: Mapping[str, str], size: int, tag: str, modified: datetime | None
) -> list[ByteRange] | None:
    """The requested ranges; None for the whole content, an empty list if none is satisfiable."""
    wanted = fields.get("range", "")
    unit, _, ranges = wanted.partition("=")
    if unit.strip().lower() != "bytes" or len(ranges) > _LONGEST:
        return None
    if not _holds(fields.get("if-range"), tag, modified):
        return None
    spans = []
    for each in filter(None, (item.strip() for item in ranges.split(","))):
        span = _span(each, size)
        if span is None:
            return None
        spans.append(span)
    if not 0 < len(spans) <= RANGES:
        return None
    return _joined(sorted(span for span in spans if span.start < span.end))


def _holds(condition: str | None, tag: str, modified: datetime | None) -> bool:
    """Whether an If-Range is valid: a strong tag, or the exact time (RFC 9110 §13.1.5)."""
    if condition is None or condition == tag:
        return True
    return modified is not None and condition == http_date(modified)


def _span(wanted: str, size: int) -> ByteRange | None:
    """One range; empty if it starts after the end, None for a faulty one."""
    match = _RANGE.fullmatch(wanted)
    if match is None:
        return None
    first, last = match.groups()
    if not first:
        return ByteRange(max(0, size - int(last)), size) if last else None
    if last and int(last) < int(first):
        return None
    return ByteRange(int(first), min(size, int(last) + 1) if last else size)


def _joined(spans: Sequence[ByteRange]) -> list[ByteRange]:
    joined: list[ByteRange] = []
    for span in spans:
        if joined and span.start <= joined[-1].end + _NEAR:
            joined[-1] = ByteRange(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def _time(said: str) -> datetime | None:
    try:
        when = parsedate_to_datetime(said)
    except (ValueError, OverflowError):
        return None
    return when if when.tzinfo else None


class Several:
    """Several ranges in one body, each with a head (RFC 9110 §14.6)."""

    def __init__(self, spans: Sequence[ByteRange], size: int, kind: str, boundary: str) -> None:
        """`kind`: the Content-Type of the whole; `boundary` is nowhere in it, by its making."""
        self.media_type = f"multipart/byteranges; boundary={boundary}"
        self.heads = [
            (
                f"\r\n--{boundary}\r\nContent-Type: {kind}\r\n"
                f"Content-Range: bytes {span.start}-{span.end - 1}/{size}\r\n\r\n"
            ).encode()
            for span in spans
        ]
        self.end = f"\r\n--{boundary}--\r\n".encode()
        octets = sum(span.end - span.start for span in spans)
        self.size = octets + sum(map(len, self.heads)) + len(self.end)


LARGE_BYTES = 1 << 20
"""Smaller parts are sent whole."""

STRETCH_BYTES = 1 << 18
"""Bytes that are read and sent at a time."""


_being_sent: dict[int, int] = {}
"""The size of each answer that is being sent."""


class LargePart(Response):
    """The answer with a large part. Raises BusyError if too many are being sent."""

    def __init__(self, content: bytes, status: int, fields: Mapping[str, str]) -> None:
        if _being_sent and sum(_being_sent.values()) + len(content) > LARGE_PARTS_BYTES:
            raise BusyError("too many large parts are being sent", retry_after_s=10)
        super().__init__(status_code=status, headers=fields)
        self.raw_headers = [row for row in self.raw_headers if row[0] != b"content-length"]
        self.raw_headers.append((b"content-length", str(len(content)).encode()))
        self._part = content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it piece by piece."""
        del scope, receive
        _being_sent[id(self)] = len(self._part)
        try:
            start = {"type": "http.response.start", "status": self.status_code}
            await send({**start, "headers": self.raw_headers})
            view = memoryview(self._part)
            for at in range(0, len(view), STRETCH_BYTES):
                piece = bytes(view[at : at + STRETCH_BYTES])
                more = at + STRETCH_BYTES < len(view)
                await send({"type": "http.response.body", "body": piece, "more_body": more})
        finally:
            del _being_sent[id(self)]


class Streamed(Response):
    """The answer with stored bytes. Altered bytes end the connection before they are sent."""

    def __init__(
        self, stretches: Generator[bytes, None, None], status: int, fields: Mapping[str, str]
    ) -> None:
        """`fields` have the Content-Length. Each stretch is read just before it is sent."""
        super().__init__(status_code=status, headers=fields)
        self._stretches = stretches

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it stretch by stretch, until the client disconnects."""
        asking = Request(scope, receive)
        try:
            stretch = await run_in_threadpool(next, self._stretches, None)  # may raise, in time
            start = {"type": "http.response.start", "status": self.status_code}
            await send({**start, "headers": self.raw_headers})
            while stretch is not None:
                await send({"type": "http.response.body", "body": stretch, "more_body": True})
                if await asking.is_disconnected():
                    return
                stretch = await run_in_threadpool(next, self._stretches, None)
            await send({"type": "http.response.body", "body": b""})
        finally:
            self._stretches.close()
