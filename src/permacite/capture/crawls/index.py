"""Index of the captures in crawl files: the position and the claimed time of each.

Every octet is read once: lengths and digests are checked then, and pages are read by their places
later. The index is a database of its own in a file that has no name, so that it takes no more
memory for a crawl of millions.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Self

from permacite import media_types
from permacite.capture.address import comparable
from permacite.capture.crawls.messages import MOST_HEAD, Digest, read_head, value_of
from permacite.capture.crawls.records import RecordPosition, WarcReader
from permacite.lazy_dataclass import dataclass
from permacite.media_types import PAGES
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from typing import BinaryIO

    from permacite.capture.crawls.messages import HttpMessage
    from permacite.capture.crawls.records import WarcRecord

__all__ = ["CaptureIndex", "Captured", "Damage", "RecordFile", "fields_of", "moment_of"]

_KINDS = frozenset({"response", "resource", "revisit", "conversion"})
_MOST_TOLD = 1 << 14
"""How much of a warcinfo or metadata record is read."""
_MOST_NAMED = 100
"""How many of what is damaged are named; all are counted."""
_DATE = compile_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z")
_DOCUMENTS = (*sorted(PAGES), "application/pdf")
"""What is a page where nothing else tells the pages."""
_GOOD = frozenset(range(200, 300)) - {206}
_COLUMNS = [
    *("key", "uri", "claimed", "kind", "status", "media_type", "location"),
    *("file", "member", "inside", "record_id", "digest", "block", "payload"),
    *("refers_id", "refers_uri", "refers_at", "concurrent", "ip", "version", "trouble"),
]
_TABLES = f"""
CREATE TABLE capture (id INTEGER PRIMARY KEY, at TEXT, {", ".join(_COLUMNS)});
CREATE TABLE page (id INTEGER PRIMARY KEY);
CREATE TABLE beside (id INTEGER PRIMARY KEY, of TEXT, kind TEXT, method TEXT, file, member, inside);
"""
_INSERT = (
    f"INSERT INTO capture (at, {', '.join(_COLUMNS)})"  # noqa: S608 - our own names
    f" VALUES (?{', ?' * len(_COLUMNS)})"
)
_INDEXES = """
CREATE INDEX by_key ON capture (key, at);
CREATE INDEX by_record ON capture (record_id);
CREATE INDEX by_digest ON capture (digest);
CREATE INDEX by_original ON capture (refers_id) WHERE kind = 'conversion';
CREATE INDEX by_of ON beside (of);
"""


class Damage(NamedTuple):
    """A record that cannot be read."""

    file: str
    place: int
    """Where it begins, in octets; in a file that is packed, where its member does."""
    uri: str
    """What it claims to be of; "" where nobody knows."""
    problem: str


class Captured(NamedTuple):
    """One capture in an index, as its record states it."""

    id: int
    at: str
    key: str
    uri: str
    claimed: str
    """Its WARC-Date."""
    kind: str
    status: int
    """Of the HTTP answer; 0 where there is none."""
    media_type: str
    location: str
    file: int
    member: int
    inside: int
    record_id: str
    digest: str
    """Of its payload, as it is stated."""
    block: int | None
    """Whether the digest of the block is right; None where none is stated that we know."""
    payload: int | None
    """The same of the payload, codings of its transfer included."""
    refers_id: str
    refers_uri: str
    refers_at: str
    concurrent: str
    ip: str
    version: str
    trouble: str


@dataclass(frozen=True, slots=True)
class RecordFile:
    """A file of records."""

    name: str
    file: BinaryIO
    told: dict[str, str] = field(default_factory=dict)
    """What its warcinfo record says: names in lower case."""
    package: Mapping[str, object] = field(default_factory=dict)
    """What is on record of the package that it came in."""
    shows: str = ""
    """What its answers are, where their records do not say."""
    format: str = ""
    """What it was, where it is no file of records itself."""


class ReadingReport:
    """Counts of the records that were read, and what is damaged among them."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """How many records there are of each WARC-Type, and "damaged"."""
        self.damage: list[Damage] = []
        """The first of what is damaged."""

    def add(self, file: str, record: WarcRecord) -> None:
        """Count a record, and name it if it is damaged."""
        self.counts[record.kind or "damaged"] += 1
        if record.trouble:
            self.counts["damaged"] += bool(record.kind)
            self._name([Damage(file, max(record.place), record.uri, record.trouble)])

    def miss(self, missing: Sequence[Damage]) -> None:
        """Count and name what files mention and do not hold."""
        self.counts["damaged"] += len(missing)
        self._name(missing)

    def _name(self, damage: Sequence[Damage]) -> None:
        self.damage += damage[: _MOST_NAMED - len(self.damage)]


class _RecordIndexer:
    """Writer of an index: reads each file once, and inserts a row for each capture in it."""

    def __init__(self, rows: sqlite3.Connection, report: ReadingReport) -> None:
        self._rows = rows
        self._report = report

    def read(self, number: int, source: RecordFile) -> Iterator[None]:
        """Insert what is in a file of this number; yield after each record."""
        reader = WarcReader(source.file)
        while (record := reader.next()) is not None:
            if record.kind in _KINDS and record.uri and not record.trouble:
                self._rows.execute(_INSERT, _row_of(number, reader, record))
            elif record.kind == "warcinfo" and not record.trouble:
                fields = fields_of(_beginning(reader.pieces(), _MOST_TOLD))
                if not source.told:
                    source.told.update(fields)
            elif record.kind in {"request", "metadata"} and not record.trouble:
                self._insert_beside(number, reader, record)
            reader.end()
            self._report.add(source.name, record)
            yield

    def _insert_beside(self, number: int, reader: WarcReader, record: WarcRecord) -> None:
        """Insert the position of a request, or of metadata, of captures."""
        head = _beginning(reader.pieces(), _MOST_TOLD)
        names = {record.fields.get("warc-refers-to") or record.fields.get("warc-concurrent-to", "")}
        method = ""
        if record.kind == "request":
            message = read_head(head)
            method = message.reason if message is not None else ""
            names.add(record.fields.get("warc-record-id", ""))
        for name in names - {""}:
            self._rows.execute(
                "INSERT INTO beside (of, kind, method, file, member, inside) VALUES (?,?,?,?,?,?)",
                (name, record.kind, method, number, *record.place),
            )


class CaptureIndex:
    """An index of the captures in some files; a context manager."""

    def __init__(self, sources: Sequence[RecordFile]) -> None:
        self.sources = sources
        self.report = ReadingReport()
        self._rows = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        self._rows.executescript(_TABLES)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._rows.close()

    def build(self, tell: Callable[[int], None] | None = None) -> None:
        """Read all files once. `tell` is told how many records were read, now and then."""
        self._rows.execute("BEGIN")
        indexer = _RecordIndexer(self._rows, self.report)
        done = 0
        for number, source in enumerate(self.sources):
            for _ in indexer.read(number, source):
                done += 1
                if tell is not None and done % 1000 == 0:
                    tell(done)
        self._rows.execute("COMMIT")
        self._rows.executescript(_INDEXES)

    def list_pages(self, pages: Iterable[tuple[str, str]]) -> None:
        """Take note of what is a page, by its address and time, and of what is not there."""
        for uri, at in pages:
            moment = moment_of(at)
            when = "" if moment is None else f"{moment:%Y-%m-%dT%H:%M:%S.%f}"
            row = self.of(uri, when or "9")
            if row is None:
                problem = "it is listed as a page, and is not in the file"
                self.report.miss([Damage(self.sources[0].name, 0, uri[:2000], problem)])
            else:
                self._rows.execute("INSERT OR IGNORE INTO page VALUES (?)", (row.id,))

    def pages(self) -> Iterator[Captured]:
        """What is listed as a page, or else what can be one, in the order of the claimed dates."""
        if self._rows.execute("SELECT 1 FROM page").fetchone() is not None:
            yield from self._select("WHERE id IN (SELECT id FROM page) ORDER BY at, id", ())
            return
        types = ", ".join("?" * len(_DOCUMENTS))
        question = (
            "WHERE media_type IN (" + types + ") AND trouble = '' AND kind != 'conversion'"
            " AND key LIKE 'http%' AND (status BETWEEN 200 AND 299 AND status != 206"
            " OR kind = 'resource') ORDER BY at, id"
        )
        for row in self._select(question, _DOCUMENTS):
            if self.method(row) in {"", "GET"}:
                yield row

    def all_of(self, key: str) -> Iterator[Captured]:
        """All good answers for an address, as it is compared, in the order of their dates."""
        question = "WHERE key = ? AND trouble = '' AND kind != 'conversion' ORDER BY at, id"
        for row in self._select(question, (key,)):
            is_good = row.kind == "resource" or row.status in _GOOD
            if is_good and self.method(row) in {"", "GET"}:
                yield row

    def of(self, uri: str, at: str) -> Captured | None:
        """The answer for an address that claims to be nearest to a time, to a GET."""
        key = comparable(uri)
        later = self._select("WHERE key = ? AND at >= ? ORDER BY at, id", (key, at))
        earlier = self._select("WHERE key = ? AND at < ? ORDER BY at DESC, id DESC", (key, at))
        with closing(later), closing(earlier):
            found = [self._first(rows) for rows in (later, earlier)]
        good = [row for row in found if row is not None]
        return min(good, key=lambda row: _distance(row.at, at), default=None)

    def _first(self, rows: Iterator[Captured]) -> Captured | None:
        """The first of some that are answers to a GET; what is damaged only if all are."""
        damaged = None
        for row in rows:
            if row.kind == "conversion" or self.method(row) not in {"", "GET"}:
                continue
            if not row.trouble:
                return row
            damaged = damaged or row
        return damaged

    def original(self, revisit: Captured) -> Captured | None:
        """The capture that a revisit names: by its record, its address and date, or its digest."""
        if revisit.refers_id:
            found = self._one("WHERE record_id = ? AND kind != 'revisit'", (revisit.refers_id,))
            if found is not None:
                return found
        if revisit.refers_uri:
            moment = moment_of(revisit.refers_at)
            at = revisit.at if moment is None else f"{moment:%Y-%m-%dT%H:%M:%S.%f}"
            key = (revisit.refers_uri, at)
            found = self._one("WHERE key = ? AND at = ? AND kind != 'revisit'", key)
            if found is not None:
                return found
        if not revisit.digest:
            return None
        return self._one("WHERE digest = ? AND kind != 'revisit' ORDER BY at", (revisit.digest,))

    def conversions(self, row: Captured) -> Iterator[Captured]:
        """What others made of a capture, of those that are not damaged."""
        names = [name for name in (row.record_id, row.refers_id) if name]
        for name in names:
            question = "WHERE kind = 'conversion' AND refers_id = ? AND trouble = '' ORDER BY id"
            yield from self._select(question, (name,))

    def orphans(self) -> Iterator[Captured]:
        """Conversions of what is in none of the files."""
        yield from self._select(
            "WHERE kind = 'conversion' AND trouble = '' AND NOT EXISTS"
            " (SELECT 1 FROM capture AS made WHERE made.record_id = capture.refers_id"
            " AND made.trouble = '') ORDER BY at, id",
            (),
        )

    def method(self, row: Captured) -> str:
        """The method of the request that a capture answers; "" where nothing tells."""
        found = self.beside(row, "request")
        return found[0] if found is not None else ""

    def beside(self, row: Captured, kind: str) -> tuple[str, int, RecordPosition] | None:
        """The record of a kind that tells of a capture: method, file, place."""
        names = [name for name in (row.record_id, row.concurrent) if name]
        for name in names:
            found = self._rows.execute(
                "SELECT method, file, member, inside FROM beside WHERE of = ? AND kind = ?",
                (name, kind),
            ).fetchone()
            if found is not None:
                return str(found[0]), int(found[1]), RecordPosition(int(found[2]), int(found[3]))
        return None

    def _one(self, question: str, values: tuple[object, ...]) -> Captured | None:
        return next(self._select(f"{question} LIMIT 1", values), None)

    def _select(self, question: str, values: tuple[object, ...]) -> Generator[Captured, None, None]:
        columns = f"SELECT id, at, {', '.join(_COLUMNS)} FROM capture "  # noqa: S608 - our own names
        cursor = self._rows.execute(columns + question, values)
        with closing(cursor):
            for row in cursor:
                yield Captured(*row)


def _row_of(number: int, reader: WarcReader, record: WarcRecord) -> tuple[object, ...]:
    """The row of a capture, whose block is read and checked."""
    said = record.fields
    block = Digest(said.get("warc-block-digest", ""))
    payload = Digest(said.get("warc-payload-digest", ""))
    is_http = said.get("content-type", "").lower().startswith("application/http")
    message = _checked(reader, block, payload, is_http=is_http)
    reader.end()
    moment = moment_of(said.get("warc-date", ""))
    trouble = record.trouble
    if not trouble and moment is None:
        trouble = f"its date is {said.get('warc-date', '')[:40]!r}"
    if not trouble and is_http and message is None and record.kind != "revisit":
        trouble = "its block begins with no HTTP answer"
    block_ok = block.agrees() if block.is_known else None
    payload_ok = payload.agrees() if payload.is_known and record.kind != "revisit" else None
    if not trouble and block_ok is False:
        trouble = "its octets are not those of its block digest"
    record.trouble = trouble
    headers = message.headers if message is not None else ()
    media_type = value_of(headers, "content-type") if is_http else said.get("content-type", "")
    return (
        "" if moment is None else f"{moment:%Y-%m-%dT%H:%M:%S.%f}",
        comparable(record.uri),
        record.uri,
        said.get("warc-date", ""),
        record.kind,
        message.status if message is not None else 0,
        media_types.essence(media_type),
        value_of(headers, "location"),
        number,
        *record.place,
        said.get("warc-record-id", ""),
        said.get("warc-payload-digest", ""),
        block_ok,
        payload_ok,
        said.get("warc-refers-to", ""),
        comparable(said.get("warc-refers-to-target-uri", "").strip("<>")),
        said.get("warc-refers-to-date", ""),
        said.get("warc-concurrent-to", ""),
        said.get("warc-ip-address", ""),
        record.version,
        trouble,
    )


def _checked(
    reader: WarcReader, block: Digest, payload: Digest, *, is_http: bool
) -> HttpMessage | None:
    """Read a block to its end, hold it to its digests, and return the head in it, if any."""
    pieces = reader.pieces()
    head = _beginning(pieces, MOST_HEAD) if is_http else b""
    message = read_head(head) if is_http else None
    block.update(head)
    payload.update(head[message.size :] if message is not None else head)
    for piece in pieces:
        block.update(piece)
        payload.update(piece)
    return message


def _beginning(pieces: Iterator[bytes], most: int) -> bytes:
    """The first pieces, until there are `most` octets or the head of a message is whole."""
    head = b""
    for piece in pieces:
        head = head + piece if head else piece
        if len(head) >= most or b"\r\n\r\n" in head:
            break
    return head


def fields_of(block: bytes) -> dict[str, str]:
    """The fields of a block of `application/warc-fields`, names in lower case."""
    pairs = (line.partition(":") for line in block.decode("utf-8", "replace").splitlines())
    fields: dict[str, str] = {}
    for name, colon, value in pairs:
        if colon and name.strip():
            fields.setdefault(name.strip().lower(), value.strip())
    return fields


def moment_of(text: str) -> datetime | None:
    """The moment of a WARC-Date (W3C profile of ISO 8601); None for what is none."""
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    try:
        whole = datetime.fromisoformat(f"{text[:19]}+00:00")
    except ValueError:
        return None
    return whole.replace(microsecond=int((found[1] or ".0")[1:7].ljust(6, "0")))


def _distance(one: str, other: str) -> float:
    first, second = (moment_of(each + "Z") for each in (one, other))
    return (
        float("inf") if first is None or second is None else abs((first - second).total_seconds())
    )
