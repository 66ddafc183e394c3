"""The group of all commands: each is imported when it is called, and ends with an exit status."""

from __future__ import annotations

import gc
import importlib
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from permacite.cli.config.locations import LOCATION
from permacite.cli.output import guarded
from permacite.version import __version__

if TYPE_CHECKING:
    from permacite.service.base import Location

__all__ = ["main", "run"]

_ROOMS = {
    "init": "permacite.cli.archive",
    "save": "permacite.cli.incoming.save",
    "import": "permacite.cli.incoming.files",
    "derive": "permacite.cli.incoming.derive",
    "cite": "permacite.cli.cite",
    "reference": "permacite.cli.cite",
    "resolve": "permacite.cli.resolve",
    "look-up": "permacite.cli.resolve",
    "prove": "permacite.cli.proof",
    "verify": "permacite.cli.resolve",
    "log": "permacite.cli.proof",
    "stamp": "permacite.cli.proof",
    "witness": "permacite.cli.proof",
    "check": "permacite.cli.cite",
    "watch": "permacite.cli.watch",
    "versions": "permacite.cli.cite",
    "changes": "permacite.cli.finding.changes",
    "quotes": "permacite.cli.assertions",
    "quoted-by": "permacite.cli.assertions",
    "compose": "permacite.cli.assertions",
    "search": "permacite.cli.finding.search",
    "sites": "permacite.cli.finding.sites",
    "calendar": "permacite.cli.finding.sites",
    "tag": "permacite.cli.finding.jottings",
    "collection": "permacite.cli.finding.jottings",
    "note": "permacite.cli.finding.jottings",
    "jottings": "permacite.cli.finding.jottings",
    "annotations": "permacite.cli.finding.annotations",
    "list": "permacite.cli.archive",
    "show": "permacite.cli.archive",
    "export": "permacite.cli.archive",
    "serve": "permacite.web.command",
    "assert": "permacite.cli.assertions",
    "assertions": "permacite.cli.assertions",
    "series": "permacite.cli.keep",
    "delegate": "permacite.cli.keep",
    "delegations": "permacite.cli.keep",
    "where": "permacite.cli.keep",
    "withdraw": "permacite.cli.keep",
    "reinstate": "permacite.cli.keep",
    "erase": "permacite.cli.access",
    "access": "permacite.cli.access",
    "retention": "permacite.cli.access",
    "backup": "permacite.cli.keep",
    "copy": "permacite.cli.keep",
    "promote": "permacite.cli.keep",
    "restore": "permacite.cli.keep",
    "fsck": "permacite.cli.keep",
    "bulk": "permacite.cli.working.bulk",
    "work": "permacite.cli.working.bulk",
    "mirror": "permacite.cli.mirroring.mirror",
    "config": "permacite.cli.config.command",
    "token": "permacite.cli.incoming.tokens",
    "extension": "permacite.cli.incoming.tokens",
    "uri": "permacite.cli.uri",
    "text": "permacite.cli.text",
    "mhtml": "permacite.cli.mhtml",
}
"""Which room holds each command, in the order of the help page. The faces do not know each other:
the web brings its own command."""

_PYTHON_NAMES = {
    "assert": "assert_",
    "import": "import_",
    "list": "list_",
    "annotations": "annotations_",
    "note": "note_",
    "quoted-by": "quoted_by",
    "look-up": "look_up",
}
_LIKENESS = 0.6
_WHOLE_SENTENCE = 1000


class _HandedOver(click.Command):
    """`permacite uri`, which reads its words itself: it needs no extra, as click does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words as they are."""
        ctx.args = args
        return []

    def invoke(self, ctx: click.Context) -> int:
        """Run it with its words."""
        from permacite.cli import uri

        return uri.main(ctx.args)


class Commands(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, in the order of the help page."""
        del ctx
        return list(_ROOMS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command."""
        del ctx
        room = _ROOMS.get(cmd_name)
        if room is None:
            return None
        module = importlib.import_module(room)
        if cmd_name == "uri":
            return _HandedOver(cmd_name, help=module.HELP, add_help_option=False)
        command = getattr(module, _PYTHON_NAMES.get(cmd_name, cmd_name))
        assert isinstance(command, click.Command)  # noqa: S101 - a fault of ours, not of the user
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is meant. A misspelt one comes with those it is like."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            near = difflib.get_close_matches(args[0], _ROOMS, cutoff=_LIKENESS)
            if not near:
                raise
            meant = f"{error.message} Did you mean {' or '.join(near)}?"
            raise click.UsageError(meant, ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first sentence of each command's help, all of it."""
        rows = []
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None:
                rows.append((name, command.get_short_help_str(_WHOLE_SENTENCE)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.command(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="permacite")
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
        from permacite.cli.config.command import applied

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
