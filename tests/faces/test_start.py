"""What a program imports before it answers: no more than it uses."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest
from tests.starting import Starter, start

import permacite
from permacite.cli.command_table import COMMANDS
from permacite.service.archive import Archive

PACKAGES = [
    name
    for name in [
        "permacite",
        *(m.name for m in pkgutil.walk_packages(permacite.__path__, "permacite.")),
    ]
    if "on_demand(" in inspect.getsource(importlib.import_module(name))
    and name != "permacite.exports"
]


NOT_TO_RESOLVE = (
    "permacite.archive.engine.packing",
    "permacite.archive.transport.backup",
    "permacite.archive.name_tree",
    "permacite.archive.postgresql",
    "permacite.archive.sqlite.copying",
    "permacite.archive.log.audit",
    "permacite.archive.log.bundles.",
    "permacite.archive.log.keys",
    "permacite.archive.model.submitted",
    "permacite.capture",
    "permacite.decoding",
    "permacite.extract.structure",
    "permacite.extract.media",
    "permacite.fragments.",
    "permacite.markup.",
    "permacite.mhtml",
    "permacite.service.citations.",
    "permacite.service.ingest.",
    "permacite.service.exchange.",
    "permacite.service.preservation",
    "permacite.service.proofs.",
    "permacite.service.quotations.",
    "permacite.service.reader.",
    "permacite.text.index",
    "permacite.text.sweep",
    "permacite.uri.",
    "permacite.web",
)
MOST_TO_RESOLVE = 123
"""Modules of ours; about 120 are, and 300 were. Each costs a third of a millisecond and more."""

MOST_TO_HELP = 12
PROJECT = Path(__file__).parents[2] / "pyproject.toml"

HEAVY = {
    "aiohttp", "asyncio", "av", "concurrent.futures", "cryptography", "difflib", "email.utils",
    "jinja2", "logging", "numpy", "PIL", "platformdirs", "rich", "socket", "starlette",
    "subprocess", "zipfile",
}  # fmt: skip


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
    for shown in imported.keys() & package.__all__:
        room, source = imported[shown]
        assert getattr(package, shown) is getattr(importlib.import_module(str(room)), source)
    assert set(package.__all__) <= set(dir(package))
    with pytest.raises(AttributeError, match="nonsense"):
        _ = package.nonsense


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that holds permacite, and nothing that comes with an extra."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "permacite.pth").write_text(f"{Path(permacite.__file__).parents[1]}\n")
    return folder / "bin" / "python"


def run(python: Path | str, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """What `permacite` prints."""
    command = [str(python), "-m", "permacite", *words]
    return subprocess.run(command, capture_output=True, text=True, input=given, check=False)


@pytest.mark.parametrize(
    ("words", "status", "printed"),
    [
        (("resolve", "../g?y#s", "http://a/b/c/d;p?q"), 0, "http://a/b/g?y#s\n"),
        (("normalize", "HTTP://A:80/./%7eb", "--level", "scheme"), 0, "http://a/~b\n"),
        (("find",), 0, "start  end  reference\n4      13   http://e/\n"),
        (("parse", "//h", "--faults"), 0, "offset  problem  rule\n"),
        (("parse", "a:b"), 0, "component    text\nscheme       a\nopaque_part  b\n"),
        (("frob",), 2, ""),
        (("normalize", "a", "--level", "x"), 2, ""),
        ((), 2, ""),
    ],
)
def test_uri_needs_no_extra(bare: Path, words: tuple[str, ...], status: int, printed: str) -> None:
    outcome = run(bare, "uri", *words, given="see http://e/ now")
    assert (outcome.returncode, outcome.stdout) == (status, printed), outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_an_error_needs_no_extra(bare: Path) -> None:
    outcome = run(bare, "uri", "parse", "http://a b/")
    assert (outcome.returncode, outcome.stdout) == (2, "")
    assert outcome.stderr.endswith("\n  http://a b/\n          ^\n")
    told = json.loads(run(bare, "uri", "parse", "http://a b/", "--json").stderr)
    assert (told["code"], told["offset"]) == ("syntax", 8)


@pytest.mark.parametrize("words", [("list",), ("--help",), ("save", "http://a/"), ()])
def test_other_commands_say_which_extra_they_need(bare: Path, words: tuple[str, ...]) -> None:
    outcome = run(bare, *words)
    assert (outcome.returncode, outcome.stdout) == (1, "")
    assert "pip install 'permacite[archive]'" in outcome.stderr


def imported(python: Path | str, *words: str) -> set[str]:
    """Every module that a program imports."""
    command = [str(python), "-X", "importtime", *words]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stderr.splitlines()
    return {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}


SCRIPT = "import sys; from permacite.__main__ import main; sys.exit(main())"
"""What the installed program runs."""


@pytest.mark.parametrize("words", [(SCRIPT, "--version"), ("import permacite",)])
def test_little_is_imported_to_tell_the_version(bare: Path, words: tuple[str, ...]) -> None:
    more = imported(bare, "-c", *words) - imported(bare, "-c", "pass")
    known = {"permacite", "permacite.__main__", "permacite.exports", "permacite.version"}
    assert more <= {"__future__", "gc", *known}


def test_the_list_of_commands_imports_no_command() -> None:
    """A static table answers `--help`: click is what it takes, and a handful of ours."""
    told = imported(sys.executable, "-c", SCRIPT, "--help")
    ours = {name for name in told if name.startswith("permacite.")}
    assert ours & {source.partition(":")[0] for source, _ in COMMANDS.values()} == {
        "permacite.cli.commands"  # which holds the table's stand-in for `uri`
    }
    assert len(ours) <= MOST_TO_HELP
    assert not any(name.startswith(("permacite.service", "permacite.archive")) for name in ours)
    assert told & (HEAVY | {"importlib.metadata"}) == set()


def test_the_version_is_told(bare: Path) -> None:
    for python in (bare, sys.executable):
        assert run(python, "--version").stdout == f"permacite, version {permacite.__version__}\n"


@pytest.fixture(scope="module")
def resolved(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """What is imported to resolve a passage of a plain text in a small archive."""
    folder = tmp_path_factory.mktemp("small") / "archive"
    with Archive.create(folder, series="lab.example.us") as archive:
        saved = archive.add(b"The harbour is closed.\r\n", name="notice.txt")
    program = ("-c", SCRIPT, "--archive", str(folder), "resolve", f"{saved.pdi}#char=4,11")
    return imported(sys.executable, *program)


def test_resolving_imports_what_it_needs(resolved: set[str]) -> None:
    """A passage of a plain text needs no page, no proof, no capture and no other use case."""
    ours = {name for name in resolved if name.startswith("permacite.")}
    assert "permacite.service.resolution.resolving" in ours
    assert {name for name in ours if name.startswith(NOT_TO_RESOLVE)} == set()
    assert len(ours) <= MOST_TO_RESOLVE


def test_resolving_imports_no_heavy_library(resolved: set[str]) -> None:
    assert resolved & HEAVY == set()


def test_a_text_is_imported_without_any_annex(tmp_path: Path) -> None:
    """A plain file costs no reader of crawls, bags or libraries, and no heavy library."""
    Archive.create(tmp_path / "archive", series="lab.example.us").close()
    (tmp_path / "notice.txt").write_text("The harbour is closed.\n")
    words = ("--archive", str(tmp_path / "archive"), "import", str(tmp_path / "notice.txt"))
    told = imported(sys.executable, "-c", SCRIPT, *words)
    contracts = tomllib.loads(PROJECT.read_text())["tool"]["importlinter"]["contracts"]
    protected = [each["protected_modules"] for each in contracts if each["type"] == "protected"]
    annexes = tuple(name for names in protected for name in names)
    assert "permacite.service.exchange" in annexes
    assert "permacite.service.ingest.files" in told
    assert {name for name in told if name.startswith(annexes)} == set()
    assert "permacite.capture.model" not in told
    assert told & HEAVY == set()


@pytest.mark.parametrize("is_used", [True, False])
def test_a_fork_is_told_what_a_process_of_its_own_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_used: bool
) -> None:
    """Where it stands and what it is told counts, not what the one that it is a fork of was."""
    monkeypatch.setattr(Starter, "is_used", is_used)
    monkeypatch.chdir(tmp_path)
    Archive.create(tmp_path / "here", series="lab.example.us").close()
    monkeypatch.setenv("PERMACITE_ARCHIVE", "here")
    process = start(["resolve", "urn:pdi://lab.example.us/2026/11/21/7.text.1"])
    assert process.stderr is not None
    with process.stderr as told:
        assert told.read() == "permacite: no document urn:pdi://lab.example.us/2026/11/21/7 here\n"
    assert process.wait(30) == 1
