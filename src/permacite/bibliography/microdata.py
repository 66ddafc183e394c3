"""Items of schema.org in microdata: attributes of the page's own elements (HTML §5).

Readings: `itemref` is not followed. An element that nobody closes ends with the one around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.bibliography.schema_org import Item
from permacite.markup.names import VOID

if TYPE_CHECKING:
    from permacite.markup import EndTag, StartTag

__all__ = ["Microdata"]

_ADDRESS_OF = {
    "a": "href",
    "area": "href",
    "link": "href",
    "img": "src",
    "audio": "src",
    "video": "src",
    "source": "src",
    "iframe": "src",
    "embed": "src",
    "object": "data",
    "data": "value",
    "meter": "value",
    "meta": "content",
}
_TYPE = "schema.org/"
_DEEPEST = 200
_MOST = 2000
_LONGEST = 2000
"""Characters of one value."""


class _Open(NamedTuple):
    """An element that is open: the item that it begins, and the properties that its text is for."""

    name: str
    item: Item | None
    properties: tuple[str, ...]
    owner: Item | None
    words: list[str]


class Microdata:
    """Reads items from the tokens of a page, handed in one by one."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        """Those that belong to no other."""
        self._open: list[_Open] = []
        self._count = 0

    def start(self, tag: StartTag) -> None:
        """Take a start tag."""
        is_void = tag.name in VOID or tag.self_closing
        names = (tag.get("itemprop") or "").split()
        is_item = tag.get("itemscope") is not None and self._count < _MOST
        owner = self._owner()
        item = None
        if is_item:
            self._count += 1
            item = Item(_types(tag), tag.start)
            if owner is not None and names:
                _put(owner, names, item)
            elif not names:
                self.items.append(item)
            names = []
        elif names and owner is not None:
            value = _value(tag)
            if value is not None:
                _put(owner, names, value[:_LONGEST])
                names = []
        if not is_void and len(self._open) < _DEEPEST:
            self._open.append(_Open(tag.name, item, tuple(names) if owner else (), owner, []))

    def text(self, data: str) -> None:
        """Take a text: it is part of each property that is open around it."""
        for element in self._open:
            if element.properties and len(element.words) < _LONGEST:
                element.words.append(data[:_LONGEST])

    def end(self, tag: EndTag) -> None:
        """Take an end tag, which ends what is open inside its element too."""
        if not any(element.name == tag.name for element in self._open):
            return
        while self._open:
            element = self._open.pop()
            if element.properties and element.owner is not None:
                _put(element.owner, element.properties, "".join(element.words)[:_LONGEST])
            if element.name == tag.name:
                return

    @property
    def is_reading(self) -> bool:
        """Whether a text would be part of a property."""
        return any(element.properties for element in self._open)

    def _owner(self) -> Item | None:
        return next((each.item for each in reversed(self._open) if each.item is not None), None)


def _put(owner: Item, names: list[str] | tuple[str, ...], value: str | Item) -> None:
    for name in names:
        owner.properties.setdefault(name.rpartition("/")[2], []).append(value)


def _types(tag: StartTag) -> tuple[str, ...]:
    typed = (tag.get("itemtype") or "").split()
    return tuple(name.rpartition("/")[2] for name in typed if _TYPE in name)


def _value(tag: StartTag) -> str | None:
    """The value that an attribute holds; None where it is the element's text (HTML §5.2.4)."""
    if tag.get("content") is not None:
        return tag.get("content")
    if tag.name == "time":
        return tag.get("datetime")
    attribute = _ADDRESS_OF.get(tag.name)
    return None if attribute is None else tag.get(attribute) or ""
