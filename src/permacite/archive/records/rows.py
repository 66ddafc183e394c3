"""Database session, the narrow interface of an engine; and rows as values of the archive.

A question is a function that takes a Session; a change takes a Transaction. All statements are
plain SQL that every engine takes. Parameters are `?`, or `:name` for all of a statement; ids that
the engine gives come by RETURNING. What no one spelling serves is in `Dialect`.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import lru_cache
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from permacite.archive.model.answered import Provenance, Representation, Timekeeper, Version
from permacite.errors import ParseError, StorageError
from permacite.lazy_dataclass import dataclass
from permacite.pdi import PDI
from permacite.pdi.grammar import unescaped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from permacite.archive.entries import Sealer

    Question = tuple[str, Sequence[object] | Mapping[str, object]]
    """A statement that changes nothing, and its parameters."""

__all__ = [
    "BUILDING",
    "DAYS",
    "DIGESTS",
    "ERASABLE",
    "ERASED_DIGEST",
    "ERASED_OCTETS",
    "JOTTINGS",
    "LISTED",
    "LIVE",
    "PACKED",
    "STAGED",
    "VERSION",
    "WATCH",
    "Dialect",
    "Effort",
    "Key",
    "Rows",
    "Session",
    "Together",
    "Transaction",
    "WritingSession",
    "among",
    "digest_in",
    "document_key",
    "has_schema",
    "in_order",
    "instant",
    "name_of",
    "octets_of",
    "representation_of",
    "storable",
    "stored",
    "timestamp",
    "version_of",
]

Value = TypeVar("Value", str, int, bytes, str | bytes)

Key = tuple[str, str, str]
"""Series, date as yyyy-mm-dd, unique id."""

DAYS, STAGED, ERASABLE, LIVE, JOTTINGS, WATCH = 2, 3, 4, 5, 6, 8
PACKED, BUILDING, DIGESTS = 11, 12, 13
"""Versions of the schema, by what they brought: sealed days and leaves of citations; staged octets;
openings, persons, standings and erasures; the last look at live pages; jottings; pages that are
watched; packs of octets; what is open in the building alone; digests as octets."""

_SHA_256 = "sha-256:"
ERASED_DIGEST = _SHA_256 + "0" * 64
"""Stands where the digest of erased octets stood: that of a short text could be guessed from."""
ERASED_OCTETS = bytes(32)
"""The same as rows have it."""

VERSION = """
v.version_id, d.series, d.date, d.unique_id, v.number, v.committed_at,
v.title, v.uri, v.final_uri, v.retrieved_at, v.details
"""
"""The columns that `version_of` reads."""

LISTED = VERSION.replace("v.details", "'{}'")
"""The same for lists, without `details`: those of a page (all its requests) outweigh the rest."""


class Transaction(NamedTuple):
    """What a change works with."""

    connection: Session
    """Inside a transaction."""
    clock: Timekeeper
    """Dates the rows."""
    sealer: Sealer
    """Makes leaves of what is entered."""


class Effort(NamedTuple):
    """What a page of a list may cost beyond what is on it."""

    rows: int = 1000
    """How many are read in the order of commit, whether they are listed or not."""
    few: int = 500
    """How many an index may find, to be sorted."""
    documents: int = 20_000
    """How many, one after the other, are asked whether they have later versions."""


USUAL_EFFORT = Effort()


def has_schema(connection: Session, version: int) -> bool:
    """Whether the catalog has what this schema brought; one that may only be read may be older."""
    return connection.schema() >= version


def in_order(right: Iterable[bool]) -> None:
    """Raise LookupError unless all rows are beyond where they were asked for.

    SQLite does not look again at rows that it came to by a damaged page, and whoever reads page
    by page would never come to an end.
    """
    if not all(right):
        raise LookupError("rows are out of order")


_LARGEST = (1 << 63) - 1
_MOST_ROUNDED = 1 << 14
"""SQLite allows 32,766 parameters."""


def among(column: str, values: Sequence[Value]) -> tuple[str, list[Value]]:
    """The condition that a column has one of these values, and its parameters.

    There are as many as a power of two, the last one repeated: each number of them is a statement
    of its own, and every connection keeps hundreds of statements.
    """
    if not values:
        return "FALSE", []
    parameters = list(values)
    size = 1 << (len(values) - 1).bit_length()
    if size <= _MOST_ROUNDED:
        parameters += parameters[-1:] * (size - len(parameters))
    return f"{column} IN ({','.join('?' * len(parameters))})", parameters


def timestamp(moment: datetime) -> str:
    """Return `moment` in UTC, as texts that sort like times do: yyyy-mm-ddThh:mm:ss.ffffffZ."""
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def instant(text: str) -> datetime:
    """Return the time that `timestamp` wrote. Raises StorageError where the row is damaged."""
    try:
        return datetime.fromisoformat(text)
    except (ValueError, TypeError) as error:
        raise _damaged(f"expected a time, not {text!r}") from error


def document_key(pdi: PDI) -> Key:
    """The key of a document in the catalog: its canonical fields, without the prefix."""
    date = f"{pdi.year}-{pdi.month}-{pdi.day}"
    return ".".join(pdi.series), date, unescaped(pdi.unique_id)


def octets_of(digest: str) -> bytes:
    """A digest as rows have it: its 32 octets. Raises ParseError for what is none."""
    try:
        octets = bytes.fromhex(digest.removeprefix(_SHA_256))
    except ValueError:
        octets = b""
    if len(octets) != len(ERASED_OCTETS):
        raise ParseError('expected a digest, "sha-256:" and 64 hexadecimal digits', digest, 0)
    return octets


def stored(connection: Session, digest: str) -> str | bytes:
    """A digest as rows of this catalog have it, to look for it there; one that is none is nowhere.

    A catalog that may only be read may be of an earlier schema, which has texts.
    """
    if not has_schema(connection, DIGESTS):
        return digest
    try:
        return octets_of(digest)
    except ParseError:
        return b""


def digest_in(value: str | bytes) -> str:
    """The digest that a row has, be it of this schema or of an earlier one."""
    return value if isinstance(value, str) else _SHA_256 + value.hex()


def storable(number: int) -> int:
    """Return a version number as engines can compare it; those beyond exist nowhere."""
    return min(number, _LARGEST)


def name_of(key: Key, token: str | None = None, number: int | None = None) -> PDI:
    """Return the name of a document, or of this format and version of it.

    Nothing is parsed: the fields of the catalog were checked when they were minted.
    """
    series, date, unique_id = key
    year, month, day = _fields(date)
    return PDI(True, _components(series), year, month, day, unique_id, token, number)  # noqa: FBT003 - urn


@lru_cache(maxsize=256)
def _fields(date: str) -> tuple[str, str, str]:
    """Return year, month and day. Raises StorageError where the row is damaged."""
    try:
        year, month, day = date.split("-")
    except (ValueError, AttributeError) as error:
        raise _damaged(f"expected a date, not {date!r}") from error
    return year, month, day


def _damaged(problem: str) -> StorageError:
    """The error of a row; the catalog that it was read from says where that is."""
    return StorageError(f"the catalog is damaged: {problem}", path="", reason="damaged")


@lru_cache(maxsize=256)
def _components(series: str) -> tuple[str, ...]:
    """Return the components of a series."""
    return tuple(series.split("."))


def version_of(row: tuple[Any, ...], formats: list[tuple[Any, ...]]) -> Version:
    """Return the version of one row and the rows of its formats."""
    _, series, date, unique_id, number, committed_at, *provenance = row
    key = (series, date, unique_id)
    return Version(
        name_of(key, None, number),
        number,
        instant(committed_at),
        _provenance(provenance),
        tuple(map(representation_of, repeat(key), repeat(number), formats)),
    )


def _provenance(columns: list[Any]) -> Provenance:
    """Return the provenance in the last five columns of a version."""
    title, uri, final_uri, retrieved_at, text = columns
    retrieved = None if retrieved_at is None else instant(retrieved_at)
    details = {} if text == "{}" else json.loads(text)
    return Provenance(title, uri, final_uri, retrieved, details)


def representation_of(key: Key, number: int, fields: tuple[Any, ...]) -> Representation:
    """Return the representation in the columns of one format, `version_id` left out."""
    token, media_type, charset, size_bytes, octets, received, source, way, at = fields
    digest = digest_in(octets)
    if digest == ERASED_DIGEST:
        digest = ""
    return Representation(
        name_of(key, token, number),
        token,
        media_type,
        charset,
        size_bytes,
        digest,
        None if received is None else digest_in(received),
        source,
        way,
        instant(at),
    )


@dataclass(frozen=True, slots=True)
class Dialect:
    """The few spellings in which engines differ."""

    texts: str
    """A query for the texts in the JSON array that is its one parameter."""
    keys: str
    """The same for the keys of documents, arrays of three texts."""
    as_octets: str
    """The octets of the text in a column, be they text still or not."""
    site: str
    """The site of the address in a column: see `lists.sites`."""
    entry_name: str
    """The name that the content of a leaf tells, NULL where it is damaged."""


class Rows(Protocol):
    """What a statement gave."""

    @property
    def rowcount(self) -> int:
        """How many rows it changed."""

    def fetchone(self) -> Any:
        """The next row, None behind the last."""

    def fetchall(self) -> list[Any]:
        """All rows that are left."""

    def __iter__(self) -> Iterator[Any]: ...


class Session(Protocol):
    """A connection to one catalog, of one thread at a time."""

    @property
    def dialect(self) -> Dialect:
        """How the engine spells what engines spell otherwise."""

    @property
    def Error(self) -> type[Exception]:  # noqa: N802 - the name that Python's DB-API has for it
        """What the engine raises."""

    @property
    def lost(self) -> bool:
        """Whether its connection is: what was begun has not come to be, and may be begun again."""

    def schema(self) -> int:
        """The schema of the catalog, which may be earlier than ours."""

    def execute(
        self, statement: str, parameters: Sequence[object] | Mapping[str, object] = ..., /
    ) -> Rows:
        """Run one statement."""

    def executemany(
        self, statement: str, rows: Iterable[Sequence[object] | Mapping[str, object]], /
    ) -> object:
        """Run one statement for each of the rows, in their order.

        Who writes may not be waited for: what the engine refuses is raised later, when something is
        asked, at `settle`, or by the commit.
        """

    def ask(self, questions: Sequence[Question], /) -> list[list[Any]]:
        """The rows that answer each of several questions, which reach the engine together."""

    def has_row(self, statement: str, texts: Sequence[str], /) -> bool:
        """Whether a statement gives any row, as quickly as the engine can tell."""

    def settle(self) -> None:
        """Wait for all that was begun or changed so far. Raises what the engine refuses."""

    def defer_references(self) -> None:
        """Let references to rows that are gone stand until the transaction ends."""

    def resume_ids(self) -> None:
        """Let the ids that the engine gives go on behind those of rows that came with theirs."""

    def one_view(self) -> None:
        """Begin a transaction that sees all tables as they are now; `rollback` ends it."""

    def rollback(self) -> None:
        """Undo the transaction, if there is one."""

    def close(self) -> None:
        """Give the connection back."""


class WritingSession(Session, Protocol):
    """A session of the thread that writes."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is begun, and its connection is not lost."""

    def begin(self) -> None:
        """Begin a transaction, alone: nobody else writes until it ends.

        It may begin as late as what is asked first; the clock of an engine is right from then on.
        """

    def forget(self) -> None:
        """Let go of changes that the engine has not been given yet."""

    def commit(self) -> None:
        """Commit; on return it is on the disk."""


class Together:
    """Questions of several rooms, which are put to an engine together: one round trip for all."""

    def __init__(self, connection: Session) -> None:
        self.connection = connection
        self._asked: list[tuple[Question, list[Any]]] = []

    def ask(
        self, statement: str, parameters: Sequence[object] | Mapping[str, object] = ()
    ) -> list[Any]:
        """The rows that answer a question, once `put` has returned; until then there are none."""
        rows: list[Any] = []
        self._asked.append(((statement, parameters), rows))
        return rows

    def put(self) -> None:
        """Put the questions."""
        answers = self.connection.ask([question for question, _ in self._asked])
        for (_, rows), answer in zip(self._asked, answers, strict=True):
            rows.extend(answer)
