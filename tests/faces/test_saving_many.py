"""Lists of addresses: read in any form, saved several at once, and gone on with after any end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive, command_on

from permacite.errors import BusyError, ParseError
from permacite.service.ingest.options import SaveOptions
from permacite.service.lists.reading import Journal, read_list
from permacite.service.lists.saving import ListRunOptions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Site

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

A, B = "https://a.example/x?y=1&z=2", "http://b.example/"
ESCAPED = A.replace("&", "&amp;")

FORMS = {
    "plain": f"\ufeff# a list\n{A}\r\n\n  {B}  \n",
    "csv": f'Key,Title,Url\n1,"A, ""b""\nc",{A}\n\n2,,{B}\n',
    "csv-semicolons": f"title;URL\nA;{A}\nB;{B}\n",
    "csv-tabs": f"link\ttitle\n{A}\tA\n{B}\tB\n",
    "csl-json": json.dumps([{"id": "1", "URL": A}, {"URL": B}]),
    "csl-json-items": json.dumps({"items": [{"URL": A}, {"URL": B}]}),
    "strings": json.dumps([A, B]),
    "sitemap": '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    f"<url><loc>{ESCAPED}</loc><lastmod>2026-01-01</lastmod></url><url><loc>\n{B}\n</loc></url>"
    "</urlset>",
    "atom": f'<feed><link href="http://f.example/"/><entry><link href="{ESCAPED}"/></entry>'
    f'<entry><link rel="self" href="http://s.example/"/><link rel="alternate" href="{B}"/></entry>'
    "</feed>",
    "rss": f"<rss><channel><link>http://f.example/</link><item><link>{ESCAPED}</link></item>"
    f"<item><link>{B}</link></item></channel></rss>",
    "zotero-rdf": f'<rdf:RDF><bib:Article rdf:about="{ESCAPED}"><dc:identifier><dcterms:URI>'
    f"<rdf:value>{ESCAPED}</rdf:value></dcterms:URI></dc:identifier></bib:Article><bib:Book>"
    f"<dc:identifier>ISBN 0</dc:identifier><dc:identifier><dcterms:URI><rdf:value>{B}</rdf:value>"
    "</dcterms:URI></dc:identifier></bib:Book></rdf:RDF>",
    "bookmarks": "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p><DT><A HREF="
    f'"{ESCAPED}" ADD_DATE="1">A</A><DT><A HREF="javascript:go()">no</A><DT><A HREF="{B}">B</A>',
}


@pytest.mark.parametrize("form", sorted(FORMS))
def test_addresses_are_read_in_any_form(form: str) -> None:
    assert [line.uri for line in read_list(FORMS[form].encode())] == [A, B]


WRONG = [
    # a list, the place and what is said of its wrong line
    (f"{A}\nno address\n", "line 2", "expected the address"),
    (f"{A}\nftp://[half\n", "line 2", "["),
    (f"{A}\nmailto:me@a.example\n", "line 2", "expected the address"),
    (f"url,title\n{A},a\n,b\n", "line 3", "expected the address"),
    (json.dumps([{"URL": A}, {"title": "none"}]), "item 2", "expected the address"),
    (json.dumps([{"URL": A}, {"URL": 7}]), "item 2", "expected the address"),
]


@pytest.mark.parametrize(("content", "place", "said"), WRONG)
def test_a_wrong_line_is_told_and_the_others_go_on(content: str, place: str, said: str) -> None:
    right, wrong = read_list(content.encode())
    assert (right.uri, right.problem) == (A, "")
    assert (wrong.uri, wrong.place) == ("", place)
    assert said in wrong.problem or said in wrong.typed


BROKEN = [
    (b"\xff\xfe", "UTF-8"),
    (b"[1,", "CSL-JSON"),
    (b'{"items": 7}', "array"),
    (b"[" * 100_000, "CSL-JSON"),
    (b"<html><p>words", "expected a sitemap"),
    (b"<sitemapindex><sitemap><loc>https://a.example/s.xml</loc>", "other sitemaps"),
]


@pytest.mark.parametrize(("content", "said"), BROKEN)
def test_what_is_no_list_is_one_clear_error(content: bytes, said: str) -> None:
    with pytest.raises(ParseError, match=said):
        read_list(content)


def _pages(site: Site, count: int) -> list[str]:
    return [site.put(f"/{n}", "text/html", f"<title>{n}</title><p>page {n}") for n in range(count)]


def test_a_list_with_wrong_lines_is_saved_to_its_end(cli: Cli, site: Site, tmp_path: Path) -> None:
    lines = []
    for number, page in enumerate(_pages(site, 6)):
        lines += [page, f"wrong {number}"]
    lines += [lines[0] + "#part", f"{site.base}/missing"]
    (tmp_path / "list.txt").write_text("\n".join(lines))
    options = ("--from", str(tmp_path / "list.txt"), "--allow-private", "--pause", "0")
    done = cli("save", *options)
    assert done.status == 1
    assert len(done.out.splitlines()) == 6
    assert "wrong: line 2: wrong 0 (expected the address" in done.err
    assert "failed: line 14:" in done.err
    assert "6 saved" in done.err
    told = json.loads(cli("save", *options, "--json").out)
    assert told["counts"] == {"unchanged": 6, "wrong": 6, "repeated": 1, "failed": 1}
    assert {page["uri"] for page in told["pages"] if page["outcome"] == "unchanged"} == {
        line for line in lines if "page" not in line and line.startswith("http")
    } - {lines[-1], lines[-2]}


def test_several_addresses_and_standard_input_are_a_list(
    cli: Cli, site: Site, archive: Path
) -> None:
    first, second, third = _pages(site, 3)
    assert len(cli("save", first, second, "--allow-private", "--pause", "0").out.split()) == 4
    command = command_on(archive, "save", "-")
    done = subprocess.run(
        [*command, "--allow-private"], input=third, text=True, capture_output=True, check=True
    )
    assert done.stdout.endswith(f" {third}\n")


def test_options_that_do_not_go_together_are_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("X-Token: 1")
    said = cli("save", "https://a.example/", "https://b.example/", "--headers", f"{tmp_path}/token")
    assert (said.status, "go to one site, and these are 2" in said.err) == (2, True)
    assert cli("save").status == 2
    empty = tmp_path / "empty"
    empty.touch()
    assert "no addresses" in cli("save", "--from", str(empty)).err


def _crawled(cli: Cli, address: str, *options: str) -> dict[str, str]:
    told = json.loads(
        cli("save", address, *options, "--pause", "0", "--allow-private", "--json").out
    )
    base = address.rpartition("/")[0]
    return {page["uri"].removeprefix(base): page["outcome"] for page in told["pages"]}


def test_links_of_a_site_are_followed_as_deep_as_asked(cli: Cli, site: Site) -> None:
    site.put("/robots.txt", "text/plain", "User-agent: *\nDisallow: /private\n")
    links = "/b /private/p http://other.example/ #here mailto:a@b.example /b?x http://["
    body = "".join(f'<a href="{link}">x</a>' for link in links.split())
    top = site.put("/a", "text/html", body)
    site.put("/b", "text/html", '<base href="/deep/"><a href="c">c</a><a href="/a">a</a>')
    site.put("/deep/c", "text/html", '<meta name=robots content="noindex, nofollow"><a href="/d">')
    site.put("/d", "text/html", "words")
    assert _crawled(cli, top, "--depth", "1") == {
        "/a": "saved",
        "/b": "saved",
        "/private/p": "forbidden",
        "/b?x": "saved",
    }
    deep = _crawled(cli, top, "--depth", "5")
    assert deep["/deep/c"] == "saved"
    assert "/d" not in deep
    assert "/private/p" not in site.requests
    assert site.requests.count("/robots.txt") == 2
    name = json.loads(cli("save", f"{site.base}/deep/c", "--allow-private", "--json").out)["pdi"]
    shown = json.loads(cli("show", name, "--json").out)
    assert "Disallow: /private" in shown["provenance"]["robots"]["text"]


def test_a_site_that_says_nothing_of_robots_is_not_crawled(cli: Cli, site: Site) -> None:
    """A person's page is fetched all the same (RFC 9309 §2.3.1.4: unreachable forbids all)."""
    site.put("/robots.txt", "text/plain", b"x" * 600_000)
    top = site.put("/a", "text/html", '<a href="/b">')
    assert _crawled(cli, top, "--depth", "1") == {"/a": "saved", "/b": "forbidden"}


