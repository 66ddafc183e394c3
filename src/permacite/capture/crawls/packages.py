"""WACZ files: the files of records in them, their list of pages, and what vouches for them.

WACZ 1.1.1 and WACZ-auth 0.1.0:
  §5.2 archive          -> `Package._sources`: each file of records, read where it stands
  §5.2 pages            -> `Package.pages`
  §5.3 datapackage.json -> every file that it names is there, and holds what it says
  WACZ-auth             -> `signatures`: who signed it, and whether they are trusted

Deviations: none.
Readings: a package whose digests are wrong is not the one that somebody made, so that nothing of it
is read. A signature that is broken refuses as well.
"""

from __future__ import annotations

import hashlib
import io
import json
import struct
import tempfile
import zipfile
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from permacite.capture.crawls.index import RecordFile
from permacite.capture.crawls.signatures import Trust, check
from permacite.errors import IntegrityError, ParseError, PermaciteError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Package"]

NOBODY = Trust()
"""Is trusted, where nobody is named."""
_STEP = 1 << 20
_MOST_JSON = 64 * _STEP
"""A data package that is larger describes no crawl."""
_MOST_LINE = _STEP * 8
_MOST_TIMES = 200
"""How many times larger a file of records may be than what it is packed to."""
_LOCAL = struct.Struct("<4s22xHH")
_SPEC = "WACZ 1.1.1"


class Package:
    """An open WACZ file, all of whose digests are right; close it.

    Raises ParseError for what is none, IntegrityError where it is not as its maker left it.
    """

    def __init__(self, name: str, file: BinaryIO, trust: Trust = NOBODY) -> None:
        self.name = name
        self._file = file
        self._trust = trust
        self._spooled: list[BinaryIO] = []
        try:
            self._zip = zipfile.ZipFile(file)
            self._entries = {each.filename: each for each in self._zip.infolist()}
            for path in self._entries:
                _check_path(path, name)
            octets = self._read("datapackage.json")
            self.package = self._object(octets, "datapackage.json")
            self._check_resources()
            self.vouched = self._vouched(octets)
            self.sources = list(self._sources())
        except BaseException as error:
            self.close()
            if isinstance(error, PermaciteError) or not isinstance(error, Exception):
                raise  # zipfile raises of many kinds for a damaged file
            raise ParseError(f"the zip file is damaged: {error}", name, 0, _SPEC) from error

    def close(self) -> None:
        """Let go of what was unpacked."""
        for each in self._spooled:
            each.close()

    # ------------------------------------------------------------ what is in it
    def _sources(self) -> Iterator[RecordFile]:
        """The files of records, each told as one of this package."""
        for path, entry in self._entries.items():
            if not path.startswith("archive/") or path.endswith("/"):
                continue
            is_stored = entry.compress_type == zipfile.ZIP_STORED
            file = self._stored(entry) if is_stored else self._unpacked(entry)
            yield RecordFile(self.name, file, {}, self.on_record())

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
            yield from (page for page in self._lines(path) if isinstance(page.get("url"), str))

    def citations(self) -> Iterator[dict[str, Any]]:
        """What was cited of the pages, where an archive like this one wrote it."""
        lines = self._lines("permacite/citations.jsonl")
        yield from (line for line in lines if isinstance(line.get("reference"), str))

    def _lines(self, path: str) -> Iterator[dict[str, Any]]:
        """The objects in a file of lines."""
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

    def _stored(self, entry: zipfile.ZipInfo) -> BinaryIO:
        self._file.seek(entry.header_offset)
        head = self._file.read(_LOCAL.size)
        if len(head) < _LOCAL.size or not head.startswith(b"PK\x03\x04"):
            raise ParseError(f"expected the head of {entry.filename}", self.name, 0, _SPEC)
        _, names, extra = _LOCAL.unpack(head)
        start = entry.header_offset + _LOCAL.size + names + extra
        return cast("BinaryIO", io.BufferedReader(_Slice(self._file, start, entry.file_size)))

    def _unpacked(self, entry: zipfile.ZipInfo) -> BinaryIO:
        """A file of records that the zip file packs once more, in an unnamed file."""
        if entry.file_size > _MOST_TIMES * entry.compress_size + _STEP:
            problem = f"{entry.filename} unpacks to {entry.file_size:,} octets"
            raise ParseError(f"{problem}: too much for what it is", self.name, 0, _SPEC)
        target = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115 - `close` closes it
        self._spooled.append(target)
        with self._zip.open(entry) as packed:
            while piece := packed.read(_STEP):
                target.write(piece)
        return target

    # ------------------------------------------------------------ what vouches for it
    def _check_resources(self) -> None:
        """Hold every file to its digest, and find every file of records described."""
        described = {}
        resources = self.package.get("resources")
        for each in resources if isinstance(resources, list) else ():
            if isinstance(each, dict) and isinstance(each.get("path"), str):
                described[each["path"]] = each
        for path, said in described.items():
            _check_path(path, self.name)
            if path not in self._entries:
                problem = f"the data package names {path}, which is not there"
                raise IntegrityError(problem, expected=str(said.get("hash")), actual="no file")
            self._check(path, str(said.get("hash", "")), said.get("bytes"))
        for path in self._entries:
            is_records = path.startswith("archive/") and not path.endswith("/")
            if is_records and path not in described:
                problem = f"the data package does not name {path}: it is of another file"
                raise IntegrityError(problem, expected="a digest", actual="none")

    def _check(self, path: str, stated: str, size: object) -> None:
        algorithm, _, value = stated.partition(":")
        if algorithm not in {"sha256", "md5"}:
            raise ParseError(f"expected a sha256 or md5 digest of {path}", stated, 0, _SPEC)
        made = hashlib.new(algorithm, usedforsecurity=False)
        read = 0
        with self._zip.open(path) as stream:
            while piece := stream.read(_STEP):
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
        if "datapackage-digest.json" not in self._entries:
            return {"signature": "none"}
        said = self._object(self._read("datapackage-digest.json"), "datapackage-digest.json")
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

    def _read(self, path: str) -> bytes:
        entry = self._entries.get(path)
        if entry is None:
            raise ParseError(f"expected {path} in the file", self.name, 0, _SPEC)
        with self._zip.open(entry) as stream:
            octets = stream.read(_MOST_JSON + 1)
        if len(octets) > _MOST_JSON:
            raise ParseError(f"{path} is larger than {_MOST_JSON:,} octets", self.name, 0, _SPEC)
        return octets

    def _object(self, octets: bytes, path: str) -> dict[str, Any]:
        try:
            value = json.loads(octets)
        except (ValueError, RecursionError) as error:
            raise ParseError(f"expected JSON in {path}", self.name, 0, _SPEC) from error
        if not isinstance(value, dict):
            raise ParseError(f"expected an object in {path}", self.name, 0, _SPEC)
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


def _check_path(path: str, name: str) -> None:
    """Raise ParseError for a path that leads out of the file."""
    parts = path.replace("\\", "/").split("/")
    if path.startswith(("/", "\\")) or ".." in parts or ":" in parts[0] or "\0" in path:
        raise ParseError(f"{path!r} leads out of the file", name, 0, _SPEC)


def _kept(signed: Mapping[str, Any]) -> dict[str, str]:
    """A signature as it is put on record."""
    return {str(name)[:40]: str(value)[:20_000] for name, value in list(signed.items())[:20]}
