"""Fragments of plain text: positions, ranges, patterns and quotes, and where they are in a text.

| room | what it holds |
|---|---|
| rfc5147, wilde00 | the syntax of `#char=` and `#line=`, and of their first form, with `#match()` |
| text, location | Text: an entity, and where a fragment is in it |
| union | the parts of a fragment of the first form, and all of them |
| convert | positions of the PDI draft, RFC 5147 and its first draft, each as the others' |
| quote | where quoted words stand in a text, word for word or nearly |
| anchor | what became of a passage in a changed text |
| likeness | edit distances, and the parts of a text that are most like another |
| bre | POSIX basic regular expressions, for `#match()` |
| counting | characters in texts too large to hold, and the index of such a text |

Everything here is pure and needs the standard library alone, save that `#match()` needs the extra
`match`; with the extra `fast`, large texts are counted faster.
"""

from permacite.fragments.text import Check, Index, Location, Span, Text

__all__ = ["Check", "Index", "Location", "Span", "Text"]
