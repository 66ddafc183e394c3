"""Log entries of another archive, entered as rows that make the same entries again.

Each entry is made again from its rows, as `agreement` does, and must come out octet for octet.
Withheld entries are entered in one of two ways:

| withheld as | rows | when it is published later |
|---|---|---|
| closed | the entry, and the row of a new document | the other rows are added |
| withdrawn, erased | formats and media types only | nothing changes |

A request for a withdrawn or erased document learns why it is gone.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
from datetime import UTC, date, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from permacite import pdi as grammar
from permacite.archive import names
from permacite.archive.engine.intake import Intake
from permacite.archive.entries import (
    CITATION,
    Sealed,
    commitments,
    in_clear,
    is_erased,
    read,
    reopened,
    tokens,
)
from permacite.archive.model.answered import Provenance, Standing
from permacite.archive.model.submitted import NewCitation
from permacite.archive.records import access, citations, days, leaves, octets, settings, statements
from permacite.archive.records.commits import (
    CommitRequest,
    StoredFormat,
    insert_format,
    insert_versions,
)
from permacite.archive.records.minting import Place, document_id
from permacite.archive.records.rows import ERASED_DIGEST, document_key, timestamp
from permacite.archive.transport.stream import BatchOutcome
from permacite.errors import BusyError, IntegrityError, NotFoundError, PermaciteError, StorageError
from permacite.pdi import PDI

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from permacite.archive.engine.intake import ReceivedContents
    from permacite.archive.entries import Entry
    from permacite.archive.objects.files import Opens
    from permacite.archive.parts import ArchiveParts
    from permacite.archive.records.rows import Session, Transaction
    from permacite.archive.transport.stream import EntryBatch, ReceivedEntry

__all__ = ["WAITING", "EntrySink", "busy", "fill", "set_standings", "waiting"]

T = TypeVar("T")

WAITING = "mirror waiting"
"""The entries that were closed when they came: a JSON array of their places."""
_LATER_S = 60
"""How long a run takes that has little to take over."""
_TIMES = ("committed_at", "stated_at", "recorded_at", "sealed_at", "cited_at", "erased_at")
"""The member with the time, in the several kinds of entries."""
_UNKNOWN_TYPE = "application/octet-stream"
_PASSAGE = ("start", "end", "quote", "before", "after", "media_type", "note")


class EntrySink:
    """The sink for the entries of another log: each entry makes its rows."""

    def __init__(
        self, parts: ArchiveParts, contents: Opens, write: Callable[..., Any] | None = None
    ) -> None:
        """`contents` opens contents; `write` makes a change in place of `Catalog.write`."""
        self._catalog = parts.catalog
        self._objects = parts.objects
        self._intake = Intake(parts.objects, parts.catalog)
        self._contents = contents
        self._write: Callable[..., Any] = write or parts.catalog.write

    def position(self) -> int:
        """How many entries are here."""
        return self._catalog.read(leaves.size)

    def take(self, batch: EntryBatch) -> BatchOutcome:
        """Store the contents of entries, and enter these, all or none.

        Raises IntegrityError, BusyError where another run entered some, StorageError.
        """
        enter = partial(self._write, _enter_batch, batch.start, batch.entries)
        taken, _ = self.receive(batch.digests(), enter)
        return taken

    def receive(
        self, digests: Sequence[str], change: Callable[[ReceivedContents], T]
    ) -> tuple[BatchOutcome, T]:
        """Store contents, then make the `change` that names them; its answer is returned too.

        Both are tried again where contents that were here were destroyed meanwhile. Raises as
        `change`, and StorageError.
        """
        while True:
            try:
                with self._intake.receiving(self._contents, digests) as received:
                    answer = change(received)
            except StorageError as error:
                if error.reason != "erasing":
                    raise
                self._objects.destroy()
            else:
                return BatchOutcome(received.came, received.lost), answer


def waiting(session: Session) -> list[int]:
    """Return the places of the entries that were closed when they came."""
    return list(settings.kept_json(session, WAITING) or ())


def _enter_batch(
    transaction: Transaction,
    start: int,
    entries: Sequence[ReceivedEntry],
    received: ReceivedContents,
) -> None:
    if leaves.size(transaction.connection) != start:
        raise busy()
    octets.check_since(transaction.connection, received.digests, received.erasing_round)
    new = _enter(transaction, entries)
    # After the entries: one may erase what a later one names again. What none names, as its rows
    # are closed, is fetched again with them.
    octets.stage_named(transaction.connection, received.staged)
    if new:
        known = waiting(transaction.connection)
        settings.set_setting(transaction, WAITING, json.dumps(known + new))


def busy() -> BusyError:
    """Return the error for a second run at the same time."""
    return BusyError(
        "another run of this mirror is under way",
        retry_after_s=_LATER_S,
        hint="what it takes over is here then: nothing is lost",
    )


def _enter(transaction: Transaction, received: Sequence[ReceivedEntry]) -> list[int]:
    """Append entries to the log, with their rows; the places of closed ones are returned.

    Raises IntegrityError where the rows make another entry, or for a later version of permacite.
    """
    waiting = []
    for each in received:
        sequence = leaves.size(transaction.connection)
        with _reporting(sequence):
            if not _entered(_at_its_time(transaction, each), each):
                waiting.append(sequence)
        if leaves.size(transaction.connection) != sequence + 1:
            raise _refusal(sequence, "it stands in the log twice")
    return waiting


def fill(transaction: Transaction, received: Mapping[int, ReceivedEntry]) -> list[int]:
    """Write the rows of entries that were closed; the places of those still closed are returned.

    Raises IntegrityError as `enter`.
    """
    waiting = []
    for sequence, each in sorted(received.items()):
        leaf = leaves.leaf_at(transaction.connection, sequence)
        if leaf is None or leaf.content != each.content:
            raise _refusal(sequence, "another entry stands there")
        with _reporting(sequence):
            if not _filled(_at_its_time(transaction, each), each, sequence):
                waiting.append(sequence)
    return waiting


def set_standings(transaction: Transaction, standings: Sequence[tuple[PDI, Standing]]) -> None:
    """Write who may see documents, for those that are here."""
    now = timestamp(transaction.clock())
    rows = [
        (document_id(transaction.connection, document_key(pdi)), each) for pdi, each in standings
    ]
    known = [(row, standing) for row, standing in rows if row is not None]
    if known:
        access.insert_standings(transaction.connection, known, now)


def _entered(transaction: Transaction, each: ReceivedEntry) -> bool:
    """Enter one entry; False where it is closed."""
    entry = each.disclosed()
    kind = str(entry["kind"])
    if kind in _ROWS:
        rows = _ROWS[kind](transaction.connection, entry, each)
        if rows is not None:
            leaves.append(transaction, rows)
            return True
    elif kind in _CHANGES:
        if _is_disclosed(each) and _CHANGES[kind](transaction, entry):
            return True
    else:
        raise ValueError(f"its kind is {kind}, of a later permacite")
    leaf = Sealed(each.content, each.hash, {})
    leaves.append_as_is(transaction, str(entry["name"]), leaf)
    return each.withheld != "closed"


def _filled(transaction: Transaction, each: ReceivedEntry, sequence: int) -> bool:
    """Write the rows of one entry that is there; False where it is still closed."""
    if each.withheld == "closed":
        return False
    if each.withheld == "erased":
        return True  # it has no rows any more
    entry, connection = each.disclosed(), transaction.connection
    kind = str(entry["kind"])
    rows: Entry | None = None
    if kind in _ROWS:
        rows = _ROWS[kind](connection, entry, each)
        if rows is None:
            return False
    elif kind == CITATION and CITATION in each.openings:
        at = datetime.fromisoformat(entry["cited_at"])
        citations.fill(connection, _new_citation(entry), at, sequence)
        rows = citations.entry_at(connection, sequence)
    if rows is not None:
        leaf = transaction.sealer(rows)
        openings = [(sequence, part, text.decode()) for part, text in leaf.openings.items()]
        connection.executemany("INSERT INTO opening VALUES (?, ?, ?)", openings)
    return True


def _at_its_time(transaction: Transaction, each: ReceivedEntry) -> Transaction:
    """Return the transaction with the time of an entry, and a sealer for this entry only."""
    fields = each.disclosed()
    moment = next((fields[name] for name in _TIMES if name in fields), None)
    if moment is None:  # an erased entry has only the day in its name
        moment = f"{document_key(_document(fields))[1]}T00:00:00+00:00"
    now = datetime.fromisoformat(str(moment)).astimezone(UTC)

    def sealer(entry: Entry) -> Sealed:
        return _sealed(entry, each)

    return transaction._replace(clock=days.kept(lambda: now), sealer=sealer)


def _sealed(entry: Entry, each: ReceivedEntry) -> Sealed:
    """Return the leaf of an entry, which must be the published one. Raises ValueError."""
    if is_erased(each.content):
        return Sealed(each.content, each.hash, {})
    fields = read(each.content)
    committed = commitments(fields)
    unopened = {part: committed[part] for part in committed.keys() - each.openings.keys()}
    made = (
        reopened(entry, each.openings, unopened) if "schema" in fields else in_clear(entry, fields)
    )
    if made.content != each.content:
        raise ValueError("what is told beside it makes another entry")
    return made


def _is_disclosed(each: ReceivedEntry) -> bool:
    """Whether enough of an entry was published to make its row."""
    if is_erased(each.content):
        return each.beside is not None
    committed = commitments(read(each.content)).keys() - {"note"}
    return committed <= each.openings.keys()


def _document(fields: Mapping[str, Any]) -> PDI:
    """Return the document that an entry names. Raises ValueError."""
    name = grammar.parse(str(fields["name"]))
    if not isinstance(name, PDI):
        raise ValueError("it names no document")  # noqa: TRY004 - a fault of the input
    return name


def _version(connection: Session, fields: dict[str, Any], each: ReceivedEntry) -> Entry | None:
    """Write the rows of a version; None where it is closed: then only the document's row."""
    key, number = document_key(_document(fields)), int(fields["version"])
    row = document_id(connection, key)
    serial = int(key[2]) if each.serial else None
    if each.withheld == "closed" or number != 1 + _highest(connection, row):
        if row is None:
            _insert_document(connection, key, serial)
        return None
    request = CommitRequest(
        series=key[0],
        unique_id=None,
        replaces=None,
        formats=_stored(fields, each),
        provenance=_provenance(fields),
        key=None,
        standing=each.standing,
    )
    at = str(fields.get("committed_at") or f"{key[1]}T00:00:00.000000Z")
    _let_mint(connection, key[0])
    (written,) = insert_versions(connection, [(request, Place(row, key, number, serial))], at)
    _await_blobs(connection, request.formats)
    return leaves.version_entry(written)


