"""What the archive asks of whatever keeps its records: names, versions, formats, citations.

Every write is durable when it returns, and never changes what was written before: an
implementation enforces that below itself (the database's triggers), not by manners. Names are
minted inside the catalog, because date and serial number must come from one reading of the clock
inside one transaction (PDI §2.1, §2.3, §2.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from permacite.archive.model import NOBODY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from datetime import date, datetime
    from pathlib import Path

    from permacite.archive.delegation import Delegation, Kind
    from permacite.archive.model import (
        Assertion,
        Citation,
        Erasure,
        NewCitation,
        Provenance,
        Representation,
        Standing,
        Version,
        Witness,
    )
    from permacite.pdi import PDI

__all__ = [
    "AccessRecords",
    "Catalog",
    "CitationRecords",
    "Leaf",
    "LogRecords",
    "Order",
    "Selection",
    "Stamped",
    "StatementRecords",
    "StoredFormat",
    "UnsettledRecords",
]


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
    attachments: tuple[tuple[str, str], ...]
    """Names and digests of side objects."""
    quotations: tuple[tuple[str, str, str], ...] = ()
    """What it quotes: origin, canonical name of what is cited, that of the cited document."""


@dataclass(frozen=True, slots=True)
class Order:
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
    """Octets by digest that no object holds: they are kept with the name until they are settled."""
    erasing_round: int = 0
    """As the catalog told it before any octets were looked for: those found there may be gone."""
    standing: Standing | None = None
    """Of a new document; None takes the default. A version has that of its document."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which versions to list: a None leaves the field open. `date` fields are digits."""

    series: str | None = None
    year: str | None = None
    month: str | None = None
    day: str | None = None
    unique_id: str | None = None
    format: str | None = None
    number: int | None = None
    latest: bool = False
    """Only the highest version of each document."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One entry of the Merkle log: what was committed, in canonical JSON."""

    sequence: int
    """From 0, without gaps."""
    content: bytes
    hash: bytes
    """SHA-256 of an octet 0 and `content` (RFC 6962 §2.1)."""


@dataclass(frozen=True, slots=True)
class Stamped:
    """A checkpoint with a time-stamp of another authority on it (RFC 3161)."""

    size: int
    note: str
    authority: str
    """The address that was asked."""
    response: bytes
    """A TimeStampResp in DER."""


class LogRecords(Protocol):
    """The entries of the Merkle log, and the hashes above them."""

    def log_size(self) -> int:
        """Return the number of leaves."""
        ...

    def log_head(self) -> tuple[int, str | None]:
        """Return the number of leaves and the newest checkpoint, as they are at one moment.

        Read one after the other, a checkpoint that others signed in between would promise more.
        """
        ...

    def log_node(self, level: int, position: int) -> bytes:
        """Return the hash over the 2**level leaves from position * 2**level on.

        Raises IntegrityError where it is missing.
        """
        ...

    def leaves(self, start: int = 0, end: int | None = None) -> Iterator[Leaf]:
        """Return the log's entries from `start` up to `end`."""
        ...

    def entries(self, pdi: PDI) -> list[Leaf]:
        """Return the leaves about the document `pdi`, oldest first."""
        ...

    def enter(self, name: str, content: bytes, leaf_hash: bytes) -> None:
        """Append a leaf about the document `name` as it is, of which no record is left."""
        ...

    def rebuilt(self, leaf: Leaf) -> bytes | None:
        """Return what a leaf would say if it were made of the records as they are now.

        None where the records lack what it is about.
        """
        ...

    def openings(self, sequence: int) -> dict[str, bytes]:
        """Return the openings of a leaf by part, without those that are erased."""
        ...

    def erased(self, sequence: int) -> set[str | None]:
        """Return the parts of an entry that an erasure covers; None stands for all of it."""
        ...

    def committed(self) -> tuple[int, dict[str, int]]:
        """Return the number of leaves, and of the rows that they tell, at one moment.

        By table: "version", "representation", ...
        """
        ...

    def seal(self, series: str, date: str) -> Leaf:
        """Seal one day of a series, yyyy-mm-dd, or return the seal that it has.

        Raises ConflictError for a day that has not passed, NotFoundError for another's series,
        StorageError (reason "clock") for a day that only this machine's clock says has passed.
        """
        ...

    def seal_all(self) -> list[Leaf]:
        """Seal every day that has documents and has passed; return the new seals."""
        ...

    def seal_of(self, series: str, date: str) -> Leaf | None:
        """Return the entry that seals a day, None where there is none."""
        ...

    def unique_ids(self, series: str, date: str) -> list[str]:
        """Return the unique ids that a series has minted on a day, sorted."""
        ...

    def checkpoints(self) -> list[tuple[int, str]]:
        """Return sizes and notes of the checkpoints that were signed, the newest first."""
        ...

    def stamped(self, sequence: int | None = None) -> list[Stamped]:
        """Return the time-stamps on checkpoints, of the shortest log first.

        Of those that cover the leaf `sequence`, where it is given.
        """
        ...

    def record_timestamp(
        self, size: int, authority: str, response: bytes, stamped_at: datetime
    ) -> None:
        """Keep a time-stamp on the checkpoint of `size`."""
        ...

    def record_checkpoint(self, size: int, note: str) -> str:
        """Keep a signed checkpoint; where one of this size is kept, return that instead."""
        ...


