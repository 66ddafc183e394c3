"""The command that compares whole versions: changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from permacite.cli.output import emit, json_option, note
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from permacite.service.location import Location

__all__ = ["changes"]


@click.command()
@click.argument("pdi")
@click.option(
    "--with",
    "other",
    type=click.IntRange(min=1),
    metavar="N",
    help="The number of the other version; default: the one before.",
)
@json_option
@click.pass_obj
def changes(folder: Location | None, /, pdi: str, *, other: int | None, as_json: bool) -> None:
    """Say what was changed in the words of the document PDI since the version before.

    Words that were left out have a minus before them, those that were put in a plus, each with the
    name by which it is cited. `permacite versions` follows one passage through all versions.

    Exit status: 0 compared, 1 there is no other version, or PDI is unknown, 2 bad name.
    """
    with Archive.open(folder) as archive:
        changed = archive.drift.changes(pdi, other=other)
    if as_json:
        emit(changed)
        return
    earlier, later = changed.earlier, changed.later
    click.echo(f"version {earlier.number}, {earlier.saved_at:%Y-%m-%d}: {earlier.pdi}")
    click.echo(f"version {later.number}, {later.saved_at:%Y-%m-%d}: {later.pdi}")
    for change in changed.changes:
        click.echo(f"\n  {change.before[-60:]} ... {change.after[:60]}")
        for sign, words, reference in (
            ("-", change.was, change.reference_was),
            ("+", change.now, change.reference_now),
        ):
            if reference is not None:
                click.echo(f"{sign} {words}\n  {reference}")
    if not changed.changes:
        note("the words are the same")
    if changed.more:
        note("only the first changes are shown")
