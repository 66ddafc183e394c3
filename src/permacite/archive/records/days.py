"""Days of names: impossible dates are refused, and days that have passed are sealed.

An archive says once and for all which names it minted on a day that has passed.

PDI draft §2.1 and §2.3 date every name, and nothing is minted with a date that has passed. So the
list of a day's names is whole when the day has ended (00:00 UTC), and a name that is not in it does
not exist and never will. Versions and formats may still be added to documents of a sealed day.

The entry of a day has the number of its documents, the highest serial number, the digest of the
sorted list of unique ids, be they counted here or chosen by users, and the root of the tree over
them (`name_tree`). The first form of entries had no tree; they stay as they are.

A clock that is years ahead does lasting harm: the first commit under it seals the day before, and
nothing can be minted until those years have passed. So a date far from the last commit is taken
only where something beside the clock says the same.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from permacite.archive.entries import Entry, lenient
from permacite.archive.model.answered import NOBODY, Clock, Timekeeper, Witness, utc_now
from permacite.archive.objects.source import digest_of
from permacite.archive.records import leaves
from permacite.archive.records.rows import DAYS, has_schema, instant, timestamp
from permacite.errors import ConflictError, NotFoundError, StorageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.archive.entries import Leaf
    from permacite.archive.model.answered import JSON
    from permacite.archive.name_tree import DayDocument
    from permacite.archive.records.rows import Session, Transaction

__all__ = [
    "LAST_COMMIT",
    "NEWEST_FORM",
    "ON_REQUEST",
    "behind",
    "check_borne_out",
    "documents",
    "entry_at",
    "form_of",
    "is_synchronised",
    "kept",
    "names_file",
    "names_in",
    "seal",
    "seal_all",
    "seal_of",
    "seal_passed",
]

_LONGEST_IDLE = timedelta(days=31)
"""How far from the last commit a date may be that nothing bears out."""

_TIMEX_OCTETS = 512
"""More than `struct timex` has on any system; zeros ask and set nothing."""
_TIME_ERROR = 5
"""The clock is not synchronised: STA_UNSYNC is set (adjtimex(2))."""

LAST_COMMIT = """
SELECT coalesce((SELECT committed_at FROM representation ORDER BY representation_id DESC LIMIT 1),
                (SELECT min(added_at) FROM series))
