"""Which name and version an order gets: dates, serial numbers and version numbers.

PDI draft, minting:
  §2.1, §2.3 date of minting, UTC     -> `Places.today`: one reading of the clock in a transaction
  §2.2 series are delegated           -> `Places`: where others mint, nothing is minted here
  §2.4 serial numbers                 -> `Places`: from 1, by 1, again from 1 every day
  §2.6 versions                       -> `Places`: of the document, for all formats together

Deviations: none.
Readings: a clock that is behind the last date of the series mints nothing, because an earlier date
would be untrue and names would no longer sort by time (pdi-17). Serial numbers are never reused,
because no document is ever deleted; a number that a caller took as unique id is passed over. The
first commit of a later day seals the last day on which the series minted. A date that is far from
the last commit must be borne out by more than the clock (`dates`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from permacite.archive.model import NOBODY
from permacite.archive.records.days import behind, check_borne_out, seal_passed
from permacite.archive.records.rows import document_key, name_of
from permacite.archive.records.statements import delegations, lineage, minters
from permacite.errors import ConflictError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive.model import Witness
    from permacite.archive.records.rows import Key, Transaction
    from permacite.archive.records.session import Session
    from permacite.errors import StorageError
    from permacite.pdi import PDI

__all__ = ["Place", "Places", "document_id"]

_LAST = """
SELECT (SELECT max(date) FROM document WHERE series = ?),
       (SELECT max(date) FROM day WHERE series = ?)
"""
"""The last date on which a series minted, and the last one that is sealed."""

_TAKEN = """
SELECT unique_id FROM document
WHERE series = ? AND date = ? AND unique_id IN ({texts})
"""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a version goes."""

    document_id: int | None
    """None for a document that is new."""
    key: Key
    number: int
    serial: int | None


class Places:
    """The places that the requests of one transaction get.

    It remembers the serial numbers it gave. Two requests that want the same unique id, or the next
    version of the same document, get the same place: the database refuses the second row.
    """

    def __init__(self, transaction: Transaction, *, expected: int = 1) -> None:
        """Take how many requests are `expected`: as many serial numbers are looked up together."""
        self._transaction = transaction
        self._connection = transaction.connection
        self._clock = transaction.clock
        self._expected = expected
        self._now: datetime | None = None
        self._begun: set[str] = set()
        """Series that the date was found right for."""
        self._serials: dict[str, Iterator[int]] = {}

    def new_document(self, series: str, unique_id: str | None, witness: Witness) -> Place:
        """The place of a new document; a `unique_id` of None takes the next serial number.

        Raises ConflictError, NotFoundError, StorageError.
        """
        if series not in self._begun:
            self._check_mints(series)
        date = self.today(series, witness)
        if unique_id is None:
            serial = next(self._serials_of(series, date))
            return Place(None, (series, date, str(serial)), 1, serial)
        key = (series, date, unique_id)
        if document_id(self._connection, key) is not None:
            raise ConflictError(f"{name_of(key)} is committed already", str(name_of(key)))
        return Place(None, key, 1, None)

    def next_version(self, replaced: PDI, witness: Witness) -> Place:
        """The place of the next version of a document. Raises NotFoundError, StorageError."""
        key = document_key(replaced)
        document = document_id(self._connection, key)
        if document is None:
            raise NotFoundError(f"no document {name_of(key)}", str(replaced))
        self.add_to(key[0], witness)
        question = "SELECT max(number) FROM version WHERE document_id = ?"
        highest = self._connection.execute(question, (document,)).fetchone()[0]
        return Place(document, key, highest + 1, None)

    def _check_mints(self, series: str) -> None:
        """Raise NotFoundError where a series is not one of here, ConflictError where others mint.

        Who mints is asked of today alone: whatever has its name stays here, and grows here.
        """
        question = "SELECT name FROM series"
        own = {name for (name,) in self._connection.execute(question)}
        if series not in own:
            raise NotFoundError(f"{series} does not mint here", series)
        delegated = delegations(self._connection, "minter", lineage(series))
        today = self.now.date()
        named = minters(delegated, series, today)
        if named and own.isdisjoint(minter.lower() for minter in named):
            others = " or ".join(sorted(named))
            problem = f"on {today} {others} mints in {series}, and not this archive"
            raise ConflictError(problem, series)

    @property
    def now(self) -> datetime:
        """The reading of the clock: one for the whole transaction."""
        if self._now is None:
            self._now = self._clock().astimezone(UTC)
        return self._now

    def today(self, series: str, witness: Witness = NOBODY) -> str:
        """Return the date of what is minted now. Raises StorageError (reason "clock")."""
        fault = self._begin(series, witness)
        if fault is not None:
            raise fault
        return self.now.date().isoformat()

    def add_to(self, series: str, witness: Witness = NOBODY) -> None:
        """Prepare for more of a document that has its name. Raises StorageError (reason "clock").

        Its date is past, so a series that is ahead of a clock which is right takes it all the same.
        """
        fault = self._begin(series, witness)
        if fault is not None and not self._is_borne_out(witness):
            raise fault

    def _begin(self, series: str, witness: Witness) -> StorageError | None:
        """Seal the last day of a series if it has passed; return what a clock behind it means."""
        if series in self._begun:
            return None
        today = self.now.date().isoformat()
        check_borne_out(
            self._connection, self.now.date(), self.now, clock=self._clock, witness=witness
        )
        last, sealed = self._connection.execute(_LAST, (series, series)).fetchone()
        if sealed is not None and today <= sealed:
            return self._behind(series, f"has sealed {sealed}", witness)
        if last is not None and today < last:
            return self._behind(series, f"has minted on {last}", witness)
        if last is not None and today > last:
            seal_passed(self._transaction, series, last, self.now)
        self._begun.add(series)
        return None

    def _behind(self, series: str, what: str, witness: Witness) -> StorageError:
        """Return the error of a clock behind what a series has done."""
        borne_out = self._is_borne_out(witness)
        return behind(self.now.date(), f"{series} {what}", series, borne_out=borne_out)

    def _is_borne_out(self, witness: Witness) -> bool:
        """Say whether anything beside the clock says the same."""
        return self._clock.is_kept_right() or witness.agrees(self.now)

    def _serials_of(self, series: str, date: str) -> Iterator[int]:
        """Return the serial numbers of the day that are left."""
        if series not in self._serials:
            self._serials[series] = _free(self._connection, series, date, self._expected)
        return self._serials[series]


def document_id(connection: Session, key: Key) -> int | None:
    """Return the row of a document, or None."""
    row = connection.execute(
        "SELECT document_id FROM document WHERE series = ? AND date = ? AND unique_id = ?", key
    ).fetchone()
    return None if row is None else int(row[0])


def _free(connection: Session, series: str, date: str, many: int) -> Iterator[int]:
    """Return the serial numbers after the highest that no unique id holds, looked up by `many`."""
    start = 1 + (
        connection.execute(
            "SELECT max(serial) FROM document WHERE series = ? AND date = ? AND serial IS NOT NULL",
            (series, date),
        ).fetchone()[0]
        or 0
    )
    while True:
        block = {str(serial): serial for serial in range(start, start + many)}
        names = json.dumps(list(block))
        taken = _TAKEN.format(texts=connection.dialect.texts)
        for (name,) in connection.execute(taken, (series, date, names)).fetchall():
            del block[name]
        yield from block.values()
        start += many
