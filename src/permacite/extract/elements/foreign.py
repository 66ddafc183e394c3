"""The rules of SVG and MathML inside HTML (HTML §13.2.6, §13.2.6.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.extract.elements.names import BREAKOUT
from permacite.markup import EndTag, StartTag

if TYPE_CHECKING:
    from permacite.extract.elements.stack import Node, Token
    from permacite.extract.elements.tree import Tree

__all__ = ["applies", "in_foreign", "push"]

HTML = "html"
_SVG_POINTS = frozenset({"foreignobject", "desc", "title"})
_MATH_POINTS = frozenset({"mi", "mo", "mn", "ms", "mtext"})
_HTML_ENCODINGS = frozenset({"text/html", "application/xhtml+xml"})
_FONT = ("color", "face", "size")


def push(tree: Tree, tag: StartTag, kind: str) -> None:
    """Open a foreign element; `kind` is "svg" or "math"."""
    node = tree.make(tag.name, tag)
    node.kind = kind
    node.key = f"/{tag.name}" if _marks(tag.name, kind) else "/"
    if kind == "svg" and tag.name in _SVG_POINTS:
        node.point = "html"
    elif kind == "math" and tag.name in _MATH_POINTS:
        node.point = "text"
    elif kind == "math" and tag.name == "annotation-xml":
        encoding = (tag.get("encoding") or "").lower()
        node.point = "html" if encoding in _HTML_ENCODINGS else "annotation"
    tree.open(node)


def _marks(name: str, kind: str) -> bool:
    """Whether the element ends scopes (§13.2.4.2)."""
    if kind == "svg":
        return name in _SVG_POINTS
    return name in _MATH_POINTS or name == "annotation-xml"


def applies(tree: Tree, token: Token) -> bool:
    """Whether the rules of foreign content are to be used (§13.2.6)."""
    if not tree.stack or tree.stack[-1].kind == HTML:
        return False
    node = tree.stack[-1]
    if isinstance(token, EndTag) or not node.point:
        return True
    if isinstance(token, StartTag):
        if node.point == "text":
            return token.name in {"mglyph", "malignmark"}
        if node.point == "annotation":
            return token.name != "svg"
    return node.point == "annotation"


def in_foreign(tree: Tree, token: Token) -> None:
    """Apply the rules for tokens in foreign content."""
    if isinstance(token, StartTag):
        _start(tree, token)
    elif isinstance(token, EndTag):
        _end(tree, token)
    else:
        tree.frameset_ok = tree.frameset_ok and token.blank


def _start(tree: Tree, tag: StartTag) -> None:
    font = tag.name == "font" and any(tag.get(name) is not None for name in _FONT)
    if tag.name in BREAKOUT or font:
        _leave(tree, tag)
    elif not tag.self_closing:
        push(tree, tag, tree.stack[-1].kind)


def _leave(tree: Tree, tag: StartTag | EndTag) -> None:
    """Close foreign elements up to where HTML may stand."""
    while not _takes_html(tree.stack[-1]):
        tree.pop(tag)
    tree.by(tree.mode, tag)


def _takes_html(node: Node) -> bool:
    return node.kind == HTML or node.point in {"html", "text"}


def _end(tree: Tree, tag: EndTag) -> None:
    if tag.name in {"br", "p"}:
        _leave(tree, tag)
        return
    for at in range(len(tree.stack) - 1, 0, -1):
        tree.spend(1)
        node = tree.stack[at]
        if node.kind == HTML:
            tree.by(tree.mode, tag)
            return
        if node.name == tag.name:
            while len(tree.stack) > at:
                tree.pop(tag)
            return
