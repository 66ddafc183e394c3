"""Mirrors with their records in PostgreSQL: made from nothing, by a role of their own, on S3."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import psycopg
import pytest
from tests.faces.between import meanwhile
from tests.faces.conftest import served
from tests.faces.test_http import ask
from tests.starting import start

from permacite.archive.repository import Repository
from permacite.archive.transport.mirror import Mirror
from permacite.errors import ConflictError, StorageError
from permacite.service.access import Choice
from permacite.service.archive import Archive
from permacite.service.mirroring.following import follow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.engines import Server
    from tests.faces.conftest import Outcome, Running

    Cli = Callable[..., Outcome]

pytest.importorskip("aiohttp", reason="mirrors fetch with it")

PAGE = b"<!doctype html><title>Tide</title><p>The highest tide of the year."


@pytest.fixture
def location(postgresql: Server, tmp_path: Path) -> str:
    """Where the mirror is to be; it names a key of the log, which a mirror has not."""
    return postgresql.location(tmp_path / "mirror")


@pytest.fixture
def passage(archive: Path) -> str:
    """A passage that is cited in the archive."""
    with Archive.open(archive) as there:
        page = there.add(PAGE, name="tide.html")
        return there.cite(page.pdi, quote="highest tide").reference


@pytest.fixture
def origin(archive: Path, passage: str) -> Iterator[Running]:
    """The archive, served to the public."""
    assert passage
    with served(archive, "--public") as running:
        yield running


def test_from_an_address_to_a_proof(
    origin: Running, passage: str, location: str, cli: Cli, tmp_path: Path
) -> None:
    made = cli("mirror", origin.base, location)
    assert made.status == 0, made.err
    where = made.out.strip()
    assert "log-key" not in where
    assert location.startswith(where)
    assert json.loads(cli("mirror", origin.base, location, "--json").out)["directory"] == where
    at, proof = ("--archive", location), str(tmp_path / "proof.zip")
    assert cli(*at, "resolve", passage).out == "highest tide"
    assert cli(*at, "prove", passage, "-o", proof).status == 0
    key = json.loads(cli("log", "--json").out)["key"]
    assert cli("verify", proof, "--key", key).status == 0
    assert cli(*at, "fsck").status == 0
    with served(location, "--public") as mirror:
        (name, _, _) = passage.partition("#")
        assert "highest tide" in ask(mirror.base, f"/{name}").body.decode()
    assert not (tmp_path / "mirror/log.key").exists()


def test_octets_in_a_store(
    origin: Running, passage: str, postgresql: Server, bucket: str, tmp_path: Path
) -> None:
    location = re.sub(
        "objects=[^&]*", f"objects=s3://{bucket}/one", str(postgresql.location(tmp_path / "mirror"))
    )
    assert follow(origin.base, location).lost == ()
    with Archive.open(location) as here:
        assert here.resolve(passage).text == "highest tide"
        assert here.copies.fsck().ok
    assert not (tmp_path / "mirror/objects").exists()


def test_a_role_of_its_own_follows(
    archive: Path, origin: Running, passage: str, location: str
) -> None:
    role = "m" + re.findall(r"schema=(\w+)", location)[0]
    with psycopg.connect(location.partition("&schema")[0], autocommit=True) as hand:
        hand.execute(f"CREATE ROLE {role} LOGIN".encode())
    follow(origin.base, f"{location}&grant={role}")
    own = location.replace("user=permacite", f"user={role}")
    with Archive.open(archive) as there:
        added = [there.add(text, name="a.txt") for text in (b"closed", b"withdrawn", b"erased")]
        closed, withdrawn, erased = (each.document.pdi for each in added)
        there.access.standing(closed, Choice(access="closed"))
        there.log.state()
    follow(origin.base, own)
    with Archive.open(archive) as there:
        there.access.standing(closed, Choice(access="public"))
        there.access.withdraw(withdrawn, reason="copyright")
        there.access.erase(erased, ground="court-order")
        there.access.erase(passage.partition("#")[0], ground="court-order")
    assert follow(origin.base, own).filled == 1
    with Repository.open(own) as here:
        Mirror(here.parts).keep_forks({"fork-1-2-abc.txt": "shown"})
    assert follow(origin.base, own, past_fork=True).entered == 0
    with Archive.open(own) as here, Archive.open(archive) as there:
        assert here.log.state().size == there.log.state().size
        assert here.copies.fsck().ok


def test_what_is_there_and_no_mirror_stays_as_it_is(
    origin: Running, location: str, cli: Cli, postgresql: Server, tmp_path: Path
) -> None:
    schema = re.findall(r"schema=(\w+)", location)[0]
    postgresql.execute(f"CREATE SCHEMA {schema}")
    postgresql.execute(f"CREATE TABLE {schema}.of_others (a INTEGER)")
    refused = cli("mirror", origin.base, location)
    assert (refused.status, "is not empty" in refused.err) == (1, True), refused.err
    other = postgresql.location(tmp_path / "other")
    Archive.create(other, series="press.example.us").close()
    refused = cli("mirror", origin.base, other)
    assert (refused.status, "an archive of its own, and no mirror" in refused.err) == (1, True)
    refused = cli("mirror", origin.base, location.replace("/postgres?", "/nowhere?"))
    assert (refused.status, '"nowhere" does not exist' in refused.err) == (1, True)
    for bad in ("postgresql://me:sesame@h/d?objects=/o", "gopher://me:sesame@h/"):
        refused = cli("mirror", origin.base, bad)
        assert refused.status in {1, 2}
        assert "sesame" not in refused.out + refused.err


def test_folders_that_hold_other_things_stay_as_they_are(
    origin: Running, cli: Cli, tmp_path: Path
) -> None:
    full, foreign = tmp_path / "full", tmp_path / "foreign"
    for folder, name, told in (
        (full, "mine.txt", "is not empty"),
        (foreign, "catalog.sqlite", "some other program's"),
    ):
        folder.mkdir()
        (folder / name).write_bytes(b"")
        refused = cli("mirror", origin.base, str(folder))
        assert (refused.status, told in refused.err) == (1, True), refused.err
        assert [path.name for path in folder.iterdir()] == [name]


def test_nothing_is_made_where_the_address_does_not_answer(
    cli: Cli, location: str, postgresql: Server, tmp_path: Path
) -> None:
    assert cli("mirror", "http://127.0.0.1:1/", location).status == 1
    schema = re.findall(r"schema=(\w+)", location)[0]
    assert (schema,) not in postgresql.execute("SELECT nspname FROM pg_namespace")
    assert not (tmp_path / "mirror").exists()


def test_a_mirror_is_no_copy_and_takes_no_place(
    archive: Path, origin: Running, location: str, cli: Cli, tmp_path: Path
) -> None:
    follow(origin.base, location)
    for words, told in (
        (("promote", location), "is a mirror of http"),
        (("copy", location, str(tmp_path / "copy")), "a mirror is not copied"),
        (("copy", str(archive), location), "is a mirror of http"),
        (("--archive", location, "backup", str(tmp_path / "copy")), "a mirror is not copied"),
    ):
        refused = cli(*words)
        assert (refused.status, told in refused.err) == (1, True), (words, refused.err)
    assert not (tmp_path / "copy").exists()
    follow(origin.base, location)


def test_a_setting_that_is_damaged_is_told_with_its_place(origin: Running, location: str) -> None:
    follow(origin.base, location)
    with Repository.open(location) as here:
        here.settings.set("mirror waiting", "[")
        with pytest.raises(StorageError, match="mirror waiting") as refused:
            follow(origin.base, location)
        assert (refused.value.reason, refused.value.path) == ("damaged", here.where)


def test_of_two_that_make_a_mirror_one_is_told(
    archive: Path, origin: Running, location: str
) -> None:
    with (
        meanwhile(origin.base, "/-/api/log", lambda: follow(origin.base, location)) as base,
        pytest.raises(ConflictError, match="is an archive already"),
    ):
        follow(base, location)
    follow(origin.base, location)
    with Repository.open(archive) as there, Repository.open(location) as here:
        assert here.log.size() == there.log.size()


def test_who_follows_again_and_again_waits_for_a_database_that_is_away(
    origin: Running, location: str, postgresql: Server, tmp_path: Path
) -> None:
    away = location.replace(str(postgresql.folder), str(tmp_path))
    words = ["mirror", origin.base, away, "--every", "1"]
    run = start(words)
    assert run.stderr is not None
    try:
        assert "the database does not answer" in run.stderr.readline()
        assert run.poll() is None
    finally:
        run.kill()
        run.wait(30)
        run.stderr.close()
