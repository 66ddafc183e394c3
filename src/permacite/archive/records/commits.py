"""Commits: names, versions, formats and leaves, many of them in one transaction.

PDI draft, binding:
  §2.6 versions                       -> `commit`: of the document, for all formats together
  §2.6 addition of a format           -> `add_format`: no new version

Deviations: none.
Readings: none; those of minting are in `minting`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from permacite.archive.canonical_json import canonical_json
from permacite.archive.model.answered import NOBODY
from permacite.archive.objects.source import digest_of
from permacite.archive.records import leaves, octets
from permacite.archive.records.access import insert_standings, standing_in
from permacite.archive.records.fixity import add_to_sum
from permacite.archive.records.leaves import (
    Committed,
    append,
    append_all,
    committed,
    format_entry,
    side,
    version_entry,
)
from permacite.archive.records.minting import Place, Places, document_id
from permacite.archive.records.octets import name_git_blobs
from permacite.archive.records.rows import (
    Together,
    digest_in,
    document_key,
    name_of,
    octets_of,
    timestamp,
)
from permacite.archive.records.settings import ALL, settings
from permacite.errors import ConflictError, NotFoundError, PermaciteError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from permacite.archive.model.answered import JSON, Provenance, Standing, Witness
    from permacite.archive.records.rows import Session, Transaction
    from permacite.pdi import PDI

__all__ = [
    "CommitRequest",
    "StoredFormat",
    "add_format",
    "commit",
    "insert_format",
    "insert_versions",
]

Row = tuple[Any, ...]

_HIGHEST = """
SELECT coalesce((SELECT max(document_id) FROM document), 0),
       coalesce((SELECT max(version_id) FROM version), 0),
       coalesce((SELECT max(representation_id) FROM representation), 0)
