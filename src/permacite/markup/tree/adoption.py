"""The adoption agency: what the end tag of a formatting element closes (HTML §13.2.6.4.7).

`<b>1<p>2</b>3</p>` ends b inside p. Where the standard makes copies of an element to keep the tree
in order, the copies go on where the start tag began: the furthest of their ends counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.markup.names import SPECIAL

if TYPE_CHECKING:
    from permacite.markup.tokens import EndTag, StartTag
    from permacite.markup.tree.construction import Node, Token, Tree

__all__ = ["active", "adopt", "any_other_end"]

_OUTER = 8
_INNER = 3


def active(tree: Tree, name: str) -> Node | None:
    """Return the last active formatting element of that name, after the last marker."""
    for node in reversed(tree.formatting):
        tree.spend(1)
        if node is None:
            return None
        if node.name == name:
            return node
    return None


def adopt(tree: Tree, name: str, token: StartTag | EndTag) -> None:
    """Run the adoption agency algorithm for a tag named `name`."""
    tree.spend(len(tree.formatting))
    if tree.current == name and tree.stack[-1] not in tree.formatting:
        tree.pop(token)
        return
    for _ in range(_OUTER):
        node = active(tree, name)
        if node is None:
            any_other_end(tree, token)
            return
        place = tree.place(node)
        if place < 0:
            tree.formatting.remove(node)
            return
        if not tree.in_scope((name,)):
            return
        block = _furthest_block(tree, place)
        if block < 0:
            while len(tree.stack) > place:
                tree.pop(token)
            tree.formatting.remove(node)
            return
        _move(tree, node, tree.stack[block], token)


def _furthest_block(tree: Tree, place: int) -> int:
    """Where the topmost special element above `place` is; -1 where there is none."""
    for at in range(place + 1, len(tree.stack)):
        tree.spend(1)
        if tree.stack[at].key in SPECIAL:
            return at
    return -1


def _move(tree: Tree, node: Node, block: Node, token: Token) -> None:
    """Close `node` below the furthest block and put a copy of it above (steps 13 to 19)."""
    bookmark = tree.formatting.index(node)
    at = tree.place(block)
    last = block
    inner = 0
    while True:
        inner += 1
        at -= 1
        tree.spend(1)
        here = tree.stack[at]
        if here is node:
            break
        listed = tree.formatting.index(here) if here in tree.formatting else -1
        if inner > _INNER and listed >= 0:
            del tree.formatting[listed]
            bookmark -= listed < bookmark
            listed = -1
        if listed < 0:
            tree.remove(at, token)
            continue
        copy = tree.copy(here)
        tree.formatting[listed] = copy
        tree.replace(at, copy)
        if last is block:
            bookmark = listed + 1
        last = copy
    copy = tree.copy(node)
    bookmark -= tree.formatting.index(node) < bookmark
    tree.formatting.remove(node)
    tree.formatting.insert(bookmark, copy)
    tree.remove(tree.place(node), token)
    tree.open(copy, tree.place(block) + 1)


def any_other_end(tree: Tree, token: StartTag | EndTag) -> None:
    """Close the nearest element of that name, unless a special one is in between.

    A start tag comes here too: that of a `nobr` whose like is open before a marker.
    """
    for at in range(len(tree.stack) - 1, -1, -1):
        tree.spend(1)
        node = tree.stack[at]
        if node.key == token.name:
            tree.imply_ends(token, but=token.name)
            while len(tree.stack) > at:
                tree.pop(token)
            return
        if node.key in SPECIAL:
            return
