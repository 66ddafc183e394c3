"""How soon a cited passage is on the screen, beside pywb's replay of the page, in one Chromium.

The passage stands in the middle of the page. Counted is the time from the start of the navigation
to the frame after the one in which it came into view: of permacite its mark, in the frame of the
reader; of pywb the element that the address names, in the frame of the replay. Each visit is one
of a browser that kept nothing. Both servers are begun anew in each round, so that there is a first
visit, for which all has to be made, and one more; and the two take turns.

pywb is asked where its programs are in PATH, for it wants other packages than ours:
python -m venv F; F/bin/pip install pywb; PATH=F/bin:$PATH ./do bench reader

Alone: python benchmarks/bench_reader.py
"""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Frame, Page

TITLE = "The reader: a cited passage on the screen"
RIVALS: list[str] = []
ROUNDS = 3
CITATIONS = 20
SIZES = {"480 kB": 480_000, "5 MB": 5_000_000}
ADDRESS = "http://site.example/log.html"
WORDS = "closed until noon, and the ships wait"
_PATIENCE_MS = 60_000
_PAUSE_MS = 20

OBSERVER = """(() => {
  if (!location.protocol.startsWith("http")) return;
  const note = () => (window.seenAt ??= performance.timeOrigin + performance.now());
  const watch = new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) requestAnimationFrame(note);
  });
  const look = () => {
    const wanted = document.getElementById("ID");
    if (wanted) watch.observe(wanted);
    else requestAnimationFrame(look);
  };
  look();
})();"""
"""Notes when an element was first in view: what its frame shows, and what is seen of that frame."""

CLICKED = """document.addEventListener("click", () => {
  window.clickedAt = performance.timeOrigin + performance.now();
}, true);"""

SELECT = """turn => {
  const text = document.querySelector(`#here-${turn}`).firstChild;
  const range = [text, 4, text, 23];
  const words = text.data.slice(4, 23);
  window.markedAt = null;
  const look = () => {
    const isMarked = document.querySelector("#permacite-mark")?.textContent === words;
    const note = () => (window.markedAt = performance.timeOrigin + performance.now());
    requestAnimationFrame(isMarked ? note : look);
  };
  look();
  text.parentNode.scrollIntoView({ block: "center" });
  getSelection().setBaseAndExtent(...range);
}"""
"""Selects words that nobody cited, and notes when they were marked, one frame later."""


