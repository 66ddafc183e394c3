"""The house keeps its own rules: captions, sizes, names of rooms, and nothing of one machine."""

from __future__ import annotations

import ast
import re
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from tests.needs import find
from tests.structure import statements

ROOT = Path(__file__).resolve().parents[2]

LONGEST_FUNCTION = 60
LONGEST_FILE = 500
MOST_FILES = 20
ROOMS_THAT_SAY_NOTHING = {"utils", "util", "helpers", "helper", "common", "misc"}

# Documents under test, taken as they are: what stands in them is their own business.
DATA = ("tests/golden/", "demo/site/", "fuzz/seeds/")

# Written so that no pattern matches its own source.
FORBIDDEN = {
    "a package index host": re.compile(r"(?:pypi|pythonhosted)[.](?:org|io)|[.]pypi[.]"),
    "a package index option": re.compile(r"index[-_]url|(?<![\w-])find[-]links"),
    "a path of one machine": re.compile(r"(?<![\w./:>-])/(?:work|root)(?:/|(?!\w))"),
}

_COMMENT = {
    ".css": re.compile(r"/\*+ \w"),
    ".js": re.compile(r"(?://|/\*+) \w"),
    ".sql": re.compile(r"-- \w"),
    ".toml": re.compile(r"# \w"),
    ".sh": re.compile(r"(?:#!.*\n)?# \w"),
    ".md": re.compile(r"# \S"),
    ".html": re.compile(r"\{#-? \w|<!-- \w|<!doctype html>", re.IGNORECASE),
}
"""How a file of each kind begins: with what it is for."""


@cache
def files() -> tuple[str, ...]:
    """Return the files of this repository, or of an unpacked archive of it."""
    git = find("git")
    command = [git or "", "ls-files", "-z"]
    listed = git and subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if listed and not listed.returncode:
        found = [name for name in listed.stdout.decode().split("\0") if name]
    else:
        folders = ("src", "tests", "docs", "benchmarks", "fuzz", "changes", "demo")
        paths = [path for folder in folders for path in (ROOT / folder).rglob("*")]
        found = [str(path.relative_to(ROOT)) for path in paths if "__pycache__" not in path.parts]
    return tuple(sorted(name for name in found if (ROOT / name).is_file()))


def texts(*suffixes: str, under: str = "") -> list[tuple[str, str]]:
    """Return name and text of each file with one of `suffixes` (none: all) that is not data."""
    found = []
    for name in files():
        wanted = not suffixes or name.endswith(suffixes)
        if wanted and name.startswith(under) and not name.startswith(DATA):
            content = (ROOT / name).read_bytes()
            if b"\0" not in content:
                found.append((name, content.decode("utf-8")))
    return found


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_names(what: str) -> None:
    found = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if FORBIDDEN[what].search(line)
    ]
    assert found == []


def test_the_patterns_find_what_they_forbid() -> None:
    samples = {
        "a package index host": "https://py" + "pi.org/simple",
        "a package index option": "pip install --index" + "-url x",
        "a path of one machine": 'open("/' + 'root/x")',
    }
    assert [what for what, text in samples.items() if not FORBIDDEN[what].search(text)] == []
    assert not FORBIDDEN["a path of one machine"].search("http://a/root/x and tests/work/y")


def test_python_files_begin_with_a_caption() -> None:
    bare = []
    for name, text in texts(".py"):
        first = text.partition("\n")[0]
        if not re.match(r'r?"""\S.*(?:[.?:]|""")$', first):
            bare.append(f"{name}: {first[:80]}")
    assert bare == []


@pytest.mark.parametrize("suffix", _COMMENT)
def test_other_files_begin_with_a_caption(suffix: str) -> None:
    assert [name for name, text in texts(suffix) if not _COMMENT[suffix].match(text)] == []


def test_scripts_begin_with_a_caption() -> None:
    scripts = [(name, text) for name, text in texts() if text.startswith("#!")]
    assert [name for name, text in scripts if not re.match(r"#!.*\n# \w", text)] == []


def test_no_function_is_longer_than_a_screen() -> None:
    long = []
    for name, text in texts(".py"):
        if text.count("\n") < LONGEST_FUNCTION:
            continue  # nothing in it is longer
        for node in statements(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                size = (node.end_lineno or 0) - node.lineno + 1
                if size > LONGEST_FUNCTION:
                    long.append(f"{name}:{node.lineno}: {node.name} has {size} lines")
    assert long == []


def test_no_source_file_is_too_long() -> None:
    """Generated tables are exempt, if their caption says what generates them."""
    long = {
        name: text
        for name, text in texts(".py", ".js", ".css", ".sql", ".html", under="src/")
        if text.count("\n") > LONGEST_FILE
    }
    captions = {
        name: ast.get_docstring(ast.parse(text)) or "" if name.endswith(".py") else ""
        for name, text in long.items()
    }
    assert [name for name, caption in captions.items() if "enerated by" not in caption] == []


def test_no_package_has_too_many_files() -> None:
    """The doorway, __init__.py, is not counted."""
    rooms = [Path(name) for name, _ in texts(".py", under="src/")]
    modules = Counter(str(room.parent) for room in rooms if room.name != "__init__.py")
    assert {folder: count for folder, count in modules.items() if count > MOST_FILES} == {}


def test_no_room_has_a_name_that_says_nothing() -> None:
    parts = {
        name: {part.strip("_") for part in Path(name).with_suffix("").parts} for name in files()
    }
    assert [name for name, words in parts.items() if words & ROOMS_THAT_SAY_NOTHING] == []
