"""Files that the scripted archive imports: the demonstration site, golden and small documents."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import shutil
from pathlib import Path

__all__ = ["CLOCK", "write"]

ROOT = Path(__file__).resolve().parents[2]
CLOCK = 1795339800
"""2026-11-22 at 9:30 UTC, in seconds: the time of every file, and of the first command."""

N = "urn:pdi://lab.example.us/2026/11/22"
_GALE = "The gale began at nine.\r\nThe harbour was closed.\r\nSee http://a.example/x for more.\r\n"
_PAGE = b"<title>Tide</title><link rel=stylesheet href=s.css><p>The tide is high.<img src=a.png>"
_PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 20

_TEXTS = {
    "plain.txt": _GALE,
    "empty.txt": "",
    "table.csv": "place,height\nSkerrin,4.2\nFarhaven,3.9\n",
    "values.json": '{"places": [{"name": "Skerrin", "height": 4.2}]}\n',
    "feed.xml": "<?xml version='1.0'?><log><day n='1'>Calm.</day><day n='2'>A gale.</day></log>",
    "captions.vtt": "WEBVTT\n\n00:00.000 --> 00:00.200\nA bell is rung.\n",
    "quoting.html": "<!doctype html><title>Quoting</title><p>It says "
    f"<q cite='{N}/17.text.1#char=0,23'>The gale began at nine.</q>",
    "misquoting.html": "<!doctype html><title>Misquoting</title><p>It says "
    f"<q cite='{N}/17.text.1#char=0,23'>The gale ended at nine.</q>",
    "complete.html": "<!doctype html><title>Complete</title><p>All of it."
    "<img src=complete_files/a.png>",
    "list.txt": "http://127.83.0.1:8327/letters.html\nhttp://127.83.0.1:8327/instruments.html\n",
    "template.html": f"<p>{{{{quote {N}/1.utf-8.1#char=10,40}}}} "
    f"{{{{q {N}/1.utf-8.1#char=0,9}}}}</p>",
    "config.toml": "[serve]\nport = 8420\nwritable = true\n[save]\ntimeout = 30\n",
    "wrong.toml": '[serve]\nport = "many"\nharbour = 1\n',
    "library.rdf": "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>",
    "selector.json": json.dumps({"type": "TextQuoteSelector", "exact": "tide gauge"}),
}


def write(folder: Path) -> None:
    """Write all files, each with the same time."""
    folder.mkdir()
    for source, target in (
        ("demo/site", "site"),
        ("demo/changed", "changed"),
        ("tests/golden/office", "office"),
        ("tests/golden/pdf", "pdf"),
        ("tests/golden/rfc2557", "rfc2557"),
        ("tests/golden/proof", "proof"),
        ("tests/media/made", "made"),
    ):
        shutil.copytree(ROOT / source, folder / target)
    for name, text in _TEXTS.items():
        (folder / name).write_bytes(text.encode())
    (folder / "latin.txt").write_bytes("Wärter bei Ebbe: ein Café.\n".encode("latin-1"))
    (folder / "unknown.bin").write_bytes(bytes(range(256)) * 4)
    lines = (
        f"Line {number}: the wind is {number % 12}, the sea is grey.\n" for number in range(60_000)
    )
    (folder / "large.txt").write_text("".join(lines) + "Grüße\n")
    (folder / "complete_files").mkdir()
    (folder / "complete_files/a.png").write_bytes(_PNG)
    (folder / "annotations.json").write_text(json.dumps(_annotation()))
    (folder / "crawl.warc").write_bytes(b"".join(gzip.compress(each, mtime=0) for each in _warc()))
    (folder / "crawl.har").write_text(json.dumps(_har()))
    for path in folder.rglob("*"):
        os.utime(path, (CLOCK, CLOCK))


def _annotation() -> dict[str, object]:
    selector = {"type": "TextQuoteSelector", "exact": "The gale began", "suffix": " at nine"}
    return {
        "@context": "http://www.w3.org/ns/anno.jsonld",
        "id": "urn:example:1",
        "type": "Annotation",
        "body": {"type": "TextualBody", "value": "When it began", "purpose": "commenting"},
        "target": {"source": f"{N}/17.text.1", "selector": selector},
    }


def _warc() -> list[bytes]:
    answers = [
        ("http://a.example/", _PAGE, "text/html"),
        ("http://a.example/s.css", b"p { color: red }", "text/css"),
        ("http://a.example/a.png", _PNG, "image/png"),
        ("http://a.example/b.html", b"<title>B</title><p>Another page.", "text/html"),
    ]
    return [_record(*each) for each in answers]


def _record(uri: str, body: bytes, media_type: str) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    block = head.encode() + body
    digest = base64.b32encode(hashlib.sha1(block, usedforsecurity=False).digest()).decode()
    fields = {
        "WARC-Type": "response",
        "WARC-Record-ID": f"<urn:test:{uri}>",
        "WARC-Date": "2020-02-03T04:05:06Z",
        "WARC-Target-URI": uri,
        "WARC-Block-Digest": f"sha1:{digest}",
        "Content-Type": "application/http;msgtype=response",
        "Content-Length": str(len(block)),
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return b"WARC/1.1\r\n" + lines.encode() + b"\r\n" + block + b"\r\n\r\n"


def _har() -> dict[str, object]:
    content = {"mimeType": "text/html", "text": "<title>Har</title><p>In a HAR.", "size": 30}
    response = {
        "status": 200,
        "statusText": "OK",
        "httpVersion": "HTTP/1.1",
        "headers": [{"name": "Content-Type", "value": "text/html"}],
        "content": content,
        "redirectURL": "",
    }
    request = {
        "method": "GET",
        "url": "http://h.example/",
        "headers": [],
        "httpVersion": "HTTP/1.1",
    }
    entry = {
        "pageref": "p",
        "startedDateTime": "2020-02-03T04:05:06.000Z",
        "request": request,
        "response": response,
    }
    page = {"id": "p", "startedDateTime": "2020-02-03T04:05:06.000Z", "title": "Har"}
    creator = {"name": "test", "version": "1"}
    return {"log": {"version": "1.2", "creator": creator, "pages": [page], "entries": [entry]}}
