"""A copy that is killed at any moment lets nobody in half-way, and goes on to the same end."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from tests.spec.test_archive_copying import assert_same

from permacite.archive.model.submitted import NewRepresentation, NewVersion
from permacite.archive.repository import Repository
from permacite.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.engines import Server

    from permacite.archive.engine.location import Location

SERIES = "lab.example.us"
MANY = 60
COPY = """
import sys
from pathlib import Path
from permacite.archive.repository import Repository
target = sys.argv[2] if "://" in sys.argv[2] else Path(sys.argv[2])
with Repository.open(Path(sys.argv[1])) as archive:
    print("ready", flush=True)
    archive.copies.copy(target, with_key=True)
    print("done", flush=True)
"""


def commit(archive: Repository, turn: int) -> None:
    """Commit some documents, and erase one of those before."""
    drafts = [
        NewVersion(
            [
                NewRepresentation(
                    b"%d %d" % (turn, number), "image/png", sidecars={"a": os.urandom(9)}
                )
            ]
        )
        for number in range(MANY)
    ]
    versions = archive.committer.commit_all(drafts)
    assert not any(isinstance(version, Exception) for version in versions)
    if turn % 5 == 4:
        archive.access.erase(next(archive.lists.list()).pdi.document, ground="court-order")


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("engine", ["folder", "postgresql"])
def test_a_copy_killed_at_any_moment_goes_on_to_the_same_end(
    tmp_path: Path, request: pytest.FixtureRequest, engine: str, times: Callable[[int, int], int]
) -> None:
    target: Location = tmp_path / "copy"
    if engine == "postgresql":
        server: Server = request.getfixturevalue("postgresql")
        target = server.location(tmp_path / "copy")
    chance = random.Random(engine)  # noqa: S311 - no secret: when to kill
    turn = killed = unfinished = 0
    with Repository.create(tmp_path / "archive", series=SERIES) as archive:
        while killed < times(3, 150):
            assert turn < times(60, 1500), "copies end before they are killed"
            commit(archive, turn)
            turn += 1
            command = [sys.executable, "-c", COPY, str(archive.directory), str(target)]
            with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
                assert process.stdout is not None
                assert process.stdout.readline() == "ready\n"
                time.sleep(chance.random() * 0.6)
                os.kill(process.pid, signal.SIGKILL)
                killed += process.stdout.readline() == ""
            unfinished += not opens(target)
        assert unfinished
        archive.copies.copy(target, with_key=True)
        assert_same(archive, target)


def opens(target: Location) -> bool:
    """Whether a copy can be opened: then it is whole, as it was at some moment."""
    try:
        with Repository.open(target) as copy:
            assert {finding.kind for finding in copy.fixity.fsck()} <= {"ok", "erased", "orphan"}
    except StorageError as error:
        if error.reason in {"unfinished", "missing", "not-an-archive"}:
            return False
        raise
    return True
