"""Check the time-stamp of a proof: another authority's word that the log was like that by then."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.log import timestamps
from permacite.archive.log.bundles.reports import Check
from permacite.errors import ParseError, StorageError

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["checked_stamp"]


def checked_stamp(
    response: bytes | None, note: str, roots: bytes | None
) -> tuple[datetime | None, list[Check]]:
    """Return the time that is stamped on the signed note, and what was checked of it.

    `roots` are the certificates of authorities that the caller trusts (PEM): without them, whose
    time-stamp it is stays open; with them, a proof without a time-stamp fails. Raises StorageError
    where `roots` are given and rfc3161-client is not installed, ParseError where they are none.
    """
    if response is None:
        missing = Check("timestamp", ok=False, detail="this proof bears no time-stamp")
        return None, [] if roots is None else [missing]
    try:
        stamp = timestamps.read(response)
    except ParseError as error:
        return None, [Check("timestamp", ok=False, detail=error.problem)]
    except StorageError as error:
        if roots is not None:
            raise
        return None, [Check("timestamp", ok=True, detail=f"not read: {error}")]
    fault = stamp.fault(note)
    if roots is not None:
        fault = fault or timestamps.fault_of(response, note, roots)
    when = f"{stamp.stamped_at:%Y-%m-%d %H:%M:%S} UTC"
    by = "an authority that nobody vouched for" if roots is None else "the authority that was given"
    return stamp.stamped_at, [Check("timestamp", not fault, fault or f"{when}, by {by}")]
