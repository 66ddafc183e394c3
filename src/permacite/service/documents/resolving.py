"""Resolve a reference to exactly its part, and verify that what is stored is what was committed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import NotFoundError, PermaciteError
from permacite.extract import extract
from permacite.service import names
from permacite.service.model import Finding, Resolved
from permacite.service.promises.delegating import with_directions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite import pdi
    from permacite.archive import Archive, Representation
    from permacite.extract import Excerpt

__all__ = ["resolve", "verify"]


def resolve(archive: Archive, reference: str, *, context: int) -> Resolved:
    """Return the part that `reference` names. Raises IntegrityError where the bytes changed."""
    name, fragment = names.document_of(reference)
    try:
        representation = archive.representation(name)
    except NotFoundError as error:
        raise with_directions(archive, reference, error) from error
    content = archive.read(representation)
    if fragment is None:
        part, text, span = content, _whole_text(representation, content), None
        media_type, charset = representation.media_type, representation.charset
    else:
        excerpt = _cut(representation, content, fragment)
        part, text, span = excerpt.data, excerpt.text, _span(fragment)
        media_type, charset = excerpt.media_type, "utf-8" if text is not None else None
    before = after = ""
    if context and span is not None:
        whole = names.canonical_text(content, representation.charset)
        before = whole[max(0, span[0] - context) : span[0]]
        after = whole[span[1] : span[1] + context]
    version = archive.version(representation.pdi)
    provenance = version.provenance
    return Resolved(
        reference=reference,
        pdi=str(representation.pdi),
        exact=str(representation.pdi) + (f"#{fragment.specifier}" if fragment else ""),
        media_type=media_type,
        charset=charset,
        text=text,
        before=before,
        after=after,
        start=span[0] if span else None,
        end=span[1] if span else None,
        digest=representation.digest,
        title=version.title,
        uri=provenance.final_uri or provenance.uri,
        assumed=name.version is None or name.format != representation.format,
        content=part,
    )


def _whole_text(representation: Representation, content: bytes) -> str | None:
    if representation.charset is None or not representation.media_type.startswith("text/"):
        return None
    return names.canonical_text(content, representation.charset)


def _cut(representation: Representation, content: bytes, fragment: pdi.FragmentPDI) -> Excerpt:
    """Cut a fragment out. A part that is not wholly there is not there (PDI: nothing shrinks)."""
    excerpt = extract(
        content, representation.media_type, fragment.specifier, charset=representation.charset
    )
    if excerpt.clipped:
        raise NotFoundError(
            "the fragment reaches beyond the end of the document; what is committed never shrinks",
            str(fragment),
        )
    return excerpt


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
        resolve(archive, fragment, context=0)
    except PermaciteError as error:
        return Finding(fragment, error.code, error.problem)
    return Finding(fragment, "ok")


def _citation_finding(archive: Archive, fragment: str, quote: str) -> Finding:
    try:
        found = resolve(archive, fragment, context=0)
    except PermaciteError as error:
        return Finding(fragment, error.code, error.problem)
    if (found.text or "") != quote:
        return Finding(fragment, "altered", "the words are not those recorded when it was cited")
    return Finding(fragment, "ok")
