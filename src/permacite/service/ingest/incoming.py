"""Formats of an import to commit, with a title, a count of parts and the origin that it states.

| file | source | stated by |
|---|---|---|
| MHTML | a browser | `From: <Saved by ...>`, `Date`, `Snapshot-Content-Location` |
| SingleFile | its comment in a page | `Page saved with SingleFile`, `url:`, `saved date:` |
| "web page, complete" | Chromium, Internet Explorer | `saved from url=(0020)https://...` |
| a copy of the Wayback Machine | its script in a page | `__wm.wombat("address", "time", ...` |

The first three hold a page as a browser drew it; the last one is a page that an archive rewrote,
drawn or not. What they state is kept as a claim.

Readings: the number before an address is its length; a comment that says another one contradicts
itself, and names no address. `about:internet` is none: it marks a file as if it were from the web.
"""

from __future__ import annotations

import contextlib
import io
from dataclasses import field, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, NamedTuple

from permacite import mhtml, pdi
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.texts import with_indexes
from permacite.capture.web_archives import (
    SUFFIXES,
    MementoClaim,
    at_address,
    kind_of,
    moment_of_stamp,
)
from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.markup import Document
from permacite.media_types import PAGES
from permacite.scan import compile_pattern
from permacite.service import addresses, sources
from permacite.service.quotations.recording import quotations_in, with_quotations

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from permacite.archive.model.answered import JSON
    from permacite.capture.model import Failure
    from permacite.mhtml import Aggregate
    from permacite.service.ingest.folders import Complete
    from permacite.service.quotations.recording import QuotationsByType

__all__ = [
    "NewDocument",
    "SavedBy",
    "of_copy",
    "refuse_collections",
    "saved_by",
    "saved_by_browser",
    "saved_by_singlefile",
    "troubles",
    "understood",
]

