"""Compare the live page with the archived one: what became of each cited passage.

A citation is never moved: it names the archived words. The answer says where they stand today,
how alike the nearest words are, and how alike the runner-up is, so that a doubtful answer shows.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from permacite import capture
from permacite.errors import NotFoundError
from permacite.fragments import anchor
from permacite.service import names
from permacite.service.documents import records, sources
from permacite.service.model import Checked, Drift

if TYPE_CHECKING:
    from permacite.archive import Archive, Citation
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
    archived = records.main_representation(version)
    live = sources.read_source(exchange.content, exchange.content_type)
    live_text = live.text
    if live_text is None:
        live_text = names.canonical_text(exchange.content, live.charset)
    digest = "sha-256:" + hashlib.sha256(exchange.content).hexdigest()
    archived_text = names.text_of(archive, names.text_representation(archive, version.pdi)).text
    return Checked(
        pdi=str(archived.pdi),
        uri=address,
        checked_at=datetime.now(UTC),
        same_bytes=digest == archived.digest,
        same_text=live_text == archived_text,
        passages=tuple(_drift(citation, live_text) for citation in archive.citations(version.pdi)),
    )


def _drift(citation: Citation, live_text: str) -> Drift:
    found = anchor.reanchor(
        live_text, citation.quote, citation.before, citation.after, citation.start or 0
    )
    placed = found.start is not None and found.end is not None
    return Drift(
        reference=citation.fragment,
        quote=citation.quote,
        status=found.status,
        start=found.start,
        end=found.end,
        now=live_text[found.start : found.end] if placed else None,
        score=found.score,
        runner_up=found.runner_up,
    )
