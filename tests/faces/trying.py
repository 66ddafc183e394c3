"""Random selections in pages that others wrote, in Chromium or Firefox: all are cited as they are.

The pages are drawn by chance from a folder, such as that of the documentation on this machine:

    .venv/bin/python -m tests.faces.trying --pages /usr/share/doc --documents 50 --count 2000
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import http.server
import math
import os
import random
import sys
import tempfile
import threading
import urllib.parse
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright
from tests.faces.conftest import BROWSER_ARGUMENTS, served
from tests.faces.firefox import Firefox
from tests.faces.selecting import Chromium, Gesture, Reader, cite_random, squeezed

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Outcome", "draw", "try_pages"]

_SUFFIXES = {".html", ".htm", ".xhtml", ".mht", ".mhtml", ".md", ".txt", ".csv", ".py", ".js"}
_FETCHED = {".html", ".htm", ".xhtml"}
"""What is saved as from a web site, with its style sheets and pictures."""
_LEAST_BYTES = 2_000
_MOST_MISSES = 20
"""How often nothing but white space is selected before a page counts as tried."""


@dataclass
class Outcome:
    """What came of all selections on one page."""

    tried: int = 0
    left: Counter[str] = field(default_factory=Counter)
    """How many selections held elements of a kind that no text of a page holds."""
    failures: list[tuple[Gesture, str]] = field(default_factory=list)
    """What was not cited, and what was cited that had not been selected."""


def _try_page(archive: Archive, reader: Reader, address: str, *, count: int, seed: str) -> Outcome:
    """Cite `count` random selections of an archived document; every one is to be cited as it is."""
    choose = random.Random(seed)  # noqa: S311 - the same each time
    outcome = Outcome()
    reader.open(address)
    misses = 0
    while outcome.tried < count and misses < _MOST_MISSES:
        gesture = cite_random(reader, choose)
        if gesture is None:
            misses += 1
            continue
        outcome.tried += 1
        outcome.left.update(gesture.left)
        cited = (archive.resolve(gesture.reference).text or "") if gesture.reference else ""
        if squeezed(cited) != squeezed(gesture.words):
            outcome.failures.append((gesture, cited))
    return outcome


def draw(folder: Path, count: int, seed: int) -> list[Path]:
    """Return pages of a folder by chance: of each folder in it one, then of each another one."""
    choose = random.Random(seed)  # noqa: S311 - the same each time
    groups = [_pages(place) for place in sorted(folder.iterdir()) if place.is_dir()]
    for group in groups:
        choose.shuffle(group)
    rounds = range(max(map(len, groups), default=0))
    drawn = [group[turn] for turn in rounds for group in groups if turn < len(group)]
    return drawn[:count]


def _pages(folder: Path) -> list[Path]:
    found = []
    for at, _, names in os.walk(folder, followlinks=True):
        paths = (Path(at) / name for name in names if Path(name).suffix in _SUFFIXES)
        found += [path for path in paths if path.stat().st_size >= _LEAST_BYTES]
    return sorted(found)


@contextlib.contextmanager
def _archived(archive: Archive, folder: Path) -> Iterator[Callable[[Path], str]]:
    """A function that archives a file of a folder: a page as a web site on loopback gives it."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield functools.partial(_archive, archive, f"http://127.0.0.1:{server.server_port}", folder)
        server.shutdown()


def _archive(archive: Archive, base: str, folder: Path, path: Path) -> str:
    if path.suffix in _FETCHED:
        address = f"{base}/{urllib.parse.quote(str(path.relative_to(folder)))}"
        return str(archive.save(address, allow_private=True).pdi)
    return str(archive.add(path.read_bytes(), name=path.name).pdi)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main() -> None:
    """Try pages of a folder, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=Path, required=True, help="a folder of folders of pages")
    parser.add_argument("--documents", type=int, default=50)
    parser.add_argument("--count", type=int, default=2000, help="selections in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--firefox", action="store_true", help="in Firefox, not in Chromium")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        reader: Reader
        if wanted.firefox:
            reader = stack.enter_context(Firefox("firefox-esr", Path(folder)))
        else:
            chromium = stack.enter_context(sync_playwright()).chromium
            browser = chromium.launch(executable_path="/usr/bin/chromium", args=BROWSER_ARGUMENTS)
            stack.callback(browser.close)
            reader = Chromium(browser.new_page())
        paths = draw(wanted.pages, wanted.documents, wanted.seed)
        each = math.ceil(wanted.count / wanted.documents)
        outcomes = try_pages(reader, Path(folder), wanted.pages, paths, each)
    tried = sum(outcome.tried for outcome in outcomes)
    failed = sum(len(outcome.failures) for outcome in outcomes)
    _say(f"{tried} tried, {failed} failed")
    sys.exit(failed > 0 or tried < wanted.count)


def try_pages(
    reader: Reader, folder: Path, pages: Path, paths: list[Path], each: int
) -> list[Outcome]:
    """Archive pages and cite `each` random selections of every one; print what came of it."""
    outcomes = []
    with (
        Archive.create(folder / "archive", series="lab.example.us") as archive,
        _archived(archive, pages) as keep,
        served(folder / "archive") as running,
    ):
        for path in paths:
            name = str(path.relative_to(pages))
            address = f"{running.base}/{keep(path)}"
            outcome = _try_page(archive, reader, address, count=each, seed=name)
            outcomes.append(outcome)
            left = f", left out: {dict(outcome.left)}" if outcome.left else ""
            _say(f"{name}: {outcome.tried} tried, {len(outcome.failures)} failed{left}")
            for gesture, cited in outcome.failures:
                told = gesture.trouble or _first_difference(gesture.words, cited)
                _say(f"    {len(gesture.words)} characters, {gesture.words[:80]!r}: {told}")
    return outcomes


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _first_difference(words: str, cited: str) -> str:
    wanted, found = squeezed(words), squeezed(cited)
    pairs = enumerate(zip(wanted, found, strict=False))
    at = next((at for at, (one, other) in pairs if one != other), min(len(wanted), len(found)))
    return f"cited {found[at : at + 40]!r} instead of {wanted[at : at + 40]!r}"


if __name__ == "__main__":
    main()
