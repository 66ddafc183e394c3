"""Sealed days: once a day has passed, the log says all its names, so that absence can be proven."""

from __future__ import annotations

import contextlib
import hashlib
import json
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engines import Refused, Repository
from tests.spec.zips import unzipped, zipped

from permacite import pdi
from permacite.archive.log.bundles.checking import check_proof
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.name_tree import (
    DayDocument,
    fault_of,
    places_for,
    read_places,
    root_over,
    written,
)
from permacite.archive.records.days import names_file, names_in
from permacite.errors import (
    ConflictError,
    IntegrityError,
    NotFoundError,
    ParseError,
    StorageError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from permacite.archive.log.bundles.tlog_proof import ProofReport

pytest.importorskip("cryptography", reason="the log's signatures need it")

pytestmark = pytest.mark.engines(deep=True)

SERIES = "lab.example.us"
DAY = date(2026, 11, 20)
INSERT = f"INSERT INTO document SELECT 99, '{SERIES}', '{{}}', 'x', NULL"


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 20, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now

    def go_on(self, **duration: int) -> None:
        """Let time pass."""
        self.now += timedelta(**duration)


@pytest.fixture
def clock() -> Clock:
    """Noon of the 20th."""
    return Clock()


@pytest.fixture
def archive(tmp_path: Path, clock: Clock) -> Iterator[Repository]:
    """An archive with two documents of the 20th, one of them named."""
    with Repository.create(tmp_path / "archive", series=SERIES, clock=clock) as archive:
        commit(archive)
        commit(archive, unique_id="report")
        yield archive


def commit(archive: Repository, unique_id: str | None = None) -> None:
    """Commit a document."""
    archive.committer.commit([NewRepresentation(b"x", "text/plain")], unique_id=unique_id)


def name(unique_id: str, day: str = "2026/11/20") -> pdi.PDI:
    """Return a name of a day."""
    value = pdi.parse(f"urn:pdi://{SERIES}/{day}/{unique_id}.html.1")
    assert isinstance(value, pdi.PDI)
    return value


def entries(archive: Repository) -> list[dict[str, object]]:
    """Return all entries of the log."""
    return [json.loads(leaf.content) for leaf in archive.log.leaves()]


def by_hand(leaves: list[bytes]) -> bytes:
    """The root of a tree, by its definition (RFC 6962 §2.1)."""
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    left, right = by_hand(leaves[:split]), by_hand(leaves[split:])
    return hashlib.sha256(b"\1" + left + right).digest()


def failures(report: ProofReport) -> dict[str, str]:
    """Return what does not hold."""
    return {one.name: one.detail for one in report.checks if not one.ok}


def test_the_first_commit_of_a_later_day_seals_the_last_one(
    archive: Repository, clock: Clock
) -> None:
    clock.go_on(hours=11, minutes=59)
    commit(archive)
    assert [one["kind"] for one in entries(archive)] == ["version"] * 3
    clock.go_on(days=3)
    commit(archive)
    commit(archive)
    assert [one["kind"] for one in entries(archive)[3:]] == ["day", "version", "version"]
    assert entries(archive)[3] == {
        "kind": "day",
        "name": f"urn:pdi://{SERIES}/2026/11/20",
        "documents": 3,
        "highest": 2,
        "names": "sha-256:" + hashlib.sha256(b"1\n2\nreport\n").hexdigest(),
        "sealed_at": "2026-11-23T23:59:00.000000Z",
        "schema": 2,
        "seal": 2,
        "tree": "sha-256:" + by_hand([b'["1",1]', b'["2",1]', b'["report",1]']).hex(),
    }
    assert {one.kind for one in archive.fixity.fsck()} == {"ok"}


def test_a_day_is_sealed_on_request_and_once(archive: Repository, clock: Clock) -> None:
    with pytest.raises(ConflictError, match="cannot be sealed before it has ended"):
        archive.days.seal(SERIES, DAY)
    assert archive.days.seal_all() == []
    clock.go_on(days=2)
    assert [json.loads(one.content)["documents"] for one in archive.days.seal_all()] == [2]
    assert archive.days.seal_all() == []
    first = archive.days.seal(SERIES, DAY)
    clock.go_on(days=1)
    assert archive.days.seal(SERIES, DAY) == first
    commit(archive)
    assert [one["kind"] for one in entries(archive)] == ["version", "version", "day", "version"]
    with pytest.raises(NotFoundError):
        archive.days.seal("other.example.us", DAY)
    with pytest.raises(ParseError):
        archive.days.seal("nonsense", DAY)


def test_a_day_without_documents_is_sealed_too(archive: Repository, clock: Clock) -> None:
    clock.go_on(days=5)
    entry = json.loads(archive.days.seal(SERIES, date(2026, 11, 22)).content)
    assert (entry["documents"], "highest" in entry) == (0, False)
    clock.now = datetime(2026, 11, 22, 12, tzinfo=UTC)
    with pytest.raises(StorageError, match="has sealed 2026-11-22") as error:
        commit(archive)
    assert error.value.reason == "clock"


def test_nothing_is_minted_into_a_sealed_day(archive: Repository, clock: Clock) -> None:
    clock.go_on(days=1)
    archive.days.seal(SERIES, DAY)
    clock.go_on(days=-1)
    before = entries(archive)
    with pytest.raises(StorageError, match="has sealed 2026-11-20"):
        commit(archive)
    for day in ("2026-11-20", "2026-11-19"):
        with pytest.raises(Refused, match="permacite"):
            Repository.by_hand(archive.directory, INSERT.format(day))
    assert entries(archive) == before
    clock.go_on(days=1)
    commit(archive)


def test_versions_are_still_added_to_documents_of_a_sealed_day(
    archive: Repository, clock: Clock
) -> None:
    clock.go_on(days=1)
    first = archive.days.seal(SERIES, DAY)
    made = archive.committer.commit(
        [NewRepresentation(b"y", "text/plain")], replaces=name("1").document
    )
    assert made.number == 2
    assert archive.days.seal(SERIES, DAY) == first
    assert {one.kind for one in archive.fixity.fsck()} == {"ok"}


@pytest.fixture
def absence(archive: Repository, clock: Clock) -> bytes:
    """A proof that no document 3 of the 20th ever was."""
    clock.go_on(days=1)
    archive.days.seal(SERIES, DAY)
    return archive.proofs.prove_absence(name("3"))


def test_absence_is_proven_offline(archive: Repository, absence: bytes) -> None:
    report = check_proof(absence, str(archive.log.keys.verifier))
    assert (report.ok, report.trusted, report.absent) == (True, True, True)
    assert report.name == f"urn:pdi://{SERIES}/2026/11/20/3.html.1"
    assert report.committed_at == "2026-11-21T12:00:00.000000Z"
    assert (report.checks[0].name, report.checks[0].detail) == (
        "absence",
        "no 3 among 2 names of the day",
    )


def test_absence_is_proven_for_sealed_days_and_unknown_names_alone(archive: Repository) -> None:
    with pytest.raises(NotFoundError, match="2026-11-20 is not sealed"):
        archive.proofs.prove_absence(name("3"))
    with pytest.raises(ConflictError, match="is here"):
        archive.proofs.prove_absence(name("report"))


@pytest.fixture
def listed(archive: Repository, clock: Clock) -> bytes:
    """The same proof from a day that was sealed before there were trees."""
    clock.go_on(days=1)
    archive.days.seal(SERIES, DAY, form=1)
    return archive.proofs.prove_absence(name("3"))


def test_a_day_that_was_sealed_before_proves_absence_as_before(
    archive: Repository, listed: bytes
) -> None:
    assert unzipped(listed)["names.txt"] == b"1\nreport\n"
    assert b"tree" not in unzipped(listed)["leaf.json"]
    report = check_proof(listed, str(archive.log.keys.verifier))
    assert (report.ok, report.trusted, report.absent, report.versions) == (True, True, True, None)
    assert {one.kind for one in archive.fixity.fsck()} == {"ok"}
    with pytest.raises(NotFoundError, match="before versions could be told"):
        archive.proofs.prove_absence(version_of("1", 2))


def version_of(unique_id: str, number: int) -> pdi.PDI:
    """Return a version of a document of the 20th."""
    value = pdi.parse(f"urn:pdi://{SERIES}/2026/11/20/{unique_id}.html.{number}")
    assert isinstance(value, pdi.PDI)
    return value


def test_a_version_that_was_not_there_is_proven(archive: Repository, clock: Clock) -> None:
    archive.committer.commit([NewRepresentation(b"y", "text/plain")], replaces=name("1").document)
    clock.go_on(days=1)
    archive.days.seal(SERIES, DAY)
    bundle = archive.proofs.prove_absence(version_of("1", 3))
    report = check_proof(bundle, str(archive.log.keys.verifier))
    assert (report.ok, report.absent, report.versions) == (True, True, 2)
    assert report.checks[0].detail == "no version 3 of 1 when the day was sealed: it had 2"
    with pytest.raises(ConflictError, match="is here"):
        archive.proofs.prove_absence(version_of("1", 2))
    archive.committer.commit([NewRepresentation(b"z", "text/plain")], replaces=name("1").document)
    assert check_proof(bundle).ok, "it says how it was then"
    assert check_proof(archive.proofs.prove_absence(version_of("1", 4))).versions == 2
    assert {one.kind for one in archive.fixity.fsck()} == {"ok"}


FORGERIES = [
    ("a-name-that-is-there", "name.txt", b"/3.", b"/1.", "absence"),
    ("a-name-of-a-user", "name.txt", b"/3.", b"/report.", "absence"),
    ("another-name", "name.txt", b"/3.", b"/s.", "absence"),
    ("a-neighbour-left-out", "places.json", b"[{", b"[]#", "absence"),
    ("a-neighbour-renamed", "places.json", b'"1"', b'"2"', "absence"),
    ("other-versions", "places.json", b'"versions":1', b'"versions":2', "absence"),
    ("another-place", "places.json", b'"index":1', b'"index":0', "absence"),
    ("another-tree", "leaf.json", b'"tree":"sha-256:', b'"tree":"sha-256:0', "absence"),
    ("another-count", "leaf.json", b'"documents":2', b'"documents":1', "absence"),
    ("no-count", "leaf.json", b'"documents":2', b'"documents":-1', "absence"),
    ("another-entry", "leaf.json", b"T12:00", b"T13:00", "inclusion"),
]
LISTED_FORGERIES = [
    ("a-name-that-is-there", "name.txt", b"/3.", b"/1.", "absence"),
    ("a-name-left-out", "names.txt", b"1\n", b"", "absence"),
    ("a-name-added", "names.txt", b"1\n", b"1\n2\n", "absence"),
    ("another-list", "leaf.json", b'"names":"sha-256:', b'"names":"sha-256:0', "absence"),
    ("another-count", "leaf.json", b'"documents":2', b'"documents":1', "absence"),
]


@pytest.mark.parametrize(
    ("file", "old", "new", "fails"),
    [row[1:] for row in FORGERIES],
    ids=[row[0] for row in FORGERIES],
)
def test_a_forged_absence_is_named(
    absence: bytes, file: str, old: bytes, new: bytes, fails: str
) -> None:
    assert fails in failures(check_proof(forged(absence, file, old, new)))


@pytest.mark.parametrize(
    ("file", "old", "new", "fails"),
    [row[1:] for row in LISTED_FORGERIES],
    ids=[row[0] for row in LISTED_FORGERIES],
)
def test_a_forged_list_is_named(
    listed: bytes, file: str, old: bytes, new: bytes, fails: str
) -> None:
    assert fails in failures(check_proof(forged(listed, file, old, new)))


def forged(bundle: bytes, file: str, old: bytes, new: bytes) -> bytes:
    """A proof with something changed in it."""
    files = unzipped(bundle)
    assert old in files[file]
    return zipped(files | {file: files[file].replace(old, new, 1)})


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"name.txt": b"urn:pdi://lab.example.us/2026/11/19/3.html.1\n"}, "seals urn:pdi"),
        ({"name.txt": b"urn:pdi://lab.example.uk/2026/11/20/3.html.1\n"}, "seals urn:pdi"),
        ({"leaf.json": b"[]"}, "seals urn:pdi"),
        ({"places.json": None}, "holds content, places.json or names.txt"),
    ],
)
def test_an_absence_of_something_else_is_refused(
    absence: bytes, changes: dict[str, bytes | None], told: str
) -> None:
    files = {**unzipped(absence), **changes}
    with pytest.raises(ParseError, match=told):
        check_proof(zipped({one: data for one, data in files.items() if data is not None}))


