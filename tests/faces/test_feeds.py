"""What a public archive tells of itself: a feed, maps of its documents, robots.txt, signposts."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.faces.conftest import served
from tests.faces.test_http import ask

from permacite.service.access import Choice

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.engines(deep=True)

ATOM = "{http://www.w3.org/2005/Atom}"
MAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
COUNT = 60


@pytest.fixture
def names(archive: Path) -> list[str]:
    """The full names of more documents than a page of the feed has, the oldest first."""
    with Archive.open(archive) as held:
        made = [
            held.add(b"canary %d" % number, name=f"{number}.txt").pdi for number in range(COUNT)
        ]
        page = b"<title>A &amp; <\x01 \xff</title><p>words"
        made.append(held.add(page, name="a.html", uri="https://example.org/?a=1&b=2").pdi)
    return made


def test_a_feed_has_all_by_pages(archive: Path, names: list[str]) -> None:
    with served(archive, "--public") as running:
        found, path = [], "/-/feed"
        while path:
            answer = ask(running.base, path)
            assert answer.headers["content-type"].startswith("application/atom+xml")
            assert b"canary" not in answer.body, "no words of a document"
            root = ET.fromstring(answer.body)  # noqa: S314 - our own
            entries = root.findall(f"{ATOM}entry")
            assert all(
                len(entry.findall(f"{ATOM}{part}")) == 1
                for entry in entries
                for part in ("id", "title", "updated")
            )
            found += [entry.findtext(f"{ATOM}id") for entry in entries]
            following = root.find(f"{ATOM}link[@rel='next']")
            path = "" if following is None else following.attrib["href"].removeprefix(running.base)
        assert found == names[::-1]
        last = ET.fromstring(ask(running.base, "/-/feed").body).find(f"{ATOM}entry")  # noqa: S314 - our own
        assert last is not None
        via = last.find(f"{ATOM}link[@rel='via']")
        assert via is not None
        assert via.attrib["href"] == "https://example.org/?a=1&b=2"


def test_maps_have_every_document(archive: Path, names: list[str]) -> None:
    with Archive.open(archive) as held:
        starts = [None, *held.documents.starts(7)]
        found: dict[str, None] = {}
        for start in starts:
            listed = held.documents.list(None, limit=7, after=start, fill=True).documents
            found |= dict.fromkeys(each.full_name for each in listed)
        assert list(found) == names
        assert len(starts) == -(-len(names) // 7)
    with served(archive, "--public") as running:
        maps = ET.fromstring(ask(running.base, "/sitemap.xml").body)  # noqa: S314 - our own
        (only,) = (each.text or "" for each in maps.iter(f"{MAP}loc"))
        listed_there = ET.fromstring(ask(running.base, only.removeprefix(running.base)).body)  # noqa: S314 - our own
        addresses = [each.text for each in listed_there.iter(f"{MAP}loc")]
        assert addresses == [f"{running.base}/{name}" for name in names]


def test_what_is_not_open_is_not_listed(archive: Path, names: list[str]) -> None:
    with Archive.open(archive) as held:
        held.access.standing(names[-1], Choice(access="closed", ground="consent"))
        held.access.withdraw(names[-2], reason="copyright")
        held.access.erase(names[-3].rpartition(".text")[0], ground="data-protection")
    with served(archive, "--public") as running:
        for path in ("/-/feed", "/-/sitemap"):
            told = ask(running.base, path).body.decode()
            assert names[-4] in told
            assert [name for name in names[-3:] if f"{name}<" in told] == []


def test_a_private_archive_tells_nothing(archive: Path, names: list[str]) -> None:
    with served(archive) as running:
        for path in ("/-/feed", "/sitemap.xml", "/-/sitemap"):
            answer = ask(running.base, path)
            assert answer.status == 403
            assert names[0].encode() not in answer.body
        assert ask(running.base, "/robots.txt").body == b"User-agent: *\nDisallow: /\n"


def test_robots_are_told_what_the_operator_chose(archive: Path) -> None:
    with served(archive, "--public") as running:
        told = ask(running.base, "/robots.txt").body.decode().splitlines()
    assert told[:2] == ["User-agent: *", "Disallow: /-/"]
    assert told[-1] == f"Sitemap: {running.base}/sitemap.xml"


def test_a_cursor_that_is_none_is_refused(archive: Path) -> None:
    with served(archive, "--public") as running:
        for wrong in ("x", "urn:pdi://lab.example.us/2020/01/01/1.text.1", "%00"):
            assert ask(running.base, f"/-/feed?after={wrong}").status in {400, 404}
            assert ask(running.base, f"/-/sitemap?after={wrong}").status in {400, 404}


def relations(field: str) -> dict[str, list[str]]:
    """The targets of links by their relation, read by rules of this test's own (RFC 8288)."""
    found: dict[str, list[str]] = {}
    for target, rel in re.findall(
        r'<([^>]*)>(?:\s*;\s*[\w-]+="[^"]*")*?\s*;\s*rel="([^"]*)"', field
    ):
        found.setdefault(rel, []).append(target)
    return found


def test_signposts_say_what_it_is_and_how_to_cite_it(archive: Path, names: list[str]) -> None:
    licence = "https://creativecommons.org/licenses/by/4.0/"
    with Archive.open(archive) as held:
        held.annotations.statements.state(names[-1].rpartition(".html")[0], "license", licence)
        held.annotations.statements.state(names[-1], "license", "javascript:alert(1)")
    with served(archive) as running:
        page = relations(ask(running.base, f"/{names[-1]}", Accept="text/html").headers["link"])
        assert page["cite-as"] == [names[-1]]
        assert page["type"] == ["https://schema.org/AboutPage", "https://schema.org/WebPage"]
        assert page["license"] == [licence]
        assert page["describedby"][0].startswith("/-/api/document?name=")
        assert f"/{names[-1]}" in page["item"]
        for item in [*page["item"], *page["describedby"]]:
            assert ask(running.base, item).status == 200
        octets = relations(ask(running.base, f"/{names[-1]}?view=bytes").headers["link"])
        assert octets["cite-as"] == [names[-1]]
        assert octets["collection"] == [f"/{names[-1]}"]
