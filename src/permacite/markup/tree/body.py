"""Rules of the body: which tags close which elements (HTML §13.2.6.4.7).

The adoption agency algorithm decides what the end tag of a formatting element closes: `<b>1<p>2</b>
3</p>` ends b inside p. Where the standard makes copies of an element to keep the tree in order, the
copies begin where the start tag began, and the furthest of their ends counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.markup.foreign import ROOTS
from permacite.markup.names import (
    BUTTON_SCOPE,
    CLOSES_P,
    FORMATTING,
    HEAD_CONTENT,
    HEADINGS,
    LIST_SCOPE,
    SPECIAL,
    TABLE_PARTS,
    VOID_IN_BODY,
)
from permacite.markup.tokens import EndTag, StartTag
from permacite.markup.tree import foreign, head

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.markup.tree.construction import Node, Token, Tree

__all__ = ["active", "adopt", "any_other_end", "in_body"]


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


_MARKED = frozenset({"applet", "marquee", "object"})
_IGNORED = TABLE_PARTS | {"frame", "head", "html"}
_BLOCK_ENDS = (CLOSES_P - HEADINGS - {"p"}) | {"button"}
_RAW = frozenset({"iframe", "noembed", "textarea", "xmp"})
_ASIDE = frozenset({"address", "div", "p"})
"""Special elements that do not end the search for an open list item."""


def in_body(tree: Tree, token: Token) -> None:
    """Apply the rules of the insertion mode "in body"."""
    if isinstance(token, StartTag):
        _start(tree, token)
    elif isinstance(token, EndTag):
        _end(tree, token)
    else:
        tree.reconstruct()
        tree.frameset_ok = tree.frameset_ok and token.blank


def _start(tree: Tree, tag: StartTag) -> None:
    name = tag.name
    if name in HEAD_CONTENT:
        head.in_head(tree, tag)
    elif name in FORMATTING:
        _format(tree, tag)
    elif name in CLOSES_P:
        _close_p(tree, tag)
        if name in HEADINGS and tree.current in HEADINGS:
            tree.pop(tag)
        tree.push(name, tag)
        if name in {"pre", "listing"}:
            tree.frameset_ok = False
    elif name in {"li", "dd", "dt"}:
        _item(tree, tag)
    elif name in VOID_IN_BODY:
        tree.reconstruct()
        tree.frameset_ok = tree.frameset_ok and name == "input" and _is_hidden(tag)
    elif name not in _IGNORED:
        _start_others.get(name, _ordinary)(tree, tag)


def _is_hidden(tag: StartTag) -> bool:
    return (tag.get("type") or "").lower() == "hidden"


def _close_p(tree: Tree, token: Token) -> None:
    """Close a p element, if one is in button scope."""
    if tree.in_scope(("p",), BUTTON_SCOPE):
        tree.imply_ends(token, but="p")
        tree.pop_until(("p",), token)


def _format(tree: Tree, tag: StartTag) -> None:
    before = active(tree, "a") if tag.name == "a" else None
    if before is not None:
        adopt(tree, "a", tag)
        if before in tree.formatting:  # the algorithm may leave it
            tree.formatting.remove(before)
        if (place := tree.place(before)) >= 0:
            tree.remove(place, tag)
    tree.reconstruct()
    if tag.name == "nobr" and tree.in_scope(("nobr",)):
        adopt(tree, "nobr", tag)
        tree.reconstruct()
    tree.remember(tree.push(tag.name, tag))


def _item(tree: Tree, tag: StartTag) -> None:
    """Close the item before, whose end tag may be left out."""
    tree.frameset_ok = False
    names = ("li",) if tag.name == "li" else ("dd", "dt")
    for node in reversed(tree.stack):
        tree.spend(1)
        if node.key in names:
            tree.imply_ends(tag, but=node.key)
            tree.pop_until((node.key,), tag)
            break
        if node.key in SPECIAL and node.key not in _ASIDE:
            break
    _close_p(tree, tag)
    tree.push(tag.name, tag)


def _ordinary(tree: Tree, tag: StartTag) -> None:
    tree.reconstruct()
    tree.push(tag.name, tag)


def _body(tree: Tree, _: StartTag) -> None:
    """Ignore a second body; its attributes go to the first."""
    if len(tree.stack) > 1 and tree.stack[1].key == "body" and not tree.has("template"):
        tree.frameset_ok = False


def _frameset(tree: Tree, tag: StartTag) -> None:
    if len(tree.stack) > 1 and tree.stack[1].key == "body" and tree.frameset_ok:
        while len(tree.stack) > 1:
            tree.pop(tag)
        tree.push("frameset", tag)
        tree.mode = "in frameset"


def _form(tree: Tree, tag: StartTag) -> None:
    template = tree.has("template")
    if tree.form is not None and not template:
        return
    _close_p(tree, tag)
    node = tree.push("form", tag)
    if not template:
        tree.form = node


def _button(tree: Tree, tag: StartTag) -> None:
    if tree.in_scope(("button",)):
        tree.imply_ends(tag)
        tree.pop_until(("button",), tag)
    _ordinary(tree, tag)
    tree.frameset_ok = False


def _marked(tree: Tree, tag: StartTag) -> None:
    _ordinary(tree, tag)
    tree.formatting.append(None)
    tree.frameset_ok = False


def _table(tree: Tree, tag: StartTag) -> None:
    if not tree.quirks:
        _close_p(tree, tag)
    tree.push("table", tag)
    tree.frameset_ok = False
    tree.mode = "in table"


def _hr(tree: Tree, tag: StartTag) -> None:
    _close_p(tree, tag)
    tree.frameset_ok = False


def _raw(tree: Tree, tag: StartTag) -> None:
    if tag.name == "xmp":
        _close_p(tree, tag)
        tree.reconstruct()
    if tag.name != "noembed":
        tree.frameset_ok = False
    head.raw_text(tree, tag)


def _plaintext(tree: Tree, tag: StartTag) -> None:
    _close_p(tree, tag)
    tree.push("plaintext", tag)


def _select(tree: Tree, tag: StartTag) -> None:
    _ordinary(tree, tag)
    tree.frameset_ok = False
    table = {"in table", "in caption", "in table body", "in row", "in cell"}
    tree.mode = "in select in table" if tree.mode in table else "in select"


def _option(tree: Tree, tag: StartTag) -> None:
    if tree.current == "option":
        tree.pop(tag)
    _ordinary(tree, tag)


def _ruby(tree: Tree, tag: StartTag) -> None:
    if tree.in_scope(("ruby",)):
        tree.imply_ends(tag, but="rtc" if tag.name in {"rp", "rt"} else "")
    tree.push(tag.name, tag)


def _foreign(tree: Tree, tag: StartTag) -> None:
    tree.reconstruct()
    if not tag.self_closing:
        foreign.push(tree, tag, ROOTS[tag.name])


def _nothing(_: Tree, __: StartTag) -> None:
    """Do nothing: an element without content, or a tag that is ignored."""


# ---------------------------------------------------------------- end tags


def _end(tree: Tree, tag: EndTag) -> None:
    name = tag.name
    if name in FORMATTING:
        adopt(tree, name, tag)
    elif name in _BLOCK_ENDS:
        if tree.in_scope((name,)):
            tree.imply_ends(tag)
            tree.pop_until((name,), tag)
    elif name in HEADINGS:
        if tree.in_scope(HEADINGS):
            tree.imply_ends(tag)
            tree.pop_until(HEADINGS, tag)
    else:
        _end_others.get(name, any_other_end)(tree, tag)


def _end_p(tree: Tree, tag: EndTag) -> None:
    # Without an open p, one is made and closed: it has no start tag, so nothing is to be noted.
    _close_p(tree, tag)


def _end_item(tree: Tree, tag: EndTag) -> None:
    scope = LIST_SCOPE if tag.name == "li" else None
    found = tree.in_scope((tag.name,), scope) if scope else tree.in_scope((tag.name,))
    if found:
        tree.imply_ends(tag, but=tag.name)
        tree.pop_until((tag.name,), tag)


def _end_body(tree: Tree, tag: EndTag) -> None:
    if not tree.in_scope(("body",)):
        return
    tree.mode = "after body"
    if len(tree.stack) > 1 and tree.stack[1].key == "body":
        tree.ends_at(tree.stack[1], tag.end)
        tree.ended.add(tree.stack[1])


def _end_html(tree: Tree, tag: EndTag) -> None:
    if tree.in_scope(("body",)):
        tree.again("after body", tag)


def _end_form(tree: Tree, tag: EndTag) -> None:
    if tree.has("template"):
        if tree.in_scope(("form",)):
            tree.imply_ends(tag)
            tree.pop_until(("form",), tag)
        return
    node, tree.form = tree.form, None
    if node is None or not node.is_open or not tree.in_scope(("form",)):
        return
    tree.imply_ends(tag)
    tree.remove(tree.place(node), tag)


def _end_marked(tree: Tree, tag: EndTag) -> None:
    if tree.in_scope((tag.name,)):
        tree.imply_ends(tag)
        tree.pop_until((tag.name,), tag)
        tree.clear_to_marker()


def _end_br(tree: Tree, _: EndTag) -> None:
    tree.reconstruct()
    tree.frameset_ok = False


_start_others: dict[str, Callable[[Tree, StartTag], None]] = {
    "body": _body,
    "frameset": _frameset,
    "form": _form,
    "button": _button,
    "table": _table,
    "hr": _hr,
    "plaintext": _plaintext,
    "select": _select,
    "option": _option,
    "optgroup": _option,
    "math": _foreign,
    "svg": _foreign,
}
_start_others |= dict.fromkeys(("param", "source", "track"), _nothing)
_start_others |= dict.fromkeys(_MARKED, _marked)
_start_others |= dict.fromkeys(_RAW, _raw)
_start_others |= dict.fromkeys(("rb", "rp", "rt", "rtc"), _ruby)

_end_others: dict[str, Callable[[Tree, EndTag], None]] = {
    "p": _end_p,
    "li": _end_item,
    "dd": _end_item,
    "dt": _end_item,
    "body": _end_body,
    "html": _end_html,
    "form": _end_form,
    "br": _end_br,
    "template": head.end_template,
}
_end_others |= dict.fromkeys(_MARKED, _end_marked)
