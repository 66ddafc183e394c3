"""Rules of tables and of select (HTML §13.2.6.4.9 to .17).

Where a table's rules send a token to the body's, the standard moves what it makes in front of the
table ("foster parenting"). That changes the tree, not where elements end in the source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.markup.names import CELLS, SECTIONS, TABLE_PARTS
from permacite.markup.tokens import EndTag, StartTag
from permacite.markup.tree import head

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.markup.tree.construction import Token, Tree

__all__ = ["RULES"]

_ASIDE = frozenset({"body", "caption", "col", "colgroup", "html"})
_IN_TABLE = frozenset({"style", "script", "template"})
_TABLE = frozenset({"table", "template", "html"})
_BODY = SECTIONS | {"template", "html"}
_ROW = frozenset({"tr", "template", "html"})
_SELECT_SCOPE = frozenset({"optgroup", "option"})
_LEAVES_SELECT = SECTIONS | CELLS | {"caption", "table", "tr"}


def _in_table(tree: Tree, token: Token) -> None:
    if isinstance(token, StartTag):
        _start_in_table(tree, token)
    elif isinstance(token, EndTag):
        if token.name == "table":
            _end_table(tree, token)
        elif token.name == "template":
            head.end_template(tree, token)
        elif token.name not in TABLE_PARTS | {"body", "html"}:
            tree.by("in body", token)
    elif tree.current not in SECTIONS | {"table", "template", "tr"} or not token.blank:
        tree.by("in body", token)


def _start_in_table(tree: Tree, tag: StartTag) -> None:
    name = tag.name
    if name == "caption":
        tree.pop_to(_TABLE, tag)
        tree.formatting.append(None)
        tree.push(name, tag)
        tree.mode = "in caption"
    elif name in TABLE_PARTS:
        _part(tree, tag)
    elif name == "table":
        if _end_table(tree, tag):
            tree.handle(tag)
    elif name in _IN_TABLE:
        head.in_head(tree, tag)
    elif name == "form":
        _form(tree, tag)
    elif name != "input" or (tag.get("type") or "").lower() != "hidden":
        tree.by("in body", tag)


def _part(tree: Tree, tag: StartTag) -> None:
    """Open a column group or a section, or one that the tag leaves out."""
    implied, mode = "tbody", "in table body"
    if tag.name in {"col", "colgroup"}:
        implied, mode = "colgroup", "in column group"
    written = tag.name in SECTIONS | {"colgroup"}
    tree.pop_to(_TABLE, tag)
    tree.push(tag.name if written else implied, tag if written else None)
    tree.mode = mode
    if not written:
        tree.by(mode, tag)


def _form(tree: Tree, tag: StartTag) -> None:
    """Note a form, which a table does not hold: it is closed at once."""
    if tree.form is None and not tree.has("template"):
        tree.form = tree.push("form", tag)
        tree.take_away(len(tree.stack) - 1)


def _end_table(tree: Tree, token: Token) -> bool:
    if not tree.in_table_scope("table"):
        return False
    tree.pop_until(("table",), token)
    tree.reset_mode()
    return True


def _in_caption(tree: Tree, token: Token) -> None:
    name = token.name if isinstance(token, StartTag | EndTag) else ""
    if isinstance(token, EndTag):
        if name in {"caption", "table"}:
            if _end_caption(tree, token) and name == "table":
                tree.handle(token)
        elif name not in TABLE_PARTS | {"body", "html"}:
            tree.by("in body", token)
    elif name in TABLE_PARTS:
        if _end_caption(tree, token):
            tree.handle(token)
    else:
        tree.by("in body", token)


def _end_caption(tree: Tree, token: Token) -> bool:
    if not tree.in_table_scope("caption"):
        return False
    tree.imply_ends(token)
    tree.pop_until(("caption",), token)
    tree.clear_to_marker()
    tree.mode = "in table"
    return True


def _in_column_group(tree: Tree, token: Token) -> None:
    if isinstance(token, StartTag):
        if token.name in {"col", "html"}:
            return
        if token.name == "template":
            head.in_head(tree, token)
            return
    elif isinstance(token, EndTag):
        if token.name == "colgroup" and tree.current == "colgroup":
            tree.pop(token)
            tree.mode = "in table"
        if token.name == "template":
            head.end_template(tree, token)
        if token.name in {"col", "colgroup", "template"}:
            return
    elif token.blank:
        return
    if tree.current == "colgroup":
        tree.pop(token)
        tree.mode = "in table"
        tree.handle(token)


def _in_table_body(tree: Tree, token: Token) -> None:
    name = token.name if isinstance(token, StartTag | EndTag) else ""
    if isinstance(token, StartTag) and name in CELLS | {"tr"}:
        tree.pop_to(_BODY, token)
        tree.push("tr", token if name == "tr" else None)
        tree.mode = "in row"
        if name in CELLS:
            tree.by("in row", token)
    elif isinstance(token, EndTag) and name in SECTIONS:
        if tree.in_table_scope(name):
            _end_section(tree, token)
    elif (isinstance(token, StartTag) and name in SECTIONS | {"caption", "col", "colgroup"}) or (
        isinstance(token, EndTag) and name == "table"
    ):
        if tree.in_table_scope(*SECTIONS):
            _end_section(tree, token)
            tree.handle(token)
    elif not isinstance(token, EndTag) or name not in _ASIDE | CELLS | {"tr"}:
        tree.by("in table", token)


def _end_section(tree: Tree, token: Token) -> None:
    tree.pop_to(_BODY, token)
    tree.pop(token)
    tree.mode = "in table"


def _in_row(tree: Tree, token: Token) -> None:
    name = token.name if isinstance(token, StartTag | EndTag) else ""
    if isinstance(token, StartTag) and name in CELLS:
        tree.pop_to(_ROW, token)
        tree.push(name, token)
        tree.mode = "in cell"
        tree.formatting.append(None)
    elif isinstance(token, EndTag) and name in SECTIONS | {"table", "tr"}:
        wanted = tree.in_table_scope(name) or name == "table"
        if wanted and _end_row(tree, token) and name != "tr":
            tree.handle(token)
    elif isinstance(token, StartTag) and name in TABLE_PARTS:
        if _end_row(tree, token):
            tree.handle(token)
    elif not isinstance(token, EndTag) or name not in _ASIDE | CELLS:
        tree.by("in table", token)


def _end_row(tree: Tree, token: Token) -> bool:
    if not tree.in_table_scope("tr"):
        return False
    tree.pop_to(_ROW, token)
    tree.pop(token)
    tree.mode = "in table body"
    return True


def _in_cell(tree: Tree, token: Token) -> None:
    name = token.name if isinstance(token, StartTag | EndTag) else ""
    if isinstance(token, EndTag) and name in CELLS:
        if tree.in_table_scope(name):
            _end_cell(tree, token, name)
    elif isinstance(token, StartTag) and name in TABLE_PARTS:
        if tree.in_table_scope("td", "th"):
            _end_cell(tree, token)
            tree.handle(token)
    elif isinstance(token, EndTag) and name in SECTIONS | {"table", "tr"}:
        if tree.in_table_scope(name):
            _end_cell(tree, token)
            tree.handle(token)
    elif not isinstance(token, EndTag) or name not in _ASIDE:
        tree.by("in body", token)


def _end_cell(tree: Tree, token: Token, name: str = "") -> None:
    tree.imply_ends(token)
    tree.pop_until((name,) if name else CELLS, token)
    tree.clear_to_marker()
    tree.mode = "in row"


# ---------------------------------------------------------------- select


def _in_select(tree: Tree, token: Token) -> None:
    if isinstance(token, StartTag):
        _start_in_select(tree, token)
    elif isinstance(token, EndTag):
        _end_in_select(tree, token)


def _start_in_select(tree: Tree, tag: StartTag) -> None:
    name = tag.name
    if name in {"hr", "optgroup", "option"}:
        if tree.current == "option":
            tree.pop(tag)
        if name != "option" and tree.current == "optgroup":
            tree.pop(tag)
        if name != "hr":
            tree.push(name, tag)
    elif name in {"input", "keygen", "select", "textarea"}:
        if _end_select(tree, tag) and name != "select":
            tree.handle(tag)
    elif name in {"script", "template"}:
        head.in_head(tree, tag)


def _end_in_select(tree: Tree, tag: EndTag) -> None:
    if tag.name == "optgroup":
        if tree.current == "option" and tree.stack[-2].key == "optgroup":
            tree.pop(tag)
        if tree.current == "optgroup":
            tree.pop(tag)
    elif tag.name == "option":
        if tree.current == "option":
            tree.pop(tag)
    elif tag.name == "select":
        _end_select(tree, tag)
    elif tag.name == "template":
        head.end_template(tree, tag)


def _end_select(tree: Tree, token: Token) -> bool:
    """Close the select element, unless other than its options are open in it."""
    for node in reversed(tree.stack):
        tree.spend(1)
        if node.key == "select":
            tree.pop_until(("select",), token)
            tree.reset_mode()
            return True
        if node.key not in _SELECT_SCOPE:
            break
    return False


def _in_select_in_table(tree: Tree, token: Token) -> None:
    name = token.name if isinstance(token, StartTag | EndTag) else ""
    if name not in _LEAVES_SELECT:
        _in_select(tree, token)
    elif isinstance(token, StartTag) or tree.in_table_scope(name):
        tree.pop_until(("select",), token)
        tree.reset_mode()
        tree.handle(token)


RULES: dict[str, Callable[[Tree, Token], None]] = {
    "in table": _in_table,
    "in caption": _in_caption,
    "in column group": _in_column_group,
    "in table body": _in_table_body,
    "in row": _in_row,
    "in cell": _in_cell,
    "in select": _in_select,
    "in select in table": _in_select_in_table,
}
