"""A server under a path of another site: what it gives out leads nowhere else, and names stay."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import pytest
from playwright.sync_api import expect
from tests.archives import Archive
from tests.engines import Repository
from tests.faces.conftest import served
from tests.faces.selecting import page_frame
from tests.faces.test_http import ask
from tests.faces.test_proxies import HOST, Secured, before, nginx
from tests.faces.test_selecting import VARIED, cite_selected
from tests.faces.test_suppression import names, requests

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.faces.test_http import Answer

pytestmark = pytest.mark.engines(deep=True)

__all__ = ["names", "nginx"]  # fixtures

BASE = "/library/archive"
OWN = f"https://{HOST}"
FURTHER = ("/-/save", "/-/save?to=https://example.org/", "/-/sign-in", "/-/extension.zip", "/none")
OPTIONS = ("--base-path", f"{BASE}/", "--name", HOST, "--forwarded-allow-ips", "127.0.0.1")
_ATTRIBUTES = {"href", "src", "action", "formaction", "data-from", "poster", "cite"}
_ADDRESS = re.compile(rf"{OWN}|/$|/(\?|-/|web/|uri-res/|urn:|pdi:|library/)")
"""What is one as it stands: digests may begin with a slash, too."""
MOST = 300
SOME_PAGES = 60


class _Links(HTMLParser):
    """The addresses in a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # What was quoted names the address of the document that it is of.
        self.found += [
            value
            for name, value in attrs
            if name in _ATTRIBUTES and value is not None and tag != "q"
        ]


def _strings(value: object) -> Iterator[str]:
    """The texts in JSON that are addresses as they stand."""
    if isinstance(value, str):
        if _ADDRESS.match(value):
            yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            if name != "paths":  # of OpenAPI, which its servers stand before
                yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _given_out(path: str, answer: Answer) -> set[str]:
    """Every address of this site that an answer has, whole."""
    kind, text = answer.headers.get("content-type", ""), answer.body.decode("utf-8", "replace")
    found = re.findall(r"<([^>]+)>", answer.headers.get("link", ""))
    found += [answer.headers[name] for name in ("location",) if name in answer.headers]
    if "text/html" in kind and "view=bytes" not in path:
        found += _Links(text).found
        found += re.findall(rf"open\('({OWN}[^?]*)", text)
    elif "json" in kind:
        found += _strings(json.loads(text))
    elif "xml" in kind:
        found += re.findall(rf"{OWN}[^<\"]*", text)
    elif "uri-list" in kind or "link-format" in kind or path.endswith("robots.txt"):
        found += re.findall(rf"{OWN}[^\s>]*", text)
        found += re.findall(r"(?:Allow|Disallow): (\S+)", text)
    whole = (urljoin(OWN + path, each.strip()) for each in found if not each.startswith("#"))
    return {each for each in whole if each.startswith(f"{OWN}/")}


def test_no_address_that_is_given_out_leaves_the_path(
    archive: Path, names: dict[str, str], nginx: str, tmp_path: Path
) -> None:
    folder = tmp_path / "nginx"
    seeds = [path for _, path in requests(names)] + list(FURTHER)
    with (
        served(archive, "--public", "--writable", *OPTIONS) as running,
        before(nginx, running.base.removesuffix(BASE), folder, BASE) as port,
    ):
        proxied = Secured(port, folder)
        waiting = [BASE, *(BASE + path for path in seeds)]
        seen, pages = set(waiting), 0
        for path in waiting:
            for accept in ("text/html", "application/json"):
                answer = proxied.ask(path, Accept=accept)
                assert answer.status not in {418, 500}, path
                pages += "text/html" in answer.headers.get("content-type", "")
                for address in _given_out(path, answer):
                    place = address.removeprefix(OWN).partition("#")[0]
                    assert place == BASE or place.startswith(f"{BASE}/"), (path, address)
                    assert BASE not in place.removeprefix(BASE), (path, address)
                    if place not in seen and len(waiting) < MOST:
                        seen.add(place)
                        waiting.append(place)
                        # The languages of a page about nothing lead to nothing, too; and
                        # robots.txt has beginnings of addresses.
                        known = (
                            answer.status == 404
                            or "robots" in path
                            or proxied.ask(place).status != 404
                        )
                        assert known, (path, place)
    assert pages > SOME_PAGES


def test_names_and_what_is_elsewhere_stay(archive: Path, names: dict[str, str]) -> None:
    with served(archive, *OPTIONS) as running:
        shown = ask(running.base, f"{BASE}/{names['html']}")
        assert shown.headers["content-location"] == names["html"]
        listed = ask(running.base, f"{BASE}/uri-res/N2Ls?{names['document']}", Host=HOST).body
        assert listed.startswith(f"http://{HOST}{BASE}/urn:pdi://".encode())
        for path in ("/", f"/{names['html']}", "/-/health", f"{BASE}s/", "/%6cibrary/archive/"):
            assert ask(running.base, path).status == 404, path
        assert ask(running.base, BASE).headers["location"] == f"{BASE}/"
        described = ask(running.base, f"{BASE}/-/openapi.json").json
        assert described["servers"] == [{"url": BASE}]


def test_a_cookie_goes_to_that_path_alone(archive: Path) -> None:
    with Archive.open(archive) as held:
        secret = held.access.tokens.add(scope="read").secret
    with served(archive, *OPTIONS) as running:
        form = f"token={secret}".encode()
        signed = ask(running.base, f"{BASE}/-/sign-in", "POST", form)
        assert signed.headers["location"] == f"{BASE}/-/sign-in"
        assert f"Path={BASE}/;" in signed.headers["set-cookie"]


@pytest.mark.parametrize("typed", ["archive", "/a b", "/../a", "/a//b", "/-/a", "/a?b", "/web"])
def test_what_is_no_path_is_told(archive: Path, typed: str) -> None:
    from permacite.cli.commands import run

    assert run(["--archive", str(Repository.at(archive)), "serve", "--base-path", typed]) == 2


@pytest.mark.browser
def test_scripts_ask_under_the_path(archive: Path, page: Page) -> None:
    linking = VARIED.replace("</body>", '<a id="out" href="https://example.org/x">x</a></body>')
    with Archive.open(archive) as held:
        pdi = held.add(linking.encode(), name="varied.html", uri="https://example.org/").pdi
    with served(archive, *OPTIONS[:2]) as running:
        page.goto(f"{running.base}/{pdi}")
        page_frame(page).evaluate("getSelection().selectAllChildren(document.querySelector('pre'))")
        name, _, fragment = cite_selected(page).partition("#")
        assert page.url == f"{running.base}/{name}?fragment={fragment}"
        expect(page.locator("#citations li")).to_have_count(1)
        page.frame_locator("#page").locator("#out").click()
        page.wait_for_url(f"{running.base}/-/follow?**")
