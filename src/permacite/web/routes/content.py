"""The octets under a name: all of them, ranges, parts, or that they are the same as before.

| answer | what of the document was read and checked |
|---|---|
| 304 of a document, of its octets or characters (`#byte=`, `#char=`) | nothing |
| HEAD of a document | nothing |
| a document, or ranges of it | the pieces that hold what is sent, each before it is sent |
| `#byte=`, and `#char=` of a text with an index | the pieces that hold the part |
| any other part | all of it, before the answer begins |
| GET of any of these with `?check=whole` | all of it, before the answer begins |
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

__all__ = ["LARGE_BYTES", "Streamed", "of_part", "without_cutting"]


def without_cutting(request: Request, held: Octets, naming: dict[str, str]) -> Response | None:
    """Answer where nothing has to be cut out of a document; else None. `naming`: what names it."""
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


def of_part(
    request: Request, part: Resolved, held: Octets | None, naming: dict[str, str]
) -> Response:
    """Answer with a part that was cut out: all of it, one range, or "not modified"."""
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
    """What kind of octets they are."""
    # A charset travels in the Content-Type field; Starlette would add utf-8 to any text.
    charset = f"; charset={part.charset}" if part.charset else ""
    seen_as = headers.kept_from_view(part.media_type, request.headers.get("sec-fetch-dest"))
    return {"Content-Type": part.media_type + charset} | seen_as


def _stretches(
    held: Octets, spans: Sequence[Span] | None, size: int, fields: dict[str, str], *, whole: bool
) -> Response:
    """Answer with stretches of a document, all of it where there are none."""
    if spans is None:
        fields |= {"Content-Length": str(size)}
        return Streamed(_read(held, [Span(0, size)], None, whole=whole), 200, fields)
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
    held: Octets, spans: Sequence[Span], several: Several | None, *, whole: bool
) -> Generator[bytes, None, None]:
    if whole:
        held.check()
    for number, span in enumerate(spans):
        if several is not None:
            yield several.heads[number]
        yield from held.read(span.start, span.end, STRETCH_BYTES)
    if several is not None:
        yield several.end


def _placed(span: Span, size: int) -> dict[str, str]:
    return {"Content-Range": f"bytes {span.start}-{span.end - 1}/{size}"}


def _unsatisfied(size: int, fields: dict[str, str]) -> Response:
    del fields["Content-Type"]
    return Response(status_code=416, headers=fields | {"Content-Range": f"bytes */{size}"})


_RANGE = re.compile(r"([0-9]{0,18})-([0-9]{0,18})")
_LONGEST = RANGES * 40
_NEAR = 100
"""Octets between two stretches that cost less than the head of a part of their own."""


class Span(NamedTuple):
    """A stretch of octets, end excluded."""

    start: int
    end: int


def http_date(when: datetime) -> str:
    """A time as header fields have it; in whole seconds."""
    return format_datetime(when.replace(microsecond=0), usegmt=True)


def is_unchanged(fields: Mapping[str, str], tag: str, modified: datetime | None) -> bool:
    """Whether whoever asks has what there is (RFC 9110 §13.2.2)."""
    if "if-none-match" in fields:
        return headers.names_tag(fields["if-none-match"], tag)
    since = _time(fields.get("if-modified-since", ""))
    return modified is not None and since is not None and modified.replace(microsecond=0) <= since


def asked_ranges(
    fields: Mapping[str, str], size: int, tag: str, modified: datetime | None
) -> list[Span] | None:
    """The stretches that are wanted; None for all of it, nothing where none can be had."""
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
    """Whether an If-Range holds: a strong tag, or the very time (RFC 9110 §13.1.5)."""
    if condition is None or condition == tag:
        return True
    return modified is not None and condition == http_date(modified)


def _span(wanted: str, size: int) -> Span | None:
    """One range; an empty one where it lies behind the end, None where it is none."""
    match = _RANGE.fullmatch(wanted)
    if match is None:
        return None
    first, last = match.groups()
    if not first:
        return Span(max(0, size - int(last)), size) if last else None
    if last and int(last) < int(first):
        return None
    return Span(int(first), min(size, int(last) + 1) if last else size)


def _joined(spans: Sequence[Span]) -> list[Span]:
    joined: list[Span] = []
    for span in spans:
        if joined and span.start <= joined[-1].end + _NEAR:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
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
    """Stretches in one body, each with a head (RFC 9110 §14.6)."""

    def __init__(self, spans: Sequence[Span], size: int, kind: str, boundary: str) -> None:
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
"""What is smaller is sent whole."""

STRETCH_BYTES = 1 << 18
"""What is read and sent at a time."""


_on_their_way: dict[int, int] = {}
"""The octets of each answer that is being sent."""


class LargePart(Response):
    """A large part on its way. Raises BusyError where too many are."""

    def __init__(self, content: bytes, status: int, fields: Mapping[str, str]) -> None:
        if _on_their_way and sum(_on_their_way.values()) + len(content) > LARGE_PARTS_BYTES:
            raise BusyError("too many large parts are being sent", retry_after_s=10)
        super().__init__(status_code=status, headers=fields)
        self.raw_headers = [row for row in self.raw_headers if row[0] != b"content-length"]
        self.raw_headers.append((b"content-length", str(len(content)).encode()))
        self._part = content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, a piece when the one before is gone."""
        del scope, receive
        _on_their_way[id(self)] = len(self._part)
        try:
            start = {"type": "http.response.start", "status": self.status_code}
            await send({**start, "headers": self.raw_headers})
            view = memoryview(self._part)
            for at in range(0, len(view), STRETCH_BYTES):
                piece = bytes(view[at : at + STRETCH_BYTES])
                more = at + STRETCH_BYTES < len(view)
                await send({"type": "http.response.body", "body": piece, "more_body": more})
        finally:
            del _on_their_way[id(self)]


class Streamed(Response):
    """Stored octets on their way. What is altered ends the connection before it is sent."""

    def __init__(
        self, stretches: Generator[bytes, None, None], status: int, fields: Mapping[str, str]
    ) -> None:
        """`fields` have the Content-Length. Nothing is read before it is sent."""
        super().__init__(status_code=status, headers=fields)
        self._stretches = stretches

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it, a stretch when the one before is gone; stop where nobody is there any more."""
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
