"""The command about what commands are told beforehand: config check."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from permacite.cli.config.reading import ARCHIVE, Given, Told, read, strangers, told
from permacite.cli.output import emit, json_option, note, table
from permacite.errors import ParseError
from permacite.limits import list_limits
from permacite.service.location import checked_location

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permacite.service.location import Location

__all__ = ["applied", "config"]


def applied(ctx: click.Context, group: click.Group, path: Path | None) -> Location | None:
    """Give the command that is called its defaults; the archive's folder that the file names.

    Raises UsageError for a file that is wrong in what this command reads of it.
    """
    name = ctx.invoked_subcommand
    command = None if name is None else group.get_command(ctx, name)
    if name is None or command is None or name == config.name:
        return None
    tables = {} if path is None else read(path)
    found = told(command, name, tables.get(name, {}), os.environ, source=str(path))
    archive = _archive(tables, str(path), found)
    found.problems += strangers(tables, _names(group), str(path))
    if found.problems:
        raise click.UsageError("; ".join(found.problems))
    if found.defaults:
        ctx.default_map = {name: found.defaults}
    return archive


def _names(group: click.Group) -> list[str]:
    return group.list_commands(click.Context(group))


def _archive(tables: Mapping[str, object], path: str, found: Told) -> Location | None:
    folder = tables.get(ARCHIVE)
    if folder is None:
        return None
    if not isinstance(folder, str) or not folder:
        found.problems.append(f'{path}: {ARCHIVE}: expected the folder of an archive, in "..."')
        return None
    try:
        location = checked_location(folder)
    except ParseError as error:
        found.problems.append(f"{path}: {ARCHIVE}: {error.problem}")
        return None
    found.given.append(Given(ARCHIVE, folder, path))
    return location


@click.group()
def config() -> None:
    """Check what commands are told by a file and by the environment, and list all limits."""


@config.command("check")
@click.argument("path", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@json_option
@click.pass_context
def check(ctx: click.Context, /, path: Path | None, *, as_json: bool) -> None:
    """Check FILE and the environment, and list every option that they give, with its value.

    FILE is the one that --config or PERMACITE_CONFIG names, unless it is given. It is TOML:
    `archive` is the archive's folder, and each command has a table with its options, as in
    `[serve]` and `port = 8420`. The environment has the same names, as in PERMACITE_SERVE_PORT,
    and comes first.

    Exit status: 0 all of it is right, 2 something is not.
    """
    root = ctx.find_root()
    group = root.command
    assert isinstance(group, click.Group)  # noqa: S101 - the root is the group of all commands
    path = path or root.params.get("config")
    if path is not None and not path.is_file():
        raise click.UsageError(f"{path}: expected a file with a configuration")
    tables = {} if path is None else read(path)
    found = Told()
    _archive(tables, str(path), found)
    found.problems += strangers(tables, _names(group), str(path))
    for name in _names(group):
        command = group.get_command(root, name)
        if command is not None:
            one = told(command, name, tables.get(name, {}), os.environ, source=str(path))
            found.given += one.given
            found.problems += one.problems
    if as_json:
        emit({"given": found.given, "problems": found.problems})
    else:
        rows = [(item.name, item.value, item.source) for item in found.given]
        table(("option", "value", "given by"), rows)
    for problem in found.problems:
        note(problem)
    ctx.exit(2 if found.problems else 0)


@config.command("limits")
@json_option
def limits(*, as_json: bool) -> None:
    """List the limits: sizes, times and counts, each with the option that changes it.

    A limit without an option is fixed. Values are those without any configuration.
    """
    if as_json:
        emit([limit._asdict() for limit in list_limits()])
        return
    rows = [(item.name, item.shown, item.option, item.about) for item in list_limits()]
    table(("limit", "value", "option", "what it bounds"), rows)
