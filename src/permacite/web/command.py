"""The command that answers over HTTP: serve."""

from __future__ import annotations

import re
import sys
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from permacite.limits import WORKERS
from permacite.web.serving.connection_limits import Limits
from permacite.web.serving.options import (
    base_option,
    building_options,
    proxies_option,
    watching_options,
)
from permacite.web.serving.sockets import Place

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.service.base import Location
    from permacite.web.serving.monitoring import Watching

__all__ = ["serve"]

Command = TypeVar("Command", bound="Callable[..., Any]")


def _limits(command: Command) -> Command:
    """Add an option for each limit."""
    for limit in reversed(fields(Limits)):
        name = f"--{limit.name.replace('_', '-')}"
        kind = click.FloatRange(min=0.1) if "seconds" in name else click.IntRange(min=1)
        add = click.option(
            name,
            type=kind,
            default=limit.default,
            show_default=True,
            help=limit.metadata["help"],
        )
        command = add(command)
    return command


def _mode(_context: object, _option: object, typed: str) -> int:
    """A mode such as 660."""
    if not re.fullmatch(r"0?[0-7]{3}", typed):
        raise click.BadParameter(f"expected three digits such as 660, not {typed!r}")
    return int(typed, 8)


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8420,
    show_default=True,
    help="The port to listen on; 0 takes any that is free.",
)
@click.option(
    "--unix",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A socket of the file system to listen on, in place of an address and a port.",
)
@click.option(
    "--unix-mode",
    default="660",
    show_default=True,
    callback=_mode,
    help="Who may open that socket, as chmod has it.",
)
@click.option(
    "--name", "names", multiple=True, help="A further host name to answer to; repeatable."
)
@click.option(
    "--writable",
    is_flag=True,
    help="Let this machine write without a token: PUT, and pages saved in the reader.",
)
@click.option(
    "--public", is_flag=True, help="Say to chats and the like what they may show of open documents."
)
@click.option(
    "--grace",
    type=click.FloatRange(min=0),
    default=10,
    show_default=True,
    help="Seconds in which answers that are begun may be finished when the server is stopped.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, WORKERS),
    default=1,
    show_default=True,
    help="Processes that answer; each has the limits below.",
)
@click.option(
    "--witness",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="KEY",
    help="Of a mirror: cosign checkpoints that its origin submits, with the key in this file,"
    " which is made where there is none (C2SP tlog-witness).",
)
@base_option
@proxies_option
@building_options
@watching_options
@_limits
@click.pass_obj
def serve(  # noqa: PLR0913 - one for each option
    folder: Location | None,
    /,
    *,
    host: str,
    port: int,
    unix: Path | None,
    unix_mode: int,
    names: tuple[str, ...],
    writable: bool,
    public: bool,
    grace: float,
    workers: int,
    witness: Path | None,
    base_path: str,
    proxies: tuple[str, ...],
    building: tuple[str, ...],
    building_name: str,
    watching: Watching,
    **limits: float,
) -> None:
    """Serve the archive: the resolver for programs, the reader for people.

    Requests are answered only under the names of this machine and those given with --name, so
    that no other site can reach the archive through a visitor's browser.

    Ctrl-C, or SIGTERM, ends it with status 0: it takes nothing new, and finishes what is begun,
    or leaves it as if it had never begun. SIGHUP has it read its configuration anew: it begins
    again on the same socket, unless something is wrong with that.
    """
    try:
        from permacite.web.serving import server
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"serving needs {error.name}: pip install 'permacite[server]'"
        ) from error
    serving = server.Serving(
        folder,
        names=names,
        writable=writable,
        public=public,
        grace_s=grace,
        limits=Limits(**limits),
        watching=watching,
        proxies=proxies,
        base=base_path,
        building=building,
        building_name=building_name,
        witness=witness,
    )
    place = Place(host, port, unix, unix_mode)
    announce = partial(click.echo, err=True)
    server.run(serving, place, workers=workers, check=_checking(), announce=announce)


def _checking() -> list[str]:
    """The command that checks what this one would be told now."""
    program = sys.orig_argv[1 : len(sys.orig_argv) - len(sys.argv) + 1]
    path = click.get_current_context().find_root().params.get("config")
    config = [] if path is None else ["--config", str(path)]
    return [sys.executable, *program, *config, "config", "check"]
