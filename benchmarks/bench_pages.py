"""What a page of a list costs the server, in an archive of a thousand documents and of a million.

Archives are grown as in bench_scale: through the commits of the archive, without octets. The server
runs as `permacite serve`; its CPU time is what the kernel counts of its processes, over hundreds of
requests for each page. Alone: python benchmarks/bench_pages.py [FOLDER], which keeps the archives.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bench_scale import SERIES, grow

from permacite.archive.repository import Repository
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Iterator

TITLE = "Pages of lists: CPU of the server against size"
RIVALS: list[str] = []

SIZES = (1_000, 1_000_000)
REQUESTS = 20
TURNS = 15
TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")
_SPENT = slice(11, 15)
"""utime, stime, cutime and cstime behind the name in /proc/PID/stat (proc(5))."""


@contextlib.contextmanager
def served(folder: Path) -> Iterator[tuple[http.client.HTTPConnection, int]]:
    """A connection to a server of an archive, and the id of its process."""
    command = [sys.executable, "-m", "permacite", "--archive", str(folder), "serve", "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    lines = (re.match(r"(http://\S+)/ answers", line) for line in process.stderr)
    address = next(filter(None, lines), None)
    if address is None:
        raise SystemExit("the server did not start")
    place = urlsplit(address[1])
    yield http.client.HTTPConnection(place.hostname or "", place.port), process.pid
    process.terminate()
    process.wait()


def spent_ms(pid: int) -> float:
    """CPU time of a process and its children so far."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    ticks = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return sum(map(int, ticks[_SPENT])) * TICK_MS + sum(spent_ms(int(child)) for child in children)


def ask(connection: http.client.HTTPConnection, target: str) -> None:
    """Send a request and read the answer, which must be one."""
    connection.request("GET", target, headers={"Accept": "text/html, application/json"})
    answer = connection.getresponse()
    answer.read()
    if answer.status not in {http.HTTPStatus.OK, http.HTTPStatus.SEE_OTHER}:
        raise SystemExit(f"{target}: {answer.status}")


def targets(size: int, day: str) -> dict[str, str]:
    """The pages that are asked for: the first, one in the middle, the last one, of 50 each."""
    second, middle, last = (
        f"urn:pdi://{SERIES}/{day}/{serial}.png.1" for serial in (51, size // 2, size - 50)
    )
    api = "/-/api/documents?limit=50"
    page = f"https://example.org/{size // 2}"
    names = f"/urn:pdi://{SERIES}/*/*/*/*?view=json&limit=50"
    return {
        "home": "/",
        "home, in the middle": f"/?after={middle}",
        "home, the oldest": f"/?after={second}",
        "home, of a day": f"/?pattern={SERIES}/{day}",
        "API, a page of 50": api,
        "API, a page of 100": "/-/api/documents",
        "API, in the middle": f"{api}&after={middle}",
        "API, at the end": f"{api}&after={last}",
        "box, an address": f"/-/search?q={page}",
        "box, an address that nothing was saved from": f"/-/search?q={page}/none",
        "box, a name": f"/-/search?q={middle}",
        "box, words: the search with it": f"/-/search?q=%22document+{size // 2}%22",
        "sites": "/-/sites",
        "addresses of a site": "/-/sites?site=example.org",
        "calendar of an address": f"/-/calendar?to={page}",
        "set of names": names,
        "set of names, in the middle": f"{names}&after={middle}",
        "set of names of a format that none has": f"/urn:pdi://{SERIES}/*/*/*/*.pdf?view=json",
    }


def day_of(folder: Path) -> str:
    """The day on which all documents were committed, as names have it."""
    with Repository.open(folder) as archive:
        name = next(archive.lists.list(limit=1)).pdi
    return f"{name.year}/{name.month}/{name.day}"


def costs(folders: dict[int, Path]) -> dict[str, list[float]]:
    """CPU time of each page at each size, in milliseconds.

    The servers are asked in turns, so that what else the machine does meanwhile troubles all alike.
    """
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(served(folder)) for folder in folders.values()]
        pages = [targets(size, day_of(folder)) for size, folder in folders.items()]
        spent: dict[str, list[float]] = {what: [0.0] * len(servers) for what in pages[0]}
        for what, turn in itertools.product(spent, range(-1, TURNS)):
            for number, (connection, pid) in enumerate(servers):
                before = spent_ms(pid)
                for _ in range(REQUESTS):
                    ask(connection, pages[number][what])
                if turn >= 0:  # the first turn warms what comes after
                    spent[what][number] += (spent_ms(pid) - before) / REQUESTS / TURNS
    return spent


def archive_of(folder: Path, size: int) -> Path:
    """The folder of an archive of so many documents, grown where it is not there."""
    directory = folder / str(size)
    if directory.exists():
        return directory
    with Repository.create(directory, series=SERIES) as archive:
        grow(archive, size)
    with Archive.open(directory) as service:
        service.documents.word_index.update()
    return directory


def table(folder: Path) -> list[str]:
    """What each page costs at each size, and how many times the cost at the smallest."""
    measured = costs({size: archive_of(folder, size) for size in SIZES})
    return [
        f"| CPU of the server for a page | {' | '.join(f'{size:,} documents' for size in SIZES)} |",
        "|---" * (len(SIZES) + 1) + "|",
        *(
            f"| {what} | {' | '.join(f'{one:.2f} ms ({one / each[0]:.2f})' for one in each)} |"
            for what, each in measured.items()
        ),
    ]


def measure() -> str:
    """Return the table, as Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        return "\n".join(
            [
                *table(Path(folder)),
                "",
                "In brackets times the cost at 1,000 documents. Home shows 50 documents, and a set",
                "is asked for 50; nothing is kept of an answer for the next one.",
            ]
        )


if __name__ == "__main__":
    print("\n".join(table(Path(sys.argv[1]))) if sys.argv[1:] else measure())
