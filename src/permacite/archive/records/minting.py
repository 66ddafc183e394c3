"""Minting of names: dates, serial numbers and version numbers.

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

import itertools
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from permacite.archive.model.answered import NOBODY
from permacite.archive.records.days import LAST_COMMIT, behind, check_borne_out, seal_passed
from permacite.archive.records.rows import document_key, name_of
from permacite.archive.records.statements import delegated, delegation, lineage, minters
from permacite.errors import ConflictError, NotFoundError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import date

    from permacite.archive.model.answered import Witness
    from permacite.archive.records.rows import Key, Question, Session, Together, Transaction
    from permacite.errors import StorageError
    from permacite.pdi import PDI

__all__ = ["Place", "Places", "document_id"]

_DAY = """
WITH RECURSIVE newest (date, sealed) AS (
  SELECT (SELECT max(date) FROM document WHERE series = :series),
         (SELECT max(date) FROM day WHERE series = :series)),
next (serial, last) AS (
  SELECT before.serial + 1, before.serial + :many FROM (SELECT coalesce((
    SELECT serial FROM document WHERE series = :series AND date = (SELECT date FROM newest)
      AND serial IS NOT NULL ORDER BY serial DESC LIMIT 1), 0) AS serial) AS before
  UNION ALL SELECT serial + 1, last FROM next WHERE serial < last)
SELECT newest.date, newest.sealed, next.serial, d.unique_id IS NULL
FROM newest CROSS JOIN next LEFT JOIN document AS d
  ON d.series = :series AND d.date = newest.date AND d.unique_id = CAST(next.serial AS TEXT)
ORDER BY next.serial
"""
"""The last date on which a series minted, the last one that is sealed, and the serial numbers that
follow on that date: of each, whether it is free, and no caller took it as unique id."""

_TAKEN = """
SELECT unique_id FROM document WHERE series = ? AND unique_id IN ({texts})
  AND date = (SELECT max(date) FROM document WHERE series = ?)
"""
"""Which unique ids are taken on the last date of a series."""

_REPLACED = """
SELECT d.series, d.date, d.unique_id, d.document_id,
  (SELECT max(number) FROM version AS v WHERE v.document_id = d.document_id)
FROM document AS d WHERE (d.series, d.date, d.unique_id) IN ({keys})
"""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a version goes."""

    document_id: int | None
    """None for a document that is new."""
    key: Key
    number: int
    serial: int | None


class _Series:
    """What is known of a series before anything is minted in it; asked with other questions."""

    def __init__(
        self, together: Together, name: str, unique_ids: Sequence[str], *, many: int
    ) -> None:
        self.name = name
        self._connection = together.connection
        self._many = many
        self._day = together.ask(_DAY, {"series": name, "many": many})
        taken = _taken(self._connection, name, unique_ids)
        self._taken = together.ask(*taken) if unique_ids else []
        self._delegations = together.ask(*delegated(self._connection, "minter", lineage(name)))

    @property
    def last(self) -> str | None:
        """The last date on which it minted."""
        return self._day[0][0]  # type: ignore[no-any-return]

    @property
    def sealed(self) -> str | None:
        """The last one that is sealed."""
        return self._day[0][1]  # type: ignore[no-any-return]

    def is_taken(self, date: str, unique_id: str) -> bool:
        """Whether a document has a name of those that were asked for."""
        return date == self.last and (unique_id,) in self._taken

    def minters(self, today: date) -> set[str]:
        """Who mints in it; empty where nobody was named."""
        return minters(map(delegation, self._delegations), self.name, today)

    def serials(self, date: str) -> Iterator[int]:
        """The serial numbers of a day that are left."""
        if date != self.last:
            yield from itertools.count(1)  # nothing was minted on it
        for _, _, serial, is_free in self._day:
            if is_free:
                yield serial
        start = self._day[-1][2] + 1
        while True:
            block = {str(serial): serial for serial in range(start, start + self._many)}
            question = _taken(self._connection, self.name, list(block))
            for (unique_id,) in self._connection.execute(*question).fetchall():
                del block[unique_id]
            yield from block.values()
            start += self._many


