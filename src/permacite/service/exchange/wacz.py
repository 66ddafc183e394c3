"""WACZ export of documents: records, an index, the pages with their words, and a signature.

WACZ 1.1.1 (specs.webrecorder.net/wacz/1.1.1) and WACZ-auth 0.1.0:
  §5.2 archive                     -> one WARC file, compressed record by record, stored as it is
  §5.2 indexes, CDXJ               -> `_RecordIndex`, one line for each answer, sorted
  §5.2 pages, JSON lines           -> `_RecordIndex.page`, with the text of each page
  §5.3 datapackage.json            -> `_package`
  WACZ-auth §4 anonymous           -> `_signed`: ECDSA over P-384 and SHA-256, by a key of this file
Beside them `permacite/citations.jsonl` has what was cited, by the names that it had here.

Deviations: none.
Readings: an anonymous signature says that a file is unaltered, but not who made it. Its key is made
for one file and then deleted.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sqlite3
import zipfile
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qsl, quote_plus, urlsplit

from permacite.archive.model.answered import utc_now
from permacite.archive.transport.stream import BatchOutcome, LeftOut, carry
from permacite.service.exchange.warc import (
    DocumentSource,
    citations,
    info,
    records_of,
    write_record,
)
from permacite.service.preservation import DocumentExport
from permacite.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    from permacite.archive.repository import Repository
    from permacite.service.exchange.warc import DocumentBatch, ExportedRecord, WrittenRecord

__all__ = ["export"]

_RECORDS = "data.warc.gz"
_DAY = (1980, 1, 1, 0, 0, 0)
"""The time of all members: a zip file has no other that means the same everywhere."""
_MARK = b"\xfe\xca\0\0"
"""An extra field that says nothing. A member that may be large has one before its octets; readers
look for it there only where the directory has one too (wabac.js)."""
_TABLES = "CREATE TABLE line (key TEXT, text TEXT); CREATE TABLE page (text TEXT)"


def export(repository: Repository, path: Path, pattern: str | None) -> DocumentExport:
    """Write the versions that `pattern` covers (all where None) as a WACZ file.

    Raises FileExistsError where `path` is there.
    """
    with path.open("xb") as file, zipfile.ZipFile(file, "w") as packed, _RecordIndex() as index:
        package = _Package(packed)
        with package.member(f"archive/{_RECORDS}") as member:
            write_record(member, info(_RECORDS), compressed=True)
            sink = _PageSink(repository, member, index)
            carried = carry(DocumentSource(repository, pattern), sink)
        package.add("indexes/index.cdx", index.lines())
        package.add("pages/pages.jsonl", index.pages())
        cited = citations(repository.public(), pattern)
        first = next(cited, None)
        if first is not None:  # frictionless, by which others check, takes no empty file
            lines = (json.dumps(each, ensure_ascii=False) for each in chain([first], cited))
            package.add("permacite/citations.jsonl", lines)
        package.close()
    return DocumentExport(carried.end, sink.records, carried.left_out)


class _PageSink:
    """The records of a WACZ file, their index and the list of pages."""

    def __init__(self, repository: Repository, member: BinaryIO, index: _RecordIndex) -> None:
        self.records = 0
        self._repository = repository.public()
        self._member = member
        self._index = index

    def position(self) -> int:
        """A file is written as a whole."""
        return 0

    def take(self, batch: DocumentBatch) -> BatchOutcome:
        """Write the records of a version; one without an address is on no list of pages."""
        for record in records_of(self._repository, batch):
            self.records += 1
            written = write_record(self._member, record, compressed=True)
            self._index.note(record, written)
        left_out = list(batch.left_out)
        if batch.formats and not self._index.page(self._repository, batch):
            left_out.append(LeftOut(str(batch.version.pdi), "no-address"))
        return BatchOutcome(len(batch.formats), left_out=left_out)


class _PackageMember:
    """A member of a zip file that is being written: counted and digested as it grows."""

    def __init__(self, package: _Package, name: str, stream: BinaryIO) -> None:
        self._package = package
        self._name = name
        self._stream = stream
        self._hash = hashlib.sha256()
        self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()
        self._package.resources.append(
            {
                "name": self._name.rpartition("/")[2],
                "path": self._name,
                "hash": f"sha256:{self._hash.hexdigest()}",
                "bytes": self._size,
            }
        )

    def write(self, octets: bytes) -> int:
        """Write some more."""
        self._hash.update(octets)
        self._size += len(octets)
        return self._stream.write(octets)

    def writelines(self, pieces: Iterable[bytes]) -> None:
        """Write all pieces."""
        for piece in pieces:
            self.write(piece)

    def tell(self) -> int:
        """How much was written."""
        return self._size


class _Package:
    """A zip file with its datapackage.json."""

    def __init__(self, packed: zipfile.ZipFile) -> None:
        self._packed = packed
        self.resources: list[dict[str, Any]] = []

    def member(self, name: str, *, compressed: bool = False) -> Any:
        """Begin a member, stored without compression, so that records can be read by offset."""
        entry = zipfile.ZipInfo(name, _DAY)
        entry.extra = _MARK
        entry.compress_type = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
        return _PackageMember(self, name, self._packed.open(entry, "w", force_zip64=True))  # type: ignore[arg-type]

    def add(self, name: str, lines: Iterator[str]) -> None:
        """Write a member of lines."""
        with self.member(name, compressed=True) as member:
            member.writelines(f"{line}\n".encode() for line in lines)

    def close(self) -> None:
        """Write datapackage.json and its signature."""
        created = utc_now().strftime("%Y-%m-%dT%H:%M:%SZ")
        software = f"permacite {__version__}"
        package = {
            "profile": "data-package",
            "resources": self.resources,
            "created": created,
            "wacz_version": "1.1.1",
            "software": software,
        }
        octets = json.dumps(package, indent=2, ensure_ascii=False).encode()
        self._packed.writestr(zipfile.ZipInfo("datapackage.json", _DAY), octets)
        digest = f"sha256:{hashlib.sha256(octets).hexdigest()}"
        signed = {"path": "datapackage.json", "hash": digest}
        about = {"hash": digest, "created": created, "software": software}
        text = json.dumps({**signed, "signedData": about | _signed(digest)}, indent=2)
        self._packed.writestr(zipfile.ZipInfo("datapackage-digest.json", _DAY), text)


class _RecordIndex:
    """Index of records and list of pages, kept in an unnamed file until they are sorted."""

    def __init__(self) -> None:
        self._rows = sqlite3.connect("")
        self._rows.executescript(_TABLES)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._rows.close()

    def note(self, record: ExportedRecord, place: WrittenRecord) -> None:
        """Add a record that answers for an address."""
        fields = record.fields
        if fields["WARC-Type"] not in {"response", "resource"}:
            return
        uri, date = fields["WARC-Target-URI"], fields["WARC-Date"]
        status, media_type = _status_and_type(record)
        line = {
            "url": uri,
            "mime": media_type,
            "status": status,
            "digest": place.payload,
            "length": str(place.length),
            "offset": str(place.offset),
            "filename": _RECORDS,
        }
        stamp = "".join(each for each in date if each.isdigit())[:14]
        key = f"{_surt(uri)} {stamp}"
        text = f"{key} {json.dumps(line, ensure_ascii=False)}"
        self._rows.execute("INSERT INTO line VALUES (?, ?)", (key, text))

    def page(self, repository: Repository, batch: DocumentBatch) -> bool:
        """Add a page with its text; False where it has no address."""
        version, given = batch.version, batch.formats
        uri = version.provenance.final_uri or version.provenance.uri
        if uri is None:
            return False
        at = version.provenance.retrieved_at or version.committed_at
        page = {
            "id": str(repository.lookup.main(version).pdi),
            "url": uri,
            "ts": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "title": version.title or "",
            "formats": {item.format: item.digest for item in given},
        }
        text = next((item for item in given if item.media_type == "text/plain"), None)
        if text is not None:
            page["text"] = str(repository.contents.text(text).text)
        self._rows.execute("INSERT INTO page VALUES (?)", (json.dumps(page, ensure_ascii=False),))
        return True

    def lines(self) -> Iterator[str]:
        """The lines of the index, sorted as CDXJ readers search them."""
        with closing(self._rows.execute("SELECT text FROM line ORDER BY key, text")) as rows:
            for (text,) in rows:
                yield text

    def pages(self) -> Iterator[str]:
        """The lines of the list of pages."""
        yield json.dumps(
            {"format": "json-pages-1.0", "id": "pages", "title": "All pages", "hasText": True}
        )
        with closing(self._rows.execute("SELECT text FROM page ORDER BY rowid")) as rows:
            for (text,) in rows:
                yield text


def _status_and_type(record: ExportedRecord) -> tuple[str, str]:
    """The status and the media type of an answer."""
    first, *lines = record.head.decode("latin-1").split("\r\n")
    types = [line.partition(":")[2] for line in lines if line.lower().startswith("content-type:")]
    media_type = types[0] if types else record.fields.get("Content-Type", "")
    return first.split(" ")[1] if first else "200", media_type.partition(";")[0].strip().lower()


def _surt(uri: str) -> str:
    """Return the sort key of an address (SURT): the host reversed, the query sorted."""
    lower = uri.lower()
    if not lower.startswith(("http://", "https://")):
        return uri
    parts = urlsplit(lower)
    host = (parts.hostname or "").removeprefix("www.")
    port = f":{parts.netloc.rpartition(':')[2]}" if parts.netloc.count(":") == 1 else ""
    pairs = sorted(parse_qsl(parts.query, keep_blank_values=True))
    query = "&".join(f"{quote_plus(name)}={quote_plus(value)}" for name, value in pairs)
    turned = ",".join(reversed(host.split(".")))
    return f"{turned}{port}){parts.path or '/'}{'?' + query if query else ''}"


def _signed(digest: str) -> dict[str, str]:
    """Sign a digest by a key made for this file (WACZ-auth 0.1.0 §4)."""
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, utils

    key = ec.generate_private_key(ec.SECP384R1())
    signature = key.sign(digest.encode(), ec.ECDSA(hashes.SHA256()))
    halves = b"".join(half.to_bytes(48) for half in utils.decode_dss_signature(signature))
    public = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return {
        "signature": base64.b64encode(halves).decode(),
        "publicKey": base64.b64encode(public).decode(),
    }
