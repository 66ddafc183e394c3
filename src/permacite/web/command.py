"""Command `permacite serve`."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from permacite.click_options import click_options
from permacite.web.serving.connection_limits import ConnectionLimits
from permacite.web.serving.monitoring import Watching
from permacite.web.serving.options import ServeOptions

if TYPE_CHECKING:
    from permacite.service.location import Location

__all__ = ["serve"]


@click.command()
@click_options("options", ServeOptions)
@click_options("watching", Watching)
@click_options("limits", ConnectionLimits)
@click.pass_obj
def serve(
    folder: Location | None,
    /,
    *,
    options: ServeOptions,
    watching: Watching,
    limits: ConnectionLimits,
) -> None:
    """Serve the archive: the resolver for programs, the reader for people.

    Requests are answered only under the names of this machine and those given with --name, so
    that no other site can reach the archive through a visitor's browser.

    Ctrl-C, or SIGTERM, ends it with status 0: it takes nothing new, and finishes what is begun,
    or leaves it as if it had never begun. SIGHUP has it read its configuration anew: it begins
    again on the same socket, unless something is wrong with that.
    """
    try:
        from permacite.web.serving import processes, server
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"serving needs {error.name}: pip install 'permacite[server]'"
        ) from error
    serving = server.Serving(folder, options, limits, watching)
    announce = partial(click.echo, err=True)
    server.run(serving, processes.Restart(_checking(), announce), announce=announce)


def _checking() -> list[str]:
    """The command that checks what this one would be told now."""
    program = sys.orig_argv[1 : len(sys.orig_argv) - len(sys.argv) + 1]
    path = click.get_current_context().find_root().params.get("config")
    config = [] if path is None else ["--config", str(path)]
    return [sys.executable, *program, *config, "config", "check"]
