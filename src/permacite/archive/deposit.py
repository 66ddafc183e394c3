"""From representations that are handed in to octets on the disk and what is recorded of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from permacite import pdi as grammar
from permacite.archive import names
from permacite.archive.catalog import StoredFormat
from permacite.archive.objects import Objects, digest_of
from permacite.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from permacite.archive.model import NewRepresentation

__all__ = ["deposit"]

_LINE_ENDING = re.compile(r"\r\n|\r|\n")


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
        canonical_digest=_canonical_digest(new.content, new.media_type.lower(), new.charset),
        received_digest=None if new.received is None else objects.put(new.received),
        derived_from=new.derived_from,
        rendition=new.rendition,
        attachments=_put_all(objects, new.attachment),
    )


def _put_all(objects: Objects, attachment: Mapping[str, bytes]) -> tuple[tuple[str, str], ...]:
    """Keep side objects and return their names and digests."""
    return tuple((name, objects.put(attachment[name])) for name in sorted(attachment))


def _canonical_digest(content: bytes, media_type: str, charset: str | None) -> str | None:
    """Return the digest of the text that positions count; None for what is no readable text.

    A byte order mark is no part of the text. Without a charset the octets are read as UTF-8.
    """
    if not media_type.startswith("text/"):
        return None
    try:
        text = content.decode(charset or "utf-8").removeprefix("\ufeff")
    except (LookupError, ValueError):
        return None
    return digest_of(_LINE_ENDING.sub("\r\n", text).encode("utf-8", "surrogatepass"))
