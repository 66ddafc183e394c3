"""Elements by name: the sets that the rules of this package speak of, and where hidden ones end.

All of it is frozen with the rules. An end tag may be left out for some elements (HTML §13.1.2.4);
what is hidden in such an element ends where the element does, as far as the tags alone tell.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from permacite.markup.tokens import StartTag
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from permacite.markup.tokens import EndTag

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
    "Skip",
    "is_left_out",
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

# ---------------------------------------------------------------- what is left out, and to where
Place: TypeAlias = Literal["inside", "last", "behind"]
"""Whether a token is part of what is left out, ends it, or comes after it."""

_ROWS = frozenset({"tr", "thead", "tbody", "tfoot"})
_SECTIONS = frozenset({"thead", "tbody", "tfoot"})
_CLOSED_BY: dict[str, frozenset[str]] = {
    "p": BEHIND_P,
    "li": frozenset({"li"}),
    **dict.fromkeys(("dt", "dd"), frozenset({"dt", "dd"})),
    **dict.fromkeys(("rt", "rp"), frozenset({"rb", "rt", "rtc", "rp"})),
    **dict.fromkeys(("option", "optgroup"), frozenset({"option", "optgroup"})),
    **dict.fromkeys(("caption", "colgroup"), _ROWS | {"caption", "colgroup"}),
    **dict.fromkeys(_SECTIONS, _SECTIONS),
    "tr": _ROWS,
    **dict.fromkeys(("td", "th"), _ROWS | {"td", "th"}),
}
"""Elements whose end tag is optional, and the start tags that close them."""

_NEVER_HIDDEN = frozenset({"html", "body"})
_HIDDEN = compile_pattern("hidden", re.IGNORECASE | re.ASCII)


def is_left_out(tag: StartTag, name: str) -> bool:
    """Whether a start tag begins an element that is no text.

    Those are the elements of LEFT_OUT (but not a template that is a shadow root), `dialog` without
    `open`, and what has `hidden`, in any form. On the root element or on `body` that is not heeded:
    scripts take it away at once.
    """
    if name in LEFT_OUT:
        return name != "template" or tag.get("shadowrootmode") is None
    if name == "dialog" and tag.get("open") is None:
        return True
    if _HIDDEN.search(tag.source, tag.start, tag.end) is None or name in _NEVER_HIDDEN:
        return False
    return tag.get("hidden") is not None


class Skip:
    """One element that is left out: says which tokens after its start tag belong to it."""

    __slots__ = ("_boundaries", "_closed_by", "_counts", "_name", "_open", "_xml")

    def __init__(self, name: str, *, xml: bool) -> None:
        self._name = name
        self._xml = xml
        self._closed_by = frozenset[str]() if xml else _CLOSED_BY.get(name, frozenset())
        self._open: list[str] = []
        self._counts: dict[str, int] = {}
        self._boundaries = 0

    def place(self, tag: StartTag | EndTag, name: str) -> Place:
        """Say where the next tag stands. `name`: its name as `plain` compares it."""
        if isinstance(tag, StartTag):
            if name in self._closed_by and not self._boundaries:
                return "behind"
            if not (tag.self_closing if self._xml else name in VOID):
                self._push(name)
        elif name in self._counts:
            while self._pop() != name:
                pass
        elif name == self._name:
            return "last"
        elif self._closed_by:
            return "behind"
        return "inside"

    def _push(self, name: str) -> None:
        self._open.append(name)
        self._counts[name] = self._counts.get(name, 0) + 1
        self._boundaries += name in BOUNDARIES

    def _pop(self) -> str:
        name = self._open.pop()
        self._boundaries -= name in BOUNDARIES
        self._counts[name] -= 1
        if not self._counts[name]:
            del self._counts[name]
        return name