IDS = st.sets(st.text(st.sampled_from("019ab-"), min_size=1, max_size=3), max_size=12)


@given(IDS, st.text(st.sampled_from("019ab-"), min_size=1, max_size=3), st.integers(1, 4))
def test_places_show_what_is_not_there_and_nothing_else(
    unique_ids: set[str], asked: str, version: int
) -> None:
    documents = [DayDocument(each, 1 + len(each)) for each in sorted(unique_ids)]
    root, size = root_over(documents), len(documents)
    there = {each.unique_id: each.versions for each in documents}
    for shown in {asked, *unique_ids}:
        places = read_places(written(places_for(documents, shown)))
        assert len(places) <= 2
        absent = asked not in there or version > there[asked]
        fault = fault_of(places, asked, version, size=size, root=root)
        assert not (fault == "" and not absent), "nothing that is there is shown to be absent"
        if shown == asked:
            assert (fault == "") == absent
    if len(documents) > 2:
        gap = [places_for(documents, documents[at].unique_id)[0] for at in (0, -1)]
        assert fault_of(gap, documents[1].unique_id, None, size=size, root=root)


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[1]", b"[[]]", b'[{"index":0}]', b"[null]", b"[ ]", b"\xff", b"[" * 9999,
     b'[{"hashes":["*"],"index":0,"unique_id":"1","versions":1}]',
     b'[{"hashes":[],"index":true,"unique_id":"1","versions":1}]'],
)  # fmt: skip
def test_what_is_no_place_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - some are json's
        read_places(content)


