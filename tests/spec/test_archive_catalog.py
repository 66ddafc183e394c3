"""The catalog: what is committed stays, whoever tries; what is refused leaves nothing."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import warnings
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository
from tests.needs import no_right

from permacite.archive.model.answered import Provenance
from permacite.archive.model.submitted import NewCitation, NewRepresentation
from permacite.errors import ConflictError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from permacite.archive.records.rows import Transaction

pytestmark = pytest.mark.engines

SERIES = "lab.example.us"


def noon() -> datetime:
    """Return the time that the clock of these tests shows."""
    return datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Where the archive of a test is."""
    return tmp_path / "archive"


@pytest.fixture
def archive(directory: Path) -> Iterator[Repository]:
    """An empty archive."""
    with Repository.create(directory, series=SERIES, clock=noon) as opened:
        yield opened


def page(text: str = "<p>one") -> NewRepresentation:
    """Return an HTML page."""
    return NewRepresentation(text.encode(), "text/html", charset="utf-8")


def by_hand(directory: Path, statement: str) -> None:
    """Run SQL on the catalog as someone would with the sqlite3 program: no settings of ours."""
    connection = sqlite3.connect(directory / "catalog.sqlite")
    with contextlib.closing(connection), connection:
        connection.execute(statement)


def fill(archive: Repository) -> None:
    """Give every table a row, but for that of time-stamps, which only an authority can make."""
    new = NewRepresentation(
        b"one",
        "text/plain",
        charset="utf-8",
        sidecars={"map": b"[]"},
        quotations=(("0", "pdi://oma.eop.gov.us/1997/09/01/1.text.1#37,51"),),
    )
    version = archive.committer.commit([page(), new], key="first")
    text = version.representations[1].pdi
    archive.passages.record(NewCitation(f"{text}#char=0,3", text, 0, 3, "one"))
    archive.log.checkpoints.current()
    archive.statements.state(str(text), "dc:subject", "harbours")
    archive.delegations.delegate("resolver", SERIES, "https://resolver.example/")
    archive.days.seal(SERIES, date(2026, 11, 20))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, engine: object) -> Path:
    """Where an archive is with rows in every table; nobody can change it, so all may share it."""
    assert engine is None
    directory = tmp_path_factory.mktemp("filled") / "archive"
    with Repository.create(directory, series=SERIES, clock=noon) as archive:
        fill(archive)
    by_hand(
        directory,
        "INSERT INTO timestamp (size, authority, response, stamped_at)"
        " SELECT size, 'https://tsa.example/', x'30', signed_at FROM checkpoint",
    )
    return directory


IMMUTABLE = [
    "series",
    "document",
    "version",
    "representation",
    "attachment",
    "idempotency",
    "citation",
    "leaf",
    "log_node",
    "checkpoint",
    "assertion",
    "delegation",
    "quotation",
    "day",
    "citation_leaf",
    "delegation_leaf",
    "timestamp",
]


ATTEMPTS = [
    "DELETE FROM {table}",
    "UPDATE {table} SET {column} = {column}",
    "UPDATE OR REPLACE {table} SET {column} = {column}",
    "INSERT OR REPLACE INTO {table} SELECT * FROM {table}",
    "INSERT OR IGNORE INTO {table} SELECT * FROM {table}",
    "INSERT INTO {table} SELECT * FROM {table} WHERE true ON CONFLICT DO UPDATE SET {column} = 1",
]


@pytest.mark.sqlite  # in test_archive_postgresql.py stands what PostgreSQL does
@pytest.mark.parametrize("attempt", ATTEMPTS)
@pytest.mark.parametrize("table", IMMUTABLE)
def test_pdi_22_no_row_can_be_changed_by_hand(filled: Path, table: str, attempt: str) -> None:
    """Clause pdi-22."""
    connection = sqlite3.connect(filled / "catalog.sqlite")
    with contextlib.closing(connection):
        question = f"SELECT * FROM {table}"  # noqa: S608 - our own names
        before = connection.execute(question).fetchall()
        assert before
        for _, column, *_ in connection.execute(f"PRAGMA table_info({table})").fetchall():
            with pytest.raises(
                sqlite3.IntegrityError, match=r"permacite: rows of \w+ never change"
            ):
                connection.execute(attempt.format(table=table, column=f'"{column}"'))
            connection.rollback()
        assert connection.execute(question).fetchall() == before


