"""Containers of captures: WARC files, WACZ packages and HAR logs, opened as files of records.

WACZ 1.1.1 and WACZ-auth 0.1.0:
  §5.2 archive          -> `_ZipFile.records`: each file of records, read at its position
  §5.2 pages            -> `Package.pages`
  §5.3 datapackage.json -> `Package`: every file that it names is there, with its digest
  WACZ-auth             -> `signatures`: who signed it, and whether they are trusted
HAR 1.2:
  §3 log, creator, browser -> `HarLog`
  §3 pages                 -> `HarLog.listed`: of each the first document that was asked for
  §3 entries, content      -> `HarLog._write`, `_body`: an answer as it is reported

Deviations: none.
Readings: a package whose digests are wrong is not the one that somebody made, so that nothing of it
is read. A signature that is broken refuses as well.

A HAR file holds text where a server sent octets: no charset of the transfer is left. It is written
as UTF-8, and the type of the answer says so; what is in base64 stays as it is. An entry without the
content that it says the answer had is reported as missing, and so is one whose content was cut:
base64 of fewer octets than its `size`, a text of less than half (a page in UTF-16 takes twice its
room in UTF-8). Cookies are left out.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import json
import struct
import tempfile
import zipfile
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast

from permacite.capture.crawls.index import Damage, RecordFile
from permacite.capture.crawls.signatures import check
from permacite.capture.web_archives import kind_of
from permacite.errors import IntegrityError, ParseError, PermaciteError
from permacite.media_types import essence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import ExitStack
    from pathlib import Path

    from permacite.capture.crawls.signatures import Trust

__all__ = ["Container", "Package", "open_containers"]

_STEP = 1 << 20
_MOST_JSON = 64 * _STEP
"""A data package that is larger describes no crawl."""
_MOST_LINE = _STEP * 8
_MOST_LOG = 512 * _STEP
"""A log is JSON, which is read as one: a larger one is refused."""
_MOST_TIMES = 200
"""How many times larger a file of records may be than what it is packed to."""
_LOCAL = struct.Struct("<4s22xHH")
_WACZ = "WACZ 1.1.1"
_HAR = "HAR 1.2"
_OF_TRANSFER = frozenset({"content-encoding", "content-length", "transfer-encoding"})
_PRIVATE = frozenset({"cookie", "set-cookie", "authorization", "proxy-authorization"})
_STATUSES = range(100, 600)
_EMPTY = frozenset({204, 205, 304, *range(300, 400)})
"""Statuses of answers that need no content."""


class Container(Protocol):
    """An open file that holds captures."""

    sources: list[RecordFile]
    missing: list[Damage]
    """What it mentions and does not hold."""

    def listed(self) -> Iterator[tuple[str, str]]:
        """The address and the time of each page that it lists."""


def open_containers(paths: Sequence[Path], trust: Trust, opened: ExitStack) -> Iterator[Container]:
    """Open each file; `opened` closes them. `trust` is whose signatures of packages count.

    Raises ParseError for a file of no kind that is read here, IntegrityError for a package that is
    not as its maker left it, OSError.
    """
    for path in paths:
        file = opened.enter_context(path.open("rb"))
        kind = kind_of(file)
        if kind == "WARC":
            yield _Records(path.name, file)
        elif kind == "WACZ":
            yield Package(path.name, file, trust, opened)
        elif kind == "HAR":
            yield HarLog(path.name, file, opened)
        else:
            problem = "expected WARC records, WACZ or HAR, this is none of them"
            raise ParseError(problem, path.name, 0, hint="nothing was archived")


def _unnamed_file(opened: ExitStack) -> BinaryIO:
    file = tempfile.TemporaryFile()  # noqa: SIM115 - `opened` closes it
    return cast("BinaryIO", opened.enter_context(file))


class _Records:
    """A WARC or ARC file, read as it is."""

    def __init__(self, name: str, file: BinaryIO) -> None:
        self.sources = [RecordFile(name, file)]
        self.missing: list[Damage] = []

    def listed(self) -> Iterator[tuple[str, str]]:
        """The pages that it lists: none."""
        return iter(())


class _ZipFile:
    """A zip file that is read with the limits of a package."""

    def __init__(self, name: str, file: BinaryIO, opened: ExitStack) -> None:
        self._name = name
        self._file = file
        self._opened = opened
        self._zip = zipfile.ZipFile(file)
        self._entries = {each.filename: each for each in self._zip.infolist()}
        for path in self._entries:
            self.check_path(path)

    def __contains__(self, path: str) -> bool:
        return path in self._entries

    def check_path(self, path: str) -> None:
        """Raise ParseError for a path that leads out of the file."""
        parts = path.replace("\\", "/").split("/")
        if path.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or "\0" in path:
            raise ParseError(f"{path!r} leads out of the file", self._name, 0, _WACZ)

    def archive(self) -> Iterator[str]:
        """The paths of the files of records."""
        for path in self._entries:
            if path.startswith("archive/") and not path.endswith("/"):
                yield path

    def pieces(self, path: str) -> Iterator[bytes]:
        """The content of a file, piece by piece."""
        with self._zip.open(path) as stream:
            while piece := stream.read(_STEP):
                yield piece

    def read(self, path: str) -> bytes:
        """The content of a file that is not large."""
        if path not in self._entries:
            raise ParseError(f"expected {path} in the file", self._name, 0, _WACZ)
        with self._zip.open(path) as stream:
            octets = stream.read(_MOST_JSON + 1)
        if len(octets) > _MOST_JSON:
            raise ParseError(f"{path} is larger than {_MOST_JSON:,} octets", self._name, 0, _WACZ)
        return octets

    def lines(self, path: str) -> Iterator[dict[str, Any]]:
        """The objects in a file of lines; none where there is no such file."""
        if path not in self._entries:
            return
        with self._zip.open(path) as lines:
            while line := lines.readline(_MOST_LINE):
                try:
                    value = json.loads(line)
                except (ValueError, RecursionError):
                    continue  # too long, or no JSON: lists of others hold what they like
                if isinstance(value, dict):
                    yield value

    def records(self, path: str) -> BinaryIO:
        """A file of records: as it is stored, or unpacked into an unnamed file."""
        entry = self._entries[path]
        if entry.compress_type == zipfile.ZIP_STORED:
            self._file.seek(entry.header_offset)
            head = self._file.read(_LOCAL.size)
            if len(head) < _LOCAL.size or not head.startswith(b"PK\x03\x04"):
                raise ParseError(f"expected the head of {path}", self._name, 0, _WACZ)
            _, names, extra = _LOCAL.unpack(head)
            start = entry.header_offset + _LOCAL.size + names + extra
            return cast("BinaryIO", io.BufferedReader(_Slice(self._file, start, entry.file_size)))
        if entry.file_size > _MOST_TIMES * entry.compress_size + _STEP:
            problem = f"{path} unpacks to {entry.file_size:,} octets"
            raise ParseError(f"{problem}: too much for what it is", self._name, 0, _WACZ)
        target = _unnamed_file(self._opened)
        target.writelines(self.pieces(path))
        return target


class Package:
    """An open WACZ file, all of whose digests are right."""

    def __init__(self, name: str, file: BinaryIO, trust: Trust, opened: ExitStack) -> None:
        self.name = name
        self.missing: list[Damage] = []
        self._trust = trust
        try:
            self._zip = _ZipFile(name, file, opened)
            octets = self._zip.read("datapackage.json")
            self.package = self._object(octets, "datapackage.json")
            self._check_resources()
            self.vouched = self._vouched(octets)
            self.sources = [
                RecordFile(name, self._zip.records(path), {}, self.on_record())
                for path in self._zip.archive()
            ]
        except PermaciteError:
            raise
        except Exception as error:  # zipfile raises of many kinds for a damaged file
            raise ParseError(f"the zip file is damaged: {error}", name, 0, _WACZ) from error

    def told(self) -> str:
        """Who vouches for it, in words."""
        said = [self.vouched.get(each) for each in ("domain", "key", "chain", "time_stamp")]
        said += [self.vouched.get("in_force") and f"in force {self.vouched['in_force']}"]
        said += [self.vouched.get("since_then")]
        return ", ".join(str(each) for each in [self.vouched["signature"], *said] if each)

    def on_record(self) -> dict[str, object]:
        """What is kept of the package with each page out of it."""
        told = {name: self.package.get(name) for name in ("wacz_version", "software", "created")}
        kept = {name: str(value)[:1000] for name, value in told.items() if value is not None}
        return {**kept, **self.vouched}

    def pages(self) -> Iterator[dict[str, Any]]:
        """The pages that it lists: each has the member `url`."""
        for path in ("pages/pages.jsonl", "pages/extraPages.jsonl"):
            lines = self._zip.lines(path)
            yield from (page for page in lines if isinstance(page.get("url"), str))

    def listed(self) -> Iterator[tuple[str, str]]:
        """The address and the time of each of them."""
        yield from ((page["url"], str(page.get("ts", ""))) for page in self.pages())

    def citations(self) -> Iterator[dict[str, Any]]:
        """What was cited of the pages, where an archive like this one wrote it."""
        lines = self._zip.lines("permacite/citations.jsonl")
        yield from (line for line in lines if isinstance(line.get("reference"), str))

    def _check_resources(self) -> None:
        """Check the digest of every file, and that every file of records is described."""
        described = {}
        resources = self.package.get("resources")
        for each in resources if isinstance(resources, list) else ():
            if isinstance(each, dict) and isinstance(each.get("path"), str):
                described[each["path"]] = each
        for path, said in described.items():
            self._zip.check_path(path)
            if path not in self._zip:
                problem = f"the data package names {path}, which is not there"
                raise IntegrityError(problem, expected=str(said.get("hash")), actual="no file")
            self._check(path, str(said.get("hash", "")), said.get("bytes"))
        for path in self._zip.archive():
            if path not in described:
                problem = f"the data package does not name {path}: it is of another file"
                raise IntegrityError(problem, expected="a digest", actual="none")

    def _check(self, path: str, stated: str, size: object) -> None:
        algorithm, _, value = stated.partition(":")
        if algorithm not in {"sha256", "md5"}:
            raise ParseError(f"expected a sha256 or md5 digest of {path}", stated, 0, _WACZ)
        made = hashlib.new(algorithm, usedforsecurity=False)
        read = 0
        for piece in self._zip.pieces(path):
            made.update(piece)
            read += len(piece)
        if made.hexdigest() != value.lower() or size not in {None, read}:
            raise IntegrityError(
                f"{path} is not the file that the data package describes",
                expected=stated,
                actual=f"{algorithm}:{made.hexdigest()}",
            )

    def _vouched(self, octets: bytes) -> dict[str, object]:
        """Who signed the data package, if anybody did."""
        if "datapackage-digest.json" not in self._zip:
            return {"signature": "none"}
        said = self._object(self._zip.read("datapackage-digest.json"), "datapackage-digest.json")
        digest = f"sha256:{hashlib.sha256(octets).hexdigest()}"
        if said.get("hash") != digest:
            problem = "datapackage.json is not what its digest is of"
            raise IntegrityError(problem, expected=str(said.get("hash")), actual=digest)
        signed = said.get("signedData")
        if not isinstance(signed, dict):
            return {"signature": "none"}
        if signed.get("hash") != digest or signed.get("created") != self.package.get("created"):
            problem = "what is signed is another data package"
            raise IntegrityError(problem, expected=str(signed.get("hash")), actual=digest)
        return {**check(signed, digest, self._trust), "signed": _kept(signed)}

    def _object(self, octets: bytes, path: str) -> dict[str, Any]:
        try:
            value = json.loads(octets)
        except (ValueError, RecursionError) as error:
            raise ParseError(f"expected JSON in {path}", self.name, 0, _WACZ) from error
        if not isinstance(value, dict):
            raise ParseError(f"expected an object in {path}", self.name, 0, _WACZ)
        return value


class _Slice(io.RawIOBase):
    """A part of a file, as a file."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        super().__init__()
        self._file = file
        self._start = start
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        base = {0: 0, 1: self._at, 2: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        many = max(0, min(len(buffer), self._size - self._at))
        self._file.seek(self._start + self._at)
        piece = self._file.read(many)
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)


