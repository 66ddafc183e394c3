"""Possessive patterns match the same on every Python, including versions with the old bug."""

from __future__ import annotations

import gc
import importlib
import pkgutil
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import permacite
from permacite.scan import atomic, compile_pattern

SOURCES = sorted(Path(permacite.__file__).parent.rglob("*.py"))
ENOUGH = 200
"""Patterns; fewer, and the test below has not seen them."""
FACES = ("cli", "web")
"""They import nothing so low, and need no such groups."""


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        ("(?:ab?c)*+", "(?>(?:ab?c)*)"),
        ("(a)?+(b)", "(?>(a)?)(b)"),
        ("(?:(?:a|b)++c){2,3}+d", "(?>(?:(?>(?:a|b)+)c){2,3})d"),
        ("[(]*+a++", "[(]*+a++"),
        (r"\(?+[^)]*+\)*+", r"\(?+[^)]*+\)*+"),
        (r"[]()*+]++([\])]a)*+", r"[]()*+]++(?>([\])]a)*)"),
        ("(a)+(b)?", "(a)+(b)?"),
        (r"(a)\++", r"(a)\++"),
    ],
)
def test_possessive_groups_become_atomic(pattern: str, written: str) -> None:
    assert atomic(pattern) == written


def test_this_python_runs_them_as_they_mean() -> None:
    found = compile_pattern("(?:ab?c)*+").match("aca")
    assert found is not None
    assert found.span() == (0, 2)
    assert compile_pattern(b"(?:%[0-9]b?c)*+(x)").match(b"%1c%2bcx")


@given(st.text(alphabet="abc()%=?#", max_size=12))
def test_both_ways_of_writing_match_alike(text: str) -> None:
    pattern = r"(?:a|%[ab]c?)*+(?:=(?:b|c)++)?+(?:#([abc]*+))?+"
    ours = re.compile(atomic(pattern)).match(text)
    given_ = compile_pattern(pattern).match(text)
    assert ours is not None
    assert given_ is not None
    assert ours.span() == given_.span()


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_every_pattern_is_compiled_in_one_place(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    if set(path.parts) & set(FACES):
        assert not re.search(r"\)[*+?}]\+", source)
    elif path.name != "scan.py":
        assert not re.search(r"\bre\.compile\(", source)


def test_every_pattern_compiles() -> None:
    """Patterns wait for their first use: a fault in one would show only there."""
    for module in pkgutil.walk_packages(permacite.__path__, "permacite."):
        importlib.import_module(module.name)
    lazy = type(compile_pattern("a"))
    gc.unfreeze()  # what was imported before tests began (tests/conftest.py) is among them again
    patterns = [pattern for pattern in gc.get_objects() if type(pattern) is lazy]
    gc.freeze()
    assert len(patterns) > ENOUGH
    for pattern in patterns:
        assert pattern.groups >= 0, pattern.pattern
