"""Pages drawn by a real Chromium: every octet as it was served, and pages that want to do harm."""

from __future__ import annotations

import gzip
import time
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import brotli
import pytest
from tests.faces.site import Answer, lookup, only_here, serving
from tests.faces.test_browsing import folder, program

from permacite.capture.browsing.chromium import Browser
from permacite.capture.browsing.drawing import draw_page
from permacite.capture.credentials import read_credentials
from permacite.capture.model import FetchLimits, FetchOptions
from permacite.errors import CaptureError
from permacite.loops import to_the_end

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.site import Routes, Site

    from permacite.capture.browsing.program import Program
    from permacite.capture.model import Capture

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("folder")]
__all__ = ["folder", "program"]  # fixtures


def drawn(program: Program, routes: Routes, **options: Any) -> tuple[Capture, Site]:
    """What the page / of a site is captured as."""

    async def run() -> tuple[Capture, Site]:
        async with serving(routes) as site, Browser.started(program) as browser:
            given = {"limits": FetchLimits(total_s=40, load_s=15)} | options
            limits = given.pop("limits")
            captured = await draw_page(
                browser,
                site.uri("/"),
                FetchOptions(limits, lookup=lookup, credentials=given.pop("credentials", None)),
                refuse=only_here,
                **given,
            )
            return captured, site

    return to_the_end(run())


def of(pages: dict[str, Answer], *, otherwise: Answer | None = None) -> Routes:
    """Answers by path; what is not there is 404."""
    missing = otherwise or Answer(b"none", status=404)
    return lambda path, _: pages.get(path.partition("?")[0], missing)


OCTETS = bytes(range(256)) * 8
LATIN = "<p>\u201cna\u00efve\u201d".encode("windows-1252")
JS = "text/javascript"
EVERYTHING = {
    "/": Answer(
        b"""<!doctype html><title>\xe4</title><link rel=stylesheet href=/style.css>
        <link rel=stylesheet media=print href=/print.css><img src=/there srcset="/twice.png 2x">
        <img src=/odd.bin?q='|'><script src=/app.js></script><video src=/sound.wav></video>
        <iframe src=//other.example:PORT/frame></iframe><p>served</p>""",
        "text/html; charset=iso-8859-1",
        200,
        (("Set-Cookie", "a=1"), ("X-Odd", "caf\xe9"), ("Set-Cookie", "b=2")),
    ),
    "/style.css": Answer(
        gzip.compress(b"@import '/more.css'; @font-face {font-family: f; src: url(/f.woff2)}"),
        "text/css",
        200,
        (("Content-Encoding", "gzip"),),
    ),
    "/more.css": Answer(b"body {font-family: f; background: url(/back.png)}", "text/css"),
    "/print.css": Answer(b"p {color: black}", "text/css"),
    "/f.woff2": Answer(OCTETS, "font/woff2"),
    "/back.png": Answer(OCTETS[1:], "image/png"),
    "/twice.png": Answer(OCTETS[2:], "image/png"),
    "/odd.bin": Answer(OCTETS[3:], ""),
    "/there": Answer(status=302, fields=(("Location", "/here"),)),
    "/here": Answer(OCTETS[4:], "image/png"),
    "/sound.wav": Answer(OCTETS, "audio/wav"),
    "/frame": Answer(LATIN, "text/html"),
    "/app.js": Answer(
        b"""fetch("/data.json").then((got) => got.json()).then((got) => {
            document.querySelector("p").append(got.words);
            setTimeout(() => document.body.append("after five seconds"), 5000);
        });
        fetch("/nothing"); fetch("/asked", {method: "POST", body: "x"});
        fetch("/coded"); new Worker("/worker.js");""",
        JS,
    ),
    "/data.json": Answer(b'{"words": " drawn \xf0\x9f\x98\x80"}\xff'[:-1], "application/json"),
    "/nothing": Answer(status=204),
    "/asked": Answer(b"answered", "text/plain"),
    "/coded": Answer(brotli.compress(OCTETS), "text/plain", 200, (("Content-Encoding", "br"),)),
    "/worker.js": Answer(b"importScripts('/part.js'); fetch('/from-worker')", JS),
    "/part.js": Answer(b"/* \xff */", JS),
    "/from-worker": Answer(OCTETS[5:], "text/plain; charset=utf-16"),
}


