"""Configuration of commands: options out of a TOML file and the environment; `config check`.

`port` in the table `[serve]` is `--port` of `permacite serve`, and PERMACITE_SERVE_PORT in the
environment. What is typed comes first, then the environment, then the file, then the default.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from permacite.cli.output import emit, json_option, note, table
from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass
from permacite.limits import list_limits
from permacite.service.location import checked_location

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from permacite.service.location import Location

__all__ = ["ARCHIVE", "Given", "Told", "applied", "config", "read", "strangers", "told"]

ARCHIVE = "archive"
"""The one key of the file that is no command: the archive's folder."""

_MOST_BYTES = 1 << 20
_NONE: Mapping[str, object] = {}


@dataclass(frozen=True, slots=True)
class Given:
    """A value that an option is given, and what gives it."""

    name: str
    """The option's place, such as serve.port."""
    value: object
    source: str
    """The file's name, or that of the variable."""


@dataclass
class Told:
    """What commands are told, and what is wrong with it."""

    defaults: dict[str, Any] = field(default_factory=dict)
    """Values by the names of a command's parameters, as click's default map has them."""
    given: list[Given] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def read(path: Path) -> dict[str, object]:
    """The tables of a file. Raises UsageError where it is no TOML."""
    try:
        with path.open("rb") as file:
            octets = file.read(_MOST_BYTES + 1)
        if len(octets) > _MOST_BYTES:
            raise click.UsageError(f"{path}: expected a configuration, at most {_MOST_BYTES} bytes")
        return tomllib.loads(octets.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise click.UsageError(f"{path}: expected TOML in UTF-8: {error}") from error


def told(
    command: click.Command, name: str, table: object, environ: Mapping[str, str], *, source: str
) -> Told:
    """What the command `name` is told by its table of the file `source`, and by the environment."""
    reader = _Reader(environ, source)
    found = Told()
    found.defaults = reader.command(command, name, table, found)
    return found


def strangers(tables: Iterable[str], commands: Sequence[str], source: str) -> list[str]:
    """What is wrong with tables of the file that no command has."""
    known = [*commands, ARCHIVE]
    return [
        f"{source}: {name}: no command has that name{_nearest(name, known)}"
        for name in tables
        if name not in known
    ]


@dataclass(frozen=True, slots=True)
class _Reader:
    environ: Mapping[str, str]
    source: str

    def command(
        self, command: click.Command, name: str, table: object, found: Told
    ) -> dict[str, Any]:
        """The defaults of one command, and of those within a group."""
        if not isinstance(table, dict):
            found.problems.append(f"{self.source}: {name}: expected a table, [{name}]")
            table = _NONE
        if isinstance(command, click.Group):
            return self._group(command, name, table, found)
        options = dict(_options(command))
        wrong = [key for key in table if key not in options]
        found.problems += [
            f"{self.source}: {name}.{key}: {_unknown(name, key, options)}" for key in wrong
        ]
        defaults = {}
        for key, raw, source in self._values(name, table, options, found):
            option = options[key]
            try:
                value = option.type_cast_value(click.Context(command), raw)
            except (click.BadParameter, TypeError, ValueError) as error:
                problem = getattr(error, "message", None) or f"{raw!r} is no value of it"
                found.problems.append(f"{source}: {name}.{key}: {problem}")
                continue
            assert option.name is not None  # noqa: S101 - click names each
            defaults[option.name] = raw
            found.given.append(Given(f"{name}.{key}", value, source))
        return defaults

    def _group(
        self, group: click.Group, name: str, table: Mapping[str, object], found: Told
    ) -> dict[str, Any]:
        names = group.list_commands(click.Context(group))
        found.problems += [
            f"{self.source}: {name}.{key}: {name} has no command {key}{_nearest(key, names)}"
            for key in table
            if key not in names
        ]
        inner = {key: group.get_command(click.Context(group), key) for key in names}
        return {
            key: self.command(command, f"{name}.{key}", table.get(key, _NONE), found)
            for key, command in inner.items()
            if command is not None
        }

    def _values(
        self,
        name: str,
        table: Mapping[str, object],
        options: Mapping[str, click.Option],
        found: Told,
    ) -> Iterator[tuple[str, object, str]]:
        """Each key with its value and what gave it: the environment before the file."""
        head = f"PERMACITE_{_shouted(name)}_"
        variables = {head + _shouted(key): key for key in options}
        for variable in self.environ:
            if variable.startswith(head) and variable not in variables:
                problem = _unknown(name, variable.removeprefix(head).lower(), options)
                found.problems.append(f"{variable}: {problem}")
        for variable, key in variables.items():
            option = options[key]
            if variable in self.environ:
                text = self.environ[variable]
                several = option.multiple or option.nargs != 1
                raw = option.type.split_envvar_value(text) if several else text
                yield key, raw, variable
            elif key in table:
                value = table[key]
                is_one = option.multiple and isinstance(value, str)
                yield key, [value] if is_one else value, self.source  # one text: an array of one


def _options(command: click.Command) -> Iterator[tuple[str, click.Option]]:
    """The options of a command by their long names."""
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            for name in parameter.opts:
                if name.startswith("--"):
                    yield name.removeprefix("--"), parameter


def _shouted(name: str) -> str:
    return name.upper().replace("-", "_").replace(".", "_")


def _unknown(name: str, key: str, options: Iterable[str]) -> str:
    key = key.replace("_", "-")
    return f"{name} has no option --{key}{_nearest(key, options)}"


def _nearest(key: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(key, list(names), n=1)
    return f"; did you mean {near[0]}?" if near else ""


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
