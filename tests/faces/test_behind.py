"""What stands behind a citation: other versions, who quotes it, what programs are told of it."""

from __future__ import annotations

import contextlib
import html
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.archives import Archive
from tests.faces.test_http import ask
from tests.faces.test_versions import PARAGRAPHS, WORDINGS, WORDS, page

from permacite.service.access import Choice

from .conftest import served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from .conftest import Running, Site

pytestmark = pytest.mark.engines(deep=True)

HIDDEN = "The secret of the harbour master."
HEAD = (
    '<meta name="citation_author" content="Lee, Ann"><meta name="citation_author" '
    'content="Port Authority"><meta name="citation_publication_date" content="2021/02/03">'
)
ARABIC = (
    "أعلنت الهيئة أن الميناء مغلق يوم الاثنين من الظهر حتى السادسة.",
    "أعلنت الهيئة أن الميناء غير مغلق يوم الثلاثاء من الظهر حتى السابعة.",
)


@pytest.fixture
def folder(tmp_path: Path, site: Site) -> Path:
    """An archive of five versions of one page with an author, two of another, none quoted."""
    with Archive.create(tmp_path / "kept", series="lab.example.us") as archive:
        for wording in (PARAGRAPHS, *WORDINGS.values()):
            body = page(wording).replace("<title>", f"{HEAD}<title>")
            archive.save(site.put("/port", "text/html", body), allow_private=True)
        for words in ARABIC:
            body = page(("مقدمة عن المدينة.", words, "خاتمة."), "ar")
            archive.save(site.put("/ar", "text/html; charset=utf-8", body), allow_private=True)
    return tmp_path / "kept"


def cited(folder: Path, quoted: str = WORDS) -> str:
    """Cite words of a first version; returns the address of the citation at a server."""
    with Archive.open(folder) as archive:
        for document in archive.documents.list().documents:
            name = f"{document.pdi}.utf-8.1"
            if archive.citations.passages(name, quoted):
                return "/" + archive.cite(name, quote=quoted).reference.replace("#", "?fragment=")
    raise AssertionError(quoted)


def told(running: Running, address: str) -> str:
    """Return the reader's page at an address."""
    return ask(running.base, address, Accept="text/html").body.decode()


@contextlib.contextmanager
def public(folder: Path) -> Iterator[Running]:
    """Run a server that says that it is for the public."""
    with served(folder, "--public") as running:
        yield running


def properties(shown: str) -> dict[str, str]:
    """Return the Open Graph properties of a page."""
    found = re.findall(r'<meta property="([^"]+)" content="([^"]*)">', shown)
    return {name: html.unescape(content) for name, content in found}


def test_a_public_server_tells_chats_what_is_open(folder: Path) -> None:
    address = cited(folder)
    with public(folder) as running:
        shown = properties(told(running, address))
    assert shown["og:title"] == "The port"
    assert shown["og:description"].startswith(f"\u201c{WORDS}\u201d \u2014 127.0.0.1 20")
    assert shown["og:url"].endswith(address)
    assert shown["og:site_name"] == "lab.example.us"
    assert shown["article:published_time"] == "2021-02-03"


def test_any_other_server_tells_them_nothing(folder: Path) -> None:
    address = cited(folder)
    with served(folder) as running:
        assert properties(told(running, address)) == {}


@pytest.mark.parametrize("how", ["closed", "embargo", "withdrawn", "erased"])
def test_of_what_is_shut_no_route_tells_a_word(folder: Path, how: str) -> None:
    with Archive.open(folder) as archive:
        added = archive.add(f"<title>Of secrets</title><p>{HIDDEN}</p>".encode(), name="s.html")
        document = added.pdi.rpartition(".")[0].rpartition(".")[0]
        reference = archive.cite(added.pdi, quote=HIDDEN).reference
        if how == "withdrawn":
            archive.access.withdraw(document, reason="copyright")
        elif how == "erased":
            archive.access.erase(document, ground="court-order")
        else:
            until = datetime.now(UTC).date() + timedelta(days=9) if how == "embargo" else None
            archive.access.standing(document, Choice(access=how, embargo_until=until))
    name, _, fragment = reference.partition("#")
    escaped = quote(reference, safe="")
    routes = [
        f"/{name}?fragment={fragment}",
        f"/-/versions/{name}?fragment={fragment}",
        f"/-/versions/{name}?fragment={fragment}&part=list",
        f"/-/page/{name}?fragment={fragment}",
        *(f"/-/api/{each}?name={escaped}" for each in ("versions", "quoters", "reference")),
        *(f"/-/api/{each}?name={escaped}" for each in ("document", "proof")),
    ]
    with public(folder) as running:
        answers = [ask(running.base, route, Accept="text/html").body for route in routes]
        shown = told(running, routes[0])
    for answer in answers:
        assert b"secret" not in answer.lower()
    assert properties(shown) == {}
    assert "Z3988" not in shown
    assert "Its name stays on record" in shown


