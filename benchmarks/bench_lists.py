"""Save a list of 1,000 small pages from loopback: CPU a page beside single saves, and memory.

The pages are served by a process of its own, from one host; each has a style sheet of its own. A
single save is the same command with one address. CPU is that of the process and all it started.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

TITLE = "Saving a list of 1,000 small pages"
RIVALS = ["aiohttp"]

PAGES = 1000
SINGLES = 5
JOBS = (1, 4, 16)
_TEXT = "<p>The tide at the harbour was written down at noon, as it is every day of the year.</p>"


class Spent(NamedTuple):
    """What a process took."""

    cpu_s: float
    wall_s: float
    most_mib: float


def serve() -> None:
    """Serve pages for ever; the first line printed is the port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            is_sheet = self.path.endswith(".css")
            body = f"h1 {{ /* {self.path} */ color: navy }}".encode()
            if not is_sheet:
                head = f"<!doctype html><title>{self.path}</title><link rel=stylesheet href="
                body = f"{head}{self.path}.css><h1>{self.path}</h1>{_TEXT * 40}".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/css" if is_sheet else "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("", 0), Handler)  # many hosts of this machine
    print(server.server_address[1], flush=True)
    server.serve_forever()


@contextlib.contextmanager
def _served() -> Iterator[str]:
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


def _save(folder: Path, *options: str) -> Spent:
    """Run `permacite save` into a new archive, and say what it took."""
    command = [sys.executable, "-m", "permacite", "--archive", str(folder)]
    subprocess.run([*command, "init", str(folder)], check=True, capture_output=True)
    environment = os.environ | {"XDG_STATE_HOME": str(folder.parent / "state")}
    start = time.perf_counter()
    saving = [*command, "save", "--allow-private", "--pause", "0", *options]
    process = subprocess.Popen(saving, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"save ended with {process.returncode}")
    cpu = usage.ru_utime + usage.ru_stime
    return Spent(cpu, time.perf_counter() - start, usage.ru_maxrss / 1024)


def measure() -> str:
    """Return a table of CPU a page, time a page and the most memory."""
    with _served() as base, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        singles = [_save(folder / f"single{n}", f"{base}/{n}") for n in range(SINGLES)]
        single = Spent(*(statistics.median(each) for each in zip(*singles, strict=True)))
        listed = folder / "list"
        lines = [
            "| | CPU a page | share of a single save | wall time a page | most memory |",
            "|---|---|---|---|---|",
            (
                f"| single saves | {single.cpu_s:.3f} s | 1 | {single.wall_s:.3f} s |"
                f" {single.most_mib:.0f} MiB |"
            ),
        ]
        for jobs in JOBS:
            # All pages are of one host, which is asked for one at a time: so many names of it.
            _spread(listed, base, jobs)
            spent = _save(folder / f"jobs{jobs}", "--from", str(listed), "--jobs", str(jobs))
            lines.append(
                f"| a list, {jobs} jobs | {spent.cpu_s / PAGES:.4f} s |"
                f" {spent.cpu_s / PAGES / single.cpu_s:.3f} | {spent.wall_s / PAGES:.4f} s |"
                f" {spent.most_mib:.0f} MiB |"
            )
    note = f"{PAGES} pages of 4 KiB with a style sheet each, committed one by one and synced."
    return "\n".join([*lines, "", note])


def _spread(listed: Path, base: str, jobs: int) -> None:
    """List the pages under as many hosts as there are jobs, all of them this machine."""
    port = base.rpartition(":")[2]
    lines = [f"http://127.0.0.{1 + n % jobs}:{port}/{n}" for n in range(PAGES)]
    listed.write_text("\n".join(lines))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve()
    else:
        print(measure())
