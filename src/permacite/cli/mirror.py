"""mirror: an archive that follows another, checks it, and answers in its place."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from permacite.cli.locations import LOCATION
from permacite.cli.output import emit, json_option, note, tracked
from permacite.errors import BusyError, CaptureError, PermaciteError, StorageError
from permacite.service.mirroring.following import follow

if TYPE_CHECKING:
    from permacite.service.location import Location
    from permacite.service.mirroring.following import TakenOver

__all__ = ["mirror"]

_FILE = click.Path(path_type=Path, dir_okay=False)
_PASSING = frozenset({"away", "locked"})
"""The reasons why records cannot be had at the moment."""


def _address(_context: object, _argument: object, typed: str) -> str:
    """What is to be the address of a server; a location is not repeated, with its password."""
    if typed.lower().startswith("postgres"):
        raise click.BadParameter("expected the address of a server, such as https://HOST")
    return typed


@click.command()
@click.argument("url", callback=_address)
@click.argument("into", type=LOCATION)
@click.option("--once", is_flag=True, help="Follow once and end; so it does without --every, too.")
@click.option(
    "--every",
    type=click.IntRange(min=1),
    metavar="N",
    help="Follow again N minutes after each run, until it is stopped.",
)
@click.option("--key", help="The public key of the archive at URL, as it publishes it.")
@click.option(
    "--cosign",
    type=_FILE,
    metavar="KEY",
    help="Sign what is found whole with the key in this file, which is made where there is none.",
)
@click.option(
    "--allow-private", is_flag=True, help="Let URL lead to addresses inside networks, too."
)
@click.option(
    "--past-fork",
    is_flag=True,
    help="Go on although the log was found forked earlier; the evidence stays.",
)
@json_option
@click.pass_context
def mirror(  # noqa: PLR0913 - each is an option of its own
    ctx: click.Context,
    url: str,
    into: Location,
    *,
    once: bool,
    every: int | None,
    key: str | None,
    cosign: Path | None,
    allow_private: bool,
    past_fork: bool,
    as_json: bool,
) -> None:
    """Make INTO a mirror of the archive whose server answers at URL, or bring it up.

    INTO is a folder, or a location such as postgresql://HOST/DATABASE?objects=/FOLDER. A mirror is
    an archive that mints nothing: `permacite serve`, `resolve`, `prove` and `fsck` work on it as on
    the other. Each entry is held to the log's signed checkpoint, each content to its digest. What
    was withdrawn, closed or erased there is so here from the next run on: follow at least once a
    day. Stopped anywhere, it goes on where it was. A log that is forked is named, both checkpoints
    are kept (in the folder forks/ too), and nothing more is taken, by any machine that follows into
    INTO, until one run has --past-fork.

    Exit status: 0 all is here, 1 the log is forked or altered, contents are lost there, another run
    is under way, URL does not answer, or INTO holds anything else; 2 bad location, or KEY is none.
    """
    if once and every is not None:
        raise click.UsageError("expected --once or --every, found both")
    while True:
        try:
            with tracked("entries") as progress:
                followed = follow(
                    url,
                    into,
                    key=key,
                    cosigner=cosign,
                    allow_private=allow_private,
                    past_fork=past_fork,
                    progress=progress,
                )
        except PermaciteError as error:
            if every is None or not _passes(error):
                raise
            note(f"permacite: {error}")
        else:
            past_fork = False  # what is found from now on is another one
            _tell(followed, as_json=as_json)
            if every is None:
                ctx.exit(1 if followed.lost else 0)
        time.sleep(every * 60)


def _passes(error: PermaciteError) -> bool:
    """Whether the next run may do what this one could not."""
    if isinstance(error, StorageError):
        return error.reason in _PASSING
    return isinstance(error, CaptureError | BusyError)


def _tell(followed: TakenOver, *, as_json: bool) -> None:
    if as_json:
        emit(followed)
        return
    click.echo(followed.directory)
    for path in followed.passed:
        note(f"gone on past the fork that {path} shows, which stays there")
    note(f"{followed.size} entries of {followed.origin}, {followed.entered} of them new")
    note(f"{followed.octets} contents came; the log is signed by {followed.key}")
    if followed.withheld:
        note(f"{followed.withheld} entries without contents: nobody is given them at present")
    if followed.cosigned_by is not None:
        note(f"cosigned by {followed.cosigned_by}")
    for digest in followed.lost:
        note(f"missing or altered there: {digest}")
