"""Formats to commit of what came in, with a title, an address of origin and a count of parts."""

from __future__ import annotations

import contextlib
from dataclasses import field, replace
from typing import TYPE_CHECKING

from permacite import mhtml, pdi
from permacite.archive import JSON, NewRepresentation, with_indexes
from permacite.capture.crawls.mementos import at_address
from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.markup import Document
from permacite.media_types import PAGES
from permacite.service import sources
from permacite.service.ingest.collections import refuse_collections
from permacite.service.ingest.saved_by import of_copy, saved_by, saved_by_browser
from permacite.service.quotations.recording import quotations_in, with_quotations

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from permacite.capture.model import Failure
    from permacite.service.ingest.others.folders import Complete
    from permacite.service.ingest.saved_by import SavedBy
    from permacite.service.quotations.recording import QuotationsByType

__all__ = ["NewDocument", "troubles", "understood"]

_CUT_OFF = frozenset({"not-closed", "no-parts"})
"""Defects of an aggregate that ends too early: before its last boundary, or before its first."""


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
