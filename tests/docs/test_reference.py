"""What the software offers is in the reference: names, commands, options, errors, routes."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import click
import pytest

import permacite
from permacite import errors, service
from permacite.cli import uri
from permacite.cli.commands import main
from permacite.service.plain import STATUS
from permacite.web.route_table import TABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (
    "charsets",
    "uri",
    "fragments",
    "markup",
    "mhtml",
    "pdi",
    "extract",
    "captions",
    "renditions",
    "errors",
)
ROOMS = ("rfc5147", "wilde00", "bre", "quote", "alignment", "convert")
MODULES = (*PACKAGES, *(f"fragments.{room}" for room in ROOMS), "mhtml.links", "mhtml.export")


@cache
def page(name: str) -> str:
    """Return the text of one page of the reference."""
    return (ROOT / "docs/reference" / f"{name}.md").read_text(encoding="utf-8")


def test_generated_pages_say_what_the_code_says() -> None:
    """`./do docs` writes them."""
    command = [sys.executable, str(ROOT / "docs/generate.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_in_the_reference(name: str) -> None:
    module = importlib.import_module(f"permacite.{name}")
    text = page(name.partition(".")[0])
    missing = [item for item in module.__all__ if not _mentions(text, item)]
    assert module.__all__
    assert missing == []


def test_the_library_is_in_the_reference() -> None:
    """The names of `permacite`, the methods of an archive, and what they answer with."""
    methods = [name for name in dir(permacite.Archive) if not name.startswith("_")]
    rooms = {name for name in permacite.__all__ if isinstance(getattr(permacite, name), ModuleType)}
    names = [*(set(permacite.__all__) - rooms), *service.__all__, *methods]
    assert {"create", "Listing", "Shown", "resolve"} <= set(names)
    assert [name for name in names if not _mentions(page("library"), name)] == []


def _mentions(text: str, name: str) -> bool:
    """Return whether `name` stands in `text` as a whole word."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    """Yield every command of the tree, with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, f"{path} {name} is listed but does not exist"
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from _commands(command, f"{path} {name}")


@cache
def chapters() -> dict[str, str]:
    """Return the chapter of each command in the reference, by the words that call it."""
    found = re.findall(
        r"^## (permacite[^\n]*)\n(.*?)(?=^## |\Z)", page("cli"), re.MULTILINE | re.DOTALL
    )
    return dict(found)


def test_every_command_and_option_is_in_the_reference() -> None:
    missing = []
    for path, command in [("permacite", main), *_commands(main, "permacite")]:
        options = [each for each in command.params if isinstance(each, click.Option)]
        named = [each.opts[0] for each in options if not each.hidden]
        absent = [name for name in named if not _mentions(chapters()[path], name.lstrip("-"))]
        missing += [f"{path} {name}" for name in absent]
    assert missing == []


@pytest.mark.parametrize("path", uri.parsers())
def test_every_option_that_argparse_reads_is_in_the_reference(path: str) -> None:
    named = re.findall(r"^  (?:-h, )?--([a-z]+)", uri.parsers()[path].format_help(), re.MULTILINE)
    assert [name for name in named if not _mentions(chapters()[path], name)] == []
    assert "help" in named


def test_every_command_and_option_says_what_it_is_for() -> None:
    silent = []
    for path, command in [("permacite", main), *_commands(main, "permacite")]:
        silent += [] if command.help else [path]
        options = [each for each in command.params if isinstance(each, click.Option)]
        silent += [f"{path} {each.opts[0]}" for each in options if not each.help]
    assert silent == []


def test_every_command_tells_its_exit_status() -> None:
    silent = [
        path
        for path, command in _commands(main, "permacite")
        if not isinstance(command, click.Group) and "Exit status" not in chapters()[path]
    ]
    assert silent == []


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_is_in_the_reference(name: str) -> None:
    kind: type[errors.PermaciteError] = getattr(errors, name)
    row = next(line for line in page("errors").splitlines() if f"| [{name}](" in line)
    assert [word for word in (kind.code, *kind.fields) if f"`{word}`" not in row] == []


def test_every_error_code_has_a_status() -> None:
    assert STATUS.keys() == {getattr(errors, name).code for name in errors.__all__}


def test_every_route_is_in_the_reference() -> None:
    headings = [line.split()[-1] for line in page("http").splitlines() if line.startswith("## ")]
    assert headings == [route.path for route in TABLE]
