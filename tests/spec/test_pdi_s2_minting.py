"""Minting and binding of PDIs by the archive (draft-mallery-urn-pdi-00 §2.1 to §2.6, §3.6)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository

from permacite import pdi
from permacite.archive.model.answered import Provenance, Timekeeper
from permacite.archive.model.submitted import NewRepresentation
from permacite.errors import ConflictError, NotFoundError, ParseError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.engines(deep=True)

SERIES = "lab.example.us"


class Clock:
    """A clock that shows what it is set to."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        """Return the time it shows."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """A clock at noon of a day of 2026."""
    return Clock(datetime(2026, 11, 21, 12, tzinfo=UTC))


@pytest.fixture
def archive(tmp_path: Path, clock: Clock) -> Iterator[Repository]:
    """An empty archive whose clock a test may set."""
    with Repository.create(tmp_path / "archive", series=SERIES, clock=clock) as opened:
        yield opened


def name(text: str) -> pdi.PDI:
    """Return the name of one document."""
    value = pdi.parse(text)
    assert isinstance(value, pdi.PDI)
    return value


def page(text: str = "<p>one") -> NewRepresentation:
    """Return an HTML page."""
    return NewRepresentation(text.encode(), "text/html", charset="utf-8")


def plain(text: str = "one") -> NewRepresentation:
    """Return the text of a page."""
    return NewRepresentation(text.encode(), "text/plain", charset="utf-8")


def test_pdi_17_the_date_is_that_of_greenwich(archive: Repository, clock: Clock) -> None:
    """Clause pdi-17."""
    # 00:30 of the 22nd in a zone two hours east is still the 21st in Greenwich.
    clock.now = datetime(2026, 11, 22, 0, 30, tzinfo=timezone(timedelta(hours=2)))
    version = archive.committer.commit([page()])
    assert str(version.pdi.document) == "urn:pdi://lab.example.us/2026/11/21/1"
    assert version.committed_at == datetime(2026, 11, 21, 22, 30, tzinfo=UTC)


def test_pdi_17_a_clock_behind_the_last_date_mints_nothing(tmp_path: Path, clock: Clock) -> None:
    """Clause pdi-17."""
    keeper = Timekeeper(clock, lambda: False)
    archive = Repository.create(tmp_path / "archive", series=SERIES, clock=keeper)
    first = archive.committer.commit([page()])
    clock.now -= timedelta(days=1)
    with pytest.raises(StorageError) as error:
        archive.committer.commit([page()])
    assert error.value.reason == "clock"
    with pytest.raises(StorageError):
        archive.committer.commit([page("<p>two")], replaces=first.pdi)
    assert archive.lists.count() == 1
    # Another series has minted nothing yet: its dates cannot run backwards.
    archive.settings.add_series("other.example.us")
    assert archive.committer.commit([page()], series="other.example.us").pdi.day == "20"
    archive.close()


def test_pdi_19_a_unique_id_is_unique_after_canonicalisation(archive: Repository) -> None:
    """Clause pdi-19."""
    first = archive.committer.commit([page()], unique_id="Report%2D7")
    assert first.pdi.unique_id == "Report-7"
    with pytest.raises(ConflictError):
        archive.committer.commit([page("<p>two")], unique_id="Report-7")
    # Case counts in a unique id (§3.6.4).
    assert archive.committer.commit([page()], unique_id="report-7").pdi.unique_id == "report-7"


def test_pdi_19_the_same_unique_id_on_another_day_or_in_another_series(
    archive: Repository, clock: Clock
) -> None:
    """Clause pdi-19."""
    archive.settings.add_series("other.example.us")
    archive.committer.commit([page()], unique_id="budget")
    archive.committer.commit([page()], unique_id="budget", series="other.example.us")
    clock.now += timedelta(days=1)
    assert archive.committer.commit([page()], unique_id="budget").pdi.day == "22"


def test_pdi_20_serial_numbers_start_at_1_and_again_at_midnight(
    archive: Repository, clock: Clock
) -> None:
    """Clause pdi-20."""
    clock.now = datetime(2026, 11, 21, 23, 59, 59, 999999, tzinfo=UTC)
    before = [archive.committer.commit([page()]).pdi for _ in range(3)]
    clock.now += timedelta(microseconds=1)
    after = [archive.committer.commit([page()]).pdi for _ in range(2)]
    assert [(one.day, one.unique_id) for one in before] == [("21", "1"), ("21", "2"), ("21", "3")]
    assert [(one.day, one.unique_id) for one in after] == [("22", "1"), ("22", "2")]


def test_pdi_20_a_number_taken_as_unique_id_is_passed_over(archive: Repository) -> None:
    """Clause pdi-20."""
    archive.committer.commit([page()], unique_id="1")
    archive.committer.commit([page()], unique_id="2")
    assert [archive.committer.commit([page()]).pdi.unique_id for _ in range(2)] == ["3", "4"]


def test_pdi_20_each_series_counts_for_itself(archive: Repository) -> None:
    """Clause pdi-20."""
    archive.settings.add_series("other.example.us")
    archive.committer.commit([page()])
    assert archive.committer.commit([page()], series="other.example.us").pdi.unique_id == "1"
    assert archive.settings.series_names() == [SERIES, "other.example.us"]


def test_pdi_21_a_minted_name_has_format_and_version(archive: Repository) -> None:
    """Clause pdi-21."""
    version = archive.committer.commit([page(), plain()])
    assert [str(one.pdi) for one in version.representations] == [
        "urn:pdi://lab.example.us/2026/11/21/1.html.1",
        "urn:pdi://lab.example.us/2026/11/21/1.utf-8.1",
    ]
    with pytest.raises(ValueError, match="at least one format"):
        archive.committer.commit([])


def test_pdi_22_committed_bytes_are_those_that_came(archive: Repository) -> None:
    """Clause pdi-22."""
    content = bytes(range(256)) * 3
    version = archive.committer.commit([NewRepresentation(content, "application/octet-stream")])
    assert archive.contents.read(version.representations[0]) == content


def test_pdi_23_a_new_version_moves_all_formats(archive: Repository) -> None:
    """Clause pdi-23."""
    first = archive.committer.commit([page(), plain()])
    second = archive.committer.commit([page("<p>two")], replaces=first.pdi)
    assert (second.number, second.formats) == (2, ("html",))
    assert [one.number for one in archive.lookup.versions(first.pdi)] == [1, 2]
    # The text of version 1 is not offered as the text of version 2.
    with pytest.raises(NotFoundError) as error:
        archive.lookup.representation(first.pdi.document.with_(format="utf-8"))
    assert error.value.candidates == ("urn:pdi://lab.example.us/2026/11/21/1.html.2",)


def test_pdi_23_the_next_version_of_nothing_is_refused(archive: Repository) -> None:
    """Clause pdi-23."""
    with pytest.raises(NotFoundError):
        archive.committer.commit(
            [page()], replaces=name("urn:pdi://lab.example.us/2026/11/21/9.html.1")
        )


def test_pdi_24_a_further_format_is_no_new_version(archive: Repository) -> None:
    """Clause pdi-24."""
    first = archive.committer.commit([page()])
    again = archive.committer.add_format(first.pdi, plain())
    assert (again.number, again.formats) == (1, ("html", "utf-8"))
    assert archive.committer.add_format(first.pdi, plain()) == again
    with pytest.raises(ConflictError):
        archive.committer.add_format(first.pdi, plain("other words"))
    assert archive.contents.read(again.representation("utf-8")) == b"one"


REFUSED_SERIES = [
    ("pdi-64-unassigned-country", "lab.example.jj", 12),
    ("pdi-64-edge-hyphen", "-lab.example.us", 0),
    ("pdi-64-no-country", "lab", 0),
]


@pytest.mark.parametrize(
    ("series", "offset"),
    [row[1:] for row in REFUSED_SERIES],
    ids=[row[0] for row in REFUSED_SERIES],
)
def test_refuses_to_mint_in_a_series(archive: Repository, series: str, offset: int) -> None:
    with pytest.raises(ParseError) as error:
        archive.settings.add_series(series)
    assert (error.value.source, error.value.offset) == (series, offset)


@pytest.mark.parametrize("series", ["my.archive.zz", "my.archive.aa", "my.archive.qm"])
def test_pdi_64_a_local_archive_may_use_user_assigned_countries(
    archive: Repository, series: str
) -> None:
    """Clause pdi-64."""
    archive.settings.add_series(series)
    assert series in archive.settings.series_names()


REFUSED_UNIQUE_IDS = [
    ("pdi-64-wildcard", "*", 0),
    ("pdi-21-two-parts", "1.html", 0),
    ("pdi-19-slash", "a/b", 1),
    ("pdi-64-serial-0", "0", 0),
]


@pytest.mark.parametrize(
    "unique_id", [row[1] for row in REFUSED_UNIQUE_IDS], ids=[row[0] for row in REFUSED_UNIQUE_IDS]
)
def test_refuses_to_mint_a_unique_id(archive: Repository, unique_id: str) -> None:
    with pytest.raises(ParseError) as error:
        archive.committer.commit([page()], unique_id=unique_id)
    assert error.value.source == unique_id
    assert archive.lists.count() == 0


def test_pdi_64_a_series_that_does_not_mint_here(archive: Repository) -> None:
    """Clause pdi-64."""
    with pytest.raises(NotFoundError):
        archive.committer.commit([page()], series="other.example.us")


def test_pdi_11_an_omitted_version_is_answered_with_the_highest(archive: Repository) -> None:
    """Clause pdi-11."""
    first = archive.committer.commit([page()])
    archive.committer.commit([page("<p>two")], replaces=first.pdi)
    found = archive.lookup.representation(name("urn:pdi://lab.example.us/2026/11/21/1.html"))
    assert str(found.pdi) == "urn:pdi://lab.example.us/2026/11/21/1.html.2"


def test_pdi_61_text_finds_the_text_under_the_name_of_its_charset(archive: Repository) -> None:
    """Clause pdi-61."""
    archive.committer.commit([page(), plain()])
    found = archive.lookup.representation(name("urn:pdi://lab.example.us/2026/11/21/1.text.1"))
    assert str(found.pdi) == "urn:pdi://lab.example.us/2026/11/21/1.utf-8.1"


def test_pdi_27_the_received_bytes_and_both_digests_stay_on_record(archive: Repository) -> None:
    """Clause pdi-27."""
    new = NewRepresentation(b"a\r\nb", "text/plain", charset="us-ascii", received=b"a\nb")
    kept = archive.committer.commit([new]).representations[0]
    assert archive.contents.read(kept) == b"a\r\nb"
    assert archive.contents.octets(kept.received_digest or "") == b"a\nb"
    assert kept.digest != kept.received_digest


@pytest.mark.parametrize(
    ("content", "charset"), [(b"plain", "windows-1252"), ("né".encode(), "utf-8")]
)
def test_pdi_28_the_charset_of_every_text_is_known(
    archive: Repository, content: bytes, charset: str
) -> None:
    """Clause pdi-28."""
    version = archive.committer.commit([NewRepresentation(content, "text/plain")])
    assert version.representations[0].charset == charset
    assert version.formats == ("text" if charset == "windows-1252" else charset,)
    with pytest.raises(ParseError):
        archive.committer.commit([NewRepresentation(b"n\xe9", "text/plain")])
    kept = archive.committer.commit(
        [NewRepresentation(b"n\xe9", "text/html", charset="iso-8859-1")]
    )
    assert archive.contents.text(kept.representations[0]).text == "n\xe9"
    told = kept.provenance.details["charsets"]
    assert told == {"html": {"label": "iso-8859-1", "settled_by": "transport"}}
    assert kept.representations[0].decoding == "windows-1252/2"


SETTLED = [
    # content, media type, label, token, charset, by
    (b"a", "text/plain", "GB2312", "gbk", "gbk", "transport"),
    (b"\xff\xfea\0", "text/plain", "utf-8", "utf-16le", "utf-16le", "mark"),
    ("é".encode(), "text/html", None, "html", "utf-8", "utf-8"),
    (b"<meta charset=big5>\xa4\xa4", "text/html", None, "html", "big5", "declaration"),
    (b"\xe9", "text/html", None, "html", "windows-1252", "fallback"),
    (b"\xe9", "text/plain", "x-none", "text", "windows-1252", "fallback"),
    ("é".encode(), "text/plain", "x-none", "utf-8", "utf-8", "utf-8"),
    (b"<a/>", "image/svg+xml", None, "svg%2bxml", "utf-8", "ascii"),
]


@pytest.mark.parametrize(("content", "kind", "label", "token", "charset", "by"), SETTLED)
def test_the_charset_is_the_codec_and_what_settled_it_is_on_record(
    archive: Repository,
    content: bytes,
    kind: str,
    label: str | None,
    token: str,
    charset: str,
    by: str,
) -> None:
    version = archive.committer.commit([NewRepresentation(content, kind, charset=label)])
    (kept,) = version.representations
    assert (kept.format, kept.charset) == (token, charset)
    assert version.provenance.details["charsets"] == {token: {"label": label, "settled_by": by}}


def test_pdi_25_other_bytes_are_a_new_version(archive: Repository) -> None:
    """Clause pdi-25."""
    first = archive.committer.commit([page()])
    with pytest.raises(ConflictError):
        archive.committer.add_format(first.pdi, page("<p>one."))
    assert archive.committer.commit([page("<p>one.")], replaces=first.pdi).number == 2


def test_pdi_30_a_uri_is_a_record_and_never_a_binding(archive: Repository) -> None:
    """Clause pdi-30."""
    source = Provenance(uri="http://example.org/")
    first = archive.committer.commit([page()], provenance=source)
    second = archive.committer.commit([page("<p>the site changed")], provenance=source)
    assert first.pdi != second.pdi
    assert archive.contents.read(archive.lookup.representation(first.pdi)) == b"<p>one"
    known = archive.origins.find_by_uri("http://example.org/")
    assert [version.pdi for version in known] == [second.pdi, first.pdi]
