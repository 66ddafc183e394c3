"""A page that knocks at inside addresses, in every spelling and every way: nothing gets out.

Each way is also tried at an address that is allowed, so that it is known to work.
"""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING

import pytest
from tests.faces.site import HERE, Answer, lookup, only_here, serving, trap
from tests.faces.test_browsing import folder, program

from permacite.capture.browsing.chromium import Browser
from permacite.capture.browsing.drawing import draw_page
from permacite.capture.model import FetchLimits, FetchOptions
from permacite.loops import to_the_end

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.capture.browsing.program import Program
    from permacite.capture.model import Capture

pytestmark = pytest.mark.browser
__all__ = ["folder", "program"]  # fixtures

_SPELLINGS = """
127.0.0.1 127.1 127.0.1 127.0.0.1. 127.000.000.001 2130706433 0x7f000001 0x7F.1 0x7f.0x0.0x0.0x1
017700000001 0177.0.0.1 0177.1 %31%32%37.0.0.1 127.0.0.2 127.255.255.254 127。0。0。1 １２７.0.0.1
①②⑦.⓪.⓪.① 0 0.0.0.0 00 localhost LOCALHOST localhost. a.localhost localhost.localdomain
ip6-localhost user:word@127.0.0.1 [::1] [0:0:0:0:0:0:0:1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1]
[::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] [fe80::1] [fd00::1] [fec0::1] 10.0.0.1 192.168.0.1
172.16.0.1 100.64.0.1 169.254.169.254 metadata.google.internal inside.example a.inside.example
mixed.example
"""  # noqa: RUF001 - digits that browsers take for digits
SPELLINGS = _SPELLINGS.split()

WAYS = """
const at = (host, port, path) => `//${host}:${port}/${path}`;
const make = (name, given, inside = "") => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(given)) element.setAttribute(key, value);
    element.innerHTML = inside;
    document.body.append(element);
    return element;
};
const script = (text) => URL.createObjectURL(new Blob([text], {type: "text/javascript"}));
const WAYS = {
    image: (to) => make("img", {src: to}),
    srcset: (to) => make("img", {srcset: to + " 1x"}),
    fetch: (to) => fetch(to, {mode: "no-cors"}).catch(() => 0),
    xhr: (to) => { const x = new XMLHttpRequest(); x.open("GET", to); x.send(); },
    post: (to) => fetch(to, {method: "POST", mode: "no-cors", body: "x"}).catch(() => 0),
    beacon: (to) => navigator.sendBeacon(to, "x"),
    frame: (to) => make("iframe", {src: to}),
    refresh: (to) => make("iframe", {srcdoc: `<meta http-equiv=refresh content="0;url=${to}">`}),
    form: (to) => {
        make("iframe", {name: "to" + to});
        make("form", {action: to, target: "to" + to, method: "post"}).submit();
    },
    script: (to) => make("script", {src: to}),
    module: (to) => make("script", {type: "module", src: to}),
    imported: (to) => import(to).catch(() => 0),
    style: (to) => make("link", {rel: "stylesheet", href: to}),
    css: (to) => make("style", {}, `@import "${to}"; b {background: url("${to}")}`),
    font: (to) => new FontFace("f", `url("${to}")`).load().catch(() => 0),
    video: (to) => make("video", {src: to, preload: "auto"}),
    track: (to) => make("video", {}, `<track default src="${to}">`).textTracks[0].mode = "showing",
    object: (to) => make("object", {data: to}),
    embed: (to) => make("embed", {src: to}),
    svg: (to) => make("p", {}, `<svg><image href="${to}"/><use href="${to}#a"/></svg>`),
    events: (to) => new EventSource(to),
    worker: (to) => new Worker(script(`fetch("${to}", {mode: "no-cors"}); importScripts("${to}")`)),
    shared: (to) => new SharedWorker(script(`fetch("${to}", {mode: "no-cors"})`)),
    redirect: (to) => make("img", {src: "/to?" + to}),
    redirected: (to) => fetch("/to?" + to, {mode: "no-cors"}).catch(() => 0),
    report: (to) => make("a", {href: "#", ping: to}).click(),
    window: (to) => window.open(to),
};
const SILENT = {
    preconnect: (to) => make("link", {rel: "preconnect", href: to}),
    prefetch: (to) => make("link", {rel: "prefetch", href: to}),
    preload: (to) => make("link", {rel: "preload", as: "image", href: to}),
    dns: (to) => make("link", {rel: "dns-prefetch", href: to}),
    prerender: (to) => make("script", {type: "speculationrules"},
        JSON.stringify({prerender: [{urls: [to]}], prefetch: [{urls: [to]}]})),
    socket: (to) => new WebSocket(to.replace("http", "ws")),
    transport: (to) => new WebTransport(to.replace("http:", "https:")).ready.catch(() => 0),
};
const call = (host, port) => {
    const bare = host.replace(/^.*@/, "");
    for (const urls of [`stun:${bare}:${port}`, `turn:${bare}:${port}?transport=tcp`,
                        `turn:${bare}:${port}?transport=udp`]) {
        try {
            const peer = new RTCPeerConnection(
                {iceServers: [{urls, username: "u", credential: "c"}]});
            peer.createDataChannel("d");
            peer.createOffer().then((offer) => peer.setLocalDescription(offer));
        } catch {}
    }
};
"""


