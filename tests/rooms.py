"""What share of each room was run: `coverage json -q -o - | python -m tests.rooms`.

A row for each folder of src/permacite and those right inside it, with all that is below: statements
and branches that were run, of how many, as `coverage report` counts them.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import PurePath
from typing import Any

__all__ = ["shares"]

_DEPTH = 2


def shares(report: dict[str, Any]) -> list[tuple[str, int, int]]:
    """Return each room by its name, "archive/log" say, with what was run of it, and its size."""
    ran, sizes = Counter[str](), Counter[str]()
    for name, told in report["files"].items():
        parts = PurePath(name).parts
        rooms = parts[parts.index("permacite") + 1 : -1]
        counts = told["summary"]
        for depth in range(min(len(rooms), _DEPTH) + 1):
            room = "/".join(rooms[:depth])
            ran[room] += counts["covered_lines"] + counts["covered_branches"]
            sizes[room] += counts["num_statements"] + counts["num_branches"]
    return [(room, ran[room], sizes[room]) for room in sorted(sizes) if sizes[room]]


def main() -> None:
    """Print a table of what stands on standard input."""
    for room, ran, size in shares(json.load(sys.stdin)):
        share = 100 * ran / size
        sys.stdout.write(f"{share:5.1f} %  {ran:6} of {size:6}  {room or 'all'}\n")


if __name__ == "__main__":
    main()