"""
"""When something was committed last; of an archive without anything, when it was made."""

ON_REQUEST = "on-request"
"""The value of the setting `sealing` where days are sealed only when someone asks."""


NEWEST_FORM = 2
"""Of the entries of days; the first, which tells no form, has no tree."""


def names_file(unique_ids: Sequence[str]) -> bytes:
    """Unique ids, sorted already, one a line: the form whose digest the seal tells."""
    return "".join(f"{unique_id}\n" for unique_id in unique_ids).encode()


def names_in(content: bytes) -> list[str]:
    """The unique ids in such a list. Raises ValueError unless it is sorted, each once."""
    lines = content.decode().split("\n")
    if lines.pop() or any(left >= right for left, right in pairwise(lines)):
        raise ValueError("expected sorted names, one a line")
    return lines


def seal(transaction: Transaction, series: str, day: date, *, form: int = NEWEST_FORM) -> Leaf:
    """Seal one day of a series; the seal is returned, be it one that it has already.

    An earlier `form` is for copies of archives of before.
    Raises ConflictError for a day that has not passed (UTC), NotFoundError for another's series,
    StorageError (reason "clock") for a day that only this machine's clock says has passed.
    """
    now = transaction.clock()
    (last,) = transaction.connection.execute(LAST_COMMIT).fetchone()
    check_borne_out(last, day, now, clock=transaction.clock)
    return _seal(transaction, series, day.isoformat(), now, form=form)


def seal_all(transaction: Transaction) -> list[Leaf]:
    """Seal every day that has documents and has passed; the new seals are returned."""
    now = transaction.clock()
    return [_seal(transaction, *day, now) for day in _open_days(transaction.connection, now)]


def seal_passed(transaction: Transaction, series: str, last: str, now: datetime) -> None:
    """Seal the last day on which a series minted, now that a later one has begun."""
    connection = transaction.connection
    if _find(connection, series, last) is not None:
        return
    asked = connection.execute("SELECT value FROM setting WHERE name = 'sealing'").fetchone()
    if asked is None or asked[0] != ON_REQUEST:
        _seal(transaction, series, last, now)


def _seal(
    transaction: Transaction, series: str, day: str, now: datetime, *, form: int = NEWEST_FORM
) -> Leaf:
    """Seal one day, yyyy-mm-dd. Raises ConflictError, NotFoundError."""
    connection = transaction.connection
    kept = _find(connection, series, day)
    if kept is not None:
        return kept
    if not connection.execute("SELECT 1 FROM series WHERE name = ?", (series,)).fetchone():
        raise NotFoundError(f"{series} does not mint here", series)
    today = now.astimezone(UTC).date().isoformat()
    if day >= today:
        raise ConflictError(
            f"{day} cannot be sealed before it has ended (UTC); today is {today}",
            f"{series}/{day.replace('-', '/')}",
        )
    sealed_at = timestamp(now)
    entry = _entry(connection, (series, day, sealed_at), leaves.size(connection), form)
    sequence = leaves.append(transaction, entry)
    connection.execute("INSERT INTO day VALUES (?, ?, ?, ?)", (series, day, sequence, sealed_at))
    return leaves.leaves(connection, sequence, sequence + 1)[0]


def seal_of(connection: Session, series: str, day: str) -> Leaf | None:
    """The entry that seals a day, yyyy-mm-dd; None where there is none."""
    return _find(connection, series, day) if has_schema(connection, DAYS) else None


def _find(connection: Session, series: str, day: str) -> Leaf | None:
    """The same where the schema is known to have days."""
    row = connection.execute(
        "SELECT sequence FROM day WHERE series = ? AND date = ?", (series, day)
    ).fetchone()
    return None if row is None else leaves.leaf_at(connection, row[0])


def _open_days(connection: Session, now: datetime) -> list[tuple[str, str]]:
    """Series and date of each day that has documents, has passed, and is not sealed."""
    return connection.execute(
        "SELECT DISTINCT series, date FROM document AS d WHERE date < ? AND NOT EXISTS"
        " (SELECT 1 FROM day WHERE day.series = d.series AND day.date = d.date) ORDER BY date",
        (now.astimezone(UTC).date().isoformat(),),
    ).fetchall()


def documents(connection: Session, series: str, day: str, *, before: int) -> list[DayDocument]:
    """The documents of a day, sorted, each with the versions that entries before one tell."""
    from permacite.archive.name_tree import DayDocument

    rows = connection.execute(
        "SELECT unique_id, (SELECT max(number) FROM version AS v"
        " WHERE v.document_id = d.document_id) FROM document AS d"
        " WHERE series = ? AND date = ? ORDER BY unique_id",
        (series, day),
    ).fetchall()
    named = f"urn:pdi://{series}/{day.replace('-', '/')}"
    return [
        DayDocument(
            unique_id,
            1 if now == 1 else _versions_before(connection, f"{named}/{unique_id}", before),
        )
        for unique_id, now in rows
    ]


def _versions_before(connection: Session, name: str, before: int) -> int:
    """How many versions of a document the entries before one tell."""
    told = leaves.entries_before(connection, name, before)
    return sum(lenient(leaf).get("kind") == "version" for leaf in told)


def form_of(leaf: Leaf) -> int:
    """The form of the entry that seals a day."""
    form = lenient(leaf).get("seal")
    return form if isinstance(form, int) else 1


def entry_at(connection: Session, sequence: int) -> Entry | None:
    """The entry of the day whose leaf is `sequence`, as its documents are now."""
    row = connection.execute(
        "SELECT series, date, sealed_at FROM day WHERE sequence = ?", (sequence,)
    ).fetchone()
    leaf = None if row is None else leaves.leaf_at(connection, sequence)
    return None if leaf is None else _entry(connection, row, sequence, form_of(leaf))


def _entry(connection: Session, row: tuple[str, str, str], sequence: int, form: int) -> Entry:
    """The entry of a day, a row of `day`, as its documents are now."""
    series, day, sealed_at = row
    found = documents(connection, series, day, before=sequence)
    (highest,) = connection.execute(
        "SELECT max(serial) FROM document WHERE series = ? AND date = ?", (series, day)
    ).fetchone()
    clear: dict[str, JSON] = {
        "kind": "day",
        "name": f"urn:pdi://{series}/{day.replace('-', '/')}",
        "documents": len(found),
        "highest": highest,
        "names": digest_of(names_file([document.unique_id for document in found])),
        "sealed_at": sealed_at,
    }
    if form > 1:
        from permacite.archive.name_tree import root_over

        clear |= {"seal": form, "tree": root_over(found)}
    return Entry(clear, {})


def kept(clock: Clock) -> Timekeeper:
    """Return a clock with what keeps it right: for the system's clock, what the kernel says.

    A clock that the caller brought is taken at its word, unless it is a Timekeeper already.
    """
    if isinstance(clock, Timekeeper):
        return clock
    return Timekeeper(clock, is_synchronised if clock is utc_now else _always)


def _always() -> bool:
    return True


def is_synchronised() -> bool:
    """Say whether the kernel has the clock from others (NTP, PTP); False where it cannot say."""
    import ctypes

    try:
        ask = ctypes.CDLL(None).adjtimex
    except (OSError, AttributeError):  # not Linux
        return False
    return 0 <= int(ask(ctypes.create_string_buffer(_TIMEX_OCTETS))) < _TIME_ERROR


def check_borne_out(
    last: str, day: date, now: datetime, *, clock: Timekeeper, witness: Witness = NOBODY
) -> None:
    """Raise StorageError (reason "clock") for a day long after the `last` commit.

    Up to 31 days nobody is asked; beyond, something must bear out what the clock says.
    """
    if day - instant(last).astimezone(UTC).date() <= _LONGEST_IDLE:
        return
    if clock.is_kept_right() or witness.agrees(now):
        return
    raise StorageError(
        f"the clock says {now:%Y-%m-%d}, the last commit was on {last[:10]}, and neither the system"
        " nor a server bears the clock out",
        path="the clock",
        reason="clock",
        hint=f"if the clock is right, confirm it once: --confirm-date {now:%Y-%m-%d}"
        " (`save`, `import`), or Witness(operator=...) in Python; if not, set it right",
    )


def behind(today: date, what: str, series: str, *, borne_out: bool) -> StorageError:
    """Return the error of a clock behind what a series has done; one of the two is wrong."""
    other = f"`permacite series use` mints in another series, such as new.{series}"
    return StorageError(
        f"the clock says {today}, but {what}",
        path=series,
        reason="clock",
        hint=f"the clock is right, and the series ahead of it: {other}"
        if borne_out
        else f"set the clock of this machine right; if it is, {other}",
    )
