"""What a program imports before it answers: no more than it uses."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil

import pytest

import permacite

PACKAGES = [
    name
    for name in [
        "permacite",
        *(m.name for m in pkgutil.walk_packages(permacite.__path__, "permacite.")),
    ]
    if "on_demand(" in inspect.getsource(importlib.import_module(name))
    and name != "permacite.exports"
]


@pytest.mark.parametrize("name", PACKAGES)
def test_a_name_on_demand_is_what_checkers_take_it_for(name: str) -> None:
    """The imports under TYPE_CHECKING and those on demand give the same values."""
    package = importlib.import_module(name)
    imported = {
        alias.asname or alias.name: (node.module, alias.name)
        for block in ast.parse(inspect.getsource(package)).body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for shown, (room, source) in imported.items():
        assert getattr(package, shown) is getattr(importlib.import_module(str(room)), source)
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError, match="nonsense"):
        _ = package.nonsense
