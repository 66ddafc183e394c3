"""Documents put under a name: the next version of a document, or a new name in a series.

Readings (PDI §3.8.2): a document that is put under the name of one format replaces all formats,
since a version belongs to the document (PDI §2.6). A series that does not mint here gives no name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite import pdi
from permacite.archive.gate import of_all
from permacite.archive.model.answered import Provenance
from permacite.errors import ConflictError, NotFoundError
from permacite.scan import compile_pattern
from permacite.service import names
from permacite.service.ingest.incoming import understood
from permacite.service.ingest.saved import SaveReports
from permacite.service.quotations.recording import check_quotations
from permacite.service.sources import Incoming

if TYPE_CHECKING:
    from permacite.archive.repository import Repository
    from permacite.service.ingest.incoming import NewDocument
    from permacite.service.ingest.saved import Saved

__all__ = ["Submissions"]

_SERIES = compile_pattern(r"(?i)(?:urn:)?pdi://([^/]+)/?")


class Submissions:
    """Documents that are put under names, over HTTP."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._reports = SaveReports(repository)

    def put(
        self,
        reference: str,
        content: bytes,
        content_type: str,
        *,
        key: str | None = None,
        misquoted: bool = False,
    ) -> Saved:
        """Make the next version of a document, or mint a name in a series (`pdi://series/`).

        The same idempotency `key` again gives the first answer. A document that misquotes is
        refused unless it is `misquoted` on purpose. Raises NotFoundError for an unknown name,
        ConflictError for a series that does not mint here, for a part of a document, and for a
        format that the document is not put in.
        """
        repository = self._repository
        series = _SERIES.fullmatch(reference)
        replaces = None if series is not None else _known(repository, reference)
        if series is not None and series[1].lower() not in repository.settings.series_names():
            raise ConflictError(f"{series[1]} does not mint here", reference)
        document = understood(Incoming.of_field(content, content_type))
        if not (misquoted or document.is_aggregate):
            check_quotations(self._repository, document.quotations)
        if replaces is not None and replaces.format is not None:
            _check_format(replaces, document)
        version = repository.committer.commit(
            document.representations,
            series=None if series is None else series[1],
            replaces=replaces,
            provenance=Provenance(
                title=document.title,
                uri=document.uri,
                retrieved_at=document.claimed_at,
                details=document.details,
            ),
            key=key,
        )
        return self._reports.of(
            version, document.quotations, parts=document.parts, size_bytes=len(content)
        )

    def answers_for(self, reference: str) -> bool:
        """Whether this archive would know a name: its series mints here, or the name is here."""
        series = _SERIES.match(reference)
        if series is not None and series[1].lower() in self._repository.settings.series_names():
            return True
        try:
            self._repository.lookup.version(names.document_of(reference)[0])
        except NotFoundError:
            return False
        return True


def _known(repository: Repository, reference: str) -> pdi.PDI:
    """The name of a document that is here and open.

    Raises NotFoundError, ConflictError, RestrictedError.
    """
    name, fragment = names.document_of(reference)
    if fragment is not None:
        raise ConflictError("a part of a document cannot be changed by itself", reference)
    version = repository.lookup.version(name.document)
    restriction = of_all(version, repository.lookup.restrictions(version.representations))
    if restriction is not None and restriction.kind == "closed":
        # This raises the error that says why it is not open.
        repository.contents.check_access(version.representations[0])
    return name


def _check_format(replaces: pdi.PDI, document: NewDocument) -> None:
    """Raise ConflictError where a document is put under the name of a type it does not have.

    Text is text in any charset, though the charset may decide the format (PDI §3.4.1).
    """
    types = [item.media_type for item in document.representations]
    if pdi.media_type_for(replaces.format or "") not in types:
        raise ConflictError(
            f"the name is of the format {replaces.format}, the document is {', '.join(types)}",
            str(replaces),
        )