def test_every_resource_is_kept_to_the_octet(program: Program) -> None:

    def routes(path: str, fields: dict[str, str]) -> Answer | None:
        answer = of(EVERYTHING)(path, fields)
        assert answer is not None
        at = fields["host"].partition(":")[2].encode()
        return answer._replace(content=answer.content.replace(b"PORT", at))

    captured, site = drawn(program, routes)
    port = str(site.port).encode()
    got = {each.uri.split("/", 3)[3].partition("?")[0]: each for each in captured.exchanges}
    served = {
        path[1:]: each for path, each in EVERYTHING.items() if path not in {"/asked", "/here"}
    }
    decoded = {
        "style.css": gzip.decompress(EVERYTHING["/style.css"].content),
        "": EVERYTHING["/"].content.replace(b"PORT", port),
        "there": EVERYTHING["/here"].content,
    }
    for path, answer in served.items():
        if path == "coded":  # no browser takes br over plain http
            continue
        assert got[path].content == decoded.get(path, answer.content), path
    assert ("Set-Cookie", "b=2") in captured.root.response_headers
    assert got["there"].final_uri.endswith("/here")
    assert [each.status for each in got["there"].redirects] == [302]
    assert got["odd.bin"].sniffed
    assert {each.peer_address for each in captured.exchanges} == {"127.0.0.9"}
    assert len({path for path, _ in site.asked}) == len(EVERYTHING) + 1  # favicon.ico
    times = [path for path, _ in site.asked]
    assert [path for path in {*times} if times.count(path) > 1 and path != "/coded"] == []
    assert captured.drawing is not None
    assert captured.drawing["quiet"] is True


def test_credentials_go_where_they_belong_and_on_no_record(program: Program) -> None:
    page = b"<img src=/own><img src=//other.example:PORT/theirs><img src=/away>"

    def routes(path: str, fields: dict[str, str]) -> Answer:
        port = fields["host"].partition(":")[2]
        if path == "/away":
            there = f"http://other.example:{port}/led"
            return Answer(status=302, fields=(("Location", there),))
        return Answer(page.replace(b"PORT", port.encode()) if path == "/" else b"")

    cookies = "site.example\tFALSE\t/\tFALSE\t0\tpass\tsecret-cookie"
    credentials = read_credentials("X-Key: secret-key", cookies)
    captured, site = drawn(program, routes, credentials=credentials)
    said = dict(site.asked)
    for path in ("/", "/own", "/away"):
        assert said[path].get("x-key") == "secret-key", path
        assert "secret-cookie" in said[path].get("cookie", ""), path
    for path in ("/theirs", "/led"):
        assert "x-key" not in said[path], path
        assert "cookie" not in said[path], path
    assert "secret" not in str(captured.record())


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("<script>setInterval(() => fetch('/more?' + Math.random()), 1)</script>", "parts"),
        ("<script>setTimeout(() => { for (;;); }, 50)</script>", ""),
        ("<script>for (let i = 0; i < 20; i++) window.open('/w' + i)</script>", "window"),
        ("<script>setTimeout(() => location = '/away', 9000)</script>", ""),
        ("<script>onload = () => setTimeout(() => alert(1))</script><p>after</p>", ""),
        ("<meta http-equiv=refresh content='999; url=/away'>", ""),
        ("<a id=a download href=/file></a><script>a.click()</script>", "download"),
        ("<script>fetch('/never'); new EventSource('/events')</script>", ""),
    ],
    ids=["requests", "loop", "windows", "away", "dialog", "refresh", "download", "hang"],
)
def test_pages_that_never_end_are_ended(
    program: Program, folder: Path, page: str, told: str
) -> None:
    def routes(path: str, _: dict[str, str]) -> Answer | None:
        if path == "/never":
            return None
        if path == "/events":
            return Answer(b"data: 1\n\n", "text/event-stream")
        return Answer(f"<!doctype html>{page}".encode() if path == "/" else b"x")

    limits = FetchLimits(total_s=30, load_s=6, parts=50)
    captured, site = drawn(program, routes, limits=limits)
    assert page.encode() in captured.root.content
    reasons = {each.reason for each in (*captured.failures, *captured.left_out)}
    assert not told or told in reasons
    assert "/away" not in {path for path, _ in site.asked}
    assert list(folder.iterdir()) == []


