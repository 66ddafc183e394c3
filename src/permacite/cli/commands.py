"""The `permacite` program: the group of all commands, each imported when it is called."""

from __future__ import annotations

import gc
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from permacite.cli.command_table import COMMANDS
from permacite.cli.locations import LOCATION
from permacite.cli.output import guarded
from permacite.registry import Registry
from permacite.version import __version__

if TYPE_CHECKING:
    from permacite.service.location import Location

__all__ = ["commands", "main", "run", "uri"]

_LIKENESS = 0.6
_WHOLE_SENTENCE = 1000


_ALL = "permacite.all_commands"
"""Whether the list of commands has those of installed packages too: a key of the context's meta."""

commands = Registry(
    "permacite.commands",
    {name: source for name, (source, _) in COMMANDS.items()},
    kind=click.Command,
)


class _ArgparseCommand(click.Command):
    """`permacite uri`, which reads its words itself, since it needs no extra."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words as they are."""
        ctx.args = args
        return []

    def invoke(self, ctx: click.Context) -> int:
        """Run it with its words."""
        from permacite.cli import uri

        return uri.main(ctx.args)


uri = _ArgparseCommand("uri", help=COMMANDS["uri"][1], add_help_option=False)


class Commands(click.Group):
    """A group whose commands are imported when they are asked for."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words before the command; `--help --all` has no command."""
        if sorted(args) in (["--all", "--help"], ["--all", "-h"]):
            ctx.meta[_ALL] = True
            args = ["--help"]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of our commands, in the order of the help page."""
        del ctx
        return list(commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command: ours, else that of an installed package."""
        del ctx
        return commands.find(cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is meant. A misspelt one comes with those it is like."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, cutoff=_LIKENESS)
            if not near:
                raise
            meant = f"{error.message} Did you mean {' or '.join(near)}?"
            raise click.UsageError(meant, ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table's line for each of our commands, which imports none of them."""
        rows = [(name, line) for name, (_, line) in COMMANDS.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
        if ctx.meta.get(_ALL):
            found = {name: commands.find(name) for name in commands.installed()}
            more = [(name, _line(command)) for name, command in found.items() if command]
            with formatter.section("Commands of installed packages"):
                formatter.write_dl(more or [("none", "")])


def _line(command: click.Command) -> str:
    """The first sentence of a command's help, all of it."""
    return command.get_short_help_str(_WHOLE_SENTENCE)


def _refuse_all(ctx: click.Context, _option: click.Parameter, typed: bool) -> None:  # noqa: FBT001
    if typed and not ctx.resilient_parsing:
        raise click.UsageError("--all is for the list of commands: permacite --help --all")


@click.command(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="permacite")
@click.option(
    "--all",
    is_flag=True,
    expose_value=False,
    callback=_refuse_all,
    help="With --help alone: list the commands of installed packages too.",
)
@click.option(
    "--archive",
    type=LOCATION,
    envvar="PERMACITE_ARCHIVE",
    help="The archive's folder, or postgresql://HOST/DATABASE?objects=/FOLDER. Default:"
    " PERMACITE_ARCHIVE, else a folder of your user data.",
)
@click.option(
    "--config",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    envvar="PERMACITE_CONFIG",
    help="A file in TOML with options of commands; `permacite config check` says what it holds.",
)
@click.pass_context
def main(ctx: click.Context, archive: Location | None, config: Path | None) -> None:
    """Cite any part of any document, for good.

    Save a page as it was served, cite any part of it under a permanent name, and years later
    resolve the citation to exactly those words.
    """
    head = f"PERMACITE_{ctx.invoked_subcommand or ''}_".upper().replace("-", "_")
    if config is not None or any(name.startswith(head) for name in os.environ):
        from permacite.cli.config import applied

        told = applied(ctx, main, config)
        archive = archive or told
    ctx.obj = archive
    if not gc.isenabled():
        # The program imports without garbage collection. What came with the imports stays for good,
        # and need never be searched for garbage.
        gc.freeze()
        gc.enable()


def run(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit status. Never raises, never shows a traceback."""
    words = sys.argv[1:] if arguments is None else arguments
    return guarded(partial(_invoked, words), as_json="--json" in words)


def _invoked(words: list[str]) -> int:
    try:
        # Outside its standalone mode click returns what a command gave to ctx.exit.
        ended = main.main(words, prog_name="permacite", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort as error:
        raise KeyboardInterrupt from error
    return ended if isinstance(ended, int) else 0
