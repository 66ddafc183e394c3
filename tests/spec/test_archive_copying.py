"""Copies between engines and stores: the same log, rows and octets, whatever happened between."""

# ruff: noqa: S608 - the names of tables are our own
from __future__ import annotations

import contextlib
import sqlite3
import threading
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from tests.changed import CHANGES, changed, clock, commit, everything, first, rows
from tests.earlier import unpack
from tests.engines import Server
from tests.kept import file_of

from permacite.archive.administration import place_of
from permacite.archive.annotations import Subject
from permacite.archive.log.bundles.checking import check_proof
from permacite.archive.log.keys import Signer
from permacite.archive.model.answered import Provenance, Standing
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.objects.source import digest_of
from permacite.archive.records import octets, settings
from permacite.archive.repository import Repository
from permacite.archive.sqlite.schema import SCHEMA
from permacite.archive.transport.copying import promote
from permacite.archive.transport.rows import COMPARED, LEFT_OUT, LOG, SLICED
from permacite.errors import ConflictError, IntegrityError, NotFoundError, ParseError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.stores import Store

    from permacite.archive.engine.location import Location
    from permacite.archive.records.rows import Session

COPIED = [*SLICED, LOG, *COMPARED]
MINTING = ("a-commit", "a-version", "a-format", "a-citation", "a-statement", "a-withdrawal")
"""Changes that enter something into the log."""
SMALL, LARGE = b"small", bytes(range(256)) * 300


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Repository]:
    """An archive with some of everything."""
    with changed(tmp_path / "archive") as opened:
        yield opened