def test_a_deep_tree_is_drawn_or_told(program: Program, times: Callable[[int, int], int]) -> None:
    """Layout goes down a tree step by step: what is too deep is kept as it was served."""
    depth = times(2_000, 20_000)
    page = f"""<!doctype html><p>words</p><script>let node = document.body;
    for (let i = 0; i < {depth}; i++) node = node.appendChild(document.createElement("b"));
    node.append("deep")</script>""".encode()
    captured, _ = drawn(program, of({"/": Answer(page)}))
    assert captured.root.content == page
    assert captured.drawing is not None
    if captured.drawn is None:
        assert "its layout takes too long" in str(captured.drawing["not_frozen"])
    else:
        assert captured.drawn.text == "words\r\n\r\ndeep\r\n"


def test_a_page_that_leads_on_is_followed(program: Program) -> None:
    pages = {
        "/": Answer(b"<script>location.replace('/second')</script>"),
        "/second": Answer(b"<meta http-equiv=refresh content='1; url=/third'>"),
        "/third": Answer(b"<p>there"),
    }
    captured, _ = drawn(program, of(pages))
    assert captured.root.content == b"<p>there"
    assert [each.content for each in captured.led_by] == [
        pages["/"].content,
        pages["/second"].content,
    ]


def test_walls_and_errors_are_named(program: Program) -> None:
    challenge = Answer(
        b"<title>Just a moment...</title>", status=403, fields=(("cf-mitigated", "challenge"),)
    )
    with pytest.raises(CaptureError, match=r"403.*: it is Cloudflare's challenge") as error:
        drawn(program, of({"/": challenge}))
    assert error.value.reason == "wall"
    with pytest.raises(CaptureError, match="the server answers 404") as error:
        drawn(program, of({}))
    assert (error.value.reason, error.value.status) == ("status", 404)


def test_a_page_that_allocates_for_ever_is_ended(program: Program, folder: Path) -> None:
    page = b"<script>const all = []; for (;;) all.push(new Uint8Array(1e8).fill(1))</script>"
    try:
        captured, _ = drawn(program, of({"/": Answer(page)}))
    except CaptureError as error:  # it brought its process down
        told = error.reason
    else:  # it was refused more memory
        told = captured.root.content.decode()
    assert told in {"browser", page.decode()}
    assert list(folder.iterdir()) == []


BUSY = """<!doctype html><title>Busy</title><link rel=stylesheet href=/kept.css>
<link rel=stylesheet href=/linked.css media=screen><p id=a>first</p><x-shut></x-shut>
<iframe src="http://other.example:PORT/frame" width=300 height=80></iframe>
<div style="height: 2500px"></div><img loading=lazy src=/lazy.png><div id=seen></div>
<div style="height: 1200px"></div><script>
const say = (words) => document.querySelector("#a").append(" " + words);
document.styleSheets[1].insertRule("p { background-image: url(img/dot.png) }");
const shut = document.querySelector("x-shut").attachShadow({mode: "closed"});
shut.innerHTML = "<p>shut words</p>";
say([alert("x"), confirm("sure?"), prompt("name?")].join("/"));
say(Notification.permission); say(open("/window"));
navigator.permissions.query({name: "geolocation"}).then((got) => say("place " + got.state));
setTimeout(() => say("soon"), 3000); setTimeout(() => say("logout"), 15 * 60 * 1000);
say(Math.abs(Date.now() - BEGUN) < 60000 ? "today" : "another day");
new IntersectionObserver(([got], me) => {
  if (got.isIntersecting) { me.disconnect(); fetch("/more").then((a) => a.text()).then(say); }
}).observe(document.querySelector("#seen"));
</script>"""


