"""What pages of other sites can do to an archive, and learn of it: they may lead people there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.faces.conftest import served
from tests.faces.test_http import ask

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page
    from tests.faces.conftest import Running, Site

KEPT = "https://sea.example.org/tides"
OTHER = "https://sea.example.org/nothing"
LOOKS = [
    f"/uri-res/L2R?{KEPT}",
    f"/uri-res/l2ns?{KEPT}",
    f"/uri-res/I2L?{KEPT}",
    f"/web/2026/{KEPT}",
    f"/-/api/search?q={KEPT}",
    f"/-/api/follow?to={KEPT}",
]


@pytest.fixture
def name(archive: Path) -> str:
    """The name of a page of the archive with a frame in it."""
    page = b"<title>Tides</title><iframe srcdoc=a></iframe><p>The tide of the twelfth."
    with Archive.open(archive) as held:
        return held.add(page, name="tides.html", uri=KEPT).document.pdi


@pytest.mark.usefixtures("name")
@pytest.mark.parametrize("path", LOOKS)
def test_an_address_is_looked_up_for_own_pages_alone(archive: Path, path: str) -> None:
    with served(archive) as running:
        for site in ("cross-site", "same-site"):
            told = ask(running.base, path, Sec_Fetch_Site=site, Sec_Fetch_Dest="document")
            absent = ask(running.base, path.replace(KEPT, OTHER), Sec_Fetch_Site=site)
            assert (told.status, absent.status) == (403, 403)
            assert told.body.replace(KEPT.encode(), b"") == absent.body.replace(OTHER.encode(), b"")
        for site in ("same-origin", "none"):
            assert ask(running.base, path, Sec_Fetch_Site=site).status < 400
        assert ask(running.base, path).status < 400


def test_a_public_archive_looks_up_for_all(archive: Path, name: str) -> None:
    with served(archive, "--public") as running:
        for path in (LOOKS[0], LOOKS[1], f"/{name}?view=bytes"):
            asked = ask(running.base, path, Sec_Fetch_Site="cross-site", Sec_Fetch_Dest="empty")
            assert asked.status < 400, path


WRITES = [
    ("PUT", "/{name}"),
    ("POST", "/-/cite"),
    ("POST", "/-/api/cite"),
    ("POST", "/-/api/derive"),
    ("POST", "/-/save"),
    ("POST", "/-/jottings"),
    ("POST", "/-/api/jottings"),
]


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_a_page_of_another_site_writes_nothing(
    archive: Path, name: str, method: str, path: str
) -> None:
    content = json.dumps({"reference": name, "quote": "tide", "kind": "tag", "text": "x"}).encode()
    with served(archive, "--writable") as running:
        for fields in (
            {"Sec_Fetch_Site": "cross-site"},
            {"Sec_Fetch_Site": "same-site", "Sec_Fetch_Dest": "document"},
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
        ):
            where = path.format(name=name)
            answer = ask(running.base, where, method, content, Content_Type="text/html", **fields)
            assert answer.status == 403, fields
    with Archive.open(archive) as held:
        assert held.show(name).citations == ()
        assert list(held.jottings()) == []


SHOWN = ["document", "iframe", "frame", "object", "embed"]


@pytest.mark.parametrize("destination", SHOWN)
def test_octets_that_are_a_page_are_kept_not_shown(
    running: Running, name: str, destination: str
) -> None:
    path = f"/{name}?view=bytes"
    shown = ask(running.base, path, Sec_Fetch_Site="none", Sec_Fetch_Dest=destination)
    assert shown.headers["content-disposition"] == "attachment"
    plain = ask(running.base, path, Sec_Fetch_Site="none", Sec_Fetch_Dest="empty")
    assert "content-disposition" not in plain.headers
    assert plain.body == shown.body


SPY = """<!doctype html><script>
const seen = {};
const counted = async (path) => {
    const opened = window.open("BASE" + path);
    await new Promise((done) => setTimeout(done, 700));
    let frames = "?";
    try { frames = opened.length; } catch (error) { frames = error.name; }
    return [opened.closed, frames];
};
const asked = (path, way) => fetch("BASE" + path, way).then((a) => a.type, (e) => e.name);
const framed = (path) => new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.onload = () => done(frame.contentWindow.length);
    frame.src = "BASE" + path;
    document.body.append(frame);
});
async function spy(paths) {
    const all = [];
    for (const path of paths) {
        all.push([await counted(path), await framed(path), await asked(path, {mode: "no-cors"}),
            await asked(path, {mode: "no-cors", method: "POST", body: "quote=tide"})]);
    }
    return all;
}
</script><body>"""


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A page that may open others."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_a_spy_learns_nothing_in_a_browser(archive: Path, name: str, site: Site, tab: Page) -> None:
    with served(archive, "--writable") as running:
        tab.goto(site.put("/", "text/html", SPY.replace("BASE", running.base)))
        pairs = [
            (f"/uri-res/L2R?{KEPT}", f"/uri-res/L2R?{OTHER}"),
            (f"/web/2026/{KEPT}", f"/web/2026/{OTHER}"),
            (f"/-/search?q={KEPT}", f"/-/search?q={OTHER}"),
            (f"/-/follow?to={KEPT}", f"/-/follow?to={OTHER}"),
            (f"/{name}", f"/{name}9"),
            (f"/{name}?view=bytes", f"/{name}9?view=bytes"),
        ]
        for kept, other in pairs:
            there, absent = tab.evaluate("paths => spy(paths)", [kept, other])
            assert there == absent, kept
    with Archive.open(archive) as held:
        assert held.show(name).citations == ()
