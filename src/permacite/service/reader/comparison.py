"""Comparison of a page as it was served with the same page as a browser drew it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from permacite import pdi
from permacite.fragments import quote as quotes
from permacite.lazy_dataclass import dataclass
from permacite.service import names

if TYPE_CHECKING:
    from permacite.archive.model.answered import Representation, Version
    from permacite.archive.repository import Repository
    from permacite.service.citations.quoted import Passage
    from permacite.service.reader.texts import TextSheet

__all__ = ["DrawnComparison", "drawn"]


@dataclass(frozen=True, slots=True)
class DrawnComparison:
    """A page as it was served and as a browser drew it, of which one is shown."""

    page: str | None
    """The full name of the page as it was drawn; None where that is not given out."""
    served: str | None
    """That of the page as it was served."""
    is_shown: bool
    """Whether what is read is what was drawn."""
    browser: str
    """Such as "Chrome/156.0.8078.79"."""
    width: int
    height: int
    """Of its view, in pixels."""
    is_thin: bool
    """Whether next to no words were served, so that the page opens as it was drawn."""
    other: str | None
    """The same words in the other text: as they were served, or as they were drawn."""
    only: frozenset[int] = frozenset()
    """Of drawn words that are shown by lines: the numbers of those that were not served."""


def drawn(
    repository: Repository,
    version: Version,
    shown: Representation,
    *,
    passage: Passage | None,
    sheet: TextSheet | None,
) -> DrawnComparison | None:
    """What a browser drew of a version; None where none did. Raises IntegrityError."""
    formats = version.representations
    page = next((item for item in formats if item.format == pdi.DRAWN_PAGE), None)
    if page is None:
        return None
    is_shown = names.is_drawn(shown)
    served = next((item for item in formats if item.derived_from is None), None)
    other = _other(repository, version, is_drawn=is_shown)
    words = "" if other is None else other.document.text
    view = version.provenance.details.get("drawn")
    view = view if isinstance(view, Mapping) else {}
    return DrawnComparison(
        page=_open(repository, page),
        served=_open(repository, served),
        is_shown=is_shown,
        browser=str(view.get("browser", "")),
        width=_number(view.get("width")),
        height=_number(view.get("height")),
        is_thin="thin" in version.provenance.details,
        other=_same_words(other, passage),
        only=_only(sheet, words) if is_shown and sheet is not None else frozenset(),
    )


def _open(repository: Repository, item: Representation | None) -> str | None:
    return None if item is None or repository.lookup.restrictions([item]) else str(item.pdi)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _other(repository: Repository, version: Version, *, is_drawn: bool) -> names.TextOf | None:
    """The text that is not shown: what was served, or what was drawn."""
    plain = [item for item in version.representations if item.media_type == "text/plain"]
    texts = [item for item in plain if names.is_drawn(item) is not is_drawn]
    if not texts or repository.lookup.restrictions(texts[:1]):
        return None
    return names.text_of(repository, texts[0], whole=False)


def _same_words(other: names.TextOf | None, passage: Passage | None) -> str | None:
    """The name of cited words in the other text, if they occur there once; else None."""
    if other is None or passage is None or not passage.quote.strip():
        return None
    found = list(quotes.occurrences(other.document.text, passage.quote))
    return str(other.representation.pdi.fragment("char", *found[0])) if len(found) == 1 else None


def _only(sheet: TextSheet, served: str) -> frozenset[int]:
    """The lines whose words were not served one after the other."""
    known = " ".join(served.split())
    lines = ((each.number, "".join(piece.text for piece in each.pieces)) for each in sheet.lines)
    words = ((number, " ".join(text.split())) for number, text in lines)
    return frozenset(number for number, text in words if text and text not in known)
