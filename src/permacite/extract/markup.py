"""Cut elements out of HTML, SGML and XML (PDI §3.4.2).

Positions count start tags from 0; both ends are included. The part is the exact slice of the
source, from the start tag of the first element to the end of the last, and is never repaired.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import NotFoundError
from permacite.extract.excerpt import extent, nothing
from permacite.extract.text import excerpt
from permacite.markup.tree import html_elements, xml_elements
from permacite.media_types import is_xml
from permacite.pdi import decapsulate

if TYPE_CHECKING:
    from permacite.extract.excerpt import Excerpt
    from permacite.markup.tree import Element
    from permacite.text.document import DocumentText

__all__ = ["by_name", "by_position"]


def by_position(text: DocumentText, media_type: str, start: int, end: int) -> Excerpt:
    """Return the elements from number `start` to number `end`.

    Raises NotFoundError where there is no element `start`.
    """
    elements = _elements(text, media_type)
    found = extent(start, end + 1, len(elements), "elements")
    last = elements[found.end - 1]
    return _between(text, media_type, (elements[start], last), clipped=found.clipped)


def by_name(text: DocumentText, media_type: str, start: str, end: str) -> Excerpt:
    """Return the elements from the one named `start` to the one named `end` (both escaped).

    The first element of that name counts, else the first whose `id` it is. Raises NotFoundError.
    """
    elements = _elements(text, media_type)
    first, last = (_named(elements, decapsulate(name)) for name in (start, end))
    if last.end <= first.start:
        nothing(f"{start},{end}"[:80], "the second element ends before the first begins")
    return _between(text, media_type, (first, last), clipped=False)


def _named(elements: list[Element], name: str) -> Element:
    for attribute in ("name", "id"):
        for element in elements:
            if element.tag.get(attribute) == name:
                return element
    names = dict.fromkeys(element.tag.get("name") or "" for element in elements)
    known = tuple(known for known in names if known.casefold() == name.casefold())[:5]
    raise NotFoundError("no element has this name", name[:80], candidates=known)


def _elements(text: DocumentText, media_type: str) -> list[Element]:
    read = xml_elements if is_xml(media_type) else html_elements
    return read(text.stored)


def _between(
    text: DocumentText, media_type: str, ends: tuple[Element, Element], *, clipped: bool
) -> Excerpt:
    span = text.entity.span(ends[0].start, ends[1].end, "code_point")
    return excerpt(text, media_type, span, clipped=clipped)
