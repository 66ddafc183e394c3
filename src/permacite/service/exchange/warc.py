"""WARC export of documents, and the stream of public documents that WACZ and BagIt read too.

WARC 1.1 (ISO 28500:2017):
  §5 named fields                -> `write_record`
  §6.2 warcinfo                  -> `info`
  §6.3 response                  -> an answer whose header fields are on record
  §6.4 resource                  -> a document or part of which no answer is on record
  §6.6 metadata                  -> the permanent names, title and digest of each document
  §6.8 conversion                -> the text of a page
  Annex on compression           -> a file that ends in .gz has one member a record

Deviations: none.
Readings: what is archived are the octets after transfer and content codings were taken off. A
`response` holds them under the header fields as they came; those that tell of codings and of a
length are set aside (`X-Archive-Orig-`), as web archives do it. Of redirects the status and the
address are on record, and are all that is written. What was withdrawn is left out: the file is for
others.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import hashlib
import mmap
import uuid
import zlib
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from permacite import mhtml, uri
from permacite.archive.model.answered import utc_now
from permacite.archive.objects.source import digest_of
from permacite.archive.transport.stream import BatchOutcome, LeftOut, carry
from permacite.errors import IntegrityError, ParseError
from permacite.service.holdings import pattern_of
from permacite.service.preservation import DocumentExport
from permacite.service.sources import MESSAGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from permacite.archive.model.answered import JSON, Representation, Version
    from permacite.archive.repository import Repository

__all__ = [
    "DocumentBatch",
    "DocumentSource",
    "ExportedRecord",
    "Octets",
    "WrittenRecord",
    "citations",
    "export",
    "former_names",
    "info",
    "octets_of",
    "records_of",
    "write_record",
]

_WITH_PAYLOAD = ("resource", "conversion", "response")
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "urn:permacite:warc")
_OF_CODINGS = frozenset({"content-encoding", "transfer-encoding", "content-length"})
_ASIDE = "X-Archive-Orig-"
_WITHHELD = "(not on record)"
_STEP = 1 << 20
Octets: TypeAlias = "bytes | mmap.mmap"


class ExportedRecord(NamedTuple):
    """A record that is to be written."""

    fields: dict[str, str]
    head: bytes
    """Of an HTTP answer; b"" for what is none."""
    content: Octets
    version: Version | None = None
    """Of a document's first format, the version that it is of."""


class WrittenRecord(NamedTuple):
    """The place of a record in a file."""

    offset: int
    length: int
    payload: str
    """The digest of its payload, as written."""


def export(repository: Repository, path: Path, pattern: str | None) -> DocumentExport:
    """Write the versions that `pattern` covers (all where None) as a WARC file.

    Raises FileExistsError where `path` is there.
    """
    with path.open("xb") as file:
        sink = _RecordSink(repository, file, compressed=path.suffix == ".gz")
        write_record(file, info(path.name), compressed=sink.compressed)
        carried = carry(DocumentSource(repository, pattern), sink)
    return DocumentExport(carried.end, sink.records, carried.left_out)


class _RecordSink:
    """A WARC file that is being written."""

    def __init__(self, repository: Repository, file: BinaryIO, *, compressed: bool) -> None:
        self.compressed = compressed
        self.records = 0
        self._repository = repository.public()
        self._file = file

    def position(self) -> int:
        """A file is written as a whole."""
        return 0

    def take(self, batch: DocumentBatch) -> BatchOutcome:
        """Write the records of a version."""
        for record in records_of(self._repository, batch):
            self.records += 1
            write_record(self._file, record, compressed=self.compressed)
        return BatchOutcome(len(batch.formats), left_out=batch.left_out)


def info(name: str) -> ExportedRecord:
    """The warcinfo record: the program that made the file, and when."""
    now = _date(utc_now())
    body = (
        "software: permacite\r\nformat: WARC File Format 1.1\r\n"
        "conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/"
        "warc-1.1/\r\n"
    )
    fields = {
        "WARC-Type": "warcinfo",
        "WARC-Record-ID": _identifier(f"{name} {now}"),
        "WARC-Date": now,
        "WARC-Filename": name,
        "Content-Type": "application/warc-fields",
    }
    return ExportedRecord(fields, b"", body.encode())


