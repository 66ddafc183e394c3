"""Result of a save: the document, its warnings, and the version that was saved before.

A page that is fetched again: requests are conditional (RFC 9110 §13.1), with the validators of the
last version. A part that cannot be fetched just now does not count as a change of the page. It
counts if the server says that the part is gone, or if the page no longer shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.archive.objects.source import digest_of
from permacite.errors import PermaciteError
from permacite.lazy_dataclass import dataclass
from permacite.service import addresses

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date, datetime

    from permacite.archive.model.answered import JSON, Version
    from permacite.archive.repository import Repository
    from permacite.capture.model import Capture, Earlier, Failure
    from permacite.service.access import Choice
    from permacite.service.citations.ways import Citable
    from permacite.service.documents import Document
    from permacite.service.quotations.comparing import Quotation

__all__ = [
    "LostResource",
    "Saved",
    "Wanted",
    "claimed",
    "earlier_of",
    "previous",
    "still_stands",
    "warnings_of",
]


_PASSING = frozenset({"connect", "timeout", "tls", "size", "parts"})
"""Reasons for which something cannot be had that say nothing of the page."""
_BUSY = frozenset({429, *range(500, 600)})
_ASKED_AGAIN = frozenset({"etag", "last-modified"})


@dataclass(frozen=True, slots=True)
class LostResource:
    """Something the page refers to that is not in the aggregate, and why."""

    uri: str
    reason: str
    problem: str


@dataclass(frozen=True, slots=True)
class Saved:
    """What was committed."""

    pdi: str
    """The full name that people would cite: format and version included."""
    document: Document
    parts: int
    """Body parts of the aggregate; 1 for a document that is saved as it is."""
    size_bytes: int
    """Bytes of the received parts, before the aggregate encodes them."""
    lost: tuple[LostResource, ...] = ()
    """What the page refers to and could not be had."""
    left_out: tuple[LostResource, ...] = ()
    """What the page refers to and is not saved on purpose: scripts."""
    inline_scripts: int = 0
    """How many scripts stand in the page itself: they are kept with it, and are not run."""
    thin: bool = False
    """Whether it has scripts and next to no text: they would draw it, and are not run."""
    unchanged: bool = False
    """Whether the same bytes were saved before, so that no new name was minted."""
    quotations: tuple[Quotation, ...] = ()
    """What it quotes by permanent names, each compared with its source."""
    warnings: tuple[str, ...] = ()
    """What may be wrong with it: a charset that was guessed, an aggregate that is cut off; why
    there are no words in it, or what must be known of them."""
    citable: tuple[Citable, ...] = ()
    """What of it can be cited, and how."""


_REVIEWED = "; with --reviewed they stand in the text"


def warnings_of(repository: Repository, version: Version) -> Iterator[str]:
    """What may be wrong with a version, from what is on record of it."""
    from permacite.service.ingest import drawn
    from permacite.service.ingest.directives import asked_in
    from permacite.service.labels import record_of

    details: Mapping[str, Any] = version.provenance.details
    for token, settled in details.get("charsets", {}).items():
        label, by = settled.get("label"), settled.get("settled_by")
        if by == "fallback":
            fault = "nothing says its charset" if label is None else f"{label!r} is no charset"
            codec = version.representation(token).charset
            yield f"{token}: {fault}, and it is no UTF-8; it is read as {codec}"
    yield from drawn.warnings(details)
    asked = asked_in(details)
    if asked:
        yield f"the page asks of robots: {', '.join(asked)}"
    if details.get("with_credentials"):
        yield "seen with an account: others may see another page at this address"
    for problem in details.get("defects", ()):
        yield f"{problem}: it may have been cut off"
    trouble = details.get("no_words")
    if trouble is not None:
        yield f"{trouble['format']}: {trouble['text']}"
    for item in version.representations:
        record = record_of(repository, item)
        for notice in () if record is None else record.notices:
            hint = _REVIEWED if notice.code in {"tracked-changes", "comments"} else ""
            yield f"{item.format}: {notice.text}{hint}"


class Wanted(NamedTuple):
    """How a captured page is to be kept: see `Ingest.save`."""

    series: str | None
    new: bool
    confirmed_date: date | None
    standing: Choice
    key: str | None
    crawled: Mapping[str, JSON] | None
    closed: bool | None = None
    """Whether it is to follow a version that is closed; None: any."""


def earlier_of(repository: Repository, version: Version) -> dict[str, Earlier]:
    """What a version holds that a server can be asked about, by where it came from."""
    from permacite.capture.model import Earlier

    requests = _requests(version)
    wanted = {request["digest"] for request in requests if _has_validator(request)}
    if not wanted:
        return {}
    try:
        held = {digest_of(content): content for content in _octets(repository, version)}
    except PermaciteError:  # it is withdrawn, say: all is fetched anew
        return {}
    return {
        request["final_uri"]: Earlier(
            held[request["digest"]], tuple((n, v) for n, v in request["response_headers"])
        )
        for request in requests
        if request["digest"] in wanted & held.keys()
    }


def still_stands(version: Version, captured: Capture) -> bool:
    """Whether all that could be had of a page is what a version holds, and shows as much."""
    before = {request["uri"]: request["digest"] for request in _requests(version)}
    now = {each.uri: each.digest for each in captured.exchanges}
    if any(before.get(uri) != digest for uri, digest in now.items()):
        return False
    missing = {each.uri for each in captured.failures if _may_pass(each)}
    return before.keys() - now.keys() <= missing


def _may_pass(failure: Failure) -> bool:
    return failure.reason in _PASSING or (failure.status or 0) in _BUSY


def _requests(version: Version) -> list[dict[str, Any]]:
    """What is on record of each request; none of a page that was not captured."""
    details: Mapping[str, Any] = version.provenance.details
    return list(details.get("requests", ()))


def _has_validator(request: Mapping[str, Any]) -> bool:
    return any(name.lower() in _ASKED_AGAIN for name, _ in request["response_headers"])


def _octets(repository: Repository, version: Version) -> Iterator[bytes]:
    """What was received for a version: each format, and the parts of its aggregate."""
    from permacite import mhtml

    for item in version.representations:
        if item.derived_from is not None:
            continue
        content = repository.contents.read(item)
        if item.media_type == "multipart/related":
            yield from (part.content for part in mhtml.open(content).body_parts)
        else:
            yield content


def previous(
    repository: Repository, address: str, wanted: Wanted, at: datetime | None
) -> Version | None:
    """The newest version saved from an address, in the wanted series, closed or not as wanted.

    Of those from before `at`, if there are any; else the oldest.
    """
    series = tuple((wanted.series or repository.settings.series).split("."))
    oldest = None
    for version in addresses.known(repository, address):
        is_closed = (
            wanted.closed is not None and repository.access.standing(version.pdi).access == "closed"
        )
        if version.pdi.series != series or wanted.closed not in {None, is_closed}:
            continue
        if at is None or addresses.captured_at(version) <= at:
            return version
        oldest = version
    return oldest


def claimed(captured: Capture) -> datetime | None:
    """When a page was captured that others captured; None where we did."""
    return None if captured.imported is None else captured.started_at
