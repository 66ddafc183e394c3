"""Result of a save: the document, what could not be had, what it quotes, and its warnings."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING, Any

from permacite.lazy_dataclass import dataclass
from permacite.service import documents
from permacite.service.citations.ways import citable
from permacite.service.ingest import drawn
from permacite.service.ingest.directives import asked_in
from permacite.service.labels import record_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from permacite.archive.model.answered import Version
    from permacite.archive.repository import Repository
    from permacite.capture.model import Failure
    from permacite.service.citations.ways import Citable
    from permacite.service.documents import Document
    from permacite.service.quotations.comparing import Quotation, Quotations
    from permacite.service.quotations.recording import QuotationsByType

__all__ = ["LostResource", "SaveReports", "Saved", "lost_resources", "warnings_of"]

_REVIEWED = "; with --reviewed they stand in the text"


@dataclass(frozen=True, slots=True)
class LostResource:
    """Something the page refers to that is not in the aggregate, and why."""

    uri: str
    reason: str
    problem: str


@dataclass(frozen=True, slots=True)
class Saved:
    """What was committed."""

    pdi: str
    """The full name that people would cite: format and version included."""
    document: Document
    parts: int
    """Body parts of the aggregate; 1 for a document that is saved as it is."""
    size_bytes: int
    """Bytes of the received parts, before the aggregate encodes them."""
    lost: tuple[LostResource, ...] = ()
    """What the page refers to and could not be had."""
    left_out: tuple[LostResource, ...] = ()
    """What the page refers to and is not saved on purpose: scripts."""
    inline_scripts: int = 0
    """How many scripts stand in the page itself: they are kept with it, and are not run."""
    thin: bool = False
    """Whether it has scripts and next to no text: they would draw it, and are not run."""
    unchanged: bool = False
    """Whether the same bytes were saved before, so that no new name was minted."""
    quotations: tuple[Quotation, ...] = ()
    """What it quotes by permanent names, each compared with its source."""
    warnings: tuple[str, ...] = ()
    """What may be wrong with it: a charset that was guessed, an aggregate that is cut off; why
    there are no words in it, or what must be known of them."""
    citable: tuple[Citable, ...] = ()
    """What of it can be cited, and how."""


def warnings_of(repository: Repository, version: Version) -> Iterator[str]:
    """What may be wrong with a version, from what is on record of it."""
    details: Mapping[str, Any] = version.provenance.details
    for token, settled in details.get("charsets", {}).items():
        label, by = settled.get("label"), settled.get("settled_by")
        if by == "fallback":
            fault = "nothing says its charset" if label is None else f"{label!r} is no charset"
            codec = version.representation(token).charset
            yield f"{token}: {fault}, and it is no UTF-8; it is read as {codec}"
    yield from drawn.warnings(details)
    asked = asked_in(details)
    if asked:
        yield f"the page asks of robots: {', '.join(asked)}"
    if details.get("with_credentials"):
        yield "seen with an account: others may see another page at this address"
    for problem in details.get("defects", ()):
        yield f"{problem}: it may have been cut off"
    trouble = details.get("no_words")
    if trouble is not None:
        yield f"{trouble['format']}: {trouble['text']}"
    for item in version.representations:
        record = record_of(repository, item)
        for notice in () if record is None else record.notices:
            hint = _REVIEWED if notice.code in {"tracked-changes", "comments"} else ""
            yield f"{item.format}: {notice.text}{hint}"


class SaveReports:
    """What is reported of versions that were committed."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    @cached_property
    def _quotations(self) -> Quotations:
        from permacite.service.quotations.comparing import Quotations

        return Quotations(self._repository)

    def of(
        self,
        version: Version,
        quotations: QuotationsByType | None,
        *,
        parts: int,
        size_bytes: int,
        unchanged: bool = False,
    ) -> Saved:
        """The report on a version. `unchanged`: the same bytes were committed before.

        `quotations` is what its formats quote; None: they quote nothing, nor do any that were
        added.
        """
        details: Mapping[str, Any] = version.provenance.details
        restricted = self._repository.lookup.restrictions(version.representations)
        main = self._repository.lookup.main(version, restricted)
        compared: Sequence[Quotation] = ()
        if quotations is not None and main.pdi not in restricted:
            compared = self._quotations.compare(str(main.pdi), quotations)
        return Saved(
            pdi=str(main.pdi),
            document=documents.document(version, restricted),
            parts=parts,
            size_bytes=size_bytes,
            quotations=tuple(compared),
            inline_scripts=details.get("inline_scripts", 0),
            thin="thin" in details,
            unchanged=unchanged,
            warnings=tuple(warnings_of(self._repository, version)),
            citable=citable(self._repository, version, restricted),
        )

    def with_recorded(self, saved: Saved, version: Version) -> Saved:
        """The same report with the quotations that are on record."""
        if not self._repository.passages.quotations(version.pdi):
            return saved
        return dataclasses.replace(saved, quotations=tuple(self._quotations.of(saved.pdi)))


def lost_resources(failures: Iterable[Failure]) -> tuple[LostResource, ...]:
    """What a page refers to and could not be had, as it is reported."""
    return tuple(LostResource(each.uri, each.reason, each.problem) for each in failures)
