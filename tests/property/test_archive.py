"""Laws of what the archive is made of: canonical JSON, and the tree of its log."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engines import Repository

from permacite.archive.canonical_json import canonical_json
from permacite.archive.entries import Entry, seal
from permacite.archive.merkle import node_hash, tree_hash
from permacite.archive.model.answered import Provenance, utc_now
from permacite.archive.records.commits import CommitRequest, StoredFormat, commit
from permacite.archive.records.days import kept
from permacite.archive.records.leaves import append, append_all, node
from permacite.archive.records.rows import Transaction
from permacite.archive.records.settings import fill
from permacite.archive.schema import SCHEMA_VERSION
from permacite.archive.sqlite.connection import Session
from permacite.archive.sqlite.schema import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from tests.engines import Server

    from permacite.archive.records.rows import Question
    from permacite.archive.records.rows import Session as AnySession

T = TypeVar("T", bound=Session)

SERIES = "lab.example.us"

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("ab\ufb33\U0001f600"), inner),
    max_leaves=10,
)


@settings(deadline=None)
@given(JSON)
def test_canonical_json_means_what_was_said(value: object) -> None:
    """Reading it back gives the same value, and writing that again the same octets."""
    written = canonical_json(value)  # type: ignore[arg-type]
    read = json.loads(written, parse_int=float)  # as the readers that RFC 8785 has in mind
    assert read == value
    assert canonical_json(read) == written


@pytest.fixture(scope="module")
def empty(
    engine: Server | None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], AbstractContextManager[AnySession]]]:
    """Return what gives a session with an empty catalog, which forgets what it was told."""
    if engine is None:
        yield lambda: contextlib.closing(catalog_in_memory(Session))
        return
    with contextlib.ExitStack() as stack:
        folders = (tmp_path_factory.mktemp("catalog") for _ in range(2))
        free = [stack.enter_context(_made(engine, folder)) for folder in folders]
        yield lambda: _forgetting(free)


@contextlib.contextmanager
def _forgetting(free: list[AnySession]) -> Iterator[AnySession]:
    """One of those that are free, in a transaction that comes to nothing."""
    session = free.pop()
    session.execute("BEGIN")
    try:
        yield session
    finally:
        session.execute("ROLLBACK")
        free.append(session)


@contextlib.contextmanager
def _made(server: Server, folder: Path) -> Iterator[AnySession]:
    """A session with a new archive in PostgreSQL."""
    from permacite.archive.postgresql.connection import connect
    from permacite.archive.postgresql.location import located

    Repository.create(folder, series=SERIES).close()
    session = connect(located(server.location(folder)), busy_timeout_s=5, read_only=False)
    with session.connection:
        yield session


def changing(connection: AnySession) -> Transaction:
    """Return what a change writes by."""
    return Transaction(connection, kept(utc_now), seal)


@pytest.mark.engines(deep=True)
@given(groups=st.lists(st.integers(1, 9), min_size=1, max_size=12))
def test_leaves_appended_in_groups_make_the_tree_of_those_appended_one_by_one(
    empty: Callable[[], AbstractContextManager[AnySession]], groups: list[int]
) -> None:
    with empty() as grouped, empty() as single:
        number = 0
        for size in groups:
            entries = [Entry({"name": f"n{one}"}, {}) for one in range(number, number + size)]
            assert append_all(changing(grouped), entries) == number
            for entry in entries:
                append(changing(single), entry)
            number += size
        for table in ("leaf", "log_node"):
            question = f"SELECT * FROM {table} ORDER BY 1, 2"  # noqa: S608 - our own names
            assert grouped.execute(question).fetchall() == single.execute(question).fetchall()
        root = tree_hash(number, partial(node, grouped))
        hashes = [seal(Entry({"name": f"n{one}"}, {})).hash for one in range(number)]
        assert root == tree_of(hashes)


def tree_of(hashes: list[bytes]) -> bytes:
    """Return MTH of leaves, as RFC 6962 §2.1 words it."""
    if len(hashes) == 1:
        return hashes[0]
    split = 1 << ((len(hashes) - 1).bit_length() - 1)
    return node_hash(tree_of(hashes[:split]), tree_of(hashes[split:]))


def catalog_in_memory(kind: type[T]) -> T:
    """Return an empty catalog."""
    connection = sqlite3.connect(":memory:", factory=kind)
    connection.executescript(SCHEMA)
    return connection


class Counted(Session):
    """A session that counts how often whoever uses it has to wait for an answer."""

    waits = 0

    def schema(self) -> int:
        """The schema: a server is asked for it once."""
        return SCHEMA_VERSION

    def execute(self, *question: Any) -> sqlite3.Cursor:
        """Run one statement."""
        self.waits += 1
        return super().execute(*question)

    def ask(self, questions: Sequence[Question], /) -> list[list[Any]]:
        """All of them are one wait."""
        self.waits += 1
        return [super(Session, self).execute(*question).fetchall() for question in questions]


@given(st.integers(1, 9), st.booleans())
def test_commits_wait_for_one_answer_however_many_they_are(many: int, named: bool) -> None:  # noqa: FBT001 - drawn
    """So they take two round trips to a server: one to ask, and one to write.

    It is the records that ask, whichever engine answers: they are asked in memory here.
    """
    with contextlib.closing(catalog_in_memory(Counted)) as session:
        fill(changing(session), SERIES)
        commit(changing(session), [_request(None, 0)])  # sums up what guards the tables
        session.waits = 0
        wanted = [_request(f"n{at}" if named else None, at) for at in range(1, many + 1)]
        outcomes = commit(changing(session), wanted)
        assert session.waits == 1
        names = [one.version[3] for one in outcomes if not isinstance(one, Exception)]
        assert names == [f"n{at}" if named else str(at + 1) for at in range(1, many + 1)]


def _request(unique_id: str | None, number: int) -> CommitRequest:
    """A request for a new document of octets that nothing else has."""
    digest = f"sha-256:{number:064x}"
    stored = StoredFormat("png", "image/png", None, 1, digest, None, None, None, ())
    staged = ((digest, b"%d" % number),)
    return CommitRequest(SERIES, unique_id, None, (stored,), Provenance(), None, contents=staged)
