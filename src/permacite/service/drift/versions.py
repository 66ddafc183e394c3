"""Passages in the other versions of their document.

A citation names words of one version, which never change. Here is told where the same words stand
in later and earlier versions, what was changed in them, and how each new wording is cited.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

from permacite.cache import Cache
from permacite.errors import NotFoundError, ParseError, PermaciteError
from permacite.fragments.alignment.differences import Piece, compared
from permacite.lazy_dataclass import dataclass
from permacite.service import documents, names
from permacite.service.citations.parts import words_of
from permacite.service.drift.comparison import (
    ComparedPage,
    Comparison,
    PassageDrift,
    Sought,
    same_format,
)

if TYPE_CHECKING:
    from datetime import datetime

    from permacite.archive.model.answered import Representation, Version
    from permacite.archive.repository import Repository
    from permacite.service.documents import Restriction, VersionNote

__all__ = ["InVersion", "Through", "through_versions"]


@dataclass(frozen=True, slots=True)
class InVersion:
    """What became of a passage in one other version."""

    number: int
    pdi: str
    """The full name that people mean by the version."""
    retrieved_at: datetime
    """When it was fetched; when it was committed, where it was not."""
    restricted: Restriction | None
    """Why nothing of it is given out; then nothing is told of the passage either."""
    drift: PassageDrift | None
    """By the same rules as on the live page; None for what is restricted."""
    reference: str | None
    """The permanent name of the words that stand there; None where there are none."""
    difference: tuple[Piece, ...]
    """Both wordings, word by word; empty unless the passage was changed."""

    @property
    def status(self) -> str:
        """The status of the passage (`PassageDrift.status`), or of the version: "withdrawn"."""
        if self.restricted is not None:
            return self.restricted.kind
        return "unchecked" if self.drift is None else self.drift.status


@dataclass(frozen=True, slots=True)
class Through:
    """A passage through the versions of its document."""

    reference: str
    """The full name, with the fragment that was asked for."""
    told: str
    """What is cited, on one line."""
    number: int
    """The version that it is of."""
    versions: tuple[InVersion, ...]
    """Later versions, the next one first; then earlier ones, the last one first."""
    next: int | None
    """The `after` of the page that follows; None where nothing does."""


class _Became(NamedTuple):
    """What became of a passage, whatever archive asks for it."""

    drift: PassageDrift
    reference: str | None = None
    difference: tuple[Piece, ...] = ()


def _size(value: _Became) -> int:
    """About how much memory it takes."""
    return 2000 + 4 * sum(len(piece.words) for piece in value.difference)


_CACHE: Cache[_Became] = Cache(4 << 20, _size)


def through_versions(
    repository: Repository,
    reference: str,
    *,
    limit: int | None = None,
    after: int | None = None,
    longest: int | None = None,
) -> Through:
    """What became of a passage in the other versions of its document.

    All of them, or a page of up to `limit`, which begins behind the version `after`. Texts of
    more than `longest` octets are not compared, which takes a second for each million or so.
    Raises NotFoundError, RestrictedError, ParseError for a name without a fragment.
    """
    name, fragment = names.document_of(reference)
    if fragment is None:
        raise ParseError("expected a part of a document, such as #char=3,9", reference, 0)
    version, answer = repository.lookup.answering(name)
    repository.contents.check_access(answer)
    sought = _sought(repository, answer, f"{answer.pdi}#{fragment.specifier}")
    title = version.title or str(version.pdi.document)
    comparing = _Comparing(repository, answer, sought, title, longest)
    page, place = _page(documents.history(repository, version.pdi), version, limit, after)
    return Through(
        reference=sought.fragment,
        told=words_of(sought.fragment, sought.quote, title),
        number=version.number,
        versions=tuple(map(comparing.became, page)),
        next=place,
    )


def _page(
    history: tuple[VersionNote, ...], version: Version, limit: int | None, after: int | None
) -> tuple[list[VersionNote], int | None]:
    """The other versions in the order in which they are told, as far as they are on a page."""
    later = [item for item in history if item.number > version.number]
    others = later + [item for item in reversed(history) if item.number < version.number]
    numbers = [item.number for item in others]
    if after is not None and after not in numbers:
        raise ParseError("expected the number of another version", str(after), 0)
    start = 0 if after is None else numbers.index(after) + 1
    page = others[start:] if limit is None else others[start : start + limit]
    is_last = start + len(page) >= len(others) or not page
    return page, None if is_last else page[-1].number


def _sought(repository: Repository, answer: Representation, reference: str) -> Sought:
    """The passage that is asked for, with its words. Raises NotFoundError beyond the end."""
    _, fragment = names.document_of(reference)
    specifier = "" if fragment is None else fragment.specifier
    excerpt = repository.contents.excerpt(answer, specifier, whole=False)
    if excerpt.clipped:
        raise NotFoundError("the fragment reaches beyond the end of the document", reference)
    start = end = None
    if fragment is not None and fragment.scheme == "char":
        start, end = (int(position) for position in fragment.positions)
    return Sought(reference, answer.pdi, start, end, excerpt.text or "")


@dataclass(frozen=True, slots=True)
class _Comparing:
    """One passage beside any version of its document."""

    repository: Repository
    archived: Representation
    sought: Sought
    title: str
    longest: int | None

    def became(self, note: VersionNote) -> InVersion:
        """What became of the passage in a version."""
        version = self.repository.lookup.version(names.document_of(note.pdi)[0])
        blank = InVersion(
            number=note.number,
            pdi=note.pdi,
            retrieved_at=version.provenance.retrieved_at or version.committed_at,
            restricted=note.restricted,
            drift=None,
            reference=None,
            difference=(),
        )
        if note.restricted is not None:
            return blank
        try:
            return self._compared(version, blank)
        except PermaciteError as error:
            return self._unchecked(blank, error.problem)

    def _compared(self, version: Version, blank: InVersion) -> InVersion:
        """Compare the passage with the same format of a version."""
        there = same_format(version, self.archived)
        if there is None:
            return self._unchecked(blank, f"it has no format {self.archived.format}")
        self.repository.contents.check_access(there)
        if there.digest == self.archived.digest:
            return self._unchanged(there, blank)
        sizes = there.size_bytes, self.archived.size_bytes
        if self.longest is not None and max(sizes) > self.longest:
            return self._unchecked(blank, "its text is too long to be compared here")
        key = self.sought.fragment, self.archived.digest, str(there.pdi), there.digest
        known = _CACHE.get(*key)
        if known is None:
            known = self._followed(there)
            _CACHE.put(known, *key)
        return dataclasses.replace(
            blank, drift=known.drift, reference=known.reference, difference=known.difference
        )

    def _unchanged(self, there: Representation, blank: InVersion) -> InVersion:
        """Tell of a version whose octets are the same."""
        sought = self.sought
        drift = PassageDrift(
            reference=sought.fragment,
            told=words_of(sought.fragment, sought.quote, self.title),
            quote=sought.quote,
            status="verified",
            start=sought.start,
            end=sought.end,
            now=sought.quote or None,
            score=1.0,
        )
        specifier = sought.fragment.partition("#")[2]
        return dataclasses.replace(blank, drift=drift, reference=f"{there.pdi}#{specifier}")

    def _followed(self, there: Representation) -> _Became:
        """Follow the passage into a version with other octets."""
        comparison = Comparison(
            self.repository,
            ComparedPage.of_version(self.repository, there, self.archived),
            self.title,
        )
        drift = comparison.drift(self.sought)
        reference = drift.reference_in(there.pdi) or None
        if drift.status == "changed" and drift.now is not None:
            return _Became(drift, reference, compared(drift.quote, drift.now))
        return _Became(drift, reference)

    def _unchecked(self, blank: InVersion, problem: str) -> InVersion:
        """Tell that a version cannot be compared."""
        drift = PassageDrift.unchecked(self.sought, self.title, problem)
        return dataclasses.replace(blank, drift=drift)
