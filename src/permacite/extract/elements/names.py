"""Which elements tree construction treats alike (HTML Living Standard §13.2.4, §13.2.6)."""

from __future__ import annotations

__all__ = [
    "BREAKOUT",
    "BUTTON_SCOPE",
    "CLOSES_P",
    "FORMATTING",
    "HEADINGS",
    "HEAD_CONTENT",
    "IMPLIED",
    "IMPLIED_THOROUGHLY",
    "LIST_SCOPE",
    "RAW_TEXT",
    "SCOPE",
    "SPECIAL",
    "TABLE_PARTS",
    "TABLE_SCOPE",
    "VOID_IN_BODY",
]


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


HEADINGS = _set("h1 h2 h3 h4 h5 h6")
HEAD_CONTENT = _set("base basefont bgsound link meta noframes script style template title")
"""Start tags that are read by the rules of the head wherever they stand."""

RAW_TEXT = _set("noframes script style title")
VOID_IN_BODY = _set("area br embed img image input keygen wbr")
"""Elements without content, before which formatting elements are opened again."""

CLOSES_P = HEADINGS | _set(
    "address article aside blockquote center details dialog dir div dl fieldset figcaption figure "
    "footer header hgroup main menu nav ol p search section summary ul listing pre"
)
"""Elements that end an open paragraph, and whose end tags close what is open inside them."""

FORMATTING = _set("a b big code em font i nobr s small strike strong tt u")
IMPLIED = _set("dd dt li optgroup option p rb rp rt rtc")
"""Elements whose end tags may be left out (§13.2.6.3)."""

IMPLIED_THOROUGHLY = IMPLIED | _set("caption colgroup tbody td tfoot th thead tr")
TABLE_PARTS = _set("caption col colgroup tbody td tfoot th thead tr")

_POINTS = _set("mi mo mn ms mtext annotation-xml foreignobject desc title")
# Foreign elements are told apart by a mark before their names: see Node.key.
_FOREIGN_POINTS = frozenset(f"/{name}" for name in _POINTS)

SCOPE = _FOREIGN_POINTS | _set("applet caption html marquee object table td template th")
"""What ends the search for an element in scope (§13.2.4.2)."""

LIST_SCOPE = SCOPE | {"ol", "ul"}
BUTTON_SCOPE = SCOPE | {"button"}
TABLE_SCOPE = _set("html table template")

SPECIAL = (
    _FOREIGN_POINTS
    | HEADINGS
    | HEAD_CONTENT
    | TABLE_PARTS
    | CLOSES_P
    | _set(
        "applet area body br button dd dt embed form frame frameset head hr html iframe img input "
        "keygen li marquee noembed noscript object param plaintext select source table textarea "
        "track wbr xmp"
    )
) - {"dialog"}

BREAKOUT = HEADINGS | _set(
    "b big blockquote body br center code dd div dl dt em embed head hr i img li listing menu meta "
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
)
"""Start tags that end foreign content (§13.2.6.5)."""
