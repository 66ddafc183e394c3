"""Commands about who may see what, and how long it is kept: access, retention, erase."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from permacite.cli.output import emit, json_option, table
from permacite.service.cases import Service
from permacite.service.promises.standing import ACCESSES, GROUNDS, Choice

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date, datetime
    from pathlib import Path

    from permacite.service.promises.standing import Standing

__all__ = ["access", "chosen", "retention", "standing_options", "told"]

_DEFAULT = "default"


def _day(_context: object, _option: object, moment: datetime | None) -> date | None:
    return None if moment is None else moment.date()


def _dated(name: str, help_: str) -> Callable[..., Any]:
    """Return an option that takes a day."""
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
    """Return a decorator that gives a command several options."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_ACCESS = click.option(
    "--access",
    type=click.Choice(ACCESSES),
    help="Who may see it: all, or with `closed` only you; default: as is set.",
)
standing_options = _with(_ACCESS, *_OPTIONS)
"""The options of what brings documents in: who may see them, and why they are kept."""


def chosen(
    *, access: str | None, embargo: date | None, ground: str | None, retain_until: date | None
) -> Choice:
    """Return what a user said by the options."""
    return Choice(access, ground, embargo, retain_until)


@click.command()
@click.argument("pdi")
@click.argument("access", required=False, type=click.Choice(ACCESSES))
@_with(*_OPTIONS)
@json_option
@click.pass_obj
def access(
    archive: Path | None, /, pdi: str, *, access: str | None, as_json: bool, **options: Any
) -> None:
    """Show or change who may see the document PDI, why it is kept and how long.

    A closed document, and one under embargo, is hidden on every route of the server and in what is
    exported for others: only its name is known, and HTTP answers 403. Your own commands read it.
    An embargo ends by itself. Where PDI is `default`, it is about all new documents.

    Exit status: 0 shown or changed, 1 PDI is unknown, 2 bad name.
    """
    choice = chosen(access=access, **options)
    with Service.open(archive) as service:
        if pdi == _DEFAULT:
            standing = service.default_standing(choice)
            kept: object = standing
        else:
            found = service.standing(pdi, choice)
            standing, kept = found.standing, found
    if as_json:
        emit(kept)
        return
    click.echo(told(standing))


def told(standing: Standing) -> str:
    """Return a standing for people."""
    until = f" until {standing.embargo_until}" if standing.embargo_until else ""
    retained = f", kept until {standing.retain_until}" if standing.retain_until else ""
    return f"{standing.access}{until}; ground: {standing.ground}{retained}"


@click.command()
@json_option
@click.pass_obj
def retention(archive: Path | None, *, as_json: bool) -> None:
    """List the documents that were to be kept until a day that has passed.

    Nothing is erased by itself: `permacite erase NAME --ground retention` does it.

    Exit status: 0 listed.
    """
    with Service.open(archive) as service:
        found = service.overdue()
    if as_json:
        emit(found)
        return
    rows = [(one.pdi, one.standing.retain_until, one.standing.ground) for one in found]
    table(("name", "kept until", "ground"), rows)
