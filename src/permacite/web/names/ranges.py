"""Which octets of a representation a request wants (RFC 9110 §13, §14), and several of them in one.

| request | answer |
|---|---|
| If-None-Match, or without it If-Modified-Since | 304 where it has what there is |
| Range of octets, and If-Range that holds or none | 206: one stretch, or multipart/byteranges |
| ranges that all lie behind the end | 416 |
| other units, faulty ranges, more than `RANGES` | as if there were none (§14.2) |

Stretches that overlap, or nearly touch, become one; they are in the order of the octets.
"""

from __future__ import annotations

import re
from email.utils import format_datetime, parsedate_to_datetime
from typing import TYPE_CHECKING, NamedTuple

from permacite.limits import RANGES
from permacite.web.headers import names_tag

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

__all__ = ["Several", "Span", "asked", "http_date", "is_unchanged"]


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
        return names_tag(fields["if-none-match"], tag)
    since = _time(fields.get("if-modified-since", ""))
    return modified is not None and since is not None and modified.replace(microsecond=0) <= since


def asked(
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