@pytest.fixture(params=["folder", "postgresql"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    """Where a copy is to be."""
    if request.param == "folder":
        return tmp_path / "copy"
    server = request.getfixturevalue("postgresql")
    assert isinstance(server, Server)
    return server.location(tmp_path / "copy")


def without_own(tables: dict[str, list[tuple[object, ...]]]) -> dict[str, list[tuple[object, ...]]]:
    """All rows but that which says of one place that it reads alone."""
    of_all = [row for row in tables["setting"] if row[0] not in settings.OF_ONE_PLACE]
    return tables | {"setting": of_all}


def dumped(archive: Repository) -> dict[str, list[tuple[object, ...]]]:
    """All rows that a copy has, by table."""

    def dump(session: Session) -> dict[str, list[tuple[object, ...]]]:
        tables = {
            table: sorted(
                (tuple(row) for row in session.execute(f"SELECT * FROM {table}")), key=repr
            )
            for table in COPIED
        }
        return without_own(tables)

    return archive._catalog.read(dump)  # noqa: SLF001 - what is stored is looked at


def assert_same(archive: Repository, target: Location) -> None:
    """Check that a copy has the same rows, all octets, and no faults."""
    with Repository.open(target, clock=clock) as copy:
        assert dumped(copy) == dumped(archive)
        assert copy.log.root(copy.log.size()) == archive.log.root(archive.log.size())
        assert {finding.kind for finding in copy.fixity.fsck()} <= {"ok", "erased"}


def proof_of(archive: Repository) -> bytes:
    """A proof of the oldest document."""
    from permacite.service.archive import Archive

    return Archive(archive).prove(str(next(archive.lists.list()).representations[0].pdi))


def test_every_table_is_copied_or_left_out_for_a_reason() -> None:
    with contextlib.closing(sqlite3.connect(":memory:")) as memory:
        memory.executescript(SCHEMA)
        tables = memory.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        assert sorted({*COPIED, *LEFT_OUT}) == sorted(name for (name,) in tables)
        for table, how in COMPARED.items():
            (_, key, *_), *_ = memory.execute(f"PRAGMA table_info({table})")
            assert key == how.key
    assert {*COPIED}.isdisjoint(LEFT_OUT)
    assert all(LEFT_OUT.values())


def test_there_and_back_again(archive: Repository, postgresql: Server, tmp_path: Path) -> None:
    erased = commit(archive, "the words of Jane Roe")
    archive.access.erase(
        next(v for v in archive.lists.list() if str(v.pdi.document) == erased).pdi,
        ground="court-order",
    )
    everything(archive)
    proof, key = proof_of(archive), str(archive.log.keys.verifier)
    there, back = postgresql.location(tmp_path / "there"), tmp_path / "back"
    copied = archive.copies.copy(there, with_key=True)
    assert (copied.entries, copied.lost) == (archive.log.size(), ())
    with Repository.open(there, clock=clock) as middle:
        assert middle.copies.copy(back, with_key=True).root == copied.root
    assert rows(back) == {**rows(tmp_path / "archive"), "unsettled": []}
    assert_same(archive, there)
    assert_same(archive, back)
    with Repository.open(back, clock=clock) as copy:
        assert copy.log.checkpoints.current() == archive.log.checkpoints.current()
        assert str(copy.log.keys.verifier) == key
        for version in archive.lists.list():
            for format_ in version.representations:
                if format_.digest:
                    assert copy.contents.read(format_) == archive.contents.read(format_)
        assert check_proof(proof, key).ok
        assert check_proof(proof_of(copy), key).ok
        name = commit(copy, "it goes on")
        assert name not in {str(version.pdi.document) for version in archive.lists.list()}


def test_an_archive_of_the_first_schema_is_copied_too(postgresql: Server, tmp_path: Path) -> None:
    folder, proofs = unpack(tmp_path)
    there = postgresql.location(tmp_path / "there")
    with Repository.open(folder) as old:
        old.copies.copy(there, with_key=True)
        assert_same(old, there)
        key = str(old.log.keys.verifier)
    del proofs["ca.pem"]
    with Repository.open(there) as copy:
        copy.copies.copy(tmp_path / "back")
        assert all(check_proof(proof, key).ok for proof in proofs.values())
    assert without_own(rows(tmp_path / "back")) == {**rows(folder), "unsettled": []}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_new_follows(
    archive: Repository, tmp_path: Path, change: Callable[[Repository], object]
) -> None:
    archive.copies.copy(tmp_path / "copy")
    change(archive)
    archive.copies.copy(tmp_path / "copy")
    assert_same(archive, tmp_path / "copy")


def test_what_is_new_follows_change_by_change(archive: Repository, target: Location) -> None:
    for change in CHANGES.values():
        change(archive)
        archive.copies.copy(target)
        assert_same(archive, target)


@pytest.mark.parametrize("what", ["document", "version"])
def test_what_is_erased_goes_from_the_copy(
    archive: Repository, target: Location, tmp_path: Path, what: str
) -> None:
    name = commit(archive, "the words of Jane Roe")
    archive.copies.copy(target)
    version = next(one for one in archive.lists.list() if str(one.pdi.document) == name)
    file = file_of(tmp_path / "copy", version.representations[0].digest)
    assert file.read_bytes() == b"the words of Jane Roe"
    pdi = version.pdi.document if what == "document" else version.pdi
    assert archive.access.erase(pdi, ground="data-protection").is_done
    archive.copies.copy(target)
    assert not file.exists()
    assert_same(archive, target)
    for path in (tmp_path / "copy").glob("catalog.sqlite*"):
        assert b"Jane Roe" not in path.read_bytes()


def test_the_copy_of_a_moment_is_whole_while_others_commit(
    archive: Repository, target: Location, times: Callable[[int, int], int]
) -> None:
    allowed, done = threading.Semaphore(0), threading.Semaphore(0)
    stop = threading.Event()

    def write() -> None:
        while allowed.acquire() and not stop.is_set():
            everything(archive)
            done.release()

    beside = times(4, 50)  # so often is all written while a copy is made: without end, it grows so
    thread = threading.Thread(target=write)
    thread.start()
    try:
        sizes = []
        for _ in range(3):
            allowed.release(1 + beside)
            done.acquire()
            sizes.append(archive.copies.copy(target).size)
            for _ in range(beside):
                done.acquire()
        with Repository.open(target, clock=clock) as copy:
            assert copy.log.size() == sizes[-1]
            assert {finding.kind for finding in copy.fixity.fsck()} == {"ok"}
    finally:
        stop.set()
        allowed.release()
        thread.join()
    assert sizes == sorted(set(sizes))
    archive.copies.copy(target)
    assert_same(archive, target)


def test_a_copy_without_the_key_reads_proves_and_enters_nothing(
    archive: Repository, target: Location
) -> None:
    keyless = target.partition("&log-key")[0] if isinstance(target, str) else target
    for location in (keyless, target):  # where a location names a file for the key: the same
        archive.copies.copy(location)
        with Repository.open(location, clock=clock) as copy:
            with pytest.raises(StorageError, match="signs nothing"):
                copy.log.keys.signer  # noqa: B018 - asking is the point
            assert str(copy.log.keys.verifier) == str(archive.log.keys.verifier)
            assert copy.log.checkpoints.current() == archive.log.checkpoints.current()
            assert check_proof(proof_of(copy), str(archive.log.keys.verifier)).ok
            for version in archive.lists.list():
                assert copy.contents.read(version.representations[0]) == archive.contents.read(
                    version.representations[0]
                )
            for change in MINTING:
                with pytest.raises(ConflictError, match="copy that reads") as refused:
                    CHANGES[change](copy)
                assert "--with-key" in refused.value.hint
            assert copy.log.size() == archive.log.size()
        everything(archive)
    archive.copies.copy(target, with_key=True)
    with Repository.open(target, clock=clock) as copy:
        assert dumped(copy) == dumped(archive)
        assert str(copy.log.keys.signer.verifier) == str(archive.log.keys.verifier)
        commit(copy, "in the place of the archive")


def test_a_copy_that_reads_is_promoted_by_the_key_alone(
    archive: Repository, target: Location, tmp_path: Path
) -> None:
    archive.copies.copy(target)
    key = tmp_path / "copy" / "log.key"
    with pytest.raises(StorageError, match="the key of the log is not here") as missing:
        promote(place_of(target))
    assert "--with-key" in missing.value.hint
    key.parent.mkdir(exist_ok=True)
    key.write_text(f"{Signer.make(archive.log.keys.verifier.name).text}\n")
    with pytest.raises(IntegrityError, match="another log"):
        promote(place_of(target))
    key.write_bytes((archive.directory / "log.key").read_bytes())
    with Repository.open(target, clock=clock) as copy, pytest.raises(ConflictError):
        commit(copy, "the key alone is not enough")
    archive.copies.copy(target)
    with Repository.open(target, clock=clock) as copy, pytest.raises(ConflictError):
        commit(copy, "nor is another copy, with the key there")
    assert promote(place_of(target)) == archive.log.keys.verifier
    archive.copies.copy(target)
    with Repository.open(target, clock=clock) as copy:
        commit(copy, "from now on")
        assert check_proof(proof_of(copy), str(archive.log.keys.verifier)).ok
        assert {finding.kind for finding in copy.fixity.fsck()} <= {"ok", "orphan"}, (
            "octets were refused"
        )
    with pytest.raises(ConflictError, match="no copy that reads"):
        promote(place_of(target))
    with pytest.raises(ConflictError, match="ahead of the archive"):
        archive.copies.copy(target)


def test_a_key_that_did_not_sign_is_refused_where_the_right_one_is_not_known(
    archive: Repository, tmp_path: Path
) -> None:
    there = tmp_path / "copy"
    archive.copies.copy(there)
    with Repository.open(there) as copy:
        copy._catalog.write(settings.let_write)  # noqa: SLF001 - as if no key had been known
        copy._catalog.write(settings.read_alone, "")  # noqa: SLF001 - the same
    (there / "log.key").write_text(f"{Signer.make(archive.log.keys.verifier.name).text}\n")
    with pytest.raises(IntegrityError, match="did not sign the last checkpoint"):
        promote(place_of(there))


def test_a_copy_of_a_copy_reads_too_and_knows_the_key(archive: Repository, tmp_path: Path) -> None:
    archive.copies.copy(tmp_path / "copy")
    with Repository.open(tmp_path / "copy", clock=clock) as copy:
        copy.copies.copy(tmp_path / "second")
        copy.copies.backup(tmp_path / "backup")
    for name in ("second", "backup"):
        with Repository.open(tmp_path / name, clock=clock) as second:
            assert str(second.log.keys.verifier) == str(archive.log.keys.verifier)
            with pytest.raises(ConflictError, match="copy that reads"):
                commit(second, "of the second")


def test_what_no_checkpoint_covers_is_not_proven_and_a_copy_where_the_key_is_mends_it(
    archive: Repository, tmp_path: Path
) -> None:
    key, aside = archive.directory / "log.key", tmp_path / "aside"
    archive.log.checkpoints.current()
    last = commit(archive, "not signed so far")
    key.rename(aside)
    with Repository.open(archive.directory, clock=clock) as keyless:
        keyless.copies.copy(tmp_path / "copy")
    with Repository.open(tmp_path / "copy", clock=clock) as copy:
        with pytest.raises(StorageError, match="public key of this log is not known"):
            copy.log.keys.verifier  # noqa: B018 - asking is the point
        held = next(v for v in copy.lists.list() if str(v.pdi.document) == last)
        copy._catalog.write(settings.read_alone, str(archive.log.keys.verifier))  # noqa: SLF001 - as if known
    opened = Repository.open(tmp_path / "copy", clock=clock)
    with opened as copy, pytest.raises(NotFoundError, match="not signed so far"):
        copy.proofs.prove(held.representations[0].pdi)
    aside.rename(key)
    archive.copies.copy(tmp_path / "copy")
    with Repository.open(tmp_path / "copy", clock=clock) as copy:
        proof = copy.proofs.prove(held.representations[0].pdi)
    assert check_proof(proof, str(archive.log.keys.verifier)).ok


def test_a_key_needs_a_place_that_is_free(
    archive: Repository, postgresql: Server, tmp_path: Path
) -> None:
    location, _, _ = postgresql.location(tmp_path / "copy").partition("&log-key")
    with pytest.raises(ParseError, match="log-key"):
        archive.copies.copy(location, with_key=True)
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "log.key").write_text("another")
    with pytest.raises(ConflictError, match="key of its own"):
        archive.copies.copy(f"{location}&log-key={tmp_path}/kept/log.key", with_key=True)
    with pytest.raises(StorageError) as error:
        Repository.open(location)
    assert error.value.reason == "not-an-archive", "nothing was made"


def test_what_is_no_earlier_state_is_refused(archive: Repository, target: Location) -> None:
    with pytest.raises(ConflictError, match="itself"):
        archive.copies.copy(archive.directory)
    Repository.create(target, series="other.example.us", clock=clock).close()
    with pytest.raises(ConflictError, match="another archive"):
        archive.copies.copy(target)


def test_a_mirror_is_not_copied(archive: Repository, target: Location) -> None:
    archive.settings.set(settings.ORIGIN, "https://origin.example")
    with pytest.raises(ConflictError, match=r"mirror is not copied.*https://origin\.example"):
        archive.copies.copy(target)


def test_a_copy_that_went_on_by_itself_is_refused(archive: Repository, target: Location) -> None:
    archive.copies.copy(target, with_key=True)
    size = archive.log.size()
    with Repository.open(target, clock=clock) as copy:
        commit(copy, "of the copy")
        with pytest.raises(ConflictError, match="ahead of the archive, by 1 entries"):
            archive.copies.copy(target)
        commit(archive, "of the archive")
        with pytest.raises(ConflictError, match=f"another entry {size}"):
            archive.copies.copy(target)
        before = dumped(copy)
    with Repository.open(target, clock=clock) as copy:
        assert dumped(copy) == before
        assert copy.copies.copy(archive.directory.parent / "third").size == size + 1


def test_rows_that_the_copy_has_of_its_own_are_told_or_replaced(
    archive: Repository, target: Location
) -> None:
    archive.copies.copy(target)
    with Repository.open(target, clock=clock) as copy:
        copy.settings.set("resolver", "https://other.example")
        copy.live_pages.watch("https://other.example", timedelta(1))
    archive.copies.copy(target)
    assert_same(archive, target)
    with Repository.open(target, clock=clock) as copy:
        copy.access.set_standing(first(copy), Standing("closed", ground="licence"))
    with pytest.raises(ConflictError, match="standing"):
        archive.copies.copy(target)


def test_other_things_are_left_alone(
    archive: Repository, postgresql: Server, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.odt").write_text("mine")
    with pytest.raises(ConflictError, match="not empty"):
        archive.copies.copy(other)
    assert [path.name for path in other.iterdir()] == ["thesis.odt"]
    with pytest.raises(StorageError, match="does not exist"):
        archive.copies.copy(postgresql.location(other / "new").replace("/postgres?", "/nowhere?"))


def test_an_unfinished_copy_lets_nobody_in(archive: Repository, target: Location) -> None:
    archive.copies.copy(target)
    with Repository.open(target, clock=clock) as copy:
        copy._catalog.write(settings.await_copy)  # noqa: SLF001 - as a copy does that is cut short
    with pytest.raises(StorageError) as error:
        Repository.open(target)
    assert error.value.reason == "unfinished"
    assert "permacite copy" in error.value.hint
    archive.copies.copy(target)
    assert_same(archive, target)


def test_lost_octets_are_told_and_all_else_is_copied(
    archive: Repository, target: Location, tmp_path: Path
) -> None:
    digests = sorted(version.representations[0].digest for version in archive.lists.list())[:2]
    contents = [file_of(archive.directory, digest).read_bytes() for digest in digests]
    altered, missing = (file_of(archive.directory, digest) for digest in digests)
    altered.chmod(0o600)
    altered.write_bytes(b"?" + contents[0])
    missing.unlink()
    assert archive.copies.copy(target).lost == tuple(digests)
    altered.write_bytes(contents[0])
    missing.write_bytes(contents[1])
    assert archive.copies.copy(target).files == 0, "nothing is looked at again"
    again = archive.copies.copy(target, full=True)
    assert (again.files, again.lost) == (2, ())
    assert_same(archive, target)
    file = file_of(tmp_path / "copy", digests[0])
    file.chmod(0o600)
    file.write_bytes(b"rotten")
    assert archive.copies.copy(target, full=True).files == 1
    assert_same(archive, target)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE leaf SET content = content || ' ' WHERE sequence = 1", "entry 1 of the log"),
        ("UPDATE opening SET content = content || ' ' WHERE sequence = 1", "of entry 1"),
        ("DELETE FROM leaf WHERE sequence = 2", "entry 2 of the log"),
        (
            (
                "UPDATE log_node SET hash = zeroblob(32)"
                " WHERE level = (SELECT max(level) FROM log_node)"
            ),
            "another root|does not extend",
        ),
    ],
    ids=["entry", "opening", "gap", "node"],
)
def test_damage_of_the_log_is_told_and_not_copied(
    archive: Repository, target: Location, statement: str, said: str
) -> None:
    with contextlib.closing(sqlite3.connect(archive.directory / "catalog.sqlite")) as hand:
        table = statement.split()[1 if statement.startswith("UPDATE") else 2]
        for event in ("update", "delete"):
            hand.execute(f"DROP TRIGGER {table}_no_{event}")
        hand.execute(statement)
        hand.commit()
    with pytest.raises(IntegrityError, match=said):
        archive.copies.copy(target)


