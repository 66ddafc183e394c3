"""The command that answers over HTTP: serve."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["serve"]


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
    "--name", "names", multiple=True, help="A further host name to answer to; repeatable."
)
@click.option(
    "--writable", is_flag=True, help="Let PUT commit, and the reader save pages; there is no login."
)
@click.option(
    "--public", is_flag=True, help="Say to chats and the like what they may show of open documents."
)
@click.pass_obj
def serve(
    folder: Path | None,
    *,
    host: str,
    port: int,
    names: tuple[str, ...],
    writable: bool,
    public: bool,
) -> None:
    """Serve the archive: the resolver for programs, the reader for people.

    Requests are answered only under the names of this machine and those given with --name, so
    that no other site can reach the archive through a visitor's browser.
    """
    try:
        from permacite.web import server  # noqa: PLC0415 - the help page needs no server
    except ModuleNotFoundError as error:
        raise click.ClickException(
            f"serving needs {error.name}: pip install 'permacite[server]'"
        ) from error
    server.run(
        folder,
        host=host,
        port=port,
        names=names,
        writable=writable,
        public=public,
        announce=partial(click.echo, err=True),
    )