def document(size: int) -> str:
    """A page of about so many octets: a passage in its middle, and others to be cited there."""
    line = (
        '<p>Entry {}: <a href="/day/{}">the harbour</a> was calm, <b>the wind</b> north by west, '
        "and the <i>tide</i> rose as it was foretold.</p>\n"
    )
    lines = [line.format(number, number) for number in range(size // len(line.format(1000, 1000)))]
    passage = f"<p id=here>The harbour is {WORDS}.</p>\n"
    others = [f"<p id=here-{turn}>The pilots of ship {turn} wait.</p>\n" for turn in range(99)]
    half = len(lines) // 2
    style = "<style>body{font:16px/1.5 serif;max-width:50em}</style>"
    head = f"<!doctype html><meta charset=utf-8><title>Log</title>{style}\n"
    return "".join([head, *lines[:half], passage, *others, *lines[half:]])


@contextlib.contextmanager
def answering(words: list[str], port: int, folder: Path) -> Iterator[None]:
    """Run a server until the block ends."""
    process = subprocess.Popen(
        words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(30)


def free_port() -> int:
    """Return a port of loopback that nobody answers at."""
    with socket.create_server(("127.0.0.1", 0)) as bound:
        return int(bound.getsockname()[1])


@dataclass
class Site:
    """A server of one page. `wanted` is the id of the element that is to be seen in `frame`."""

    words: list[str]
    path: str
    wanted: str
    frame: str
    folder: Path
    first_ms: list[float] = field(default_factory=list)
    then_ms: list[float] = field(default_factory=list)

    @contextlib.contextmanager
    def begun(self) -> Iterator[str]:
        """Run the server; yield the address of the passage."""
        port = free_port()
        with answering([word.format(port=port) for word in self.words], port, self.folder):
            yield f"http://127.0.0.1:{port}{self.path}"

    def visit(self, browser: Browser) -> None:
        """See the passage first, and then once more."""
        with self.begun() as address:
            self.first_ms.append(self.seen_ms(browser, address))
            self.then_ms.append(self.seen_ms(browser, address))

    def seen_ms(self, browser: Browser, address: str) -> float:
        """How long the passage takes from the start of the navigation into view."""
        page = browser.new_page()
        page.set_default_timeout(_PATIENCE_MS)
        page.add_init_script(OBSERVER.replace("ID", self.wanted))
        page.goto(address, wait_until="commit")
        seen = noted(page, self.frame, "window.seenAt")
        began = page.evaluate("performance.timeOrigin")
        page.close()
        return seen - float(began)

    @property
    def figures(self) -> str:
        """Both medians, with the least and the most."""
        return " | ".join(shown(times) for times in (self.first_ms, self.then_ms))


def shown(times: list[float]) -> str:
    """A median, with the least and the most of all."""
    return f"{statistics.median(times):,.0f} ({min(times):,.0f} to {max(times):,.0f})"


def noted(page: Page, frame: str, what: str) -> float:
    """The moment that was noted in a page's frame of that address."""
    for _ in range(_PATIENCE_MS // _PAUSE_MS):
        where = page.frame(url=re.compile(frame))
        with contextlib.suppress(Exception):  # the frame may go to another page at any time
            at = where.evaluate(what) if where else None
            if at is not None:
                return float(at)
        page.wait_for_timeout(_PAUSE_MS)
    raise TimeoutError(f"nothing was noted in a frame of {frame}: {page.url}")


def marked_ms(browser: Browser, site: Site) -> list[float]:
    """How long each citation takes from the click until its words are marked."""
    taken: list[float] = []
    with site.begun() as address:
        page = browser.new_page()
        page.set_default_timeout(_PATIENCE_MS)
        page.add_init_script(CLICKED)
        page.goto(address.partition("?")[0])
        frame: Frame | None = page.frame(url=re.compile(site.frame))
        if frame is None:
            raise LookupError(f"no frame of {site.frame}")
        frame.wait_for_load_state()
        for turn in range(CITATIONS + 1):
            frame.evaluate(SELECT, turn)
            page.locator("#cite").click()
            marked = noted(page, site.frame, "window.markedAt")
            taken.append(marked - page.evaluate("window.clickedAt"))
            page.locator("#bar").wait_for(state="hidden")
        page.close()
    return taken[1:]


def permacite(page: str, folder: Path) -> Site:
    """The page in an archive, with the citation of the passage."""
    with Archive.create(folder, series="lab.example.us") as archive:
        made = archive.add(page.encode(), name="log.html", uri=ADDRESS)
        name, fragment = archive.cite(made.pdi, quote=WORDS).reference.split("#")
    words = [sys.executable, "-m", "permacite", "--archive", str(folder), "serve", "--port"]
    path = f"/{name}?fragment={fragment}"
    return Site([*words, "{port}"], path, "permacite-mark", "/-/page/", folder)


def pywb(page: str, folder: Path) -> Site | None:
    """The page in a collection of pywb; None where that is not at hand."""
    manager, wayback = shutil.which("wb-manager"), shutil.which("wayback")
    if manager is None or wayback is None:
        return None
    folder.mkdir()
    with (folder / "log.warc.gz").open("wb") as target:
        writer = WARCWriter(target, gzip=True)
        fields = [("Content-Type", "text/html; charset=utf-8")]
        head = StatusAndHeaders("200 OK", fields, protocol="HTTP/1.1")
        body = io.BytesIO(page.encode())
        writer.write_record(
            writer.create_warc_record(ADDRESS, "response", payload=body, http_headers=head)
        )
    for words in (["init", "logs"], ["add", "logs", "log.warc.gz"]):
        subprocess.run([manager, *words], cwd=folder, check=True, capture_output=True)
    words = [wayback, "-p", "{port}", "-b", "127.0.0.1"]
    return Site(words, f"/logs/{ADDRESS}#here", "here", "mp_/", folder)


def row(browser: Browser, label: str, size: int, folder: Path) -> str:
    """Measure a page of one size."""
    page = document(size)
    ours, theirs = permacite(page, folder / "ours"), pywb(page, folder / "theirs")
    for _ in range(ROUNDS):
        ours.visit(browser)
        if theirs:
            theirs.visit(browser)
    marked = sorted(marked_ms(browser, ours))
    cited = f"{statistics.median(marked):,.0f} | {marked[len(marked) * 95 // 100]:,.0f}"
    told, ratios = "- | -", "- | -"
    if theirs:
        told = theirs.figures
        pairs = (ours.first_ms, theirs.first_ms), (ours.then_ms, theirs.then_ms)
        ratios = " | ".join(
            f"{statistics.median(one) / statistics.median(other):.2f}" for one, other in pairs
        )
    return f"| {label} | {ours.figures} | {told} | {ratios} | {cited} |"


def version_of_pywb() -> str:
    """Return the name and version of the rival, or that it was not at hand."""
    wayback = shutil.which("wayback")
    if wayback is None:
        return "pywb (not at hand)"
    asked = subprocess.run([wayback, "--version"], capture_output=True, text=True, check=False)
    return asked.stdout.strip().replace("wayback", "pywb")


def measure() -> str:
    """Return the section."""
    chromium = shutil.which("chromium") or "chromium"
    rows = []
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for number, (label, size) in enumerate(SIZES.items()):
            folder = Path(place, str(number))
            folder.mkdir()
            rows.append(row(browser, label, size, folder))
        version = browser.version
        browser.close()
    table = "\n".join(rows)
    return f"""Milliseconds in Chromium {version}, medians of {ROUNDS} rounds that took turns, with
the least and the most. Rival: {version_of_pywb()}.

From the start of the navigation until the passage, in the middle of the page, is in view. A first
visit comes to a server that was begun just before, which makes all it shows; "then" is one more,
of another browser. permacite shows the page in the reader, inert and with the passage marked. The
last columns: {CITATIONS} citations, from the click on "Cite this" until the words are marked.

| page | permacite, first | then | pywb, first | then | ratio, first | then | cite, p50 | p95 |
|---|---|---|---|---|---|---|---|---|
{table}
"""


if __name__ == "__main__":
    print(measure())
