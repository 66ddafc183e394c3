"""Resources as `data:` URIs (RFC 2397), read and written.

Deviations: a `data:` URI that is malformed is read as browsers read it (Fetch Standard, data: URL
processor): never an error, at worst an empty text.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

from permacite.media_types import essence
from permacite.scan import compile_pattern

__all__ = ["NOTHING", "Resource", "data_uri", "read_data_uri"]

NOTHING = "data:,"
"""What stands where something cannot be shown: it loads, from nowhere, and is empty."""

_MEDIA_TYPE = compile_pattern(r"[A-Za-z0-9!#$&^_.+\-]{1,80}/[A-Za-z0-9!#$&^_.+\-]{1,80}")
_CHARSET = compile_pattern(r";[\t ]*+charset=\"?([A-Za-z0-9_.:\-]++)", re.IGNORECASE)
_BASE64 = compile_pattern(r";[ ]*+base64[ ]*+\Z", re.IGNORECASE)
_ESCAPE = compile_pattern(rb"%([0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class Resource:
    """Content with its media type; `charset` as it is labelled, None where it is not."""

    content: bytes
    media_type: str
    charset: str | None = None


def data_uri(content: bytes, media_type: str, *, fragment: str = "") -> str:
    """Return content as a URI. A media type that is none becomes application/octet-stream."""
    if _MEDIA_TYPE.fullmatch(media_type.partition(";")[0]) is None:
        media_type = "application/octet-stream"
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}{fragment}"


def read_data_uri(value: str) -> Resource:
    """Return what a `data:` URI holds."""
    heading, _, body = value.partition(":")[2].partition("#")[0].partition(",")
    encoded = _BASE64.search(heading)
    octets = _ESCAPE.sub(
        lambda found: bytes.fromhex(found[1].decode()), body.encode("utf-8", "replace")
    )
    if encoded is not None:
        heading = heading[: encoded.start()]
        octets = _lenient_base64(octets)
    media_type = essence(heading)
    charset = _CHARSET.search(heading)
    if _MEDIA_TYPE.fullmatch(media_type) is None:
        media_type = "text/plain"
    return Resource(octets, media_type, None if charset is None else charset[1])


def _lenient_base64(octets: bytes) -> bytes:
    octets = b"".join(octets.split()).rstrip(b"=")
    try:
        return base64.b64decode(octets + b"=" * (-len(octets) % 4), validate=True)
    except (binascii.Error, ValueError):
        return b""
