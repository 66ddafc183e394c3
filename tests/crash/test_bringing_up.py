"""An archive of an earlier schema is brought up whole or not at all, wherever the power fails."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.crash.replay.invariants import examine
from tests.crash.replay.states import KINDS, Explorer
from tests.crash.replay.trace import BRING_UP, contents, record
from tests.earlier import unpack

from permacite.archive.schema import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

SHARES = dict.fromkeys(KINDS, 0.3) | {"all": 1.0, "none": 1.0}
"""Whoever kills the process after a call leaves "all"; it is tried after each with `--deep`,
and all of these a twelfth as often in a sample."""


def earlier(folder: Path, schema: int) -> Path:
    """Return an archive of this schema, with all that can stand in one."""
    archive, _ = unpack(folder)
    if schema < 3:
        with closing(sqlite3.connect(archive / "catalog.sqlite")) as connection, connection:
            for digest, content in connection.execute("SELECT digest, content FROM unsettled"):
                name = digest.removeprefix("sha-256:")
                place = archive / "objects" / name[:2] / name[2:4]
                place.mkdir(parents=True, exist_ok=True)
                (place / name).write_bytes(content)
            connection.execute("DROP TABLE unsettled")
            connection.execute("PRAGMA user_version = 2")
    return archive


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("schema", [2, 3])
def test_nothing_is_lost_where_an_archive_is_brought_up(
    recorder: Path, quick_folder: Path, schema: int, times: Callable[[int, int], int]
) -> None:
    folder = quick_folder / f"schema-{schema}"
    archive = earlier(folder, schema)
    start = {"shelf/": b"", "shelf/archive/": b""}
    start |= {f"shelf/archive/{name}": data for name, data in contents(archive).items()}
    known = examine(archive)
    assert _without_titles(known.faults) == []
    assert {fact[0] for fact in known.facts} > {"format", "citation", "delegation", "root", "key"}
    recording = record(recorder, folder / "play", BRING_UP, seed=1, start=start)
    explorer = Explorer(folder / "scratch")
    facts = {fact for fact in known.facts if fact[0] != "readme"}
    shares = {kind: share / times(12, 1) for kind, share in SHARES.items()}
    report = explorer.explore(recording, shares, seed=1, known=facts)
    print(report)  # noqa: T201 - figures to be quoted: pytest -rP shows them
    assert _without_titles(report.losses) == []
    assert report.opened > 20
    with closing(sqlite3.connect(archive / "catalog.sqlite")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    shutil.rmtree(folder)


def _without_titles(faults: Iterable[str]) -> list[str]:
    """Leave out what titles seem to say: those of the workload alone tell of formats."""
    return [one for one in faults if "half: " not in one]
