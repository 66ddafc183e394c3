"""Fragments of plain text: positions, ranges, patterns and quotes, and their places in a text.

| module | contents |
|---|---|
| rfc5147, wilde00 | the syntax of `#char=` and `#line=`, and of the older drafts, with `#match()` |
| text | Text: an entity with fragments, integrity checks, unions of parts |
| location | the result: spans and checks |
| convert | conversion between positions of the PDI draft, RFC 5147 and its first draft |
| quote | places of quoted words in a text, word for word or nearly |
| alignment | alignment of two texts: the fate of each passage |
| likeness | edit distances, and the parts of a text that are most like another |
| bre | POSIX basic regular expressions, for `#match()` |

`permacite.text` holds the entities themselves: decoding, counting and indexing. Everything here is
pure and needs the standard library alone. `#match()` needs the extra `match`; the extra `fast`
counts large texts faster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.fragments.location import Check, Location
    from permacite.fragments.text import Text
    from permacite.text.entity import Entity, Span
    from permacite.text.index import Index

__all__ = ["Check", "Entity", "Index", "Location", "Span", "Text"]

on_demand(
    __name__,
    {
        "permacite.fragments.location": "Check, Location",
        "permacite.fragments.text": "Text",
        "permacite.text.entity": "Entity, Span",
        "permacite.text.index": "Index",
    },
)
