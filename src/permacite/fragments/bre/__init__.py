"""POSIX basic regular expressions: all leftmost-longest matches, in the POSIX locale.

| module | contents |
|---|---|
| syntax | the grammar of ISO 9945-2 §2.8.3 (XBD §9.3), and its tree |
| brackets | bracket expressions (XBD §9.3.5) |
| analysis | the longest match of a tree, its beginnings, trees without something |
| backtrack | back-references, which no automaton can match |
| search | compile and find_all, with RE2 as automaton |

Searching needs the extra `match`; parsing needs the standard library alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.fragments.bre.search import Pattern, compile  # noqa: A004 - as `re.compile` is named

__all__ = ["Pattern", "compile"]

on_demand(
    __name__,
    {
        "permacite.fragments.bre.search": "Pattern, compile",
    },
)
