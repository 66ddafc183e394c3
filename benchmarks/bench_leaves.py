"""How soon a cited page of a PDF is on the screen, beside pdftoppm, which draws the same page.

Each document is a PDF of the tests' golden set, or of the folders that PERMACITE_PDFS names (40 at
most, a page in the middle of each); some words of a page are cited. Asked for over HTTP: the
reader's page and what stands in its frame, one after the other as a browser does, whole. "Cold" is
the first time that anybody asks for a page, of a server and decoders that run; "warm" is once more.
"Begun" is the first page of all of a server that has just said that it answers. In Chromium the
time counts from the start of the navigation to the frame after the one in which the drawn page is
decoded and the mark over it in view. "The frame alone" is what Chromium itself takes: the same page
in a frame of the same kind, in a page that has nothing else, from a server that has both in memory.
pdftoppm draws the page at as many pixels, as PNG.

Alone: python benchmarks/bench_leaves.py [FOLDER...]
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
from bench_reader import noted
from bench_server import exchange, permacite, request

from permacite.service.archive import Archive
from permacite.web.headers import FRAME_SANDBOX

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playwright.sync_api import Browser

TITLE = "PDF: a cited page on the screen"
RIVALS: list[str] = []
GOLDEN = Path(__file__).parents[1] / "tests" / "golden" / "pdf"
MOST, BEGUN, WARMED_S = 40, 3, 5
"""Documents, and servers that are begun anew; how long one is let be before it is asked."""
DOTS = 144
"""Pixels for an inch, as pages are drawn."""
OBSERVER = """(() => {
  if (!location.protocol.startsWith("http")) return;
  const note = () => (window.seenAt ??= performance.timeOrigin + performance.now());
  const watch = new IntersectionObserver((seen) => {
    if (seen.some((entry) => entry.isIntersecting)) requestAnimationFrame(note);
  });
  const look = () => {
    const [mark, picture] = ["permacite-mark", "media"].map((id) => document.getElementById(id));
    if (mark && picture?.naturalWidth) picture.decode().then(() => watch.observe(mark));
    else requestAnimationFrame(look);
  };
  look();
})();"""
"""Notes when the mark over a drawn page was first in view."""


class Cited(NamedTuple):
    """Words of a page: where the reader shows them, and the page in its file."""

    path: str
    file: Path
    page: int


def files(folders: Sequence[Path]) -> list[Path]:
    """The documents: every so manieth of a folder, so that no maker of them has all."""
    found = sorted(path for folder in folders for path in folder.rglob("*.pdf") if path.is_file())
    step = max(1, len(found) // MOST)
    return found[::step][:MOST]


def cited(archive: Archive, file: Path) -> Cited | None:
    """Some words in the middle of a document; None where it has none."""
    saved = archive.add(file.read_bytes(), name=file.name)
    text = archive.resolve(saved.pdi).text or "" if saved.citable else ""
    words = [each for each in re.finditer(r"\S+", text) if each.start() >= len(text) // 2][:5]
    if not words:
        return None
    made = archive.cite(saved.pdi, char=f"{words[0].start()},{words[-1].end()}")
    name, _, fragment = made.reference.partition("#")
    printed = archive.documents.reader.read(made.reference).leaf
    return None if printed is None else Cited(f"{name}?fragment={fragment}", file, printed.number)


def asked_ms(port: int, each: Cited) -> float:
    """How long the reader's page and the drawn one in it take, one after the other."""
    start = time.perf_counter()
    for path in (f"/{each.path}", f"/-/page/{each.path}"):
        answer = exchange(port, request(path, "Accept: text/html\r\n"))
        assert answer.startswith(b"HTTP/1.1 200"), answer[:200]
    assert b'id="permacite-mark"' in answer
    return (time.perf_counter() - start) * 1000


