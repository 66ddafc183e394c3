"""Sets of element names that the rules of this package speak of: tables, frozen with the rules."""

from __future__ import annotations

__all__ = [
    "BEHIND_P",
    "BLOCKS",
    "BOUNDARIES",
    "BREAKOUT",
    "CELLS",
    "LEFT_OUT",
    "PARAGRAPHS",
    "PREFORMATTED",
    "TABLE_PARTS",
    "VOID",
]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


VOID = _names(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source "
    "track wbr"
)
"""HTML elements that have no content (HTML §13.1.2, and obsolete ones of the tree builder)."""

BREAKOUT = _names(
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li "
    "listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
)
"""A start tag of these ends foreign content (HTML §13.2.6.5)."""

# ---------------------------------------------------------------- the plain text of a page
LEFT_OUT = _names(
    "script style template title noembed noframes iframe audio video canvas select datalist option "
    "optgroup rp annotation annotation-xml desc metadata"
)
"""Elements whose content is never text."""

BLOCKS = _names(
    "address article aside body caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer foreignobject foreignObject form frameset header hgroup html legend li main "
    "marquee menu nav ol search section summary table tbody text textarea tfoot thead tr ul"
)
"""Elements that begin and end a line."""

PARAGRAPHS = _names("p h1 h2 h3 h4 h5 h6 blockquote pre listing xmp plaintext hr")
"""Elements with an empty line before and after."""

PREFORMATTED = _names("pre listing xmp plaintext textarea")
"""Elements whose white space counts."""

TABLE_PARTS = _names("table thead tbody tfoot tr caption")
"""Elements that end a table row."""

CELLS = _names("td th")

BEHIND_P = _names(
    "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext "
    "pre search section summary table ul xmp"
)
"""Start tags that close an open `p` (HTML §13.2.6.4.7)."""

BOUNDARIES = _names("ul ol menu dir dl table ruby select button object template svg math")
"""While one of these is open inside an element, no start tag closes that by implication."""
