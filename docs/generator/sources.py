"""Source files read as text: where a public name is defined, and what its declaration says."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Module", "declaration", "load"]

_LONGEST_CONSTANT = 8
"""Lines; a longer constant is a table, and its value is left out."""

Functions = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """One parsed source file; `name` is its dotted name."""

    name: str
    root: Path
    lines: list[str]
    tree: ast.Module

    @property
    def public(self) -> list[str]:
        """What `__all__` lists, in its order."""
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and _names(node) == ["__all__"]:
                return [str(name) for name in ast.literal_eval(node.value)]
        return []

    @property
    def docstring(self) -> str:
        """What the module says of itself."""
        return ast.get_docstring(self.tree) or ""

    def find(self, name: str) -> tuple[Module, ast.stmt | None] | None:
        """The module that defines `name` and its statement (None: a module itself)."""
        for node in _statements(self.tree):
            if name in _names(node):
                return self, node
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if name == (alias.asname or alias.name):
                        return _imported(self.root, node.module or "", alias.name)
        inner = load(self.root, f"{self.name}.{name}")
        return None if inner is None else (inner, None)


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements at the top of a module, and those for type checkers alone."""
    for node in tree.body:
        yield node
        if isinstance(node, ast.If):
            yield from node.body


def _names(node: ast.stmt) -> list[str]:
    """Return the names that a statement at the top of a module defines."""
    if isinstance(node, (*Functions, ast.ClassDef)):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _imported(root: Path, module: str, name: str) -> tuple[Module, ast.stmt | None] | None:
    """Follow `from module import name`."""
    inner = load(root, f"{module}.{name}")
    if inner is not None:
        return inner, None
    outer = load(root, module)
    return None if outer is None else outer.find(name)


@cache
def load(root: Path, name: str) -> Module | None:
    """Read the module of that dotted name, or return None where there is no such file of ours."""
    base = root / "src" / name.replace(".", "/")
    for path in (base.with_name(f"{base.name}.py"), base / "__init__.py"):
        if path.exists():
            text = path.read_text(encoding="utf-8")
            return Module(name, root, text.splitlines(), ast.parse(text))
    return None


def declaration(module: Module, node: ast.stmt) -> str:
    """Return what `node` declares, with its docstring and without its body."""
    if isinstance(node, Functions):
        return "\n".join(_head(module, node))
    if isinstance(node, ast.ClassDef):
        return "\n".join(_class(module, node))
    return "\n".join(_constant(module, module.tree.body, node))


def _head(module: Module, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> list[str]:
    """Return decorators, signature and docstring of a function or class."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    if ast.get_docstring(node) is not None:
        return module.lines[first - 1 : node.body[0].end_lineno]
    body = node.body[0]
    starts = min([body.lineno, *(item.lineno for item in getattr(body, "decorator_list", []))])
    if starts == node.lineno:
        return module.lines[first - 1 : starts]
    above = module.lines[first - 1 : starts - 1]
    while (above and above[-1].strip().startswith(("#", '"'))) or not above[-1].strip():
        above.pop()
    return [*above, " " * (body.col_offset) + "..."]


def _class(module: Module, node: ast.ClassDef) -> Iterator[str]:
    """Yield the declaration of a class: head, then public fields, then public methods."""
    yield from _head(module, node)
    fields = [field for field in node.body if _is_field(field)]
    if fields:
        yield ""
    for field in fields:
        yield from _constant(module, node.body, field)
    yield from _methods(module, node)


def _methods(module: Module, node: ast.ClassDef, shown: set[str] | None = None) -> Iterator[str]:
    """The public methods of a class and of bases that stand on no page, each `shown` once."""
    shown = set() if shown is None else shown
    for method in node.body:
        if not isinstance(method, Functions) or method.name.startswith("_"):
            continue
        if method.name not in shown:
            shown.add(method.name)
            yield ""
            yield from _head(module, method)
    for base in node.bases:
        found = module.find(base.id) if isinstance(base, ast.Name) else None
        if found is not None and isinstance(found[1], ast.ClassDef) and not _is_shown(*found):
            yield from _methods(found[0], found[1], shown)


def _is_shown(module: Module, node: ast.stmt) -> bool:
    """Return whether the package of a module names a class of it in public."""
    package = load(module.root, ".".join(module.name.split(".")[:2]))
    return package is not None and not set(_names(node)).isdisjoint(package.public)


def _is_field(node: ast.stmt) -> bool:
    """Return whether a statement of a class body gives it a public field or constant."""
    names = _names(node) if isinstance(node, (ast.Assign, ast.AnnAssign)) else []
    return bool(names) and not names[0].startswith("_")


def _constant(module: Module, body: list[ast.stmt], node: ast.stmt) -> list[str]:
    """Return an assignment, shortened if it is a table, and the docstring that follows it."""
    end = node.end_lineno or node.lineno
    lines = module.lines[node.lineno - 1 : end]
    if len(lines) > _LONGEST_CONSTANT:
        lines = [lines[0].partition(" = ")[0] + " = ..."]
    following = body[body.index(node) + 1 : body.index(node) + 2]
    if following and isinstance(following[0], ast.Expr):
        value = following[0].value
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            lines = lines + module.lines[following[0].lineno - 1 : following[0].end_lineno]
    return lines
