"""What an archive answers: versions, formats, lists by pattern, sources, citations, findings."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository
from tests.kept import file_of

from permacite import pdi
from permacite.archive.model.answered import Provenance
from permacite.archive.model.submitted import NewCitation, NewRepresentation
from permacite.archive.names import selection
from permacite.archive.records.listing import stretch
from permacite.archive.records.rows import Effort
from permacite.errors import IntegrityError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from permacite.archive.model.answered import Version

pytestmark = pytest.mark.engines

SERIES = "lab.example.us"
BASE = f"urn:pdi://{SERIES}"


class Clock:
    """A clock that shows what it is set to."""

    now = datetime(2026, 11, 21, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        """Return the time it shows."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    """A clock at noon of a day of 2026."""
    return Clock()


@pytest.fixture
def archive(tmp_path: Path, clock: Clock) -> Iterator[Repository]:
    """An empty archive whose clock a test may set."""
    with Repository.create(tmp_path / "archive", series=SERIES, clock=clock) as opened:
        yield opened


def name(text: str) -> pdi.PDI:
    """Return the name of one document."""
    value = pdi.parse(text, strict=False)
    assert isinstance(value, pdi.PDI)
    return value


def page(text: str = "<p>one") -> NewRepresentation:
    """Return an HTML page."""
    return NewRepresentation(text.encode(), "text/html", charset="utf-8")


def plain(text: str = "one") -> NewRepresentation:
    """Return the text of a page."""
    return NewRepresentation(text.encode(), "text/plain", charset="utf-8", derived_from="html")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory, engine: object) -> Iterator[Repository]:
    """Documents of two series over a month and a year; one has two versions. Only to be read."""
    assert engine is Repository.engine
    clock = Clock()
    directory = tmp_path_factory.mktemp("shelf") / "archive"
    with Repository.create(directory, series=SERIES, clock=clock) as archive:
        archive.settings.add_series("other.example.us")
        archive.committer.commit([page("<p>1"), plain("1")])
        archive.committer.commit([page("<p>2")], unique_id="report")
        archive.committer.commit([page("<p>3")], series="other.example.us")
        clock.now = datetime(2026, 12, 21, tzinfo=UTC)
        archive.committer.commit([plain("4")])
        archive.committer.commit(
            [page("<p>1a"), plain("1a")], replaces=name(f"{BASE}/2026/11/21/1")
        )
        clock.now = datetime(2027, 1, 1, tzinfo=UTC)
        archive.committer.commit([NewRepresentation(b"%PDF", "application/pdf")])
        yield archive


def short(version: Version) -> str:
    """Return a version as series initial, date, unique id and number."""
    one = version.pdi
    return f"{one.series[0][0]}/{one.year}/{one.month}/{one.day}/{one.unique_id}.{version.number}"


ALL = [
    "l/2026/11/21/1.1",
    "l/2026/11/21/report.1",
    "o/2026/11/21/1.1",
    "l/2026/12/21/1.1",
    "l/2026/11/21/1.2",
    "l/2027/01/01/1.1",
]
PATTERNS = [
    ("pdi-60-series", f"{BASE}/*/*/*/*", [0, 1, 3, 4, 5]),
    ("pdi-34-year", f"{BASE}/2026/*/*/*", [0, 1, 3, 4]),
    ("pdi-34-month", f"{BASE}/2026/11/*/*", [0, 1, 4]),
    ("pdi-34-day", f"{BASE}/2026/11/21/*", [0, 1, 4]),
    ("pdi-34-day-of-any-month", f"{BASE}/*/*/21/*", [0, 1, 3, 4]),
    ("pdi-60-unique-id", f"{BASE}/*/*/*/report", [1]),
    ("pdi-60-format", f"{BASE}/*/*/*/*.utf-8", [0, 3, 4]),
    ("pdi-60-version", f"{BASE}/*/*/*/*.*.2", [4]),
    ("pdi-48-one-document", f"{BASE}/2026/11/21/1", [0, 4]),
    ("pdi-48-one-version", f"{BASE}/2026/11/21/1.html.1", [0]),
    ("pdi-60-series-whole-not-by-suffix", "urn:pdi://example.us/*/*/*/*", []),
    ("pdi-60-case", "PDI://OTHER.Example.US/*/*/*/*", [2]),
    ("pdi-34-empty-year", f"{BASE}/2025/*/*/*", []),
]


@pytest.mark.parametrize(
    ("pattern", "expected"), [row[1:] for row in PATTERNS], ids=[row[0] for row in PATTERNS]
)
def test_lists_what_a_pattern_covers(shelf: Repository, pattern: str, expected: list[int]) -> None:
    wanted = pdi.parse(pattern)
    assert isinstance(wanted, pdi.PDI | pdi.PDIPattern)
    assert [short(version) for version in shelf.lists.list(wanted)] == [
        ALL[one] for one in expected
    ]
    # The grammar's own judgement agrees, representation by representation.
    covered = {
        short(version)
        for version in shelf.lists.list()
        for one in version.representations
        if pdi.covers(wanted, one.pdi)
    }
    assert covered == {ALL[one] for one in expected}


@pytest.mark.parametrize("effort", [Effort(1, 0, 9), Effort(1, 1, 9), Effort(1, 1, 0)])
def test_among_many_the_later_versions_of_a_month_are_listed_too(
    shelf: Repository, effort: Effort
) -> None:
    """As of a month in which more was archived than an index may find to be sorted."""
    month = pdi.parse(f"{BASE}/2026/11/*/*")
    assert isinstance(month, pdi.PDIPattern)
    found, after = [], None
    while True:
        page = shelf._catalog.read(  # noqa: SLF001 - the effort of a page is not for callers
            stretch,
            selection(month, latest=False),
            after=after,
            until=len(ALL),
            limit=1,
            effort=effort,
        )
        found += [short(version) for _, version in page.versions]
        if page.next is None:
            break
        after, _ = page.next
    assert found == [ALL[0], ALL[1], ALL[4]]


def test_lists_in_the_order_of_time_page_by_page(shelf: Repository) -> None:
    assert [short(version) for version in shelf.lists.list()] == ALL
    assert [short(version) for version in shelf.lists.list(limit=2)] == ALL[:2]
    assert list(shelf.lists.list(limit=0)) == []
    after = str(next(iter(shelf.lists.list(limit=1))).representations[0].pdi)
    assert [short(version) for version in shelf.lists.list(limit=3, after=after)] == ALL[1:4]
    with pytest.raises(NotFoundError):
        list(shelf.lists.list(after=f"{BASE}/2020/01/01/1.html.1"))


def test_lists_the_newest_first_page_by_page(shelf: Repository) -> None:
    newest = [short(version) for version in shelf.lists.list(newest_first=True)]
    assert newest == ALL[::-1]
    after = str(next(iter(shelf.lists.list(limit=1, newest_first=True))).representations[0].pdi)
    rest = shelf.lists.list(limit=2, after=after, newest_first=True)
    assert [short(version) for version in rest] == ALL[::-1][1:3]


def test_lists_the_highest_versions_alone(shelf: Repository) -> None:
    latest = [one for one in ALL if one != "l/2026/11/21/1.1"]
    assert [short(version) for version in shelf.lists.list(latest=True)] == latest
    assert shelf.lists.documents() == 5


ANSWERS = [
    ("pdi-11-nothing-given", "/2026/11/21/1", "/2026/11/21/1.html.2"),
    ("pdi-11-format-given", "/2026/11/21/1.html", "/2026/11/21/1.html.2"),
    ("pdi-61-text", "/2026/11/21/1.text", "/2026/11/21/1.utf-8.2"),
    ("pdi-13-case", "/2026/11/21/1.HTML.1", "/2026/11/21/1.html.1"),
    ("pdi-11-text-alone", "/2026/12/21/1", "/2026/12/21/1.utf-8.1"),
    ("pdi-11-neither-html-nor-text", "/2027/01/01/1", "/2027/01/01/1.pdf.1"),
    ("pdi-19-needless-escape", "/2026/11/21/r%65port", "/2026/11/21/report.html.1"),
]


@pytest.mark.parametrize(
    ("asked", "answer"), [row[1:] for row in ANSWERS], ids=[row[0] for row in ANSWERS]
)
def test_answers_with_the_full_name(shelf: Repository, asked: str, answer: str) -> None:
    for prefix in (BASE, BASE.removeprefix("urn:"), BASE.upper()):
        assert str(shelf.lookup.representation(name(prefix + asked)).pdi) == BASE + answer


UNKNOWN = [
    ("pdi-51-version", "/2026/11/21/1.html.9", ["/2026/11/21/1.html.2", "/2026/11/21/1.html.1"]),
    ("pdi-51-both", "/2026/11/21/1.gif.9", ["/2026/11/21/1.html.2", "/2026/11/21/1.html.1"]),
    ("pdi-51-format", "/2026/11/21/1.gif.1", ["/2026/11/21/1.html.1", "/2026/11/21/1.utf-8.1"]),
    ("pdi-51-unique-id", "/2026/11/21/7.html.1", ["/2026/11/21/1"]),
    ("pdi-51-day", "/2026/12/01/1.html.1", ["/2026/11/21/report", "/2026/12/21/1"]),
    ("pdi-51-huge", "/2026/12/21/" + "9" * 30, ["/2026/12/21/1"]),
]


@pytest.mark.parametrize(
    ("asked", "candidates"), [row[1:] for row in UNKNOWN], ids=[row[0] for row in UNKNOWN]
)
def test_an_unknown_name_comes_with_what_there_is(
    shelf: Repository, asked: str, candidates: list[str]
) -> None:
    with pytest.raises(NotFoundError) as error:
        shelf.lookup.representation(name(BASE + asked))
    assert error.value.name == BASE + asked
    assert error.value.candidates == tuple(BASE + one for one in candidates)


def test_a_misspelt_series_comes_with_the_nearest(shelf: Repository) -> None:
    with pytest.raises(NotFoundError) as error:
        shelf.lookup.version(name("urn:pdi://lab.exampel.us/2026/11/21/1.html.1"))
    assert error.value.candidates[0] == f"{BASE}/2026/11/21/1"
    with pytest.raises(NotFoundError) as error:
        shelf.lookup.version(name("urn:pdi://lab.exampel.us/2026/11/21/99.html.1"))
    assert error.value.candidates[0] == f"{BASE}/", "the series alone, where it has no such name"


def test_the_same_octets_under_a_second_format_are_kept_apart(archive: Repository) -> None:
    version = archive.committer.commit([page("x"), NewRepresentation(b"x", "text/plain")])
    assert version.formats == ("html", "text")
    assert version.representations[0].digest == version.representations[1].digest


def test_side_objects_are_kept_with_their_format(archive: Repository) -> None:
    new = NewRepresentation(b"one", "text/plain", sidecars={"map": b"[0]", "index": b""})
    kept = archive.committer.commit([new]).representations[0]
    assert archive.contents.sidecar(kept, "map") == b"[0]"
    assert archive.contents.sidecar(kept, "index") == b""
    assert archive.contents.sidecar(kept, "other") is None


def test_provenance_comes_back_as_it_was_given(archive: Repository) -> None:
    given = Provenance(
        title="Ein Bericht — №7",
        uri="http://example.org/report",
        final_uri="https://example.org/report/",
        retrieved_at=datetime(2026, 11, 21, 11, 59, 58, 123456, tzinfo=UTC),
        details={"requests": [{"status": 200, "headers": [["Server", "x"]], "time_s": 0.25}]},
    )
    version = archive.committer.commit([page()], provenance=given)
    settled = {"html": {"label": "utf-8", "settled_by": "transport"}}
    details = {**given.details, "charsets": settled}
    assert version.provenance == dataclasses.replace(given, details=details)
    assert archive.lookup.version(version.pdi).provenance == version.provenance
    assert version.title == given.title


def test_finds_versions_by_their_source_newest_first(archive: Repository) -> None:
    source = Provenance(uri="http://a.example/", final_uri="https://a.example/x")
    first = archive.committer.commit([page()], provenance=source)
    second = archive.committer.commit([page("<p>two")], replaces=first.pdi, provenance=source)
    archive.committer.commit([page("<p>other")], provenance=Provenance(uri="http://b.example/"))
    for uri in ("http://a.example/", "https://a.example/x"):
        assert [version.pdi for version in archive.origins.find_by_uri(uri)] == [
            second.pdi,
            first.pdi,
        ]
    assert list(archive.origins.find_by_uri("http://a.example")) == []


def test_lists_leave_out_the_details_alone(archive: Repository) -> None:
    uri = "http://a.example/"
    given = Provenance("A", uri, uri, datetime(2026, 11, 21, tzinfo=UTC), {"requests": [1]})
    version = archive.committer.commit([page()], provenance=given)
    assert "requests" in archive.lookup.version(version.pdi).provenance.details
    listed = dataclasses.replace(version, provenance=dataclasses.replace(given, details={}))
    assert list(archive.lists.list()) == [listed]
    assert archive.lists.page(limit=1).items == (listed,)
    assert list(archive.origins.find_by_uri(uri)) == [listed]


def cite(archive: Repository, version: Version, quote: str, note: str | None = None) -> str:
    """Record a citation of the version's text and return its fragment."""
    text = version.representation("utf-8").pdi
    fragment = f"{text}#char=0,{len(quote)}"
    recorded = archive.passages.record(
        NewCitation(fragment, text, 0, len(quote), quote, media_type="text/plain", note=note)
    )
    assert recorded.fragment == fragment
    return fragment