def page(knocking: str) -> bytes:
    return f"<!doctype html><body><p>words</p><script>{WAYS}{knocking}</script>".encode()


async def drawn(
    program: Program, path: str, knocking: str, knocks: list[str]
) -> tuple[Capture, set[str]]:
    """What a page is captured as, and which paths of its site were asked for."""

    def routes(path: str, _: dict[str, str]) -> Answer:
        if path.startswith("/to?"):
            return Answer(status=302, fields=(("Location", path.removeprefix("/to?")),))
        if path not in {"/knocking", "/reaching"}:
            return Answer(media_type="text/plain")
        return Answer(page(knocking.replace("PORT", str(port)).replace("SITE", str(site.port))))

    async with trap(knocks) as port, serving(routes) as site, Browser.started(program) as browser:
        captured = await draw_page(
            browser,
            site.uri(path),
            FetchOptions(FetchLimits(parts=5000, total_s=200), lookup=lookup),
            refuse=only_here,
        )
        return captured, {each.partition("?")[0] for each, _ in site.asked}


@pytest.mark.usefixtures("folder")
def test_no_spelling_of_an_inside_address_is_reached_in_any_way(
    program: Program, times: Callable[[int, int], int]
) -> None:
    hosts = [*SPELLINGS, socket.gethostbyname(socket.gethostname())]
    every = times(5, 1)  # in a sample each spelling is tried in a fifth of the ways
    knocking = f"""
    for (const [row, host] of {json.dumps(hosts)}.entries()) {{
        const ways = Object.entries(WAYS).concat(Object.entries(SILENT));
        for (const [column, [name, way]] of ways.entries()) {{
            if ((row + column) % {every}) continue;
            try {{ way("http:" + at(host, PORT, name)); }} catch {{}}
        }}
        call(host, PORT);
    }}
    """
    knocks: list[str] = []
    captured, asked = to_the_end(drawn(program, "/knocking", knocking, knocks))
    assert knocks == []
    assert asked <= {"/knocking", "/to", "/favicon.ico"}
    refused = {each.reason for each in captured.failures}
    assert "address" in refused
    assert captured.drawing is not None
    told = captured.drawing["requests"]
    assert isinstance(told, list)
    assert len(told) > 20 * len(hosts) / every


@pytest.mark.usefixtures("folder")
def test_each_way_reaches_what_is_allowed_and_is_on_record(program: Program) -> None:
    knocking = f"""
    for (const [name, way] of Object.entries(WAYS).concat(Object.entries(SILENT))) {{
        try {{ way("http:" + at("{HERE}", SITE, name)); }} catch {{}}
    }}
    """
    knocks: list[str] = []
    captured, asked = to_the_end(drawn(program, "/reaching", knocking, knocks))
    assert captured.drawing is not None
    told = captured.drawing["requests"]
    assert isinstance(told, list)
    uris = [uri for each in told for uri in (each["uri"], each.get("final_uri", ""))]
    recorded = {"/" + uri.partition("?")[0].rpartition("/")[2] for uri in uris}
    assert asked <= recorded
    ways = {line.partition(":")[0].strip() for line in WAYS.partition("SILENT")[0].splitlines()}
    ways = {name for name in ways if f"    {name}: (to)" in WAYS}
    unreached = {name for name in ways if f"/{name}" not in asked}
    # Without a network; closed before it asks; switched off; of another origin.
    assert unreached == {"shared", "window", "report", "track"}
    assert not {"/socket", "/transport", "/dns"} & asked
    left_out = {each.reason for each in captured.left_out}
    assert {"window", "socket"} <= left_out


WORKERS = """
const far = (path) => fetch(`http://rebound.example:SITE/${path}`, {mode: "no-cors"});
navigator.serviceWorker.register("/service.js").catch(() => fetch("/unregistered"));
new SharedWorker("/shared.js");
far("first").then(() => setTimeout(() => far("second"), 3000));
"""


@pytest.mark.usefixtures("folder")
def test_workers_that_are_not_heard_ask_for_nothing_and_names_are_looked_up_once(
    program: Program,
) -> None:
    looked_up: list[str] = []

    async def rebinding(host: str, port: int) -> list[str]:
        looked_up.append(host)
        if host == "rebound.example":
            return [HERE if looked_up.count(host) == 1 else "127.0.0.1"]
        return await lookup(host, port)

    async def run() -> tuple[Capture, set[str]]:
        def routes(path: str, _: dict[str, str]) -> Answer:
            if path.endswith(".js"):
                return Answer(b"importScripts('/part.js'); fetch('/inner')", "text/javascript")
            return Answer(page(WORKERS.replace("SITE", str(site.port))))

        async with serving(routes) as site, Browser.started(program) as browser:
            captured = await draw_page(
                browser,
                site.uri("/", HERE),
                FetchOptions(FetchLimits(total_s=50), lookup=rebinding),
                refuse=only_here,
            )
            return captured, {path for path, _ in site.asked}

    _, asked = to_the_end(run())
    assert {"/first", "/second", "/unregistered", "/shared.js"} <= asked
    assert not {"/part.js", "/inner"} & asked
    assert looked_up == ["rebound.example"]
