"""Compare the live page with the archived one: what became of each cited passage.

Both texts are aligned whole, and the passage is followed through the alignment: what stood on the
archived page already is never taken for the successor of something else. A citation is never moved:
it names the archived words. The answer says where they stand today, and what was changed in them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from permacite import capture
from permacite.archive.objects import digest_of
from permacite.errors import NotFoundError, PermaciteError
from permacite.extract import extract
from permacite.fragments.alignment import Alignment, Fate, align, follow
from permacite.service import names
from permacite.service.ingest import sources
from permacite.service.model import Checked, Drift
from permacite.text.document import canonical

if TYPE_CHECKING:
    from permacite.archive import Citation, Repository, Version
    from permacite.extract import Excerpt
    from permacite.service.ingest.saving import CaptureOptions
    from permacite.text.document import DocumentText

__all__ = ["check"]


def check(archive: Repository, reference: str, *, options: CaptureOptions) -> Checked:
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
    live = _Live(exchange.content, sources.source_of(exchange.document))
    digest = digest_of(exchange.content)
    same_bytes = digest == archived.digest
    comparison = _Comparison(archive, live)
    return Checked(
        pdi=str(archived.pdi),
        uri=address,
        checked_at=datetime.now(UTC),
        same_bytes=same_bytes,
        same_text=same_bytes or live.text == _archived_text(archive, version),
        passages=tuple(comparison.drift(citation) for citation in archive.citations(version.pdi)),
    )


class _Live:
    """The live page: its bytes, what they are, and their text (None where they have none)."""

    def __init__(self, content: bytes, source: sources.Source) -> None:
        self.content = content
        self.source = source
        self.document: DocumentText | None = None
        if source.decoding is not None:
            self.document = source.document.text
        self.text = source.text
        if self.text is None and self.document is not None:
            self.text = self.document.text

    def part(self, specifier: str) -> Excerpt | None:
        """Return the part that a fragment names there, None where it names none."""
        charset = None if self.document is None else self.document.charset
        try:
            return extract(
                self.content, self.source.document.media_type, specifier, charset=charset
            )
        except PermaciteError:
            return None


def _archived_text(archive: Repository, version: Version) -> str | None:
    try:
        return names.text_of(archive, names.text_representation(archive, version.pdi)).document.text
    except NotFoundError:
        return None


class _Comparison:
    """What is archived beside the live page; two texts are aligned once for all passages."""

    def __init__(self, archive: Repository, live: _Live) -> None:
        self._archive = archive
        self._live = live
        self._alignments: dict[tuple[str, bool], Alignment] = {}

    def drift(self, citation: Citation) -> Drift:
        """Return what became of a passage, or of what a fragment of another format names."""
        if citation.start is None or citation.end is None:
            return self._drift_of_part(citation)
        aligned = self._aligned(citation, self._live.text or "")
        fate = follow(aligned, citation.start, citation.end)
        return _drift(citation, fate, _words(aligned, fate), place=(fate.start, fate.end))

    def _drift_of_part(self, citation: Citation) -> Drift:
        """Cut the same part out of the live page; where it is another, follow it in the markup."""
        name, fragment = names.document_of(citation.fragment)
        specifier = fragment.specifier if fragment is not None else ""
        archived = self._archive.excerpt(self._archive.representation(name), specifier)
        now = self._live.part(specifier)
        if now is not None and now.digest == archived.digest and not now.clipped:
            return _drift(citation, Fate("verified", score=1.0), now.text or "")
        if archived.source_range is None or self._live.document is None:
            return _drift(citation, Fate("gone" if now is None else "changed"), None)
        aligned = self._aligned(citation, self._live.document.stored, markup=True)
        document = self._archive.text(self._archive.representation(name))
        fate = follow(aligned, *map(document.offset, archived.source_range))
        return _drift(citation, fate, _words(aligned, fate))

    def _aligned(self, citation: Citation, now: str, *, markup: bool = False) -> Alignment:
        """Align what is cited from with the live page: the text of either, or the markup."""
        key = (str(citation.pdi), markup)
        if key not in self._alignments:
            document = self._archive.text(self._archive.representation(citation.pdi))
            self._alignments[key] = align(document.stored if markup else document.text, now)
        return self._alignments[key]


def _words(aligned: Alignment, fate: Fate) -> str | None:
    """Return what stands there now, with the line ends of a cited text."""
    return None if fate.start is None else canonical(aligned.new.text[fate.start : fate.end])


def _drift(
    citation: Citation,
    fate: Fate,
    now: str | None,
    *,
    place: tuple[int | None, int | None] = (None, None),
) -> Drift:
    return Drift(
        reference=citation.fragment,
        quote=citation.quote,
        status=fate.status,
        start=place[0],
        end=place[1],
        now=now,
        score=fate.score,
        runner_up=fate.runner_up,
        changes=fate.changes,
        similar=fate.similar,
    )
