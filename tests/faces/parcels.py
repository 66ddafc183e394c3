"""Parcels as an extension posts them, for tests."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from typing import Any

ADDRESS = "https://tides.example/page"
SERVED = b"<!doctype html><title>Tides</title><p>Loading<img src=a.png><script src=a.js></script>"


def _chunk(kind: bytes, data: bytes) -> bytes:
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))


PNG = (
    b"\x89PNG\r\n\x1a\n"
    + _chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    + _chunk(b"IDAT", zlib.compress(b"\0\1\2\3"))
    + _chunk(b"IEND", b"")
)
DOCUMENT = {
    "pieces": [
        "<!DOCTYPE html><html><head><title>Tides</title></head><body><p>",
        "Spring tides <rise> & fall \U0001f30a twice.",
        "</p><p>",
        "A second line.",
        '</p><img src="https://tides.example/a.png"></body></html>',
    ],
    "flow": [1, 0, 0, 0, 1, 0, 1, 0, 1],
    "parts": [],
    "places": [],
    "left": [],
    "base": ADDRESS,
    "title": "Tides",
    "size": [800, 600, 1],
}
TOLD = {
    "uri": ADDRESS,
    "started_at": "2026-11-23T09:30:00.000Z",
    "duration_s": 0.25,
    "browser": "Chrome/156.0.1",
    "extension": "0.1.0",
    "agent": "Mozilla/5.0",
    "script": f"sha-256:{'0' * 64}",
    "way": "received",
    "account": False,
    "documents": [{"number": 0, "uri": ADDRESS, "piece": 0}],
    "view": 1,
    "page": 0,
    "answers": [
        {
            "uri": ADDRESS,
            "status": 200,
            "fields": [["Content-Type", "text/html"]],
            "piece": 2,
            "had": "cache",
        },
        {
            "uri": "https://tides.example/a.png",
            "status": 200,
            "fields": [],
            "piece": 1,
            "had": "memory",
        },
    ],
    "left_out": {"script": 2},
    "cut": 0,
    "key": "0123456789abcdef",
    "cite": {"selection": [0, 0, 7, 0, 19]},
}
PIECES = (json.dumps(DOCUMENT).encode(), PNG, SERVED)


def parcel(pieces: tuple[bytes, ...] = PIECES, **changes: Any) -> bytes:
    """Return a parcel; `changes` are members of its line, left out where they are None."""
    listed = [[len(each), f"sha-256:{hashlib.sha256(each).hexdigest()}"] for each in pieces]
    told = {"octets": listed, **TOLD, **changes}
    line = json.dumps({name: value for name, value in told.items() if value is not None})
    return b"permacite-capture/1\n" + line.encode() + b"\n" + b"".join(pieces)