def records_of(repository: Repository, batch: DocumentBatch) -> Iterator[ExportedRecord]:
    """Yield the records of one version: its document, its other formats, its names."""
    version = batch.version
    at = version.provenance.retrieved_at or version.committed_at
    date = _date(at)
    main = repository.lookup.main(version)
    root = _identifier(str(main.pdi))
    target = _address(version)
    answers = _Answers(version.provenance.details)
    for item in batch.formats:
        with octets_of(repository, item) as octets:
            own = _identifier(str(item.pdi))
            fields = {"WARC-Record-ID": own, "WARC-Date": date, "WARC-Target-URI": target}
            if item.media_type in MESSAGES and item != main and item.derived_from is None:
                yield from _parts(octets, root, date, answers)
            elif item.derived_from is not None:
                fields |= {"WARC-Type": "conversion", "WARC-Refers-To": root}
                yield ExportedRecord(fields | _type(item), b"", octets)
            elif item == main:
                yield from answers.redirects(item.digest, root)
                record = answers.record(fields, _type(item), octets, item.digest)
                # The time of the version, which began a little before its first request.
                stated = record.fields | {"WARC-Date": _exact(at)}
                yield record._replace(fields=stated, version=version)
            else:
                yield ExportedRecord(fields | {"WARC-Type": "resource"} | _type(item), b"", octets)
    if batch.formats:
        published = dataclasses.replace(version, representations=tuple(batch.formats))
        yield _names(published, root, date, target)


class _Answers:
    """Answers with recorded header fields, by the digest of their content."""

    def __init__(self, details: Mapping[str, Any]) -> None:
        requests = details.get("requests", ())
        self._by_digest: dict[str, dict[str, Any]] = {}
        self._by_uri: dict[tuple[str, str], dict[str, Any]] = {}
        for each in requests if isinstance(requests, list | tuple) else ():
            if isinstance(each, Mapping) and each.get("digest"):
                answer = dict(each)
                self._by_digest.setdefault(str(answer["digest"]), answer)
                self._by_uri.setdefault((str(answer.get("uri")), str(answer["digest"])), answer)

    def find(self, digest: str, label: str | None = None) -> dict[str, Any] | None:
        """Find the answer with some content, by its address too if `label` is given."""
        if label is None:
            return self._by_digest.get(digest)
        return self._by_uri.get((label, digest))

    def record(
        self,
        fields: dict[str, str],
        media_type: dict[str, str],
        octets: Octets,
        digest: str,
        *,
        label: str | None = None,
    ) -> ExportedRecord:
        """A response where an answer is on record, else a resource."""
        answer = self.find(digest, label)
        if answer is None or not answer.get("response_headers"):
            return ExportedRecord(fields | {"WARC-Type": "resource"} | media_type, b"", octets)
        status, reason = int(answer.get("status") or 200), str(answer.get("reason") or "")
        lines = [f"HTTP/1.1 {status} {reason}".rstrip()]
        for name, value in answer["response_headers"]:
            is_same = name.lower() == "content-length" and value == str(len(octets))
            if value != _WITHHELD and not is_same:
                aside = _ASIDE if name.lower() in _OF_CODINGS else ""
                lines.append(f"{aside}{name}: {value}")
        lines.append(f"Content-Length: {len(octets)}")
        fields = fields | {
            "WARC-Type": "response",
            "WARC-Date": _moment(answer) or fields["WARC-Date"],
            "Content-Type": "application/http;msgtype=response",
        }
        if answer.get("peer_address"):
            fields["WARC-IP-Address"] = str(answer["peer_address"])
        return ExportedRecord(fields, _head(lines), octets)

    def redirects(
        self, digest: str, root: str, label: str | None = None
    ) -> Iterator[ExportedRecord]:
        """Yield the redirects that led to the answer with some content."""
        answer = self.find(digest, label) or {}
        for number, step in enumerate(answer.get("redirects", ())):
            lines = [f"HTTP/1.1 {step['status']}", f"Location: {step['location']}"]
            fields = {
                "WARC-Type": "response",
                "WARC-Record-ID": _identifier(f"{root} {label} redirect {number}"),
                "WARC-Date": _moment(answer) or "",
                "WARC-Target-URI": str(step["uri"]),
                "Content-Type": "application/http;msgtype=response",
            }
            yield ExportedRecord(fields, _head([*lines, "Content-Length: 0"]), b"")