def test_what_pages_do_is_drawn_and_frozen(program: Program) -> None:
    """Linked sheets that scripts change, frames of others, what waits to be seen, what asks."""
    pages = {
        "/linked.css": Answer(b"p { color: rgb(1, 2, 3) } b { top: 0 }", "text/css"),
        "/kept.css": Answer(b"@media all { i { top: 0; background: url(i.png) } }", "text/css"),
        "/frame": Answer(
            b"<p>theirs</p><script>document.body.attachShadow({mode: 'closed'}).innerHTML ="
            b" '<slot></slot><p>shut in theirs</p>'</script>"
        ),
        "/lazy.png": Answer(OCTETS, "image/png"),
        "/more": Answer(b"more came", "text/plain"),
    }

    def routes(path: str, fields: dict[str, str]) -> Answer:
        port = fields["host"].partition(":")[2]
        page = BUSY.replace("PORT", port).replace("BEGUN", str(time.time() * 1000))
        return pages.get(path) or Answer(page.encode() if path == "/" else b"x")

    captured, site = drawn(program, routes)
    asked = {path for path, _ in site.asked}
    assert {"/lazy.png", "/more", "/img/dot.png", "/i.png"} <= asked
    assert "/window" not in asked
    assert captured.drawn is not None
    first, *others = captured.drawn.text.split("\r\n")
    said = ["first /false/", "denied null", "today", "place denied", "soon", "more came"]
    assert all(words in first for words in said), first
    assert "logout" not in first
    assert {"shut words", "theirs", "shut in theirs"} <= set(others)
    source = captured.drawn.root.content.decode()
    assert (
        f'<style media="screen">p {{ background-image: url("{site.uri("/img/dot.png")}"); }}'
        in (source)
    )
    assert "p { color: rgb(1, 2, 3); }" in source
    assert '<link rel="stylesheet" href="/kept.css">' in source
    assert captured.drawn.view["frames"] == [site.uri("/frame", "other.example")]


WALLED = """<p id=a>Article.</p><div id=wall>We ask <button onclick="
setTimeout(() => { a.append(' Answered.'); wall.remove(); fetch('/more') }, 100)">No</button></div>
<script>a.append(' Drawn.'); open('/window')</script>"""
ANSWERS = [
    # a behaviour, the words that are drawn then, what is told of it
    ("document.querySelector('button').click()", "Article. Drawn. Answered.", ""),
    ("location = '/next'", "Next page", ""),
    ("(async () => { await nothing() })()", "Article. Drawn.\n\nWe ask\nNo", "ReferenceError"),
]


def test_a_behaviour_is_run_before_the_page_is_kept(program: Program) -> None:
    pages = {"/": Answer(WALLED.encode()), "/next": Answer(b"Next page"), "/more": Answer(b"+")}
    for script, words, told in ANSWERS:
        captured, site = drawn(program, of(pages), behaviour=script)
        assert captured.drawn is not None
        assert captured.drawn.text.split() == words.split()
        assert ("/more" in [path for path, _ in site.asked]) == ("Answered" in words)
        behaved: Any = (captured.drawing or {})["behaviour"]
        assert behaved["digest"] == f"sha-256:{sha256(script.encode()).hexdigest()}"
        assert str(behaved.get("problem", "")).startswith(told)
        assert ("problem" in behaved) == bool(told)