class StatementRecords(Protocol):
    """What is said about names."""

    def record_assertion(
        self,
        subject: str,
        predicate: str,
        text: str,
        who: str | None,
        *,
        remark: str | None = None,
        again: bool = False,
    ) -> Assertion:
        """Record a statement; `subject` is a canonical name. A `remark` is for the operator.

        With `again`, `who` stands as it stood in another archive: an id, or a name of before.
        """
        ...

    def remarks(self, subjects: Sequence[str]) -> list[str]:
        """Return the private words beside statements about any of `subjects`, oldest first."""
        ...

    def assertions(
        self, subjects: Sequence[str] | None, predicates: Sequence[str] | None
    ) -> list[Assertion]:
        """Return the statements about any of `subjects` with any of `predicates`, oldest first."""
        ...

    def persons(self) -> dict[str, str]:
        """Return the names of persons by their ids."""
        ...

    def record_person(self, person_id: str, name: str) -> None:
        """Keep the name of a person under an id that was given before, as copies do."""
        ...

    def record_delegation(
        self, kind: Kind, series: str, target: str, *, first: date, last: date
    ) -> Delegation:
        """Record a delegation."""
        ...

    def delegations(self, kind: Kind, series: Sequence[str] | None) -> list[Delegation]:
        """Return the delegations of any of these series (of all where None), oldest first."""
        ...


class CitationRecords(Protocol):
    """Which passages are cited."""

    def record_citation(self, citation: NewCitation) -> Citation:
        """Record a citation once; the same again gives the first record."""
        ...

    def citations(self, pdi: PDI | None) -> list[Citation]:
        """Return the citations of what `pdi` names (all where None), oldest first."""
        ...

    def citation_leaf(self, citation: Citation) -> Leaf | None:
        """Return the leaf of a citation; None where it is not recorded, or not in the log."""
        ...

    def quotations(self, pdi: PDI) -> list[tuple[PDI, str, str]]:
        """Return what the representations that `pdi` names quote: each, the origin, the cited."""
        ...

    def quoters(self, pdi: PDI) -> list[tuple[PDI, str, str]]:
        """Return the same of all that quote the document `pdi`, oldest first."""
        ...


class UnsettledRecords(Protocol):
    """Octets that were committed with their names, and wait to become objects."""

    def unsettled(self, digest: str) -> bytes | None:
        """Return the octets that wait under a digest, or None."""
        ...

    def unsettled_digests(self, limit: int) -> list[str]:
        """Return up to `limit` digests of what waits, the oldest first."""
        ...

    def names(self, digest: str) -> bool:
        """Say whether anything committed has these octets."""
        ...

    def settle(self, digests: Sequence[str]) -> None:
        """Let go of octets that objects hold now."""
        ...


