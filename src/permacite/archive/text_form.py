"""The canonical text of a representation: CRLF line endings, in UTF-8 (PDI §3.4.1)."""

from __future__ import annotations

import re

from permacite.archive.objects import digest_of

__all__ = ["canonical_digest"]

_LINE_ENDING = re.compile(r"\r\n|\r|\n")


def canonical_digest(content: bytes, media_type: str, charset: str | None) -> str | None:
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
