"""What an operator is told of a database that may lose what it acknowledged, and of none other."""

from __future__ import annotations

import contextlib
import json
import time
from typing import TYPE_CHECKING

import pytest
from tests import engines
from tests.faces.conftest import served
from tests.faces.test_http import ask

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.engines import Server
    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

SERIES = "lab.example.us"
NAMES = "synchronous_standby_names"
UNAWAITED = f"ALTER SYSTEM SET {NAMES} = 'ANY 1 (walreceiver)'"
AWAITED = f"none that {NAMES} = 'db9' names is connected"
FOLLOWERS = "SELECT application_name FROM pg_stat_replication"


@pytest.fixture(scope="module")
def primary() -> Iterator[Server]:
    """A server as it comes, which flushes what it writes; with roles that see more, and less."""
    with engines.server(is_flushed=True) as running:
        running.execute("CREATE ROLE writer LOGIN")
        running.execute("CREATE ROLE seeing LOGIN IN ROLE pg_monitor, writer")
        yield running


@pytest.fixture
def location(primary: Server, tmp_path: Path, cli: Cli) -> Iterator[str]:
    """A new archive there, of which the command that made it had nothing to say."""
    folder = tmp_path / "kept"
    made = cli("init", f"{primary.location(folder)}&grant=writer", "--series", SERIES)
    assert (made.status, made.err) == (0, "")
    yield primary.location(folder)
    primary.drop(folder)


def by(role: str, location: str) -> str:
    """The location as another role names it."""
    return location.replace("user=permacite", f"user={role}")


def told(location: str) -> tuple[str, ...]:
    """The cautions of an archive."""
    with Archive.open(location) as opened:
        return opened.copies.status.cautions()


def set_to(server: Server, name: str, value: str) -> None:
    """Set something for the whole server, and wait until it is so."""
    server.execute(f"ALTER SYSTEM SET {name} = '{value}'")
    server.execute("SELECT pg_reload_conf()")
    while server.execute(f"SHOW {name}") != [(value,)]:
        time.sleep(0.01)


@contextlib.contextmanager
def setting(server: Server, name: str, value: str) -> Iterator[None]:
    """Let something be set for the whole server until the block ends."""
    ((before,),) = server.execute(f"SHOW {name}")
    set_to(server, name, value)
    try:
        yield
    finally:
        set_to(server, name, before)


@contextlib.contextmanager
def connected(server: Server, name: str) -> Iterator[None]:
    """Somebody of a name who asks the server for its log until the block ends."""
    import psycopg

    address = f"host={server.folder} user=permacite replication=true application_name={name}"
    with psycopg.connect(address, autocommit=True):
        while server.execute(FOLLOWERS) != [(name,)]:
            time.sleep(0.01)
        yield
    while server.execute(FOLLOWERS) != []:
        time.sleep(0.01)


def test_a_standby_that_no_commit_waits_for_is_told_everywhere(
    primary: Server, location: str, cli: Cli, tmp_path: Path
) -> None:
    with engines.server(is_flushed=True, is_made=False) as standby:
        standby.follow(primary)
        for role in ("permacite", "seeing", "writer"):
            assert told(by(role, location)) == ()
        set_to(primary, NAMES, "")
        for role in ("permacite", "seeing", "writer"):
            (caution,) = told(by(role, location))
            assert UNAWAITED in caution
            assert ("pg_monitor" in caution) is (role == "writer")
        checked = cli("--archive", location, "fsck")
        assert (checked.status, checked.out) == (0, "1 checked, 0 bad\n")
        assert "caution: a standby follows the database" in checked.err
        told_as_json = json.loads(cli("--archive", location, "fsck", "--new", "--json").out)
        assert (told_as_json["bad"], len(told_as_json["cautions"])) == ([], 1)
        made = cli("init", primary.location(tmp_path / "other"), "--series", SERIES)
        primary.drop(tmp_path / "other")
        assert made.status == 0
        assert UNAWAITED in made.err
        with served(by("writer", location), "--metrics", "0") as running:
            assert [UNAWAITED in line for line in running.told].count(True) == 1
            where = next(line.split()[0] for line in running.told if line.endswith("has metrics"))
            assert "\npermacite_cautions 1.0\n" in ask(where, "/metrics").body.decode()
            assert ask(running.base, "/-/ready").json == {"ready": True, "problem": None}
        there = location.replace(str(primary.folder), str(standby.folder))
        assert told(there) == (), "a standby knows nothing of its primary"


def test_a_standby_that_is_not_there_holds_up_commits(primary: Server, location: str) -> None:
    with setting(primary, NAMES, "db9"):
        for role in ("permacite", "writer"):
            (caution,) = told(by(role, location))
            assert AWAITED in caution
        with connected(primary, "db3"):
            assert told(by("writer", location)) == (), "whether it is one is hidden"


@pytest.mark.parametrize("name", ["pg_basebackup", "pg_receivewal"])
def test_a_backup_is_no_standby(name: str, primary: Server, location: str) -> None:
    with connected(primary, name):
        for role in ("permacite", "seeing", "writer"):
            assert told(by(role, location)) == ()


def test_who_keeps_the_log_is_no_standby_to_who_sees_it(primary: Server, location: str) -> None:
    with connected(primary, "barman_receive_wal"):
        assert told(by("seeing", location)) == ()
        (caution,) = told(by("writer", location))
        assert "what looks like one to a role without pg_monitor" in caution


@pytest.mark.parametrize("name", ["fsync", "full_page_writes"])
def test_a_server_that_flushes_less_is_told(name: str, primary: Server, location: str) -> None:
    with setting(primary, name, "off"):
        (caution,) = told(by("writer", location))
        assert caution.startswith(f"{name} is off: ")
        assert f"ALTER SYSTEM SET {name} = on" in caution
    assert told(location) == ()


def test_an_archive_in_a_folder_has_none(archive: Path, cli: Cli) -> None:
    assert told(str(archive)) == ()
    assert json.loads(cli("fsck", "--json").out)["cautions"] == []
