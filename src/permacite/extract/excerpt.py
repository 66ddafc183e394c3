"""Excerpt: a part that was cut out of a document, and the checks that all media share."""

from __future__ import annotations

import hashlib
from typing import NoReturn

from permacite.errors import NotFoundError
from permacite.lazy_dataclass import dataclass

__all__ = ["Excerpt", "Extent", "digest_of", "extent", "nothing"]


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of a document that a fragment names.

    `data`: what the part is made of: for text, markup and octets a slice of the document's bytes,
    else a file of its own in `media_type`. `text`: its characters with CRLF line ends, None where
    there are none. `source_range`: (start, end) of the slice in bytes of the document, end
    excluded, None where the document was decoded. `clipped`: whether the fragment reaches beyond
    the end of the document; then it is not to be cited. `digest`: a layout and the SHA-256 of the
    content in it, such as "rgba8:ab12...": of pixels, samples, the text in UTF-8, or octets. It
    stays the same when the document is encoded otherwise; of pictures with sound it is both, with a
    "+" between. `damaged`: whether it has, or lacks, what could not be decoded; then it is cited by
    those alone who ask for that. `derived`: whether it is a preview, made of the part with loss.
    """

    data: bytes
    media_type: str
    text: str | None
    source_range: tuple[int, int] | None
    clipped: bool
    digest: str
    damaged: bool = False
    derived: bool = False


@dataclass(frozen=True, slots=True)
class Extent:
    """A half-open interval that lies in the document; `clipped` as in Excerpt."""

    start: int
    end: int
    clipped: bool


def digest_of(layout: str, content: bytes) -> str:
    """Return the digest of an excerpt's content."""
    return f"{layout}:{hashlib.sha256(content).hexdigest()}"


def extent(start: int, end: int, size: int, unit: str) -> Extent:
    """What of [start, end) lies in a document of `size` units.

    A point at the very end is in it. Raises NotFoundError where nothing is.
    """
    if start > size or (start == size and end > size):
        nothing(f"{start},{end}"[:80], f"the document has {size} {unit}")
    return Extent(start, min(end, size), clipped=end > size)


def nothing(name: str, problem: str) -> NoReturn:
    """Raise NotFoundError: the fragment is well formed and names nothing here."""
    raise NotFoundError(f"{problem}: the fragment names nothing in it", name)