_CUT_OFF = frozenset({"not-closed", "no-parts"})
"""Defects of an aggregate that ends too early: before its last boundary, or before its first."""
_HEAD = 64
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
_BEGINNING = 16_384
"""How far into a page the comment is looked for: behind the tag `html` and what stands in it."""
_DATE = compile_pattern(
    r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([0-9]{2}) ([0-9]{4}) ([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r" GMT([+-])([0-9]{2})([0-9]{2})"
)
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


@dataclass(frozen=True, slots=True)
class NewDocument:
    """Formats that are ready to be committed together."""

    representations: Sequence[NewRepresentation]
    title: str | None
    uri: str | None
    """Where an aggregate says that it came from."""
    parts: int
    quotations: QuotationsByType = field(default_factory=dict, hash=False)
    """What it quotes, by the media type of the format that does."""
    details: Mapping[str, JSON] = field(default_factory=dict, hash=False)
    """What else is to be put on record."""
    is_aggregate: bool = False
    final_uri: str | None = None
    """Where it was had from at last, if that is elsewhere: in a web archive."""
    lost: Sequence[Failure] = ()
    """What it shows and does not come with."""
    claimed_at: datetime | None = None
    """When somebody saved it, as it says itself."""


def understood(
    page: sources.Incoming, *, uri: str | None = None, complete: Complete | None = None
) -> NewDocument:
    """The formats of what came in, ready to be committed; quotations are found too.

    `uri` is where somebody says that it is from; `complete` is a page with what it shows.
    Raises ParseError where the bytes are not what they claim, or are a collection of pages.
    """
    refuse_collections(page.content, page.name)
    if page.media_type == sources.MAIL:
        return _mail(page.content)
    if page.media_type in sources.MESSAGES:
        return _aggregate(page.content, page.media_type)
    quotations = quotations_in(page.document)
    formats = with_quotations(sources.representations(page), quotations)
    told = saved_by(page.document.source) if page.document.is_page else None
    memento = None if uri is None or told is not None else at_address(uri)
    if memento is not None:
        told = of_copy(memento, uri, page.media_type)
    if complete is not None:
        formats.append(NewRepresentation(complete.aggregate, "multipart/related"))
    document = NewDocument(with_indexes(formats), page.title, None, 1, quotations, troubles(page))
    return _with_told(_with_parts(document, complete), told)


def _with_parts(document: NewDocument, complete: Complete | None) -> NewDocument:
    """A page with what is known of what it shows: a browser wrote all of it."""
    if complete is None:
        return document
    imported: dict[str, JSON] = {"format": "HTML and a folder", "shows": "drawn", "made_by": {}}
    details = {**document.details, **complete.on_record(), "imported": imported}
    return replace(document, parts=complete.parts, lost=complete.failures, details=details)


def _with_told(document: NewDocument, told: SavedBy | None) -> NewDocument:
    """A document with what it says of itself."""
    if told is None:
        return document
    known = document.details.get("imported", {})
    form = {"format": known["format"]} if isinstance(known, dict) and known else {}
    details = {**document.details, "imported": told.record | form}
    uri = document.uri or told.uri
    return replace(document, uri=uri, final_uri=told.copy, claimed_at=told.at, details=details)


def troubles(source: sources.Incoming) -> dict[str, JSON]:
    """What is put on record where no text could be made: the format, a code and why."""
    if source.trouble is None:
        return {}
    token = pdi.token_for(source.document.media_type)
    return {"no_words": {"format": token, **source.trouble._asdict()}}


def _mail(content: bytes) -> NewDocument:
    """Understand a mail: itself, the words of all its parts, and its root where that is a page."""
    mail = sources.source_of(Document(content, sources.MAIL))
    formats = sources.representations(mail)
    aggregate = mhtml.open(content)
    root = aggregate.root
    if root.content_type in PAGES:
        with contextlib.suppress(ParseError):  # it is damaged; the mail is kept as it is
            page = sources.read_source(
                root.content, root.content_type, charset=root.parameters.get("charset")
            )
            formats.insert(0, sources.own(page))
    return NewDocument(
        with_indexes(formats),
        mail.title,
        None,
        max(1, len(aggregate.body_parts)),
        details=troubles(mail),
        is_aggregate=True,
    )


def _aggregate(content: bytes, media_type: str) -> NewDocument:
    """Understand an aggregate: its root, the root's text, and itself."""
    aggregate = mhtml.open(content)
    root = aggregate.root
    formats: list[NewRepresentation] = []
    title = None
    quotations: QuotationsByType = {}
    try:
        label = root.parameters.get("charset")
        page = sources.read_source(root.content, root.content_type, charset=label)
    except ParseError:
        page = None  # the root is damaged; the aggregate is kept as it is
    if page is not None and page.document.media_type.startswith("text/"):
        quotations = quotations_in(page.document)
        formats = with_quotations(sources.representations(page), quotations)
        title = page.title
    formats.append(NewRepresentation(content, media_type))
    location = root.content_location
    absolute = location if location and "://" in location else None
    cut_off = [defect.problem for defect in aggregate.structure_defects if defect.code in _CUT_OFF]
    details: dict[str, JSON] = {"defects": cut_off} if cut_off else {}
    document = NewDocument(
        with_indexes(formats),
        title,
        absolute,
        max(1, len(aggregate.body_parts)),
        quotations,
        details,
        is_aggregate=True,
    )
    return _with_told(document, saved_by_browser(aggregate))


def refuse_collections(content: bytes, name: str = "") -> None:
    """Raise ParseError for a file of many pages, by its content or else by its name."""
    kind = kind_of(io.BytesIO(content))
    suffix = next((ending for ending in SUFFIXES if name.lower().endswith(ending)), None)
    if kind is None and suffix is None:
        return
    what = f"a {kind} file" if kind else f"a {suffix} file by its name"
    raise ParseError(
        f"this is {what}, in which many pages are kept, and no document by itself",
        name or content[:_HEAD].decode("latin-1"),
        0,
        hint="nothing was archived; permacite import reads such files by their paths",
    )


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
    found = _FROM.search(text, 0, _BEGINNING)
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
    from email.utils import parsedate_to_datetime

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
    found = _COMMENT.search(text, 0, _BEGINNING)
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
