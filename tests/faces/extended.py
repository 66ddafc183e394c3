"""A real Chromium with the extension, behind a proxy; and the popup that its button opens.

`Extensions.triggerAction` of the developer tools' protocol is that click: the popup opens by its
button, the browser gives the extension the tab, and no address of ours says which.
"""

from __future__ import annotations

import contextlib
import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error
from tests.faces.account import account_site, recording
from tests.faces.conftest import BROWSER_ARGUMENTS, served

from permacite.service.archive import Archive
from permacite.service.extension.folder import write_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import BrowserContext, CDPSession, Page, Playwright, Worker
    from tests.faces.account import Wire

__all__ = ["SELECT", "Button", "Extended", "connect", "of_ours", "running_extended"]

SELECT = """() => {
  const text = document.getElementById("words").firstChild, range = document.createRange();
  range.setStart(text, 4);
  range.setEnd(text, text.length - 1);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}"""
WAIT_MS = 20_000
_PAUSE_MS = 20
_FEATURES = (
    "DisableLoadExtensionCommandLineSwitch,OptimizationHints,OptimizationGuideModelDownloading"
)
"""Of Chromium, that are off: one keeps extensions out, others call home."""
_OF_CHROMIUM_ITSELF = (".google.com:443", ".googleapis.com:443")
"""It calls home with and without an extension."""


@dataclass
class Extended:
    """A Chromium with the extension, connected to an archive; all through a proxy."""

    context: BrowserContext
    worker: Worker
    popup: Page
    """A popup in a window of its own, which stays while another one is looked at."""
    archive: Path
    server: str
    secret: str
    wire: Wire
    site: str

    def state(self, *phases: str) -> dict[str, Any]:
        """Wait until what is being done is in one of these phases."""
        end = time.monotonic() + WAIT_MS / 1000
        while True:
            state: dict[str, Any] = self.worker.evaluate("permacite.state()")
            if state["phase"] in phases:
                return state
            assert time.monotonic() < end, state
            self.popup.wait_for_timeout(_PAUSE_MS)

    def open(self, tab: int | None = None) -> None:
        """Open the popup in its own window, about a tab."""
        query = "" if tab is None else f"?tab={tab}"
        self.worker.evaluate("permacite.forget()")
        self.popup.goto(f"chrome-extension://{self.worker.url.split('/')[2]}/popup.html{query}")

    def tab_of(self, page: Page) -> int:
        """The number of the tab of a page, which is brought to the front."""
        page.bring_to_front()
        found = self.worker.evaluate(
            "async () => (await chrome.tabs.query({ active: true, windowType: 'normal' }))[0].id"
        )
        assert isinstance(found, int)
        return found

    @contextlib.contextmanager
    def clicked(self, page: Page) -> Iterator[Button]:
        """Click on the button of the extension while a page is in front; the popup it opens."""
        self.worker.evaluate("permacite.forget()")
        page.bring_to_front()
        assert self.context.browser is not None
        session = self.context.browser.new_browser_cdp_session()
        try:
            tab = self._target(session, page, kind="tab", address=page.url)
            own = self.worker.url.split("/")[2]
            session.send("Extensions.triggerAction", {"id": own, "targetId": tab})
            popup = self._target(session, page, kind="page", address=f"{own}/popup.html")
            terms = {"targetId": popup, "flatten": False}
            told = session.send("Target.attachToTarget", terms)
            button = Button(session, told["sessionId"], page)
            yield button
            with contextlib.suppress(AssertionError, Error):
                button.run("window.close()", patience_s=1)
        finally:
            with contextlib.suppress(Error):  # the browser may be closed by now
                session.detach()

    @staticmethod
    def _target(session: CDPSession, page: Page, *, kind: str, address: str) -> str:
        """Wait for what the browser shows at an address."""
        end = time.monotonic() + WAIT_MS / 1000
        while time.monotonic() < end:
            shown = session.send("Target.getTargets", {"filter": [{}]})["targetInfos"]
            for each in shown:
                if each["type"] == kind and each["url"].endswith(address):
                    return str(each["targetId"])
            page.wait_for_timeout(_PAUSE_MS)
        raise AssertionError(f"no {kind} shows {address}")


