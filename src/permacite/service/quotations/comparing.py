"""Compare what a document quotes with what stands at its source, and find who quotes a passage.

PDI draft:
  §3.5 citations                       -> `quotes`: A@origin=B, compared letter by letter
  §3.5.1 references to the citation    -> `quoters`: who quotes a passage, or overlaps it

Readings: words agree exactly, or but for white space, or the document leaves them to whoever shows
it (transclusion by reference); anything else differs, and both texts are shown (pdi-47).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite import pdi
from permacite.archive.names import as_urn
from permacite.errors import NotFoundError, ParseError, PermaciteError
from permacite.markup import PAGES, Document
from permacite.service import names
from permacite.service.citations.recorded import resolver
from permacite.service.model import Quotation
from permacite.service.quotations import finding
from permacite.service.quotations.overlapping import Overlaps
from permacite.service.quotations.recording import MOST
from permacite.service.resolution.resolving import resolve

if TYPE_CHECKING:
    from permacite.archive import Repository, Representation, Version
    from permacite.service.quotations.recording import Quotations
    from permacite.text.document import DocumentText

__all__ = ["quoters", "quotes"]

_HIDDEN = frozenset({"withdrawn", "erased", "closed"})
"""What becomes of quotations whose source is not given out: their words are not repeated."""


def quotes(archive: Repository, reference: str, known: Quotations | None = None) -> list[Quotation]:
    """Return what the version that `reference` names quotes, in order, and whether it agrees.

    `known`: what its formats quote, where they were just read.
    Raises NotFoundError, RestrictedError.
    """
    name, _ = names.document_of(reference)
    version, _ = archive.answering(name)
    recorded = {(one.origin, as_urn(one.cited)): one for one in archive.quotations(version.pdi)}
    sources = _Sources(archive)
    answers = []
    for composite, found in _found(archive, version, known):
        for one in found[:MOST]:
            answers.append(_compared(sources, version, composite, one))
            key = (str(one.start), recorded_name(one.reference))
            recorded.pop(key, None)
    answers += [_other(archive, sources, version, one) for one in recorded.values()]
    return answers


def _found(
    archive: Repository, version: Version, known: Quotations | None
) -> list[tuple[Representation, list[finding.Found]]]:
    """Return each format that quotes, with its quotations."""
    restricted = archive.restrictions(version.representations)
    # Of a page that is withdrawn, what was recorded when it was committed is known all the same.
    formats = [one for one in version.representations if one.pdi not in restricted]
    if not formats:
        archive.check_access(version.representations[0])  # nothing is given out: the error says why
    pages = [one for one in formats if one.media_type in PAGES][:1]
    texts = [one for one in formats if one.derived_from is not None][:1]
    drafts = [one for one in formats if one.media_type in finding.MARKDOWN]
    return [
        (composite, _read(archive, quoting) if known is None else known.get(quoting.media_type, []))
        for quoting, composite in (
            *zip(pages, texts, strict=False),
            *zip(drafts, drafts, strict=True),
        )
    ]


def _read(archive: Repository, quoting: Representation) -> list[finding.Found]:
    return finding.in_document(Document.of(archive.text(quoting), quoting.media_type))


def recorded_name(reference: str) -> str:
    """Return a name in the form in which it is recorded; as it is where it is no name."""
    try:
        return as_urn(finding.cited_name(reference))
    except ParseError:
        return reference


def _compared(
    sources: _Sources, version: Version, composite: Representation, found: finding.Found
) -> Quotation:
    """Return one quotation, compared with its source."""
    cited = recorded_name(found.reference)
    citation = None
    problem = ""
    words = None
    try:
        finding.cited_name(found.reference)
        citation = f"{composite.pdi}@{found.start}={cited.removeprefix('urn:')}"
        words = sources.words(cited)
        status = _status(found.words, words)
    except ParseError as error:
        status, problem = "invalid", error.problem
    except PermaciteError as error:
        status, problem = _state(error), error.problem
    return Quotation(
        citation=citation,
        composite=str(composite.pdi),
        title=version.title,
        start=found.start,
        end=found.end,
        url=sources.address(composite, found.start, found.end),
        cited=cited,
        status=status,
        words="" if status in _HIDDEN else found.words,
        cited_words=words,
        problem=problem,
    )


def _state(error: PermaciteError) -> str:
    """Return the word for words that cannot be read."""
    return "unknown" if error.code == NotFoundError.code else error.code


def _status(here: str, there: str | None) -> str:
    """Say how the words of a quotation agree with those of its source."""
    if not here.strip():
        return "reference"
    if there is None:
        return "unchecked"
    if here == there:
        return "exact"
    return "space" if here.split() == there.split() else "differs"


def _other(
    archive: Repository, sources: _Sources, version: Version, one: pdi.CitationPDI
) -> Quotation:
    """Return a quotation that was recorded by whoever committed the document."""
    composite = archive.representation(one.pdi)
    cited = as_urn(one.cited)
    words, problem = None, ""
    try:
        words = sources.words(cited)
        status = archive.check_quotation(one)
    except PermaciteError as error:
        status, problem = _state(error), error.problem
    start = int(one.origin) if one.origin.isdecimal() else 0
    end = start + (len(words) if words is not None and status == "exact" else 0)
    here = ""
    if composite.media_type.startswith("text/") and status not in _HIDDEN:
        size = len(words or "")
        here = archive.text(composite).words(start, start + size)
    return Quotation(
        citation=str(one),
        composite=str(composite.pdi),
        title=version.title,
        start=start,
        end=end,
        url=sources.address(composite, start, end),
        cited=cited,
        status=status,
        words=here,
        cited_words=words,
        problem=problem,
    )


class _Sources:
    """The words of names; each text is opened once, and what is read of it is checked."""

    def __init__(self, archive: Repository) -> None:
        self._archive = archive
        self._texts: dict[str, DocumentText] = {}
        self._resolver = resolver(archive)

    def words(self, cited: str) -> str | None:
        """Return the text of what a name means; None where it is no text. Raises NotFoundError."""
        name, fragment = names.document_of(cited)
        representation = self._archive.representation(name)
        if not representation.media_type.startswith("text/"):
            return None
        if fragment is not None and fragment.scheme != "char":
            return resolve(self._archive, cited, context=0).text
        if fragment is None:
            return self._archive.text(representation).text
        key = str(representation.pdi)
        if key not in self._texts:
            self._texts[key] = self._archive.text(representation, whole=False)
        source = self._texts[key]
        start, end = (int(position) for position in fragment.positions)
        if end > source.length:
            raise NotFoundError(f"the text ends at {source.length}", cited)
        return source.words(start, end)

    def address(self, composite: Representation, start: int, end: int) -> str:
        """Return where a reader sees a place in a document."""
        return f"{self._resolver}/{composite.pdi}?fragment=char={start},{end}"


def quoters(archive: Repository, reference: str) -> list[Quotation]:
    """Return who quotes what `reference` names, or a part of it, or more of it; oldest first.

    A name without a version stands for all versions. Raises NotFoundError where it is unknown.
    """
    name, fragment = names.document_of(reference)
    version, _ = archive.answering(name)
    known: dict[str, list[Quotation] | PermaciteError] = {}
    overlaps = Overlaps(archive)
    answers = []
    for citation in archive.quoters(version.pdi.document):
        # Who quotes a quotation quotes the document that holds it (PDI §3.5.1).
        cited = citation.cited
        cited = cited.pdi if isinstance(cited, pdi.CitationPDI) else cited
        if not _touches(overlaps, name, fragment, cited):
            continue
        composite = str(citation.pdi)
        if composite not in known:
            known[composite] = _quotes_of(archive, composite)
        found = known[composite]
        if isinstance(found, PermaciteError):
            answers.append(_untold(archive, citation, found))
        else:
            answers += [one for one in found if one.citation == str(citation)]
    return answers


def _quotes_of(archive: Repository, composite: str) -> list[Quotation] | PermaciteError:
    """Return what a document quotes, or why that cannot be told: it was withdrawn, say."""
    try:
        return quotes(archive, composite)
    except PermaciteError as error:
        return error


def _untold(archive: Repository, citation: pdi.CitationPDI, error: PermaciteError) -> Quotation:
    """Return a quotation on record in a document whose words are not to be had."""
    start = int(citation.origin) if citation.origin.isdecimal() else 0
    composite = archive.representation(citation.pdi)
    return Quotation(
        citation=str(citation),
        composite=str(composite.pdi),
        title=archive.version(composite.pdi).title,
        start=start,
        end=start,
        url=_Sources(archive).address(composite, start, start),
        cited=as_urn(citation.cited),
        status=error.code,
        words="",
        cited_words=None,
        problem=error.problem,
    )


def _touches(
    overlaps: Overlaps,
    name: pdi.PDI,
    fragment: pdi.FragmentPDI | None,
    cited: pdi.PDI | pdi.FragmentPDI,
) -> bool:
    """Say whether what is cited shares anything with what was asked for."""
    whole = cited if isinstance(cited, pdi.PDI) else cited.pdi
    if name.version not in {None, whole.version}:
        return False
    if fragment is None or isinstance(cited, pdi.PDI):
        return True
    return overlaps.touch(fragment, cited)
