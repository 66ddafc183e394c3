"""Commands that pages show are as the command line takes them: every word, every option needed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from permacite.cli.commands import main

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

_CONSOLE = re.compile(r"^```(?:console|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^(?:\$ |.*?\$\(| *)(permacite [a-z(].*)$", re.MULTILINE)
_ENDS = {"|", ">", ">>", "<", "||", "&&", ")", ";", "2>", "&"}


def commands() -> Iterator[tuple[str, str]]:
    """Yield each command that a page shows, with the page's name."""
    for page in PAGES:
        for block in _CONSOLE.findall(page.read_text("utf-8")):
            for line in _COMMAND.findall(block.replace("\\\n", " ")):
                yield str(page.relative_to(ROOT)), line


def words(line: str) -> list[str]:
    """Return the words of one command, without what a shell does with what it prints."""
    said = re.sub(r"\$\{\w+:\+([^}]*)\}", r"\1", line)  # words that stand there if a name is set
    lexer = shlex.shlex(said, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    arguments: list[str] = []
    for word in lexer:
        if word in _ENDS:
            break
        arguments.append(word)
    return arguments[1:]


def refused(arguments: list[str]) -> str:
    """Return why the command line does not take these words; files need not be there."""
    command: click.Command = main
    while isinstance(command, click.Group):
        name, *arguments = arguments or [""]
        inner = command.get_command(click.Context(command), name)
        if inner is None:
            return f"{command.name} has no command {name!r}"
        command = inner
    try:
        command.make_context(command.name, arguments)
    except click.BadParameter as error:
        if isinstance(error, click.MissingParameter) or "does not exist" not in error.message:
            return error.format_message()
    except click.UsageError as error:
        return error.format_message()
    return ""


@pytest.mark.parametrize(("page", "line"), sorted(set(commands())))
def test_a_command_that_is_shown_is_taken(page: str, line: str) -> None:
    assert refused(words(line)) == "", page


def test_a_command_that_lacks_something_is_refused() -> None:
    assert "--reason" in refused(words("permacite withdraw urn:pdi://a.us/2026/1/1/1"))
    assert "No such option" in refused(words("permacite list --no-such | jq"))
    assert "no command" in refused(["lst"])
