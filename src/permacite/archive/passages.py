"""Citations of passages, and quotations between documents: recorded, found and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite import pdi as grammar
from permacite.archive.model.answered import Finding
from permacite.archive.records import citations
from permacite.errors import NotFoundError, PermaciteError
from permacite.pdi import PDI, CitationPDI, FragmentPDI
from permacite.pdi.quotation import agreement_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.archive.gate import Gate
    from permacite.archive.lookup import DocumentContents, VersionLookup
    from permacite.archive.model.answered import Citation
    from permacite.archive.model.submitted import NewCitation
    from permacite.archive.parts import ArchiveParts

__all__ = ["CitedPassages"]

_MAX_DIGITS = 18


class CitedPassages:
    """Citations of passages of one archive, and quotations, as an audience sees them."""

    def __init__(
        self, parts: ArchiveParts, gate: Gate, lookup: VersionLookup, contents: DocumentContents
    ) -> None:
        self._catalog = parts.catalog
        self._gate = gate
        self._lookup = lookup
        self._contents = contents

    def citations(self, pdi: PDI | None = None) -> Sequence[Citation]:
        """Return the citations of what `pdi` names (all where None), oldest first."""
        return self._gate.citations(self._catalog.read(citations.citations, pdi))

    def record(self, citation: NewCitation) -> Citation:
        """Record a citation once; the same again, at whatever time, gives the first record.

        Raises NotFoundError where what it cites is not committed here.
        """
        return self._catalog.write(citations.record, citation)

    def check_citation(self, citation: Citation) -> Finding:
        """Say whether the words that were recorded stand where the citation says.

        Octets are not recomputed: `verify` does that.
        """
        specifier = citation.fragment.partition("#")[2]
        try:
            representation = self._lookup.representation(citation.pdi)
            excerpt = self._contents.excerpt(representation, specifier, whole=False)
        except PermaciteError as error:
            return Finding(citation.fragment, error.code, error.problem)
        words = excerpt.text or ""
        if excerpt.clipped:
            return Finding(citation.fragment, NotFoundError.code, "it reaches beyond the end")
        if words == citation.quote:
            return Finding(citation.fragment, "ok")
        detail = f"there stands {words!r}, on record is {citation.quote!r}"
        return Finding(citation.fragment, "quote", detail)

    def quotations(self, pdi: PDI) -> Sequence[CitationPDI]:
        """Each quotation in the document, version or format `pdi`, as A@origin=B (PDI §3.5)."""
        quotations = [_citation(*row) for row in self._catalog.read(citations.quotations, pdi)]
        return self._gate.citations(quotations)

    def quoters(self, pdi: PDI) -> Sequence[CitationPDI]:
        """Who quotes the document, version or format `pdi`, as A@origin=B, oldest first."""
        quotations = [_citation(*row) for row in self._catalog.read(citations.quoters, pdi)]
        return self._gate.citations(
            [quotation for quotation in quotations if _is_of(quotation.cited, pdi)]
        )

    def check_quotation(self, citation: CitationPDI) -> str:
        """Say whether a composite document shows, at the origin, what its citation cites.

        Answers "exact", "space" (only white space differs), "reference" (it refers to the name,
        and whoever shows it puts the words in), "differs", or "unchecked" (no text to compare).
        Both documents must be here: raises NotFoundError.
        """
        composite = self._text(citation.pdi)
        quoted = self._text(citation.cited)
        if quoted is None or composite is None or not citation.origin.isdecimal():
            return "unchecked"
        start = int(citation.origin) if len(citation.origin) <= _MAX_DIGITS else len(composite)
        answer = agreement_at(composite, start, quoted)
        if answer != "differs":
            return answer
        name = citation.cited.canonical().removeprefix("urn:")
        return "reference" if name in composite else "differs"

    def _text(self, name: PDI | FragmentPDI | CitationPDI) -> str | None:
        """Return the text of a document or of a part of it; None where it is no text."""
        if isinstance(name, CitationPDI):
            return self._text(name.cited)
        representation = self._lookup.representation(name if isinstance(name, PDI) else name.pdi)
        if not representation.media_type.startswith("text/"):
            return None
        if isinstance(name, PDI):
            return self._contents.text(representation).text
        return self._contents.excerpt(representation, name.specifier).text


def _citation(composite: PDI, origin: str, cited: str) -> CitationPDI:
    """Return the citation object A@origin=B."""
    citation = grammar.parse(f"{composite}@{origin}={cited.removeprefix('urn:')}")
    assert isinstance(citation, CitationPDI)  # noqa: S101 - it was checked when it was committed
    return citation


def _is_of(cited: PDI | FragmentPDI | CitationPDI, pdi: PDI) -> bool:
    """Say whether what is cited is of the version and format that `pdi` names, if it does."""
    name = cited if isinstance(cited, PDI) else cited.pdi
    return pdi.format in {None, name.format} and pdi.version in {None, name.version}
