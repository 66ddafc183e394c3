"""The last look at a live page is kept, told in wiki templates and shown beside the citation."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.earlier import unpack
from tests.engines import Repository
from tests.faces.test_http import ask

from permacite import pdi
from permacite.errors import CaptureError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faces.conftest import Running, Site

pytestmark = pytest.mark.engines(deep=True)

PAGE = (
    "<!doctype html><title>Tides</title><p>The harbour is closed until noon.</p><p>Ships wait.</p>"
)
QUOTE = "closed until noon"
RESOLVER = "https://archive.example.org"

LOOKS = [
    # what is served now, url-status, what the page of the citation says
    (PAGE, "live", "these words stand on the live page."),
    (PAGE.replace("Ships", "Boats"), "live", "these words stand on the live page."),
    (PAGE.replace("noon", "one"), "live", "these words were changed on the live page."),
    ("<!doctype html><p>Something else altogether.</p>", "deviated",
     "these words stand on the live page no more."),
    (None, "dead", "its site says that there is no such page any more."),
]  # fmt: skip


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """The folder of an archive whose addresses others can open."""
    folder = tmp_path / "archive"
    Archive.create(folder, series="lab.example.us", resolver=RESOLVER).close()
    return folder


@pytest.fixture
def saved(archive: Path, site: Site) -> tuple[str, str]:
    """The names of a page that was saved, and of a passage of it."""
    address = site.put("/tides", "text/html", PAGE)
    with Archive.open(archive) as service:
        page = service.save(address, allow_private=True).pdi
        return page, service.cite(page, quote=QUOTE).reference


def look(archive: Path, name: str) -> None:
    """Look at the live page of a name."""
    with Archive.open(archive) as service:
        service.drift.check(name, allow_private=True)


def wiki(archive: Path, reference: str) -> str:
    """The wiki template of a passage."""
    with Archive.open(archive) as service:
        cited = service.documents.reader.read(reference).cited
    assert cited is not None
    return cited.forms.wiki


def rows(archive: Path) -> list[tuple[str, str | None]]:
    """What is noted of pages, and of passages."""
    return [
        *Repository.rows(archive, "SELECT 'page', outcome FROM live_page"),
        *Repository.rows(archive, "SELECT 'passage', outcome FROM live_passage"),
    ]


@pytest.mark.parametrize(("now", "status", "told"), LOOKS)
def test_the_last_look_is_told(
    archive: Path, site: Site, running: Running, saved: tuple[str, str],
    now: str | None, status: str, told: str,
) -> None:  # fmt: skip
    name, reference = saved
    assert "|url-status=live" in wiki(archive, reference)
    address = f"/{reference.replace('#', '?fragment=')}"
    assert "Last checked" not in ask(running.base, address, accept="text/html").body.decode()
    if now is None:
        site.pages.clear()
        with pytest.raises(CaptureError):
            look(archive, name)
    else:
        site.put("/tides", "text/html", now)
        look(archive, name)
    assert f"|url-status={status} " in wiki(archive, reference)
    page = ask(running.base, address, accept="text/html").body.decode()
    assert told in page
    assert page.count("Last checked") == 1
    whole = ask(running.base, f"/{name}", accept="text/html").body.decode()
    assert whole.count("Last checked") == 1


def test_what_may_pass_says_nothing_of_the_page(
    archive: Path, site: Site, saved: tuple[str, str]
) -> None:
    name, reference = saved
    site.status = 503
    with pytest.raises(CaptureError):
        look(archive, name)
    assert "url-status" not in wiki(archive, reference)
    site.status = 200
    with Archive.open(archive) as service, pytest.raises(CaptureError):
        service.drift.check(name)  # nobody looks at private addresses unless told to
    assert rows(archive) == [("page", "unanswered")]
    look(archive, name)
    assert "|url-status=live " in wiki(archive, reference)


def test_what_nobody_fetched_has_no_status(archive: Path) -> None:
    with Archive.open(archive) as service:
        page = service.add(PAGE.encode(), name="a.html", uri="https://example.org/tides")
        made = service.cite(page.pdi, quote=QUOTE).forms.wiki
    assert "archive-url" in made
    assert "url-status" not in made


def test_whether_it_answers_counts_for_all_versions_from_there(
    archive: Path, site: Site, saved: tuple[str, str]
) -> None:
    name, reference = saved
    site.put("/tides", "text/html", PAGE.replace("noon", "one"))
    with Archive.open(archive) as service:
        second = service.save(f"{site.base}/tides", allow_private=True)
        service.drift.check(second.pdi, allow_private=True)
        assert second.document.version == 2
    assert sorted(rows(archive)) == [("page", "answers"), ("page", "same")]
    assert "|url-status=live " in wiki(archive, reference)
    look(archive, name)
    assert sorted(rows(archive)) == [
        ("page", "answers"),
        ("page", "changed"),
        ("passage", "changed"),
    ]
    site.pages.clear()
    with pytest.raises(CaptureError):
        look(archive, second.pdi)
    assert "|url-status=dead " in wiki(archive, reference)


def test_a_look_leaves_the_log_as_it_is(archive: Path, saved: tuple[str, str]) -> None:
    with Archive.open(archive) as service:
        before = service.log.state().size
        service.drift.check(saved[0], allow_private=True)
        service.drift.check(saved[0], allow_private=True)
        assert service.log.state().size == before
        assert service.copies.fsck().findings == ()
    assert rows(archive) == [("page", "same"), ("passage", "verified")]


def test_what_is_erased_has_no_looks(archive: Path, saved: tuple[str, str]) -> None:
    look(archive, saved[0])
    with Archive.open(archive) as service:
        service.access.erase(saved[0], ground="data-protection")
    assert rows(archive) == []


def test_an_archive_of_before_gets_the_tables(tmp_path: Path) -> None:
    directory, _ = unpack(tmp_path)
    Repository.adopt(directory)
    with Repository.open(directory) as archive:
        version = next(each for each in archive.lists.list() if each.provenance.uri)
        cited = archive.passages.citations()
        assert archive.live_pages.last_check(version) is None
        archive.live_pages.note_check(version.pdi, version.provenance.uri or "", "same", {})
        check = archive.live_pages.last_check(version)
        assert check is not None
        assert (check.outcome, check.passage) == ("same", "")
        assert archive.passages.citations() == cited
        assert {finding.kind for finding in archive.fixity.fsck()} == {"ok"}


@pytest.mark.sqlite
def test_an_archive_of_before_that_may_only_be_read_is_read(tmp_path: Path) -> None:
    directory, _ = unpack(tmp_path)
    with Repository.open(directory) as archive:
        with closing(sqlite3.connect(directory / "catalog.sqlite")) as catalog, catalog:
            catalog.executescript("DROP TABLE live_page; DROP TABLE live_passage")
            catalog.execute("PRAGMA user_version = 4")
        version = archive.lookup.version(next(iter(archive.lists.list())).pdi)
        assert isinstance(version.pdi, pdi.PDI)
        assert archive.live_pages.last_check(version, "urn:pdi://a.us/1#x") is None
