"""Sites that pages were saved from, their addresses and calendars: what is listed, and as pages."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.archives import Archive
from tests.engines import Repository
from tests.faces.conftest import served
from tests.faces.test_http import ask

from permacite.archive.model.answered import Provenance
from permacite.archive.model.submitted import NewRepresentation
from permacite.errors import ParseError
from permacite.service.access import Choice
from permacite.service.archive import public_view

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser
    from tests.faces.conftest import Outcome, Running

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

HOME = "https://example.org/"
ADDRESSES = (
    "https://example.org",
    "HTTPS://Example.ORG?a=/b",
    "http://example.org/b#c",
    "https://example.org:8443/",
    "https://example.org.evil.example/",
    "https://a-b.example/@x/",
    "ftp://b.example/%2F",
)
TIMES = (
    datetime(2019, 12, 31, 23, 59, tzinfo=UTC),
    datetime(2024, 2, 29, 8, tzinfo=UTC),
    datetime(2026, 11, 2, 9, 30, tzinfo=UTC),
    datetime(2026, 11, 2, 18, tzinfo=UTC),
    datetime(2026, 11, 22, tzinfo=UTC),
)


def put(archive: Path, address: str, when: datetime | None = None) -> str:
    """Commit a page from an address, as it was fetched at a time; return its document's name."""
    with Repository.open(archive) as repository:
        page = f"<title>Of {address}</title><p>{when}".encode()
        source = Provenance(f"Of {address}", address, retrieved_at=when)
        made = repository.committer.commit(
            [NewRepresentation(page, "text/html")], provenance=source
        )
        return str(made.pdi.document)


@pytest.fixture
def filled(archive: Path) -> list[str]:
    """Pages of several sites, and one of them at several times: the names of these."""
    for address in ADDRESSES:
        put(archive, address)
    put(archive, "urn:isbn:1")
    return [put(archive, HOME, when) for when in TIMES]


def test_sites_and_their_addresses_page_by_page(archive: Path, filled: list[str]) -> None:
    assert filled
    with Archive.open(archive) as service:
        whole = service.documents.captures.sites()
        assert whole.sites == (
            "a-b.example",
            "b.example",
            "example.org",
            "example.org.evil.example",
            "example.org:8443",
        )
        assert whole.next is None
        of_site = [each.uri for each in service.documents.captures.site(" Example.org ").addresses]
        assert of_site == [
            "HTTPS://Example.ORG?a=/b",
            "http://example.org/b#c",
            "https://example.org",
            "https://example.org/",
        ]
        for limit in (1, 2, 3):
            parts, after = [], ""
            while True:
                page = service.documents.captures.site("example.org", after=after, limit=limit)
                parts += [each.uri for each in page.addresses]
                if page.next is None:
                    break
                after = page.next
            assert parts == of_site
        assert service.documents.captures.sites(limit=2).next == "b.example"
        assert service.documents.captures.sites(after="b.example", limit=1).sites == (
            "example.org",
        )
        last = service.documents.captures.site(
            "example.org", after="https://example.org"
        ).addresses[0]
        assert last.pdi == f"{filled[-1]}.html.1"
        for strange in ("", "a'b", "%", "\x00", "//", "x" * 10_000):
            assert service.documents.captures.site(strange).addresses == ()
        for limit in (0, 1001):
            with pytest.raises(ParseError):
                service.documents.captures.sites(limit=limit)


def test_what_is_withdrawn_is_in_no_list(archive: Path, filled: list[str]) -> None:
    with Archive.open(archive) as service:
        service.access.withdraw(filled[-1], reason="own-error")
        (page,) = service.documents.captures.site(
            "example.org", after="https://example.org"
        ).addresses
        assert page.pdi == f"{filled[-2]}.html.1", "the last one that is given out"
        assert service.documents.captures.calendar(HOME).total == len(
            TIMES
        )  # with https://example.org
        for name in filled:
            service.access.standing(name, Choice(access="closed"))
        public = public_view(service)
        assert (
            public.documents.captures.site("example.org", after="https://example.org").addresses
            == ()
        )
        (name,) = (each.pdi for each in service.documents.captures.site("b.example").addresses)
        service.access.withdraw(name, reason="own-error")
        assert "b.example" not in service.documents.captures.sites().sites
        assert service.documents.captures.sites(limit=1).next == "a-b.example"


