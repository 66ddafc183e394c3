"""The extension in a real Firefox, as far as Marionette reaches: a click on its button is not."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from tests.faces.account import COOKIE, account_site, recording
from tests.faces.conftest import served
from tests.faces.firefox import Firefox

from permacite.service.archive import Archive
from permacite.service.handed.folder import write_folder

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
SELECT = """
const text = document.getElementById("words").firstChild, range = document.createRange();
range.setStart(text, 4);
range.setEnd(text, text.length - 1);
getSelection().addRange(range);
"""


@pytest.fixture
def program() -> str:
    """Return the Firefox of this machine; skip where there is none, unless none may be skipped."""
    found = shutil.which("firefox-esr") or shutil.which("firefox")
    if found is None:
        if os.environ.get("PERMACITE_CI"):
            pytest.fail("Firefox is missing: ./do browser installs it")
        pytest.skip("Firefox is not installed: ./do browser installs it")
    return found


def test_firefox_hands_a_page_over_as_drawn_and_with_octets_where_it_may(
    tmp_path: Path, archive: Path, program: str
) -> None:
    write_folder(tmp_path / "extension")
    with Archive.open(archive) as service:
        secret = service.add_token().secret
    with account_site() as site, recording() as wire, served(archive) as server:
        with Firefox(program, tmp_path, preferences=through(wire)) as firefox:
            firefox.open(f"{site}/login")
            firefox.open(f"{site}/account")
            while firefox.run("return document.title") != "Letters":
                pass
            firefox.run(SELECT)
            before = len(wire.sent)
            connected = {"server": server.base, "token": secret, "series": "lab.example.us"}
            drawn, asked = both_ways(firefox, tmp_path / "extension", connected)
        sent = [each for each in wire.sent[before:] if each.method != "CONNECT"]
        hosts = [urlsplit(each).netloc for each in (site, server.base)]
        assert {each.host for each in sent} == set(hosts)
        for each in sent:
            if each.host == hosts[1]:
                assert "cookie" not in each.headers
                assert COOKIE.encode() not in each.body
            else:
                assert secret not in str(each.headers)
    assert (drawn["way"], asked["way"]) == ("drawn", "asked")
    with Archive.open(archive) as service:
        for item in (drawn, asked):
            assert service.resolve(item["reference"]).text == "herons came back in spring"
            assert service.standing(item["reference"]).standing.access == "closed"
        formats = {each.format: each for each in service.show(asked["reference"]).document.formats}
        assert b"Loading" in (service.resolve(formats["html"].pdi).content or b"")
        held = service.show(drawn["reference"]).document.formats
        assert "html" not in {each.format for each in held}


def through(wire: Wire) -> dict[str, object]:
    """Preferences by which all requests go through a proxy."""
    place = urlsplit(wire.address)
    return {
        "network.proxy.type": 1,
        "network.proxy.http": place.hostname,
        "network.proxy.http_port": place.port,
        "network.proxy.allow_hijacking_localhost": True,
    }


def both_ways(
    firefox: Firefox, extension: Path, connected: dict[str, str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Hand the first tab over: once as it is drawn, once where all sites may be read."""
    own = firefox.install(extension)
    host = firefox.in_browser(
        "done(WebExtensionPolicy.getByID(arguments[0]).mozExtensionHostname)", own
    )
    popup = f"moz-extension://{host}/popup.html"
    firefox.in_browser(GRANT, own, ["http://127.0.0.1/*"])
    firefox.new_window()
    firefox.open(f"{popup}?shown=1")
    firefox.run_to_end("chrome.storage.local.set(arguments[0]).then(() => done())", connected)
    tab = firefox.run_to_end("chrome.tabs.query({}).then((tabs) => done(tabs[0].id))")
    drawn = handed_over(firefox, f"{popup}?tab={tab}", clicks=True)
    firefox.in_browser(GRANT, own, ["http://*/*", "https://*/*"])
    return drawn, handed_over(firefox, f"{popup}?tab={tab}", clicks=False)


def handed_over(firefox: Firefox, popup: str, *, clicks: bool) -> dict[str, Any]:
    """What the popup has in its list at last; `clicks`: it asks once what is to be decided."""
    firefox.open(popup)
    if clicks:
        firefox.wait_for("#decide:not([hidden])")
        firefox.click("#send")
    firefox.wait_for("#done:not([hidden])")
    firefox.wait_for("#recents li")
    item = firefox.run_to_end(
        "chrome.storage.local.get('recent').then(({ recent }) => done(recent[0]))"
    )
    assert isinstance(item, dict)
    return item