def test_the_same_citation_is_recorded_once(archive: Repository, clock: Clock) -> None:
    version = archive.committer.commit([page(), plain("one two")])
    cite(archive, version, "one")
    clock.now += timedelta(hours=1)
    cite(archive, version, "one")
    (recorded,) = archive.passages.citations()
    assert recorded.cited_at == Clock.now
    assert (recorded.start, recorded.end, recorded.quote) == (0, 3, "one")
    cite(archive, version, "one", note="see also")
    assert [one.note for one in archive.passages.citations()] == [None, "see also"]


def test_citations_are_found_by_what_they_cite(archive: Repository) -> None:
    first = archive.committer.commit([page(), plain("one")])
    second = archive.committer.commit([page("<p>two"), plain("two")], replaces=first.pdi)
    other = archive.committer.commit([page("<p>3"), plain("three")])
    fragments = [cite(archive, one, "t") for one in (first, second, other)]
    assert [one.fragment for one in archive.passages.citations(first.pdi)] == fragments[:1]
    assert [one.fragment for one in archive.passages.citations(first.pdi.document)] == fragments[:2]
    assert [one.fragment for one in archive.passages.citations()] == fragments
    assert list(archive.passages.citations(first.representation("html").pdi)) == []


def test_only_what_is_committed_can_be_cited(archive: Repository) -> None:
    nowhere = name(f"{BASE}/2026/11/21/1.utf-8.1")
    with pytest.raises(NotFoundError):
        archive.passages.record(NewCitation(f"{nowhere}#char=0,1", nowhere))


