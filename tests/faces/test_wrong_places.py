"""A location that leads nowhere: who names it is told what is wrong, soon, and nothing is made."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

import psycopg
import pytest

from permacite.archive.repository import Repository
from permacite.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.engines import Server
    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

HERE = "host={server}&user=permacite"
AWAY, NOT_IN = "the database does not answer: ", "the database does not let us in: "

PLACES = [
    # what is wrong, a location but for its folder, what is said
    ("host", "//no-such-host.invalid/d?", AWAY, "no-such-host.invalid"),
    ("closed-port", "//127.0.0.1:1/d?", AWAY, "port 1 failed: Connection refused ("),
    ("port", "//127.0.0.1:99999/d?", NOT_IN, 'invalid port number: "99999"'),
    ("socket", "///d?host=/no/such/folder", AWAY, "No such file or directory ("),
    ("database", f"///none?{HERE}", NOT_IN, 'database "none" does not exist'),
    ("role", "///postgres?host={server}&user=none", NOT_IN, 'role "none" does not exist'),
    ("no-login", "///postgres?host={server}&user=group", NOT_IN, "not permitted to log in"),
    ("service", f"///postgres?{HERE}&service=none", NOT_IN, 'service "none" not found'),
    ("mode", f"///postgres?{HERE}&sslmode=none", NOT_IN, "invalid sslmode value"),
    ("schema", f"///postgres?{HERE}&schema=none", "there is no archive in this schema", ""),
    ("blind", "///postgres?host={server}&user=blind&schema=", "", "the role may not look into it"),
]


@pytest.fixture(scope="module", autouse=True)
def _roles(postgresql: Server) -> None:
    """Make roles that may not log in, and may do nothing."""
    postgresql.execute('CREATE ROLE "group" NOLOGIN')
    postgresql.execute("CREATE ROLE blind LOGIN")


@pytest.mark.parametrize(
    ("place", "problem", "detail"), [case[1:] for case in PLACES], ids=[case[0] for case in PLACES]
)
def test_who_opens_what_is_not_there_is_told_why(
    place: str, problem: str, detail: str, postgresql: Server, cli: Cli, tmp_path: Path
) -> None:
    kept = postgresql.location(tmp_path / "kept")
    Repository.create(kept, series="lab.example.us").close()
    schema = kept.partition("&schema=")[2].partition("&")[0]
    place = place.replace("{server}", str(postgresql.folder)).replace("schema=", f"schema={schema}")
    location = f"postgresql:{place}&objects={tmp_path}/o&log-key={tmp_path}/k".replace("?&", "?")
    told = cli("--archive", location, "list")
    assert told.status == 1
    assert problem in told.err
    assert detail in told.err
    as_json = cli("--archive", location, "list", "--json")
    assert (as_json.status, as_json.out) == (1, "")
    assert json.loads(as_json.err)["code"] == "storage"
    assert "Traceback" not in told.err + as_json.err
    assert not (tmp_path / "o").exists()


def test_a_role_that_may_make_nothing_is_told_so(
    postgresql: Server, cli: Cli, tmp_path: Path
) -> None:
    location = postgresql.location(tmp_path).replace("user=permacite", "user=blind")
    told = cli("init", location)
    assert told.status == 1
    assert "may not do that in the archive: permission denied for database postgres" in told.err


def test_one_of_two_makes_the_archive_and_the_other_is_told(
    postgresql: Server, tmp_path: Path
) -> None:
    location = postgresql.location(tmp_path / "kept")
    schema = location.partition("&schema=")[2].partition("&")[0]
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    address = f"host={postgresql.folder} user=permacite dbname=postgres"
    with psycopg.connect(address) as first, ThreadPoolExecutor(1) as asking:
        first.execute(f"CREATE SCHEMA {schema}".encode())
        made = asking.submit(partial(Repository.create, location, series="lab.example.us"))
        while postgresql.execute(waiting) != [(1,)]:
            time.sleep(0.01)
        first.commit()
        with pytest.raises(ConflictError, match="is an archive already"):
            made.result()
    assert not (tmp_path / "kept").exists()


def test_the_key_of_another_log_signs_nothing(postgresql: Server, cli: Cli, tmp_path: Path) -> None:
    one, two = (postgresql.location(tmp_path / name) for name in ("one", "two"))
    for location in (one, two):
        assert cli("init", location, "--series", "lab.example.us").status == 0
        assert cli("--archive", location, "log").status == 0
    wrong = one.replace(f"{tmp_path}/one/log.key", f"{tmp_path}/two/log.key")
    assert wrong != one
    told = cli("--archive", wrong, "log")
    assert told.status == 1
    assert "the key there is not the one that signed this log" in told.err
    checked = cli("--archive", wrong, "fsck")
    assert checked.status == 1
    assert "the key there is not the one that signed this log" in checked.err
    assert cli("--archive", one, "fsck").status == 0
