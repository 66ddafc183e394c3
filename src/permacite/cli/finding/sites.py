"""Commands that list archived pages: sites and calendar, and changes between versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from permacite.cli.output import emit, json_option, note
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from permacite.service.location import Location

__all__ = ["calendar", "changes", "sites"]

_limit = click.option(
    "--limit", type=click.IntRange(1, 1000), default=100, show_default=True, help="At most so many."
)


@click.command()
@click.argument("site", required=False)
@click.option("--after", default="", help="Go on behind this site, or this address of SITE.")
@_limit
@json_option
@click.pass_obj
def sites(
    folder: Location | None, /, site: str | None, *, after: str, limit: int, as_json: bool
) -> None:
    """List the sites that pages were saved from, or the addresses of SITE, such as example.org.

    A site is a host, with its port where the addresses have one. Of an address the last version
    that is given out is named.

    Exit status: 0 something is listed, 1 nothing.
    """
    with Archive.open(folder) as archive:
        if site is None:
            known = archive.documents.captures.sites(after=after, limit=limit)
            lines, found = known.sites, known.next
            told: object = known
        else:
            held = archive.documents.captures.site(site, after=after, limit=limit)
            lines = tuple(f"{each.pdi}  {each.uri}" for each in held.addresses)
            told, found = held, held.next
    if as_json:
        emit(told)
    else:
        for line in lines:
            click.echo(line)
        if found is not None:
            note(f"there is more: --after {found}")
    click.get_current_context().exit(0 if lines else 1)


@click.command()
@click.argument("address")
@click.option("--year", type=click.IntRange(1, 9999), help="In this year; else in the last one.")
@json_option
@click.pass_obj
def calendar(folder: Location | None, /, address: str, *, year: int | None, as_json: bool) -> None:
    """Say when ADDRESS was saved, each version by its time (UTC) and its name.

    Whichever way the address is spelt, its versions are those of its normal form.

    Exit status: 0 something is listed, 1 nothing, 2 that is no address.
    """
    with Archive.open(folder) as archive:
        found = archive.documents.captures.calendar(address, year=year)
    if as_json:
        emit(found)
    else:
        for day in found.days:
            for version in day.versions:
                click.echo(f"{version.captured_at:%Y-%m-%d %H:%M:%S}  {version.pdi}")
        others = [f"{each.year} ({each.count})" for each in found.years if each.year != found.year]
        if others:
            note(f"other years: {', '.join(others)}")
    click.get_current_context().exit(0 if found.days else 1)


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