def _format(connection: Session, fields: dict[str, Any], each: ReceivedEntry) -> Entry | None:
    """Write the row of a format that was added later; None where its version is closed."""
    row = connection.execute(
        "SELECT version_id FROM version JOIN document USING (document_id)"
        " WHERE series = ? AND date = ? AND unique_id = ? AND number = ?",
        (*document_key(_document(fields)), int(fields["version"])),
    ).fetchone()
    if row is None or each.withheld == "closed":
        return None
    (stored,) = _stored(fields, each)
    insert_format(connection, row[0], stored, str(fields["committed_at"]))
    _await_blobs(connection, (stored,))
    return leaves.format_entry(leaves.committed(connection, row[0]), stored.format)


_ROWS: dict[str, Callable[[Session, dict[str, Any], ReceivedEntry], Entry | None]] = {
    "version": _version,
    "format": _format,
}
"""Functions that write the rows of entries that may be closed."""


def _highest(connection: Session, document: int | None) -> int:
    """Return the highest version of a document that is here; 0 for none."""
    question = "SELECT coalesce(max(number), 0) FROM version WHERE document_id = ?"
    return 0 if document is None else int(connection.execute(question, (document,)).fetchone()[0])


def _insert_document(connection: Session, key: tuple[str, str, str], serial: int | None) -> None:
    """Write the row of a closed document."""
    _let_mint(connection, key[0])
    question = "SELECT 1 + coalesce(max(document_id), 0) FROM document"
    (row,) = connection.execute(question).fetchone()
    connection.execute("INSERT INTO document VALUES (?, ?, ?, ?, ?)", (row, *key, serial))
    standing = Standing("closed", access.default_standing(connection).ground)
    access.insert_standings(connection, [(row, standing)], f"{key[1]}T00:00:00.000000Z")


