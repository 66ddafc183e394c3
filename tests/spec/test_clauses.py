"""Every clause that is said to be done has a test, and every clause that a test names exists."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = tomllib.loads((ROOT / "tests/spec/clauses.toml").read_text(encoding="utf-8"))
CLAUSES: dict[str, dict[str, str]] = SOURCE["clauses"]
SPECIFICATIONS: dict[str, str] = SOURCE["specifications"]

STATUSES = {"done", "deviates", "not yet", "not ours"}
LEVELS = {"MUST", "SHALL", "SHOULD", "MAY", ""}

# A clause id, with or without a tail. The ids of media are words: those are looked for by name,
# since "media-type" and its like stand in tests for other reasons.
_NUMBERED = (
    r"(?:rfc[0-9]+|wilde00|pditext|capture|encoding|html|replay|webvtt|words)-[a-z][0-9]+"
    r"|pdi-[0-9]+"
)
_WORDS = "|".join(sorted((name for name in CLAUSES if name.startswith("media-")), key=len)[::-1])
NAMED = re.compile(rf"(?<![\w-])(?:{_NUMBERED}|{_WORDS})(?![\w])")


def literals(source: str) -> list[str]:
    """Return every string literal of a Python source, docstrings and parts of f-strings too."""
    nodes = ast.walk(ast.parse(source))
    return [
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


@cache
def named_by_tests() -> dict[str, str]:
    """Return each clause id that stands in a test, with one file that names it."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if path == Path(__file__).resolve():
            continue
        for text in literals(path.read_text(encoding="utf-8")):
            for name in NAMED.findall(text):
                found.setdefault(name, str(path.relative_to(ROOT)))
    return found


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("rfc2396-u04-empty-opaque-part", ["rfc2396-u04"]),
        ("see rfc5147-a1 and pdi-07.", ["rfc5147-a1", "pdi-07"]),
        ("media-clip-right-edge", ["media-clip"]),
        ("draft-mallery-urn-pdi-00", []),
        ("the media-type of text/html-h", []),
        ("rfc2396-u041", ["rfc2396-u041"]),
    ],
)
def test_ids_are_found_in_text(text: str, names: list[str]) -> None:
    assert NAMED.findall(text) == names


def test_every_done_clause_is_named_by_a_test() -> None:
    done = {name for name, row in CLAUSES.items() if row["status"] == "done"}
    assert sorted(done - named_by_tests().keys()) == [], "done, but no test names them"


def test_every_clause_that_a_test_names_exists() -> None:
    unknown = {name: path for name, path in named_by_tests().items() if name not in CLAUSES}
    assert unknown == {}


@pytest.mark.parametrize("name", CLAUSES)
def test_rows_are_whole(name: str) -> None:
    row = CLAUSES[name]
    assert row.keys() <= {"section", "level", "text", "status", "reason"}
    assert name.partition("-")[0] in SPECIFICATIONS
    assert row["status"] in STATUSES
    assert row["level"] in LEVELS
    assert row["text"].endswith(".")


@pytest.mark.parametrize(
    "name", [name for name, row in CLAUSES.items() if row["status"] in {"deviates", "not ours"}]
)
def test_what_is_not_done_on_purpose_says_why(name: str) -> None:
    assert CLAUSES[name].get("reason", "").strip()


def test_the_page_says_what_the_rows_say() -> None:
    """`./do docs` writes docs/conformance.md from the rows."""
    command = [sys.executable, str(ROOT / "docs/generate.py"), "--check", "conformance"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
