"""Follow cited passages into changed documents: truth and time, beside the matcher of Hypothesis.

The documents have lookalikes and are edited in known ways (tests/property/edits.py). With
PERMACITE_DRIFT_CASES=cases.jsonl, cases that benchmarks/revisions.py made of real documents are
judged as well. The rival is the search that the annotation tool Hypothesis anchors quotes by: the
npm package approx-string-match, under its published weights for quote, context and position. It is
asked where node is at hand and PERMACITE_NODE_MODULES names a folder that holds the package.
Alone: python benchmarks/bench_drift.py.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tests.property.edits import cases as generated  # noqa: E402 - the same

from permacite.fragments.alignment.aligning import align  # noqa: E402 - the same
from permacite.fragments.alignment.passages import follow  # noqa: E402 - the same

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TITLE = "PassageDrift: what became of cited passages"
RIVALS: list[str] = []
COUNT = 2400
SIZES_MB = (1, 2, 4, 8)
ASKED = 10

Place = tuple[int, int] | None


class Case(NamedTuple):
    """Two texts, a passage of the old one, and where it truly stands in the new one."""

    edit: str
    document: str
    old: str
    new: str
    span: tuple[int, int]
    now: Place


RIVAL = """
const { default: search } = require(process.argv[2] + "/approx-string-match");
const score = (text, pattern) => {
  if (!pattern.length || !text.length) return 0;
  const [best] = search(text, pattern, pattern.length).sort((a, b) => a.errors - b.errors);
  return best ? 1 - best.errors / pattern.length : 0;
};
const find = ({ text, quote, before, after, hint }) => {
  const exact = [];
  for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1))
    exact.push({ start: at, end: at + quote.length, errors: 0 });
  const most = Math.min(256, quote.length / 2);
  const found = exact.length ? exact : search(text, quote, most);
  const weigh = ({ start, end, errors }) => {
    const left = before ? score(text.slice(Math.max(0, start - before.length), start), before) : 1;
    const right = after ? score(text.slice(end, end + after.length), after) : 1;
    const near = 1 - Math.abs(start - hint) / text.length;
    return (50 * (1 - errors / quote.length) + 20 * left + 20 * right + 2 * near) / 92;
  };
  const [best] = found.map(m => [weigh(m), m]).sort((a, b) => b[0] - a[0]);
  return best ? [best[1].start, best[1].end] : null;
};
const lines = require("fs").readFileSync(0, "utf8").split("\\n").filter(Boolean);
for (const line of lines) console.log(JSON.stringify(find(JSON.parse(line))));
"""


def made() -> list[Case]:
    """Return the generated cases."""
    return [
        Case(case.edit, str(n), case.old, case.new, (case.start, case.end), case.now)
        for n, case in enumerate(generated(COUNT))
    ]


def real(path: str) -> Iterator[Case]:
    """Yield the cases of a file."""
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        now = tuple(case["now"]) if case["now"] else None
        yield Case(
            case["edit"], case["document"], case["old"], case["new"], tuple(case["span"]), now
        )


def followed(cases: Iterable[Case]) -> list[Place]:
    """Return where permacite says that each passage stands."""
    places: list[Place] = []
    for case in cases:
        fate = follow(align(case.old, case.new), *case.span)
        placed = fate.start is not None and fate.end is not None
        places.append((fate.start, fate.end) if placed else None)  # type: ignore[arg-type]
    return places


def rivalled(cases: Iterable[Case]) -> list[Place] | None:
    """Return where the rival says so; None where it is not at hand."""
    node, modules = shutil.which("node"), os.environ.get("PERMACITE_NODE_MODULES")
    if node is None or modules is None:
        return None
    asked = "\n".join(
        json.dumps(
            {
                "text": case.new,
                "quote": case.old[slice(*case.span)],
                "before": case.old[max(0, case.span[0] - 32) : case.span[0]],
                "after": case.old[case.span[1] : case.span[1] + 32],
                "hint": case.span[0],
            }
        )
        for case in cases
    )
    script = [node, "-e", RIVAL, "rival", modules]
    told = subprocess.run(script, input=asked, capture_output=True, text=True, check=True).stdout
    return [tuple(place) if place else None for place in map(json.loads, told.splitlines())]


def judged(case: Case, place: Place) -> str:
    """Say what an answer is worth."""
    if place is None:
        return "told as gone" if case.now is None else "not found"
    if case.now is None or place[1] <= case.now[0] or case.now[1] <= place[0]:
        return "wrong successor"
    return "found"


def row(name: str, cases: list[Case], places: list[Place]) -> str:
    """Return how an answerer did on all cases."""
    counts = Counter(judged(*pair) for pair in zip(cases, places, strict=True))
    there = sum(case.now is not None for case in cases)
    found, gone = counts["found"] / there, counts["told as gone"] / max(1, len(cases) - there)
    return f"| {name} | {counts['wrong successor']} | {found:.1%} | {gone:.1%} |"


def compared(cases: list[Case]) -> str:
    """Return the table of both answerers."""
    lines = [
        "| | wrong successors | of those that stand, found | of those removed, none named |",
        "|---|---|---|---|",
        row("permacite", cases, followed(cases)),
    ]
    rival = rivalled(cases)
    if rival is not None:
        package = Path(os.environ["PERMACITE_NODE_MODULES"], "approx-string-match", "package.json")
        version = json.loads(package.read_text(encoding="utf-8"))["version"]
        lines.append(row(f"approx-string-match {version}", cases, rival))
    return "\n".join(lines)


def sentences(size: int, seed: int) -> list[str]:
    """Return sentences of made words."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, not secret
    words = ["".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9))) for _ in range(20_000)]
    made: list[str] = []
    while size > 0:
        made.append(" ".join(rng.choices(words, k=rng.randint(5, 20))).capitalize() + ".")
        size -= len(made[-1]) + 1
    return made


