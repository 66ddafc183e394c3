"""Take documents over HTTP: mint a name in a series, or make the next version of one (PDI §3.8.2).

Readings: whoever puts a document to the name of one format gives all formats anew, since a version
belongs to the document (PDI §2.6). A series that does not mint here can be given no name at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite import pdi
from permacite.archive import Provenance, of_all
from permacite.errors import ConflictError, NotFoundError
from permacite.scan import compile_pattern
from permacite.service import names
from permacite.service.ingest import incoming
from permacite.service.ingest.saving import saved
from permacite.service.quotations.refusing import check_quotations

if TYPE_CHECKING:
    from permacite.archive import Repository
    from permacite.service.model import Saved

__all__ = ["answers_for", "put"]

_SERIES = compile_pattern(r"(?i)(?:urn:)?pdi://([^/]+)/?")


def put(
    archive: Repository,
    reference: str,
    content: bytes,
    content_type: str,
    *,
    key: str | None = None,
    misquoted: bool = False,
) -> Saved:
    """Commit a document under the next version of `reference`, or under a new name of a series.

    The same idempotency `key` again gives the first answer. A document that misquotes is refused
    (IntegrityError) unless it is `misquoted` on purpose. Raises NotFoundError for an unknown
    name, ConflictError for a series that does not mint here, for a part of a document, and for a
    format that the document is not put in.
    """
    series = _SERIES.fullmatch(reference)
    replaces = None if series is not None else _known(archive, reference)
    if series is not None and series[1].lower() not in archive.series_names():
        raise ConflictError(f"{series[1]} does not mint here", reference)
    found = incoming.understood(content, content_type)
    if not (misquoted or found.is_aggregate):
        check_quotations(archive, found.quotations)
    if replaces is not None and replaces.format is not None:
        _check_format(replaces, found)
    version = archive.commit(
        found.representations,
        series=None if series is None else series[1],
        replaces=replaces,
        provenance=Provenance(title=found.title, uri=found.uri, details=found.details),
        key=key,
    )
    return saved(archive, version, found.quotations, parts=found.parts, size_bytes=len(content))


def _known(archive: Repository, reference: str) -> pdi.PDI:
    """Return the name of a document that is here and open.

    Raises NotFoundError, ConflictError, RestrictedError.
    """
    name, fragment = names.document_of(reference)
    if fragment is not None:
        raise ConflictError("a part of a document cannot be changed by itself", reference)
    version = archive.version(name.document)
    restriction = of_all(version, archive.restrictions(version.representations))
    if restriction is not None and restriction.kind == "closed":
        archive.check_access(version.representations[0])  # raises what says why it is not open
    return name


def _check_format(replaces: pdi.PDI, found: incoming.Incoming) -> None:
    """Raise ConflictError where a document is put under the name of a type it does not have.

    Text is text in any charset, though the charset may decide the format (PDI §3.4.1).
    """
    types = [one.media_type for one in found.representations]
    if pdi.media_type_for(replaces.format or "") not in types:
        raise ConflictError(
            f"the name is of the format {replaces.format}, the document is {', '.join(types)}",
            str(replaces),
        )


def answers_for(archive: Repository, reference: str) -> bool:
    """Say whether this archive would know a name: its series mints here, or the name is here."""
    series = _SERIES.match(reference)
    if series is not None and series[1].lower() in archive.series_names():
        return True
    try:
        archive.version(names.document_of(reference)[0])
    except NotFoundError:
        return False
    return True
