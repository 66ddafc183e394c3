"""Erase a document or a version of it: octets, words and traces; its name alone is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive import ERASURE_GROUNDS
from permacite.archive.names import as_urn
from permacite.errors import ConflictError
from permacite.service import names
from permacite.service.promises_model import Erased

if TYPE_CHECKING:
    from permacite.archive import Repository

__all__ = ["ERASURE_GROUNDS", "erase"]


def erase(archive: Repository, reference: str, *, ground: str) -> Erased:
    """Erase what `reference` names: a document, or with format and version that version whole.

    All formats of a version go together, as they say the same. Raises NotFoundError, ConflictError
    for a part of a document, ParseError for a ground that is not on the list.
    """
    name, fragment = names.document_of(reference)
    if fragment is not None or (name.format is None) != (name.version is None):
        raise ConflictError(
            "erase a whole document, or one version of it by the full name of a format",
            reference,
            hint=f"such as {name.document}",
        )
    if name.format is not None:
        archive.representation(name)  # a format that is not there is a slip
    quoting = dict.fromkeys(as_urn(one.pdi) for one in archive.quoters(name))
    made = archive.erase(name, ground=ground)
    return Erased(
        pdi=as_urn(name.document),
        version=made.erasure.number,
        ground=made.erasure.ground,
        erased_at=made.erasure.erased_at,
        shared=made.shared,
        done=made.is_done,
        quoted_by=tuple(quoting),
    )