ODD = ["a:\0b", "\0", "\U0010ffff\U0010fffe", "\U0010ffff\U0010fffe\0\U0010ffff0", "x\U0010ffff1"]


def test_texts_with_any_characters_go_there_and_back(
    archive: Repository, postgresql: Server, tmp_path: Path
) -> None:
    for text in ODD:
        told = Provenance(text, f"a:{text}", details={"odd": text})
        archive.committer.commit([NewRepresentation(b"x", "image/png")], provenance=told, key=text)
        archive.annotations.add(Subject(first(archive)), "tag", text)
        archive.statements.state(str(first(archive)), "seeAlso", text)
    there = postgresql.location(tmp_path / "there")
    archive.copies.copy(there, with_key=True)
    assert_same(archive, there)
    with Repository.open(there, clock=clock) as copy:
        assert [version.provenance.title for version in copy.lists.list()][-len(ODD) :] == ODD
        for text in ODD:
            assert [jotting.text for jotting in copy.annotations.find(text=text)] == [text]
            again = copy.committer.commit(
                [NewRepresentation(b"x", "image/png")], provenance=Provenance(), key=text
            )
            assert again.provenance.title == text, "the key is known"
        copy.copies.copy(tmp_path / "back")
    assert without_own(rows(tmp_path / "back")) == {**rows(archive.directory), "unsettled": []}


