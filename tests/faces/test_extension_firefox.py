"""The extension in a real Firefox, as far as Marionette reaches: a click on its button is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from tests.faces.account import COOKIE, account_site, recording
from tests.faces.conftest import served
from tests.faces.firefox import Firefox
from tests.faces.leaving import documented, rows
from tests.needs import need

from permacite.service.archive import Archive
from permacite.service.extension.folder import write_folder

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faces.account import Wire

pytestmark = pytest.mark.browser

GRANT = """
const [id, origins] = arguments;
const place = "resource://gre/modules/ExtensionPermissions.sys.mjs";
const { ExtensionPermissions } = ChromeUtils.importESModule(place);
const { extension } = WebExtensionPolicy.getByID(id);
ExtensionPermissions.add(id, { permissions: [], origins }, extension).then(() => done(true), done);
"""
OPEN = """
const [id, url] = arguments;
const seen = (tab, { status }) => tab === id && status === "complete" && done();
chrome.tabs.onUpdated.addListener(seen);
chrome.tabs.update(id, { url });
"""
SELECT = """
const text = document.getElementById("words").firstChild, range = document.createRange();
range.setStart(text, 4);
range.setEnd(text, text.length - 1);
getSelection().addRange(range);
"""


@pytest.fixture
def program() -> str:
    """Return the path of Firefox."""
    return need("firefox")


def test_firefox_hands_over_what_it_received_and_asks_again_only_where_it_may(
    tmp_path: Path, archive: Path, program: str
) -> None:
    write_folder(tmp_path / "extension")
    with Archive.open(archive) as service:
        secret = service.access.tokens.add().secret
    with (
        account_site() as site,
        recording() as wire,
        served(archive) as server,
        Firefox(program, tmp_path, preferences=through(wire)) as firefox,
    ):
        places = Places(site, server.base)
        connected = {"server": server.base, "token": secret, "series": "lab.example.us"}
        firefox.open(f"{site}/login")
        firefox.open(f"{site}/account")
        while firefox.run("return document.title") != "Letters":
            pass
        firefox.run(SELECT)
        popup = installed(firefox, tmp_path / "extension", connected)
        before = len(wire.sent)
        received = handed_over(firefox, popup, decide=True)
        assert left(wire, before, places) == documented("Firefox, behind a login")
        unstored = f"{site}/unstored"
        firefox.run_to_end(OPEN, int(popup.partition("=")[2]), unstored)
        before = len(wire.sent)
        drawn = handed_over(firefox, popup, decide=False)
        what = "Firefox, a page that is not to be stored"
        assert left(wire, before, places) == documented(what)
        grant(firefox, "http://*/*", "https://*/*")
        asked = handed_over(firefox, popup, decide=False)
        assert all(COOKIE.encode() not in each.body for each in wire.sent)
    assert (received["way"], drawn["way"], asked["way"]) == ("received", "drawn", "asked")
    with Archive.open(archive) as service:
        reference = received["reference"]
        assert service.resolve(reference).text == "herons came back in spring"
        assert service.access.standing(reference).standing.access == "closed"
        formats = {each.format: each for each in service.documents.show(reference).document.formats}
        assert b"Loading" in (service.resolve(formats["html"].pdi).content or b"")
        held = service.documents.show(drawn["reference"]).document.formats
        assert "html" not in {each.format for each in held}


class Places(NamedTuple):
    """Where what leaves the browser may go."""

    site: str
    server: str


def left(wire: Wire, before: int, places: Places) -> set[tuple[str, ...]]:
    """What left the browser since, as rows; it calls home in tunnels, which end at the proxy."""
    return rows((each for each in wire.sent[before:] if each.method != "CONNECT"), places)


def through(wire: Wire) -> dict[str, object]:
    """Preferences by which all requests go through a proxy."""
    place = urlsplit(wire.address)
    return {
        "network.proxy.type": 1,
        "network.proxy.http": place.hostname,
        "network.proxy.http_port": place.port,
        "network.proxy.allow_hijacking_localhost": True,
    }


def installed(firefox: Firefox, extension: Path, connected: dict[str, str]) -> str:
    """Install and connect the extension; the address of its popup about the first tab."""
    own = firefox.install(extension)
    host = firefox.in_browser(
        "done(WebExtensionPolicy.getByID(arguments[0]).mozExtensionHostname)", own
    )
    popup = f"moz-extension://{host}/popup.html"
    grant(firefox, "http://127.0.0.1/*")
    firefox.new_window()
    firefox.open(f"{popup}?shown=1")
    firefox.run_to_end("chrome.storage.local.set(arguments[0]).then(() => done())", connected)
    tab = firefox.run_to_end("chrome.tabs.query({}).then((tabs) => done(tabs[0].id))")
    return f"{popup}?tab={tab}"


def grant(firefox: Firefox, *origins: str) -> None:
    """Let the extension read pages, as a person does who is asked."""
    firefox.in_browser(GRANT, "extension@permacite.invalid", origins)


def handed_over(firefox: Firefox, popup: str, *, decide: bool) -> dict[str, Any]:
    """What the popup has in its list at last; `decide`: it asks once what is to be decided."""
    firefox.open(popup)
    if decide:
        firefox.wait_for("#decide:not([hidden])")
        firefox.click("#send")
    firefox.wait_for("#done:not([hidden])")
    firefox.wait_for("#recents li")
    item = firefox.run_to_end(
        "chrome.storage.local.get('recent').then(({ recent }) => done(recent[0]))"
    )
    assert isinstance(item, dict)
    return item