VERSION = "SELECT 9, 1, {}, committed_at, NULL, NULL, NULL, NULL, '{{}}' FROM version"
DOCUMENT = f"(9, '{SERIES}', {{}})"
BAD_INSERTS = [
    ("version-gap", "version", VERSION.format(3)),
    ("version-0", "version", VERSION.format(0)),
    ("earlier-date", "document", "VALUES " + DOCUMENT.format("'2026-11-20', '1', 1")),
    ("same-serial", "document", "VALUES " + DOCUMENT.format("'2026-11-21', 'x', 1")),
    ("no-date", "document", "VALUES " + DOCUMENT.format("'2026/11/22', '1', 1")),
    ("leaf-gap", "leaf", "VALUES (7, 'x', '{}')"),
    ("other-type", "leaf", "VALUES (1, 'x', x'00')"),
]


@pytest.mark.sqlite  # the same
@pytest.mark.parametrize(
    ("table", "row"), [row[1:] for row in BAD_INSERTS], ids=[row[0] for row in BAD_INSERTS]
)
def test_rows_that_break_the_order_are_refused_by_hand_too(
    archive: Repository, directory: Path, table: str, row: str
) -> None:
    archive.committer.commit([page()])
    with pytest.raises(sqlite3.IntegrityError):
        by_hand(directory, f"INSERT INTO {table} {row}")


def test_pdi_22_an_idempotency_key_gives_the_first_version_again(archive: Repository) -> None:
    """Clause pdi-22."""
    first = archive.committer.commit([page()], key="k", provenance=Provenance(title="first"))
    again = archive.committer.commit([page()], key="k", provenance=Provenance(title="retried"))
    assert again == first
    assert archive.lists.count() == 1
    with pytest.raises(ConflictError):
        archive.committer.commit([page("<p>other")], key="k")
    assert archive.committer.commit([page()], key="l").pdi.unique_id == "2"


def test_an_idempotency_key_counts_for_next_versions_too(archive: Repository) -> None:
    first = archive.committer.commit([page()])
    second = archive.committer.commit([page("<p>two")], replaces=first.pdi, key="k")
    assert archive.committer.commit([page("<p>two")], replaces=first.pdi, key="k") == second
    assert [one.number for one in archive.lookup.versions(first.pdi)] == [1, 2]


def test_one_format_given_twice_is_refused(archive: Repository) -> None:
    with pytest.raises(ConflictError):
        archive.committer.commit([page(), page("<p>two")])
    assert archive.lists.count() == 0


def test_a_next_version_cannot_change_the_name(archive: Repository) -> None:
    first = archive.committer.commit([page()])
    archive.settings.add_series("other.example.us")
    with pytest.raises(ConflictError):
        archive.committer.commit([page()], replaces=first.pdi, series="other.example.us")
    with pytest.raises(ConflictError):
        archive.committer.commit([page()], replaces=first.pdi, unique_id="x")
    assert archive.committer.commit([page()], replaces=first.pdi, series=SERIES.upper()).number == 2


