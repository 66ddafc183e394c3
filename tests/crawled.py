"""WARC and ARC files made by hand: records, whole or altered, for tests of what others captured."""

from __future__ import annotations

import base64
import gzip
import hashlib

HTML = b"<title>Tide</title><link rel=stylesheet href=s.css><p>The tide is high.<img src=a.png>"
DATE = "2020-02-03T04:05:06Z"
PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 20


def sha1(octets: bytes) -> str:
    """Return a digest as WARC files state it."""
    return "sha1:" + base64.b32encode(hashlib.sha1(octets, usedforsecurity=False).digest()).decode()


def record(kind: str, uri: str, block: bytes, **fields: str) -> bytes:
    """Return a record; `_` in names of fields stands for `-`, and "" leaves one out."""
    said = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:test:{kind}:{uri}:{fields.get('WARC_Date', '')}>",
        "WARC-Date": DATE,
        "WARC-Target-URI": uri,
        "WARC-Block-Digest": sha1(block),
        "Content-Type": "application/http;msgtype=response",
        "Content-Length": str(len(block)),
    } | {name.replace("_", "-"): value for name, value in fields.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in said.items() if value)
    return b"WARC/1.1\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n"


def answer(body: bytes, media_type: str, status: str = "200 OK", *more: str) -> bytes:
    """Return an HTTP answer."""
    fields = [f"Content-Type: {media_type}", f"Content-Length: {len(body)}", *more]
    head = "\r\n".join([f"HTTP/1.1 {status}", *fields])
    return f"{head}\r\n\r\n".encode() + body


def response(uri: str, body: bytes, media_type: str = "text/html", **fields: str) -> bytes:
    """Return a response record."""
    return record("response", uri, answer(body, media_type), **fields)


def info() -> bytes:
    """Return the record that a file begins with."""
    body = b"software: Crawler/1.0\r\nformat: WARC File Format 1.1\r\n"
    kind = "application/warc-fields"
    return record("warcinfo", "", body, Content_Type=kind)


def crawl() -> list[bytes]:
    """Return the records of a page with what it shows, and of a second page."""
    return [
        info(),
        response("http://a.example/", HTML),
        response("http://a.example/s.css", b"p { color: red }", "text/css"),
        response("http://a.example/a.png", PNG, "image/png"),
        response("http://a.example/b.html", b"<title>B</title><p>Another page."),
    ]


def packed(records: list[bytes]) -> bytes:
    """Return records as a WARC file that is compressed record by record."""
    return b"".join(gzip.compress(each, mtime=0) for each in records)
