"""Recognition of what web archives give: files of captures, and copies of single pages.

| kind | source | told by |
|---|---|---|
| WARC, and its forerunner ARC | WARC 1.1 §4, ARC 1.0 §3 | the first line, packed by gzip or not |
| WACZ | WACZ 1.1.1 §5 | a zip file with a `datapackage.json` and a folder `archive` |
| HAR | HAR 1.2 §3 | JSON that begins with a `log`; entries, and a creator or the date of an entry |
| a copy | RFC 7089 §2.1.1, §2.2.1 | `Memento-Datetime` and `rel="original"`: `memento_of` |
| a copy | the Wayback Machine, OpenWayback, pywb | its address: `_ADDRESS` |

Readings: a copy is another document than its original: the archive may have put in a bar of its
own, and led the links to itself. Only the flag `id_` in an address says that it did not.
"""

from __future__ import annotations

import re
import zlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from typing import BinaryIO

    from permacite.capture.model import Headers

__all__ = [
    "SUFFIXES",
    "Kind",
    "MementoClaim",
    "at_address",
    "kind_of",
    "memento_of",
    "moment_of_stamp",
]

Kind: TypeAlias = Literal["WARC", "WACZ", "HAR"]

SUFFIXES = (".warc", ".warc.gz", ".arc.gz", ".wacz", ".har")
"""What such files are called."""
_HEAD = 64
_MOST_PACKED = 1 << 16
_MOST_LOG = 1 << 20
"""How much of a log is looked at for what it must have."""
_RECORD = compile_pattern(rb"[\r\n]*+WARC/[0-9]+\.[0-9]+\r?\n|filedesc://")
_LOG = compile_pattern(
    rb"(?:\xef\xbb\xbf)?[ \t\r\n]*+\{[ \t\r\n]*+\"log\"[ \t\r\n]*+:[ \t\r\n]*+\{"
)
_OF_A_LOG = (
    compile_pattern(rb'"entries"\s*+:\s*+\['),
    compile_pattern(rb'"(?:creator|startedDateTime)"\s*+:'),  # some write the creator last, or none
)
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"
_ADDRESS = compile_pattern(
    r"https?://(?P<host>[^/?# ]{1,255})/(?:[^/?# ]{1,100}/){0,3}?(?P<stamp>[0-9]{14})"
    r"(?P<flag>[a-z]{2}_)?/(?P<uri>https?:/{1,2}[^/ ][^ ]{0,8191})"
)
_ORIGINAL = compile_pattern(r"<(https?://[^<> ]{1,8192})>([^<,]{0,1000})")
_REL = compile_pattern(r"(?i);[ \t]*rel=\"?[^\";,]{0,100}\boriginal\b")


def kind_of(file: BinaryIO) -> Kind | None:
    """What kind of collection a file that can be sought is, None where it is none."""
    file.seek(0)
    head = file.read(_MOST_PACKED)
    if _RECORD.match(_unpacked(head)):
        return "WARC"
    if head.startswith(_ZIP) and _is_wacz(file):
        return "WACZ"
    if _LOG.match(head):
        log = head + file.read(_MOST_LOG)
        return "HAR" if all(part.search(log) for part in _OF_A_LOG) else None
    return None


def _unpacked(head: bytes) -> bytes:
    """The beginning, of what gzip packed if that is what it is."""
    if not head.startswith(_GZIP):
        return head[:_HEAD]
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, _HEAD)
    except zlib.error:
        return b""


def _is_wacz(file: BinaryIO) -> bool:
    import zipfile

    try:
        with zipfile.ZipFile(file) as packed:
            names = packed.namelist()
    except Exception:  # noqa: BLE001 - zipfile raises of many kinds for a damaged file
        return False
    return "datapackage.json" in names and any(re.match("archive/.", name) for name in names)


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
    from email.utils import parsedate_to_datetime

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
