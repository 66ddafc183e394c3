"""Rules around the body: head, templates, framesets, and what follows `</body>`.

HTML §13.2.6.4.1 to .6, .8, .18 to .23. Scripting is off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.markup.names import HEAD_CONTENT, IMPLIED_THOROUGHLY, RAW_TEXT
from permacite.markup.tokens import EndTag, StartTag

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.markup.tree.construction import Token, Tree

__all__ = ["RULES", "end_template", "in_head", "raw_text"]

_ACTS = frozenset({"body", "br", "html"})
"""End tags that are read where others are ignored."""


def _before_html(tree: Tree, token: Token) -> None:
    if _is_blank(token) or (isinstance(token, EndTag) and token.name not in _ACTS | {"head"}):
        return
    if isinstance(token, StartTag) and token.name == "html":
        tree.push("html", token)
        tree.mode = "before head"
        return
    tree.push("html")
    tree.again("before head", token)


def _before_head(tree: Tree, token: Token) -> None:
    if _is_blank(token) or (isinstance(token, EndTag) and token.name not in _ACTS | {"head"}):
        return
    if isinstance(token, StartTag):
        if token.name == "html":
            return
        if token.name == "head":
            tree.head = tree.push("head", token)
            tree.mode = "in head"
            return
    tree.head = tree.push("head")
    tree.again("in head", token)


def in_head(tree: Tree, token: Token) -> None:
    """Apply the rules of the insertion mode "in head"."""
    if _is_blank(token):
        return
    if isinstance(token, StartTag):
        if token.name in HEAD_CONTENT | {"html", "head", "noscript"}:
            _start_in_head(tree, token)
            return
    elif isinstance(token, EndTag):
        if token.name == "template":
            end_template(tree, token)
            return
        if token.name == "head":
            tree.pop(token)
            tree.mode = "after head"
            return
        if token.name not in _ACTS:
            return
    tree.pop(token)
    tree.again("after head", token)


def _start_in_head(tree: Tree, tag: StartTag) -> None:
    if tag.name in RAW_TEXT:
        raw_text(tree, tag)
    elif tag.name == "template":
        _template(tree, tag)
    elif tag.name == "noscript":
        tree.push(tag.name, tag)
        tree.mode = "in head noscript"


def _in_head_noscript(tree: Tree, token: Token) -> None:
    if _is_blank(token):
        return
    if isinstance(token, StartTag):
        if token.name in {"html", "head", "noscript"}:
            return
        if token.name in HEAD_CONTENT - {"base", "script", "template", "title"}:
            in_head(tree, token)
            return
    elif isinstance(token, EndTag) and token.name != "br":
        if token.name == "noscript":
            tree.pop(token)
            tree.mode = "in head"
        return
    tree.pop(token)
    tree.again("in head", token)


def _after_head(tree: Tree, token: Token) -> None:
    if _is_blank(token):
        return
    if isinstance(token, StartTag):
        if token.name in {"html", "head"}:
            return
        if token.name in HEAD_CONTENT:
            _again_in_head(tree, token)
            return
        if token.name in {"body", "frameset"}:
            tree.push(token.name, token)
            tree.frameset_ok = tree.frameset_ok and token.name == "frameset"
            tree.mode = f"in {token.name}"
            return
    elif isinstance(token, EndTag) and token.name not in _ACTS:
        if token.name == "template":
            end_template(tree, token)
        return
    tree.push("body")
    tree.again("in body", token)


def _again_in_head(tree: Tree, token: StartTag) -> None:
    """Read by the rules of the head, which is put on the stack for that (§13.2.6.4.6)."""
    head = tree.head
    if head is None:
        in_head(tree, token)
        return
    at = len(tree.stack)
    tree.open(head)
    in_head(tree, token)
    tree.take_away(at)


def raw_text(tree: Tree, tag: StartTag) -> None:
    """Open an element whose content is text, up to its end tag (§13.2.6.2)."""
    tree.push(tag.name, tag)
    tree.original_mode = tree.mode
    tree.mode = "text"


def _text(tree: Tree, token: Token) -> None:
    if isinstance(token, EndTag):
        tree.pop(token)
        tree.mode = tree.original_mode


# ---------------------------------------------------------------- templates


def _template(tree: Tree, tag: StartTag) -> None:
    tree.push("template", tag)
    tree.formatting.append(None)
    tree.frameset_ok = False
    tree.mode = "in template"
    tree.template_modes.append("in template")


def end_template(tree: Tree, token: EndTag) -> None:
    """Close the innermost template."""
    if tree.has("template"):
        tree.imply_ends(token, names=IMPLIED_THOROUGHLY)
        tree.pop_until(("template",), token)
        tree.clear_to_marker()
        tree.template_modes.pop()
        tree.reset_mode()


_TEMPLATE_MODES = (
    dict.fromkeys(("caption", "colgroup", "tbody", "tfoot", "thead"), "in table")
    | {"col": "in column group", "tr": "in table body"}
    | dict.fromkeys(("td", "th"), "in row")
)


def _in_template(tree: Tree, token: Token) -> None:
    if isinstance(token, StartTag) and token.name not in HEAD_CONTENT:
        mode = _TEMPLATE_MODES.get(token.name, "in body")
        tree.template_modes[-1] = mode
        tree.again(mode, token)
    elif isinstance(token, StartTag):
        in_head(tree, token)
    elif isinstance(token, EndTag):
        if token.name == "template":
            end_template(tree, token)
    else:
        tree.by("in body", token)


# ---------------------------------------------------------------- after the body, and frames


def _after_body(tree: Tree, token: Token) -> None:
    if _is_blank(token) or (isinstance(token, StartTag) and token.name == "html"):
        tree.by("in body", token)
    elif isinstance(token, EndTag) and token.name == "html":
        tree.mode = "after after body"
        tree.ends_at(tree.stack[0], token.end)
        tree.ended.add(tree.stack[0])
    else:
        tree.again("in body", token)


def _after_after_body(tree: Tree, token: Token) -> None:
    if _is_blank(token) or (isinstance(token, StartTag) and token.name == "html"):
        tree.by("in body", token)
    else:
        tree.again("in body", token)


def _in_frameset(tree: Tree, token: Token) -> None:
    if isinstance(token, StartTag) and token.name == "frameset":
        tree.push("frameset", token)
    elif isinstance(token, StartTag) and token.name == "noframes":
        in_head(tree, token)
    elif isinstance(token, EndTag) and token.name == "frameset" and len(tree.stack) > 1:
        tree.pop(token)
        if tree.current != "frameset":
            tree.mode = "after frameset"


def _after_frameset(tree: Tree, token: Token) -> None:
    if isinstance(token, StartTag) and token.name == "noframes":
        in_head(tree, token)
    elif isinstance(token, EndTag) and token.name == "html":
        tree.mode = "after after frameset"


def _after_after_frameset(tree: Tree, token: Token) -> None:
    if isinstance(token, StartTag) and token.name == "noframes":
        in_head(tree, token)


def _is_blank(token: Token) -> bool:
    return not isinstance(token, StartTag | EndTag) and token.blank


RULES: dict[str, Callable[[Tree, Token], None]] = {
    "before html": _before_html,
    "before head": _before_head,
    "in head": in_head,
    "in head noscript": _in_head_noscript,
    "after head": _after_head,
    "text": _text,
    "in template": _in_template,
    "after body": _after_body,
    "after after body": _after_after_body,
    "in frameset": _in_frameset,
    "after frameset": _after_frameset,
    "after after frameset": _after_after_frameset,
}
