"""What Chromium shows in other tests, Firefox shows as well: selections and proofs as pages."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest
from tests.crawled import PNG
from tests.faces.firefox import Firefox
from tests.faces.selecting import cite_random, squeezed
from tests.faces.test_proof_page import GOLDEN, altered
from tests.faces.test_selecting import FILES, view_of
from tests.needs import need

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faces.conftest import Outcome, Running, Site

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def program() -> str:
    """Return the path of Firefox."""
    return need("firefox")


@pytest.fixture(scope="module")
def firefox(program: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    """Return a window of Firefox."""
    with Firefox(program, tmp_path_factory.mktemp("firefox")) as window:
        yield window


@pytest.fixture(scope="module")
def offline(program: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    """Return a window of Firefox that works offline."""
    with Firefox(program, tmp_path_factory.mktemp("firefox"), offline=True) as window:
        yield window


def test_random_selections_are_cited(
    archive: Path, running: Running, firefox: Firefox, times: Callable[[int, int], int]
) -> None:
    for name, content in FILES:
        choose = random.Random(name)  # noqa: S311 - the same each time
        with Archive.open(archive) as service:
            made = service.add(content.encode(), name=name, uri=f"https://example.org/{name}")
            firefox.open(f"{running.base}/{made.pdi}{view_of(name)}")
            for _ in range(times(4, 40)):
                gesture = cite_random(firefox, choose)
                if gesture is not None:
                    assert gesture.trouble == ""
                    cited = service.resolve(gesture.reference).text or ""
                    assert squeezed(cited) == squeezed(gesture.words)


def verdict(window: Firefox, path: Path, page: str) -> tuple[str, str]:
    """What a page of a proof says of itself, opened from the disk."""
    path.write_text(page, encoding="utf-8", newline="")
    window.open(path.as_uri())
    window.wait_for("#verdict[data-state]")
    return window.run("return document.querySelector('#verdict').dataset.state"), window.text(
        "#verdict"
    )


def test_a_proof_checks_itself_without_a_network(
    offline: Firefox, tmp_path: Path, times: Callable[[int, int], int]
) -> None:
    page = GOLDEN.read_text(encoding="utf-8")
    assert offline.run("return navigator.onLine") is False
    state, sentence = verdict(offline, tmp_path / "proof.html", page)
    assert (state, "worth as much as the key" in sentence) == ("agrees", True)
    tried = 0
    for what, forged in altered(page, times(4, 160), seed=1):
        if forged != page:
            state, sentence = verdict(offline, tmp_path / "proof.html", forged)
            assert (what, state) == (what, "fails")
            assert "does not hold" in sentence
            tried += 1
    assert tried >= times(10, 200)


SAVE = """
const [target, folder] = arguments;
const file = (path) => {
  const made = Cc["@mozilla.org/file/local;1"].createInstance(Ci.nsIFile);
  made.initWithPath(path);
  return made;
};
const persist = Cc["@mozilla.org/embedding/browser/nsWebBrowserPersist;1"].createInstance(
  Ci.nsIWebBrowserPersist
);
persist.progressListener = {
  QueryInterface: ChromeUtils.generateQI(["nsIWebProgressListener"]),
  onStateChange(progress, request, flags) {
    if (flags & Ci.nsIWebProgressListener.STATE_STOP && !request) done(true);
    if (flags & Ci.nsIWebProgressListener.STATE_STOP
        && flags & Ci.nsIWebProgressListener.STATE_IS_NETWORK) done(true);
  },
  onProgressChange() {}, onLocationChange() {}, onStatusChange() {}, onSecurityChange() {},
};
const browser = Services.wm.getMostRecentWindow("navigator:browser").gBrowser.selectedBrowser;
persist.startPersistence?.(browser.browsingContext, {
  onDocumentReady(document) {
    persist.saveDocument(document, file(target), file(folder), "text/html", 0, 80);
  },
  onError() { done(false); },
});
if (!persist.startPersistence) browser.frameLoader.startPersistence(browser.browsingContext, {
  QueryInterface: ChromeUtils.generateQI(["nsIWebBrowserPersistDocumentReceiver"]),
  onDocumentReady(document) {
    persist.saveDocument(document, file(target), file(folder), "text/html", 0, 80);
  },
  onError() { done(false); },
});
"""


def test_what_firefox_saves_is_read(cli: Cli, site: Site, firefox: Firefox, tmp_path: Path) -> None:
    site.put("/s.css", "text/css", "p { background: url(b.png) }")
    for name in ("a", "b"):
        site.put(f"/{name}.png", "image/png", PNG + name.encode())
    address = site.put(
        "/",
        "text/html",
        "<title>T</title><link rel=stylesheet href=s.css><p>words<img src=a.png>",
    )
    target = tmp_path / "T.html"
    firefox.open(address)
    assert firefox.in_browser(SAVE, str(target), str(tmp_path / "T_files"))
    (one,) = json.loads(cli("import", str(target), "--uri", address, "--json").out)
    assert (one["parts"], one["document"]["uri"]) == (3, address)
    assert [each["uri"] for each in one["lost"]] == ["b.png"], "Firefox leaves out what CSS shows"
