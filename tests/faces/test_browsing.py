"""Chromium as captures drive it: started, spoken with, and gone without a trace."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.needs import missing, need

from permacite.capture.browsing.chromium import Browser, Tab, TargetSession
from permacite.capture.browsing.program import Program, find_program
from permacite.errors import CaptureError
from permacite.loops import to_the_end

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.browser


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files that other users can come to, as profiles of root need."""
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        Path(made).chmod(0o1777)
        monkeypatch.setenv("TMPDIR", made)
        monkeypatch.setattr(tempfile, "tempdir", None)
        yield Path(made)


@pytest.fixture
def program() -> Program:
    """Return Chromium as captures find it."""
    found = find_program()
    if found is None:
        missing("Chromium is not installed")
    need("chromium")
    need("chromium-sandbox")
    return found


async def nothing(tab: Tab, session: TargetSession) -> None:
    """Prepare nothing."""


def test_a_tab_answers_refuses_and_closes_what_it_opens(folder: Path, program: Program) -> None:
    async def run() -> None:
        async with Browser.started(program) as browser, browser.tab(nothing) as tab:
            asked = {"expression": "6 * 7", "returnByValue": True}
            answer = await tab.send("Runtime.evaluate", asked)
            assert answer["result"]["value"] == 42
            with pytest.raises(CaptureError, match=r"refuses.*Nonsense\.none"):
                await tab.send("Nonsense.none")
            opening = {"expression": "window.open('about:blank#new')", "userGesture": True}
            async with tab.events("Page.windowOpen") as windows:
                await tab.send("Page.enable")
                await tab.send("Runtime.evaluate", opening)
                _, _, params = await windows.get()
                assert params["url"] == "about:blank#new"
            async with browser.tab(nothing) as other:
                assert other.page != tab.page
            assert [each.type for each in tab.sessions.values()] == ["page"]

    to_the_end(run())
    assert list(folder.iterdir()) == []


def test_who_waits_for_a_browser_that_dies_is_told(folder: Path, program: Program) -> None:
    async def run() -> None:
        async with Browser.started(program) as browser, browser.tab(nothing) as tab:
            with pytest.raises(CaptureError, match="Chromium ended by itself"):
                await tab.send("Browser.crash")
            with pytest.raises(CaptureError, match="Chromium ended by itself"):
                await tab.send("Runtime.evaluate", {"expression": "1"})

    to_the_end(run())
    assert list(folder.iterdir()) == []


def test_what_is_no_program_is_refused(folder: Path) -> None:
    with pytest.raises(CaptureError, match="/no/such is no program"):
        find_program("/no/such")
    found = find_program("/bin/true")
    assert found is not None

    async def run() -> None:
        async with Browser.started(found):
            pass

    with pytest.raises(CaptureError, match=r"Chromium (ended by itself|takes no more commands)"):
        to_the_end(run())
    assert list(folder.iterdir()) == []


KILLED = """
import asyncio
from permacite.capture.browsing.chromium import Browser
from permacite.capture.browsing.program import find_program

async def run():
    async with Browser.started(find_program()) as browser:
        print((await browser.pipe.send("SystemInfo.getProcessInfo"))["processInfo"], flush=True)
        await asyncio.sleep(60)

asyncio.run(run())
"""


@pytest.mark.usefixtures("program")
def test_nothing_is_left_when_we_are_killed(folder: Path) -> None:
    ours = subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True)
    assert ours.stdout is not None
    assert "browser" in ours.stdout.readline()
    (profile,) = folder.iterdir()
    assert _running(profile)
    ours.send_signal(signal.SIGKILL)
    ours.wait()
    ours.stdout.close()
    for _ in range(600):
        if not _running(profile) and not profile.exists():
            return
        time.sleep(0.05)
    pytest.fail(f"left behind: {_running(profile)} {list(folder.iterdir())}")


def test_profiles_of_the_dead_are_removed(folder: Path, program: Program) -> None:
    left = folder / "permacite-browser-left"
    left.mkdir()
    (left / "lock").touch()
    os.utime(left, (0, 0))

    async def run() -> None:
        async with Browser.started(program):
            assert not left.exists()

    to_the_end(run())


def _running(profile: Path) -> list[str]:
    """The commands of processes that were given a profile."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = each.read_bytes().decode(errors="replace")
        except OSError:  # it ended
            continue
        if str(profile) in command:
            found.append(command)
    return found
