"""How soon a page of a person's own browser is cited: from the click on the extension's button.

Counted is the time from the click to the finished citation in the popup, in one Chromium with a
server on this machine, for a page of 200 kB and one of 2 MB with many thousand elements; how much
of it the browser took until it had all to send, and the rest is the server's. The first save of a
round is one of a server that has just begun. There is no rival: no other tool that saves what a
person sees commits it with its octets, text and citation.

Alone: python benchmarks/bench_handed.py
"""

from __future__ import annotations

import contextlib
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from bench_reader import document  # noqa: E402 - the path is made above
from tests.faces.extended import connect, running_extended  # noqa: E402 - the same

if TYPE_CHECKING:
    from http.server import BaseHTTPRequestHandler

    from playwright.sync_api import Page
    from tests.faces.account import Sent
    from tests.faces.extended import Extended

TITLE = "From a person's own browser: from the click to the citation"
RIVALS: list[str] = []
ROUNDS = 5
SIZES = {"200 kB": 200_000, "2 MB": 2_000_000}
_SELECT = """turn => {
  const text = document.querySelector(`#here-${turn}`).firstChild;
  getSelection().setBaseAndExtent(text, 4, text, 23);
}"""


def clicked(extended: Extended, page: Page) -> tuple[float, float]:
    """Click once; the seconds until all is read, and until the citation is there."""
    started, read = 0.0, 0.0
    with extended.clicked(page):
        state = extended.state("sending", "done", "failed")
        started = state["startedAt"]
        read = extended.worker.evaluate("Date.now()") - started
        state = extended.state("done", "failed", "decide")
        if state["phase"] != "done":
            sys.exit(f"not saved: {state}")
        return read / 1000, state["took"] / 1000


def measure() -> str:
    """Return a table of medians, with the least and the most."""
    rows = []
    with sync_playwright() as playwright:
        for name, size in SIZES.items():
            content = document(size).encode()

            def log(handler: BaseHTTPRequestHandler, sent: Sent, content: bytes = content) -> bool:
                if not sent.address.endswith("/log"):
                    return False
                handler.send_response(200)
                handler.send_header("Content-Type", "text/html; charset=utf-8")
                handler.send_header("Content-Length", str(len(content)))
                handler.end_headers()
                with contextlib.suppress(OSError):
                    handler.wfile.write(content)
                return True

            with (
                tempfile.TemporaryDirectory() as folder,
                running_extended("/usr/bin/chromium", playwright, Path(folder)) as extended,
            ):
                connect(extended)
                extended.wire.instead[extended.site.removeprefix("http://")] = log
                page = extended.context.new_page()
                times = []
                for turn in range(ROUNDS + 1):
                    page.goto(f"{extended.site}/log")
                    page.evaluate(_SELECT, turn)
                    times.append(clicked(extended, page))
            first, then = times[0], times[1:]
            cells = [f"{first[1]:.2f}"]
            for at in (1, 0):
                each = [time[at] for time in then]
                median = statistics.median(each)
                cells.append(f"{median:.2f} ({min(each):.2f} to {max(each):.2f})")
            rows.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(
        [
            "Seconds in Chromium, medians of five saves with the least and the most; the first of",
            "a server that has just begun stands apart.",
            "",
            "| page | first | click to citation | until the browser has all to send |",
            "|---|---|---|---|",
            *rows,
        ]
    )


if __name__ == "__main__":
    sys.stdout.write(f"{measure()}\n")
