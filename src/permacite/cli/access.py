"""Commands about who may see what, how long it is kept, and what is destroyed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from permacite.cli.output import emit, json_option, note, table
from permacite.service.access import ACCESSES, ERASURE_GROUNDS, GROUNDS, Choice
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date, datetime

    from permacite.service.access import Standing
    from permacite.service.location import Location

__all__ = ["access", "chosen", "erase", "retention", "standing_options", "told"]

_DEFAULT = "default"


def _day(_context: object, _option: object, moment: datetime | None) -> date | None:
    return None if moment is None else moment.date()


def _dated(name: str, help_: str) -> Callable[..., Any]:
    """An option that takes a day."""
    day = click.DateTime(["%Y-%m-%d"])
    return click.option(name, type=day, callback=_day, metavar="YYYY-MM-DD", help=help_)


_OPTIONS = (
    _dated("--embargo", "Closed until this day, on which it becomes public."),
    click.option(
        "--ground", type=click.Choice(GROUNDS), help="Why it may be kept; default: as is set."
    ),
    _dated("--retain-until", "The last day on which it is to be kept; see `retention`."),
)


def _with(*options: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that gives a command several options."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_ACCESS = click.option(
    "--access",
    type=click.Choice(ACCESSES),
    help="Who may see it: all; only you (closed); or who is there (building); default: as is set.",
)
standing_options = _with(_ACCESS, *_OPTIONS)
"""The options of what brings documents in: who may see them, and why they are kept."""


def chosen(
    *, access: str | None, embargo: date | None, ground: str | None, retain_until: date | None
) -> Choice:
    """What a user said by the options."""
    return Choice(access, ground, embargo, retain_until)


@click.command()
@click.argument("pdi")
@click.argument("access", required=False, type=click.Choice(ACCESSES))
@_with(*_OPTIONS)
@json_option
@click.pass_obj
def access(
    folder: Location | None, /, pdi: str, *, access: str | None, as_json: bool, **options: Any
) -> None:
    """Show or change who may see the document PDI, why it is kept and how long.

    A closed document, and one under embargo, is hidden on every route of the server and in what is
    exported for others: only its name is known, and HTTP answers 403. Your own commands read it.
    An embargo ends by itself. What has the access `building` is closed too, but for those who ask
    from the networks that `permacite serve --building` names. Where PDI is `default`, it is about
    all new documents.

    Exit status: 0 shown or changed, 1 PDI is unknown, 2 bad name.
    """
    choice = chosen(access=access, **options)
    with Archive.open(folder) as archive:
        if pdi == _DEFAULT:
            standing = archive.access.default_standing(choice)
            kept: object = standing
        else:
            document = archive.access.standing(pdi, choice)
            standing, kept = document.standing, document
    if as_json:
        emit(kept)
        return
    click.echo(told(standing))


@click.command()
@click.argument("names", metavar="PDI...", nargs=-1, required=True)
@click.option(
    "--ground",
    type=click.Choice(ERASURE_GROUNDS),
    required=True,
    help="On what ground: a code, which stays in the log and is told to all who ask.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def erase(
    folder: Location | None, names: tuple[str, ...], *, ground: str, yes: bool, as_json: bool
) -> None:
    """Destroy each PDI, a document or one version of it; this cannot be undone.

    Its bytes go, and its texts, indexes, title, address, citations and statements, what the log
    commits to, and the traces of all that in the archive's files. Left are its name, which is never
    used again, and an entry of the log that it was erased, when and on what ground. All other
    proofs hold. PDI is a document, or the full name of a format: then that version goes, with all
    its formats. Bytes that another document has too stay there, and so does what others quote.

    Backups lose it when `backup` is run again, and copies by `export --ocfl` when they are written
    anew. What was given out before, proofs and citations among it, is out of reach. Where this is
    stopped, the next command on the archive goes on.

    Exit status: 0 erased, 1 PDI is unknown, or others hold the archive and keep traces, 2 bad name.
    """
    if not yes:
        listed = "\n  ".join(names)
        click.confirm(f"Destroy for ever:\n  {listed}\n", abort=True, err=True)
    with Archive.open(folder) as archive:
        erased = [archive.access.erase(name, ground=ground) for name in names]
    if as_json:
        emit(erased)
    for item in erased if not as_json else ():
        version = "" if item.version is None else f", version {item.version}"
        click.echo(f"erased ({item.ground}): {item.pdi}{version}")
        if item.shared:
            note(f"{item.shared} objects stay: other documents have the same bytes")
        for name in item.quoted_by:
            note(f"quotes it, and keeps its own bytes: {name}")
    if not all(item.done for item in erased):
        raise click.ClickException("others hold the archive: traces go when they let go of it")


def told(standing: Standing) -> str:
    """A standing for people."""
    until = f" until {standing.embargo_until}" if standing.embargo_until else ""
    retained = f", kept until {standing.retain_until}" if standing.retain_until else ""
    return f"{standing.access}{until}; ground: {standing.ground}{retained}"


@click.command()
@json_option
@click.pass_obj
def retention(folder: Location | None, *, as_json: bool) -> None:
    """List the documents that were to be kept until a day that has passed.

    Nothing is erased by itself: `permacite erase NAME --ground retention` does it.

    Exit status: 0 listed.
    """
    with Archive.open(folder) as archive:
        overdue = archive.access.overdue()
    if as_json:
        emit(overdue)
        return
    rows = [(item.pdi, item.standing.retain_until, item.standing.ground) for item in overdue]
    table(("name", "kept until", "ground"), rows)
