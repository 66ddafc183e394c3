"""What stands beside the text of a document: its labels, and the record of how it was made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.cache import Cache
from permacite.errors import ParseError, RestrictedError
from permacite.renditions.stored import LABELS, RECORD, Record, read_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.archive import Repository, Representation
    from permacite.renditions import Label

__all__ = ["labels_of", "record_of"]

_LABEL_BYTES = 200
_KEPT: Cache[Sequence[Label]] = Cache(16 << 20, lambda labels: _LABEL_BYTES * (1 + len(labels)))


def labels_of(repository: Repository, representation: Representation) -> Sequence[Label]:
    """The labels of a text, in their order; none where it has none.

    Raises RestrictedError, IntegrityError where they are altered.
    """
    if representation.derived_from is None:
        return ()
    digest = repository.sidecar_digest(representation, LABELS)
    if digest is None:
        return ()
    kept = _KEPT.get(digest)
    if kept is None:
        kept = read_labels(repository.octets(digest))
        _KEPT.put(kept, digest)
    return kept


def record_of(repository: Repository, representation: Representation) -> Record | None:
    """How a text was made; None where that is not on record, as of pages and captions."""
    if representation.derived_from is None:
        return None
    try:
        content = repository.sidecar(representation, RECORD)
        return None if content is None else Record.from_bytes(content)
    except (ParseError, RestrictedError):
        return None  # of a form that is not known yet, or not given out
