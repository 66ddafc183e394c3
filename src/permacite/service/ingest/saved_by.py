"""Origin that a saved page states: the program, the address and the time.

| file | source | told by |
|---|---|---|
| MHTML | what browsers write | `From: <Saved by ...>`, `Date`, `Snapshot-Content-Location` |
| SingleFile | its comment in a page | `Page saved with SingleFile`, `url:`, `saved date:` |
| "web page, complete" | Chromium, Internet Explorer | `saved from url=(0020)https://...` |
| a copy of the Wayback Machine | what it puts into pages | `__wm.wombat("address", "time", ...` |

The first three hold a page as a browser drew it; the last one is a page that an archive rewrote,
drawn or not. What they say is theirs: it is kept as claimed.

Readings: the number before an address is its length; a comment that says another one contradicts
itself, and names no address. `about:internet` is none: it marks a file as if it were from the web.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, NamedTuple

from permacite.capture.crawls.mementos import MementoClaim, at_address, moment_of_stamp
from permacite.errors import ParseError
from permacite.scan import compile_pattern
from permacite.service import addresses

if TYPE_CHECKING:
    from permacite.archive import JSON
    from permacite.mhtml import Aggregate

__all__ = ["SavedBy", "of_copy", "saved_by", "saved_by_browser", "saved_by_singlefile"]

_BY = compile_pattern(r"(?i)[<\"]?[ \t]*+Saved by ([^<>\"\r\n]{1,200})")
_COMMENT = compile_pattern(
    r"<!--[ \t\r\n]*+Page saved with SingleFile[ \t]*+\r?\n[ \t]*+url:[ \t]*+([^ \t\r\n]{1,8192})"
    r"[ \t]*+\r?\n[ \t]*+saved date:[ \t]*+([^\r\n]{1,200})"
)
_FROM = compile_pattern(
    r"<!--[ \t\r\n]*+saved from url=\(([0-9]{4})\)([^ \t\r\n<>]{1,8192})[ \t]*+-->"
)
_WAYBACK = compile_pattern(
    r"__wm\.wombat\(\"(https?://[^\"\\\r\n]{1,8192})\",\"([0-9]{14})\",\"(https?://[^\"/\r\n]{1,255}/?)\""
)
_MOST_OF_COPY = 1 << 18
"""How far into a page the archive's own script is looked for: it stands in the head."""
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
    """Of the page; of a copy in a web archive, the address that it is a copy of."""
    at: datetime | None
    record: dict[str, JSON]
    """As it is put on record."""
    copy: str | None = None
    """The address of a copy in a web archive."""


def saved_by(text: str) -> SavedBy | None:
    """What a page says of who saved it; None where it says nothing."""
    told = saved_by_singlefile(text) or _saved_from(text)
    memento = _copied(text) or (told and told.uri and at_address(told.uri))
    if not memento:
        return told
    copy = of_copy(memento, None if told is None else told.uri)
    if told is not None:  # what a browser drew of the copy
        more = {"shows": "drawn", "saved_by": told.record["made_by"]}
        copy.record.update(more | {"saved_at": told.record["claimed_at"]})
    return copy


def of_copy(memento: MementoClaim, address: str | None, form: str = "HTML") -> SavedBy:
    """What is told of a copy in a web archive, which may be at an address there."""
    claimed = memento.at.isoformat()
    record = _record(form, f"the web archive {memento.archive}", claimed, shows="reported")
    record["memento"] = {**memento.record()}
    return SavedBy(memento.original, memento.at, record, address)


def _saved_from(text: str) -> SavedBy | None:
    """What the comment of Chromium and Internet Explorer says, which names no program or date."""
    found = _FROM.search(text, 0, _HEAD)
    if found is None or int(found[1]) != len(found[2]):
        return None
    uri = _address(found[2])
    return None if uri is None else SavedBy(uri, None, _record("HTML", "", ""))


def _copied(text: str) -> MementoClaim | None:
    """What the Wayback Machine puts into its copies: of which address, and of when."""
    found = _WAYBACK.search(text, 0, _MOST_OF_COPY)
    at = None if found is None else moment_of_stamp(found[2])
    if found is None or at is None or _address(found[1]) is None:
        return None
    archive = found[3].partition("://")[2].strip("/").lower()
    return MementoClaim(found[1], at, archive, is_raw=False)


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


def _record(form: str, software: str, claimed: str, shows: str = "drawn") -> dict[str, JSON]:
    """What is on record, in the form of what comes out of crawls."""
    made_by = {"software": software}
    claimed = claimed.strip()[:200]
    return {"format": form, "shows": shows, "made_by": made_by, "claimed_at": claimed}


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
