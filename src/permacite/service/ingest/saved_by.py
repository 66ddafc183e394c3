"""What a file says of itself that somebody saved from a browser: by what, from where, and when.

| file | source | told by |
|---|---|---|
| MHTML | what browsers write | `From: <Saved by ...>`, `Date`, `Snapshot-Content-Location` |
| SingleFile | its comment in a page | `Page saved with SingleFile`, `url:`, `saved date:` |

Both hold a page as a browser drew it. What they say is theirs: it is kept as claimed.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, NamedTuple

from permacite.errors import ParseError
from permacite.scan import compile_pattern
from permacite.service import addresses

if TYPE_CHECKING:
    from permacite.archive import JSON
    from permacite.mhtml import Aggregate

__all__ = ["SavedBy", "saved_by_browser", "saved_by_singlefile"]

_BY = compile_pattern(r"(?i)[<\"]?[ \t]*+Saved by ([^<>\"\r\n]{1,200})")
_COMMENT = compile_pattern(
    r"<!--[ \t\r\n]*+Page saved with SingleFile[ \t]*+\r?\n[ \t]*+url:[ \t]*+([^ \t\r\n]{1,8192})"
    r"[ \t]*+\r?\n[ \t]*+saved date:[ \t]*+([^\r\n]{1,200})"
)
_HEAD = 16_384
"""How far into a page the comment is looked for: behind the tag `html` and what stands in it."""
_DATE = compile_pattern(
    r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([0-9]{2}) ([0-9]{4}) ([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r" GMT([+-])([0-9]{2})([0-9]{2})"
)
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


class SavedBy(NamedTuple):
    """What a file says of itself."""

    uri: str | None
    at: datetime | None
    record: dict[str, JSON]
    """As it is put on record."""


def saved_by_browser(aggregate: Aggregate) -> SavedBy | None:
    """What an MHTML file says that a browser saved; None where none says so."""
    heading = aggregate.message.heading
    found = _BY.search(heading.text("From") or "")
    if found is None:
        return None
    stated, location = heading.text("Date") or "", heading.text("Snapshot-Content-Location")
    try:
        at = parsedate_to_datetime(stated)
        at = (at.replace(tzinfo=UTC) if at.tzinfo is None else at).astimezone(UTC)
    except (ValueError, OverflowError):
        at = None
    record = _record("MHTML", found[1].strip(), stated)
    if location:
        record["snapshot_location"] = location[:8192]
    return SavedBy(_address(location), at, record)


def saved_by_singlefile(text: str) -> SavedBy | None:
    """What a page says that SingleFile saved; None where it does not."""
    found = _COMMENT.search(text, 0, _HEAD)
    if found is None:
        return None
    return SavedBy(_address(found[1]), _moment(found[2]), _record("HTML", "SingleFile", found[2]))


def _record(form: str, software: str, claimed: str) -> dict[str, JSON]:
    """What is on record, in the form of what comes out of crawls."""
    made_by = {"software": software}
    claimed = claimed.strip()[:200]
    return {"format": form, "shows": "drawn", "made_by": made_by, "claimed_at": claimed}


def _address(said: str | None) -> str | None:
    """The address of a page on the web; None for anything else."""
    if said is None or not said.lower().startswith(("http://", "https://")):
        return None
    try:
        addresses.normal(said)
    except ParseError:
        return None
    return said


def _moment(said: str) -> datetime | None:
    """A date as JavaScript writes it; None for what is none."""
    found = _DATE.match(said)
    if found is None or found[1] not in _MONTHS:
        return None
    month = _MONTHS.index(found[1]) + 1
    day, year, hour, minute, second = (int(found[place]) for place in range(2, 7))
    away = timedelta(hours=int(found[8]), minutes=int(found[9]))
    try:
        zone = timezone(-away if found[7] == "-" else away)
        return datetime(year, month, day, hour, minute, second, tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
