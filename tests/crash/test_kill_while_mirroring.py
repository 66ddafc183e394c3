"""A mirror killed again and again ends with the log of its origin, and lacks nothing."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository as Engines
from tests.faces.conftest import served

from permacite.archive.model.submitted import NewRepresentation, NewVersion
from permacite.archive.objects.store import open_store
from permacite.archive.repository import Repository
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.engines import Server

    from permacite.archive.engine.location import Location

pytest.importorskip("aiohttp", reason="mirrors fetch with it")

_AT_ONCE = 150


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.engines(deep=True)  # the other one's catalog is beside a store below
def test_mirror_killed_again_and_again_has_the_same_root(
    tmp_path: Path, times: Callable[[int, int], int]
) -> None:
    folder = tmp_path / "mirror"

    def contents() -> int:
        return sum(1 for _ in folder.glob("objects/??/??/*"))

    kill(tmp_path / "archive", Engines.at(folder), contents, times(2, 100))


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_mirror_over_a_store_killed_again_and_again_has_the_same_root(
    tmp_path: Path, postgresql: Server, bucket: str, times: Callable[[int, int], int]
) -> None:
    address = f"s3://{bucket}/mirror"
    into = re.sub("objects=[^&]*", f"objects={address}", postgresql.location(tmp_path / "mirror"))
    (schema,) = re.findall(r"schema=(\w+)", into)
    store = open_store(address)

    def contents() -> int:
        if not postgresql.execute(f"SELECT to_regclass('{schema}.packed')")[0][0]:
            return 0
        small = (
            int(postgresql.execute(f"SELECT count(*) FROM {schema}.{table}")[0][0])  # noqa: S608 - ours
            for table in ("unsettled", "packed")
        )
        return sum(small) + sum(1 for _ in store.digests())

    kill(tmp_path / "archive", into, contents, times(1, 30))


def kill(archive: Path, into: Location, contents: Callable[[], int], wanted: int) -> None:
    """Follow an archive that grows, and kill that so often; then compare the two.

    `contents` counts those that the mirror has.
    """
    Archive.create(archive, series="lab.example.zz").close()
    chance = random.Random(os.urandom(8))  # noqa: S311 - no secret: when to kill
    kills = 0
    with served(archive, "--public") as origin:
        grow(archive)
        while kills < wanted:
            run = start(origin.base, into)
            wait_for(run, contents, contents() + chance.randint(0, _AT_ONCE))
            with contextlib.suppress(subprocess.TimeoutExpired):
                run.wait(chance.uniform(0, 0.3))
            run.send_signal(signal.SIGKILL)
            _, told = run.communicate()
            if run.returncode == -signal.SIGKILL:
                kills += 1
            else:
                assert run.returncode == 0, told.decode()
                grow(archive)
        run = start(origin.base, into)
        _, told = run.communicate()
        assert run.returncode == 0, told.decode()
    with Repository.open(archive) as there, Repository.open(into) as here:
        size = there.log.size()
        assert (here.log.size(), here.log.root(size)) == (size, there.log.root(size))
        assert here.lists.count() == there.lists.count()
    with Archive.open(into) as mirror:
        report = mirror.copies.fsck()
        assert report.bad == ()
        assert [item.kind for item in report.findings] == []


def start(base: str, into: Location) -> subprocess.Popen[bytes]:
    """Start a run of the mirror."""
    command = [sys.executable, "-m", "permacite", "mirror", base, str(into)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def wait_for(run: subprocess.Popen[bytes], contents: Callable[[], int], wanted: int) -> None:
    """Wait until a mirror has so many contents, or is done."""
    while contents() < wanted:
        with contextlib.suppress(subprocess.TimeoutExpired):
            run.wait(0.02)
            return


def grow(archive: Path) -> None:
    """Commit more documents there."""
    with Repository.open(archive) as repository:
        formats = [
            [
                NewRepresentation(os.urandom(5000), "application/octet-stream"),
                NewRepresentation(os.urandom(99).hex().encode(), "text/plain", charset="utf-8"),
                NewRepresentation(os.urandom(70_000), "image/png"),
            ][: 2 + (number % 10 == 0)]
            for number in range(_AT_ONCE)
        ]
        repository.committer.commit_all([NewVersion(each) for each in formats])
