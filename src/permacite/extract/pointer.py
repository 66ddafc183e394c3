"""Cut values out of JSON by their pointers (RFC 6901).

The part is the value as it is written, without the white space around it.

Readings: a pointer to two values names nothing: RFC 6901 §4 leaves open which is meant where a name
stands twice in an object. Octets that are no JSON have no parts, however far they could be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import NotFoundError
from permacite.extract.text import characters
from permacite.pdi import decapsulate
from permacite.values import LONGEST_POINTER, values

if TYPE_CHECKING:
    from permacite.extract.excerpt import Excerpt
    from permacite.text.document import DocumentText

__all__ = ["value"]


def value(document: DocumentText, media_type: str, position: str) -> Excerpt:
    """Return the value that a pointer names; `position` is the pointer, escaped.

    Raises NotFoundError where there is none, or are several, ParseError for what is no JSON.
    """
    pointer = decapsulate(position)
    found = [each for each in values(document.text) if each.pointer == pointer]
    if len(found) == 1:
        return characters(document, media_type, found[0].start, found[0].end)
    problem = "there is no such value in the document"
    if found:
        problem = f"{len(found)} values in the document have this pointer"
    elif len(pointer) > LONGEST_POINTER:
        problem = f"pointers have at most {LONGEST_POINTER:,} characters"
    raise NotFoundError(problem, pointer[:80])
