"""Fragments of plain text: positions, ranges, patterns and quotes, and where they are in a text.

| room | what it holds |
|---|---|
| rfc5147, wilde00 | the syntax of `#char=` and `#line=`, and of their first form, with `#match()` |
| text, location | Text: an entity that fragments point into, and where they are in it |
| checks | the integrity checks of a fragment |
| union | the parts of a fragment of the first form, and all of them |
| convert | positions of the PDI draft, RFC 5147 and its first draft, each as the others' |
| quote | where quoted words stand in a text, word for word or nearly |
| alignment | two texts aligned whole: what became of each passage of the one in the other |
| likeness | edit distances, and the parts of a text that are most like another |
| bre | POSIX basic regular expressions, for `#match()` |

The entities themselves, how they are decoded, counted and indexed, are in `permacite.text`.
Everything here is pure and needs the standard library alone, save that `#match()` needs the extra
`match`; with the extra `fast`, large texts are counted faster.
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