def test_what_fails_inside_a_group_fails_alone(archive: Repository) -> None:
    outcomes: dict[int, str] = {}
    start = threading.Barrier(8)

    def commit(number: int) -> None:
        start.wait()
        try:
            unique_id = "taken" if number % 2 else None
            version = archive.committer.commit([page(f"<p>{number}")], unique_id=unique_id)
            outcomes[number] = version.pdi.unique_id
        except ConflictError:
            outcomes[number] = "conflict"

    threads = [threading.Thread(target=commit, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes[n] for n in range(0, 8, 2)) == ["1", "2", "3", "4"]
    assert sorted(outcomes[n] for n in range(1, 8, 2)) == ["conflict"] * 3 + ["taken"]
    assert {finding.kind for finding in archive.fixity.verify()} == {"ok"}


@pytest.mark.sqlite  # the same
def test_create_refuses_an_archive_and_a_folder_with_things_in_it(
    archive: Repository, directory: Path, tmp_path: Path
) -> None:
    with pytest.raises(ConflictError):
        Repository.create(directory, series=SERIES)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    with pytest.raises(ConflictError):
        Repository.create(tmp_path / "full", series=SERIES)
    (tmp_path / "empty").mkdir()
    Repository.create(tmp_path / "empty", series=SERIES).close()
    assert archive.settings.series == SERIES


def reason(directory: Path) -> str:
    """Return why the archive cannot be opened."""
    with pytest.raises(StorageError) as error:
        Repository.open(directory, busy_timeout_s=0.05)
    return error.value.reason


@pytest.mark.sqlite  # the same
def test_open_says_what_is_wrong(archive: Repository, directory: Path, tmp_path: Path) -> None:
    archive.close()
    assert reason(tmp_path / "nowhere") == "missing"
    assert reason(tmp_path) == "not-an-archive"
    other = tmp_path / "other"
    shutil.copytree(directory, other)
    (other / "catalog.sqlite").write_bytes(b"not a database at all, but long enough" * 100)
    assert reason(other) == "not-an-archive"
    by_hand(directory, "PRAGMA user_version = 99")
    assert reason(directory) == "newer"
    by_hand(directory, "PRAGMA application_id = 1")
    assert reason(directory) == "not-an-archive"


@pytest.mark.sqlite  # in test_archive_postgresql.py PostgreSQL is
def test_a_locked_archive_is_told_and_serves_readers(archive: Repository, directory: Path) -> None:
    first = archive.committer.commit([page()])
    holder = sqlite3.connect(directory / "catalog.sqlite", isolation_level=None)
    with (
        contextlib.closing(holder),
        Repository.open(directory, clock=noon, busy_timeout_s=0.05) as second,
    ):
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError) as error:
            second.committer.commit([page("<p>two")])
        assert error.value.reason == "locked"
        assert second.lookup.version(first.pdi) == first
        holder.execute("ROLLBACK")
        assert second.committer.commit([page("<p>two")]).pdi.unique_id == "2"


@pytest.mark.sqlite  # nobody holds a PostgreSQL alone
def test_an_archive_that_is_held_alone_is_told_at_once(
    archive: Repository, directory: Path
) -> None:
    archive.close()
    holder = sqlite3.connect(directory / "catalog.sqlite", isolation_level=None)
    with contextlib.closing(holder):
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN IMMEDIATE")
        assert reason(directory) == "locked"


def test_an_archive_on_a_disk_that_may_only_be_read(archive: Repository, directory: Path) -> None:
    version = archive.committer.commit([page()])
    archive.close()
    remount = ["mount", "-o", "remount,ro,bind", str(directory)]
    if not mounted(["mount", "--bind", str(directory), str(directory)]):
        no_right("only root can make a disk read-only")
    try:
        assert mounted(remount)
        with Repository.open(directory, clock=noon) as opened:
            assert (
                opened.contents.read(opened.lookup.version(version.pdi).representations[0])
                == b"<p>one"
            )
            assert {finding.kind for finding in opened.fixity.verify()} == {"ok"}
            with pytest.raises(StorageError) as error:
                opened.committer.commit([page("<p>two")])
            assert error.value.reason == "io"
    finally:
        subprocess.run(["umount", str(directory)], check=True)


def mounted(command: list[str]) -> bool:
    """Run a command that mounts, and say whether it could."""
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def test_a_forked_process_is_told_to_open_the_archive_itself(archive: Repository) -> None:
    archive.committer.commit([page()])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking with threads: the point here
        child = os.fork()
    if child == 0:  # the child says by its exit status what it was told
        try:
            archive.committer.commit([page("<p>two")])
        except StorageError:
            os._exit(7)
        finally:
            os._exit(8)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert archive.lists.count() == 1


def test_a_version_is_asked_for_its_formats_by_token(archive: Repository) -> None:
    version = archive.committer.commit([page()])
    assert version.representation("HTML") == version.representations[0]
    with pytest.raises(LookupError):
        version.representation("gif")


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError) as error:
        Repository.create(tmp_path / "file" / "archive", series=SERIES)
    assert error.value.reason == "io"