def test_links_lead_to_no_more_pages_than_asked(cli: Cli, site: Site) -> None:
    _pages(site, 9)
    links = "".join(f'<a href="/{n}">x</a>' for n in range(9))
    top = site.put("/top", "text/html", links)
    assert len(_crawled(cli, top, "--depth", "1", "--max-pages", "4")) == 5


def test_pages_of_one_site_wait_for_each_other(archive: Path, site: Site) -> None:
    pages = _pages(site, 4)
    began = time.monotonic()
    with Archive.open(archive) as held:
        manner = ListRunOptions(pause_s=0.2, options=SaveOptions(allow_private=True))
        told = list(held.lists.save(read_list("\n".join(pages).encode()), manner))
    assert [each.outcome for each in told] == ["saved"] * 4
    assert time.monotonic() - began > 0.6


def test_a_list_that_is_killed_goes_on_and_saves_nothing_twice(
    archive: Path, site: Site, tmp_path: Path, times: Callable[[int, int], int]
) -> None:
    count = times(40, 1000)
    pages = _pages(site, count)
    (tmp_path / "list").write_text("\n".join([*pages, "no address"]))
    options = ["save", "--from", str(tmp_path / "list"), "--allow-private", "--pause", "0"]
    command = command_on(archive, *options, "--json")
    kills = 0
    for wanted in range(1, 11):
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while len(site.requests) < wanted * count // 12 and running.poll() is None:
            time.sleep(0.005)
        kills += running.poll() is None
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        for page in site.pages:  # every page changes all the time
            site.put(page, "text/html", f"<title>{page}</title><p>{wanted} at {page}")
    assert kills >= 5
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = json.loads(done.stdout)
    assert "going on with a run" in done.stderr
    assert told["counts"] == {"wrong": 1, "saved": count}
    assert {page["uri"] for page in told["pages"]} == {*pages, "no address"}
    with Archive.open(archive) as held:
        assert held.documents.about().documents == count
        versions = Counter(str(item.pdi.document) for item in held._repository.lists.list())  # noqa: SLF001 - each is looked at
        assert set(versions.values()) == {1}
        kinds = {finding.kind for finding in held.copies.fsck().findings}
        assert kinds <= {"orphan"}  # octets whose commit the end came before
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "going on" not in again.stderr


def test_a_list_is_saved_by_one_run_at_a_time(archive: Path) -> None:
    folder = archive.parent / "runs"
    with Journal(folder, "a"), pytest.raises(BusyError), Journal(folder, "a"):
        pass
    with Journal(folder, "a") as journal:
        assert journal.is_resumed
    assert not Journal(folder, "b").is_resumed
    assert not Journal(folder, "a", afresh=True).is_resumed
