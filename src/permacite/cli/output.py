"""What commands print: a value as JSON or as a table, an error as one clear sentence.

Answers go to standard output, everything about the work (progress, warnings, errors) to standard
error, so that output can be piped. Exit status: 0 done, 1 refused or not found, 2 bad input.
"""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING, TypeVar

import click

from permacite.errors import RestrictedError
from permacite.service.plain import plain
from permacite.service.problems import exit_status, problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from permacite.errors import PermaciteError

_PIPE_WIDTH = 10_000
"""Characters; wider than any row."""

__all__ = ["emit", "json_option", "note", "report", "table", "watched"]

Item = TypeVar("Item")

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, with the same fields as the HTTP API."
)
"""The option every command that answers with a value has."""


def emit(value: object, *, as_json: bool = True) -> None:
    """Print `value` to standard output: as indented JSON, or as its text."""
    if as_json:
        click.echo(json.dumps(plain(value), ensure_ascii=False, indent=2))
    else:
        click.echo(str(value))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str = "") -> None:
    """Print rows under columns to standard output; wide values wrap, nothing is cut off."""
    from rich.console import Console  # noqa: PLC0415 - as long to import as all else that starts
    from rich.table import Table  # noqa: PLC0415 - the same

    shown = Table(*columns, title=title or None, box=None, pad_edge=False, header_style="bold")
    for column in shown.columns:
        column.overflow = "fold"
    for row in rows:
        shown.add_row(*("" if cell is None else str(cell) for cell in row))
    if sys.stdout.isatty():
        Console(highlight=False, markup=False).print(shown)
        return
    # Into a file or a pipe go whole lines, as wide as they are, for other programs to read.
    console = Console(highlight=False, markup=False, width=_PIPE_WIDTH, file=io.StringIO())
    with console.capture() as capture:
        console.print(shown)
    for line in capture.get().splitlines():
        click.echo(line.rstrip())


def watched(items: Iterable[Item], what: str) -> Iterator[Item]:
    """Yield `items`, counting them on a terminal's standard error while the work lasts."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console  # noqa: PLC0415 - see table

    with Console(stderr=True).status(what) as status:
        for number, item in enumerate(items, 1):
            status.update(f"{what}: {number}")
            yield item


def note(text: str) -> None:
    """Print a line about the work to standard error."""
    click.echo(text, err=True)


def report(error: PermaciteError, *, as_json: bool) -> int:
    """Print an error to standard error and return the exit status that it means."""
    if as_json:
        click.echo(json.dumps(plain(problem(error)), ensure_ascii=False, indent=2), err=True)
    else:
        click.echo(f"permacite: {error}", err=True)
        candidates = error.details().get("candidates")
        if isinstance(candidates, tuple) and candidates:
            restricted = isinstance(error, RestrictedError)
            click.echo("still given out:" if restricted else "nearest:", err=True)
            for candidate in candidates:
                click.echo(f"  {candidate}", err=True)
    return exit_status(error)