@pytest.mark.sqlite  # in test_database_in_trouble.py the disk of PostgreSQL is full
def test_a_full_disk_under_the_catalog_is_told(archive: Repository, directory: Path) -> None:
    archive.committer.commit([page()])
    with Repository.open(directory, clock=noon) as second:
        second.committer.commit([page("<p>two")])  # the writer runs now
        pages = sqlite3.connect(directory / "catalog.sqlite")
        with contextlib.closing(pages):
            used = pages.execute("PRAGMA page_count").fetchone()[0]

        def shrink(transaction: Transaction) -> None:
            # The limit counts as a full disk: SQLite answers both with SQLITE_FULL.
            transaction.connection.execute(f"PRAGMA max_page_count = {used}")

        second._catalog.write(shrink)  # noqa: SLF001 - a disk of our own
        with pytest.raises(StorageError) as error:
            second.committer.commit(
                [page("<p>three")], provenance=Provenance(details={"big": "x" * 500_000})
            )
        assert error.value.reason == "full"
        assert second.lists.count() == 2
    assert [version.pdi.unique_id for version in archive.lists.list()] == ["1", "2"]
    assert archive.committer.commit([page("<p>three")]).pdi.unique_id == "3"
    assert {finding.kind for finding in archive.fixity.verify()} == {"ok"}


def test_details_that_json_cannot_say_are_refused(archive: Repository) -> None:
    with pytest.raises(ValueError, match="JSON has no nan"):
        archive.committer.commit([page()], provenance=Provenance(details={"score": float("nan")}))
    assert archive.lists.count() == 0


def test_a_closed_archive_says_so(archive: Repository) -> None:
    archive.committer.commit([page()])
    archive.close()
    for attempt in (lambda: archive.committer.commit([page()]), archive.settings.series_names):
        with pytest.raises(StorageError) as error:
            attempt()
        assert error.value.reason == "closed"
    archive.close()


@pytest.mark.sqlite  # the records are in the folder
def test_a_backup_made_by_copying_the_folder_is_an_archive(
    archive: Repository, directory: Path, tmp_path: Path
) -> None:
    fill(archive)
    archive.close()
    shutil.copytree(directory, tmp_path / "copy")
    with Repository.open(tmp_path / "copy", clock=noon) as copy:
        assert {finding.kind for finding in copy.fixity.verify()} == {"ok"}
        assert copy.committer.commit([page("<p>two")]).pdi.unique_id == "2"


TWO_PROCESSES = """
import sys
from datetime import UTC, date, datetime
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository

now = lambda: datetime(2026, 11, 21, 12, tzinfo=UTC)
with Repository.open(sys.argv[1], clock=now) as archive:
    for number in range(20):
        content = f"{sys.argv[2]} {number}".encode()
        text = NewRepresentation(content, "text/plain", charset="utf-8")
        version = archive.committer.commit([text])
        print(version.pdi.unique_id, content.decode(), flush=True)
"""


def test_two_processes_mint_at_once(archive: Repository, directory: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", TWO_PROCESSES, str(Repository.at(directory)), who],
            stdout=subprocess.PIPE,
            text=True,
        )
        for who in ("one", "two")
    ]
    printed = "".join(process.communicate(timeout=60)[0] for process in processes)
    assert [process.returncode for process in processes] == [0, 0]
    minted = dict(line.split(" ", 1) for line in printed.splitlines())
    assert sorted(map(int, minted)) == list(range(1, 41))
    for version in archive.lists.list():
        assert (
            archive.contents.read(version.representations[0]).decode()
            == minted[version.pdi.unique_id]
        )


def test_damage_is_told_with_the_place_where_it_is(directory: Path) -> None:
    with Repository.create(directory, series=SERIES, clock=noon) as archive:
        name = archive.committer.commit([page()]).pdi
    Repository.tamper(directory, "UPDATE version SET committed_at = 'noon'")
    with Repository.open(directory) as archive, pytest.raises(StorageError) as refused:
        archive.lookup.version(name)
    assert refused.value.reason == "damaged"
    assert refused.value.path.startswith(archive.where)
