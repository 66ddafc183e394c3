"""Put quotations on record when a composite document is committed: A@origin=B (PDI §3.5).

Readings: a draft by our own user that misquotes is refused before it gets a name that it can never
lose, since words and name are permanent once committed (PDI §2.1) and a slip is cheaper to mend
before. A page of somebody else (saved, in an aggregate, or with the address that it came from) is
archived as it is, and its quotations recorded as differing.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from permacite.archive.names import as_urn
from permacite.errors import IntegrityError, ParseError, PermaciteError
from permacite.pdi.quotation import agreement
from permacite.service.quotations import finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from permacite.archive.model.submitted import NewRepresentation
    from permacite.archive.repository import Repository
    from permacite.markup import Document
    from permacite.service.resolution.resolving import Resolver

    QuotationsByType: TypeAlias = Mapping[str, list[finding.FoundQuotation]]
    """What a document quotes, under its media type."""

__all__ = ["MOST", "QuotationsByType", "check_quotations", "quotations_in", "with_quotations"]

MOST = 500
"""How many quotations of one document are recorded and compared."""
_SHOWN = 3
_LONGEST = 400
_HINT = "mend it, or have the difference recorded: --misquoted, or ?misquoted over HTTP"


def quotations_in(document: Document) -> QuotationsByType:
    """What a page or a Markdown text quotes; nothing for any other document."""
    several = finding.in_document(document)
    return {document.media_type: several} if several else {}


def with_quotations(
    representations: Sequence[NewRepresentation], quotations: QuotationsByType
) -> list[NewRepresentation]:
    """The formats of a document, the one that quotes with what it quotes.

    A page's quotations stand in its text, a Markdown document's in itself. A quotation whose name
    is none, or lacks its version, is not recorded: `comparing` tells of it.
    """
    formats = list(representations)
    for several in quotations.values():
        # A page's text is derived from it, and comes behind it.
        number = next((i for i, item in enumerate(formats) if item.derived_from is not None), 0)
        formats[number] = _with(formats[number], several)
    return formats


def _with(
    representation: NewRepresentation, several: Iterable[finding.FoundQuotation]
) -> NewRepresentation:
    quotations = tuple(dict.fromkeys(_recordable(several)))
    return dataclasses.replace(representation, quotations=quotations)


def _recordable(several: Iterable[finding.FoundQuotation]) -> list[tuple[str, str]]:
    """Origin and name of what can be recorded."""
    pairs = []
    for quotation in list(several)[:MOST]:
        try:
            pairs.append((str(quotation.start), as_urn(finding.cited_name(quotation.reference))))
        except ParseError:
            continue
    return pairs


def check_quotations(repository: Repository, quotations: QuotationsByType) -> None:
    """Raise IntegrityError where a document quotes other words than stand at their names.

    `expected` and `actual` are the words there and here of the first such quotation; the problem
    shows more of them, side by side. A name that nothing here answers to, or that nothing can be
    quoted from, is no fault.
    """
    if not quotations:
        return
    from permacite.service.resolution.resolving import Resolver

    resolution = Resolver(repository)
    wrong = [
        (quotation, there)
        for several in quotations.values()
        for quotation, there in _differing(resolution, several[:MOST])
    ]
    if not wrong:
        return
    (first, words), count = wrong[0], len(wrong)
    what = "a quotation is not what its source says" if count == 1 else f"{count} quotations differ"
    lines = [f"{what}:", *(_side_by_side(quotation, there) for quotation, there in wrong[:_SHOWN])]
    lines.append(_HINT)
    raise IntegrityError("\n".join(lines), expected=words, actual=first.words)


def _differing(
    resolution: Resolver, several: list[finding.FoundQuotation]
) -> Iterator[tuple[finding.FoundQuotation, str]]:
    """The quotations whose words differ, each with those of its source."""
    words: dict[str, str | None] = {}
    for quotation in several:
        if quotation.reference not in words:
            words[quotation.reference] = _words(resolution, quotation.reference)
        there = words[quotation.reference]
        compared = there is not None and quotation.words.strip() != ""
        if compared and agreement(quotation.words, there or "") == "differs":
            yield quotation, there or ""


def _words(resolution: Resolver, reference: str) -> str | None:
    """The words of a name; None where there is nothing to compare with, which is no fault."""
    try:
        finding.cited_name(reference)
        return resolution.resolve(reference).text
    except PermaciteError:
        return None


def _side_by_side(quotation: finding.FoundQuotation, there: str) -> str:
    return f"{quotation.reference}\n  here:  {_line(quotation.words)}\n  there: {_line(there)}"


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."
