"""Writers, servers, a primary and the store die: nothing acknowledged is lost, nothing doubled.

A writer that lives learns what became of each commit, whoever died meanwhile.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import pytest
from tests import engines

from permacite.archive.model.submitted import NewRepresentation, NewVersion
from permacite.archive.objects.source import digest_of
from permacite.archive.records.days import names_file
from permacite.archive.repository import Repository
from permacite.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.engines import Server
    from tests.stores import Store

    from permacite.archive.model.answered import Version

SERIES = "lab.example.us"
THREADS = 3

WRITER = f"""
import os, sys, threading
from datetime import UTC, datetime, timedelta
from permacite.archive.model.answered import utc_now
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository
from permacite.errors import StorageError

def work():
    while True:
        content = NewRepresentation(os.urandom(300), "image/png")
        try:
            name = archive.committer.commit([content]).pdi.document
        except StorageError as error:
            name = f"failed {{error.reason}}"
        os.write(1, f"{{name}}\\n".encode())  # one system call: a line is never torn

clock = utc_now
if sys.argv[2:]:
    print("ready", flush=True)
    ahead = timedelta(seconds=float(sys.stdin.readline()))
    clock = lambda: datetime.now(UTC) + ahead
archive = Repository.open(sys.argv[1], clock=clock)
for _ in range({THREADS}):
    threading.Thread(target=work).start()
