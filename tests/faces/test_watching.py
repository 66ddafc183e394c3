"""Pages that are looked at again and again: what a pass saves, obeys, notes and tells."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from contextlib import closing
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from tests.archives import Archive, command_on
from tests.earlier import unpack
from tests.engines import Repository
from tests.faces.conftest import served
from tests.faces.test_http import ask

from permacite.errors import ConflictError
from permacite.service.archive import public_view

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Site

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

PAGE = (
    "<!doctype html><title>Tides</title><link rel=stylesheet href=/s.css>"
    "<p>The harbour is closed until noon.</p><p>Ships wait.</p>"
)
QUOTE = "closed until noon"
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def page(site: Site) -> str:
    """The address of a page with a style sheet."""
    site.put("/s.css", "text/css", "p { color: green }")
    return site.put("/tides", "text/html", PAGE)


@pytest.fixture
def cited(archive: Path, page: str) -> str:
    """The name of a passage of it."""
    with Archive.open(archive) as held:
        return held.cite(held.save(page, allow_private=True).pdi, quote=QUOTE).reference


def look(cli: Cli, *options: str) -> dict[str, Any]:
    """Look at all pages, and return what is told."""
    told: dict[str, Any] = json.loads(
        cli("watch", "run", "--all", "--allow-private", "--pause", "0", "--json", *options).out
    )
    return told


def versions(archive: Path) -> int:
    """How many versions there are."""
    with Archive.open(archive) as held:
        return held._repository.lists.count()  # noqa: SLF001 - each counts


def fates(told: dict[str, Any]) -> list[tuple[str, bool]]:
    """What became of cited passages, and whether that is news."""
    return [(each["status"], each["is_news"]) for one in told["pages"] for each in one["passages"]]


def test_only_what_changed_gets_a_version(
    cli: Cli, site: Site, archive: Path, page: str, cited: str
) -> None:
    site.has_tags = True
    assert cli("watch", "add", cited.partition("#")[0], "--every", "12h").status == 0
    assert look(cli)["counts"] == {"unchanged": 1}  # saved before there were tags
    site.put("/s.css", "text/css", "p { color: red }")
    assert look(cli)["counts"] == {"saved": 1}
    site.spared.clear()
    assert look(cli)["counts"] == {"unchanged": 1}
    assert site.spared == ["/tides", "/s.css"]
    assert versions(archive) == 2
    site.put("/tides", "text/html", PAGE.replace("noon", "one"))
    site.spared.clear()
    told = look(cli)
    assert (told["counts"], site.spared) == ({"saved": 1}, ["/s.css"])
    name = told["pages"][0]["pdi"]
    requests = json.loads(cli("show", name, "--json").out)["provenance"]["requests"]
    assert [(each["status"], each.get("revalidated")) for each in requests] == [
        (200, None),
        (200, True),
    ]
    with Archive.open(archive) as held:
        assert {finding.kind for finding in held.copies.fsck().findings} <= {"ok"}
    assert page in cli("watch", "list").out


def test_what_cannot_be_had_just_now_is_no_change(
    cli: Cli, site: Site, archive: Path, page: str
) -> None:
    cli("watch", "add", page)
    assert look(cli)["counts"] == {"saved": 1}
    del site.pages["/s.css"]
    site.pages["/tides"] = ("text/html", PAGE.encode())
    assert look(cli)["counts"] == {"saved": 1}  # 404: it is gone
    assert versions(archive) == 2
    site.put("/s.css", "text/css", "p { color: green }")
    look(cli)
    site.status = 503
    told = look(cli)
    assert told["counts"] == {"failed": 1}
    assert "503" in told["pages"][0]["problem"]
    assert cli("watch", "run", "--all", "--allow-private").status == 1
    assert "503" in cli("watch", "list").out
    assert versions(archive) == 3


def test_passages_are_told_of_once_for_each_change(
    cli: Cli, site: Site, archive: Path, page: str, cited: str, tmp_path: Path
) -> None:
    cli("watch", "add", page)
    feed = tmp_path / "news.atom"
    steps: list[tuple[str | None, str, bool]] = [
        (PAGE, "verified", True),
        (PAGE, "verified", False),
        (PAGE.replace("<p>The", "<p>Mind: the tide is low today.</p><p>The"), "moved", True),
        (PAGE.replace("noon", "one"), "changed", True),
        (PAGE.replace("noon", "one").replace("Ships", "Boats"), "changed", False),
        (PAGE.replace("noon", "two"), "changed", True),
        ("<!doctype html><p>Something else altogether.</p>", "gone", True),
        (PAGE, "verified", True),
        (None, "gone", True),
    ]
    for body, status, is_news in steps:
        if body is None:
            site.pages.clear()
        else:
            site.put("/tides", "text/html", body)
        assert fates(look(cli, "--feed", str(feed))) == [(status, is_news)]
    root = ET.fromstring(feed.read_text("utf-8"))  # noqa: S314 - our own
    entries = root.findall(f"{ATOM}entry")
    told = [status for _, status, is_news in reversed(steps) if is_news]
    assert [entry.find(f"{ATOM}category").attrib["term"] for entry in entries] == told  # type: ignore[union-attr]
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == len(told)
    changed = entries[told.index("changed")]
    assert "Changed: closed until noon" in (changed.findtext(f"{ATOM}title") or "")
    assert "Now: closed until two" in (changed.findtext(f"{ATOM}summary") or "")
    links = {link.attrib["rel"]: link.attrib["href"] for link in changed.findall(f"{ATOM}link")}
    assert cited.replace("#", "?fragment=") in links["alternate"]
    assert "?fragment=char=" in links["related"]
    assert links["via"] == page
    assert "Disparu" in cli_feed(cli, tmp_path)
    with Archive.open(archive) as held:
        held.access.erase(cited.partition("#")[0], ground="data-protection")
        assert held.drift.watches.feed().count("<entry>") == 0
        assert held.drift.watches.list() == []


def cli_feed(cli: Cli, tmp_path: Path) -> str:
    """The feed in French, without a look."""
    path = tmp_path / "fr.atom"
    cli("watch", "run", "--feed", str(path), "--lang", "fr")
    return path.read_text("utf-8")


def test_the_feed_is_the_publics_in_public_archives_alone(
    cli: Cli, site: Site, archive: Path, page: str, cited: str
) -> None:
    cli("watch", "add", page)
    site.put("/tides", "text/html", PAGE.replace("noon", "one"))
    name = look(cli)["pages"][0]["pdi"]
    with served(archive) as running:
        elsewhere = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Dest": "empty"}
        assert ask(running.base, "/-/news.atom", "GET", None, **elsewhere).status == 403
        assert ask(running.base, "/-/news.atom").status == 200
    with served(archive, "--public") as running:
        answer = ask(running.base, "/-/news.atom", Sec_Fetch_Site="cross-site")
        assert answer.headers["content-type"].startswith("application/atom+xml")
        assert b"Now: closed until one" in answer.body
        assert b"/-/news.atom" in ask(running.base, "/").body
        cli("withdraw", name.replace(".html.", ".utf-8."), "--reason", "own-error")
        assert b"closed until one" not in ask(running.base, "/-/news.atom").body
        cli("withdraw", cited.partition(".utf-8")[0], "--reason", "own-error")
        assert b"<entry>" not in ask(running.base, "/-/news.atom").body
    assert look(cli)["counts"] == {"failed": 1}  # what is withdrawn gets no versions


ROBOTS = [
    # robots.txt, the header field, the markup, what comes of it
    ("Disallow: /tides", "", "", "forbidden"),
    ("", "noarchive", "", "forbidden"),
    ("", "googlebot: noarchive", "", "saved"),
    ("", "otherbot: noarchive, nofollow, permacite: noarchive", "", "forbidden"),
    ("", "unavailable_after: 25 Jun 2030 15:00:00 PST, nocache", "", "forbidden"),
    ("", "", "<meta name=ROBOTS content='noindex, NoArchive'>", "forbidden"),
    ("", "", "<meta name=googlebot content=noarchive>", "saved"),
    ("", "", "<meta name=permacite content=noarchive>", "forbidden"),
    ("", "noindex, nofollow", "<meta name=robots content=none>", "saved"),
]


@pytest.mark.parametrize(("rules", "field", "markup", "outcome"), ROBOTS)
def test_what_robots_are_asked_is_obeyed(
    cli: Cli, site: Site, page: str, rules: str, field: str, markup: str, outcome: str
) -> None:
    site.put("/robots.txt", "text/plain", f"User-agent: *\n{rules}\n")
    site.put("/tides", "text/html", markup + PAGE)
    site.fields["/tides"] = (("X-Robots-Tag", field),) if field else ()
    cli("watch", "add", page)
    assert look(cli)["counts"] == {outcome: 1}
    assert ("/tides" in site.requests) == (not rules)
    top = site.put("/top", "text/html", '<a href="/tides">')
    crawled = json.loads(
        cli("save", top, "--depth", "1", "--allow-private", "--pause", "0", "--json").out
    )
    followed = {"saved": "unchanged"}.get(outcome, outcome)
    assert crawled["counts"] == Counter(["saved", followed])
    saved = cli("save", page, "--allow-private", "--json")  # a person may
    assert saved.status == 0
    if outcome == "forbidden" and not rules:
        assert "asks of robots" in str(json.loads(saved.out)["warnings"])
        name = json.loads(saved.out)["pdi"]
        assert "asks robots" in cli("show", name).out


def test_a_pass_that_is_killed_goes_on_and_saves_nothing_twice(
    archive: Path, site: Site, times: Callable[[int, int], int]
) -> None:
    count = times(24, 200)
    addresses = [site.put(f"/{n}", "text/html", f"<title>{n}</title>{n}") for n in range(count)]
    with Archive.open(archive) as held:
        for address in addresses:
            held.drift.watches.add(address)
    command = command_on(archive, "watch", "run")
    command += ["--allow-private", "--pause", "0", "--json"]
    for wanted in range(1, 6):
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while len(site.requests) < wanted * count // 6 and running.poll() is None:
            time.sleep(0.005)
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        for path in site.pages:  # every page changes all the time
            site.put(path, "text/html", f"<title>{path}</title>{wanted} at {path}")
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["pages"]
    assert versions(archive) == count
    again = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(again.stdout) == {"counts": {}, "pages": []}
    assert "nothing is due" in again.stderr


def test_what_is_watched_is_added_changed_and_removed(cli: Cli, archive: Path, page: str) -> None:
    assert "every 1w" in cli("watch", "add", page + "#part").err
    assert "every 36h" in cli("watch", "add", page, "--every", "36h").err
    (only,) = json.loads(cli("watch", "list", "--json").out)
    assert (only["uri"], only["looked_at"]) == (page, None)
    assert cli("watch", "add", page, "--every", "soon").status == 2
    assert cli("watch", "add", "urn:pdi://lab.example.us/2026/01/01/9").status == 1
    assert cli("watch", "remove", page).status == 0
    assert cli("watch", "remove", page).status == 1
    with Archive.open(archive) as held:
        with pytest.raises(ConflictError):
            held.drift.watches.add(page, timedelta(seconds=1))
        assert public_view(held).drift.watches.list() == []


def test_what_needs_credentials_is_not_looked_at(
    cli: Cli, archive: Path, page: str, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("X-Token: 1")
    cli("save", page, "--allow-private", "--headers", str(tmp_path / "token"))
    cli("watch", "add", page)
    told = look(cli)
    assert told["counts"] == {"failed": 1}
    assert "credentials" in told["pages"][0]["problem"]
    assert versions(archive) == 1


def test_an_archive_of_before_gets_the_tables(tmp_path: Path) -> None:
    directory, _ = unpack(tmp_path)
    Repository.adopt(directory)
    with Repository.open(directory) as held:
        assert (held.live_pages.watches(), held.live_pages.news(9)) == ([], [])
    with Archive.open(directory) as archive:
        assert archive.drift.watches.add("https://a.example/").uri == "https://a.example/"
        assert {finding.kind for finding in archive.copies.fsck().findings} <= {"ok", "erased"}


@pytest.mark.sqlite
def test_an_archive_of_before_that_may_only_be_read_is_read(tmp_path: Path) -> None:
    directory, _ = unpack(tmp_path)
    with Repository.open(directory) as held:
        with closing(sqlite3.connect(directory / "catalog.sqlite")) as catalog, catalog:
            catalog.executescript("DROP TABLE watch; DROP TABLE passage_news")
            catalog.execute("PRAGMA user_version = 7")
        version = held.lookup.version(next(iter(held.lists.list())).pdi)
        assert (
            held.live_pages.watches(),
            held.live_pages.news(9),
            held.live_pages.last_news(version),
        ) == ([], [], {})