"""
_KEYED = "SELECT key, request, version_id FROM idempotency WHERE key IN ({texts})"
_DOCUMENT = "INSERT INTO document VALUES (?, ?, ?, ?, ?)"
_VERSION = "INSERT INTO version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_REPRESENTATION = (
    "INSERT INTO representation (representation_id, version_id, format, media_type, charset,"
    " size_bytes, digest, received_digest, derived_from, rendition, committed_at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_SIDECAR = "INSERT INTO attachment VALUES (?, ?, ?)"
_QUOTATION = (
    "INSERT INTO quotation (representation_id, origin, cited, cited_document) VALUES (?, ?, ?, ?)"
)


@dataclass(frozen=True, slots=True)
class StoredFormat:
    """One format whose octets are kept already; digests are "sha-256:<hex>"."""

    format: str
    media_type: str
    charset: str | None
    size_bytes: int
    digest: str
    received_digest: str | None
    derived_from: str | None
    rendition: str | None
    sidecars: tuple[tuple[str, str], ...]
    """Names and digests of sidecars."""
    quotations: tuple[tuple[str, str, str], ...] = ()
    """What it quotes: origin, canonical name of what is cited, that of the cited document."""
    git_blob: str | None = None
    """What Git calls it, of a text that came in."""

    @property
    def digests(self) -> list[str]:
        """The digests of all its octets."""
        received = [] if self.received_digest is None else [self.received_digest]
        return [self.digest, *received, *(digest for _, digest in self.sidecars)]


@dataclass(frozen=True, slots=True)
class CommitRequest:
    """A version to be committed: a new name in `series`, or the next version of `replaces`."""

    series: str
    unique_id: str | None
    """In canonical form; None takes the next serial number of the day."""
    replaces: PDI | None
    formats: tuple[StoredFormat, ...]
    provenance: Provenance
    key: str | None
    """The idempotency key."""
    witness: Witness = NOBODY
    contents: tuple[tuple[str, bytes], ...] = ()
    """Octets by digest that no object holds: they are kept with the name until they are objects."""
    erasing_round: int = 0
    """As the catalog told it before any octets were looked for: those found there may be gone."""
    standing: Standing | None = None
    """Of a new document; None takes the default. A version has that of its document."""

    @property
    def digests(self) -> list[str]:
        """The digests of all its octets."""
        return [digest for stored in self.formats for digest in stored.digests]


def commit(
    transaction: Transaction, requests: Sequence[CommitRequest]
) -> list[Committed | Exception]:
    """Write the versions of all `requests`; the rows of each are returned.

    The same idempotency key again gives the first version. A request that cannot be met gives its
    ConflictError, NotFoundError or StorageError (reason "clock"), and the others are written.
    Raises what the engine does where two requests want the same thing: these must come one after
    the other.
    """
    connection = transaction.connection
    footing = _Footing(transaction, requests)
    outcomes: list[Committed | Exception | None] = []
    placed: list[tuple[CommitRequest, Place]] = []
    for request in requests:
        try:
            earlier = footing.earlier(request)
            if earlier is None:
                footing.check_octets(request)
                placed.append((request, footing.place(request)))
        except PermaciteError as error:
            outcomes.append(error)
        else:
            outcomes.append(earlier)
    versions = _entered(transaction, placed, footing) if placed else []
    keyed = [
        (request.key, _digest_of(request), version.version[0])
        for (request, _), version in zip(placed, versions, strict=True)
        if request.key is not None
    ]
    if keyed:
        connection.executemany("INSERT INTO idempotency VALUES (?, ?, ?)", keyed)
        noted = [(key, version_id) for key, _, version_id in keyed]
        add_to_sum(connection, "idempotency", noted, footing.settings)
    rest = iter(versions)
    return [next(rest) if outcome is None else outcome for outcome in outcomes]


class _Footing:
    """What requests stand on: all that has to be known before rows are written, asked together."""

    def __init__(self, transaction: Transaction, requests: Sequence[CommitRequest]) -> None:
        self._connection = transaction.connection
        together = Together(transaction.connection)
        new = [request for request in requests if request.replaces is None]
        self._places = Places(
            transaction,
            together,
            wanted=[(request.series, request.unique_id) for request in new],
            replaced=[document_key(each.replaces) for each in requests if each.replaces],
        )
        self._edge = leaves.edge(together)
        highest = together.ask(_HIGHEST)
        told = together.ask(ALL)
        digests = [digest for each in requests for digest in each.digests]
        doomed = octets.kept_in(together, "erasure_object", digests)
        contents = [digest for each in requests for digest, _ in each.contents]
        self.staged = octets.kept_in(together, "unsettled", contents) if contents else []
        """Digests of octets that are to be staged, and are already."""
        keys = [each.key for each in requests if each.key is not None]
        self._keyed = _ask_keyed(together, keys) if keys else []
        together.put()
        self.settings: dict[str, str] = dict(told)
        self.highest: tuple[int, int, int] = highest[0]
        """The highest row ids of documents, versions and formats."""
        self._doomed = {digest_in(octets_) for (octets_,) in doomed}

    @property
    def edge(self) -> leaves.Edge | None:
        """The right edge of the log; None where it has grown since."""
        return None if self._places.has_sealed else self._edge

    @property
    def now(self) -> str:
        """When all of it is committed."""
        return timestamp(self._places.now)

    def earlier(self, request: CommitRequest) -> Committed | None:
        """The version that was committed under the same key. Raises ConflictError."""
        for key, digest, version_id in self._keyed:
            if key == request.key:
                if digest != _digest_of(request):
                    problem = "this idempotency key was used for something else"
                    raise ConflictError(problem, key)
                return committed(self._connection, version_id)
        return None

    def check_octets(self, request: CommitRequest) -> None:
        """Raise StorageError where octets that were there may be gone since."""
        octets.check_octets(self.settings, self._doomed, request.digests, request.erasing_round)

    def place(self, request: CommitRequest) -> Place:
        """The place of a request. Raises ConflictError, NotFoundError, StorageError."""
        if request.replaces is not None:
            return self._places.next_version(request.replaces, request.witness)
        return self._places.new_document(request.series, request.unique_id, request.witness)


def _ask_keyed(together: Together, keys: Sequence[str]) -> list[tuple[str, str, int]]:
    """What was committed under idempotency keys: key, digest of the request, version."""
    statement = _KEYED.format(texts=together.connection.dialect.texts)
    # An engine may keep a text otherwise than the same text in JSON, if it has U+0000 or the like.
    odd = [key for key in keys if "\0" in key or not key.isascii()]
    asked = json.dumps([key for key in keys if key not in odd])
    return together.ask(statement + " OR key = ?" * len(odd), (asked, *odd))


def add_format(
    transaction: Transaction, pdi: PDI, number: int, stored: StoredFormat, *, erasing_round: int
) -> int:
    """Add a format to a version; the row of the version is returned.

    The same octets again change nothing. Raises ConflictError for others, NotFoundError.
    """
    connection = transaction.connection
    key = document_key(pdi)
    together = Together(connection)
    places = Places(transaction, together, replaced=[key])
    doomed = octets.kept_in(together, "erasure_object", stored.digests)
    told = together.ask(ALL)
    together.put()
    gone = {digest_in(each) for (each,) in doomed}
    octets.check_octets(dict(told), gone, stored.digests, erasing_round)
    document = document_id(connection, key)
    version = connection.execute(
        "SELECT version_id FROM version WHERE document_id = ? AND number = ?", (document, number)
    ).fetchone()
    if document is None or version is None:
        raise NotFoundError(f"no version {number} of {name_of(key)}", str(pdi))
    present = connection.execute(
        "SELECT digest FROM representation WHERE version_id = ? AND format = ?",
        (version[0], stored.format),
    ).fetchone()
    if present is None:
        places.add_to(key[0])
        insert_format(connection, version[0], stored, timestamp(places.now))
        append(transaction, format_entry(committed(connection, version[0]), stored.format))
    elif digest_in(present[0]) != stored.digest:
        name = str(name_of(key).with_(format=stored.format, version=number))
        raise ConflictError(f"{name} is committed, with other bytes", name)
    return int(version[0])


def _digest_of(request: CommitRequest) -> str:
    """The digest of what is asked for; the circumstances of a retry do not count."""
    return digest_of(
        canonical_json(
            {
                "series": request.series,
                "unique_id": request.unique_id,
                "replaces": None if request.replaces is None else str(request.replaces),
                "formats": [
                    [stored.format, stored.media_type, stored.charset, stored.digest]
                    for stored in request.formats
                ],
            }
        )
    )


def _entered(
    transaction: Transaction, placed: Sequence[tuple[CommitRequest, Place]], footing: _Footing
) -> list[Committed]:
    """Write versions with their leaves, and stage their octets. Raises as `insert_versions`."""
    connection = transaction.connection
    rows = insert_versions(
        connection, placed, footing.now, highest=footing.highest, told=footing.settings
    )
    append_all(transaction, [version_entry(version) for version in rows], edge=footing.edge)
    contents = (content for request, _ in placed for content in request.contents)
    octets.stage(connection, contents, footing.staged)
    return rows


def insert_versions(
    connection: Session,
    placed: Sequence[tuple[CommitRequest, Place]],
    now: str,
    *,
    highest: tuple[int, int, int] | None = None,
    told: Mapping[str, str] | None = None,
) -> list[Committed]:
    """Write versions with their documents and formats; what was written is returned.

    Row ids are given out here, by one from the highest. So the rows of one table need nothing read
    back before those of the next can be written. The `highest` ids and what settings have `told`
    are looked up where they are not known. Raises what the engine does where two of them have the
    same place.
    """
    if highest is None:
        highest = _highest(connection)
    document_id, version_id, representation_id = highest
    documents: list[Row] = []
    versions: list[Row] = []
    formats: list[tuple[int, int, StoredFormat]] = []
    rows: list[Committed] = []
    standings: list[tuple[int, Standing | None]] = []
    for request, place in placed:
        document = place.document_id
        if document is None:
            document = document_id + len(documents) + 1
            documents.append((document, *place.key, place.serial))
            standings.append((document, request.standing))
        version_id += 1
        described = (place.number, now, *_described(request.provenance))
        versions.append((version_id, document, *described))
        for stored in request.formats:
            formats.append((representation_id + len(formats) + 1, version_id, stored))
        version = (version_id, *place.key, *described)
        columns = [_format(stored, now) for stored in request.formats]
        rows.append(Committed(version, columns, [_beside(stored) for stored in request.formats]))
    connection.executemany(_DOCUMENT, documents)
    connection.executemany(_VERSION, versions)
    _insert_formats(connection, formats, now)
    if standings:
        told = settings(connection) if told is None else told
        default = standing_in(told)
        given = [(row_id, standing or default) for row_id, standing in standings]
        insert_standings(connection, given, now, told)
    return rows


def insert_format(connection: Session, version_id: int, stored: StoredFormat, now: str) -> None:
    """Write one format of a version that is there."""
    highest = _highest(connection)[2]
    _insert_formats(connection, [(highest + 1, version_id, stored)], now)


def _highest(connection: Session) -> tuple[int, int, int]:
    """The highest row ids of documents, versions and formats."""
    document_id, version_id, representation_id = connection.execute(_HIGHEST).fetchone()
    return document_id, version_id, representation_id


def _insert_formats(
    connection: Session, formats: Sequence[tuple[int, int, StoredFormat]], now: str
) -> None:
    """Write formats, each with its row id and that of its version, and what stands beside them."""
    connection.executemany(
        _REPRESENTATION,
        [(row_id, version_id, *_as_kept(stored, now)) for row_id, version_id, stored in formats],
    )
    sidecars = [
        (row_id, name, octets_of(digest))
        for row_id, _, stored in formats
        for name, digest in stored.sidecars
    ]
    quotations = [
        (row_id, *quotation) for row_id, _, stored in formats for quotation in stored.quotations
    ]
    blobs = [(stored.digest, stored.git_blob) for _, _, stored in formats if stored.git_blob]
    if blobs:
        name_git_blobs(connection, blobs)
    if sidecars:
        connection.executemany(_SIDECAR, sidecars)
    if quotations:
        connection.executemany(_QUOTATION, quotations)


def _described(provenance: Provenance) -> Row:
    """Return the last five columns of a version."""
    retrieved_at = provenance.retrieved_at
    return (
        provenance.title,
        provenance.uri,
        provenance.final_uri,
        None if retrieved_at is None else timestamp(retrieved_at),
        canonical_json(provenance.details).decode(),
    )


def _format(stored: StoredFormat, now: str) -> Row:
    """Return the columns of a format, as `Committed` has them."""
    return (
        stored.format,
        stored.media_type,
        stored.charset,
        stored.size_bytes,
        stored.digest,
        stored.received_digest,
        stored.derived_from,
        stored.rendition,
        now,
    )


def _as_kept(stored: StoredFormat, now: str) -> Row:
    """The same as the catalog has them."""
    *described, digest, received, source, way, at = _format(stored, now)
    received = None if received is None else octets_of(received)
    return (*described, octets_of(digest), received, source, way, at)


def _beside(stored: StoredFormat) -> dict[str, JSON]:
    """The members of the log's entry for a format's sidecars and quotations."""
    return side(stored.sidecars, [quotation[:2] for quotation in stored.quotations])