"""


def started(location: str, *words: str) -> subprocess.Popen[str]:
    """A writer in a process of its own, which tells each name that it was given.

    With a word more it waits to be told how far ahead its clock is.
    """
    command = [sys.executable, "-c", WRITER, location, *words]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def killed(writer: subprocess.Popen[str], *, after_lines: int) -> list[str]:
    """Kill a writer -9 once it has told so many names; all that it told."""
    with writer:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(after_lines)]
        writer.send_signal(signal.SIGKILL)
        lines += writer.stdout.read().splitlines()
    return [line.strip() for line in lines if line.strip()]


def check(location: str, told: list[str], unheard: int) -> None:
    """Check that all that was acknowledged is there, once; `unheard` more may be there.

    Who is killed, or refused, may leave octets that no name came to.
    """
    assert len(told) == len(set(told))
    with Repository.open(location) as archive:
        kept = [str(version.pdi.document) for version in archive.lists.list()]
        assert len(kept) == len(set(kept))
        assert set(told) <= set(kept)
        assert len(kept) - len(told) <= unheard
        assert {finding.kind for finding in archive.fixity.fsck()} <= {"ok", "orphan"}


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_writers_on_a_server_are_killed_one_by_one(
    tmp_path: Path, postgresql: Server, times: Callable[[int, int], int]
) -> None:
    kills = times(4, 200)
    location = postgresql.location(tmp_path / "archive")
    Repository.create(location, series=SERIES).close()
    chance = random.Random(os.urandom(8))  # noqa: S311 - no secret: when to kill
    writers: list[subprocess.Popen[str]] = []
    told: list[str] = []
    try:
        for turn in range(kills):
            while len(writers) < min(3, kills - turn):
                writers.append(started(location))
            victim = writers.pop(chance.randrange(len(writers)))
            told += killed(victim, after_lines=chance.randint(1, 20))
    finally:
        for writer in writers:
            writer.kill()
    assert [name for name in told if "failed" in name] == []
    check(location, told, kills * THREADS)


@contextlib.contextmanager
def minting(
    location: str,
    told: list[str],
    failed: list[Exception],
    size_bytes: Callable[[], int] = lambda: 99,
) -> Iterator[None]:
    """Let two archives mint, by two threads each, until the block ends."""
    stop = threading.Event()

    def minted(archive: Repository) -> Iterator[Version | Exception]:
        contents = [NewRepresentation(os.urandom(size_bytes()), "image/png") for _ in range(2)]
        try:
            yield from archive.committer.commit_all([NewVersion([each]) for each in contents])
        except Exception as error:  # noqa: BLE001 - a writer that lives is always answered
            yield error

    def mint(archive: Repository) -> None:
        while not stop.is_set():
            for version in minted(archive):
                if isinstance(version, Exception):
                    failed.append(version)
                else:
                    told.append(str(version.pdi.document))

    with Repository.open(location) as first, Repository.open(location) as second:
        threads = [
            threading.Thread(target=mint, args=(archive,))
            for archive in (first, first, second, second)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            stop.set()
            for thread in threads:
                thread.join()


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_a_synchronous_standby_takes_over(tmp_path: Path, times: Callable[[int, int], int]) -> None:
    told: list[str] = []
    failed: list[Exception] = []
    with engines.server() as first, engines.server(is_made=False) as second:
        location = first.location(tmp_path / "archive").replace(
            str(first.folder), f"{first.folder},{second.folder}"
        )
        location += "&target_session_attrs=read-write"
        Repository.create(location, series=SERIES).close()
        primary, standby = first, second
        for _ in range(times(2, 50)):
            standby.follow(primary)
            before = len(told)
            with minting(location, told, failed):
                while len(told) < before + 20:
                    time.sleep(0.05)
                primary.stop("immediate")
                standby.promote()
                after = len(told)
                while len(told) < after + 20 and not failed:
                    time.sleep(0.05)
            primary, standby = standby, primary
        assert failed == []
        check(location, told, 0)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_the_store_is_killed_again_and_again(
    tmp_path: Path,
    postgresql: Server,
    store: Store,
    bucket: str,
    monkeypatch: pytest.MonkeyPatch,
    times: Callable[[int, int], int],
) -> None:
    """What is small goes on while nobody answers there; what is large waits, or is refused."""
    place = tmp_path / "archive"
    location = postgresql.location(place).replace(
        f"objects={place}/objects", f"objects=s3://{bucket}/p"
    )
    chance = random.Random(os.urandom(8))  # noqa: S311 - no secret: when to kill
    told: list[str] = []
    failed: list[Exception] = []
    with store.gateway() as gateway:
        monkeypatch.setenv("AWS_ENDPOINT_URL", gateway.endpoint)
        Repository.create(location, series=SERIES).close()
        with minting(location, told, failed, lambda: chance.choice((99, 3000, 3000, 70_000))):
            for kill in range(times(2, 60)):
                before = len(told)
                while len(told) < before + 20:
                    time.sleep(0.02)
                time.sleep(chance.random() / 5)
                gateway.kill()
                time.sleep(20 if kill % 10 == 9 else chance.random())
                gateway.start()
        assert all(isinstance(each, StorageError) and each.reason == "away" for each in failed)
        check(location, told, 0)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_day_is_sealed_as_it_was_by_writers_whose_clocks_differ(
    tmp_path: Path, postgresql: Server, times: Callable[[int, int], int]
) -> None:
    """Three processes mint through midnight, by clocks of their own that are seconds apart.

    Who is behind the others is refused until its clock has come to where they are.
    """
    location = postgresql.location(tmp_path / "archive")
    now = datetime.now(UTC)
    day = now.date()
    Repository.create(location, series=SERIES, clock=lambda: now).close()
    writers = [started(location, "told") for _ in range(3)]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    midnight = datetime(now.year, now.month, now.day, tzinfo=UTC) + timedelta(days=1)
    ahead = (midnight - datetime.now(UTC)).total_seconds() - times(5, 10)
    for writer, skew in zip(writers, (-times(1, 3), 0, times(1, 3)), strict=True):
        assert writer.stdin is not None
        writer.stdin.write(f"{ahead + skew}\n")
        writer.stdin.flush()
    with ThreadPoolExecutor(len(writers)) as hands:  # at once: who is not read stops
        told = list(chain.from_iterable(hands.map(partial(until_the_day_after, day), writers)))
    for writer in writers:
        told += killed(writer, after_lines=0)
    assert {name for name in told if "failed" in name} == {"failed clock"}
    names = [name for name in told if "failed" not in name]
    check(location, names, len(writers) * THREADS)
    with Repository.open(location) as archive:
        of_day = [v.pdi.unique_id for v in archive.lists.list() if f"{day:%Y/%m/%d}" in str(v.pdi)]
        (leaf,) = [one for one in archive.log.leaves() if b'"kind":"day"' in one.content]
        sealed = archive.log.disclosed(leaf)
    assert sealed["documents"] == len(of_day) > 0
    assert sealed["names"] == digest_of(names_file(sorted(of_day)))


def until_the_day_after(day: date, writer: subprocess.Popen[str]) -> list[str]:
    """What a writer tells until it mints on the day after one."""
    assert writer.stdout is not None
    told: list[str] = []
    after = f"/{day + timedelta(days=1):%Y/%m/%d}/"
    for line in writer.stdout:
        told.append(line.strip())
        if after in line:
            return told
    raise AssertionError("the writer died")
