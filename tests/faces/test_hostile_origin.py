"""A hostile origin in a real browser: what it can tell of an archive, and whether it writes there.

It asks in every way that a page has, for an address that is archived and for one that is not, for a
name that is there and for one that is not, and compares what it sees. The control is a site without
protection: there each way tells them apart.
"""

from __future__ import annotations

import contextlib
import json
import re
import struct
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest
from tests.faces.conftest import BROWSER_ARGUMENTS, served

from permacite.service.access import Choice
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page, Playwright
    from tests.faces.conftest import Site

expect = pytest.importorskip("playwright.sync_api").expect

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser(whole_browser: Browser) -> Browser:
    """Connect ahead, keep and restore, as the parts around the pages do."""
    return whole_browser


HELD = "https://sea.example.org/held"
OTHER = "https://sea.example.org/none"

SPY = """<!doctype html><title>spy</title><body><script>
const late = (ms) => new Promise((done) => setTimeout(() => done("late"), ms));
const soon = (event) => Promise.race([event, late(4000)]);
const element = (name, fields, place = document.body) => soon(new Promise((done) => {
    const made = document.createElement(name);
    for (const kind of ["load", "error", "loadedmetadata", "abort"]) {
        made.addEventListener(kind, () => done(
            [kind, made.naturalWidth ?? "", made.duration ?? "", made.error?.code ?? ""].join()));
    }
    Object.assign(made, fields);
    place.append(made);
}));
const asked = (url, way) => fetch(url, way).then(
    (answer) => [answer.type, answer.status, answer.redirected].join(), (error) => error.name);
const framed = (name, field) => async (url) => {
    const made = document.createElement(name);
    const event = new Promise((done) => {
        made.onload = () => done("load");
        made.onerror = () => done("error");
    });
    made[field] = url;
    document.body.append(made);
    const seen = [await Promise.race([event, late(1500)])];
    try { seen.push(made.contentWindow.length); } catch (error) { seen.push(error.name); }
    try { seen.push(made.contentWindow.location.href); } catch (error) { seen.push(error.name); }
    return seen.join();
};
const where = (opened) => {
    try { return opened.closed ? "closed" : opened.location.href; } catch { return "elsewhere"; }
};
const until = async (opened, wanted, most = 4000) => {
    for (const begun = performance.now(); performance.now() - begun < most; await late(20)) {
        if (wanted(where(opened))) break;
    }
};
const away = (place) => place === "closed" || place === "elsewhere";
const state = async (opened) => {
    // A new process takes its time, and longer where the machine is busy.
    const patience = location.search ? 9000 : 600;
    await until(opened, (place) => place === "closed", patience);
    const seen = [opened.closed];
    try { seen.push(opened.length); } catch (error) { seen.push(error.name); }
    try { seen.push(opened.location.href); } catch (error) { seen.push(error.name); }
    return seen.join();
};
const WAYS = {
    chain: (url) => asked("/chain?left=19&to=" + encodeURIComponent(url), {mode: "no-cors"}),
    image: (url) => element("img", {src: url}),
    script: (url) => element("script", {src: url}),
    style: (url) => element("link", {rel: "stylesheet", href: url}),
    preload: (url) => element("link", {rel: "preload", as: "image", href: url}),
    prefetch: (url) => element("link", {rel: "prefetch", href: url}),
    video: (url) => element("video", {src: url}),
    audio: (url) => element("audio", {src: url}),
    frame: framed("iframe", "src"),
    object: framed("object", "data"),
    embed: framed("embed", "src"),
    opened: async (url) => {
        const opened = open(url, "_blank");
        await until(opened, away);
        const seen = await state(opened);
        opened.close();
        return seen;
    },
    led: async (url) => {  // a window of ours that is led there later: was it a page, or a file?
        const opened = open("/blank", "_blank");
        await until(opened, (place) => place.endsWith("/blank"));
        opened.location = url;
        await until(opened, away);
        const seen = await state(opened);
        opened.close();
        return seen;
    },
};
const TIMED = {
    fetch: (url) => asked(url, {mode: "no-cors"}),
    cached: (url) => asked(url, {mode: "no-cors", cache: "force-cache"}),
    image: WAYS.image,
    script: WAYS.script,
    frame: (url) => soon(new Promise((done) => {
        const made = document.createElement("iframe");
        made.onload = () => { made.remove(); done(); };
        made.src = url;
        document.body.append(made);
    })),
    opened: async (url) => {
        const opened = open(url, "_blank");
        while (!away(where(opened))) await new Promise((done) => setTimeout(done));
        setTimeout(() => opened.close(), 50);
    },
};
async function compare(pairs) {
    const told = {};
    for (const [name, way] of Object.entries(WAYS)) {
        for (const [what, held, none] of pairs) {
            const seen = [await way(held), await way(none)].map(
                (each, at) => JSON.stringify(each).replaceAll([held, none][at], "URL"));
            if (seen[0] !== seen[1]) told[name + " of " + what] = seen;
        }
    }
    return told;
}
async function timed(name, held, none, times) {
    const found = [[], []];
    for (let turn = 0; turn < 2 * times; turn++) {
        const which = (turn + (turn >> 1)) % 2;  // each as often first as second
        const begun = performance.now();
        await TIMED[name]([held, none][which]);
        found[which].push(performance.now() - begun);
    }
    return found;
}
</script>"""


