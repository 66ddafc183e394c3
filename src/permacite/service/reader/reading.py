"""What stands around a document in the reader: the cited words, their citations, the versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import NotFoundError
from permacite.service import names
from permacite.service.citations import citing, recorded
from permacite.service.model import Passage, Reading, TextPage, TextPiece
from permacite.service.reader import marking
from permacite.service.resolution import records

if TYPE_CHECKING:
    from permacite import pdi
    from permacite.archive import Repository, Version
    from permacite.service.reader.marking import Marked

__all__ = ["read", "split", "text_source"]


def read(archive: Repository, reference: str, *, text: bool, text_fragment: str | None) -> Reading:
    """Return what stands around a document in the reader."""
    name, fragment = names.document_of(reference)
    version, answer = archive.answering(name)
    archive.check_access(answer)  # what is restricted is not shown
    citations = recorded.all_cited(archive, archive.citations(version.pdi))
    exact = str(answer.pdi) + (f"#{fragment.specifier}" if fragment else "")
    source = text_source(archive, version)
    history = records.history(archive, version.pdi)
    marked = marking.by_fragment(archive, fragment)
    if text_fragment is not None and source is not None:
        marked = marking.by_text_fragment(source, text_fragment)
    return Reading(
        reference=exact,
        pdi=str(answer.pdi),
        fragment=fragment.specifier if fragment else None,
        text_fragment=text_fragment,
        trouble=marked.trouble,
        document=records.document(archive, version),
        versions=tuple(one.number for one in history),
        history=history,
        citations=citations,
        passage=_passage(archive, fragment, source, marked),
        cited=next((item for item in citations if item.reference == exact), None),
        text_pdi=str(source.representation.pdi) if source else None,
        text=split(source.document.text, marked) if source and (text or marked.caret) else None,
    )


def text_source(archive: Repository, version: Version) -> names.TextOf | None:
    """Return the document's text, of which what is read is checked; None where it has none."""
    try:
        representation = names.text_representation(archive, version.pdi)
        return names.text_of(archive, representation, whole=False)
    except NotFoundError:
        return None


def _passage(
    archive: Repository,
    fragment: pdi.FragmentPDI | None,
    source: names.TextOf | None,
    marked: Marked,
) -> Passage | None:
    """Return the (first) marked words. Raises NotFoundError where a PDI's fragment names nothing.

    What is committed never shrinks, so a PDI's fragment beyond the end names nothing.
    """
    if marked.spans and source is not None:
        start, end = marked.spans[0]
        if end > source.document.length:
            problem = f"the text ends at {source.document.length}"
            raise NotFoundError(problem, str(fragment))
        return citing.passage(source, start, end)
    if fragment is None or marked.trouble:
        return None
    representation = archive.representation(fragment.pdi)
    excerpt = archive.excerpt(representation, fragment.specifier)
    return Passage(0, 0, 0, excerpt.text, "", "") if excerpt.text else None


def split(text: str, marked: Marked) -> TextPage:
    """Return the text in pieces, marked and not, with line ends as a browser shows them."""
    pieces = []
    place = 0
    for start, end in marked.spans:
        pieces += [
            TextPiece(text[place:start], marked=False),
            TextPiece(text[start:end], marked=True),
        ]
        place = end
    pieces.append(TextPiece(text[place:], marked=False))
    shown = (TextPiece(piece.text.replace("\r\n", "\n"), piece.marked) for piece in pieces)
    return TextPage(tuple(shown))
