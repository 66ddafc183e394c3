"""Resolve a reference to exactly its part, and verify that what is stored is what was committed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from permacite.errors import NotFoundError, PermaciteError
from permacite.extract import extract
from permacite.service import names
from permacite.service.documents.indexed import indexed
from permacite.service.model import Finding, Resolved
from permacite.service.promises.delegating import with_directions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite import pdi
    from permacite.archive import Archive, Representation
    from permacite.service.documents.indexed import PassageText

__all__ = ["resolve", "verify"]


def resolve(archive: Archive, reference: str, *, context: int = 0, whole: bool = True) -> Resolved:
    """Return the part that `reference` names. Raises IntegrityError where the bytes changed.

    Without `whole`, only the pieces of a large text that are read are checked, where they can be.
    """
    name, fragment = names.document_of(reference)
    try:
        version, representation = archive.answering(name)
    except NotFoundError as error:
        raise with_directions(archive, reference, error) from error
    if fragment is None:
        cut = _whole(archive, representation)
    else:
        cut = _part(archive, representation, fragment, context=context, whole=whole)
    provenance = version.provenance
    return Resolved(
        reference=reference,
        pdi=str(representation.pdi),
        exact=str(representation.pdi) + (f"#{fragment.specifier}" if fragment else ""),
        media_type=cut.media_type,
        charset=cut.charset,
        text=cut.text,
        before=cut.before,
        after=cut.after,
        start=cut.span[0] if cut.span else None,
        end=cut.span[1] if cut.span else None,
        digest=representation.digest,
        checked=cut.checked,
        title=version.title,
        uri=provenance.final_uri or provenance.uri,
        assumed=name.version is None or name.format != representation.format,
        content=cut.content,
    )


@dataclass(frozen=True, slots=True)
class _Cut:
    """What answers a reference, as in `Resolved`."""

    content: bytes
    media_type: str
    charset: str | None
    text: str | None
    span: tuple[int, int] | None = None
    before: str = ""
    after: str = ""
    checked: Literal["whole", "pieces"] = "whole"


def _whole(archive: Archive, representation: Representation) -> _Cut:
    """Return all of a document."""
    content = archive.read(representation)
    charset, text = representation.charset, None
    if charset is not None and representation.media_type.startswith("text/"):
        text = names.canonical_text(content, charset)
    return _Cut(content, representation.media_type, charset, text)


def _part(
    archive: Archive,
    representation: Representation,
    fragment: pdi.FragmentPDI,
    *,
    context: int,
    whole: bool,
) -> _Cut:
    """Cut a fragment out, by the index of a text where there is one."""
    source: PassageText | None = None
    found = indexed(archive, representation, whole=whole) if fragment.scheme == "char" else None
    checked: Literal["whole", "pieces"] = "whole" if whole or found is None else "pieces"
    if found is not None:
        source, excerpt = found, found.cut(fragment.specifier)
    else:
        content = archive.read(representation)
        charset = representation.charset
        excerpt = extract(content, representation.media_type, fragment.specifier, charset=charset)
        if context and fragment.scheme == "char":
            source = _text_of(archive, representation)
    if excerpt.clipped:
        raise _beyond(fragment, source or _text_of(archive, representation))
    span = _span(fragment)
    before = after = ""
    if context and span is not None and source is not None:
        first = max(0, span[0] - context)
        around = source.words(first, span[1] + context)
        before, after = around[: span[0] - first], around[span[1] - first :]
    charset = "utf-8" if excerpt.text is not None else None
    return _Cut(
        excerpt.data, excerpt.media_type, charset, excerpt.text, span, before, after, checked
    )


def _text_of(archive: Archive, representation: Representation) -> names.TextOf | None:
    """Return a text; None for what is none."""
    if not representation.media_type.startswith("text/"):
        return None
    return names.text_of(archive, representation)


def _beyond(fragment: pdi.FragmentPDI, source: PassageText | None) -> NotFoundError:
    """Return the error of a part that is not wholly there (PDI: nothing shrinks)."""
    problem = "the fragment reaches beyond the end of the document; what is committed never shrinks"
    if fragment.scheme != "char" or source is None:
        return NotFoundError(problem, str(fragment))
    meant = fragment.pdi.fragment("char", int(fragment.positions[0]), source.length)
    hint = f"the text has {source.length} characters"
    return NotFoundError(problem, str(fragment), candidates=(str(meant),), hint=hint)


def _span(fragment: pdi.FragmentPDI) -> tuple[int, int] | None:
    """Return the span of a `char` fragment in the canonical text."""
    if fragment.scheme != "char":
        return None
    return int(fragment.positions[0]), int(fragment.positions[1])


def verify(archive: Archive, reference: str | None) -> Iterator[Finding]:
    """Recompute the digests of what is stored, and the words of what is cited."""
    name = fragment = None
    if reference is not None:
        name, fragment = names.document_of(reference)
        archive.representation(name)  # an unknown name is an error, not an empty answer
        if fragment is not None:
            yield _resolves(archive, str(fragment))
    for finding in archive.verify(name):
        yield Finding(finding.pdi, finding.kind, finding.detail)
    for citation in archive.citations(name):
        if fragment is not None and citation.fragment != str(fragment):
            continue
        yield _citation_finding(archive, citation.fragment, citation.quote)


def _resolves(archive: Archive, fragment: str) -> Finding:
    """Say whether a fragment names anything."""
    try:
        resolve(archive, fragment)
    except PermaciteError as error:
        return Finding(fragment, error.code, error.problem)
    return Finding(fragment, "ok")


def _citation_finding(archive: Archive, fragment: str, quote: str) -> Finding:
    try:
        found = resolve(archive, fragment, whole=False)  # its digest was recomputed already
    except PermaciteError as error:
        return Finding(fragment, error.code, error.problem)
    if (found.text or "") != quote:
        return Finding(fragment, "altered", "the words are not those recorded when it was cited")
    return Finding(fragment, "ok")
