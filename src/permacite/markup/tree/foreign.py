"""Rules of SVG and MathML inside HTML, for the tree (HTML §13.2.6, §13.2.6.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.markup.foreign import breaks_out, point_of, reads_html, takes_html
from permacite.markup.tokens import EndTag, StartTag

if TYPE_CHECKING:
    from permacite.markup.foreign import Kind
    from permacite.markup.tree.construction import Token, Tree

__all__ = ["applies", "in_foreign", "push"]


def push(tree: Tree, tag: StartTag, kind: Kind) -> None:
    """Open a foreign element; `kind` is "svg" or "math"."""
    node = tree.make(tag.name, tag)
    node.kind = kind
    node.point = point_of(tag, kind)
    node.key = f"/{tag.name}" if node.point else "/"
    tree.open(node)


def applies(tree: Tree, token: Token) -> bool:
    """Whether the rules of foreign content are to be used (§13.2.6)."""
    if not tree.stack or tree.stack[-1].kind == "html":
        return False
    node = tree.stack[-1]
    if isinstance(token, StartTag):
        return not reads_html(node.kind, node.point, token.name)
    return isinstance(token, EndTag) or node.point in {"", "annotation"}


def in_foreign(tree: Tree, token: Token) -> None:
    """Apply the rules for tokens in foreign content."""
    if isinstance(token, StartTag):
        _start(tree, token)
    elif isinstance(token, EndTag):
        _end(tree, token)
    else:
        tree.frameset_ok = tree.frameset_ok and token.blank


def _start(tree: Tree, tag: StartTag) -> None:
    if breaks_out(tag):
        _leave(tree, tag)
    elif not tag.self_closing:
        push(tree, tag, tree.stack[-1].kind)


def _leave(tree: Tree, tag: StartTag | EndTag) -> None:
    """Close foreign elements up to where HTML may stand."""
    while not takes_html(tree.stack[-1].kind, tree.stack[-1].point):
        tree.pop(tag)
    tree.by(tree.mode, tag)


def _end(tree: Tree, tag: EndTag) -> None:
    if tag.name in {"br", "p"}:
        _leave(tree, tag)
        return
    for at in range(len(tree.stack) - 1, 0, -1):
        tree.spend(1)
        node = tree.stack[at]
        if node.kind == "html":
            tree.by(tree.mode, tag)
            return
        if node.name == tag.name:
            while len(tree.stack) > at:
                tree.pop(tag)
            return
