"""POSIX basic regular expressions: where all leftmost-longest matches are, in the POSIX locale.

| room | what it holds |
|---|---|
| syntax | the grammar of ISO 9945-2 §2.8.3 (XBD §9.3), and its tree |
| brackets | bracket expressions (XBD §9.3.5) |
| shape | what follows from a tree: its longest match, its beginnings, trees without something |
| emit, backtrack | how an automaton is asked, and what no automaton can do |
| search | compile and find_all |

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
