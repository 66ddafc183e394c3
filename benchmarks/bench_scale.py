"""What an operation costs in an archive of a thousand names, and in one of a million.

The names are made as commits make them: requests for a document with one format, a transaction for
each 250, with all rows and log entries. Only their octets are left out, which are files of their
own and know nothing of one another. What is measured is committed whole. Writes
results/scale.svg. Alone, as a table: python benchmarks/bench_scale.py --documents 1000000
"""

from __future__ import annotations

import argparse
import random
import secrets
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from chart import line_chart

from permacite.archive.committing import deposit
from permacite.archive.model.answered import Provenance
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.objects.source import digest_of
from permacite.archive.records.commits import CommitRequest, commit
from permacite.archive.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from permacite.archive.model.answered import Version

    Costs: TypeAlias = dict[int, dict[str, float]]

TITLE = "The archive: cost against size"
RIVALS = ["cryptography"]

SERIES = "lab.example.zz"
SIZES = [1_000, 10_000, 100_000, 1_000_000]
GROUP = 250
PAGE = 50
SAMPLES = 200
COMMITS = 100
ROUNDS = 5
CHART = Path(__file__).parent / "results" / "scale.svg"


def request(number: int) -> CommitRequest:
    """Return the request for a document that nothing else is like; its octets are kept nowhere."""
    new = NewRepresentation(number.to_bytes(8), "image/png")
    where = Provenance(f"Document {number}", f"https://example.org/{number}")
    return CommitRequest(SERIES, None, None, deposit(digest_of, [new]), where, None)


def grow(archive: Repository, size: int) -> None:
    """Commit until there are `size` names."""
    catalog = archive._catalog  # noqa: SLF001 - groups as large as these come from no caller
    while (count := archive.log.size()) < size:
        requests = [request(count + place) for place in range(min(GROUP, size - count))]
        catalog.write(commit, requests)


def median_us(acts: Iterator[Callable[[], object]]) -> float:
    """Return how long one of `acts` takes: the median, in microseconds."""
    times = []
    for act in acts:
        start = time.perf_counter()
        act()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def measured(archive: Repository, size: int, chance: random.Random) -> dict[str, float]:
    """Return what each operation costs."""
    content = [secrets.token_bytes(4096) for _ in range(COMMITS)]
    made = [archive.committer.commit([NewRepresentation(one, "image/png")]) for one in content[:5]]
    known = made[0].representations[0].pdi
    names = [
        known.make(
            series=SERIES,
            date=f"{known.year}/{known.month}/{known.day}",
            unique_id=chance.randint(1, size),
            format="png",
            version=1,
        )
        for _ in range(SAMPLES)
    ]
    places = [str(one) for one in names]
    total = archive.log.size()

    def page(after: str) -> list[Version]:
        return list(archive.lists.list(limit=PAGE, after=after))

    return {
        "commit, durable": median_us(
            partial(archive.committer.commit, [NewRepresentation(octets, "image/png")])
            for octets in content[5:]
        ),
        "look a name up": median_us(
            partial(archive.lookup.representation, name) for name in names * ROUNDS
        ),
        "look 200 names up": median_us(
            partial(archive.lookup.find_representations, names) for _ in range(40 * ROUNDS)
        ),
        f"list a page of {PAGE}": median_us(partial(page, place) for place in places),
        "prove inclusion": median_us(
            partial(archive.log.inclusion, chance.randrange(total), total) for _ in range(SAMPLES)
        ),
        "make a proof bundle": median_us(
            partial(archive.proofs.prove, version.representations[0].pdi) for version in made * 8
        ),
    }


def table(costs: Costs) -> list[str]:
    """Return the figures, each with its ratio to that of the smallest archive."""
    lines = [
        f"| one operation | {' | '.join(f'{size:,} names' for size in costs)} |",
        "|---" * (len(costs) + 1) + "|",
    ]
    for what, base in first(costs):
        cells = [f"{cost[what]:,.0f} us ({cost[what] / base:.2f})" for cost in costs.values()]
        lines.append(f"| {what} | {' | '.join(cells)} |")
    return lines


def costs_at(sizes: list[int]) -> tuple[Costs, float]:
    """Return what each operation costs at each size, and the octets of the catalog for a name."""
    chance = random.Random(1)  # noqa: S311 - no secret
    costs: Costs = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "archive"
        with Repository.create(folder, series=SERIES) as archive:
            for size in sizes:
                start, before = time.perf_counter(), archive.log.size()
                grow(archive, size)
                growth = (time.perf_counter() - start) / (size - before) * 1e6
                costs[size] = {f"write a name, {GROUP} at once": growth}
                costs[size] |= measured(archive, size, chance)
        bytes_each = (folder / "catalog.sqlite").stat().st_size / sizes[-1]
    return costs, bytes_each


def measure() -> str:
    """Return the table, as Markdown, and write the chart."""
    costs, bytes_each = costs_at(SIZES)
    ratios = {what: [cost[what] / base for cost in costs.values()] for what, base in first(costs)}
    CHART.write_text(line_chart("Cost of one operation, times that at 1,000 names", SIZES, ratios))
    return "\n".join(
        [
            "The same archive as it grows; medians, and in brackets times the cost at 1,000 names.",
            "",
            *table(costs),
            "",
            "![Cost of one operation against the number of names](./scale.svg)",
            "",
            f"The names were made {GROUP} in a transaction (the first row): all rows and entries",
            "of the log that a commit writes, no octets. Durable commits are whole, 4 KiB, one at",
            "a time, and wait for the disk, which others may be using. An inclusion proof has as",
            "many hashes as the tree has levels.",
            f"At the end a name takes {bytes_each:,.0f} octets of the catalog.",
        ]
    )


def first(costs: Costs) -> list[tuple[str, float]]:
    """Return what is measured, and what it costs in the smallest archive."""
    return list(next(iter(costs.values())).items())


def main() -> None:
    """Print the table for archives of up to as many documents as told."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=SIZES[-1], help="in the largest archive")
    largest: int = parser.parse_args().documents
    costs, _ = costs_at([*(size for size in SIZES if size < largest), largest])
    print("\n".join(table(costs)))


if __name__ == "__main__":
    main()