def picture(width: int = 40) -> bytes:
    """A PNG."""
    rows = zlib.compress((b"\0" + b"\0" * width) * width)
    parts = [(b"IHDR", struct.pack(">IIBBBBB", width, width, 8, 0, 0, 0, 0)), (b"IDAT", rows)]
    chunks = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in [*parts, (b"IEND", b"")]
    )
    return b"\x89PNG\r\n\x1a\n" + chunks


def sound() -> bytes:
    """A second of silence."""
    return b"RIFF" + struct.pack("<I4s4sIHHIIHH4sI", 8036, b"WAVE", b"fmt ", 16, 1, 1, 8000, 8000,
                                 1, 8, b"data", 8000) + b"\x80" * 8000  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    """The spy's own site, and the site without protection: what is held has an answer there."""

    def do_GET(self) -> None:
        """Answer, if whoever asks is still there."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self._get(unquote(self.path))

    def _get(self, path: str) -> None:
        if path.startswith("/chain"):
            left = int(path.partition("left=")[2].partition("&")[0])
            to = self.path.partition("&to=")[2]
            place = f"/chain?left={left - 1}&to={to}" if left else unquote(to)
            self._answer(302, b"", "text/plain", place)
        elif path.startswith("/spy"):
            self._answer(200, SPY.encode(), "text/html")
        elif path.startswith("/lookup"):
            if "none" in path:
                self._answer(404, b"no", "text/plain")
            else:
                time.sleep(int("0" + path.partition("?ms=")[2]) / 1000)  # it looks for it
                self._answer(302, b"", "text/plain", "/page-held")
        elif path.startswith("/picture-held"):
            self._answer(200, picture(), "image/png")
        elif path.startswith("/sound-held"):
            self._answer(200, sound(), "audio/wav")
        elif path.startswith("/script-held"):
            self._answer(200, b"1", "text/javascript")
        elif path.startswith("/file-held"):
            self._answer(200, b"a", "text/html", file=True)
        elif path.startswith("/page-held"):
            self._answer(200, b"<iframe srcdoc=a></iframe><iframe srcdoc=b></iframe>", "text/html")
        else:
            self._answer(404 if "none" in path else 200, b"<p>", "text/html")

    def _answer(
        self, status: int, body: bytes, kind: str, place: str = "", *, file: bool = False
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if place:
            self.send_header("Location", place)
        if file:
            self.send_header("Content-Disposition", "attachment")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def elsewhere() -> Iterator[int]:
    """The port of a site of a spy; it is on this machine, at whatever address of it."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.fixture
