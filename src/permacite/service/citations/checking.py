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
from permacite.errors import NotFoundError, ParseError, PermaciteError
from permacite.extract import extract
from permacite.fragments.alignment import Alignment, Fate, align, follow
from permacite.pdi import SCHEMES
from permacite.service import names, sources
from permacite.service.base import UseCases
from permacite.service.citations.parts import words_of
from permacite.text.document import canonical

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.archive import Citation, Repository, Representation, Version
    from permacite.extract import Decode, Excerpt
    from permacite.fragments.alignment import Change, Similar
    from permacite.text.document import DocumentText

__all__ = ["Checked", "Checks", "Drift"]

_IS_TEXT = {scheme.name: scheme.applies for scheme in SCHEMES.known}["char"]


@dataclass(frozen=True, slots=True)
class Drift:
    """What became of one cited passage on the live page."""

    reference: str
    told: str
    """What is cited, on one line: the words, or else "0:12-0:31 of" and the title."""
    quote: str
    status: str
    """"verified", "moved", "changed", "gone", "gone-similar" or "ambiguous" (`Fate.status`);
    "unchecked" where it could not be compared."""
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
    trouble: str = ""
    """Why there is no such part now, or why it could not be compared."""


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
        archived, rules = _received(version, repository.main(version))
        source = sources.source_of(exchange.document, rules=rules)
        live = _Live(exchange.content, source, archived, repository.decoder_of)
        same_bytes = live.digest == archived.digest
        text = _archived_text(repository, version)
        if same_bytes:
            live.text = text  # whatever rules are installed by now, nothing has changed
        title = version.title or str(version.pdi.document)
        comparison = _Comparison(repository, live, title)
        return Checked(
            pdi=str(archived.pdi),
            uri=address,
            checked_at=datetime.now(UTC),
            same_bytes=same_bytes,
            same_text=same_bytes or live.text == text,
            passages=tuple(map(comparison.drift, repository.citations(version.pdi))),
        )


class _Live:
    """The live page: its bytes, what they are, and their text (None where they have none).

    `archived` is what it was once: a part of another format of that has no place here.
    """

    def __init__(
        self,
        content: bytes,
        source: sources.Source,
        archived: Representation,
        decoder_of: Callable[[str], Decode] | None,
    ) -> None:
        self.content = content
        self.digest = digest_of(content)
        self.source = source
        self.archived = archived
        self._decode = None if decoder_of is None else decoder_of(self.digest)
        self.document: DocumentText | None = None
        if source.decoding is not None:
            self.document = source.document.text
        self.text = source.text
        if self.text is None and self.document is not None:
            self.text = self.document.text

    def part(self, specifier: str) -> Excerpt:
        """The part that a fragment names there.

        Raises ParseError or NotFoundError where there is none, PermaciteError where it cannot be
        cut.
        """
        charset = None if self.document is None else self.document.charset
        media_type = self.source.document.media_type
        return extract(self.content, media_type, specifier, charset=charset, decode=self._decode)


def _received(version: Version, main: Representation) -> tuple[Representation, str | None]:
    """The format that came from the address, and the rules that made a text of it."""
    made_from = {item.derived_from: item.rendition for item in version.representations}
    source = main
    if main.derived_from is not None:
        source = next((i for i in version.representations if i.format == main.derived_from), main)
    return source, made_from.get(source.format)


def _archived_text(repository: Repository, version: Version) -> str | None:
    try:
        return names.text_of(
            repository, names.text_representation(repository, version.pdi)
        ).document.text
    except NotFoundError:
        return None


class _Comparison:
    """What is archived beside the live page; two texts are aligned once for all passages."""

    def __init__(self, repository: Repository, live: _Live, title: str) -> None:
        self._repository = repository
        self._live = live
        self._title = title
        self._alignments: dict[tuple[str, bool], Alignment] = {}

    def drift(self, citation: Citation) -> Drift:
        """What became of a passage, or of what a fragment of another format names."""
        if citation.start is None or citation.end is None:
            return self._drift_of_part(citation)
        aligned = self._aligned(citation, self._live.text or "")
        fate = follow(aligned, citation.start, citation.end)
        return self._drift(citation, fate, _words(aligned, fate), place=(fate.start, fate.end))

    def _drift_of_part(self, citation: Citation) -> Drift:
        """What became of what a fragment cuts out of a format; it always has an answer."""
        name, fragment = names.document_of(citation.fragment)
        specifier = fragment.specifier if fragment is not None else ""
        try:
            representation = self._repository.representation(name)
            if self._live.digest == self._live.archived.digest:
                return self._drift(citation, Fate("verified", score=1.0), citation.quote)
            if representation.pdi != self._live.archived.pdi:
                return self._drift(
                    citation, None, trouble=f"only {self._live.archived.format} has a live page"
                )
            archived = self._repository.excerpt(representation, specifier)
            return self._followed(citation, archived, specifier)
        except PermaciteError as error:
            return self._drift(citation, None, trouble=error.problem)

    def _followed(self, citation: Citation, archived: Excerpt, specifier: str) -> Drift:
        """Cut the same part out of the live page; where it is another, follow it in the markup.

        Raises PermaciteError where it cannot be cut.
        """
        now, trouble = None, ""
        try:
            now = self._live.part(specifier)
        except (ParseError, NotFoundError) as error:
            trouble = error.problem
        if now is not None and now.digest == archived.digest and not now.clipped:
            return self._drift(citation, Fate("verified", score=1.0), now.text or "")
        is_text = _IS_TEXT(self._live.archived.media_type)
        if archived.source_range is None or not is_text or self._live.document is None:
            if now is not None and now.clipped:
                trouble = "it reaches beyond the end of what is there now"
            fate = Fate("gone" if now is None else "changed")
            return self._drift(citation, fate, trouble=trouble)
        aligned = self._aligned(citation, self._live.document.stored, markup=True)
        document = self._repository.text(self._live.archived)
        fate = follow(aligned, *map(document.offset, archived.source_range))
        return self._drift(citation, fate, _words(aligned, fate))

    def _aligned(self, citation: Citation, now: str, *, markup: bool = False) -> Alignment:
        """Align what is cited from with the live page: the text of either, or the markup."""
        key = (str(citation.pdi), markup)
        if key not in self._alignments:
            document = self._repository.text(self._repository.representation(citation.pdi))
            self._alignments[key] = align(document.stored if markup else document.text, now)
        return self._alignments[key]

    def _drift(
        self,
        citation: Citation,
        fate: Fate | None,
        now: str | None = None,
        *,
        place: tuple[int | None, int | None] = (None, None),
        trouble: str = "",
    ) -> Drift:
        """What is told of a citation; `fate` is None where it could not be compared."""
        known = fate or Fate("gone")
        return Drift(
            reference=citation.fragment,
            told=words_of(citation.fragment, citation.quote, self._title),
            quote=citation.quote,
            status=known.status if fate else "unchecked",
            start=place[0],
            end=place[1],
            now=now,
            score=known.score,
            runner_up=known.runner_up,
            changes=known.changes,
            similar=known.similar,
            trouble=trouble,
        )


def _words(aligned: Alignment, fate: Fate) -> str | None:
    """What stands there now, with the line ends of a cited text."""
    return None if fate.start is None else canonical(aligned.new.text[fate.start : fate.end])
