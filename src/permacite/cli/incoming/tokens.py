"""Commands about who may ask and write over the network: token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from permacite.cli.output import emit, json_option, note, table
from permacite.service.archive import Archive
from permacite.service.tokens import SCOPES, USUAL_SHARE, Share

if TYPE_CHECKING:
    from permacite.service.location import Location

__all__ = ["token"]

_DOING = {
    "read": "read what is closed in",
    "cite": "read what is closed and cite in",
    "save": "save pages in",
    "admin": "do what its owner does in",
}


@click.group()
def token() -> None:
    """Say who may read what is closed, cite and save here from other machines."""


@token.command("add")
@click.option("--series", help="Whose names it lets mint; default: the archive's own.")
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default="save",
    show_default=True,
    help="What it lets its bearer do, each with those before it.",
)
@click.option("--note", "told", default="", metavar="TEXT", help="What it is for, to tell it by.")
@click.option("--person", default="", metavar="NAME", help="Whose it is; see `token forget`.")
@click.option(
    "--requests",
    type=click.IntRange(min=1),
    default=USUAL_SHARE.requests,
    show_default=True,
    help="How many may come with it in a minute.",
)
@click.option(
    "--octets",
    type=click.IntRange(min=1),
    default=USUAL_SHARE.octets,
    show_default=True,
    help="How many may be sent with it in a day.",
)
@json_option
@click.pass_obj
def add(
    folder: Location | None,
    /,
    *,
    told: str,
    requests: int,
    octets: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Add a token, and show it this once.

    It lets its bearer, from any machine, `read` what is closed in its series; `cite`; `save` pages
    and put documents in the series; and with `admin` use tags, collections and notes, as the owner.
    Paste it into the extension of your browser or the page /-/sign-in, or send it as
    `Authorization: Bearer`. Only its digest is kept, on this machine: backups and copies have none.
    Give each program and each person one of its own.

    Exit status: 0 added, 1 the series does not mint here.
    """
    share = Share(requests, octets)
    with Archive.open(folder) as archive:
        added = archive.access.tokens.add(note=told, share=share, **options)
    emit(added if as_json else added.secret, as_json=as_json)
    if not as_json:
        made = added.token
        doing = f"lets its bearer {_DOING[made.scope]} {made.series}"
        note(f"token {made.id} {doing}; it is shown once")


@token.command("list")
@json_option
@click.pass_obj
def list_(folder: Location | None, *, as_json: bool) -> None:
    """List the tokens that admit somebody: all but the secrets, which nobody knows any more."""
    with Archive.open(folder) as archive:
        tokens = archive.access.tokens.list()
    if as_json:
        emit(tokens)
        return
    rows = [
        (each.id, each.series, each.scope, f"{each.added_at:%Y-%m-%d}", each.person, each.note)
        for each in tokens
    ]
    table(("token", "series", "scope", "added", "person", "note"), rows)


@token.command("revoke")
@click.argument("token_id", metavar="TOKEN")
@click.pass_obj
def revoke(folder: Location | None, *, token_id: str) -> None:
    """Revoke TOKEN, by its short name in the list: the next request with it is refused.

    Exit status: 0 revoked, 1 there is no such token.
    """
    with Archive.open(folder) as archive:
        archive.access.tokens.revoke(token_id)
    note(f"token {token_id} is revoked")


@token.command("forget")
@click.argument("token_id", metavar="TOKEN")
@click.pass_obj
def forget(folder: Location | None, *, token_id: str) -> None:
    """Destroy what says whose TOKEN is, or was: what was written with it keeps the token's name.

    Exit status: 0 forgotten, 1 nobody is on record for it.
    """
    with Archive.open(folder) as archive:
        archive.access.tokens.forget_person(token_id)
    note(f"nobody is on record for token {token_id} any more")


@token.command("written")
@click.argument("token_id", metavar="[TOKEN]", required=False)
@json_option
@click.pass_obj
def written(folder: Location | None, *, token_id: str | None, as_json: bool) -> None:
    """List what was committed with TOKEN, or with any, oldest first: who wrote what.

    Exit status: 0 listed.
    """
    with Archive.open(folder) as archive:
        listed = archive.access.tokens.written(token_id)
    if as_json:
        emit(listed)
        return
    rows = [
        (f"{each.written_at:%Y-%m-%d %H:%M}", each.token, each.person, each.name) for each in listed
    ]
    table(("written", "token", "person", "name"), rows)
