"""Fragments of plain text: positions, ranges, patterns and quotes, and where they are in a text.

| room | what it holds |
|---|---|
| rfc5147 | the syntax of `#char=` and `#line=` |
| text | Text: an entity, and where a fragment is in it |
| quote | where quoted words stand in a text |
| anchor | what became of a passage in a changed text |
| convert | positions of the PDI draft to RFC 5147's, and back |

Everything here is pure and needs the standard library alone.
"""

from permacite.fragments.text import Check, Index, Location, Span, Text

__all__ = ["Check", "Index", "Location", "Span", "Text"]
