"""A clock that is years ahead is noticed before it does harm; there is a way on where it has."""

from __future__ import annotations

import dataclasses
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository

from permacite.archive.model.answered import Timekeeper, Witness, utc_now
from permacite.archive.model.submitted import NewRepresentation, NewVersion
from permacite.archive.records.days import is_synchronised, kept, seal_of
from permacite.capture.model import Exchange
from permacite.errors import StorageError
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from http.server import BaseHTTPRequestHandler
    from pathlib import Path

    from tests.spec.conftest import Web

    from permacite.archive.model.answered import Version

pytestmark = pytest.mark.engines(deep=True)

SERIES = "lab.example.us"
DAY = timedelta(days=1)
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
AHEAD = datetime(2031, 5, 1, 12, tzinfo=UTC)


class Wall:
    """A clock that tests set, and whether the system says that it is right."""

    def __init__(self) -> None:
        self.now = NOON
        self.is_right = False

    @property
    def keeper(self) -> Timekeeper:
        """The same as an archive takes it."""
        return Timekeeper(lambda: self.now, lambda: self.is_right)


@pytest.fixture
def wall() -> Wall:
    """Noon, by a clock that nothing bears out."""
    return Wall()


@pytest.fixture
def archive(tmp_path: Path, wall: Wall) -> Iterator[Repository]:
    """An archive with one document."""
    with Repository.create(tmp_path / "archive", series=SERIES, clock=wall.keeper) as archive:
        commit(archive)
        yield archive


def commit(archive: Repository, **wanted: object) -> Version:
    """Commit a document."""
    page = NewRepresentation(b"<p>x", "text/html", charset="utf-8")
    return archive.committer.commit_version(NewVersion([page], **wanted))  # type: ignore[arg-type]


def refusal(archive: Repository, **wanted: object) -> StorageError:
    """Return why a commit is refused; nothing was written."""
    before = archive.log.size()
    with pytest.raises(StorageError) as error:
        commit(archive, **wanted)
    assert error.value.reason == "clock"
    assert archive.log.size() == before
    return error.value


@pytest.mark.parametrize("days", [0, 1, 31])
def test_shorter_idleness_never_asks(archive: Repository, wall: Wall, days: int) -> None:
    wall.now += days * DAY
    assert commit(archive).pdi.year == str(wall.now.year)


def test_a_date_that_nothing_bears_out_is_refused(archive: Repository, wall: Wall) -> None:
    wall.now += 32 * DAY
    error = refusal(archive)
    assert "the clock says 2026-12-23" in error.problem
    assert "the last commit was on 2026-11-21" in error.problem
    assert "--confirm-date 2026-12-23" in error.hint
    refusal(archive, unique_id="report")
    document = archive.lookup.version(next(archive.lists.list()).pdi)
    refusal(archive, replaces=document.pdi)
    with pytest.raises(StorageError):
        archive.committer.add_format(document.pdi, NewRepresentation(b"%PDF", "application/pdf"))
    wall.now = NOON + DAY
    assert str(commit(archive).pdi.document).endswith("/2026/11/22/1"), "nothing was sealed"


@pytest.mark.parametrize(
    "witness",
    [
        Witness(server=AHEAD - timedelta(hours=23)),
        Witness(server=AHEAD + timedelta(seconds=3)),
        Witness(operator=date(2031, 5, 1)),
        Witness(operator=date(2031, 5, 2)),
        Witness(server=NOON, operator=date(2031, 5, 1)),
    ],
)
def test_whoever_says_the_same_bears_it_out(
    archive: Repository, wall: Wall, witness: Witness
) -> None:
    wall.now = AHEAD
    assert commit(archive, witness=witness).committed_at == AHEAD
    wall.now += DAY
    commit(archive)  # those that follow ask nobody


@pytest.mark.parametrize(
    "witness", [Witness(server=NOON), Witness(operator=date(2026, 11, 21)), Witness()]
)
def test_whoever_says_otherwise_does_not(archive: Repository, wall: Wall, witness: Witness) -> None:
    wall.now = AHEAD
    refusal(archive, witness=witness)


def test_a_clock_that_the_system_keeps_right_asks_nobody(archive: Repository, wall: Wall) -> None:
    wall.now, wall.is_right = AHEAD, True
    assert commit(archive).pdi.year == "2031"


def test_the_first_commit_is_measured_from_the_making(tmp_path: Path, wall: Wall) -> None:
    with Repository.create(tmp_path / "empty", series=SERIES, clock=wall.keeper) as archive:
        wall.now += 32 * DAY
        assert "on 2026-11-21" in refusal(archive).problem


