"""Compare the live page with the archived one: what became of each cited passage.

Both texts are aligned whole, and the passage is followed through the alignment: what stood on the
archived page already is never taken for the successor of something else. A citation is never moved:
it names the archived words. The answer says where they stand today, and what was changed in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from permacite.archive.objects import digest_of
from permacite.errors import NotFoundError, PermaciteError
from permacite.extract import extract
from permacite.fragments.alignment import Alignment, Fate, align, follow
from permacite.service import names, sources
from permacite.service.base import UseCases
from permacite.text.document import canonical

if TYPE_CHECKING:
    from permacite.archive import Citation, Repository, Version
    from permacite.extract import Excerpt
    from permacite.fragments.alignment import Change, Similar
    from permacite.text.document import DocumentText

__all__ = ["Checked", "Checks", "Drift"]


@dataclass(frozen=True, slots=True)
class Drift:
    """What became of one cited passage on the live page."""

    reference: str
    quote: str
    status: str
    """"verified", "moved", "changed", "gone", "gone-similar" or "ambiguous" (`Fate.status`)."""
    start: int | None
    """Where the passage stands now, in the live page's text; None where it is nowhere."""
    end: int | None
    now: str | None
    """The words that stand there now."""
    score: float
    """Likeness of these words to those cited, 0 to 1; 0 where there are none."""
    runner_up: float | None
    """Likeness of the most similar other passage, where the cited one is gone."""
    changes: tuple[Change, ...] = ()
    """What was changed in the passage: negations, numbers and names first."""
    similar: Similar | None = None
    """A passage that is like the one that is gone, and is no successor: it stood there before."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The live page compared with the archived one."""

    pdi: str
    """The full name of what was compared."""
    uri: str
    """Where the live page is."""
    checked_at: datetime
    same_bytes: bool
    """Whether the page is, octet for octet, what was archived."""
    same_text: bool
    """Whether it still says the same."""
    passages: tuple[Drift, ...]
    """What became of each cited passage."""


class Checks(UseCases):
    """What became of cited passages."""

    def check(self, reference: str, *, allow_private: bool = False) -> Checked:
        """Compare the live page with the archived one, passage by passage.

        Raises CaptureError, or NotFoundError where it never had an address.
        """
        from permacite import capture  # noqa: PLC0415 - the rest of the archive needs no network

        repository = self._repository
        name, _ = names.document_of(reference)
        version = repository.version(name)
        address = version.provenance.uri or version.provenance.final_uri
        if address is None:
            raise NotFoundError(
                "this document was not saved from the web",
                str(name),
                hint="there is nothing to fetch",
            )
        exchange = capture.fetch(address, allow_private=allow_private)
        archived = repository.main(version)
        live = _Live(exchange.content, sources.source_of(exchange.document))
        same_bytes = digest_of(exchange.content) == archived.digest
        comparison = _Comparison(repository, live)
        return Checked(
            pdi=str(archived.pdi),
            uri=address,
            checked_at=datetime.now(UTC),
            same_bytes=same_bytes,
            same_text=same_bytes or live.text == _archived_text(repository, version),
            passages=tuple(map(comparison.drift, repository.citations(version.pdi))),
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
        """The part that a fragment names there, None where it names none."""
        charset = None if self.document is None else self.document.charset
        try:
            media_type = self.source.document.media_type
            return extract(self.content, media_type, specifier, charset=charset)
        except PermaciteError:
            return None


def _archived_text(repository: Repository, version: Version) -> str | None:
    try:
        return names.text_of(
            repository, names.text_representation(repository, version.pdi)
        ).document.text
    except NotFoundError:
        return None


class _Comparison:
    """What is archived beside the live page; two texts are aligned once for all passages."""

    def __init__(self, repository: Repository, live: _Live) -> None:
        self._repository = repository
        self._live = live
        self._alignments: dict[tuple[str, bool], Alignment] = {}

    def drift(self, citation: Citation) -> Drift:
        """What became of a passage, or of what a fragment of another format names."""
        if citation.start is None or citation.end is None:
            return self._drift_of_part(citation)
        aligned = self._aligned(citation, self._live.text or "")
        fate = follow(aligned, citation.start, citation.end)
        return _drift(citation, fate, _words(aligned, fate), place=(fate.start, fate.end))

    def _drift_of_part(self, citation: Citation) -> Drift:
        """Cut the same part out of the live page; where it is another, follow it in the markup."""
        name, fragment = names.document_of(citation.fragment)
        specifier = fragment.specifier if fragment is not None else ""
        archived = self._repository.excerpt(self._repository.representation(name), specifier)
        now = self._live.part(specifier)
        if now is not None and now.digest == archived.digest and not now.clipped:
            return _drift(citation, Fate("verified", score=1.0), now.text or "")
        if archived.source_range is None or self._live.document is None:
            return _drift(citation, Fate("gone" if now is None else "changed"), None)
        aligned = self._aligned(citation, self._live.document.stored, markup=True)
        document = self._repository.text(self._repository.representation(name))
        fate = follow(aligned, *map(document.offset, archived.source_range))
        return _drift(citation, fate, _words(aligned, fate))

    def _aligned(self, citation: Citation, now: str, *, markup: bool = False) -> Alignment:
        """Align what is cited from with the live page: the text of either, or the markup."""
        key = (str(citation.pdi), markup)
        if key not in self._alignments:
            document = self._repository.text(self._repository.representation(citation.pdi))
            self._alignments[key] = align(document.stored if markup else document.text, now)
        return self._alignments[key]


def _words(aligned: Alignment, fate: Fate) -> str | None:
    """What stands there now, with the line ends of a cited text."""
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