def test_coins_hold_the_reference(folder: Path) -> None:
    with served(folder) as running:
        shown = told(running, cited(folder))
    (written,) = re.findall(r'<span class="Z3988" title="([^"]*)"></span>', shown)
    pairs = [tuple(pair.split("=")) for pair in html.unescape(written).split("&")]
    fields = [(key, unquote(value)) for key, value in pairs]
    assert fields[0] == ("ctx_ver", "Z39.88-2004")
    assert ("rft_val_fmt", "info:ofi/fmt:kev:mtx:dc") in fields
    assert ("rft.title", "The port") in fields
    assert ("rft.creator", "Lee, Ann") in fields
    assert ("rft.aucorp", "Port Authority") in fields
    assert ("rft.date", "2021-02-03") in fields
    (identifier,) = [value for key, value in fields if key == "rft_id"]
    assert identifier.endswith("#char=58,111".replace("#", "?fragment="))


def test_who_quotes_is_told_by_pages(folder: Path) -> None:
    address = cited(folder)
    reference = address[1:].replace("?fragment=", "#")
    with Archive.open(folder) as archive:
        for number in range(8):
            body = f'<title>Essay {number}</title><q cite="{reference}">{WORDS}</q>'
            archive.add(body.encode(), name="essay.html")
        archive.cite(reference.partition("#")[0], quote="closed from noon")
    with served(folder) as running:
        first = told(running, address)
        onwards = re.findall(r'<a href="([^"#]*quoters=[^"#]*)#quoters"', first)
        second = told(running, html.unescape(onwards[0]))
    essays = [re.findall(r">(Essay [0-9]+)</a>", each) for each in (first, second)]
    assert [len(each) for each in essays] == [5, 3]
    assert len({*essays[0], *essays[1]}) == 8
    assert "Other citations of these words" in first


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_tells_what_became_of_the_words(
    folder: Path, browser: Browser, width: int, scheme: str
) -> None:
    address = cited(folder)
    with served(folder) as running:
        size = {"width": width, "height": 800}
        opened = browser.new_page(viewport=size, color_scheme=scheme, locale="en")  # type: ignore[arg-type]
        opened.goto(running.base + address)
        listed = opened.locator(".through li")
        listed.nth(3).wait_for()
        kinds = [each.get_attribute("class") for each in listed.all()]
        assert kinds == list(WORDINGS)
        inline = listed.nth(2).locator(".difference")
        assert inline.locator("ins").all_inner_texts() == ["not", "seven"]
        assert inline.locator("del").all_inner_texts() == ["six"]
        link = listed.nth(2).get_by_role("link", name="The words as they stand there")
        link.scroll_into_view_if_needed()
        link.click()
        opened.locator("mark", has_text="not closed from noon until seven").first.wait_for()
        opened.close()


@pytest.mark.browser
def test_without_scripts_a_link_leads_there(folder: Path, browser: Browser) -> None:
    address = cited(folder, ARABIC[0])
    with served(folder) as running:
        context = browser.new_context(java_script_enabled=False, locale="en")
        opened = context.new_page()
        opened.goto(running.base + address)
        opened.get_by_text("What became of these words in the other versions").click()
        opened.locator(".through li.changed").wait_for()
        shown = opened.locator(".difference").evaluate("each => getComputedStyle(each).direction")
        context.close()
        sighted = browser.new_page(locale="en")
        sighted.goto(running.base + address.replace("/urn", "/-/versions/urn"))
        sighted.locator("summary").first.click()
        assert Axe().run(sighted).violations_count == 0
        sighted.close()
    assert shown == "rtl"
