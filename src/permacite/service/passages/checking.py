"""Compare the live page with the archived one: what became of each cited passage.

A citation is never moved: it names the archived words. The answer says where they stand today,
how alike the nearest words are, and how alike the runner-up is, so that a doubtful answer shows.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from permacite import capture
from permacite.archive import document_text
from permacite.archive.objects import digest_of
from permacite.errors import NotFoundError, PermaciteError
from permacite.extract import extract
from permacite.fragments import anchor
from permacite.fragments import quote as quotes
from permacite.service import names
from permacite.service.documents import sources
from permacite.service.model import Checked, Drift

if TYPE_CHECKING:
    from permacite.archive import Archive, Citation, Version
    from permacite.service.documents.saving import CaptureOptions

__all__ = ["check"]


def check(archive: Archive, reference: str, *, options: CaptureOptions) -> Checked:
    """Fetch the live page. Raises CaptureError, or NotFoundError where it never had an address."""
    name, _ = names.document_of(reference)
    version = archive.version(name)
    address = version.provenance.uri or version.provenance.final_uri
    if address is None:
        raise NotFoundError(
            "this document was not saved from the web", str(name), hint="there is nothing to fetch"
        )
    exchange = capture.fetch(address, limits=options.limits, allow_private=options.allow_private)
    archived = archive.main(version)
    live = _Live(exchange.content, sources.read_source(exchange.content, exchange.content_type))
    digest = digest_of(exchange.content)
    same_bytes = digest == archived.digest
    return Checked(
        pdi=str(archived.pdi),
        uri=address,
        checked_at=datetime.now(UTC),
        same_bytes=same_bytes,
        same_text=same_bytes or live.text == _archived_text(archive, version),
        passages=tuple(_drift(citation, live) for citation in archive.citations(version.pdi)),
    )


class _Live:
    """The live page: its bytes, what they are, and their text (None where they have none)."""

    def __init__(self, content: bytes, source: sources.Source) -> None:
        self.content = content
        self.source = source
        self.text = source.text
        if self.text is None and source.charset is not None:
            self.text = document_text(content, source.media_type, source.charset).text


def _archived_text(archive: Archive, version: Version) -> str | None:
    try:
        return names.text_of(archive, names.text_representation(archive, version.pdi)).document.text
    except NotFoundError:
        return None


def _drift(citation: Citation, live: _Live) -> Drift:
    if citation.start is None:
        return _drift_of_part(citation, live)
    text = live.text or ""
    found = anchor.reanchor(text, citation.quote, citation.before, citation.after, citation.start)
    placed = found.start is not None and found.end is not None
    return Drift(
        reference=citation.fragment,
        quote=citation.quote,
        status=found.status,
        start=found.start,
        end=found.end,
        now=text[found.start : found.end] if placed else None,
        score=found.score,
        runner_up=found.runner_up,
    )


def _drift_of_part(citation: Citation, live: _Live) -> Drift:
    """Cut what was cited by a fragment of its own format out of the live page, and compare."""
    _, _, fragment = citation.fragment.partition("#")
    try:
        found = extract(live.content, live.source.media_type, fragment, charset=live.source.charset)
    except PermaciteError:
        now, status, score = None, "gone", 0.0
    else:
        now = found.text or ""
        near = quotes.nearest(now, citation.quote, limit=1)
        same = now == citation.quote and not found.clipped
        status, score = ("verified", 1.0) if same else ("changed", near[0].score if near else 0.0)
    return Drift(
        reference=citation.fragment,
        quote=citation.quote,
        status=status,
        start=None,
        end=None,
        now=now,
        score=score,
        runner_up=None,
    )