def _let_mint(connection: Session, series: str) -> None:
    """Write the row of a series if there is none."""
    if not connection.execute("SELECT 1 FROM series WHERE name = ?", (series,)).fetchone():
        row = (names.checked_series(series), timestamp(datetime.now(UTC)))
        connection.execute("INSERT INTO series (name, added_at) VALUES (?, ?)", row)
        connection.execute(settings.SET, settings.settings_digest(connection))


def _described(fields: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the formats that an entry describes, by token."""
    formats = fields.get("formats", ())
    return {each["format"]: each for each in formats if isinstance(each, dict)}


def _stored(fields: dict[str, Any], each: ReceivedEntry) -> tuple[StoredFormat, ...]:
    """Return the formats that an entry commits; withheld ones with token and type only."""
    described, own = _described(fields), tokens(read(each.content))
    types = dict(each.formats)
    order = [token for token in types if token in own]
    order += [token for token in own if token not in types]
    return tuple(
        _stored_one(described[token])
        if token in described
        else StoredFormat(
            token, types.get(token, _UNKNOWN_TYPE), None, 0, ERASED_DIGEST, None, None, None, ()
        )
        for token in order
    )


def _stored_one(fields: dict[str, Any]) -> StoredFormat:
    return StoredFormat(
        format=fields["format"],
        media_type=fields["media_type"],
        charset=fields.get("charset"),
        size_bytes=fields["size_bytes"],
        digest=fields["digest"],
        received_digest=fields.get("received_digest"),
        derived_from=fields.get("derived_from"),
        rendition=fields.get("rendition"),
        sidecars=tuple(sorted(fields.get("attachments", {}).items())),
        quotations=tuple(
            (origin, cited, names.cited_document(cited))
            for origin, cited in fields.get("quotations", ())
        ),
    )


def _await_blobs(connection: Session, formats: Sequence[StoredFormat]) -> None:
    """Note the texts whose names in Git are computed on request."""
    texts = [each for each in formats if each.charset is not None and each.derived_from is None]
    octets.await_git_blobs(connection, [(each.digest, each.size_bytes) for each in texts])


def _provenance(fields: Mapping[str, Any]) -> Provenance:
    at = fields.get("retrieved_at")
    return Provenance(
        title=fields.get("title"),
        uri=fields.get("uri"),
        final_uri=fields.get("final_uri"),
        retrieved_at=None if at is None else datetime.fromisoformat(at),
        details=fields.get("details", {}),
    )


def _new_citation(fields: Mapping[str, Any]) -> NewCitation:
    pdi = _document(fields).with_(format=fields["format"], version=fields["version"])
    passage = {name: fields[name] for name in _PASSAGE if name in fields}
    at = datetime.fromisoformat(fields["cited_at"])
    return NewCitation(fragment=fields["reference"], pdi=pdi, cited_at=at, **passage)


def _cite(transaction: Transaction, fields: dict[str, Any]) -> bool:
    """Record a citation; False where it is recorded already, or its document is not here."""
    size = leaves.size(transaction.connection)
    try:
        citations.record(transaction, _new_citation(fields))
    except NotFoundError:
        return False
    return leaves.size(transaction.connection) > size


def _state(transaction: Transaction, fields: dict[str, Any]) -> bool:
    subject = fields.get("subject", fields["name"])
    statements.record_assertion(
        transaction,
        subject,
        fields["predicate"],
        fields["object"],
        who=fields.get("who"),
        again=True,
    )
    return True


def _delegate(transaction: Transaction, fields: dict[str, Any]) -> bool:
    first, last = (date.fromisoformat(fields[end]) for end in ("first", "last"))
    statements.record_delegation(
        transaction, fields["of"], fields["name"], fields["target"], first=first, last=last
    )
    return True


def _seal(transaction: Transaction, fields: dict[str, Any]) -> bool:
    series, *day = str(fields["name"]).removeprefix("urn:pdi://").split("/")
    _let_mint(transaction.connection, series)
    days.seal(transaction, series, date(*map(int, day)), form=fields.get("seal", 1))
    return True


def _erase(transaction: Transaction, fields: dict[str, Any]) -> bool:
    """Erase a document; False where nothing of it is here."""
    pdi = dataclasses.replace(_document(fields), version=fields.get("version"))
    try:
        access.erase(transaction, pdi, fields["ground"])
    except NotFoundError:
        return False
    return True


_CHANGES: dict[str, Callable[[Transaction, dict[str, Any]], bool]] = {
    "assertion": _state,
    "citation": _cite,
    "delegation": _delegate,
    "day": _seal,
    "erasure": _erase,
}
"""Functions that enter other kinds of entries; False where only the entry is appended."""


@contextlib.contextmanager
def _reporting(sequence: int) -> Iterator[None]:
    """Turn an error about an entry into IntegrityError."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        problem = error.problem if isinstance(error, PermaciteError) else str(error)
        raise _refusal(sequence, problem) from error


def _refusal(sequence: int, problem: str) -> IntegrityError:
    return IntegrityError(
        f"entry {sequence} of the log cannot be entered: {problem}",
        expected="an entry, and what it commits to",
        actual="something else",
    )
