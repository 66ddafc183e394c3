"""Links of archived pages, resolved to the version that was saved nearest in time.

What a link names is text of a stranger. It is looked up and shown, and never opened here; only a
page of the web is offered as a link of its own.

The live page of a passage has a text directive in its address, which browsers scroll to (URL
Fragment Text Directives, WICG): `#:~:text=` and the words; of many, the first and the last. Where
the words are no longer there, a browser opens the page and marks nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite import uri as references
from permacite.errors import NotFoundError, ParseError, PermaciteError
from permacite.lazy_dataclass import dataclass
from permacite.limits import ADDRESS_CHARACTERS, VERSIONS_OF_ADDRESS
from permacite.media_types import PAGES
from permacite.service import addresses, documents, names
from permacite.service.reader.pages import aggregate_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from permacite.archive.model.answered import Version
    from permacite.archive.repository import Repository

__all__ = ["Followed", "Stop", "apart", "follow", "live_address"]

_WORDS = 12
"""More words than these are named by their first and last."""
_ENDS = 5

_DAY = 86_400
_UNITS = (
    (365 * _DAY, "follow.years_later", "follow.years_earlier"),
    (30 * _DAY, "follow.months_later", "follow.months_earlier"),
    (_DAY, "follow.days_later", "follow.days_earlier"),
    (3600, "follow.hours_later", "follow.hours_earlier"),
    (60, "follow.minutes_later", "follow.minutes_earlier"),
    (1, "follow.seconds_later", "follow.seconds_earlier"),
)
"""The lengths of time that people count in, in seconds, and the words for so many of them."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One archived version, as a place where a link leads or comes from."""

    pdi: str
    title: str | None
    uri: str | None
    """The address that was saved, as it was asked for."""
    captured_at: datetime
    apart_s: int | None
    """How many seconds it was saved after the time that is looked for; negative: before."""


@dataclass(frozen=True, slots=True)
class Followed:
    """Where an address leads, and what is archived of it."""

    to: str
    """The address as asked."""
    source: Stop | None
    """The page with the link, where it is known and given out."""
    when: datetime | None
    """The time that is looked for: the one asked for, or that of the page with the link."""
    nearest: Stop | None
    """The version saved nearest to that time; None where nothing was archived from there."""
    reference: str | None
    """Its name, with the passage that the address names; that of the page with the link, where the
    address is that of a part of the same aggregate."""
    part: str | None
    """The path of that part; None where it is the page itself, or a document of its own."""
    trouble: str
    """Why the passage is not to be found there; empty where it is, or where none is named."""
    versions: tuple[Stop, ...]
    """What was archived from there, the newest first."""
    total: int
    live: str | None
    """The address of the page as it is now; None where it is no page of the web."""
    private: str
    """Why the page is not fetched from here; empty where it is."""


def follow(
    repository: Repository, to: str, *, source: str | None = None, when: datetime | None = None
) -> Followed:
    """Where an address leads, seen from the page `source`, or at a time.

    Raises ParseError for what is no address at all.
    """
    to = to.strip()
    if not to or len(to) > ADDRESS_CHARACTERS:
        raise ParseError("expected an address", to[:80], 0)
    start = None if source is None else _source(repository, source)
    wanted = when if when is not None or start is None else addresses.captured_at(start)
    found = addresses.versions(repository, to)
    chosen = addresses.nearest(found, wanted) if found else None
    reference, trouble = _named(repository, to, chosen)
    part = None
    if start is not None and chosen is None:
        reference, part = _part(repository, start, to)
    live = to if to.lower().startswith(("http:", "https:")) else None
    return Followed(
        to=to,
        source=None if start is None else _stop(repository, start, None),
        when=wanted,
        nearest=None if chosen is None else _stop(repository, chosen, wanted),
        reference=reference,
        part=part,
        trouble=trouble,
        versions=_stops(repository, found, wanted),
        total=len(found),
        live=live,
        private="" if live is None else _private(to),
    )


def apart(seconds: int) -> tuple[str, int]:
    """How far a time is from another, as the key of the reader's words for it and their number."""
    size, later, earlier = next(unit for unit in _UNITS if abs(seconds) >= unit[0])
    return (later if seconds > 0 else earlier), round(abs(seconds) / size)


def _source(repository: Repository, name: str) -> Version | None:
    """The page with the link; None where it is not here, or not given out."""
    try:
        version, representation = repository.lookup.answering(names.document_of(name)[0])
        repository.contents.check_access(representation)
    except (NotFoundError, ParseError):
        return None
    return version


def _part(repository: Repository, start: Version, to: str) -> tuple[str | None, str | None]:
    """The page with the link, and the path of the part of its aggregate that has an address."""
    main = repository.lookup.main(start)
    if main.media_type not in PAGES:
        return None, None
    aggregate = aggregate_of(repository, start)
    part = aggregate.resolve(to, profile="browser").part
    if part is None or part.content_type not in PAGES:
        return None, None
    return str(main.pdi), None if part is aggregate.root else part.path


def _named(repository: Repository, to: str, chosen: Version | None) -> tuple[str | None, str]:
    """The name of what an address means in a version, and why it is not the passage."""
    if chosen is None:
        return None, ""
    whole = str(documents.opened(repository, chosen).pdi)
    try:
        return addresses.passage_in(repository, chosen, to.partition("#")[2]) or whole, ""
    except PermaciteError as error:
        return whole, error.problem


def _stops(
    repository: Repository, found: Sequence[Version], when: datetime | None
) -> tuple[Stop, ...]:
    return tuple(_stop(repository, version, when) for version in found[:VERSIONS_OF_ADDRESS])


def _stop(repository: Repository, version: Version, when: datetime | None) -> Stop:
    captured = addresses.captured_at(version)
    provenance = version.provenance
    return Stop(
        pdi=str(documents.opened(repository, version).pdi),
        title=version.title,
        uri=provenance.uri or provenance.final_uri,
        captured_at=captured,
        apart_s=None if when is None else round((captured - when).total_seconds()),
    )


def _private(address: str) -> str:
    """The reason why an address is not fetched; empty for one that looks public."""
    from permacite.capture.address import unreachable

    return unreachable(address) or ""


def live_address(address: str | None, quote: str) -> str | None:
    """The address of the page as it is now, at the quoted words; None where there is no address."""
    if address is None or not address.lower().startswith(("http:", "https:")):
        return None
    words = quote.split()
    if not words:
        return address
    ends = [words] if len(words) <= _WORDS else [words[:_ENDS], words[-_ENDS:]]
    text = ",".join(_escaped(" ".join(end)) for end in ends)
    page, _, fragment = address.partition("#")
    return f"{page}#{fragment}:~:text={text}"


def _escaped(words: str) -> str:
    """Words without the marks that a directive is divided by."""
    return references.quote(words, "fragment").translate({0x2C: "%2C", 0x2D: "%2D", 0x26: "%26"})
