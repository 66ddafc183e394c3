"""Resolve a reference to exactly its part, and verify that what is stored is what was committed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from permacite.errors import NotFoundError, PermaciteError, StorageError
from permacite.extract import extract_from
from permacite.service import names
from permacite.service.assertions.delegating import with_directions
from permacite.service.model import Finding, Resolved

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite import pdi
    from permacite.archive import Repository, Representation

__all__ = ["resolve", "verify"]

_BEYOND = "the fragment reaches beyond the end of the document; what is committed never shrinks"


def resolve(
    archive: Repository, reference: str, *, context: int = 0, whole: bool = True
) -> Resolved:
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


def _whole(archive: Repository, representation: Representation) -> _Cut:
    """Return all of a document."""
    content, text = archive.read(representation), None
    if representation.media_type.startswith("text/"):
        text = archive.text(representation).text
    return _Cut(content, representation.media_type, representation.charset, text)


def _part(
    archive: Repository,
    representation: Representation,
    fragment: pdi.FragmentPDI,
    *,
    context: int,
    whole: bool,
) -> _Cut:
    """Cut a fragment out, by the index of a text where there is one."""
    if fragment.scheme != "char":
        excerpt = archive.excerpt(representation, fragment.specifier)
        if excerpt.clipped:
            raise NotFoundError(_BEYOND, str(fragment))
        charset = None if excerpt.text is None else "utf-8"
        return _Cut(excerpt.data, excerpt.media_type, charset, excerpt.text)
    text = archive.text(representation, whole=whole)
    excerpt = extract_from(text, representation.media_type, fragment)
    if excerpt.clipped:
        raise _beyond(fragment, text.length)
    start, end = (int(position) for position in fragment.positions)
    before, after = text.words(max(0, start - context), start), text.words(end, end + context)
    checked: Literal["whole", "pieces"] = "whole" if whole or text.index is None else "pieces"
    return _Cut(
        excerpt.data,
        excerpt.media_type,
        "utf-8",
        excerpt.text,
        (start, end),
        before if context else "",
        after if context else "",
        checked,
    )


def _beyond(fragment: pdi.FragmentPDI, length: int) -> NotFoundError:
    """Return the error of characters that are not all there."""
    meant = fragment.pdi.fragment("char", int(fragment.positions[0]), length)
    hint = f"the text has {length} characters"
    return NotFoundError(_BEYOND, str(fragment), candidates=(str(meant),), hint=hint)


def verify(archive: Repository, reference: str | None) -> Iterator[Finding]:
    """Recompute the digests of what is stored, and the words of what is cited."""
    name = fragment = None
    if reference is not None:
        name, fragment = names.document_of(reference)
        archive.representation(name)  # an unknown name is an error, not an empty answer
        if fragment is not None:
            yield _resolves(archive, str(fragment))
    for finding in archive.verify(name):
        yield Finding(finding.pdi, finding.kind, finding.detail)
    try:
        citations = archive.citations(name)
    except StorageError as error:
        yield Finding("catalog", "catalog", error.problem)
        return
    for citation in citations:
        if fragment is None or citation.fragment == str(fragment):
            checked = archive.check_citation(citation)
            yield Finding(checked.pdi, checked.kind, checked.detail)


def _resolves(archive: Repository, fragment: str) -> Finding:
    """Say whether a fragment names anything."""
    try:
        resolve(archive, fragment)
    except PermaciteError as error:
        return Finding(fragment, error.code, error.problem)
    return Finding(fragment, "ok")
