"""From representations that are handed in to octets on the disk and what is recorded of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite import pdi as grammar
from permacite.archive import names
from permacite.archive.catalog import StoredFormat
from permacite.archive.text_form import canonical_digest
from permacite.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from permacite.archive.model import NewRepresentation
    from permacite.archive.objects import Objects

__all__ = ["deposit"]


def deposit(
    objects: Objects, representations: Sequence[NewRepresentation]
) -> tuple[StoredFormat, ...]:
    """Put the octets of all formats. Raises ConflictError where a format stands twice."""
    tokens = [names.checked_format(_token(one)) for one in representations]
    for token in tokens:
        if tokens.count(token) > 1:
            raise ConflictError(f"the format {token} is given twice", token)
    return tuple(
        _put(objects, one, token) for one, token in zip(representations, tokens, strict=True)
    )


def _token(representation: NewRepresentation) -> str:
    """Return the format token: as given, or that of the media type (PDI §2.5, §3.4.1)."""
    if representation.format is not None:
        return representation.format
    if representation.charset is None:
        return grammar.token_for(representation.media_type)
    return grammar.token_for(f"{representation.media_type}; charset={representation.charset}")


def _put(objects: Objects, new: NewRepresentation, token: str) -> StoredFormat:
    """Keep the octets of one format and return what the catalog records of it."""
    return StoredFormat(
        format=token,
        media_type=new.media_type.lower(),
        charset=new.charset,
        size_bytes=len(new.content),
        digest=objects.put(new.content),
        canonical_digest=canonical_digest(new.content, new.media_type.lower(), new.charset),
        received_digest=None if new.received is None else objects.put(new.received),
        derived_from=new.derived_from,
        rendition=new.rendition,
        attachments=_put_all(objects, new.attachment),
    )


def _put_all(objects: Objects, attachment: Mapping[str, bytes]) -> tuple[tuple[str, str], ...]:
    """Keep side objects and return their names and digests."""
    return tuple((name, objects.put(attachment[name])) for name in sorted(attachment))
