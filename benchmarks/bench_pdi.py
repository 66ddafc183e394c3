"""Parse and compare persistent names beside what one would write by hand.

No other library reads PDIs. The yardsticks are a plain regular expression that splits a name into
its fields, and `urllib.parse.urlsplit` with two splits: what programs do that have no parser.
Neither checks a date, a country or a position, so the table says too what each of them lets pass.
Alone: python benchmarks/bench_pdi.py.
"""

from __future__ import annotations

import random
import re
import statistics
import time
import urllib.parse
from typing import TYPE_CHECKING

from permacite.extract import extract
from permacite.pdi import covers, denotes_same, parse

if TYPE_CHECKING:
    from collections.abc import Callable

TITLE = "Persistent names"
RIVALS: list[str] = []
ROUNDS = 15
SAMPLE = 2000

Work = dict[str, "Callable[[str], object]"]

_PLAIN = re.compile(
    r"(?i)(?:urn:)?pdi://([^/]+)/([^/]+)/([^/]+)/([^/]+)/([^.#]+)(?:\.([^.#]+))?(?:\.([^.#]+))?"
    r"(?:#(?:([a-z]+)=)?(.+))?"
)

WRONG = """
pdi://oma.eop.gov/1997/09/01/1.html.1|pdi://a.us/1997/02/30/1.html.1|pdi://a.us/1997/9/1/1.html.1
pdi://a.us/1997/09/01/1.html.0|pdi://a.us/1997/09/01/1.html.x|pdi://a.us/1997/09/01/a b.html.1
pdi://a.us/1997/09/01/1.text.1#51,37|pdi://a.us/1997/09/01/1.text.1#37|pdi://a.us/1997/09/01/%zz
pdi://a.us/1997/09/01/1.text.1#(1,2),(3,4)|pdi://a.us/1997/09/01/1#char=1,2|pdi://us/1997/09/01/1
"""
"""Names that the draft refuses."""


def made(count: int, *, fragments: bool, seed: int = 1) -> list[str]:
    """Return names as archives mint and cite them."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, not secret
    names = []
    for _ in range(count):
        series = rng.choice(("web.example.us", "oma.eop.gov.us", "lab.university.de", "a.jp"))
        date = f"{rng.randrange(1993, 2027)}/{rng.randrange(1, 13):02}/{rng.randrange(1, 29):02}"
        start = rng.randrange(10**5)
        tail = rng.choice(
            [
                f"text.1#char={start},{start + 99}",
                f"html.2#{start},{start + 9}",
                "gif.1#(0,0),(9,9)",
            ]
            if fragments
            else ["html.1", "utf-8.1", "related.12", "svg%2bxml.1"]
        )
        names.append(f"urn:pdi://{series}/{date}/{rng.randrange(1, 5000)}.{tail}")
    return names


def by_expression(name: str) -> object:
    """Split a name by one regular expression."""
    found = _PLAIN.fullmatch(name)
    if found is None:
        raise ValueError(name)
    return found.groups()


def by_urlsplit(name: str) -> object:
    """Split a name by urlsplit and str.split."""
    parts = urllib.parse.urlsplit(name.removeprefix("urn:"))
    year, month, day, specifier = parts.path.lstrip("/").split("/")
    scheme, _, positions = parts.fragment.rpartition("=")
    return parts.netloc, year, month, day, specifier.split("."), scheme, positions.split(",")


def _medians(work: Work, items: list[str]) -> dict[str, float]:
    """Return the median time of each contestant for one item, in microseconds."""
    times: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(ROUNDS):
        for name, do in work.items():
            urllib.parse.clear_cache()  # type: ignore[attr-defined]  # unknown to typeshed
            started = time.perf_counter()
            for item in items:
                do(item)
            times[name].append((time.perf_counter() - started) / len(items) * 1e6)
    return {name: statistics.median(found) for name, found in times.items()}


def _refused(do: Callable[[str], object]) -> int:
    """Count the wrong names that a contestant refuses."""
    count = 0
    for name in WRONG.strip().replace("\n", "|").split("|"):
        try:
            do(name)
        except ValueError:
            count += 1
    return count


def _table(title: str, work: Work, items: list[str]) -> str:
    medians = _medians(work, items)
    ours = next(iter(medians.values()))
    rows = [
        f"### {title}",
        "",
        "| reader | median, µs | permacite takes | wrong names refused, of 12 |",
        "|---|---|---|---|",
    ]
    for name, median in sorted(medians.items(), key=lambda item: item[1]):
        times = "" if median == ours else f"{ours / median:.2f} x"
        rows.append(f"| {name} | {median:.2f} | {times} | {_refused(work[name])} |")
    return "\n".join(rows)


def _others() -> str:
    """Measure what has no yardstick, against parsing as the unit."""
    names = made(SAMPLE, fragments=True)
    values = {name: parse(name) for name in names}
    medians = _medians(
        {
            "parse": parse,
            "canonical form of a parsed name": lambda name: values[name].canonical(),
            "denotes_same, both parsed": lambda name: denotes_same(values[name], values[name]),
            "covers, from text": lambda name: covers("urn:pdi://oma.eop.gov.us/1997/*/*/*", name),
        },
        names,
    )
    unit = medians["parse"]
    rows = ["### Other work, in units of parsing one name", "", "| work | times |", "|---|---|"]
    rows += [f"| {name} | {median / unit:.2f} |" for name, median in medians.items()]
    return "\n".join(rows)


def _elements() -> str:
    """Measure element extents against tokenizing the same page, which they rest on."""
    from permacite.markup import tokenize

    row = "<tr><td>cell <b>bold</b><td><a href='x'>link</a>"
    page = f"<!doctype html><body><h1>t</h1><table>{row * 2000}</table><p>end"
    data = page.encode()
    medians = _medians(
        {
            "tokenize": lambda text: list(tokenize(text)),
            "one element (elt)": lambda _: extract(data, "text/html", "elt=900,900"),
            "characters": lambda _: extract(data, "text/html", "char=900,1900"),
        },
        [page],
    )
    unit = medians["tokenize"]
    rows = [
        f"### Cut a part out of a page of {len(data) // 1000} kB, in units of tokenizing it",
        "",
        "| work | times |",
        "|---|---|",
    ]
    rows += [f"| {name} | {median / unit:.2f} |" for name, median in medians.items()]
    return "\n".join(rows)


def measure() -> str:
    """Return a Markdown section of medians and ratios."""
    work: Work = {
        "permacite": parse,
        "one regular expression": by_expression,
        "urlsplit and split": by_urlsplit,
    }
    whole = made(SAMPLE, fragments=False)
    parts = made(SAMPLE, fragments=True)
    return "\n\n".join(
        [
            "The yardsticks only split: they check no date, country, version, scheme or position.",
            _table(f"Parse {SAMPLE} names of documents", work, whole),
            _table(f"Parse {SAMPLE} names of fragments", work, parts),
            _others(),
            _elements(),
        ]
    )


if __name__ == "__main__":
    print(measure())
