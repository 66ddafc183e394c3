"""Words that stand in no text of a document, but in a page within it: in a frame of it, mostly.

They are cited in the aggregate that holds both, as characters of the text of that body part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite import mhtml
from permacite.errors import PermaciteError
from permacite.extract import inner
from permacite.fragments import quote as quotes
from permacite.media_types import AGGREGATE
from permacite.service import names
from permacite.service.names import TextOf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite import pdi
    from permacite.archive import Repository, Representation
    from permacite.text.document import DocumentText

__all__ = ["aggregate_of", "drawn_with", "fragment_of", "text_with"]


def aggregate_of(repository: Repository, name: pdi.PDI) -> Representation | None:
    """The aggregate of a document, in which its pages are; None where it has none."""
    known = repository.lookup.representation(name)
    formats = (known, *repository.lookup.version(known.pdi).representations)
    return next((item for item in formats if item.media_type == AGGREGATE), None)


def text_with(repository: Repository, source: TextOf, quote: str) -> tuple[TextOf, str]:
    """The text that quoted words are to be looked for in, and the number of its body part.

    That of the document itself, with "", unless they stand in a page within it alone, or in what
    a browser drew of it.
    """
    if not quote.strip() or _holds(source.document, quote):
        return source, ""
    served = next(_within(repository, source, quote), None)
    return served or (drawn_with(repository, source, quote), "")


def drawn_with(repository: Repository, source: TextOf, quote: str) -> TextOf:
    """What a browser drew, where quoted words stand in that and not in a text; else the text."""
    if not quote.strip() or _holds(source.document, quote):
        return source
    drawn = names.drawn_text(repository.lookup.version(source.representation.pdi))
    if drawn is None or repository.lookup.restrictions([drawn]):
        return source
    other = names.text_of(repository, drawn)
    return other if _holds(other.document, quote) else source


def _within(repository: Repository, source: TextOf, quote: str) -> Iterator[tuple[TextOf, str]]:
    """Yield the texts of pages within a document in which words stand, in their order."""
    aggregate = aggregate_of(repository, source.representation.pdi)
    if aggregate is None:
        return
    try:
        opened = mhtml.open(repository.contents.read(aggregate))
    except PermaciteError:  # it is not given out, or is none
        return
    with opened:
        for part in inner.pages_within(opened):
            try:
                text = inner.text_within(part)
            except PermaciteError:  # it cannot be decoded
                continue
            if _holds(text, quote):
                yield TextOf(aggregate, text), part.path


def _holds(text: DocumentText, quote: str) -> bool:
    return next(iter(quotes.occurrences(text.text, quote)), None) is not None


def fragment_of(aggregate: Representation, path: str, start: int, end: int) -> pdi.FragmentPDI:
    """The name of characters of the text of a body part."""
    numbers = path.replace(".", ",")
    return aggregate.pdi.fragment("part", f"({numbers})" if "." in path else numbers, start, end)