@dataclass
class Button:
    """The popup that a click on the extension's button opened."""

    _session: CDPSession
    _name: str
    _page: Page
    """A page whose patience is waited with."""
    _answers: dict[int, dict[str, Any]] = field(default_factory=dict)
    _last: int = 0

    def __post_init__(self) -> None:
        """Listen."""
        self._session.on("Target.receivedMessageFromTarget", self._receive)

    def _receive(self, event: dict[str, Any]) -> None:
        message = json.loads(event["message"])
        if event["sessionId"] == self._name and "id" in message:
            self._answers[message["id"]] = message

    def send(self, method: str, *, patience_s: float = WAIT_MS / 1000, **terms: object) -> Any:
        """What the developer tools' protocol answers about the popup."""
        self._last += 1
        message = json.dumps({"id": self._last, "method": method, "params": terms})
        told = {"sessionId": self._name, "message": message}
        self._session.send("Target.sendMessageToTarget", told)
        end = time.monotonic() + patience_s
        while self._last not in self._answers:
            assert time.monotonic() < end, f"no answer to {method}"
            self._page.wait_for_timeout(_PAUSE_MS)
        return self._answers.pop(self._last)["result"]

    def run(self, script: str, *, patience_s: float = WAIT_MS / 1000) -> Any:
        """The value of an expression in the popup."""
        terms = {"expression": script, "returnByValue": True, "awaitPromise": True}
        answer = self.send("Runtime.evaluate", patience_s=patience_s, **terms)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, selector: str) -> None:
        """Wait until an element is shown."""
        shown = f"!!document.querySelector({json.dumps(selector)})?.checkVisibility()"
        end = time.monotonic() + WAIT_MS / 1000
        while not self.run(shown):
            assert time.monotonic() < end, self.run("document.body.innerText")
            self._page.wait_for_timeout(_PAUSE_MS)

    def text(self, selector: str = "main") -> str:
        """The words that an element shows."""
        return str(self.run(f"document.querySelector({json.dumps(selector)}).innerText"))

    def click(self, selector: str) -> None:
        """Click on an element as a mouse does."""
        self.wait_for(selector)
        x, y = self.run(
            f"(() => {{ const it = document.querySelector({json.dumps(selector)});"
            " it.scrollIntoView({ block: 'center' }); const box = it.getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            terms = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
            self.send("Input.dispatchMouseEvent", **terms)


def connect(extended: Extended) -> None:
    """Paste the token."""
    extended.worker.evaluate("chrome.storage.local.clear()")
    extended.context.clear_cookies()
    extended.open()
    extended.popup.fill("#server", extended.server)
    extended.popup.fill("#token", extended.secret)
    extended.popup.click("#setup button")
    extended.popup.wait_for_selector("#setup", state="hidden")
    extended.popup.goto("about:blank")


def of_ours(extended: Extended, before: int) -> list[Any]:
    """What left the browser since, but for what Chromium asks by itself."""
    return [
        each
        for each in extended.wire.sent[before:]
        if not each.address.endswith(_OF_CHROMIUM_ITSELF)
    ]


@contextlib.contextmanager
def running_extended(chromium: str, playwright: Playwright, folder: Path) -> Iterator[Extended]:
    """Run a Chromium with the extension, a proxy, a site and a server until the block ends."""
    write_folder(folder / "extension")
    Archive.create(folder / "archive", series="lab.example.us").close()
    with Archive.open(folder / "archive") as archive:
        secret = archive.access.tokens.add().secret
    with (
        account_site() as site,
        recording() as wire,
        served(str(folder / "archive")) as server,
    ):
        context = playwright.chromium.launch_persistent_context(
            str(folder / "profile"),
            executable_path=chromium,
            headless=False,  # the old way to be headless has no extensions
            args=[
                *BROWSER_ARGUMENTS,
                "--headless=new",
                f"--disable-features={_FEATURES}",
                f"--disable-extensions-except={folder / 'extension'}",
                f"--load-extension={folder / 'extension'}",
                f"--proxy-server={wire.address}",
                "--proxy-bypass-list=<-loopback>",
            ],
        )
        try:
            workers = context.service_workers
            worker = workers[0] if workers else context.wait_for_event("serviceworker")
            with context.expect_page() as opened:  # of its own: the page stays in view
                worker.evaluate(
                    "chrome.windows.create({ type: 'popup', url: 'popup.html?shown=1' })"
                )
            popup = opened.value
            popup.set_default_timeout(WAIT_MS)
            place = folder / "archive"
            yield Extended(context, worker, popup, place, server.base, secret, wire, site)
        finally:
            context.close()
