"""Parcels that an extension posts: what is in the line, and what was told of a document."""

from __future__ import annotations

import hashlib
import io
import json

from permacite.capture.upload import FORM, read_handed, read_parcel
from permacite.errors import LimitError, ParseError

_DOCUMENT = (
    b'{"pieces":["<p>","a & b","</p>"],"flow":[1,0,0,0,1],"parts":[{"type":"image/png",'
    b'"clip":[1,2,3,4]}],"places":[[1,2.5,3]],"left":[["blob",2]],"base":"https://a.example/",'
    b'"size":[800,600,1.5]}'
)
_LINE = (
    b'{"uri":"https://a.example/","started_at":"2026-11-23T09:30:00Z","duration_s":1.5,'
    b'"browser":"Chrome/1","script":"sha-256:%s","way":"asked","documents":[{"number":0,"piece":0}],'
    b'"view":1,"page":0,"answers":[{"uri":"https://a.example/","status":200,'
    b'"fields":[["Content-Type","text/html"]],"piece":2}],"failures":[{"uri":"https://a.example/b",'
    b'"reason":"status"}],"left_out":{"script":1},"key":"12345678",'
    b'"cite":{"selection":[0,0,2,0,3],"picture":[0,0,1,1]}}'
) % (b"0" * 64)
SEEDS = [
    _LINE + b"\0" + _DOCUMENT,
    _LINE.replace(b"2026-11", b"9999-99") + b"\0" + _DOCUMENT,
    _LINE + b"\0" + _DOCUMENT.replace(b"[1,0,0,0,1]", b"[8,1,8,0,0]"),
    _LINE.replace(b"https://a", b"\\ud800") + b"\0{}",
    b"[" * 5000 + b"\0" + b"[" * 5000,
]


def target(data: bytes) -> None:
    """`data`: the line without its digests, a zero byte, and what was told of the one document."""
    line, _, document = data.partition(b"\0")
    pieces = (document, b"GIF89a", b"<title>a</title>")
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        told = None
    if isinstance(told, dict):
        told["octets"] = [
            [len(each), f"sha-256:{hashlib.sha256(each).hexdigest()}"] for each in pieces
        ]
        line = json.dumps(told).encode()
    parcel = FORM + line + b"\n" + b"".join(pieces)
    try:
        handed = read_handed(read_parcel(io.BytesIO(parcel), most_bytes=1 << 20))
        span = handed.selection and handed.words(handed.selection)
    except (ParseError, LimitError):
        return
    text = "" if handed.capture.drawn is None else handed.capture.drawn.text
    if span and not 0 <= span[0] < span[1] <= len(text):
        raise AssertionError("what is selected stands in the text")
