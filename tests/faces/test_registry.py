"""Registries: our table answers alone; installed packages are asked for names that it lacks."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import TYPE_CHECKING

import click
import pytest

from permacite.cli.command_table import COMMANDS
from permacite.cli.commands import Commands, commands, main
from permacite.errors import NotFoundError, PermaciteError
from permacite.registry import Registry

if TYPE_CHECKING:
    from pathlib import Path

PACKAGE = """\
import click
click_command = click.Command("greet", callback=lambda: click.echo("hello"), help="Say hello. Now.")
number = 7
"""
POINTS = """\
[permacite.commands]
greet = third_party:click_command
list = third_party:click_command
number = third_party:number
absent = third_party:missing
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a package that declares commands, one of them under a name of ours."""
    folder = tmp_path / "packages"
    (folder / "third_party-1.dist-info").mkdir(parents=True)
    (folder / "third_party.py").write_text(PACKAGE)
    (folder / "third_party-1.dist-info/METADATA").write_text("Name: third_party\nVersion: 1\n")
    (folder / "third_party-1.dist-info/entry_points.txt").write_text(POINTS)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.syspath_prepend(str(folder))
    return folder


def registry(group: str = "permacite.commands") -> Registry[click.Command]:
    sources = {
        "list": "permacite.cli.archive:list_",
        "absent-package": "no_such_package:command",
        "plain": "permacite.cli.archive:no_such_name",
    }
    return Registry(
        group, sources, kind=click.Command, extras={"absent-package": "server", "list": "server"}
    )


@pytest.mark.usefixtures("installed")
def test_ours_wins_and_an_installed_one_is_found_by_a_name_that_we_lack() -> None:
    parts = registry()
    assert parts.load("list") is importlib.import_module("permacite.cli.archive").list_
    assert parts.load("greet").help == "Say hello. Now."
    assert ("list" in parts, "greet" in parts, next(iter(parts))) == (True, False, "list")
    assert set(parts.installed()) == {"greet", "number", "absent"}


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("name", "problem"),
    [("number", "it is no Command"), ("absent", "it cannot be loaded: module")],
)
def test_what_cannot_be_loaded_is_left_out_with_a_warning(name: str, problem: str) -> None:
    parts = registry()
    with pytest.warns(RuntimeWarning, match=problem):
        assert parts.find(name) is None


def test_a_name_that_nothing_has_comes_with_those_that_there_are() -> None:
    with pytest.raises(NotFoundError, match="no command frob is installed") as error:
        registry().load("frob")
    assert error.value.candidates == ("list", "absent-package", "plain")


def test_a_missing_extra_is_one_sentence() -> None:
    with pytest.raises(PermaciteError) as error:
        registry().load("absent-package")
    assert str(error.value) == (
        "absent-package needs no_such_package (pip install 'permacite[server]')"
    )
    with pytest.raises(AttributeError):
        registry().load("plain")


def test_our_parts_are_found_without_asking_installed_packages() -> None:
    """Nothing but a name that the table lacks has importlib.metadata imported."""
    program = (
        "import sys; from permacite.cli.commands import main, commands; commands.load('list');"
        " main(['--help'], standalone_mode=False); assert 'importlib.metadata' not in sys.modules;"
        " commands.find('frob'); assert 'importlib.metadata' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def permacite(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "permacite", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.usefixtures("installed")
def test_help_all_lists_the_commands_of_installed_packages() -> None:
    assert "greet" not in permacite("--help").stdout
    told = permacite("--help", "--all")
    assert "Commands of installed packages:\n  greet  Say hello.\n" in told.stdout
    assert "absent (third_party:missing) is left out" in told.stderr
    assert permacite("--all", "-h").stdout == told.stdout
    assert permacite("greet").stdout == "hello\n"
    refused = permacite("--all", "list")
    assert (refused.returncode, "permacite --help --all" in refused.stderr) == (2, True)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_and_the_commands_agree(name: str) -> None:
    command = commands.load(name)
    assert command.name == name
    assert command.get_short_help_str(1000) == COMMANDS[name][1]


def test_help_lists_every_command_of_the_table() -> None:
    assert isinstance(main, Commands)
    assert main.list_commands(click.Context(main)) == list(COMMANDS)
    told = " ".join(permacite("--help").stdout.split())
    for name, (_, line) in COMMANDS.items():
        assert f"{name} {line}" in told


TABLES = [
    "permacite.archive.engine.location",
    "permacite.archive.engine.write_behind",
    "permacite.archive.objects.store",
    "permacite.cli.incoming.files",
    "permacite.service.ingest.collections",
    "permacite.service.preservation",
    "permacite.service.proofs.logs",
    "permacite.service.work.job_queue",
    "permacite.web.route_table",
]


@pytest.mark.parametrize("name", TABLES)
def test_the_parts_of_a_table_can_be_loaded(name: str) -> None:
    values = vars(importlib.import_module(name)).values()
    tables = [value for value in values if isinstance(value, Registry)]
    assert tables
    for parts in tables:
        for part in parts:
            assert parts.load(part) is parts.find(part)