def test_a_calendar_in_any_spelling(archive: Path, filled: list[str], cli: Cli) -> None:
    with Archive.open(archive) as service:
        for spelling in (HOME, "https://EXAMPLE.org", "https://example.org:443/#x", f" {HOME} "):
            found = service.documents.captures.calendar(spelling)
            assert found.normal == HOME
            assert [(each.year, each.count) for each in found.years][:2] == [(2019, 1), (2024, 1)]
        found = service.documents.captures.calendar(HOME, year=2026)
        days = {str(day.day): [each.pdi for each in day.versions] for day in found.days}
        assert days["2026-11-02"] == [f"{name}.html.1" for name in filled[2:4]]
        assert service.documents.captures.calendar(HOME, year=2020).days == ()
        assert service.documents.captures.calendar("https://none.example/").years == ()
        with pytest.raises(ParseError):
            service.documents.captures.calendar("no address")
    told = cli("calendar", "https://EXAMPLE.org", "--year", "2024")
    assert told.out == f"2024-02-29 08:00:00  {filled[1]}.html.1\n"
    assert "2019 (1)" in told.err
    assert cli("calendar", "https://none.example/").status == 1
    assert cli("calendar", "none").status == 2
    assert cli("sites").out.splitlines()[:2] == ["a-b.example", "b.example"]
    more = cli("sites", "example.org", "--limit", "1")
    assert (len(more.out.splitlines()), "--after" in more.err) == (1, True)
    assert json.loads(cli("sites", "none.example", "--json").out)["addresses"] == []
    assert cli("sites", "none.example").status == 1


def test_over_http(filled: list[str], running: Running) -> None:
    first = ask(running.base, "/-/api/sites?limit=2")
    assert (first.json["sites"], first.json["next"]) == (["a-b.example", "b.example"], "b.example")
    assert first.headers["link"] == '</-/api/sites?limit=2&after=b.example>; rel="next"'
    found = ask(running.base, f"/-/api/calendar?to={quote(HOME)}&year=2024").json
    assert found["days"][0]["versions"][0]["pdi"] == f"{filled[1]}.html.1"
    for wrong in (
        "/-/calendar",
        "/-/calendar?to=x",
        f"/-/calendar?to={HOME}&year=0",
        f"/-/calendar?to={HOME}&year=10000",
        f"/-/calendar?to={HOME}&year=x",
        f"/-/calendar?to={HOME}&day=2026-02-30",
        f"/-/api/calendar?to={HOME}&year=-1",
        "/-/sites?limit=0",
    ):
        assert ask(running.base, wrong).status == 400, wrong
    other = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Dest": "image"}
    for path in ("sites", "api/sites", f"calendar?to={HOME}", f"api/calendar?to={HOME}"):
        refused = ask(running.base, f"/-/{path}", "GET", None, **other)
        assert refused.status == 403


@pytest.mark.browser
def test_from_home_to_a_version_by_keyboard_without_scripts(
    archive: Path, filled: list[str], browser: Browser
) -> None:
    with served(archive) as running:
        context = browser.new_context(
            java_script_enabled=False, viewport={"width": 390, "height": 800}
        )
        page = context.new_page()

        def go(name: str) -> None:
            page.get_by_role("link", name=name, exact=True).press("Enter")

        page.goto(f"{running.base}/?lang=en")
        go("Sites")
        go("example.org")
        go(f"Calendar of this address: {HOME}")
        page.wait_for_url("**/-/calendar?*")
        page.get_by_role("navigation", name="Years").get_by_role(
            "link", name="2026: 4 versions"
        ).wait_for()
        go("2 November 2026: 2 versions")
        assert page.locator("h2").inner_text() == "Saved on 2 November 2026"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        go("2 November 2026, 18:00 UTC")
        page.wait_for_url(f"**/{filled[3]}.html.1?*")
        context.close()
        context = browser.new_context()
        page = context.new_page()
        for path in (
            "/-/sites",
            "/-/sites?site=example.org&lang=fr",
            f"/-/calendar?to={HOME}&lang=de",
        ):
            page.goto(running.base + path)
            axe = Axe().run(page)
            assert axe.violations_count == 0, axe.generate_report()
        context.close()