class AccessRecords(Protocol):
    """Who may see what, and what is erased."""

    def set_standing(self, pdi: PDI, standing: Standing) -> None:
        """Record the standing of a document from now on. Raises NotFoundError."""
        ...

    def standings(self, pdis: Iterable[PDI], *, but_public: bool = False) -> dict[PDI, Standing]:
        """Return the standings of documents, without those of which none is on record.

        With `but_public`, without those of public documents too.
        """
        ...

    def default_standing(self) -> Standing:
        """Return the standing that new documents get where none is given."""
        ...

    def overdue(self, today: date) -> dict[PDI, Standing]:
        """Return the documents that were to be kept until a day before `today`."""
        ...

    def erase(self, pdi: PDI, ground: str) -> tuple[Erasure, int]:
        """Erase a document, or the version that `pdi` names, from the records.

        Return what is on record of that, and how many octets stay as others have them too. The
        same again gives the first record. Raises NotFoundError.
        """
        ...

    def erasures(self, pdis: Iterable[PDI] | None = None) -> list[Erasure]:
        """Return the erasures of any of these documents, or of their parts; all where None."""
        ...

    def unfinished(self) -> list[int]:
        """Return the numbers of erasures of which octets or traces may be left."""
        ...

    def destroy(self, delete: Callable[[str], None]) -> None:
        """Call `delete` for the digests of octets that are to be destroyed and nothing names.

        Nobody commits meanwhile.
        """
        ...

    def erasing_round(self) -> int:
        """Return how often octets were destroyed: an order tells it, read before its octets."""
        ...

    def scour(self) -> bool:
        """Destroy the traces of what was deleted; False where other processes keep some."""
        ...

    def finish(self, erasure_ids: Sequence[int]) -> None:
        """Mark erasures as done."""
        ...


class Catalog(
    LogRecords, StatementRecords, CitationRecords, UnsettledRecords, AccessRecords, Protocol
):
    """All records of one archive."""

    def close(self) -> None:
        """Give everything back; what was acknowledged is kept."""
        ...

    def setting(self, name: str) -> str | None:
        """Return one setting, or None."""
        ...

    def set_setting(self, name: str, value: str) -> None:
        """Set or replace one setting."""
        ...

    def series_names(self) -> list[str]:
        """Return the series that mint here, the first one first."""
        ...

    def add_series(self, name: str) -> None:
        """Let `name` mint here; nothing happens where it does already."""
        ...

    def announced(self) -> AbstractContextManager[int]:
        """Say that a commit is coming, until the block ends; give how many are, this one included.

        Others that commit at the same time may wait for it a little.
        """
        ...

    def commit(self, order: Order) -> Version:
        """Mint or add a version. Raises ConflictError, NotFoundError, StorageError."""
        ...

    def add_format(
        self, pdi: PDI, number: int, stored: StoredFormat, *, erasing_round: int
    ) -> Version:
        """Add a format to a version. Raises ConflictError where it has other octets already."""
        ...

    def version(self, pdi: PDI, number: int | None = None) -> Version | None:
        """Return one version of the document `pdi`, the highest where `number` is None."""
        ...

    def find_versions(self, pdis: Sequence[PDI]) -> list[Version | None]:
        """Return, in this order, the version that each names, the highest where it names none.

        None stands for what is unknown.
        """
        ...

    def find_representations(self, pdis: Sequence[PDI]) -> list[Representation | None]:
        """Return, likewise, the format that answers to each (`names.nearest`)."""
        ...

    def numbers(self, pdi: PDI) -> list[int]:
        """Return the version numbers of the document `pdi`, ascending; empty if unknown."""
        ...

    def neighbours(self, pdi: PDI, limit: int) -> list[str]:
        """Return names of documents near the unknown document `pdi`, nearest first."""
        ...

    def select(
        self, selection: Selection, *, after: int, limit: int, newest_first: bool = False
    ) -> list[tuple[int, Version]]:
        """Return up to `limit` versions with their places in the order of commit, past `after`.

        With `newest_first` the order is the other way round, and `after` 0 means from the end.
        """
        ...

    def place(self, pdi: PDI, number: int) -> int | None:
        """Return a version's place in the order of commit."""
        ...

    def is_serial(self, pdi: PDI) -> bool:
        """Say whether a document's unique id was taken from the day's serial numbers."""
        ...

    def count(self, selection: Selection) -> int:
        """Return how many versions `select` would give."""
        ...

    def find_by_uri(self, uri: str) -> list[Version]:
        """Return the versions with this requested or final URI, newest first."""
        ...

    def attachments(self, representation: Representation) -> dict[str, str]:
        """Return the digests of a representation's side objects by name."""
        ...

    def places(self, *, after: int, limit: int) -> list[int]:
        """Return the places of up to `limit` versions past `after`, be they readable or not."""
        ...

    def faults(self) -> Iterator[str]:
        """Return what is wrong with the records themselves, in words."""
        ...

    def copy_to(self, path: Path, *, before: Callable[[], None]) -> None:
        """Copy all records as they are now, over an earlier copy if one is there.

        They are copied aside; then `before` is called; then the copy takes its place, whole or not
        at all. Raises ConflictError where what is there has entries of its own.
        """
        ...
