"""Commands about other programs that save here: token add, list and revoke, and extension."""

from __future__ import annotations

from pathlib import Path

import click

from permacite.cli.output import emit, json_option, note, table
from permacite.service.handed.folder import write_folder
from permacite.service.handed.tokens import SCOPES, Tokens

__all__ = ["extension", "token"]


@click.group()
def token() -> None:
    """Let programs on other machines, or the extension of your browser, save pages here."""


@token.command("add")
@click.option("--series", help="Whose names it lets mint; default: the archive's own.")
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default="save",
    show_default=True,
    help="What it lets its bearer do: save pages and cite them.",
)
@click.option("--note", "told", default="", metavar="TEXT", help="What it is for, to tell it by.")
@json_option
@click.pass_obj
def add(folder: Path | None, *, series: str | None, scope: str, told: str, as_json: bool) -> None:
    """Add a token, and show it this once.

    Paste it into the extension of your browser, or send it as `Authorization: Bearer`. Only its
    digest is kept, on this machine: backups and copies have none. Whoever has it can save pages
    here, so give each program one of its own.

    Exit status: 0 added, 1 the series does not mint here.
    """
    with Tokens.open(folder) as archive:
        added = archive.add_token(series=series, scope=scope, note=told)
    emit(added if as_json else added.secret, as_json=as_json)
    if not as_json:
        series = added.token.series
        note(f"token {added.token.id} lets its bearer save pages in {series}; it is shown once")


@token.command("list")
@json_option
@click.pass_obj
def list_(folder: Path | None, *, as_json: bool) -> None:
    """List the tokens that admit somebody: all but the secrets, which nobody knows any more."""
    with Tokens.open(folder) as archive:
        tokens = archive.tokens()
    if as_json:
        emit(tokens)
        return
    rows = [
        (each.id, each.series, each.scope, f"{each.added_at:%Y-%m-%d}", each.note)
        for each in tokens
    ]
    table(("token", "series", "scope", "added", "note"), rows)


@token.command("revoke")
@click.argument("token_id", metavar="TOKEN")
@click.pass_obj
def revoke(folder: Path | None, *, token_id: str) -> None:
    """Revoke TOKEN, by its short name in the list: the next request with it is refused.

    Exit status: 0 revoked, 1 there is no such token.
    """
    with Tokens.open(folder) as archive:
        archive.revoke_token(token_id)
    note(f"token {token_id} is revoked")


@click.command()
@click.argument("target", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
def extension(target: Path) -> None:
    """Write the extension for Chromium and Firefox to the folder DIR, to be loaded from there.

    It saves the page as it stands in your own browser, and cites what you have marked.

    Exit status: 0 written, 1 the folder holds other things.
    """
    note(f"{write_folder(target)} files in {target}")
