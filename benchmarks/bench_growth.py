"""What an archive in PostgreSQL weighs and costs as it grows to a million names.

As bench_scale does for SQLite: names as commits make them, 250 in a transaction, no octets. Beside
what one operation costs stand the octets of each table and index. Writes results/growth.svg.
Alone, as tables: python benchmarks/bench_growth.py --documents 100000
"""

from __future__ import annotations

import argparse
import random
import secrets
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench_scale import GROUP, SERIES, SIZES, first, grow, measured, table
from chart import line_chart
from tests.engines import server

from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository

if TYPE_CHECKING:
    from bench_scale import Costs
    from tests.engines import Server

TITLE = "PostgreSQL: cost and weight against size"
RIVALS = ["psycopg"]

THREADS = 16
MINTS = 25
"""Of each thread."""
CHART = Path(__file__).parent / "results" / "growth.svg"

_WEIGHTS = """
SELECT relname, pg_total_relation_size(c.oid) - pg_indexes_size(c.oid), pg_indexes_size(c.oid)
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE nspname = '{schema}' AND relkind = 'r' ORDER BY pg_total_relation_size(c.oid) DESC
"""
_LEAST = 1.0
"""Octets a name; lighter tables are told together."""


def minted_together(archive: Repository) -> dict[str, float]:
    """Return the median and the 99th percentile of mints of many threads, in microseconds."""
    took: list[float] = []

    def work() -> None:
        for _ in range(MINTS):
            start = time.perf_counter()
            archive.committer.commit([NewRepresentation(secrets.token_bytes(1000), "image/png")])
            took.append(time.perf_counter() - start)

    hands = [threading.Thread(target=work) for _ in range(THREADS)]
    for hand in hands:
        hand.start()
    for hand in hands:
        hand.join()
    took.sort()
    return {
        f"commit, {THREADS} threads: median": took[len(took) // 2] * 1e6,
        f"commit, {THREADS} threads: p99": took[len(took) * 99 // 100] * 1e6,
    }


def weights(running: Server, location: str, size: int) -> list[str]:
    """Return what tables and their indexes weigh: octets a name, as lines of a Markdown table."""
    schema = location.partition("&schema=")[2].partition("&")[0]
    rows = running.execute(_WEIGHTS.format(schema=schema))
    told = [(name, rows_, keys) for name, rows_, keys in rows if (rows_ + keys) / size >= _LEAST]
    lines = ["| octets a name | rows | indexes |", "|---|---|---|"]
    lines += [
        f"| {name} | {rows_ / size:,.0f} | {keys / size:,.0f} |" for name, rows_, keys in told
    ]
    whole, keys = (sum(row[column] for row in rows) / size for column in (1, 2))
    return [*lines, f"| **all** | **{whole:,.0f}** | **{keys:,.0f}** |"]


def costs_at(sizes: list[int]) -> tuple[Costs, list[str]]:
    """Return what each operation costs at each size, and what the largest archive weighs."""
    chance = random.Random(1)  # noqa: S311 - no secret
    costs: Costs = {}
    with server(is_flushed=True) as running, tempfile.TemporaryDirectory() as folder:
        location = running.location(Path(folder))
        with Repository.create(location, series=SERIES) as archive:
            for size in sizes:
                start, before = time.perf_counter(), archive.log.size()
                grow(archive, size)
                growth = (time.perf_counter() - start) / (size - before) * 1e6
                running.execute("ANALYZE")
                costs[size] = {f"write a name, {GROUP} at once": growth}
                costs[size] |= measured(archive, size, chance) | minted_together(archive)
                print(size, costs[size], file=sys.stderr, flush=True)
            return costs, weights(running, location, sizes[-1])


def measure() -> str:
    """Return the tables, as Markdown, and write the chart."""
    costs, weighed = costs_at(SIZES)
    ratios = {what: [cost[what] / base for cost in costs.values()] for what, base in first(costs)}
    CHART.write_text(line_chart("PostgreSQL: cost, times that at 1,000 names", SIZES, ratios))
    return "\n".join(
        [
            "As SQLite, on PostgreSQL with the settings of the tests (32 MB of buffers) and",
            "commits that wait for the disk, on one machine with whoever asks.",
            "",
            *table(costs),
            "",
            "![Cost of one operation against the number of names](./growth.svg)",
            "",
            *weighed,
            "",
            "Documents have a title, an address of 27 characters and one picture. Nothing was",
            "packed by VACUUM FULL.",
        ]
    )


def main() -> None:
    """Print the tables for archives of up to as many documents as told."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=SIZES[-1], help="in the largest archive")
    largest: int = parser.parse_args().documents
    costs, weighed = costs_at([*(size for size in SIZES if size < largest), largest])
    print("\n".join([*table(costs), "", *weighed]))


if __name__ == "__main__":
    main()
