"""Archives with some of everything, and each change that leaves rows: for tests of copies."""

from __future__ import annotations

import contextlib
import sqlite3
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tests import engines

from permacite.archive.annotations import Subject
from permacite.archive.model.answered import Provenance, Standing
from permacite.archive.model.submitted import NewCitation, NewRepresentation
from permacite.archive.objects.source import digest_of
from permacite.archive.records import octets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from permacite.archive.repository import Repository
    from permacite.pdi import PDI

__all__ = ["CHANGES", "NOW", "SERIES", "changed", "clock", "commit", "everything", "first", "rows"]

SERIES = "lab.example.us"
NOW = [datetime(2026, 11, 21, 12, tzinfo=UTC)]


def clock() -> datetime:
    """The time of these tests, later with each reading."""
    NOW[0] += timedelta(seconds=1)
    return NOW[0]


@contextlib.contextmanager
def changed(folder: Path) -> Iterator[engines.Repository]:
    """An archive in a new folder with some of everything."""
    NOW[0] = datetime(2026, 11, 21, 12, tzinfo=UTC)
    with engines.Repository.create(folder, series=SERIES, clock=clock) as opened:
        for number in range(3):
            commit(opened, f"words {number}", key=f"key {number}")
        everything(opened)
        yield opened


def commit(archive: Repository, text: str, key: str | None = None) -> str:
    """Commit a text with a sidecar, and give the name of the document."""
    new = NewRepresentation(
        text.encode(), "text/plain", charset="utf-8", sidecars={"of": text[::-1].encode()}
    )
    version = archive.committer.commit(
        [new], key=key, provenance=Provenance(text, "https://a.example/")
    )
    return str(version.pdi.document)


def everything(archive: Repository) -> None:
    """Do all that leaves rows, but erase."""
    for change in CHANGES.values():
        change(archive)


def first(archive: Repository) -> PDI:
    """The name of the oldest document."""
    return next(archive.lists.list()).pdi.document


def cite(archive: Repository) -> None:
    """Cite a text of today, and look at its live page."""
    name = next(archive.lists.list()).representations[0].pdi
    note = str(clock())
    made = archive.passages.record(NewCitation(f"{name}#char=0,5", name, 0, 5, "words", note))
    archive.live_pages.note_check(name, "https://a.example/", "changed", {made.fragment: "gone"})


def reinstate(archive: Repository) -> None:
    """Withdraw a document, and lift that."""
    archive.statements.withdraw(first(archive), reason="court-order", status=451)
    archive.statements.reinstate(first(archive))


def stage(archive: Repository) -> None:
    """Leave octets that no file is made of yet, as if it were not quiet."""
    text = f"staged {clock()}".encode()
    archive._catalog.write(  # noqa: SLF001 - as a commit beside others does
        lambda transaction: octets.stage(transaction.connection, [(digest_of(text), text)])
    )


def next_day(archive: Repository) -> None:
    """Let a day pass, so that it is sealed."""
    NOW[0] += timedelta(days=1)
    commit(archive, f"of the next day {clock()}")
    archive.days.seal_all()


CHANGES: dict[str, Callable[[Repository], object]] = {
    "nothing": lambda _: None,
    "a-commit": lambda archive: commit(archive, f"new {clock()}", key=str(clock())),
    "a-version": lambda archive: archive.committer.commit(
        [NewRepresentation(str(clock()).encode(), "text/plain", charset="utf-8")],
        replaces=first(archive),
    ),
    "a-format": lambda archive: archive.committer.add_format(
        next(archive.lists.list()).pdi,
        NewRepresentation(
            str(clock()).encode(), "image/png", format=f"p{clock():%H%M%S}", sidecars={"m": b"m"}
        ),
    ),
    "a-citation": cite,
    "a-passed-day": next_day,
    "a-statement": lambda archive: archive.statements.state(
        str(first(archive)), "seeAlso", str(clock()), who=f"Jane {clock()}"
    ),
    "a-withdrawal": lambda archive: archive.statements.withdraw(
        first(archive), reason="safety", note=str(clock())
    ),
    "a-reinstatement": reinstate,
    "an-access": lambda archive: archive.access.set_standing(
        first(archive), Standing("closed", ground="consent")
    ),
    "a-setting": lambda archive: archive.settings.set("resolver", f"https://{clock():%H}.example"),
    "a-series": lambda archive: archive.settings.use_series(f"s{clock():%H%M%S}.example.us"),
    "a-delegation": lambda archive: archive.delegations.delegate(
        "resolver", SERIES, f"https://r{clock():%H%M%S}.example"
    ),
    "a-jotting": lambda archive: archive.annotations.add(
        Subject(first(archive)), "tag", str(clock())
    ),
    "jottings-taken-back": lambda archive: archive.annotations.remove(
        Subject(first(archive)), "tag"
    ),
    "a-watch": lambda archive: archive.live_pages.watch(
        f"https://{clock():%H%M%S}.example", timedelta(1)
    ),
    "a-checkpoint": lambda archive: archive.log.checkpoints.current(),
    "octets-that-wait": stage,
}


def rows(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """All rows of a catalog, by table."""
    with contextlib.closing(sqlite3.connect(folder / "catalog.sqlite")) as catalog:
        tables = catalog.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        return {
            name: sorted(catalog.execute(f"SELECT * FROM {name}"), key=repr)  # noqa: S608
            for (name,) in tables
        }
