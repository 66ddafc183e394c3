"""Without the extension: a bookmarklet leads to a page of ours, which asks before it saves."""

from __future__ import annotations

import html
import io
import re
import zipfile
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest
from tests.archives import Archive
from tests.faces.conftest import served
from tests.faces.test_http import ask

from permacite.service.extension.folder import extension_files
from permacite.web.routes.saving import Save, _cite

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.faces.conftest import Running, Site

pytestmark = pytest.mark.engines(deep=True)

NASTY = "<script>alert(1)</script>"


def test_a_page_asks_before_anything_is_saved(running: Running, archive: Path) -> None:
    query = urlencode({"to": f"https://a.example/?q={NASTY}", "quote": NASTY})
    for language, words in (
        ("en", "To save it"),
        ("de", "Browser sichern"),
        ("fr", "votre navigateur"),
    ):
        page = ask(running.base, f"/-/save?{query}&lang={language}", Accept="text/html")
        assert page.status == 200
        assert NASTY.encode() not in page.body
        assert words.lower() in page.body.decode().lower()
    assert ask(running.base, f"/-/save?to={quote('javascript:alert(1)')}").status == 400
    with served(archive, "--writable") as writable:
        page = ask(writable.base, f"/-/save?{query}")
        assert b'<form action="/-/save" method="post">' in page.body
        assert html.escape(NASTY, quote=False).encode() in page.body
    with Archive.open(archive) as service:
        assert service.documents.about().documents == 0


def test_the_extension_is_had_from_the_server(running: Running) -> None:
    got = ask(running.base, "/-/extension.zip")
    with zipfile.ZipFile(io.BytesIO(got.body)) as packed:
        assert {name: packed.read(name) for name in packed.namelist()} == extension_files()
    assert b'href="/-/save"' in ask(running.base, "/?view=reader").body


def test_words_are_cited_where_they_were_selected(archive: Path) -> None:
    with Archive.open(archive) as service:
        saved = service.add(b"<p>One tide, two <b>tide</b>s, red.</p>", name="a.html").pdi
        rows = [
            (("tide", "two ", "s, red"), "char=14,18", ""),
            (("two tides", "not what stands", "there"), "char=10,19", ""),
            (("tide", "", ""), "", "2 times"),
            (("none of it", "", ""), "", "do not stand"),
        ]
        for (words, before, after), place, problem in rows:
            wanted = Save("", "", words, before, after, pdi=saved)
            _cite(service, wanted)
            assert wanted.reference.endswith(place)
            assert bool(wanted.reference) is bool(place)
            assert bool(wanted.not_cited) is bool(problem), wanted.not_cited
            assert wanted.is_over


@pytest.mark.browser
def test_the_bookmarklet_takes_address_and_words_along(
    archive: Path, site: Site, page: Page
) -> None:
    words = "<p>The \u201cherons\u201d came &amp; went.</p>"
    address = site.put("/a", "text/html; charset=utf-8", f"<title>A</title>{words}")
    with served(archive, "--writable") as running:
        shown = ask(running.base, "/-/save").body.decode()
        (link,) = re.findall(r'href="(javascript:[^"]*)"', shown)
        page.goto(f"{address}?x=1&y=2")
        page.evaluate(
            "() => { const t = document.querySelector('p').firstChild, r = document.createRange();"
            " r.setStart(t, 4); r.setEnd(t, 19); getSelection().addRange(r); }"
        )
        with page.context.expect_page() as opened:
            page.evaluate(html.unescape(link).removeprefix("javascript:"))
        asking = opened.value
        asking.wait_for_url("**to=*")  # a window is about:blank first
        asked = parse_qs(urlsplit(asking.url).query)
        assert asked["to"] == [f"{address}?x=1&y=2"]
        assert asked["quote"] == ["\u201cherons\u201d came &"]
        assert (asked["before"], asked["after"]) == (["The "], [" went."])
        assert "\u201cherons\u201d came &" in asking.inner_text("blockquote")
        asking.click("main button")
        asking.wait_for_selector("pre.shown")
        assert "this machine" in asking.inner_text("pre.shown"), "it saves no private addresses"