@contextmanager
def alone(frames: dict[str, bytes]) -> Iterator[int]:
    """Serve drawn pages as they are, each in a frame of an empty page; yield the port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = frames.get(self.path)
            if body is None:
                style = "width: 880px; height: 600px; border: 0"
                source = f"/-/page{self.path}"
                body = f'<iframe sandbox="{FRAME_SANDBOX}" style="{style}" src="{source}">'.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def seen_ms(browser: Browser, port: int, path: str) -> float:
    """How long the mark takes from the start of the navigation into view."""
    page = browser.new_page()
    page.add_init_script(OBSERVER)
    page.goto(f"http://127.0.0.1:{port}/{path}", wait_until="commit")
    seen = noted(page, "/-/page/", "window.seenAt")
    began = float(page.evaluate("performance.timeOrigin"))
    page.close()
    return seen - began


def drawn_ms(each: Cited, folder: Path) -> float:
    """How long pdftoppm takes to draw the same page."""
    number = str(each.page)
    command = ["pdftoppm", "-png", "-r", str(DOTS), "-f", number, "-l", number]
    start = time.perf_counter()
    subprocess.run(
        [*command, str(each.file), str(folder / "page")], check=True, capture_output=True
    )
    return (time.perf_counter() - start) * 1000


def row(what: str, taken: Sequence[float]) -> str:
    """A row: the median, the 95th of a hundred, and the longest."""
    times = sorted(taken)
    late = times[min(len(times) - 1, len(times) * 95 // 100)]
    return f"| {what} | {statistics.median(times):,.0f} | {late:,.0f} | {times[-1]:,.0f} |"


def times_of(archive: Path, pages: Sequence[Cited], folder: Path) -> dict[str, list[float]]:
    """What each took, by what it is."""
    taken: defaultdict[str, list[float]] = defaultdict(list)
    half = len(pages) // 2
    with permacite(archive) as server:
        time.sleep(WARMED_S)
        asked_ms(server.port, pages[0])
        for each in pages[1:half]:
            taken["over HTTP, cold"].append(asked_ms(server.port, each))
            taken["over HTTP, warm"].append(asked_ms(server.port, each))
            taken["pdftoppm, the page alone"].append(drawn_ms(each, folder))
        chromium = shutil.which("chromium") or "chromium"
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            seen_ms(browser, server.port, pages[0].path)
            frames: dict[str, bytes] = {}
            with alone(frames) as port:
                for each in pages[half:]:
                    taken["in Chromium, cold"].append(seen_ms(browser, server.port, each.path))
                    taken["in Chromium, warm"].append(seen_ms(browser, server.port, each.path))
                    framed = f"/-/page/{each.path}"
                    answer = exchange(server.port, request(framed, "Accept: text/html\r\n"))
                    frames[framed] = answer.partition(b"\r\n\r\n")[2]
                    taken["in Chromium, the frame alone"].append(seen_ms(browser, port, each.path))
            browser.close()
    for each in pages[:BEGUN]:
        with permacite(archive) as server:
            taken["over HTTP, server begun just before"].append(asked_ms(server.port, each))
    return taken


def measure(folders: Sequence[Path] = ()) -> str:
    """The table."""
    if shutil.which("pdftoppm") is None:
        return "Not at hand: pdftoppm (Debian: poppler-utils)."
    named = os.environ.get("PERMACITE_PDFS", "")
    folders = folders or list(map(Path, filter(None, named.split(os.pathsep)))) or [GOLDEN]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with Archive.create(folder / "archive", series="lab.example.zz") as archive:
            pages = [page for file in files(folders) if (page := cited(archive, file))]
        load = os.getloadavg()[0]
        taken = times_of(folder / "archive", pages, folder)
    about = (
        f"{len(pages)} documents, a page of each; the load of the machine was {load:.0f} before."
    )
    head = ["| ms until a cited page is there | median | p95 | longest |", "|---|---|---|---|"]
    return "\n".join([about, "", *head, *(row(*each) for each in taken.items())])


if __name__ == "__main__":
    print(measure([Path(each) for each in sys.argv[1:]]))