def texts(megabytes: int) -> Iterator[tuple[str, str, str]]:
    """Yield pairs of texts of a size: one that was edited, and hostile ones."""
    size = megabytes * 10**6
    prose = sentences(size, 1)
    edited = [line.replace(" ", " zzz ", n % 50 == 1) for n, line in enumerate(prose) if n % 50]
    yield "edited, one sentence in 25", " ".join(prose), " ".join(edited)
    yield "one line", "the same line\n" * (size // 14), "the same line\n" * (size // 14 - 9)
    yield "one word", "word " * (size // 5), "x " + "word " * (size // 5) + "y"
    yield "nothing in common", " ".join(sentences(size, 3)), " ".join(sentences(size, 4))
    yield "periods", "a bc d. " * (size // 8), "x a bc d. " * (size // 10) + "y"


def timed(old: str, new: str) -> tuple[float, float]:
    """Return the seconds of this process for aligning, and for following one passage."""
    begun = time.process_time()
    aligned = align(old, new)
    done = time.process_time()
    for n in range(ASKED):
        follow(aligned, n * len(old) // ASKED, n * len(old) // ASKED + 120)
    return done - begun, (time.process_time() - done) / ASKED


def times() -> str:
    """Return the table of times, as multiples of those of the smallest size."""
    spent: dict[str, list[tuple[float, float]]] = {}
    for megabytes in SIZES_MB:
        for name, old, new in texts(megabytes):
            spent.setdefault(name, []).append(timed(old, new))
    heads = " | ".join(f"{size} MB" for size in SIZES_MB[1:])
    lines = [
        f"| both texts of | 1 MB, s | {heads} | one passage, 1 MB, s |",
        "|---" * (len(SIZES_MB) + 2) + "|",
    ]
    for name, found in spent.items():
        ratios = " | ".join(f"{one[0] / found[0][0]:.1f}" for one in found[1:])
        lines.append(f"| {name} | {found[0][0]:.1f} | {ratios} | {found[0][1]:.3f} |")
    return "\n".join(lines)


def measure() -> str:
    """Return the section."""
    parts = [f"{COUNT:,} generated edits of documents with lookalikes:", compared(made())]
    path = os.environ.get("PERMACITE_DRIFT_CASES")
    if path:
        cases = list(real(path))
        documents = len({case.document for case in cases})
        kinds = ", ".join(f"{n} {kind}" for kind, n in Counter(case.edit for case in cases).items())
        about = f"{len(cases):,} sentences of {documents} documents in two releases each ({kinds}):"
        parts += [about, compared(cases)]
    parts += ["Time to align, in multiples of that for 1 MB:", times()]
    return "\n\n".join(parts)


if __name__ == "__main__":
    print(measure())
