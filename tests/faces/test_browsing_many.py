"""One browser for many pages: shared, brought down, too large, and gone without a trace."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.faces.site import Answer, lookup, only_here, serving
from tests.faces.test_browsing import folder, program

from permacite.capture.browsing.drawing import draw_page
from permacite.capture.browsing.pool import BrowserPool, PoolLimits, SharedBrowser, memory_of
from permacite.capture.model import FetchLimits, FetchOptions
from permacite.errors import CaptureError
from permacite.loops import to_the_end

if TYPE_CHECKING:
    from tests.faces.site import Routes

    from permacite.capture.browsing.chromium import Browser
    from permacite.capture.browsing.program import Program
    from permacite.capture.model import Capture

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("folder")]
__all__ = ["folder", "program"]  # fixtures

SEEN = """<!doctype html><p id=a>%s</p><script>
a.append(" ", document.hasFocus(), " ", document.visibilityState, " ", document.cookie, "|")
document.cookie = "seen=%s"; localStorage.seen = (localStorage.seen ?? "") + "x"
a.append(localStorage.seen); fetch("/of-%s")</script>"""


def drawn(program: Program, routes: Routes, paths: str, bounds: PoolLimits | None) -> list[Capture]:
    """What pages are captured as, drawn beside each other by one who draws them all."""

    async def run() -> list[Capture]:
        with BrowserPool(bounds) as browsers:
            async with serving(routes) as site:
                limits = FetchLimits(total_s=40, load_s=15)

                def draw(path: str) -> Capture:
                    return browsers.draw(
                        site.uri(f"/{path}"),
                        program,
                        FetchOptions(limits, allow_private=True, lookup=lookup),
                    )

                return await asyncio.gather(*(asyncio.to_thread(draw, path) for path in paths))

    return to_the_end(run())


def words(captured: Capture) -> str:
    """What is seen of a page."""
    assert captured.drawn is not None
    return captured.drawn.text.strip()


def browsers_in(folder: Path) -> dict[Path, int]:
    """The browsers that run, by their folders."""
    running = {}
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = each.read_bytes().split(b"\0")
        except OSError:  # it ended
            continue
        if b"--headless" in command and not any(word.startswith(b"--type=") for word in command):
            profile = next(word for word in command if word.startswith(b"--user-data-dir="))
            running[Path(profile.decode().partition("=")[2]).parent] = int(each.parent.name)
    return {profile: pid for profile, pid in running.items() if profile.parent == folder}


def test_pages_beside_each_other_are_drawn_as_if_alone(program: Program, folder: Path) -> None:
    """One has the cookies of none, and all have the focus; of a spent browser comes another."""
    profiles: set[Path] = set()
    sizes: list[int] = []

    def routes(path: str, _: object) -> Answer:
        running = browsers_in(folder)
        profiles.update(running)
        sizes.extend(map(memory_of, running.values()))
        return Answer((SEEN % ((path.strip("/"),) * 3)).encode())

    captured = drawn(program, routes, "abc", PoolLimits(pages=2))
    assert [words(each) for each in captured] == [f"{name} true visible |x" for name in "abc"]
    for name, each in zip("abc", captured, strict=True):
        asked = {part.uri.rpartition("/")[2] for part in each.exchanges}
        assert asked - {"favicon.ico"} == {name, f"of-{name}"}
    assert len(profiles) == 2
    assert min(sizes) > 10_000_000
    assert list(folder.iterdir()) == []


def test_what_a_dead_browser_lost_is_drawn_once_more(program: Program, folder: Path) -> None:
    killed: list[int] = []

    def routes(path: str, _: object) -> Answer:
        if path == "/b" and not killed:
            killed.extend(browsers_in(folder).values())
            os.kill(killed[0], signal.SIGKILL)
        return Answer((SEEN % ((path.strip("/"),) * 3)).encode())

    captured = drawn(program, routes, "abc", None)
    assert [words(each)[0] for each in captured] == ["a", "b", "c"]
    assert len(killed) == 1
    assert list(folder.iterdir()) == []


def test_a_drawing_that_a_dead_browser_left_out_is_made_anew(program: Program) -> None:
    """It may die while a page is frozen: what was served is there then, and no drawing."""
    tried: list[Browser] = []

    async def run() -> Capture:
        shared = SharedBrowser(PoolLimits())
        async with serving(lambda _path, _fields: Answer(b"words")) as site:

            async def page(browser: Browser) -> Capture:
                uri = site.uri("/")
                captured = await draw_page(
                    browser, uri, FetchOptions(lookup=lookup), refuse=only_here
                )
                tried.append(browser)
                if len(tried) > 1:
                    return captured
                with pytest.raises(CaptureError, match="ended by itself"):
                    await browser.pipe.send("Browser.crash")
                return replace(captured, drawn=None)

            try:
                return await shared.draw(program, page)
            finally:
                await shared.end()

    assert words(to_the_end(run())) == "words"
    assert len(set(tried)) == 2


def test_a_browser_that_grows_too_large_is_ended(program: Program, folder: Path) -> None:
    def routes(path: str, _: object) -> Answer:
        return Answer(path.encode())

    with pytest.raises(CaptureError, match="takes more than 1 MiB of memory") as error:
        drawn(program, routes, "b", PoolLimits(most_bytes=1 << 20))
    assert error.value.reason == "browser"
    assert list(folder.iterdir()) == []
