"""watch: pages that are looked at again and again, and a feed of what became of what is cited."""

from __future__ import annotations

import os
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from permacite.cli.output import emit, json_option, note, table
from permacite.service.archive import Archive
from permacite.service.ingest.options import SaveOptions
from permacite.service.watching import EVERY, WatchOptions
from permacite.words import LANGUAGES, words_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.service.location import Location
    from permacite.service.watching import Looked

__all__ = ["watch"]

_MOST_DIGITS = 5
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class _Every(click.ParamType[timedelta]):
    """A span of time, such as 12h, 7d or 2w."""

    name = "span"

    def convert(
        self, value: str | timedelta, param: click.Parameter | None, ctx: click.Context | None
    ) -> timedelta:
        """Read it. Fails where it is no whole number of minutes, hours, days or weeks."""
        if isinstance(value, timedelta):
            return value
        number, unit = value[:-1], value[-1:]
        is_number = number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS
        if not is_number or unit not in _UNITS:
            self.fail(f"expected a span such as 12h, 7d or 2w, not {value!r}", param, ctx)
        return timedelta(**{_UNITS[unit]: int(number)})


@click.group()
def watch() -> None:
    """Look at pages again and again: new versions where they change, news of what is cited.

    What is watched is a private list in the archive; no entry of the log tells of it.
    """


@watch.command()
@click.argument("reference")
@click.option(
    "--every", type=_Every(), default=EVERY, show_default="7d", help="How often: 12h, 7d, 2w."
)
@json_option
@click.pass_obj
def add(folder: Location | None, reference: str, *, every: timedelta, as_json: bool) -> None:
    """Watch the page at REFERENCE: an address, or the name of what was saved from one.

    A page that was not saved so far is saved by the next `watch run`. One that is watched already
    is watched as often as is said now.
    """
    with Archive.open(folder) as archive:
        added = archive.drift.watches.add(reference, every)
    if as_json:
        emit(added)
    else:
        note(f"watched every {_span(added.every)}: {added.uri}")


@watch.command()
@click.argument("reference")
@click.pass_obj
def remove(folder: Location | None, reference: str) -> None:
    """Watch the page at REFERENCE no longer; what was saved stays.

    Exit status: 0 done, 1 it was not watched.
    """
    with Archive.open(folder) as archive:
        note(f"no longer watched: {archive.drift.watches.remove(reference)}")


@watch.command("list")
@json_option
@click.pass_obj
def list_watched(folder: Location | None, *, as_json: bool) -> None:
    """List what is watched, how often, and what the last look found."""
    with Archive.open(folder) as archive:
        watched = archive.drift.watches.list()
    if as_json:
        emit(watched)
        return
    table(
        ("every", "looked at", "found", "page"),
        [
            (
                _span(each.every),
                "" if each.looked_at is None else f"{each.looked_at:%Y-%m-%d %H:%M}",
                ": ".join(filter(None, [each.outcome, each.problem])),
                each.uri,
            )
            for each in watched
        ],
    )


@watch.command()
@click.option("--all", "everything", is_flag=True, help="Look at what is not due too.")
@click.option(
    "--feed",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write an Atom feed of what became of cited passages to this file.",
)
@click.option(
    "--lang", type=click.Choice(LANGUAGES), default="en", help="The language of the feed."
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=4,
    show_default=True,
    help="Pages at once; one at a time from each site.",
)
@click.option(
    "--pause",
    type=click.FloatRange(min=0),
    default=1.0,
    show_default=True,
    help="Seconds between two pages of one site.",
)
@click.option("--allow-private", is_flag=True, help="Allow addresses of this machine or network.")
@json_option
@click.pass_context
def run(
    ctx: click.Context,
    /,
    *,
    everything: bool,
    feed: Path | None,
    lang: str,
    jobs: int,
    pause: float,
    allow_private: bool,
    as_json: bool,
) -> None:
    """Look once at every page that is due. For a timer: one pass, and it ends.

    A page that has changed gets a new version; of one that has not, the look is noted. What robots
    are asked by robots.txt, X-Robots-Tag and noarchive is obeyed. A pass that is cut off goes on
    when it is run again, and saves nothing twice.

    Exit status: 0 all were looked at, 1 a page could not be had. What changed or is gone is no
    failure.
    """
    manner = WatchOptions(jobs, pause, SaveOptions(allow_private=allow_private))
    told: list[Looked] = []
    with Archive.open(ctx.obj) as archive:
        for looked in archive.drift.watches.run(manner, everything=everything):
            told.append(looked)
            if not as_json:
                _tell(looked)
        if feed is not None:
            _write(feed, archive.drift.watches.feed(words_in(lang)))
    counts: Counter[str] = Counter(looked.outcome for looked in told)
    if as_json:
        emit({"counts": dict(counts), "pages": told})
    said = ", ".join(f"{many:,} {outcome}" for outcome, many in counts.items())
    note(f"{said or 'nothing is due'}{_news_in(told)}")
    ctx.exit(1 if counts["failed"] else 0)


def _tell(looked: Looked) -> None:
    """Print what a look found: the page, then what is news of passages cited from it."""
    why = f" ({looked.problem})" if looked.problem else ""
    click.echo(f"{looked.outcome:9} {looked.pdi or ''} {looked.uri}{why}".replace("  ", " "))
    for passage in looked.passages:
        if passage.is_news:
            click.echo(f"  {passage.status:9} {passage.reference}\n    cited: {passage.told}")
            if passage.there and passage.status != "verified":
                click.echo(f"    now:   {passage.there}")


def _news_in(told: Sequence[Looked]) -> str:
    """How many cited passages there is news of, by what became of them."""
    fates = Counter(each.status for looked in told for each in looked.passages if each.is_news)
    said = ", ".join(f"{many:,} {fate}" for fate, many in fates.items())
    return f"; cited passages: {said}" if said else ""


def _write(path: Path, text: str) -> None:
    """Put a file in the place of the one before, whole or not at all."""
    aside = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        aside.write_text(text, encoding="utf-8")
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def _span(every: timedelta) -> str:
    """A span as it is typed, in the largest unit that it is a whole number of."""
    minutes = int(every.total_seconds()) // 60
    sizes = {"w": 7 * 24 * 60, "d": 24 * 60, "h": 60, "m": 1}
    unit = next(unit for unit, size in sizes.items() if minutes % size == 0)
    return f"{minutes // sizes[unit]}{unit}"
