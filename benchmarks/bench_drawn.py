"""Draw real sites in a list: time, CPU and memory a page beside SingleFile and Chromium's snapshot.

The sites are those of bench_sites.py, under several hosts of this machine, so that jobs have
something to do beside each other. Each round has all savers save all pages, in turn.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import bench_sites

from permacite.capture.browsing.pool import memory_of

if TYPE_CHECKING:
    from collections.abc import Callable

TITLE = "Drawing a list of real sites"
RIVALS = ["playwright"]

SITES = (
    *("Python manual", "Rust book", "PostgreSQL manual", "GTK manual", "chart", "d3"),
    *("docsify", "katex", "leaflet", "marked", "mermaid", "redoc", "swagger", "vega"),
)
ROUNDS = 3
JOBS = (1, 4)
_LOOK_S = 0.2


class Spent(NamedTuple):
    """What a page took, or the processes at one time."""

    wall_s: float
    cpu_s: float
    most_mib: float


def _run(command: list[str], pages: int) -> Spent:
    """Run a saver of many pages, and say what one took."""
    most = 0
    with tempfile.NamedTemporaryFile("r", suffix=".json") as told:
        counting = [sys.executable, bench_sites.__file__, "--count", told.name, *command]
        with subprocess.Popen(counting, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None:
                most = max(most, memory_of(process.pid))
                time.sleep(_LOOK_S)
        if process.returncode:
            raise RuntimeError(f"{command[0]} ended with {process.returncode}")
        cpu_s, wall_s = json.load(told)
    return Spent(wall_s / pages, cpu_s / pages, most / 1024**2)


def _permacite(uris: list[str], folder: Path, jobs: int) -> Spent:
    archive, listed = folder / f"archive{jobs}", folder / f"list{jobs}"
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    command = [sys.executable, "-m", "permacite", "--archive", str(archive)]
    subprocess.run([*command, "init", str(archive)], check=True, capture_output=True)
    listed.write_text("\n".join(uris))
    how = ["--allow-private", "--pause", "0", "--via", "browser", "--jobs", str(jobs)]
    return _run([*command, "save", *how, "--from", str(listed)], len(uris))


def _each(save: Callable[[str, Path], list[str]]) -> Callable[[list[str], Path], Spent]:
    """A saver that is started for each page."""

    def all_of(uris: list[str], folder: Path) -> Spent:
        spent = [_run(save(uri, folder), 1) for uri in uris]
        wall_s, cpu_s, _ = (statistics.fmean(each) for each in zip(*spent, strict=True))
        return Spent(wall_s, cpu_s, max(each.most_mib for each in spent))

    return all_of


def _single_file(uri: str, folder: Path) -> list[str]:
    flags = json.dumps(["--no-sandbox", "--window-size=1280,900"])
    options = [f"--browser-executable-path={shutil.which('chromium')}", f"--browser-args={flags}"]
    return ["single-file", *options, "--filename-conflict-action=overwrite", uri, f"{folder}/page"]


def _snapshots(uris: list[str], folder: Path) -> Spent:
    """All snapshots by one browser."""
    return _run([sys.executable, __file__, "--snapshots", str(folder), *uris], len(uris))


def snapshots(folder: str, uris: list[str]) -> None:
    """Have Chromium write pages as MHTML once nothing was fetched for half a second."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for number, uri in enumerate(uris):
            with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
                page = context.new_page()
                page.goto(uri, wait_until="networkidle")
                session = context.new_cdp_session(page)
                data: str = session.send("Page.captureSnapshot", {"format": "mhtml"})["data"]
                Path(folder, f"{number}.mhtml").write_bytes(data.encode())
        browser.close()


def _savers() -> dict[str, Callable[[list[str], Path], Spent]]:
    found: dict[str, Callable[[list[str], Path], Spent]] = {
        f"permacite, {jobs} job{'s' * (jobs > 1)}": partial(_permacite, jobs=jobs) for jobs in JOBS
    }
    if shutil.which("single-file"):
        found["SingleFile"] = _each(_single_file)
    found["snapshot, a browser a page"] = _each(
        lambda uri, folder: [sys.executable, __file__, "--snapshots", str(folder), uri]
    )
    return found | {"snapshot, one browser": _snapshots}


def measure() -> str:
    """Return a table of time, CPU and memory."""
    folder = Path(os.environ.get("PERMACITE_SITES", "/none"))
    if not folder.is_dir():
        return "Not measured: PERMACITE_SITES names no folder (`bench_sites.py --fetch FOLDER`)."
    known = bench_sites.sites(folder)
    paths = [known[name] for name in SITES if name in known]
    spent: dict[str, list[Spent]] = {}
    with bench_sites.served(folder, "") as server:
        port = server.server_address[1]
        uris = [f"http://127.0.0.{1 + n % max(JOBS)}:{port}{p}" for n, p in enumerate(paths)]
        for _ in range(ROUNDS):
            for name, save in _savers().items():
                with tempfile.TemporaryDirectory() as scratch:
                    spent.setdefault(name, []).append(save(uris, Path(scratch)))
    return _table(spent, len(paths))


def _table(spent: dict[str, list[Spent]], pages: int) -> str:
    medians = {
        name: Spent(*map(statistics.median, zip(*each, strict=True)))
        for name, each in spent.items()
    }
    rivals = [name for name in medians if not name.startswith("permacite")]
    heads = ["", "time a page", "CPU a page", "most memory", *(f"of {name}" for name in rivals)]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for name, own in medians.items():
        ratios = [f"{own.wall_s / medians[rival].wall_s:.2f}" for rival in rivals]
        cells = [name, f"{own.wall_s:.2f} s", f"{own.cpu_s:.2f} s", f"{own.most_mib:.0f} MiB"]
        lines.append(f"| {' | '.join([*cells, *ratios])} |")
    note = (
        f"{pages} pages, {ROUNDS} rounds, medians. The last columns: time a page as a share of each"
        " rival's. Ours is committed and synced, and each page ran eight seconds of its own time"
        " and was scrolled through; SingleFile as it comes; the snapshot is taken once nothing was"
        " fetched for half a second. Memory: anonymous and shared, of all processes."
    )
    return "\n".join([*lines, "", note])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--snapshots"]:
        snapshots(sys.argv[2], sys.argv[3:])
    else:
        print(measure())
