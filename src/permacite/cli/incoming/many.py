"""save for many pages: lists in the forms that people have, links of a site, one report."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING

import click

from permacite.cli.output import emit, note
from permacite.service.archive import Archive
from permacite.service.lists.reading import Journal, ListedLine, read_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from permacite.service.lists.saving import Listed, ListRunOptions
    from permacite.service.location import Location

__all__ = ["lines_of", "save_many"]

_NAMED = 10
"""How many of what went wrong in one way are named."""
_FAULTS = ("failed", "wrong", "forbidden")


def lines_of(typed: Sequence[str], file: Path | None) -> list[ListedLine]:
    """The addresses that were typed, of standard input where one is -, and of a file."""
    lines: list[ListedLine] = []
    for address in typed:
        content = sys.stdin.buffer.read() if address == "-" else address.encode()
        lines += read_list(content)
    return lines if file is None else lines + read_list(file.read_bytes())


def save_many(
    folder: Location | None,
    lines: Sequence[ListedLine],
    manner: ListRunOptions,
    *,
    afresh: bool,
    as_json: bool,
) -> int:
    """Save all pages of a list, and return the exit status."""
    told: list[Listed] = []
    with (
        Archive.open(folder) as archive,
        _journal(archive, lines, manner, afresh=afresh) as journal,
    ):
        if journal.is_resumed:
            note("going on with a run that was cut off; --afresh begins anew")
        with _counted(len(lines)) as tick:
            for listed in archive.lists.save(lines, manner, journal):
                told.append(listed)
                tick(listed)
                if not as_json and listed.pdi is not None:
                    click.echo(f"{listed.pdi} {listed.uri}")
    counts: Counter[str] = Counter(listed.outcome for listed in told)
    if as_json:
        emit({"counts": dict(counts), "pages": told})
    else:
        _tell(told)
    note(", ".join(f"{many:,} {outcome}" for outcome, many in counts.items()) or "no addresses")
    return 1 if counts["failed"] or counts["wrong"] else 0


def _journal(
    archive: Archive, lines: Sequence[ListedLine], manner: ListRunOptions, *, afresh: bool
) -> Journal:
    """The journal of a run: that of the same list, into the same archive, in the same manner."""
    import platformdirs

    parts = [repr(archive), str(manner.depth), str(manner.options.series)]
    listed = sha256("\n".join([*parts, *(line.uri for line in lines)]).encode()).hexdigest()
    return Journal(platformdirs.user_state_path("permacite") / "runs", listed, afresh=afresh)


def _tell(told: Sequence[Listed]) -> None:
    """Say what went wrong, some of each kind."""
    for fault in _FAULTS:
        those = [listed for listed in told if listed.outcome == fault]
        for listed in those[:_NAMED]:
            where = f"{listed.place}: " if listed.place else ""
            problem = listed.problem.removeprefix(f"{listed.uri}: ")
            note(f"  {fault}: {where}{listed.uri} ({problem})")
        if len(those) > _NAMED:
            note(f"  {fault}: {len(those) - _NAMED:,} more, which --json names")
    warned = [(listed, text) for listed in told for text in listed.warnings]
    for listed, text in warned[:_NAMED]:
        note(f"  warning: {listed.uri}: {text}")
    if len(warned) > _NAMED:
        note(f"  warning: {len(warned) - _NAMED:,} more, which --json has")


@contextmanager
def _counted(total: int) -> Iterator[Callable[[Listed], None]]:
    """Count pages on a terminal's standard error; nothing where that is a file."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    counts: Counter[str] = Counter()
    with Console(stderr=True).status("saving pages") as status:

        def tick(listed: Listed) -> None:
            counts[listed.outcome] += 1
            done = ", ".join(f"{many:,} {outcome}" for outcome, many in counts.items())
            status.update(f"{counts.total():,} of {max(total, counts.total()):,}: {done}")

        yield tick