def test_verify_finds_what_is_missing_and_what_is_altered(archive: Repository) -> None:
    new = NewRepresentation(b"a\r\n", "text/plain", received=b"a\n", sidecars={"map": b"[]"})
    good = archive.committer.commit([page()])
    bad = archive.committer.commit([page("<p>two"), new])
    assert [finding.kind for finding in archive.fixity.verify()] == ["ok"] * 4
    file_of(archive.directory, bad.representations[0].digest).unlink()
    for digest in (bad.representations[1].received_digest, bad.representations[1].digest):
        file = file_of(archive.directory, digest)
        file.chmod(0o644)
        file.write_bytes(b"b")
    findings = [(one.name, one.kind) for one in archive.fixity.verify()]
    assert findings == [
        (str(good.representations[0].pdi), "ok"),
        (str(bad.representations[0].pdi), "missing"),
        (str(bad.representations[1].pdi), "altered"),
        (str(bad.representations[1].pdi), "altered"),
        ("log", "ok"),
    ]
    assert [one.kind for one in archive.fixity.verify(good.pdi)] == ["ok"]
    with pytest.raises(IntegrityError):
        archive.contents.read(bad.representations[1])
    with pytest.raises(NotFoundError):
        archive.contents.read(bad.representations[0])
    with pytest.raises(NotFoundError):
        list(archive.fixity.verify(name(f"{BASE}/2020/01/01/1.html.1")))


def test_verify_tells_what_the_disk_refuses(archive: Repository) -> None:
    version = archive.committer.commit([page()])
    path = file_of(archive.directory, version.representations[0].digest)
    path.unlink()
    path.mkdir()
    assert [one.kind for one in archive.fixity.verify(version.pdi)] == ["unreadable"]


def test_verify_of_a_document_checks_all_its_versions(archive: Repository) -> None:
    first = archive.committer.commit([page()])
    archive.committer.commit([page("<p>two"), plain("two")], replaces=first.pdi)
    assert len(list(archive.fixity.verify(first.pdi.document))) == 3


def test_settings_can_be_changed(archive: Repository) -> None:
    assert archive.settings.get("resolver") is None
    for value in ("http://a/", "http://b/"):
        archive.settings.set("resolver", value)
        assert archive.settings.get("resolver") == value
