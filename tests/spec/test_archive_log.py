"""The log of an archive: entries, checkpoints, and tampering that is found."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository
from tests.kept import file_of

from permacite.archive.log.note import Checkpoint, Note
from permacite.archive.merkle import is_consistent, leaf_hash, node_hash, root_of_inclusion
from permacite.archive.model.answered import Provenance
from permacite.archive.model.submitted import NewCitation, NewRepresentation
from permacite.errors import (
    IntegrityError,
    NotFoundError,
    StorageError,
)
from permacite.service.proofs.logs import ArchiveLog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.archive.model.answered import Version

pytestmark = pytest.mark.engines(deep=True)

pytest.importorskip("cryptography", reason="the log's signatures need it")

SERIES = "lab.example.us"
GOLDEN = Path(__file__).parents[1] / "golden/proof"


def mth(leaves: list[bytes]) -> bytes:
    """Return MTH(D[n]) by the recursion of RFC 6962 §2.1, word for word."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaf_hash(leaves[0])
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return node_hash(mth(leaves[:k]), mth(leaves[k:]))


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Where the archive of a test is."""
    return tmp_path / "archive"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory, engine: object) -> Path:
    """Where an empty archive is, to be copied: making one waits for the disk."""
    assert engine is Repository.engine
    directory = tmp_path_factory.mktemp("empty") / "archive"
    Repository.create(directory, series=SERIES, clock=noon).close()
    return directory


@pytest.fixture
def archive(directory: Path, empty: Path) -> Iterator[Repository]:
    """An empty archive at noon of a day of 2026."""
    Repository.duplicate(empty, directory)
    with Repository.open(directory, clock=noon) as opened:
        yield opened


def noon() -> datetime:
    """Return the time that the clock of these tests shows."""
    return datetime(2026, 11, 21, 12, tzinfo=UTC)


def commit(archive: Repository, count: int = 1) -> Version:
    """Commit pages with their text, and return the last one."""
    for number in range(count):
        page = NewRepresentation(f"<p>{number}".encode(), "text/html", charset="utf-8")
        text = NewRepresentation(f"word {number}".encode(), "text/plain", charset="utf-8")
        source = Provenance(title="t", uri="http://example.org/")
        version = archive.committer.commit([page, text], provenance=source)
    return version


@pytest.mark.engines
def test_every_commit_is_one_entry(archive: Repository) -> None:
    version = commit(archive)
    archive.committer.add_format(version.pdi, NewRepresentation(b"%PDF", "application/pdf"))
    first, second = (archive.log.disclosed(leaf) for leaf in archive.log.leaves())
    name = "urn:pdi://lab.example.us/2026/11/21/1"
    assert (first["kind"], first["name"], first["version"]) == ("version", name, 1)
    assert [one["digest"] for one in first["formats"]] == [
        one.digest for one in version.representations
    ]
    assert (first["uri"], first["committed_at"]) == (
        "http://example.org/",
        "2026-11-21T12:00:00.000000Z",
    )
    assert (second["kind"], second["name"]) == ("format", name)
    assert [one["format"] for one in second["formats"]] == ["pdf"]
    for leaf in archive.log.leaves():
        assert leaf.hash == leaf_hash(leaf.content)
        canonical = json.dumps(json.loads(leaf.content), sort_keys=True, separators=(",", ":"))
        assert leaf.content == canonical.encode()


@pytest.mark.engines
def test_roots_and_proofs_come_from_the_kept_nodes(archive: Repository) -> None:
    commit(archive, 21)
    leaves = [leaf.content for leaf in archive.log.leaves()]
    for size in range(22):
        assert archive.log.root(size) == mth(leaves[:size])
    for index in range(21):
        proof = archive.log.inclusion(index, 21)
        assert root_of_inclusion(leaf_hash(leaves[index]), index, 21, proof) == mth(leaves)
    proof = archive.log.consistency(13, 21)
    assert is_consistent(13, mth(leaves[:13]), 21, mth(leaves), proof=proof)


def test_what_is_undone_leaves_no_entry(archive: Repository) -> None:
    commit(archive)
    with pytest.raises(NotFoundError):
        archive.committer.commit([NewRepresentation(b"", "image/png")], series="other.example.us")
    assert archive.log.size() == 1


def test_checkpoints_are_signed_kept_and_repeated(archive: Repository, directory: Path) -> None:
    empty = archive.log.checkpoints.current()
    commit(archive, 3)
    note = archive.log.checkpoints.current()
    assert archive.log.checkpoints.current() == note != empty
    parsed = Checkpoint.parse(Note.parse(note).text)
    assert parsed == Checkpoint(f"{SERIES}/log", 3, archive.log.root(3))
    assert archive.log.keys.verifier.verifies(Note.parse(note))
    assert (directory / "log.key").stat().st_mode & 0o777 == 0o600
    with Repository.open(directory) as again:
        assert again.log.keys.verifier == archive.log.keys.verifier
        assert again.log.checkpoints.current() == note


@pytest.mark.usefixtures("archive")
def test_a_damaged_key_is_told(directory: Path) -> None:
    (directory / "log.key").write_text("nonsense")
    with Repository.open(directory) as again:
        with pytest.raises(StorageError):
            again.log.checkpoints.current()
        assert [one.kind for one in again.fixity.verify()] == ["log"]


TAMPERINGS = [
    ("an-entry-altered", ["UPDATE leaf SET content = replace(content, '/1\"', '/9\"')"]),
    ("a-hash-altered", ["UPDATE log_node SET hash = zeroblob(32) WHERE level = 1"]),
    ("a-hash-missing", ["DELETE FROM log_node WHERE level = 2"]),
    ("a-title-altered", ["UPDATE version SET title = 'other' WHERE version_id = 2"]),
    ("a-digest-altered", ["UPDATE representation SET digest = zeroblob(32)"]),
    ("a-format-removed", ["DELETE FROM representation WHERE representation_id = 4"]),
    (
        "a-format-added",
        [
            (
                "INSERT INTO representation SELECT 99, 1, 'gif', 'image/gif', NULL, 1, digest,"
                " NULL, NULL, NULL, NULL, committed_at FROM representation LIMIT 1"
            ),
        ],
    ),
    (
        "the-log-cut",
        ["DELETE FROM leaf WHERE sequence > 2", "DELETE FROM log_node WHERE position > 2"],
    ),
    (
        "the-log-cut-with-its-records",
        [
            "DELETE FROM leaf WHERE sequence = 4",
            "DELETE FROM log_node WHERE level = 0 AND position = 4",
            "DELETE FROM representation WHERE version_id = 5",
            "DELETE FROM version WHERE version_id = 5",
        ],
    ),
    ("an-entry-cut-out", ["DELETE FROM leaf WHERE sequence = 1"]),
    ("a-checkpoint-altered", ["UPDATE checkpoint SET note = replace(note, '9\n', '8\n')"]),
    ("a-checkpoint-unreadable", ["UPDATE checkpoint SET note = 'nonsense'"]),
    ("an-entry-unreadable", ["UPDATE leaf SET content = '[]' WHERE sequence = 2"]),
    ("an-entry-about-another", ["UPDATE leaf SET content = replace(content, '/3\"', '/4\"')"]),
    ("an-entry-of-no-kind", ["UPDATE leaf SET content = replace(content, 'kind', 'sort')"]),
    ("a-citation-altered", ["UPDATE citation SET quote = 'other'"]),
    (
        "a-citation-added",
        [
            (
                "INSERT INTO citation SELECT 9, 'x', representation_id, fragment, start, \"end\","
                " quote, before, after, media_type, cited_at, note FROM citation"
            ),
        ],
    ),
    ("a-citation-removed", ["DELETE FROM citation_leaf", "DELETE FROM citation"]),
    ("a-delegation-altered", ["UPDATE delegation SET target = 'https://other.example/'"]),
    (
        "a-delegation-added",
        [
            (
                "INSERT INTO delegation SELECT 9, 'minter', series, first_date, last_date, target,"
                " recorded_at FROM delegation"
            ),
        ],
    ),
    (
        "an-assertion-added",
        [
            (
                "INSERT INTO assertion SELECT 9, 0, subject, 'withdrawn', object, who, stated_at"
                " FROM assertion"
            ),
        ],
    ),
    ("an-assertion-removed", ["DELETE FROM assertion"]),
    (
        "a-document-added-to-a-sealed-day",
        ["INSERT INTO document SELECT 9, series, '2026-11-20', 'x', NULL FROM document LIMIT 1"],
    ),
    ("a-seal-removed", ["DELETE FROM day"]),
    ("a-signature-altered", ["UPDATE checkpoint SET note = replace(note, '/log ', '/log2 ')"]),
]


@pytest.mark.parametrize(
    "statements", [row[1] for row in TAMPERINGS], ids=[row[0] for row in TAMPERINGS]
)
def test_verify_finds_a_log_that_was_tampered_with(
    five: Path, directory: Path, statements: list[str]
) -> None:
    Repository.duplicate(five, directory)
    with Repository.open(directory, clock=noon) as archive:
        assert {finding.kind for finding in archive.fixity.verify()} == {"ok"}
        Repository.tamper(directory, *statements)
        assert "log" in {finding.kind for finding in archive.fixity.verify()}


@pytest.fixture(scope="module")
def five(empty: Path, tmp_path_factory: pytest.TempPathFactory, engine: object) -> Path:
    """Where an archive of five documents is, its log signed."""
    assert engine is Repository.engine
    directory = tmp_path_factory.mktemp("five") / "archive"
    Repository.duplicate(empty, directory)
    with Repository.open(directory, clock=noon) as archive:
        version = commit(archive, 5)
        text = version.representations[1].pdi
        archive.passages.record(NewCitation(f"{text}#char=0,4", text, 0, 4, "word"))
        archive.delegations.delegate("resolver", SERIES, "https://resolver.example/")
        archive.statements.state(str(text), "creator", "Ann")
        archive.days.seal(SERIES, date(2026, 11, 20))
        archive.log.checkpoints.current()
    return directory


SECOND = "urn:pdi://lab.example.us/2026/11/21/2"
FIFTH = "urn:pdi://lab.example.us/2026/11/21/5"
ALTERED = f"log: entry 1 (version {SECOND}, version 1) is not what the catalog says"
NAMED = [
    (
        "an-altered-row-is-named",
        "UPDATE version SET title = 'other' WHERE version_id = 2",
        [ALTERED],
    ),
    (
        "a-removed-row-is-named",
        "DELETE FROM representation WHERE representation_id = 4",
        [
            ALTERED,
            "log: 9 rows of representation, 10 in the log",
        ],
    ),
    (
        "an-added-row-is-named",
        (
            "INSERT INTO representation SELECT 99, 1, 'gif', 'image/gif', NULL, 1, digest,"
            " NULL, NULL, NULL, NULL, committed_at FROM representation LIMIT 1"
        ),
        [
            "urn:pdi://lab.example.us/2026/11/21/1.gif.1: no entry of the log tells of it",
            "log: 11 rows of representation, 10 in the log",
        ],
    ),
    (
        "an-added-statement-is-named",
        (
            "INSERT INTO assertion SELECT 9, 0, subject, 'withdrawn', object, who, stated_at"
            " FROM assertion"
        ),
        [
            f"{FIFTH}.utf-8.1: no entry of the log says its 'withdrawn'",
            "log: 2 rows of assertion, 1 in the log",
        ],
    ),
]


@pytest.mark.engines
@pytest.mark.parametrize(
    ("statement", "told"), [row[1:] for row in NAMED], ids=[row[0] for row in NAMED]
)
def test_fsck_names_what_sql_by_hand_has_changed(
    five: Path, directory: Path, statement: str, told: list[str]
) -> None:
    Repository.duplicate(five, directory)
    Repository.tamper(directory, statement)
    with Repository.open(directory, clock=noon) as archive:
        found = [
            f"{one.name}: {one.detail}" for one in archive.fixity.verify() if one.kind == "log"
        ]
    assert found == told


def test_fsck_names_whose_octets_were_replaced(five: Path, directory: Path) -> None:
    Repository.duplicate(five, directory)
    with Repository.open(directory, clock=noon) as archive:
        victim = list(archive.lists.list())[1].representation("utf-8")
        path = file_of(directory, victim.digest)
        path.chmod(0o600)
        path.write_bytes(b"word 9")
        bad = [one for one in archive.fixity.fsck() if one.kind != "ok"]
    assert [(one.name, one.kind) for one in bad] == [(str(victim.pdi), "altered")]
    assert hashlib.sha256(b"word 9").hexdigest() in bad[0].detail


def test_a_log_cut_back_with_its_checkpoints_is_held_to_what_was_handed_out(
    five: Path, directory: Path
) -> None:
    Repository.duplicate(five, directory)
    with Repository.open(directory, clock=noon) as archive:
        handed_out = archive.log.checkpoints.current()
    Repository.tamper(
        directory,
        "DELETE FROM checkpoint",
        "DELETE FROM day",
        "DELETE FROM leaf WHERE sequence = 8",
        "DELETE FROM log_node WHERE level = 0 AND position = 8",
    )
    with Repository.open(directory, clock=noon) as archive:
        assert {one.kind for one in archive.fixity.verify()} == {"ok"}, "nothing here can tell"
        with pytest.raises(IntegrityError, match="cut short, or this is a split view"):
            ArchiveLog(archive).held_to(handed_out)


def test_a_cut_log_is_never_signed_again(archive: Repository, directory: Path) -> None:
    commit(archive, 5)
    archive.log.checkpoints.current()
    Repository.tamper(directory, "DELETE FROM leaf WHERE sequence > 2")
    with pytest.raises(IntegrityError):
        archive.log.checkpoints.current()


def test_verify_of_one_name_finds_its_altered_entry(archive: Repository, directory: Path) -> None:
    version = commit(archive, 2)
    Repository.tamper(
        directory, "UPDATE version SET uri = 'http://example.com/' WHERE version_id = 2"
    )
    assert [one.kind for one in archive.fixity.verify(version.pdi)] == ["ok", "ok", "log"]


def test_an_entry_that_is_missing_cannot_be_proven(archive: Repository, directory: Path) -> None:
    version = commit(archive)
    Repository.tamper(directory, "DELETE FROM leaf")
    with pytest.raises(IntegrityError):
        archive.proofs.prove(version.representations[0].pdi)