def _kept(signed: Mapping[str, Any]) -> dict[str, str]:
    """A signature as it is put on record."""
    return {str(name)[:40]: str(value)[:20_000] for name, value in list(signed.items())[:20]}


class HarLog:
    """A HAR file, its answers written as records into an unnamed file."""

    def __init__(self, name: str, file: BinaryIO, opened: ExitStack) -> None:
        self.name = name
        self.missing: list[Damage] = []
        """What it says was asked for, and does not hold."""
        self._log = _log_in(file, name)
        entries = self._log.get("entries")
        self._entries = [each for each in entries if isinstance(each, dict)] if entries else []
        self._records = _unnamed_file(opened)
        for number, entry in enumerate(self._entries):
            self._write(number, entry)
        version = f"HAR {str(self._log.get('version') or '1.2')[:10]}"
        told = {"software": self._software()}
        self.sources = [RecordFile(name, self._records, told, shows="reported", format=version)]

    def listed(self) -> Iterator[tuple[str, str]]:
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
    if file.seek(0, 2) > _MOST_LOG:
        raise ParseError(f"a log of more than {_MOST_LOG:,} octets is not read", name, 0, _HAR)
    file.seek(0)
    try:
        value = json.loads(file.read().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ParseError(f"expected JSON: {error}", name, 0, _HAR) from error
    log = value.get("log") if isinstance(value, dict) else None
    if not isinstance(log, dict) or not isinstance(log.get("entries"), list):
        raise ParseError("expected a log with entries", name, 0, _HAR)
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
