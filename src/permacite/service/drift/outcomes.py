"""Outcomes of cited passages in the latest version of a page, recorded as news.

An outcome is news where it differs from the last one reported, or where the words there differ.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from permacite.errors import PermaciteError
from permacite.lazy_dataclass import dataclass
from permacite.service import names
from permacite.service.drift.comparison import (
    ComparedPage,
    Comparison,
    PassageDrift,
    Sought,
    same_format,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permacite.archive.model.answered import Citation, Version
    from permacite.archive.repository import Repository
    from permacite.pdi import PDI

__all__ = ["CitedPassage", "record_gone", "record_outcomes"]

Page = Literal["same", "changed", "gone"]


@dataclass(frozen=True, slots=True)
class CitedPassage:
    """The outcome for one cited passage."""

    reference: str
    told: str
    """What is cited, on one line."""
    status: str
    """"verified", "moved", "changed", "gone", "gone-similar", "ambiguous"; or "unchecked"."""
    there: str
    """The full name of the words there now; "" where there are none."""
    is_news: bool
    trouble: str = ""


def record_outcomes(
    repository: Repository, document: PDI, uri: str, latest: Version
) -> Iterator[CitedPassage]:
    """Compare what is cited of every version with the latest one; record and yield the outcomes."""
    for version in repository.lookup.versions(document):
        cited = repository.passages.citations(version.pdi)
        if cited or version.pdi == latest.pdi:
            drifts = [*_compared(repository, version, cited, latest)]
            page: Page = "same" if version.pdi == latest.pdi else _page(version, latest)
            yield from _record(repository, version, uri=uri, page=page, drifts=drifts)


def record_gone(repository: Repository, document: PDI, uri: str) -> Iterator[CitedPassage]:
    """Record that the site reports no such page, and yield what is cited of it."""
    for version in repository.lookup.versions(document):
        title = version.title or str(version.pdi.document)
        drifts = [
            (PassageDrift.without_texts(Sought.of(citation), title, "gone"), "")
            for citation in repository.passages.citations(version.pdi)
        ]
        yield from _record(repository, version, uri=uri, page="gone", drifts=drifts)


def _record(
    repository: Repository,
    version: Version,
    *,
    uri: str,
    page: Page,
    drifts: Sequence[tuple[PassageDrift, str]],
) -> list[CitedPassage]:
    """Record the outcomes for the passages of one version."""
    last = repository.live_pages.last_news(version)
    passages = [
        CitedPassage(
            drift.reference,
            drift.told,
            drift.status,
            there,
            _is_news(repository, drift, last.get(drift.reference)),
            drift.trouble,
        )
        for drift, there in drifts
    ]
    fates = {} if page == "gone" else {each.reference: each.status for each in passages}
    news = {each.reference: (each.status, each.there) for each in passages if each.is_news}
    repository.live_pages.note_check(version.pdi, uri, page, fates, news=news)
    return passages


def _is_news(repository: Repository, drift: PassageDrift, last: tuple[str, str] | None) -> bool:
    if last is None or last[0] != drift.status:
        return drift.status != "unchecked"
    return drift.status == "changed" and _words(repository, last[1]) != drift.now


def _words(repository: Repository, reference: str) -> str | None:
    """The words that a name means; None where they are not open."""
    with suppress(PermaciteError):
        name, fragment = names.document_of(reference)
        if fragment is not None:
            return repository.contents.excerpt(
                repository.lookup.representation(name), fragment.specifier
            ).text
    return None


def _compared(
    repository: Repository, version: Version, cited: Sequence[Citation], latest: Version
) -> Iterator[tuple[PassageDrift, str]]:
    """Compare passages; yield each outcome with the name of the words there."""
    title = version.title or str(version.pdi.document)
    comparisons: dict[PDI, Comparison] = {}
    for citation in cited:
        sought, archived = Sought.of(citation), repository.lookup.representation(citation.pdi)
        there = same_format(latest, archived)
        if there is not None and there.digest == archived.digest:
            yield (
                PassageDrift.without_texts(sought, title, "verified"),
                f"{there.pdi}#{sought.fragment.partition('#')[2]}",
            )
            continue
        if there is None:
            problem = f"the page has no format {archived.format} now"
            yield PassageDrift.unchecked(sought, title, problem), ""
            continue
        try:
            if citation.pdi not in comparisons:
                page = ComparedPage.of_version(repository, there, archived)
                comparisons[citation.pdi] = Comparison(repository, page, title)
            drift = comparisons[citation.pdi].drift(sought)
        except PermaciteError as error:
            yield PassageDrift.unchecked(sought, title, error.problem), ""
        else:
            yield drift, drift.reference_in(there.pdi)


def _page(version: Version, latest: Version) -> Page:
    """Whether two versions say the same, as far as their texts tell."""
    texts = [
        {item.digest for item in each.representations if item.media_type == "text/plain"}
        for each in (version, latest)
    ]
    return "same" if texts[0] and texts[0] == texts[1] else "changed"