def test_a_document_slipped_into_a_sealed_day_is_found(archive: Repository, absence: bytes) -> None:
    assert absence
    Repository.tamper(archive.directory, INSERT.format("2026-11-20"))
    told = [one.detail for one in archive.fixity.verify() if one.kind == "log"]
    assert told == [f"entry 2 (day urn:pdi://{SERIES}/2026/11/20) is not what the catalog says"]
    with pytest.raises(IntegrityError, match="other documents are there now"):
        archive.proofs.prove_absence(name("3"))


@given(st.lists(st.text(st.characters(exclude_characters="\n", codec="utf-8")), unique=True))
def test_a_list_of_names_has_one_form(found: list[str]) -> None:
    assert names_in(names_file(sorted(found))) == sorted(found)
    if sorted(found) != found:
        with pytest.raises(ValueError, match="sorted"):
            names_in(names_file(found))


@pytest.mark.engines(deep=True)
@settings(max_examples=15)
@given(
    steps=st.lists(
        st.one_of(
            st.sampled_from(["mint", "named", "seal", "version"]), st.integers(-40, 60).map(int)
        ),
        max_size=12,
    )
)
def test_a_sealed_day_never_changes(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str | int]
) -> None:
    clock = Clock()
    sealed: dict[str, dict[str, object]] = {}
    folder = tmp_path_factory.mktemp("days") / "archive"
    with Repository.create(folder, series=SERIES, clock=clock) as archive:
        for number, step in enumerate(steps):
            with contextlib.suppress(StorageError, ConflictError, NotFoundError):
                if isinstance(step, int):
                    clock.go_on(hours=step)
                elif step == "seal":
                    archive.days.seal_all()
                elif step == "version":
                    newest = next(archive.lists.list(newest_first=True, limit=1), None)
                    if newest is not None:
                        one = NewRepresentation(b"z", "text/plain")
                        archive.committer.commit([one], replaces=newest.pdi.document)
                else:
                    commit(archive, f"n{number}" if step == "named" else None)
            told = {str(one["name"]): one for one in entries(archive) if one["kind"] == "day"}
            for day, entry in told.items():
                assert sealed.setdefault(day, entry) == entry
        assert {one.kind for one in archive.fixity.verify()} == {"ok"}
