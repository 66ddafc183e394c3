"""Refuse dates that cannot be true, or that nothing bears out.

A clock that is years ahead does lasting harm: the first commit under it seals the day before, and
nothing can be minted until those years have passed. So a date far from the last commit is taken
only where something beside the clock says the same.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from permacite.archive.model import NOBODY, Clock, Timekeeper, Witness, utc_now
from permacite.archive.records.rows import instant
from permacite.errors import StorageError

if TYPE_CHECKING:
    import sqlite3

__all__ = ["behind", "check_borne_out", "is_synchronised", "kept"]

_LONGEST_IDLE = timedelta(days=31)
"""How far from the last commit a date may be that nothing bears out."""

_TIMEX_OCTETS = 512
"""More than `struct timex` has on any system; zeros ask and set nothing."""
_TIME_ERROR = 5
"""The clock is not synchronised: STA_UNSYNC is set (adjtimex(2))."""

_LAST_COMMIT = """
SELECT coalesce((SELECT committed_at FROM representation ORDER BY representation_id DESC LIMIT 1),
                (SELECT min(added_at) FROM series))
"""
"""Of an archive without any, when it was made."""


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
    import ctypes  # noqa: PLC0415 - few commits need it

    try:
        ask = ctypes.CDLL(None).adjtimex
    except (OSError, AttributeError):  # not Linux
        return False
    return 0 <= int(ask(ctypes.create_string_buffer(_TIMEX_OCTETS))) < _TIME_ERROR


def check_borne_out(
    connection: sqlite3.Connection,
    day: date,
    now: datetime,
    *,
    clock: Timekeeper,
    witness: Witness = NOBODY,
) -> None:
    """Raise StorageError (reason "clock") for a day long after the last commit that none confirms.

    Up to 31 days nobody is asked; beyond, something must bear out what the clock says.
    """
    (last,) = connection.execute(_LAST_COMMIT).fetchone()
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
