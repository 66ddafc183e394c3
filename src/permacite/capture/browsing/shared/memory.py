"""How much memory a process and all below it have, as Linux tells."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from pathlib import Path

__all__ = ["memory_of"]

_PROCESSES = Path("/proc")
_KIB = 1024


def memory_of(pid: int) -> int:
    """Bytes that `pid` and the processes below it have of their own; 0 where nothing tells.

    Files that are mapped are left out: the kernel takes them back when it needs room. What two
    of them share counts twice: it is rather too much than too little.
    """
    below: dict[int, list[int]] = defaultdict(list)
    for entry in _PROCESSES.glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            # The name of a process stands in brackets, and may hold any octets.
            fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
            below[int(fields[1])].append(int(entry.name))
    family = [pid]
    for each in family:  # it grows meanwhile
        family += below[each]
    return sum(map(_own_bytes, family))


def _own_bytes(pid: int) -> int:
    """Anonymous and shared memory of one process; 0 where it is gone."""
    total = 0
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in (_PROCESSES / str(pid) / "status").read_bytes().splitlines():
            if line.startswith((b"RssAnon:", b"RssShmem:")):
                total += int(line.split()[1]) * _KIB
    return total
