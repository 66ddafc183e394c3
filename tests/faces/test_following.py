"""Links of archived pages: clicked in a real browser, they lead to archived pages or a choice."""

from __future__ import annotations

import http.client
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.archives import Archive
from tests.faces.conftest import served

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, BrowserContext, Page
    from tests.faces.conftest import Running, Site

pytestmark = pytest.mark.engines(deep=True)

COUNT = 20
ELSEWHERE = "http://elsewhere.example/never?a=1&b=%20#top"


def _html(number: int, edition: str) -> str:
    before, after = (number - 1) % COUNT, (number + 1) % COUNT
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8>"
        f"<title>Room {number}</title></head><body><h1>Room {number}</h1>"
        f"<p id=said>The {edition} word of room {number}.</p>"
        f"<p><a id=next href=/{after}.html>on</a>"
        f" <a id=back href='{before}.html' target=_top>back</a>"
        f" <a id=words href='/{after}.html#:~:text=The,{after}.'>its words</a>"
        f" <a id=place href='/{after}.html#said'>its place</a></p>"
        "<p id=foot>The end.</p></body></html>"
    )


@pytest.fixture
def rooms(archive: Path, site: Site) -> list[list[str]]:
    """Save twenty pages that link to each other, and then again, changed: names by edition."""
    editions = []
    with Archive.open(archive) as service:
        for edition in ("first", "second"):
            for number in range(COUNT):
                site.put(f"/{number}.html", "text/html", _html(number, edition))
            saved = [
                service.save(f"{site.base}/{n}.html", allow_private=True) for n in range(COUNT)
            ]
            editions.append([item.pdi for item in saved])
    return editions


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Return a profile whose requests are counted by host; nothing but loopback may be asked."""
    opened = browser.new_context(viewport={"width": 1280, "height": 800})
    opened.set_default_timeout(20_000)
    yield opened
    opened.close()


def _guarded(context: BrowserContext, base: str) -> list[str]:
    """Return the list to which every address goes that is asked for outside the archive."""
    strange: list[str] = []
    context.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((base, "data:", "about:"))
            else strange.append(request.url)
        ),
    )
    return strange


def _at(name: str) -> re.Pattern[str]:
    """Return a pattern of the addresses of a page, or of its text, to which a link led."""
    document, _, version = name.rpartition(".html.")
    return re.compile(rf"{re.escape(document)}[.](html|utf-8)[.]{version}[?]")


def _click(page: Page, name: str) -> None:
    page.frame_locator("#page").locator(f"#{name}").click()


def _enter(page: Page, name: str) -> None:
    page.frame_locator("#page").locator(f"#{name}").press("Enter")


def _reach(page: Page, name: str) -> None:
    """Go to a link of the archived page by Tab, from the top of the reader."""
    link = page.frame_locator("#page").locator(f"#{name}:focus")
    for _ in range(30):
        page.keyboard.press("Tab")
        if link.count():
            return
    pytest.fail(f"no Tab leads to {name}")


@pytest.mark.browser
def test_twenty_pages_are_browsed_across_versions(
    rooms: list[list[str]],
    running: Running,
    context: BrowserContext,
    site: Site,
    times: Callable[[int, int], int],
) -> None:
    strange = _guarded(context, running.base)
    page = context.new_page()
    site.requests.clear()
    count = times(5, COUNT)  # of twenty, those of a sample
    for edition, (word, go) in enumerate({"first": _click, "second": _enter}.items()):
        page.goto(f"{running.base}/{rooms[edition][0]}")
        for number in range(1, count):
            name = ("next", "words", "place")[number % 3]
            if go is _enter and number % 5 == 1:
                page.frame_locator("#page").locator(f"#{name}").wait_for()
                _reach(page, name)
            go(page, name)
            page.wait_for_url(_at(rooms[edition][number]))
            said = page.frame_locator("#page").locator("#said").inner_text()
            assert said == f"The {word} word of room {number}."
            assert " led here. Saved " in page.locator(".followed").inner_text()
        go(page, "back")
        page.wait_for_url(_at(rooms[edition][count - 2]))
    _enter(page, "words")
    page.locator(".lead .passage mark").wait_for()
    assert page.locator(".lead .passage mark").inner_text() == (
        f"The second word of room {count - 1}."
    )
    axe = Axe().run(page)
    assert axe.violations_count == 0, axe.generate_report()
    assert strange == []
    assert site.requests == []


@pytest.mark.browser
def test_by_keyboard_and_without_scripts(
    rooms: list[list[str]], running: Running, browser: Browser
) -> None:
    context = browser.new_context(java_script_enabled=False)
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto(f"{running.base}/{rooms[0][3]}")
    link = page.frame_locator("#page").locator("#next")
    with context.expect_page() as opened:
        link.press("Enter")
    opened.value.wait_for_url(_at(rooms[0][4]))
    assert page.url.endswith(rooms[0][3])
    context.close()


HOSTILE = f"""<!doctype html><html><head><meta charset=utf-8><title>Hostile</title>
<base target=_parent><meta http-equiv=refresh content="0;url={ELSEWHERE}">
</head><body onload="top.location='{ELSEWHERE}'">
<script>top.location = "{ELSEWHERE}"; open("{ELSEWHERE}");
parent.postMessage({{permacite: "follow", link: "/-/follow?to=x"}}, "*")</script>
<p><a id=top href="{ELSEWHERE}" target=_top rel=opener ping={ELSEWHERE}>top</a></p>
<p><a id=parent href="{ELSEWHERE}" target=_parent download>parent</a></p>
<p><a id=self href="{ELSEWHERE}">self</a></p>
<p><a id=name href="{ELSEWHERE}" target=page>name</a></p>
<p><svg width=80 height=20><a id=svg xlink:href="{ELSEWHERE}"><text y=15>svg</text></a></svg></p>
<p><img id=area alt=map usemap=#m width=80 height=20
 src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
