"""Output of commands: a value as JSON or as a table, an error as one clear sentence.

Answers go to standard output, everything about the work (progress, warnings, errors) to standard
error, so that output can be piped. Exit status: 0 done, 1 refused or not found, 2 bad input.
Nothing here needs an extra; on a terminal tables are drawn by rich, where that is installed.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from permacite.errors import PermaciteError, RestrictedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

__all__ = [
    "JSON_HELP",
    "at_option",
    "counted",
    "emit",
    "guarded",
    "is_file",
    "json_option",
    "note",
    "report",
    "table",
    "tracked",
]

Command = TypeVar("Command", bound="Callable[..., object]")

JSON_HELP = "Print JSON, with the same fields as the HTTP API."

_INTERRUPTED = 130
_UNSEEN = dict.fromkeys(range(0x20))
"""Control characters, which no cell of a table shows."""


def json_option(command: Command) -> Command:
    """Give a command the option that each has which answers with a value."""
    import click

    return click.option("--json", "as_json", is_flag=True, help=JSON_HELP)(command)


def at_option(command: Command) -> Command:
    """Give a command the option of those that take a web address: at which time."""
    import click

    def read(context: object, parameter: object, typed: str | None) -> datetime | None:
        del context, parameter
        if typed is None:
            return None
        from permacite.service.addresses import moment

        return moment(typed)

    told = "Of a web address, what was saved nearest to TIME: 2026-11-21, 2026-11-21T09:30."
    return click.option("--at", "when", metavar="TIME", callback=read, help=told)(command)


def emit(value: object, *, as_json: bool = True) -> None:
    """Print `value` to standard output: as indented JSON, or as its text."""
    text = _json(value) if as_json else str(value)
    print(text, flush=True)  # noqa: T201 - a command's answer


def _json(value: object) -> str:
    import json

    from permacite.service.plain import plain

    return json.dumps(plain(value), ensure_ascii=False, indent=2)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str = "") -> None:
    """Print rows under columns to standard output; nothing is cut off.

    On a terminal wide values wrap. Into a file or a pipe go whole lines, as wide as they are, for
    other programs to read.
    """
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    if sys.stdout.isatty() and _drawn(columns, cells, title):
        return
    pieces = [[cell.expandtabs().splitlines() or [""] for cell in row] for row in [columns, *cells]]
    widths = [
        max(_width(piece) for cell in column for piece in cell)
        for column in zip(*pieces, strict=True)
    ]
    left = sum(widths) + 2 * len(widths) - 2 - _width(title)
    lines = [" " * (left // 2) + title] if title else []
    for row in pieces:
        for line in zip_longest(*row, fillvalue=""):
            padded = [
                piece.translate(_UNSEEN) + " " * (width - _width(piece))
                for piece, width in zip(line, widths, strict=True)
            ]
            lines.append("  ".join(padded).rstrip())
    emit("\n".join(lines), as_json=False)


def _drawn(columns: Sequence[str], rows: list[list[str]], title: str) -> bool:
    """Draw a table on the terminal; False where rich is not installed."""
    try:
        from rich.console import Console
        from rich.table import Table
    except ModuleNotFoundError:
        return False
    shown = Table(*columns, title=title or None, box=None, pad_edge=False, header_style="bold")
    for column in shown.columns:
        column.overflow = "fold"
    for row in rows:
        shown.add_row(*row)
    Console(highlight=False, markup=False).print(shown)
    return True


def _width(text: str) -> int:
    """How many columns of a terminal `text` takes (UAX #11)."""
    if text.isascii():
        return len(text.translate(_UNSEEN))
    import unicodedata

    return sum(
        0
        if unicodedata.category(character) in {"Cc", "Cf", "Me", "Mn"}
        else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


@contextmanager
def counted(what: str, *, of: int | None = None) -> Iterator[Callable[[object], None] | None]:
    """Give what counts its calls on a terminal's standard error; None where that is a file.

    Where it is known how many there are about, `of`, the time that is left is shown.
    """
    with _bar(what, of=of) as update:
        yield None if update is None else lambda _: update(advance=1)


@contextmanager
def tracked(what: str) -> Iterator[Callable[[int, int], object]]:
    """Give what shows on a terminal how much is done of how much, and the time that is left."""
    with _bar(what, of=0) as update:
        yield max if update is None else lambda done, of: update(completed=done, total=of)


@contextmanager
def _bar(what: str, *, of: int | None) -> Iterator[Callable[..., None] | None]:
    """Draw a bar on a terminal's standard error, and give what moves it; None for a file."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = [TextColumn("{task.description}"), MofNCompleteColumn()]
    if of is not None:
        columns.append(TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield partial(progress.update, progress.add_task(what, total=of))


def is_file(text: str) -> bool:
    """Whether a text names a file; long names and ML-DSA-44 keys are too long to ask for."""
    try:
        return Path(text).is_file()
    except OSError:
        return False


def note(text: str) -> None:
    """Print a line about the work to standard error."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - a command's remark


def guarded(command: Callable[[], int], *, as_json: bool) -> int:
    """Run a command and return its exit status. Never raises, never shows a traceback."""
    try:
        return command()
    except KeyboardInterrupt:
        note("permacite: interrupted; what was acknowledged is kept")
        return _INTERRUPTED
    except PermaciteError as error:
        return report(error, as_json=as_json)
    except BrokenPipeError:
        # The reader of our output went away (`| head`); Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        note(f"permacite: {error.strerror or error}: {error.filename or 'standard stream'}")
        return 1
    except Exception as error:  # noqa: BLE001 - the last door: a fault of ours, told in one line
        if os.environ.get("PERMACITE_DEBUG"):
            import traceback

            traceback.print_exc()
        name = type(error).__name__
        note(
            f"permacite: a fault of permacite itself ({name}: {error}); PERMACITE_DEBUG=1 says more"
        )
        return 1


def report(error: PermaciteError, *, as_json: bool) -> int:
    """Print an error to standard error and return the exit status that it means."""
    from permacite.service.plain import exit_status, problem

    if as_json:
        note(_json(problem(error)))
        return exit_status(error)
    note(f"permacite: {error}")
    candidates = error.details().get("candidates")
    if isinstance(candidates, tuple) and candidates:
        note("still given out:" if isinstance(error, RestrictedError) else "nearest:")
        for candidate in candidates:
            note(f"  {candidate}")
    return exit_status(error)
