"""Names of elements: the sets that the rules of markup refer to.

What the plain text of a page is made by is frozen with its rules; tree construction follows the
HTML Living Standard (§13.2.4, §13.2.6).
"""

from __future__ import annotations

__all__ = [
    "BEHIND_P",
    "BLOCKS",
    "BOUNDARIES",
    "BREAKOUT",
    "BUTTON_SCOPE",
    "CELLS",
    "CLOSES_P",
    "FORMATTING",
    "HEADINGS",
    "HEAD_CONTENT",
    "IMPLIED",
    "IMPLIED_THOROUGHLY",
    "LEFT_OUT",
    "LIST_SCOPE",
    "MATH_POINTS",
    "PARAGRAPHS",
    "PREFORMATTED",
    "RAW_TEXT",
    "ROW_ENDS",
    "SCOPE",
    "SECTIONS",
    "SPECIAL",
    "SVG_POINTS",
    "TABLE_PARTS",
    "TABLE_SCOPE",
    "VOID",
    "VOID_IN_BODY",
]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


VOID = _names(
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source "
    "track wbr"
)
"""HTML elements that have no content (HTML §13.1.2, and obsolete ones of the tree builder)."""

HEADINGS = _names("h1 h2 h3 h4 h5 h6")
SECTIONS = _names("tbody thead tfoot")
CELLS = _names("td th")

# ---------------------------------------------------------------- foreign content
SVG_POINTS = _names("foreignobject desc title")
MATH_POINTS = _names("mi mo mn ms mtext")
"""Integration points: SVG elements that hold HTML, MathML elements that hold text (§13.2.6)."""

BREAKOUT = HEADINGS | _names(
    "b big blockquote body br center code dd div dl dt em embed head hr i img li listing menu meta "
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
)
"""Start tags that end foreign content (§13.2.6.5)."""

# ---------------------------------------------------------------- tree construction
HEAD_CONTENT = _names("base basefont bgsound link meta noframes script style template title")
"""Start tags that are read by the rules of the head wherever they stand."""

RAW_TEXT = _names("noframes script style title")
VOID_IN_BODY = _names("area br embed img image input keygen wbr")
"""Elements without content, before which formatting elements are opened again."""

CLOSES_P = HEADINGS | _names(
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure "
    "footer header hgroup main menu nav ol p search section summary ul listing pre"
)
"""Elements that end an open paragraph, and whose end tags close what is open inside them."""

BEHIND_P = CLOSES_P | _names("dd dt form hr li plaintext table xmp")
"""All start tags that close an open `p` (§13.2.6.4.7)."""

FORMATTING = _names("a b big code em font i nobr s small strike strong tt u")
IMPLIED = _names("dd dt li optgroup option p rb rp rt rtc")
"""Elements whose end tags may be left out (§13.2.6.3)."""

TABLE_PARTS = SECTIONS | CELLS | _names("caption col colgroup tr")
IMPLIED_THOROUGHLY = IMPLIED | (TABLE_PARTS - {"col"})

# Foreign elements are told apart by a mark before their names: see tree.construction.Node.key.
_FOREIGN_POINTS = frozenset(f"/{name}" for name in SVG_POINTS | MATH_POINTS | {"annotation-xml"})

SCOPE = _FOREIGN_POINTS | _names("applet caption html marquee object table td template th")
"""What ends the search for an element in scope (§13.2.4.2)."""

LIST_SCOPE = SCOPE | {"ol", "ul"}
BUTTON_SCOPE = SCOPE | {"button"}
TABLE_SCOPE = _names("html table template")

SPECIAL = (
    _FOREIGN_POINTS
    | HEAD_CONTENT
    | TABLE_PARTS
    | BEHIND_P
    | _names(
        "applet area body br button embed frame frameset head html iframe img input keygen marquee "
        "noembed noscript object param select source textarea track wbr"
    )
) - {"dialog"}

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

PARAGRAPHS = HEADINGS | _names("p blockquote pre listing xmp plaintext hr")
"""Elements with an empty line before and after."""

PREFORMATTED = _names("pre listing xmp plaintext textarea")
"""Elements whose white space counts."""

ROW_ENDS = SECTIONS | _names("table tr caption")
"""Elements that end a table row."""

BOUNDARIES = _names("ul ol menu dir dl table ruby select button object template svg math")
"""While one of these is open inside an element, no start tag closes that by implication."""