def pages(archive: Path) -> dict[str, str]:
    """Names of what is held, by kind."""
    page = b"<title>Held</title><iframe srcdoc=a></iframe><p>The tide of the twelfth."
    with Archive.open(archive) as held:
        shown = held.add(page, name="held.html", uri=HELD).document
        names = {each.format: each.pdi for each in shown.formats}
        names["png"] = held.add(picture(), name="a.png").pdi
        names["inside"] = held.add(page + b"inside", name="b.html", uri=HELD + "2").document.pdi
        held.access.standing(names["inside"], Choice(access="building"))
        return names | {"document": shown.pdi}


def pairs(base: str, pages: dict[str, str]) -> list[tuple[str, str, str]]:
    """What is asked for: each held, and likewise not."""
    looks = ["/uri-res/L2R?{}", "/web/2026/{}", "/-/search?q={}", "/-/follow?to={}"]
    looks += ["/-/calendar?to={}", "/-/timegate/{}", "/-/timemap/link/{}", "/-/api/search?q={}"]
    asked = [(each, each.format(HELD), each.format(OTHER)) for each in looks]
    for kind, view in (("html", ""), ("html", "?view=bytes"), ("utf-8", "?view=bytes")):
        name = pages[kind]
        asked.append((f"{kind}{view}", f"/{name}{view}", f"/{name}9{view}"))
    asked.append(("png", f"/{pages['png']}?view=bytes", f"/{pages['png']}9?view=bytes"))
    name = pages["document"]
    named = ["/{}", "/-/page/{}", "/-/versions/{}", "/-/api/document?name={}"]
    asked += [(each, each.format(name), each.format(f"{name}9")) for each in named]
    asked.append(("proof", f"/-/api/proof?name={name}", f"/-/api/proof?name={name}9"))
    return [(what, base + held, base + none) for what, held, none in asked]


@contextlib.contextmanager
def spying(browser: Browser, origin: str, search: str = "?patient") -> Iterator[Page]:
    """A page of a spy, which may open windows, and wait long until they are taken from it."""
    context = browser.new_context(accept_downloads=False)
    page = context.new_page()
    page.set_default_timeout(300_000)
    page.goto(f"{origin}/spy{search}")
    yield page
    context.close()


SITES = ["http://localhost", "http://127.0.0.1"]
"""Another site, and the same site at another port."""


@pytest.mark.parametrize("origin", [SITES[0], pytest.param(SITES[1], marks=pytest.mark.deep)])
def test_a_hostile_origin_tells_nothing_apart(
    archive: Path,
    pages: dict[str, str],
    elsewhere: int,
    browser: Browser,
    origin: str,
    times: Callable[[int, int], int],
) -> None:
    with served(archive) as running, spying(browser, f"{origin}:{elsewhere}") as spy:
        wanted = pairs(running.base, pages)[:: times(9, 1)]
        assert spy.evaluate("pairs => compare(pairs)", wanted) == {}


def test_each_way_tells_apart_where_nothing_protects(elsewhere: int, browser: Browser) -> None:
    base = f"http://127.0.0.1:{elsewhere}"
    kinds = ("lookup", "page", "picture", "sound", "script", "file")
    wanted = [(kind, f"{base}/{kind}-held", f"{base}/{kind}-none") for kind in kinds]
    with spying(browser, f"http://localhost:{elsewhere}", "") as spy:
        told = spy.evaluate("pairs => compare(pairs)", wanted)
        ways = spy.evaluate("Object.keys(WAYS)")
    assert {each.partition(" of ")[0] for each in told} == set(ways)