def test_a_backup_of_records_in_postgresql_is_a_folder(
    archive: Repository, postgresql: Server, tmp_path: Path
) -> None:
    there, folder = postgresql.location(tmp_path / "there"), tmp_path / "folder"
    archive.copies.copy(there, with_key=True)
    with Repository.open(there, clock=clock) as kept:
        assert kept.copies.backup(folder).whole
        assert_same(kept, folder)
        everything(kept)
        assert not kept.copies.backup(folder).whole
        assert_same(kept, folder)
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "mine").touch()
        with pytest.raises(ConflictError):
            kept.copies.backup(tmp_path / "other")
    with pytest.raises(ConflictError):
        Repository.create(tmp_path / "unlike", series="x.example.us").copies.backup(folder)


def test_staged_octets_of_the_archive_are_objects_of_the_copy(
    archive: Repository, target: Location, tmp_path: Path
) -> None:
    archive.committer.commit([NewRepresentation(b"waits", "image/png")])
    archive._catalog.write(  # noqa: SLF001 - as a commit beside others does
        lambda transaction: octets.stage(transaction.connection, [(digest_of(b"waits"), b"waits")])
    )
    file_of(archive.directory, digest_of(b"waits")).unlink()
    assert archive.copies.copy(target).lost == ()
    assert file_of(tmp_path / "copy", digest_of(b"waits")).read_bytes() == b"waits"


