"""HAR files: what the tools of a browser report of its requests, as records.

HAR 1.2:
  §3 log, creator, browser   -> `HarLog`
  §3 pages                   -> `HarLog.pages`: of each the first document that was asked for
  §3 entries                 -> `_record`: an answer as it is reported
  §3 content                 -> `_body`: text, or octets in base64

Readings: a HAR file holds text where a server sent octets: no charset of the transfer is left. It
is written as UTF-8, and the type of the answer says so; what is in base64 stays as it is. An entry
without the content that it says the answer had is told as missing, and so is one whose content was
cut: base64 of fewer octets than its `size`, a text of less than half (a page in UTF-16 takes twice
its room in UTF-8). Cookies are left out.
"""

from __future__ import annotations

import base64
import binascii
import json
import tempfile
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from permacite.capture.crawls.index import Damage, RecordFile
from permacite.errors import ParseError
from permacite.media_types import essence

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["HarLog"]

_MOST = 512 << 20
"""A log is JSON, which is read as one: a larger one is refused."""
_SPEC = "HAR 1.2"
_OF_TRANSFER = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_PRIVATE = frozenset({"cookie", "set-cookie", "authorization", "proxy-authorization"})
_STATUSES = range(100, 600)
_EMPTY = frozenset({204, 205, 304, *range(300, 400)})
"""Statuses of answers that need no content."""


class HarLog:
    """A HAR file, its answers written as records into an unnamed file; close it.

    Raises ParseError for what is none.
    """

    def __init__(self, name: str, file: BinaryIO) -> None:
        self.name = name
        self.missing: list[Damage] = []
        """What it says was asked for, and does not hold."""
        self._log = _log_in(file, name)
        entries = self._log.get("entries")
        self._entries = [each for each in entries if isinstance(each, dict)] if entries else []
        self._records = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 - see `close`
        for number, entry in enumerate(self._entries):
            self._write(number, entry)
        self.source = RecordFile(
            name,
            self._records,
            {"software": self._software()},
            shows="reported",
            format=f"HAR {str(self._log.get('version') or '1.2')[:10]}",
        )

    def close(self) -> None:
        """Let go of the records."""
        self._records.close()

    def pages(self) -> Iterator[tuple[str, str]]:
        """The address and the time of each page: of the first document that is of it."""
        first: dict[str, tuple[str, str]] = {}
        for entry in self._entries:
            page, answer = entry.get("pageref"), _member(entry, "response")
            kind = essence(str(_member(answer, "content").get("mimeType") or ""))
            if isinstance(page, str) and kind in {"text/html", "application/xhtml+xml"}:
                uri = _address(_member(entry, "request"))
                first.setdefault(page, (uri, _date(entry.get("startedDateTime")) or ""))
        yield from first.values()

    def _software(self) -> str:
        """What made it: the browser, and the tool."""
        said = (_member(self._log, "browser"), _member(self._log, "creator"))
        named = (f"{each.get('name', '')} {each.get('version', '')}".strip() for each in said)
        return ", ".join(dict.fromkeys(each for each in named if each))[:200]

    def _write(self, number: int, entry: dict[str, Any]) -> None:
        """Write the record of an entry, or take note why there is none."""
        asked, answer = _member(entry, "request"), _member(entry, "response")
        uri = _address(asked)
        if not uri.lower().startswith(("http://", "https://")):
            return  # data:, blob:, and the pages of the browser itself
        date, stated = _date(entry.get("startedDateTime")), answer.get("status")
        status = stated if isinstance(stated, int) and stated in _STATUSES else 0
        problem, body = "" if status else "it was not answered", b""
        if not date:
            problem = f"its date is {str(entry.get('startedDateTime'))[:40]!r}"
        if not problem:
            body, problem = _body(answer, status)
        if problem:
            self.missing.append(Damage(self.name, number, uri, problem))
            return
        head = [f"HTTP/1.1 {status} {_line(answer.get('statusText'))}".rstrip(), *_fields(answer)]
        octets = "\r\n".join([*head, "", ""]).encode("latin-1", "replace") + body
        fields = {
            "WARC-Type": "response",
            "WARC-Record-ID": f"<urn:har:{number}>",
            "WARC-Date": date,
            "WARC-Target-URI": uri,
            "WARC-IP-Address": _line(entry.get("serverIPAddress")),
            "Content-Type": "application/http;msgtype=response",
            "Content-Length": str(len(octets)),
        }
        self._put(fields, octets)
        method = _line(asked.get("method")) or "GET"
        request = f"{method} / HTTP/1.1\r\n\r\n".encode("latin-1", "replace")
        fields |= {
            "WARC-Type": "request",
            "WARC-Record-ID": f"<urn:har:{number}:request>",
            "WARC-Concurrent-To": f"<urn:har:{number}>",
            "Content-Length": str(len(request)),
        }
        self._put(fields, request)

    def _put(self, fields: dict[str, Any], block: bytes) -> None:
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value)
        octets = b"WARC/1.1\r\n" + head.encode("utf-8", "replace") + b"\r\n" + block
        self._records.write(octets + b"\r\n\r\n")


