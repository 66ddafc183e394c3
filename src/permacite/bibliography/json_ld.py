"""Items of schema.org in JSON-LD: the scripts of a page, read as plain JSON.

Readings: no context is fetched, so that terms are those of schema.org whatever the context says.
A node that is only referred to by its @id stands for the node of that @id, in whatever script.
What is no JSON is left out, as a browser leaves it; a CDATA section or a comment around the JSON,
which pages have that were XHTML once, is taken off.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from permacite.bibliography.schema_org import Item
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["items"]

_LONGEST = 1 << 21
"""Characters of all scripts together."""
_DEEPEST = 8
_MOST = 2000
"""Nodes that are read of a page."""
_WRAPPING = compile_pattern(
    r"^\s*(?://|/\*)?\s*(?:<!\[CDATA\[|<!--)\s*(?:\*/)?|(?://|/\*)?\s*(?:\]\]>|-->)\s*(?:\*/)?\s*$"
)


def items(scripts: Iterable[tuple[int, str]]) -> list[Item]:
    """The items at the top of scripts: each script with the offset where it begins."""
    reading = _Reading()
    left = _LONGEST
    roots: list[tuple[int, dict[str, object]]] = []
    for start, script in scripts:
        left -= len(script)
        if left < 0:
            break
        roots += [(start, node) for node in _nodes(script)]
    for start, node in roots:
        reading.know(node, start)
    return [item for start, node in roots if (item := reading.item(node, start, 0)) is not None]


def _nodes(script: str) -> Iterator[dict[str, object]]:
    """The nodes of a script: one, a list, or a graph."""
    try:
        top = json.loads(_WRAPPING.sub("", script), strict=False)
    except (ValueError, RecursionError):
        return
    for node in top if isinstance(top, list) else [top]:
        graph = node.get("@graph") if isinstance(node, dict) else None
        several = graph if isinstance(graph, list) else [node]
        yield from (each for each in several if isinstance(each, dict))


class _Reading:
    """Nodes of one page, by their @id."""

    def __init__(self) -> None:
        self._by_id: dict[str, tuple[dict[str, object], int]] = {}
        self._count = 0

    def know(self, node: dict[str, object], start: int) -> None:
        """Remember a node that has more than its @id."""
        name = node.get("@id")
        if isinstance(name, str) and len(node) > 1:
            self._by_id.setdefault(name, (node, start))

    def item(self, node: dict[str, object], start: int, depth: int) -> Item | None:
        """A node with what is below it; None where there is too much of it."""
        self._count += 1
        if depth > _DEEPEST or self._count > _MOST:
            return None
        if set(node) == {"@id"} and (known := self._by_id.get(str(node["@id"]))):
            node, start = known
        item = Item(_types(node), start)
        for name, value in node.items():
            if name == "@type" or (name.startswith("@") and name != "@id"):
                continue
            for each in value if isinstance(value, list) else [value]:
                self._add(item, name.rpartition("/")[2].removeprefix("schema:"), each, depth)
        return item

    def _add(self, item: Item, name: str, value: object, depth: int) -> None:
        if isinstance(value, dict):
            if "@value" in value:
                self._add(item, name, value["@value"], depth)
            elif (below := self.item(value, item.start, depth + 1)) is not None:
                item.properties.setdefault(name, []).append(below)
        elif isinstance(value, str | int) and not isinstance(value, bool):
            item.properties.setdefault(name, []).append(str(value))


def _types(node: dict[str, object]) -> tuple[str, ...]:
    typed = node.get("@type")
    several = typed if isinstance(typed, list) else [typed]
    return tuple(
        name.rpartition("/")[2].removeprefix("schema:") for name in several if isinstance(name, str)
    )
