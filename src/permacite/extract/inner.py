"""Extraction of words from a page within an aggregate (RFC 2557): mostly a page in a frame.

The text of a body part is that of a page, by the same frozen rules, decoded as its own label and
markup say. The aggregate itself is not cut: the part is derived, and has no place in it.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from permacite import mhtml
from permacite.charsets import of_codec
from permacite.errors import NotFoundError
from permacite.extract.text import characters
from permacite.markup import Document
from permacite.media_types import PAGES
from permacite.pdi.schemes import part_path
from permacite.text.entity import DocumentText

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permacite.extract.media.decoders import Octets
    from permacite.extract.text import Excerpt

__all__ = ["document_within", "page_in", "pages_within", "text_within", "words"]


def words(data: Octets, positions: Sequence[str]) -> Excerpt:
    """Return the characters of a body part's text that `part` names.

    Raises NotFoundError where there is no such part, or it is no page.
    """
    position, start, end = positions
    with mhtml.open(bytes(data[:])) as aggregate:
        text = text_within(page_in(aggregate, part_path(position)))
    excerpt = characters(text, "text/plain", int(start), int(end))
    return dataclasses.replace(excerpt, source_range=None)


def page_in(aggregate: mhtml.Aggregate, path: str) -> mhtml.BodyPart:
    """Return the page that is the body part `path`, such as "2". Raises NotFoundError."""
    part = aggregate.part(path)
    if part.content_type not in PAGES:
        raise NotFoundError(f"body part {path} is {part.content_type}, and no page", path)
    return part


def pages_within(aggregate: mhtml.Aggregate) -> Iterator[mhtml.BodyPart]:
    """Yield the pages of an aggregate but its root, in the order of the octets."""
    root = aggregate.root
    yield from (
        part for part in aggregate.body_parts if part is not root and part.content_type in PAGES
    )


def text_within(part: mhtml.BodyPart) -> DocumentText:
    """Return the text of a page within an aggregate."""
    text = document_within(part).reading.rendition.text
    return DocumentText(text.encode(), of_codec("utf-8"))


def document_within(part: mhtml.BodyPart) -> Document:
    """Return a page within an aggregate, decoded as its own label and markup say."""
    return Document(part.content, part.content_type, part.charset)
