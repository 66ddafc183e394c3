"""A database that is away, full, read only, slow: who asks is told, nothing is lost, it goes on.

PostgreSQL is a real one, and each kind of trouble is what an administrator meets.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import shutil
import socket
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from tests.disks import fill_up, small_disk
from tests.engines import Between
from tests.faces.conftest import archive, cli, served
from tests.faces.test_http import Answer

from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.postgresql.connection import PATIENCE_S, connect
from permacite.archive.postgresql.location import located
from permacite.archive.repository import Repository
from permacite.archive.tokens import Share
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.engines import Server
    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

__all__ = ["archive", "cli"]

SERIES = "lab.example.us"
NOT_YET = 503
MOMENT_S = 0.5


class Depositor:
    """Puts documents over HTTP, and knows what was acknowledged."""

    def __init__(self, location: str, base: str) -> None:
        with Archive.open(location) as opened:
            secret = opened.access.tokens.add(scope="save", share=Share(requests=100_000)).secret
        self.kept: dict[str, bytes] = {}
        self._base = base
        self._fields = {"Authorization": f"Bearer {secret}", "Content-Type": "image/png"}

    def put(self, content: bytes | None = None) -> Answer:
        """Put a document; the answer, however long it takes."""
        content = os.urandom(3000) if content is None else content
        answer = self._ask("PUT", f"/pdi://{SERIES}/", content)
        if answer.status == http.client.CREATED:
            name = answer.headers["content-location"]
            assert name not in self.kept
            self.kept[name] = content
        return answer

    def get(self, number: int = 0) -> Answer:
        """Ask for the first document, or another."""
        return self._ask("GET", f"/{list(self.kept)[number]}")

    def health(self) -> Answer:
        """Ask whether the server lives, which asks the database nothing."""
        return self._ask("GET", "/-/health")

    def check(self, location: str) -> None:
        """Check that what was acknowledged is there, and nothing else."""
        with Archive.open(location) as opened:
            there = {
                item.pdi for page in opened.documents.list().documents for item in page.formats
            }
            assert len(there) == len(self.kept)
            for name, content in self.kept.items():
                assert opened.resolve(name).content == content
            assert {each.kind for each in opened.copies.fsck().findings} <= {"ok", "orphan"}

    def _ask(self, method: str, path: str, body: bytes | None = None) -> Answer:
        place = urlsplit(self._base)
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=120)
        with contextlib.closing(connection):
            connection.request(method, path, body, self._fields if body else {})
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, names, answer.read())


@pytest.fixture
def location(postgresql: Server, tmp_path: Path) -> str:
    """Where an archive is."""
    made = postgresql.location(tmp_path / "kept")
    Repository.create(made, series=SERIES).close()
    return made


def refused(answer: Answer, reason: str, problem: str) -> None:
    """Check that somebody was told to ask again later, and why."""
    assert (answer.status, answer.json["reason"]) == (NOT_YET, reason)
    assert problem in answer.json["detail"]
    assert answer.json["hint"]
    assert int(answer.headers["retry-after"]) > 0


@contextlib.contextmanager
def stopped(server: Server) -> Iterator[None]:
    """A database that is away until the block ends."""
    server.stop("fast")
    try:
        yield
    finally:
        server.start()


@contextlib.contextmanager
def read_only(server: Server) -> Iterator[None]:
    """A database whose administrator lets nobody write until the block ends."""
    server.execute("ALTER SYSTEM SET default_transaction_read_only = on")
    server.execute("SELECT pg_reload_conf()")
    while server.execute("SHOW default_transaction_read_only") != [("on",)]:
        time.sleep(0.01)
    try:
        yield
    finally:
        server.execute("ALTER SYSTEM RESET default_transaction_read_only")
        server.execute("SELECT pg_reload_conf()")


TROUBLES = [
    # what is the matter, what is told of it, whether what is there can be read meanwhile
    (stopped, "does not answer", False),
    (read_only, "takes no changes", True),
]
IDS = ["away", "read-only"]


@pytest.mark.parametrize(("trouble", "problem", "is_read"), TROUBLES, ids=IDS)
def test_who_waits_for_the_database_is_answered_once_it_is_back(
    trouble: Callable[[Server], contextlib.AbstractContextManager[None]],
    problem: str,
    *,
    is_read: bool,
    location: str,
    postgresql: Server,
    cli: Cli,
    tmp_path: Path,
) -> None:
    (tmp_path / "tide.txt").write_text("The tide.")
    with served(location) as running, ThreadPoolExecutor(2) as asking:
        depositor = Depositor(location, running.base)
        assert depositor.put().status == http.client.CREATED
        with trouble(postgresql):
            asked: list[Future[Answer]] = [
                asking.submit(each) for each in (depositor.put, depositor.get)
            ]
            told = cli("--archive", location, "import", str(tmp_path / "tide.txt"))
            assert told.status == 1
            assert problem in told.err
            assert "ask again later" in told.err
            time.sleep(MOMENT_S)
            assert depositor.health().status == http.client.OK
            assert [each.done() for each in asked] == [False, is_read]
        assert [each.result().status for each in asked] == [201, 200]
        assert depositor.put().status == http.client.CREATED
    depositor.check(location)


@pytest.mark.deep
@pytest.mark.parametrize(("trouble", "problem", "is_read"), TROUBLES, ids=IDS)
def test_who_waits_too_long_is_told_to_ask_again(
    trouble: Callable[[Server], contextlib.AbstractContextManager[None]],
    problem: str,
    *,
    is_read: bool,
    location: str,
    postgresql: Server,
) -> None:
    with served(location) as running, ThreadPoolExecutor(2) as asking:
        depositor = Depositor(location, running.base)
        assert depositor.put().status == http.client.CREATED
        with trouble(postgresql):
            put, got = (asking.submit(each) for each in (depositor.put, depositor.get))
            refused(put.result(), "away", problem)
            if is_read:
                assert got.result().status == http.client.OK
            else:
                refused(got.result(), "away", problem)
        assert depositor.get().status == http.client.OK
        assert depositor.put().status == http.client.CREATED
    depositor.check(location)


def test_a_full_database_refuses_and_goes_on(postgresql: Server, cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    location = f"{postgresql.location(folder)}&options=-c%20default_tablespace%3Dsmall"
    (tmp_path / "long.txt").write_bytes(os.urandom(20_000).hex().encode())
    with contextlib.ExitStack() as after:
        disk = after.enter_context(small_disk(postgresql.folder / "small", "16m"))
        shutil.chown(disk, postgresql.folder.owner())
        postgresql.execute(f"CREATE TABLESPACE small LOCATION '{disk}'")
        after.callback(postgresql.execute, "DROP TABLESPACE small")
        assert cli("init", location, "--series", SERIES).status == 0
        after.callback(postgresql.drop, folder)
        running = after.enter_context(served(location))
        depositor = Depositor(location, running.base)
        assert depositor.put().status == http.client.CREATED
        ballast = fill_up(disk, but=65_536)
        while (answer := depositor.put()).status == http.client.CREATED:
            pass
        refused(answer, "full", "the disk of the database is full")
        assert depositor.get().status == http.client.OK
        told = cli("--archive", location, "import", str(tmp_path / "long.txt"))
        assert told.status == 1
        assert "the disk of the database is full" in told.err
        assert "make room there" in told.err
        depositor.check(location)
        ballast.unlink()
        assert depositor.put().status == http.client.CREATED
        depositor.check(location)


class Slow(Between):
    """Hands on after a while; the first COMMIT after a longer one."""

    delay_s = 0.005
    commit_s = 0.0

    def passes(self, octets: bytes, *, by_client: bool) -> bool:
        """All do."""
        if by_client and b"COMMIT" in octets and self.commit_s:
            wait_s, self.commit_s = self.commit_s, 0.0
            time.sleep(wait_s)
        time.sleep(self.delay_s)
        return True


def test_a_slow_database_loses_and_doubles_nothing(
    location: str, postgresql: Server, tmp_path: Path, times: Callable[[int, int], int]
) -> None:
    """The whole waits before a COMMIT until the server has given the writer up for dead."""
    slow = Slow(tmp_path, postgresql)
    far = location.replace(str(postgresql.folder), str(tmp_path))
    slow.commit_s = times(1, 40)
    try:
        with served(far) as running, ThreadPoolExecutor(2) as asking:
            depositor = Depositor(location, running.base)
            answers = [asking.submit(depositor.put) for _ in range(4)]
            assert {each.result().status for each in answers} == {http.client.CREATED}
            assert depositor.get().status == http.client.OK
    finally:
        slow.close()
    assert len(depositor.kept) == 4
    depositor.check(location)


class Held(Between):
    """Holds back what the server says, as long as it is told to."""

    def __init__(self, folder: Path, server: Server) -> None:
        self.goes_on = threading.Event()
        self.goes_on.set()
        super().__init__(folder, server)

    def passes(self, octets: bytes, *, by_client: bool) -> bool:
        """All do, in the end."""
        del octets
        if not by_client:
            self.goes_on.wait()
        return True


def test_who_cannot_wait_is_never_told_an_earlier_number(
    location: str, postgresql: Server, tmp_path: Path
) -> None:
    held = Held(tmp_path, postgresql)
    far = location.replace(str(postgresql.folder), str(tmp_path))
    page = NewRepresentation(b"page", "image/png")
    with Repository.open(far) as slow, Repository.open(location) as near, slow.moments() as moment:
        first = moment()
        assert first is not None
        held.goes_on.clear()
        assert moment() is None
        near.committer.commit([page])
        held.goes_on.set()
        while (second := moment()) is None:
            time.sleep(0.05)
        assert second > first
        postgresql.stop()
        postgresql.start()
        assert moment() is None
        near.committer.commit([page])
        while (third := moment()) is None:
            time.sleep(0.05)
        assert third > second
    held.close()


class Network(Between):
    """Hands on all, to who comes by TCP."""

    def __init__(self, server: Server) -> None:
        super().__init__(None, server)

    def passes(self, octets: bytes, *, by_client: bool) -> bool:
        """All do."""
        del octets, by_client
        return True


def test_a_machine_that_lost_its_power_is_given_up_before_a_failover(
    location: str, postgresql: Server
) -> None:
    """It says nothing any more; the system alone would send again for a quarter of an hour."""
    network = Network(postgresql)
    far = location.replace(f"host={postgresql.folder}", f"host=127.0.0.1&port={network.port}")
    place = located(far)
    for read_only in (True, False):
        with (
            contextlib.closing(connect(place, busy_timeout_s=1, read_only=read_only)) as session,
            socket.socket(fileno=os.dup(session.connection.fileno())) as line,
        ):
            ms = line.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
            assert 0 < ms < PATIENCE_S * 1000
    network.close()
