"""Answers of web archives: of which address they are a copy, and of which time, as they say.

RFC 7089 (Memento):
  §2.1.1 Memento-Datetime     -> `memento_of`
  §2.2.1 rel="original"       -> `memento_of`
Addresses of copies as the Wayback Machine, OpenWayback and pywb write them: `_ADDRESS`.

Readings: a copy is another document than its original: the archive may have put in a bar of its
own, and led the links to itself. Only the flag `id_` in an address says that it did not.
"""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, NamedTuple

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.capture.model import Headers

__all__ = ["MementoClaim", "at_address", "memento_of", "moment_of_stamp"]

_ADDRESS = compile_pattern(
    r"https?://(?P<host>[^/?# ]{1,255})/(?:[^/?# ]{1,100}/){0,3}?(?P<stamp>[0-9]{14})"
    r"(?P<flag>[a-z]{2}_)?/(?P<uri>https?:/{1,2}[^/ ][^ ]{0,8191})"
)
_ORIGINAL = compile_pattern(r"<(https?://[^<> ]{1,8192})>([^<,]{0,1000})")
_REL = compile_pattern(r"(?i);[ \t]*rel=\"?[^\";,]{0,100}\boriginal\b")


class MementoClaim(NamedTuple):
    """That an archive holds a copy of an address, as it says."""

    original: str
    at: datetime
    archive: str
    """Its host."""
    is_raw: bool
    """Whether it claims to give the octets as it got them."""

    def record(self) -> dict[str, str | bool]:
        """As it is put on record."""
        return {
            "original": self.original,
            "claimed_at": self.at.isoformat(),
            "archive": self.archive,
            "rewritten": not self.is_raw,
        }


def at_address(uri: str) -> MementoClaim | None:
    """What the address of a copy says; None for any other."""
    found = _ADDRESS.fullmatch(uri)
    if found is None:
        return None
    at = moment_of_stamp(found["stamp"])
    if at is None:
        return None
    scheme, _, rest = found["uri"].partition(":")
    original = f"{scheme}://{rest.lstrip('/')}"
    return MementoClaim(original, at, found["host"].lower(), found["flag"] == "id_")


def memento_of(uri: str, headers: Headers) -> MementoClaim | None:
    """What an answer says that it is a copy of: by its header fields, else by its address."""
    by_address = at_address(uri)
    said = {name.lower(): value for name, value in headers}
    moment = _moment(said.get("memento-datetime", ""))
    if moment is None:
        return by_address
    links = ", ".join(value for name, value in headers if name.lower() == "link")[:100_000]
    originals = [link for link, rest in _ORIGINAL.findall(links) if _REL.search(rest)]
    if by_address is not None:
        return by_address._replace(at=moment, original=(originals or [by_address.original])[0])
    host = uri.partition("://")[2].partition("/")[0].lower()
    return MementoClaim(originals[0], moment, host, is_raw=False) if originals else None


def _moment(field: str) -> datetime | None:
    """The moment of an HTTP date; None for what is none."""
    try:
        at = parsedate_to_datetime(field)
        return (at.replace(tzinfo=UTC) if at.tzinfo is None else at).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def moment_of_stamp(stamp: str) -> datetime | None:
    """The moment of 14 digits in an address; None for none."""
    try:
        return datetime.strptime(stamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