@pytest.mark.parametrize("engine", ["folder", "postgresql"])
def test_octets_go_into_a_store_and_come_back(
    archive: Repository,
    request: pytest.FixtureRequest,
    store: Store,
    bucket: str,
    tmp_path: Path,
    engine: str,
) -> None:
    for content in (SMALL, LARGE):
        archive.committer.commit([NewRepresentation(content, "image/png", received=content[::-1])])
    target: Location = tmp_path / "there"
    address: str | None = f"s3://{bucket}/p"
    if engine == "postgresql":
        server = request.getfixturevalue("postgresql")
        place = server.location(tmp_path / "there")
        target = place.replace(f"objects={tmp_path}/there/objects", f"objects={address}")
        address = None
    archive.copies.copy(target, objects=address)
    assert_same(archive, target)
    everything(archive)
    doomed = archive.committer.commit([NewRepresentation(b"Jane Roe", "image/png")]).pdi
    archive.copies.copy(target)
    assert_same(archive, target)
    assert len(store.keys(bucket)) < len(list((archive.directory / "objects").glob("*/*/*")))
    assert any(b"Jane Roe" in store.octets(bucket, key) for key in store.keys(bucket))
    archive.access.erase(doomed.document, ground="data-protection")
    archive.copies.copy(target)
    assert_same(archive, target)
    assert not any(b"Jane Roe" in store.octets(bucket, key) for key in store.keys(bucket))
    with Repository.open(target, clock=clock) as copy:
        copy.copies.copy(tmp_path / "back")
    assert without_own(rows(tmp_path / "back")) == {**rows(archive.directory), "unsettled": []}
    assert_same(archive, tmp_path / "back")