def _head(lines: list[str]) -> bytes:
    """Return the head of an answer, with line ends in fields replaced by spaces."""
    text = "\r\n".join(line.replace("\r", " ").replace("\n", " ") for line in lines)
    return f"{text}\r\n\r\n".encode("latin-1", "replace")


def _moment(answer: Mapping[str, Any]) -> str | None:
    """When an answer came."""
    try:
        moment = datetime.fromisoformat(str(answer.get("started_at")))
    except ValueError:
        return None
    return _exact(moment)


def _exact(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ") if moment.microsecond else _date(moment)


def _parts(aggregate: Octets, root: str, date: str, answers: _Answers) -> Iterator[ExportedRecord]:
    """Yield the parts of a page, each under its own address."""
    with mhtml.open(aggregate) as opened:
        for part in opened.body_parts:
            if part is opened.root or part.content_type.lower().startswith("multipart/"):
                continue
            label = part.content_location
            address = label or (part.content_id and f"cid:{part.content_id}")
            if not address:
                continue
            content = part.content
            fields = {
                "WARC-Record-ID": _identifier(f"{root} {part.path}"),
                "WARC-Date": date,
                "WARC-Target-URI": uri.from_iri(address),
                "WARC-Concurrent-To": root,
            }
            media_type = {"Content-Type": part.content_type}
            digest = digest_of(content)
            answer = answers.find(digest, label) if label else None
            if answer is not None:
                yield from answers.redirects(digest, root, label)
                if answer.get("redirects"):
                    fields["WARC-Target-URI"] = uri.from_iri(str(answer["final_uri"]))
            yield answers.record(fields, media_type, content, digest, label=label or "")


def _names(version: Version, root: str, date: str, target: str) -> ExportedRecord:
    """Return the metadata record with the names of a document."""
    lines = [("pdi", str(item.pdi)) for item in version.representations]
    lines += [("digest", f"{item.format} {item.digest}") for item in version.representations]
    lines += [("same-as", f"{name} {digest}") for name, digest in former_names(version)]
    if version.title:
        lines.append(("title", " ".join(version.title.split())))
    body = "".join(f"{name}: {value}\r\n" for name, value in lines)
    fields = {
        "WARC-Type": "metadata",
        "WARC-Record-ID": _identifier(f"{root} names"),
        "WARC-Date": date,
        "WARC-Target-URI": target,
        "WARC-Refers-To": root,
        "Content-Type": "application/warc-fields",
    }
    return ExportedRecord(fields, b"", body.encode())


def _address(version: Version) -> str:
    """Return the address of a document; its own name where it has none."""
    address = version.provenance.final_uri or version.provenance.uri
    try:
        return uri.from_iri(address) if address else str(version.pdi.document)
    except ParseError:
        return str(version.pdi.document)


def _type(representation: Representation) -> dict[str, str]:
    charset = f"; charset={representation.charset}" if representation.charset else ""
    return {"Content-Type": representation.media_type + charset}


def write_record(file: BinaryIO, record: ExportedRecord, *, compressed: bool) -> WrittenRecord:
    """Write one record, its block digested (WARC 1.1 §5.8), and its payload.

    Indexes of web archives go by the digest of the payload, in SHA-1 and base32.
    """
    payload = hashlib.sha1(record.content, usedforsecurity=False)
    block = hashlib.sha1(record.head, usedforsecurity=False)
    block.update(record.content)
    digests = {"WARC-Block-Digest": _stated(block.digest())}
    payload_digest = (
        _stated(payload.digest()) if record.fields["WARC-Type"] in _WITH_PAYLOAD else ""
    )
    if payload_digest:
        digests["WARC-Payload-Digest"] = payload_digest
    length = len(record.head) + len(record.content)
    every = record.fields | digests | {"Content-Length": str(length)}
    lines = "".join(f"{name}: {value}\r\n" for name, value in every.items())
    offset = file.tell()
    pack = zlib.compressobj(wbits=zlib.MAX_WBITS | 16) if compressed else None
    head = b"WARC/1.1\r\n" + lines.encode() + b"\r\n" + record.head
    pieces = _pieces(head, record.content)
    file.writelines(pieces if pack is None else map(pack.compress, pieces))
    if pack is not None:
        file.write(pack.flush())
    return WrittenRecord(offset, file.tell() - offset, payload_digest)


def _pieces(head: bytes, content: Octets) -> Iterator[bytes]:
    yield head
    for start in range(0, len(content), _STEP):
        yield content[start : start + _STEP]
    yield b"\r\n\r\n"


def _stated(digest: bytes) -> str:
    return f"sha1:{base64.b32encode(digest).decode()}"


def _identifier(name: str) -> str:
    """Return the ID of a record, the same in every export."""
    return f"<urn:uuid:{uuid.uuid5(_NAMESPACE, name)}>"


def _date(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class DocumentBatch(NamedTuple):
    """One version of a document."""

    end: int
    version: Version
    formats: Sequence[Representation]
    """Those that may be published."""
    left_out: Sequence[LeftOut]
    """The others."""


class DocumentSource:
    """The versions that a pattern covers, as the public sees them; all where it is None."""

    def __init__(self, repository: Repository, pattern: str | None) -> None:
        self._repository = repository.public()
        self._pattern = pattern
        self.size = 0
        """How many were read so far."""

    def batches(self, start: int) -> Iterator[DocumentBatch]:
        """Yield each version with the formats that may be published."""
        for number, version in enumerate(_covered(self._repository, self._pattern), 1):
            self.size = number
            if number <= start:
                continue
            restricted = self._repository.lookup.restrictions(version.representations)
            formats = [item for item in version.representations if item.pdi not in restricted]
            left_out = [LeftOut(str(pdi), each.kind) for pdi, each in restricted.items()]
            yield DocumentBatch(number, version, formats, left_out)


def _covered(repository: Repository, pattern: str | None) -> Iterator[Version]:
    """Yield the versions that a pattern covers, each with all that is on record of it."""
    for version in repository.lists.list(None if pattern is None else pattern_of(pattern)):
        yield repository.lookup.version(version.pdi)  # lists leave details out


@contextlib.contextmanager
def octets_of(repository: Repository, item: Representation) -> Iterator[Octets]:
    """Open the contents of a format, checked, and mapped where possible: they may be large.

    Raises IntegrityError.
    """
    with repository.contents.source(item) as source:
        if source.descriptor is None or not source.size:
            yield repository.contents.read(item)
            return
        with mmap.mmap(source.descriptor, 0, access=mmap.ACCESS_READ) as octets:
            actual = "sha-256:" + hashlib.sha256(octets).hexdigest()
            if actual != item.digest:
                problem = f"the stored octets of {item.pdi} are others"
                raise IntegrityError(problem, expected=item.digest, actual=actual)
            yield octets


def citations(repository: Repository, pattern: str | None) -> Iterator[dict[str, JSON]]:
    """Yield the citations of the versions that a pattern covers."""
    for version in _covered(repository.public(), pattern):
        restricted = repository.lookup.restrictions(version.representations)
        for citation in repository.passages.citations(version.pdi):
            if citation.pdi not in restricted:
                yield {
                    "reference": citation.fragment,
                    "quote": citation.quote,
                    "before": citation.before,
                    "after": citation.after,
                    "note": citation.note,
                    "cited_at": citation.cited_at.isoformat(),
                }


def former_names(version: Version) -> Iterator[tuple[str, str]]:
    """Yield the names that the formats of a version had in other archives, with their digests."""
    imported = version.provenance.details.get("imported")
    told = imported.get("names") if isinstance(imported, Mapping) else None
    held = {item.digest for item in version.representations}
    for name, digest in told.items() if isinstance(told, Mapping) else ():
        if digest in held:
            yield str(name), str(digest)