def test_who_is_in_the_building_lends_it_to_no_page(
    archive: Path,
    pages: dict[str, str],
    elsewhere: int,
    browser: Browser,
    times: Callable[[int, int], int],
) -> None:
    name = pages["inside"]
    options = ("--public", "--building", "127.0.0.1")
    with served(archive, *options) as running:
        wanted = [
            (path, running.base + path.format(name), running.base + path.format(f"{name}9"))
            for path in ("/{}", "/-/api/document?name={}", "/{}?view=bytes")[: times(1, 3)]
        ]
        with spying(browser, f"http://localhost:{elsewhere}") as spy:
            assert spy.evaluate("pairs => compare(pairs)", wanted) == {}
            spy.goto(running.base + "/" + name)
            assert "Held" in spy.title()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_link_on_the_page_of_another_site_leads_here(
    archive: Path, pages: dict[str, str], site: Site, browser: Browser, *, scripts: bool
) -> None:
    context = browser.new_context(java_script_enabled=scripts)
    with served(archive) as running, contextlib.closing(context):
        name = pages["utf-8"]
        link = f'<a href="{running.base}/{name}#char=0,4">x</a>'
        page = context.new_page()
        page.goto(site.put("/link.html", "text/html", link).replace("127.0.0.1", "localhost"))
        page.click("a")
        expect(page).to_have_title(re.compile("Held"))
        if scripts:
            page.wait_for_url("**rfc5147=char*")
            page.go_back()
            page.wait_for_url("**/link.html")


TELLING = 0.25
"""So far from a half, times tell two apart: of 40 and 40, chance goes there once in 10,000."""

PAUSES_MS = (20, 100, 500, 2000)
"""What a site without protection may take longer; more, where the machine is busy."""


def likelier(one: list[float], other: list[float]) -> float:
    """How likely one of the first is more than one of the second; a half where nothing tells."""
    pairs = [(a > b) + (a == b) / 2 for a in one for b in other]
    return sum(pairs) / len(pairs)


@pytest.mark.deep
@pytest.mark.timeout(3 * 3600)
def test_no_time_tells_apart(
    archive: Path, pages: dict[str, str], elsewhere: int, browser: Browser
) -> None:
    looks = [f"/uri-res/L2R?{HELD}", f"/-/search?q={HELD}", f"/-/follow?to={HELD}"]
    asked = [(each, each.replace(HELD, OTHER)) for each in looks]
    asked.append((f"/{pages['html']}", f"/{pages['html']}9"))
    control = f"http://127.0.0.1:{elsewhere}/lookup-"
    call = "([way, held, none]) => timed(way, held, none, 40)"
    found = {}
    with served(archive) as running, spying(browser, f"http://localhost:{elsewhere}") as spy:
        for way in spy.evaluate("Object.keys(TIMED)"):
            for pause in PAUSES_MS:
                told = spy.evaluate(call, [way, f"{control}held?ms={pause}", f"{control}none"])
                found[way, f"{pause} ms without protection"] = likelier(*told)
                if likelier(*told) > 0.5 + TELLING:
                    break
            else:
                pytest.fail(f"{way} tells nothing without protection: {found}")
            for held, none in asked:
                told = spy.evaluate(call, [way, running.base + held, running.base + none])
                found[way, held] = likelier(*told)
    print("how likely what is held takes longer:", found)  # noqa: T201 - of interest where it holds
    telling = {each for each, share in found.items() if abs(share - 0.5) > TELLING}
    assert {each for each in telling if "without protection" not in each[1]} == set(), found


def test_what_a_person_has_seen_is_in_no_cache_for_others(
    archive: Path, pages: dict[str, str], elsewhere: int, browser: Browser, tmp_path: Path
) -> None:
    log = tmp_path / "access.log"
    seen = [f"/{pages['html']}", f"/-/page/{pages['html']}", f"/{pages['png']}?view=bytes"]
    with served(archive, "--access-log", str(log)) as running:
        with spying(browser, f"http://127.0.0.1:{elsewhere}") as spy:
            person = spy.context.new_page()
            for path in seen:
                person.goto(running.base + path)
            person.goto(running.base + "/")
            for path in seen:
                person.evaluate("path => fetch(path).then((answer) => answer.blob())", path)
            before = log.read_text().count(chr(10))
            for path in seen:
                for way in ("force-cache", "default"):
                    call = "([url, cache]) => asked(url, {mode: 'no-cors', cache})"
                    assert spy.evaluate(call, [running.base + path, way]) == "TypeError"
        running.process.terminate()
        running.process.wait(30)
    lines = [json.loads(line) for line in log.read_text().splitlines()[before:]]
    assert [line["status"] for line in lines] == [403] * 6, "each was asked for anew, and refused"


