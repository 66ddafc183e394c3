"""Content that is no text of the page, and where it ends: part of the frozen rules of `plain`.

An end tag may be left out for some elements (HTML §13.1.2.4); what is hidden in such an element
ends where the element does, as far as the tags alone tell.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

from permacite.markup.elements import BEHIND_P, BOUNDARIES, VOID
from permacite.markup.tokens import EndTag, StartTag

if TYPE_CHECKING:
    from permacite.markup.tokens import Token

__all__ = ["Skip", "is_hidden"]

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
_HIDDEN = re.compile("hidden", re.IGNORECASE | re.ASCII)


def is_hidden(tag: StartTag, name: str) -> bool:
    """Whether a start tag hides its element: `hidden` in any form, or `dialog` without `open`.

    `hidden` on the root element or on `body` is not heeded: scripts take it away at once.
    """
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

    def place(self, token: Token, name: str) -> Place:
        """Say where the next token stands. `name`: that of a tag, as `plain` compares it."""
        if isinstance(token, StartTag):
            if name in self._closed_by and not self._boundaries:
                return "behind"
            if not (token.self_closing if self._xml else name in VOID):
                self._push(name)
        elif isinstance(token, EndTag):
            if name in self._counts:
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