def _log_in(file: BinaryIO, name: str) -> dict[str, Any]:
    """The log of a file. Raises ParseError."""
    if file.seek(0, 2) > _MOST:
        raise ParseError(f"a log of more than {_MOST:,} octets is not read", name, 0, _SPEC)
    file.seek(0)
    try:
        value = json.loads(file.read().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ParseError(f"expected JSON: {error}", name, 0, _SPEC) from error
    log = value.get("log") if isinstance(value, dict) else None
    if not isinstance(log, dict) or not isinstance(log.get("entries"), list):
        raise ParseError("expected a log with entries", name, 0, _SPEC)
    return log


def _member(value: dict[str, Any], name: str) -> dict[str, Any]:
    """An object within another; an empty one where there is none."""
    inner = value.get(name)
    return inner if isinstance(inner, dict) else {}


def _address(asked: dict[str, Any]) -> str:
    """What was asked for, as a line may hold it."""
    return _line(asked.get("url")).replace(" ", "%20")


def _date(said: object) -> str:
    """A moment as a record states it; "" for what is none, or has no time zone."""
    try:
        moment = datetime.fromisoformat(str(said))
        utc = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    return "" if moment.tzinfo is None else utc.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _body(answer: dict[str, Any], status: int) -> tuple[bytes, str]:
    """The content of an answer, and why there is none."""
    content = _member(answer, "content")
    text, size = content.get("text"), content.get("size")
    if not isinstance(text, str):
        is_empty = status in _EMPTY or size == 0
        return b"", "" if is_empty else "its content is not in the file"
    if content.get("encoding") != "base64":
        octets, least = text.encode("utf-8", "replace"), 0.5
    else:
        try:
            octets, least = base64.b64decode(text, validate=True), 1.0
        except (ValueError, binascii.Error):
            return b"", "its content is no base64"
    if isinstance(size, int) and len(octets) < least * size:
        return b"", f"its content is cut off: {len(octets):,} of {size:,} octets are in the file"
    return octets, ""


def _fields(answer: dict[str, Any]) -> Iterator[str]:
    """The header fields of an answer, as its content is written."""
    content = _member(answer, "content")
    is_text = isinstance(content.get("text"), str) and content.get("encoding") != "base64"
    headers = answer.get("headers")
    for each in headers if isinstance(headers, list) else ():
        if not isinstance(each, dict):
            continue
        name, value = _line(each.get("name")), _line(each.get("value"))
        lower = name.lower()
        if not name or name.startswith(":") or lower in _PRIVATE or lower == "content-type":
            continue
        yield f"{'X-Archive-Orig-' if lower in _OF_TRANSFER else ''}{name}: {value}"
    kind = _line(content.get("mimeType"))
    if kind and kind != "x-unknown":
        yield (
            f"Content-Type: {essence(kind)}; charset=utf-8" if is_text else f"Content-Type: {kind}"
        )


def _line(value: object) -> str:
    """A value as a part of a line."""
    text = value if isinstance(value, str) else ""
    return " ".join(text.replace("\0", " ").split())