<map name=m><area shape=rect coords=0,0,80,20 href="{ELSEWHERE}"></map></p>
<p><a id=script href="javascript:top.location='{ELSEWHERE}'">script</a></p>
<p><a id=data href="data:text/html,<script>top.location=1</script>">data</a></p>
<p><a id=blank href="{ELSEWHERE}" target=_blank>blank</a></p>
<p><a id=mail href="mailto:a@b.example">mail</a></p>
<form action="{ELSEWHERE}" target=_top><button id=send formaction={ELSEWHERE}>send</button></form>
<p><a id=down href="#foot">down</a></p>
<iframe id=inner width=300 height=100 srcdoc='<a id=deep target=_top
 href="{ELSEWHERE.replace("&", "&amp;amp;")}">deep</a> <a id=within href="#far">within</a>
 <p style="height:900px"><p id=far>far'></iframe>
<p style="height:3000px"></p><p id=foot>The end.</p></body></html>"""

LEADING = ("top", "parent", "self", "name", "svg", "area", "blank")
DEAD = ("script", "data", "send")


@pytest.fixture
def hostile(archive: Path, site: Site) -> str:
    """Save a page that tries every way to lead its reader off."""
    address = site.put("/hostile.html", "text/html", HOSTILE)
    with Archive.open(archive) as service:
        return service.save(address, allow_private=True).pdi


@pytest.mark.browser
def test_no_hostile_link_leads_out_or_breaks_the_frame(
    hostile: str, running: Running, context: BrowserContext
) -> None:
    """replay-r1: nothing of the live web is asked for, and the frame never shows an error."""
    strange = _guarded(context, running.base)
    page = context.new_page()
    start = f"{running.base}/{hostile}"
    for name in LEADING:
        page.goto(start)
        _click(page, name)
        page.wait_for_url("**/-/follow?*")
        assert parse_qs(urlsplit(page.url).query)["to"] == [ELSEWHERE]
        assert "not archived here" in page.locator("h1").inner_text()
    axe = Axe().run(page)
    assert axe.violations_count == 0, axe.generate_report()
    page.goto(start)
    _click(page, "mail")
    page.wait_for_url("**/-/follow?*")
    assert page.locator("main a[href^='mailto']").count() == 0
    page.goto(start)
    for name in DEAD:
        _click(page, name)
        assert page.url == start
    _click(page, "down")
    foot = page.frame_locator("#page").locator("#foot")
    assert foot.evaluate("node => node.getBoundingClientRect().top < innerHeight")
    assert page.url == start
    assert len(context.pages) == 1
    assert strange == []


@pytest.mark.browser
def test_links_in_inner_frames_and_other_windows(
    hostile: str, running: Running, context: BrowserContext
) -> None:
    strange = _guarded(context, running.base)
    page = context.new_page()
    page.goto(f"{running.base}/{hostile}")
    inner = page.frame_locator("#page").frame_locator("#inner")
    inner.locator("#within").click()
    assert inner.locator("#far").evaluate("node => node.getBoundingClientRect().top < innerHeight")
    for link, how in (
        (inner.locator("#deep"), []),
        (page.frame_locator("#page").locator("#self"), ["Control"]),
    ):
        with context.expect_page() as opened:
            link.click(modifiers=how)  # type: ignore[arg-type]  # one of its literals
        opened.value.wait_for_url("**/-/follow?**")  # a window is about:blank first
        assert opened.value.evaluate("opener") is None
    assert strange == []


@pytest.mark.browser
def test_a_frame_that_speaks_unasked_moves_nothing(
    hostile: str, running: Running, context: BrowserContext
) -> None:
    links = ["/-/follow?to=http%3A%2F%2Fa.example", "https://a.example/", "javascript:alert(1)"]
    context.add_init_script(
        f"""if (parent !== window) for (const link of {json.dumps(links)})
            parent.postMessage({{ permacite: "follow", link }}, "*");"""
    )
    page = context.new_page()
    page.goto(f"{running.base}/{hostile}")
    page.wait_for_timeout(300)
    assert page.url == f"{running.base}/{hostile}"


# ------------------------------------------------------------------ by HTTP
@dataclass(frozen=True)
class Answer:
    """What a server answered; redirects are not followed."""

    status: int
    headers: dict[str, str]
    text: str


def _ask(
    address: str, *, form: dict[str, str] | None = None, headers: dict[str, str] | None = None
) -> Answer:
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
    body = None if form is None else urlencode(form)
    fields = {"Accept": "text/html", **(headers or {})}
    target = place.path + (f"?{place.query}" if place.query else "")
    connection.request("GET" if body is None else "POST", target, body, fields)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, text)


def _follow(base: str, to: str) -> Any:
    return json.loads(_ask(f"{base}/-/api/follow?{urlencode({'to': to})}").text)


def test_ten_spellings_of_one_page(archive: Path, site: Site, running: Running) -> None:
    site.put("/~a/b.html", "text/html", "<title>B</title><p>words")
    site.put("/c/../%7ea/b.html", "text/html", "<title>B</title><p>words")
    port = site.base.rpartition(":")[2]
    with Archive.open(archive) as service:
        typed = f"HTTP://127.0.0.1:{port}/c/../%7ea/b.html"
        made = service.save(typed, allow_private=True).pdi
    spellings = [
        typed,
        f"http://127.0.0.1:{port}/~a/b.html",
        f"http://127.0.0.1:{port}/%7Ea/b.html",
        f"http://127.0.0.1:{port}/%7ea/./b.html",
        f"http://127.0.0.1:{port}/x/../~a/b.html#words",
        f"  http://127.0.0.1:{port}/~a/b.html  ",
        f"HTTP://127.0.0.1:{port}/~a/b.html",
        f"http://127.0.0.1:{port}\\~a\\b.html",
        f"http://127.0.0.1:{port}/~%61/b.html",
        f"http://127.0.0.1:{port}/~a/b%2Ehtml",
    ]
    for spelling in spellings:
        found = _follow(running.base, spelling)
        assert found["nearest"]["pdi"] == made, spelling
        assert found["nearest"]["uri"] == typed
    assert _follow(running.base, site.base + "/other")["nearest"] is None
    with Archive.open(archive) as service:
        again = service.save(spellings[1], allow_private=True)
        assert (again.document.pdi, again.document.version) == (made.removesuffix(".html.1"), 2)


@pytest.mark.parametrize("to", ["", " ", "x" * 20_000])
def test_what_is_no_address_is_refused(running: Running, to: str) -> None:
    assert _ask(f"{running.base}/-/api/follow?{urlencode({'to': to})}").status == 400


def test_strange_addresses_are_text(running: Running) -> None:
    for to in ("javascript:alert(1)", "urn:isbn:1", "<script>", "mailto:a@b", "\u202ehttp://a"):
        page = _ask(f"{running.base}/-/follow?{urlencode({'to': to})}")
        assert page.status == 200
        assert "shown as text and not opened" in page.text
        assert "<script>" not in page.text


def test_other_sites_learn_nothing(rooms: list[list[str]], running: Running, site: Site) -> None:
    assert rooms
    known, unknown = f"{site.base}/1.html", f"{site.base}/none.html"
    for path in ("/-/follow", "/-/api/follow"):
        for to in (known, unknown):
            answer = _ask(
                f"{running.base}{path}?{urlencode({'to': to})}",
                headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image"},
            )
            assert answer.status == 403
            assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    shown = _ask(f"{running.base}/-/follow?{urlencode({'to': unknown})}")
    assert shown.headers["cross-origin-opener-policy"] == "same-origin"


def test_what_is_withdrawn_is_not_told_of(
    rooms: list[list[str]], archive: Path, site: Site
) -> None:
    with Archive.open(archive) as service:
        service.access.withdraw(
            service.documents.show(rooms[0][1]).document.pdi, reason="own-error"
        )
    with served(archive) as running:
        found = _follow(running.base, f"{site.base}/1.html")
    assert (found["nearest"], found["total"], found["versions"]) == (None, 0, [])


def test_saving_from_the_reader_is_guarded(running: Running, archive: Path, site: Site) -> None:
    form = {"to": f"{site.base}/x.html", "from": ""}
    assert _ask(f"{running.base}/-/save", form=form).status == 403
    with served(archive, "--writable") as writable:
        place = f"{writable.base}/-/save"
        assert _ask(place, form=form, headers={"Sec-Fetch-Site": "cross-site"}).status == 403
        assert _ask(place, form={"to": "x:y"}).status == 400
        asked = _ask(place, form=form)
        page = _ask(writable.base + asked.headers["location"])
        while "Saving a page" in page.text:
            page = _ask(writable.base + asked.headers["location"])
        assert "this machine" in page.text
        assert _ask(f"{place}/none").status == 404
    assert site.requests == []


# ------------------------------------------------------------------ by command and library
def test_an_address_anywhere(
    rooms: list[list[str]], archive: Path, site: Site, cli: Callable[..., object]
) -> None:
    address = f"{site.base}/5.html"
    with Archive.open(archive) as service:
        first, second = (service.documents.show(rooms[edition][5]).document for edition in (0, 1))
        assert first.retrieved_at is not None
        assert service.documents.show(address).document == second
        assert service.documents.show(address, when=first.retrieved_at).document == first
        words = service.resolve(f"{address}#:~:text=the%20first,5", when=first.retrieved_at)
        assert words.text == "The first word of room 5"
        assert (
            service.resolve(f"{address}#said").text == "<p id=said>The second word of room 5.</p>"
        )
        cited = service.cite(f"{address}#:~:text=word%20of-,room,-5")
        assert cited.quote == "room"
        held = service.documents.resolver.find(address, when=first.retrieved_at)
        assert held is not None
        assert held.pdi == rooms[0][5]
        assert service.documents.resolver.find(f"{site.base}/none.html") is None
        live = service.drift.check(address, allow_private=True)
        assert live.same_bytes
    stamp = first.retrieved_at.strftime("%Y%m%d%H%M%S")
    told = cli("resolve", f"{address}#:~:text=The,5.", "--at", stamp)
    assert getattr(told, "out", "") == "The first word of room 5."
    missing = cli("resolve", f"{address}#:~:text=never%20said")
    assert getattr(missing, "status", 0) == 1
    assert "do not stand on the page" in getattr(missing, "err", "")
    wrong = cli("show", rooms[0][5], "--at", "2020-01-01")
    assert getattr(wrong, "status", 0) == 2
    badly = cli("show", address, "--at", "soon")
    assert "expected a time" in getattr(badly, "err", "")
