"""Whose octets a store holds: another archive's store is refused, with what was expected where."""

from __future__ import annotations

import contextlib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.faces.conftest import archive, cli

from permacite.archive.administration import place_of
from permacite.archive.engine.location import open_objects
from permacite.archive.entries import seal
from permacite.archive.model.answered import utc_now
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.objects.mark import mark_of
from permacite.archive.objects.s3 import S3Objects
from permacite.archive.objects.source import digest_of
from permacite.archive.postgresql.server import Server
from permacite.archive.repository import Repository
from permacite.errors import ConflictError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.engines import Server as Engine
    from tests.faces.conftest import Outcome
    from tests.stores import Store

    from permacite.archive.objects.store import ObjectStore

    Cli = Callable[..., Outcome]
    At = Callable[..., str]

__all__ = ["archive", "cli"]

SERIES = "lab.example.us"
LARGE = bytes(range(256)) * 1024
PICTURE = [NewRepresentation(LARGE, "image/png")]


@pytest.fixture(params=["folder", "s3"])
def at(request: pytest.FixtureRequest, postgresql: Engine, bucket: str, tmp_path: Path) -> At:
    """What gives the location of records, by a word, with octets in a store, by another word."""
    base = tmp_path / "stores" if request.param == "folder" else f"s3://{bucket}"
    return partial(_location, postgresql, tmp_path, base)


def _location(
    server: Engine, folder: Path, base: Path | str, records: str, store: str, *, signs: bool = True
) -> str:
    location, _, key = server.location(folder / records).partition("&objects=")
    key = key.partition("&log-key=")[2]
    own = f"&log-key={key}" if signs else f"&local={folder / 'reader'}"
    return f"{location}&objects={base}/{store}{own}"


def made(location: str, *, number: int = 1) -> None:
    """Make an archive, and commit so many documents."""
    with Repository.create(location, series=SERIES) as new:
        for _ in range(number):
            new.committer.commit(PICTURE)


def store_at(location: str) -> ObjectStore:
    return place_of(location).objects()


def refusal(location: str) -> StorageError:
    """The error of who opens an archive with the store of another."""
    with pytest.raises(StorageError) as error:
        Repository.open(location)
    assert error.value.reason == "other-store"
    return error.value


def age(server: Engine, tmp_path: Path, location: str) -> None:
    """Make an archive what it was before stores had marks."""
    server.by_hand(tmp_path / "one", "DELETE FROM setting WHERE name LIKE 'store%'")
    store = store_at(location)
    if isinstance(store, S3Objects):
        import boto3

        bucket, _, prefix = store.name.removeprefix("s3://").partition("/")
        boto3.client("s3").delete_object(Bucket=bucket, Key=f"{prefix}/archive")
    else:
        (Path(store.name) / "archive").unlink()
    assert mark_of(store) is None


def test_an_archive_is_refused_with_the_store_of_another(at: At, cli: Cli) -> None:
    made(at("one", "a"))
    made(at("two", "b"))
    error = refusal(at("one", "b"))
    assert error.path == store_at(at("one", "b")).name
    there, expected = mark_of(store_at(at("two", "b"))), mark_of(store_at(at("one", "a")))
    assert there is not None
    assert expected is not None
    for location in (at("one", "b"), at("one", "b", signs=False)):
        told = cli("--archive", location, "list")
        assert told.status == 1
        assert f"has the octets of another archive: {there.number} {there.where}" in told.err
        assert f"expected the store with the mark {expected.number}" in told.err
        assert "name the store that the archive was made with" in told.err
    for number, location in ((expected.number, at("one", "a")), (there.number, at("two", "b"))):
        with Repository.open(location) as opened:
            assert len(list(opened.lists.list())) == 1
        mark = mark_of(store_at(location))
        assert mark is not None
        assert mark.number == number


@pytest.mark.parametrize("number", [0, 1])
def test_an_archive_is_refused_with_an_empty_store(at: At, number: int) -> None:
    """Also one that has no octets so far: the disk may not be mounted on the first day."""
    made(at("one", "a"), number=number)
    for location in (at("one", "b"), at("one", "b", signs=False)):
        assert "has none of the octets of this archive" in str(refusal(location))
    assert mark_of(store_at(at("one", "b"))) is None
    Repository.open(at("one", "a", signs=False)).close()


def test_a_second_archive_is_told_whose_place_is_taken(at: At) -> None:
    made(at("one", "a"), number=0)
    with pytest.raises(ConflictError, match="is not empty: it has the octets of the archive") as it:
        made(at("two", "a"))
    assert place_of(at("one", "a")).where in str(it.value)
    with pytest.raises(StorageError, match="there is no archive in this schema"):
        Repository.open(at("two", "b"))
    with pytest.raises(ConflictError, match="is an archive already"):
        made(at("one", "b"))
    assert mark_of(store_at(at("one", "b"))) is None
    made(at("two", "b"))