def test_no_day_is_sealed_that_only_the_clock_says_has_passed(
    archive: Repository, wall: Wall
) -> None:
    wall.now = AHEAD
    archive.days.seal(SERIES, NOON.date())
    with pytest.raises(StorageError):
        archive.days.seal(SERIES, date(2029, 1, 1))
    wall.is_right = True
    archive.days.seal(SERIES, date(2029, 1, 1))
    sealed = archive._catalog.read(seal_of, SERIES, "2029-01-01")  # noqa: SLF001 - what is stored is looked at
    assert sealed is not None


def run_ahead(archive: Repository, wall: Wall) -> Version:
    """Commit in 2031, then find the clock to be wrong; return what was there before."""
    early = archive.lookup.version(next(archive.lists.list()).pdi)
    wall.now = AHEAD
    commit(archive, witness=Witness(operator=AHEAD.date()))
    wall.now = NOON + DAY
    return early


def test_a_series_that_is_ahead_says_how_to_go_on(archive: Repository, wall: Wall) -> None:
    run_ahead(archive, wall)
    assert "set the clock of this machine right" in refusal(archive).hint
    wall.is_right = True
    error = refusal(archive)
    assert error.problem == f"the clock says 2026-11-22, but {SERIES} has minted on 2031-05-01"
    assert f"permacite series use` mints in another series, such as new.{SERIES}" in error.hint


def test_another_series_mints_on_and_every_promise_holds(archive: Repository, wall: Wall) -> None:
    early = run_ahead(archive, wall)
    archive.settings.use_series(f"new.{SERIES}")
    assert archive.settings.series_names() == [f"new.{SERIES}", SERIES]
    assert str(commit(archive).pdi.document) == f"urn:pdi://new.{SERIES}/2026/11/22/1"
    refusal(archive, series=SERIES)
    refusal(archive, replaces=early.pdi)
    wall.is_right = True
    assert commit(archive, replaces=early.pdi).number == 2, "its name has a date already"
    archive.committer.add_format(early.pdi, NewRepresentation(b"%PDF", "application/pdf"))
    assert {one.kind for one in archive.fixity.fsck()} == {"ok"}
    wall.now = AHEAD + DAY
    assert commit(archive, series=SERIES).pdi.unique_id == "1"
    with Repository.open(archive.directory) as again:
        assert again.settings.series == f"new.{SERIES}"


def test_a_clock_that_was_wrong_once_is_still_watched(archive: Repository, wall: Wall) -> None:
    run_ahead(archive, wall)
    archive.settings.use_series(f"new.{SERIES}")
    commit(archive)
    wall.now = AHEAD - DAY
    assert "the last commit was on 2026-11-22" in refusal(archive).problem


def test_the_clock_of_a_caller_is_taken_at_its_word() -> None:
    assert kept(lambda: NOON).is_kept_right()
    assert kept(utc_now).is_kept_right is is_synchronised
    assert is_synchronised() in {True, False}


@pytest.mark.parametrize("is_told", [True, False])
def test_the_server_of_a_saved_page_bears_the_date_out(
    archive: Repository, wall: Wall, web: Web, *, is_told: bool
) -> None:
    wall.now = datetime.now(UTC) + 900 * DAY
    said = format_datetime(wall.now.replace(microsecond=0), usegmt=True)

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response_only(200)
        request.send_header("Content-Type", "text/html")
        if is_told:
            request.send_header("Date", said)
        request.end_headers()
        request.wfile.write(b"<p>words")

    uri = web.behave("/page", answer)
    service = Archive(archive)
    if is_told:
        assert f"/{wall.now:%Y/%m/%d}/1" in service.save(uri, allow_private=True).pdi
        return
    with pytest.raises(StorageError):
        service.save(uri, allow_private=True)
    saved = service.save(uri, allow_private=True, confirmed_date=wall.now.date())
    assert f"/{wall.now:%Y/%m/%d}/1" in saved.pdi


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("Sat, 21 Nov 2026 12:00:00 GMT", NOON),
        ("Sat, 21 Nov 2026 14:00:00 +0200", NOON),
        ("Saturday, 21-Nov-26 12:00:00 GMT", NOON),
        ("Sat Nov 21 12:00:00 2026", NOON),
        ("yesterday", None),
        ("Sat, 21 Nov 99999 12:00:00 GMT", None),
        ("Sat, 41 Nov 2026 12:00:00 GMT", None),
        ("", None),
        (None, None),
    ],
)
def test_the_date_of_a_server(field: str | None, said: datetime | None) -> None:
    headers = () if field is None else (("dATE", field),)
    answer = Exchange(
        uri="http://a/",
        final_uri="http://a/",
        method="GET",
        status=200,
        reason="OK",
        request_headers=(),
        response_headers=headers,
        content=b"",
        content_type="text/html",
        sniffed=False,
        peer_address=None,
        certificate=None,
        redirects=(),
        started_at=NOON,
        duration_s=0.0,
        digest="",
    )
    assert answer.date == said
    assert dataclasses.replace(answer, response_headers=(("X", "y"),)).date is None