WRITING = """async ([base, name]) => {
    const form = document.createElement("form");
    const target = document.createElement("iframe");
    target.name = "target";
    document.body.append(target, form);
    Object.assign(form, {method: "post", target: "target"});
    form.innerHTML = '<input name=reference><input name=quote value=tide><input name=to>';
    form.elements[0].value = name;
    form.elements[2].value = location.origin + "/blank";
    const body = new URLSearchParams({reference: name, quote: "tide", kind: "tag", text: "x"});
    const json = JSON.stringify(Object.fromEntries(body));
    const seen = [];
    for (const path of ["/-/cite", "/-/api/cite", "/-/save", "/-/jottings", "/-/api/jottings"]) {
        navigator.sendBeacon(base + path, body);
        navigator.sendBeacon(base + path, json);
        for (const sent of [body, json]) {
            seen.push(await asked(base + path, {method: "POST", mode: "no-cors", body: sent}));
            seen.push(await asked(base + path, {method: "POST", body: sent}));
        }
        form.action = base + path;
        form.submit();
        await new Promise((done) => { target.onload = done; setTimeout(done, 3000); });
        const opened = open("", "window");
        form.target = "window";
        form.submit();
        await until(opened, away);
        form.target = "target";
    }
    for (const place of [name, "pdi://lab.example.us/"]) {
        seen.push(await asked(base + "/" + place, {method: "PUT", body: "x"}));
        seen.push(await asked(base + "/" + place, {method: "DELETE"}));
    }
    return [...new Set(seen)];
}"""


@pytest.mark.parametrize(
    ("origin", "options"),
    [
        (SITES[0], ("--writable",)),
        (SITES[1], ("--writable", "--public")),
        pytest.param(SITES[0], ("--writable", "--public"), marks=pytest.mark.deep),
        pytest.param(SITES[1], ("--writable",), marks=pytest.mark.deep),
    ],
)
def test_a_hostile_origin_writes_nothing(
    archive: Path,
    pages: dict[str, str],
    elsewhere: int,
    browser: Browser,
    origin: str,
    options: tuple[str, ...],
) -> None:
    with Archive.open(archive) as held:
        size = held.log.state().size
    with (
        served(archive, *options) as running,
        spying(browser, f"{origin}:{elsewhere}") as spy,
    ):
        assert spy.evaluate(WRITING, [running.base, pages["html"]]) == ["TypeError"]
    with Archive.open(archive) as held:
        assert held.log.state().size == size
        assert list(held.annotations.list()) == []


def test_a_name_of_another_that_leads_here_is_refused(
    archive: Path, pages: dict[str, str], elsewhere: int, chromium: str, playwright: Playwright
) -> None:
    rules = "--host-resolver-rules=MAP evil.example 127.0.0.1"
    bound = playwright.chromium.launch(executable_path=chromium, args=[*BROWSER_ARGUMENTS, rules])
    with served(archive) as running, contextlib.closing(bound):
        port = running.base.rpartition(":")[2]
        page = bound.new_page()
        page.goto(f"http://evil.example:{elsewhere}/page-held")
        assert page.locator("iframe").count() == 2, "the name leads here"
        for path in ("/", f"/{pages['html']}", f"/{pages['html']}?view=bytes"):
            answer = page.goto(f"http://evil.example:{port}{path}")
            assert answer is not None
            assert answer.status == 400
            assert "Held" not in page.content()
        page.goto(f"http://evil.example:{port}/")
        read = "path => fetch(path).then((answer) => answer.text())"
        assert "tide" not in page.evaluate(read, f"/{pages['html']}?view=bytes")
