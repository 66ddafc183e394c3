"""Who may see a document, why it is kept and how long: by default, by choice, and by the clock."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.earlier import unpack, with_texts
from tests.engines import Refused, Repository

from permacite.archive.gate import Audience
from permacite.archive.model.answered import Standing
from permacite.archive.model.submitted import NewRepresentation, NewVersion
from permacite.errors import ClosedError, ConflictError, NotFoundError
from permacite.service.access import Choice
from permacite.service.archive import public_view

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.engines(deep=True)

START = datetime(2026, 11, 21, 12, tzinfo=UTC)


@dataclass
class Clock:
    """A clock that shows what it is told."""

    now: datetime = START

    def __call__(self) -> datetime:
        """Return the time."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """The clock of the archive."""
    return Clock()


@pytest.fixture
def archive(tmp_path: Path, clock: Clock) -> Iterator[Repository]:
    """An empty archive."""
    with Repository.create(tmp_path / "archive", series="lab.example.us", clock=clock) as opened:
        yield opened


def test_a_standing_is_never_silent(archive: Repository, clock: Clock) -> None:
    first = archive.committer.commit([NewRepresentation(b"a", "text/plain")])
    assert archive.access.standing(first.pdi) == Standing("public", "unknown", set_at=clock.now)
    archive.settings.set("access", "closed")
    archive.settings.set("ground", "licence")
    second = archive.committer.commit([NewRepresentation(b"b", "text/plain")])
    assert archive.access.standing(second.pdi) == Standing("closed", "licence", set_at=clock.now)
    chosen = Standing("public", "deposit", retain_until=date(2030, 1, 1))
    third = archive.committer.commit_version(
        NewVersion([NewRepresentation(b"c", "text/plain")], standing=chosen)
    )
    assert archive.access.standing(third.pdi).retain_until == date(2030, 1, 1)
    again = archive.committer.commit([NewRepresentation(b"d", "text/plain")], replaces=second.pdi)
    assert archive.access.standing(again.pdi).access == "closed", (
        "a version has that of its document"
    )


def test_the_public_adds_nothing_to_what_is_closed(archive: Repository) -> None:
    seen = public_view(Archive(archive))
    archive.settings.set("access", "closed")
    made = seen.lists.submissions.put("pdi://lab.example.us/", b"> words", "text/markdown")
    restricted = made.document.restricted
    assert restricted is not None
    assert (restricted.kind, made.quotations) == ("closed", ())
    with pytest.raises(ClosedError):
        seen.lists.submissions.put(made.pdi, b"more", "text/markdown")
    assert Archive(archive).resolve(made.pdi).content == b"> words"


def test_an_embargo_ends_by_the_clock(archive: Repository, clock: Clock) -> None:
    until = Standing("embargo", "deposit", embargo_until=date(2026, 11, 23))
    made = archive.committer.commit_version(
        NewVersion([NewRepresentation(b"a", "text/plain")], standing=until)
    )
    one = made.representations[0]
    seen = archive.public()
    assert archive.contents.read(one) == b"a", "the operator reads it"
    with pytest.raises(ClosedError, match="not open to all until 2026-11-23") as error:
        seen.contents.read(one)
    assert (error.value.status, error.value.reason) == (403, "embargo")
    assert next(seen.lists.list()).representations[0].digest == ""
    clock.now += timedelta(days=1, hours=11, minutes=59)
    with pytest.raises(ClosedError):
        seen.contents.read(one)
    clock.now += timedelta(minutes=1)
    assert seen.contents.read(one) == b"a"


def test_a_mark_tells_of_which_documents_the_access_changed(
    archive: Repository, clock: Clock
) -> None:
    first = archive.committer.commit([NewRepresentation(b"a", "text/plain")]).pdi.document
    documents, mark = archive.access.changes(None)
    assert documents == ()
    archive.committer.commit([NewRepresentation(b"b", "text/plain")])
    documents, mark = archive.access.changes(mark)
    assert documents == (), "a new document has been open to all from the beginning"
    archive.access.set_standing(first, Standing("closed", "consent"))
    documents, mark = archive.access.changes(mark)
    assert documents == (first,)
    assert archive.access.changes(mark) == ((), mark)
    archive.access.set_standing(
        first, Standing("embargo", "deposit", embargo_until=date(2026, 11, 23))
    )
    documents, mark = archive.access.changes(mark)
    assert documents == (first,)
    clock.now += timedelta(days=1)
    documents, mark = archive.access.changes(mark)
    assert documents == ()
    clock.now += timedelta(days=1)
    documents, mark = archive.access.changes(mark)
    assert documents == (first,), "its embargo ended meanwhile"
    assert archive.access.changes(mark) == ((), mark)
    assert set(archive.access.changes("")[0]) == {first}, "of an index that knows of no mark"


def test_a_thousand_documents_that_are_closed_at_once_are_told_in_stretches(
    archive: Repository,
) -> None:
    made = archive.committer.commit([NewRepresentation(b"a", "text/plain")]).pdi.document
    _, mark = archive.access.changes(None)
    for access in ("closed", "public") * 501:
        archive.access.set_standing(made, Standing(access, "consent"))
    told = 0
    while (answer := archive.access.changes(mark))[1] != mark:
        told, mark = told + len(answer[0]), answer[1]
    assert told == 1002


def test_what_was_to_be_kept_no_longer_is_reported_and_stays(
    archive: Repository, clock: Clock
) -> None:
    until = Standing(retain_until=date(2026, 11, 21))
    made = archive.committer.commit_version(
        NewVersion([NewRepresentation(b"a", "text/plain")], standing=until)
    )
    archive.committer.commit([NewRepresentation(b"b", "text/plain")])
    assert archive.access.overdue() == {}
    clock.now += timedelta(days=1)
    assert list(archive.access.overdue()) == [made.pdi.document]
    assert archive.contents.read(made.representations[0]) == b"a"


def test_half_an_embargo_is_refused(archive: Repository) -> None:
    made = archive.committer.commit([NewRepresentation(b"a", "text/plain")])
    service, name = Archive(archive), str(made.pdi.document)
    with pytest.raises(ConflictError, match="has a day on which it ends"):
        service.access.standing(name, Choice("embargo"))
    with pytest.raises(ConflictError, match="has a day on which it ends"):
        service.access.standing(name, Choice("closed", embargo_until=date(2030, 1, 1)))
    with pytest.raises(ConflictError, match="days are of one document"):
        service.access.default_standing(Choice(embargo_until=date(2030, 1, 1)))
    with pytest.raises(NotFoundError):
        service.access.standing(f"{name}9", Choice("closed"))
    kept = service.access.standing(name, Choice(embargo_until=date(2030, 1, 1))).standing
    assert (kept.access, kept.embargo_until) == ("embargo", date(2030, 1, 1))
    assert service.access.standing(name, Choice("public")).standing.embargo_until is None


def test_what_is_for_the_building_is_open_to_who_is_in_it_alone(archive: Repository) -> None:
    archive.settings.set("access", "building")
    made = archive.committer.commit([NewRepresentation(b"a", "text/plain")])
    one = made.representations[0]
    assert archive.access.standing(made.pdi).access == "building"
    assert archive.contents.read(one) == b"a"
    for audience in (Audience(), Audience("other.example.us"), Audience("lab.example")):
        with pytest.raises(ClosedError, match="in the building of this archive alone") as error:
            archive.public(audience).contents.read(one)
        assert (error.value.status, error.value.reason) == (403, "building")
    for audience in (Audience(is_inside=True), Audience("lab.example.us")):
        assert archive.public(audience).contents.read(one) == b"a"
    archive.access.set_standing(made.pdi, Standing("closed"))
    assert archive.access.standing(made.pdi).access == "closed", "the latest counts"
    with pytest.raises(ClosedError):
        archive.public(Audience(is_inside=True)).contents.read(one)
    until = Standing("embargo", embargo_until=date(2030, 1, 1))
    archive.access.set_standing(made.pdi, until)
    with pytest.raises(ClosedError):
        archive.public(Audience(is_inside=True)).contents.read(one)
    assert {each.kind for each in archive.fixity.fsck()} == {"ok"}


@pytest.mark.sqlite  # the schema of then was never in PostgreSQL
def test_an_archive_of_schema_11_keeps_its_standings(tmp_path: Path) -> None:
    accesses = ("public", "closed", "embargo")
    with Repository.create(tmp_path / "a", series="lab.example.us") as held:
        names = []
        for access in accesses:
            until = date(2999, 1, 1) if access == "embargo" else None
            standing = Standing(access, embargo_until=until)
            made = held.committer.commit_version(
                NewVersion([NewRepresentation(b"a", "text/plain")], standing=standing)
            )
            names.append(made.pdi)
        # So it is on a disk that may only be read: the catalog stays as it is.
        with_texts(tmp_path / "a" / "catalog.sqlite")
        Repository.by_hand(tmp_path / "a", "DROP TABLE building", "PRAGMA user_version = 11")
        assert tuple(held.access.standing(name).access for name in names) == accesses, "as it is"
        assert held.public().lookup.restrictions(held.lookup.version(names[1]).representations)
    with Repository.open(tmp_path / "a") as held:
        assert tuple(held.access.standing(name).access for name in names) == accesses, "brought up"
        for name in names:
            held.access.set_standing(name, Standing("building"))
        assert {held.access.standing(name).access for name in names} == {"building"}
        assert {each.kind for each in held.fixity.fsck()} == {"ok"}


def test_an_archive_of_schema_3_takes_the_building(tmp_path: Path) -> None:
    directory, _ = unpack(tmp_path)
    Repository.adopt(directory)
    with Repository.open(directory) as held:
        version = next(held.lists.list())
        held.access.set_standing(version.pdi, Standing("building"))
        seen = held.public(Audience(is_inside=True)), held.public()
        assert [bool(each.lookup.restrictions(version.representations)) for each in seen] == [
            False,
            True,
        ]


OPENED = "INSERT INTO building SELECT max(standing_id) FROM standing"
CLOSED = "DELETE FROM building"


@pytest.mark.parametrize("statement", [OPENED, CLOSED])
def test_who_opens_what_is_closed_by_hand_is_noticed(tmp_path: Path, statement: str) -> None:
    with Repository.create(tmp_path / "a", series="lab.example.us") as held:
        access = "closed" if statement == OPENED else "building"
        for each in ("building", access):
            held.committer.commit_version(
                NewVersion([NewRepresentation(b"a", "text/plain")], standing=Standing(each))
            )
    Repository.tamper(tmp_path / "a", statement)
    with Repository.open(tmp_path / "a") as held:
        told = [each.detail for each in held.fixity.fsck() if each.kind == "catalog"]
    assert any("rows of building" in each for each in told)


def test_what_is_open_elsewhere_is_not_opened_in_the_building_by_a_row(tmp_path: Path) -> None:
    with Repository.create(tmp_path / "a", series="lab.example.us") as held:
        held.committer.commit([NewRepresentation(b"a", "text/plain")])
    with pytest.raises(Refused, match="closed elsewhere"):
        Repository.by_hand(tmp_path / "a", OPENED)


def test_documents_of_earlier_archives_have_an_unknown_ground(tmp_path: Path) -> None:
    directory, _ = unpack(tmp_path)
    Repository.adopt(directory)
    with Archive.open(directory) as service:
        document = service.documents.list().documents[0].pdi
        assert service.access.standing(document).standing == Standing("public", "unknown")


@pytest.mark.parametrize(
    ("access", "until"), [("embargo", date(2030, 1, 1)), ("building", None), ("closed", None)]
)
def test_a_copy_in_the_layout_of_others_keeps_the_standing(
    archive: Repository, tmp_path: Path, access: str, until: date | None
) -> None:
    standing = Standing(access, "consent", until, date(2040, 1, 1))
    made = archive.committer.commit_version(
        NewVersion([NewRepresentation(b"a", "text/plain")], standing=standing)
    )
    Archive(archive).copies.export("ocfl", tmp_path / "ocfl")
    said = next(iter((tmp_path / "ocfl").rglob("version.json"))).read_bytes()
    assert json.loads(said)["standing"]["access"] == access
    from permacite.service import preservation

    preservation.restore(tmp_path / "ocfl", tmp_path / "anew")
    with Archive.open(str(tmp_path / "anew")) as anew:
        kept = anew.access.standing(str(made.pdi)).standing
    assert (kept.access, kept.ground) == (access, "consent")
    assert (kept.embargo_until, kept.retain_until) == (until, date(2040, 1, 1))
