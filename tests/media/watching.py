"""A server from outside: what it is asked, what it answers, and what its processes take.

Memory is what the kernel says of each process, several times a second; Linux alone tells it.
"""

from __future__ import annotations

import http.client
import re
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Answer", "Memory", "ask", "calls_behind_doors", "children", "resident_bytes", "watched"]

_PAUSE_S = 0.02


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said."""

    status: int
    fields: dict[str, str]
    body: bytes
    seconds: float


def ask(base: str, name: str, *, accept: str = "*/*", timeout_s: float = 300) -> Answer:
    """Ask for a name; the answer, read whole."""
    connection = http.client.HTTPConnection(base.removeprefix("http://"), timeout=timeout_s)
    begun = time.monotonic()
    try:
        connection.request("GET", "/" + quote(name, safe=":/=,()+"), headers={"Accept": accept})
        got = connection.getresponse()
        body = got.read()
    finally:
        connection.close()
    fields = {key.lower(): value for key, value in got.getheaders()}
    return Answer(got.status, fields, body, time.monotonic() - begun)


def children(process: int) -> list[int]:
    """Return the processes that a process has started and that still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it ended meanwhile
            continue
        if int(parent) == process and state != "Z":
            found.append(int(path.parent.name))
    return found


def resident_bytes(process: int, column: str = "VmRSS") -> int:
    """Return the memory that a process has; 0 when it has ended. Columns as in proc(5)."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    found = re.search(rf"^{column}:\s+(\d+) kB", status, re.MULTILINE)
    return int(found[1]) << 10 if found else 0


@dataclass(slots=True)
class Memory:
    """The most that was seen: of the process itself, and of all that it started together."""

    own: int = 0
    workers: int = 0
    most_workers: int = 0
    stopped: threading.Event = field(default_factory=threading.Event)

    def look(self, process: int) -> None:
        """Take what is seen at this moment."""
        others = children(process)
        self.own = max(self.own, resident_bytes(process))
        self.workers = max(self.workers, sum(map(resident_bytes, others)))
        self.most_workers = max(self.most_workers, len(others))

    def watch(self, process: int) -> None:
        """Look again and again, until stopped."""
        while not self.stopped.wait(_PAUSE_S):
            self.look(process)


@contextmanager
def watched(process: int) -> Iterator[Memory]:
    """Watch the memory of a process until the block ends."""
    memory = Memory()
    thread = threading.Thread(target=memory.watch, args=[process])
    thread.start()
    try:
        yield memory
    finally:
        memory.stopped.set()
        thread.join()
        memory.look(process)


def calls_behind_doors(trace: str) -> list[str]:
    """Return the calls of workers, each from the moment its last door was closed."""
    behind: set[str] = set()
    calls = []
    for line in trace.splitlines():
        process, call = line.split(maxsplit=1)
        if "PR_SET_SECCOMP" in call:
            behind.add(process)
        elif call.startswith("+++"):
            behind.discard(process)  # it ended: soon another one has its number
        elif process in behind:
            calls.append(call)
            if call.startswith("clone"):
                behind.add(call.rpartition("= ")[2])
    return calls