class Places:
    """The places that the requests of one transaction get.

    It remembers the serial numbers it gave. Two requests that want the same unique id, or the next
    version of the same document, get the same place: the database refuses the second row.
    """

    def __init__(
        self,
        transaction: Transaction,
        together: Together,
        *,
        wanted: Sequence[tuple[str, str | None]] = (),
        replaced: Iterable[Key] = (),
    ) -> None:
        """Ask what has to be known: give places once that is answered.

        `wanted` are the series and unique ids of new documents, `replaced` those of which the next
        version comes, or more of a version.
        """
        self._transaction = transaction
        self._clock = transaction.clock
        self._now: datetime | None = None
        self._begun: set[str] = set()
        """Series that the date was found right for."""
        self._serials: dict[str, Iterator[int]] = {}
        self.has_sealed = False
        """Whether a day was sealed on the way: the log has grown."""
        keys = list(dict.fromkeys(replaced))
        self._own = together.ask("SELECT name FROM series")
        self._last_commit = together.ask(LAST_COMMIT)
        self._replaced = _ask_replaced(together, keys) if keys else []
        unique_ids: dict[str, list[str]] = {series: [] for series, _, _ in keys}
        for series, unique_id in wanted:
            given = unique_ids.setdefault(series, [])
            if unique_id is not None:
                given.append(unique_id)
        self._series = {
            name: _Series(together, name, given, many=max(1, len(wanted)))
            for name, given in unique_ids.items()
        }

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
        if self._series[series].is_taken(date, unique_id):
            raise ConflictError(f"{name_of(key)} is committed already", str(name_of(key)))
        return Place(None, key, 1, None)

    def next_version(self, replaced: PDI, witness: Witness) -> Place:
        """The place of the next version of a document. Raises NotFoundError, StorageError."""
        key = document_key(replaced)
        for *known, document, highest in self._replaced:
            if tuple(known) == key:
                self.add_to(key[0], witness)
                return Place(document, key, highest + 1, None)
        raise NotFoundError(f"no document {name_of(key)}", str(replaced))

    def _check_mints(self, series: str) -> None:
        """Raise NotFoundError where a series is not one of here, ConflictError where others mint.

        Who mints is asked of today alone: whatever has its name stays here, and grows here.
        """
        own = {name for (name,) in self._own}
        if series not in own:
            raise NotFoundError(f"{series} does not mint here", series)
        today = self.now.date()
        named = self._series[series].minters(today)
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
        ((committed_at,),) = self._last_commit
        check_borne_out(committed_at, self.now.date(), self.now, clock=self._clock, witness=witness)
        last, sealed = self._series[series].last, self._series[series].sealed
        if sealed is not None and today <= sealed:
            return self._behind(series, f"has sealed {sealed}", witness)
        if last is not None and today < last:
            return self._behind(series, f"has minted on {last}", witness)
        if last is not None and today > last:
            seal_passed(self._transaction, series, last, self.now)
            self.has_sealed = True
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
            self._serials[series] = self._series[series].serials(date)
        return self._serials[series]


def document_id(connection: Session, key: Key) -> int | None:
    """Return the row of a document, or None."""
    row = connection.execute(
        "SELECT document_id FROM document WHERE series = ? AND date = ? AND unique_id = ?", key
    ).fetchone()
    return None if row is None else int(row[0])


def _taken(connection: Session, series: str, unique_ids: Sequence[str]) -> Question:
    """Which of these unique ids are taken."""
    statement = _TAKEN.format(texts=connection.dialect.texts)
    return statement, (series, json.dumps(unique_ids), series)


def _ask_replaced(together: Together, keys: Sequence[Key]) -> list[Any]:
    statement = _REPLACED.format(keys=together.connection.dialect.keys)
    return together.ask(statement, (json.dumps(keys),))
