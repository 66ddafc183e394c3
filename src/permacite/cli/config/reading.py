"""Options out of a file in TOML and out of the environment, under the names that commands have.

`port` in the table `[serve]` is `--port` of `permacite serve`, and PERMACITE_SERVE_PORT in the
environment. What is typed comes first, then the environment, then the file, then the default.
"""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

__all__ = ["ARCHIVE", "Given", "Told", "read", "strangers", "told"]

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
    command: click.Command,
    name: str,
    table: object,
    environ: Mapping[str, str],
    *,
    source: str,
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
