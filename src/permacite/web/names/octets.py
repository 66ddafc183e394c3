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
from typing import TYPE_CHECKING

from starlette.responses import Response

from permacite.web import headers
from permacite.web.names import ranges
from permacite.web.names.ranges import Several, Span
from permacite.web.names.sending import LARGE_BYTES, STRETCH_BYTES, LargePart, Streamed

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from starlette.requests import Request

    from permacite.service.resolution.resolving import Octets, Resolved

__all__ = ["of_part", "without_cutting"]


def without_cutting(request: Request, held: Octets, naming: dict[str, str]) -> Response | None:
    """Answer where nothing has to be cut out of a document; else None. `naming`: what names it."""
    fields = headers.bytes_headers() | naming | {"Accept-Ranges": "bytes"}
    fields["Last-Modified"] = ranges.http_date(held.committed_at)
    tag = f'"{held.tag}"'
    if held.tag is not None:
        fields["ETag"] = tag
        if ranges.is_unchanged(request.headers, tag, held.committed_at):
            return Response(status_code=304, headers=fields)
    if held.size is None:
        return None
    digest = base64.b64encode(bytes.fromhex(held.tag or "")).decode()
    fields |= {"Repr-Digest": f"sha-256=:{digest}:"} | _typed(request, held.part)
    if request.method == "HEAD":
        return Response(headers=fields | {"Content-Length": str(held.size)})
    spans = ranges.asked(request.headers, held.size, tag, held.committed_at)
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
        fields["Last-Modified"] = ranges.http_date(modified)
        if held.tag is not None:
            fields["ETag"] = f'"{held.tag}"'
    if ranges.is_unchanged(request.headers, fields["ETag"], modified):
        return Response(status_code=304, headers=fields)
    spans = ranges.asked(request.headers, size, fields["ETag"], modified)
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