def test_a_store_that_took_the_place_of_another_is_taken_once_it_is_marked(at: At) -> None:
    """As an administrator does whose bucket has moved, or is lost."""
    made(at("one", "a"))
    refusal(at("one", "b"))
    expected = mark_of(store_at(at("one", "a")))
    assert expected is not None
    store_at(at("one", "b")).publish("archive", expected.number.encode())
    with Repository.open(at("one", "b")) as opened:
        assert "missing" in {each.kind for each in opened.fixity.fsck()}


@pytest.mark.parametrize("number", [0, 1])
def test_the_store_of_an_archive_of_before_is_marked(
    at: At, postgresql: Engine, tmp_path: Path, number: int
) -> None:
    made(at("one", "a"), number=number)
    age(postgresql, tmp_path, at("one", "a"))
    Repository.open(at("one", "a", signs=False)).close()
    if number:
        assert "not known here" in str(refusal(at("one", "b", signs=False)))
        refusal(at("one", "b"))
    Repository.open(at("one", "a")).close()
    mark = mark_of(store_at(at("one", "a")))
    assert mark is not None
    assert mark.where == place_of(at("one", "a")).where
    refusal(at("one", "b"))


def test_a_copy_and_its_archive_have_a_store_each(at: At) -> None:
    made(at("one", "a"))
    with Repository.open(at("one", "a")) as source:
        source.copies.copy(at("copy", "b"), with_key=True)
        source.copies.copy(at("copy", "b"), with_key=True)
        with pytest.raises(ConflictError, match="is not empty"):
            source.copies.copy(at("second", "a"))
        with pytest.raises(StorageError, match="the octets of another archive"):
            source.copies.copy(at("copy", "a"), with_key=True)
    refusal(at("copy", "a"))
    refusal(at("one", "b"))
    with Repository.open(at("copy", "b")) as copy:
        assert {each.kind for each in copy.fixity.fsck()} == {"ok"}


def test_a_folder_with_its_octets_elsewhere_is_held_to_them(tmp_path: Path, bucket: str) -> None:
    folder = tmp_path / "folder"
    with Repository.create(folder, series=SERIES, objects=f"s3://{bucket}/a") as new:
        new.committer.commit(PICTURE)
    (folder / "objects.at").write_text(f"s3://{bucket}/b\n")
    refusal(str(folder))
    (folder / "objects.at").write_text(f"s3://{bucket}/a\n")
    with Repository.open(folder) as opened:
        opened.copies.backup(tmp_path / "backup")
    with Repository.open(tmp_path / "backup") as backup:
        assert {each.kind for each in backup.fixity.fsck()} == {"ok"}
    assert not (tmp_path / "backup" / "objects" / "archive").exists()


def test_a_store_is_not_put_to_before_it_is_seen_to_be_right(bucket: str, store: Store) -> None:
    objects, answers = S3Objects(bucket, "p"), [False, False, False, False, True]

    def ask() -> None:
        if not answers.pop(0):
            raise StorageError("not yet", path="", reason="away")

    objects.ask_first(ask)
    put = partial(objects.put, b"x")
    digest = digest_of(b"x")
    all_ = partial(objects.put_all, [(digest, b"x")])
    for change in (put, all_, partial(objects.delete, digest), objects.check_deletes):
        with pytest.raises(StorageError, match="not yet"):
            change()
    assert store.keys(bucket) == []
    assert put() == digest
    all_()
    assert answers == []


class Slow(Server):
    """The place of an archive whose store does not answer at first."""

    def objects(self) -> Late:
        """Open the store."""
        address = str(self._located.objects)
        return Late(*address.removeprefix("s3://").split("/"))


class Late(S3Objects):
    """A store that does not answer at first."""

    is_away = True

    def published(self, path: str) -> bytes | None:
        """What is there, later."""
        if self.is_away:
            raise StorageError("later", path=self.name, reason="away")
        return super().published(path)


@pytest.mark.parametrize(("prefix", "is_right"), [("a", True), ("b", False)])
def test_a_store_that_was_away_is_asked_later(
    postgresql: Engine, tmp_path: Path, bucket: str, prefix: str, *, is_right: bool
) -> None:
    one = partial(_location, postgresql, tmp_path, f"s3://{bucket}", "one")
    made(one("a"))
    place = Slow(one(prefix))
    opened = place.catalog(clock=utc_now, sealer=seal, busy_timeout_s=10.0)
    with contextlib.closing(opened) as catalog:
        store = open_objects(place, catalog)
        with pytest.raises(StorageError, match="later"):
            store.put(b"x")
        assert isinstance(store, Late)
        store.is_away = False
        if is_right:
            store.put(b"x")
        else:
            with pytest.raises(StorageError, match="has none of the octets"):
                store.put(b"x")
