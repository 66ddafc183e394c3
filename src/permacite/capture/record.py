"""The provenance of a capture as plain values for JSON: every request, and what was left out."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from permacite import __version__

if TYPE_CHECKING:
    from permacite.capture.model import Capture, Exchange, Failure

__all__ = ["record"]


def record(capture: Capture) -> dict[str, object]:
    """Return what is known about each byte of `capture`: its source, time, digest, and tool.

    Times are in RFC 3339 form, UTC. The content itself is not in the record; its digest is.
    """
    return {
        "tool": f"permacite/{__version__}",
        "requested_uri": capture.requested_uri,
        "started_at": capture.started_at.isoformat(),
        "duration_s": round(capture.duration_s, 6),
        "size_bytes": capture.size_bytes,
        "requests": [_exchange(each) for each in (capture.root, *capture.resources)],
        "failures": [_failure(each) for each in capture.failures],
        "left_out": [_failure(each) for each in capture.left_out],
        "aliases": [{"label": label, "uri": uri} for label, uri in capture.aliases],
    }


def _exchange(exchange: Exchange) -> dict[str, object]:
    return {
        "uri": exchange.uri,
        "final_uri": exchange.final_uri,
        "method": exchange.method,
        "status": exchange.status,
        "reason": exchange.reason,
        "request_headers": [list(pair) for pair in exchange.request_headers],
        "response_headers": [list(pair) for pair in exchange.response_headers],
        "content_type": exchange.content_type,
        "sniffed": exchange.sniffed,
        "size_bytes": len(exchange.content),
        "digest": exchange.digest,
        "peer_address": exchange.peer_address,
        "certificate": exchange.certificate,
        "redirects": [step._asdict() for step in exchange.redirects],
        "started_at": exchange.started_at.isoformat(),
        "duration_s": round(exchange.duration_s, 6),
    }


def _failure(failure: Failure) -> dict[str, object]:
    return asdict(failure)
