"""Find characters and lines in a large text, cold and with an index, and search it, beside others.

Alone: python benchmarks/bench_fragments.py [--size MIB] [--rounds N]. The text is mixed UTF-8
(Latin, Cyrillic, Chinese, emoji; LF, CRLF and some CR), made here in a temporary folder, the same
each time, and read once before anything is measured: all contestants find it in the page cache.
Every cold measurement runs in a process of its own, which also tells how much memory it took; what
it imports is part of it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import linecache
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from permacite.fragments import Index, Text, bre

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TITLE = "Fragments of plain text"
RIVALS = ["numpy", "google-re2"]

SIZE_MIB, SMALL_MIB = 1024, 256
"""The size of the text, and what it is where a rival would have no memory for the former."""
MEMORY_FOR_EACH = 7
"""How many times the text the greediest rival takes, and the page cache that holds it."""
ROUNDS = 5
ALPHABETS = {
    "abcdefghijklmnopqrstuvwxyz": 70,
    "абвгдежзийклмнопрстуфхцчшщыьэюя": 15,
    "".join(map(chr, range(0x4E00, 0x4F00))): 12,
    "abcdefghij😀😁😂": 3,
}
ENDINGS = {"\n": 79, "\r\n": 20, "\r": 1}


# ---------------------------------------------------------------- the text


def made(path: Path, size_mib: int) -> None:
    """Write a text of that size: the same 20,000 lines again and again."""
    rng = random.Random(7)  # noqa: S311 - reproducible, not secret
    lines = []
    for _ in range(20_000):
        alphabet = rng.choices(list(ALPHABETS), list(ALPHABETS.values()))[0]
        words = [
            "".join(rng.choices(alphabet, k=rng.randint(2, 9))) for _ in range(rng.randint(1, 14))
        ]
        ending = rng.choices(list(ENDINGS), list(ENDINGS.values()))[0]
        lines.append(" ".join(words) + ending)
    piece = "".join(lines).encode()
    with path.open("wb") as file:
        for _ in range(max(1, (size_mib << 20) // len(piece))):
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())


def default_size_mib() -> int:
    """Return the size for which there is memory and room in the temporary folder."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    disk = shutil.disk_usage(tempfile.gettempdir()).free >> 20
    enough = memory > MEMORY_FOR_EACH * SIZE_MIB and disk > 2 * SIZE_MIB
    return SIZE_MIB if enough else SMALL_MIB


# ---------------------------------------------------------------- cold: who finds it, and how


def _permacite(path: Path, fragment: str) -> str:
    return Text(path, "utf-8").excerpt(fragment)


def _without_numpy(path: Path, fragment: str) -> str:
    sys.modules["numpy"] = None  # type: ignore[assignment] # as if it were not installed
    return _permacite(path, fragment)


def _decode_and_slice(path: Path, fragment: str) -> str:
    """Count code points, as others do: CRLF is two."""
    start, end = _ends(fragment)
    return path.read_bytes().decode()[start:end]


def _splitlines(path: Path, fragment: str) -> str:
    """Split at all that Python takes for the end of a line."""
    start, end = _ends(fragment)
    return "".join(path.read_bytes().decode().splitlines(keepends=True)[start:end])


def _linecache(path: Path, fragment: str) -> str:
    start, end = _ends(fragment)
    return "".join(linecache.getline(str(path), line + 1) for line in range(start, end))


def _numpy_counting(path: Path, fragment: str) -> str:
    """Count lead bytes in blocks, without asking whether they are UTF-8."""
    import numpy as np

    start, end = _ends(fragment)
    seen = 0
    with path.open("rb", buffering=0) as file:
        while block := file.read(1 << 20):
            octets = np.frombuffer(block, np.int8)
            if fragment.startswith("char"):
                count = int(np.count_nonzero(octets >= -64))
            else:
                count = int(np.count_nonzero(octets == 10))
            if seen + count > start:
                break
            seen += count
        rest = block + file.read(1 << 16)
    return rest.decode(errors="replace")[start - seen : end - seen]


def _ends(fragment: str) -> tuple[int, int]:
    start, end = fragment.partition("=")[2].split(",")
    return int(start), int(end)


def _importing(path: Path, fragment: str) -> str:
    """Do nothing but to import NumPy, which is a part of what it costs to use it once."""
    import numpy as np

    return f"{path} {fragment} {np}"


IMPORTING = "importing NumPy alone"
CHAR: dict[str, Callable[[Path, str], str]] = {
    "permacite with NumPy": _permacite,
    "permacite alone": _without_numpy,
    "decode and slice": _decode_and_slice,
    "NumPy, unchecked": _numpy_counting,
    IMPORTING: _importing,
}
LINE: dict[str, Callable[[Path, str], str]] = {
    "permacite with NumPy": _permacite,
    "permacite alone": _without_numpy,
    "decode and splitlines": _splitlines,
    "linecache": _linecache,
    "NumPy, unchecked, LF alone": _numpy_counting,
}


def cold(name: str, path: str, fragment: str) -> None:
    """Find once, in this process, and print seconds and MiB beyond what the interpreter had."""
    before = _peak_mib()
    work = (CHAR if fragment.startswith("char") else LINE)[name]
    began = time.perf_counter()
    found = work(Path(path), fragment)
    seconds = time.perf_counter() - began
    print(json.dumps([seconds, _peak_mib() - before, len(found)]))


def _peak_mib() -> float:
    """Return the greatest size so far; what getrusage says is the parent's as well."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(one for one in status.read_text().splitlines() if one.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


_COMPILING = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}
"""An environment where modules are compiled once, as installers do: the first round sees to it."""


def _asked(name: str, path: Path, fragment: str) -> tuple[float, float]:
    command = [sys.executable, __file__, "--cold", name, str(path), fragment]
    answer = subprocess.run(
        command, capture_output=True, check=True, text=True, env=_COMPILING
    ).stdout
    seconds, mib, length = json.loads(answer)
    assert length or "LF alone" in name, name
    return seconds, mib


def _cold_table(path: Path, fragment: str, rounds: int) -> str:
    """Measure all contestants in turn, round by round, after one that does not count."""
    contestants = CHAR if fragment.startswith("char") else LINE
    seen: dict[str, list[tuple[float, float]]] = {name: [] for name in contestants}
    for name in contestants:
        _asked(name, path, fragment)
    for _ in range(rounds):
        for name, took in seen.items():
            took.append(_asked(name, path, fragment))
    rival = "decode and slice" if fragment.startswith("char") else "decode and splitlines"
    medians = {name: statistics.median(one for one, _ in took) for name, took in seen.items()}
    gigabytes = path.stat().st_size / 1e9
    rows = [
        f"| {name} | {medians[rival] / median:.1f} | {gigabytes / median:.2f} GB/s "
        f"| {max(mib for _, mib in seen[name]):.0f} MiB |"
        for name, median in medians.items()
        if name != IMPORTING
    ]
    if IMPORTING in medians:
        share = 100 * medians[IMPORTING] / medians["permacite with NumPy"]
        rows.append(f"\nOf the time with NumPy, {share:.0f} % is importing it.")
    head = f"| `{fragment}` | times {rival} | speed | memory |\n|---|---|---|---|\n"
    return head + "\n".join(rows)


# ---------------------------------------------------------------- with an index; searching


def _hashing(path: Path) -> float:
    began = time.perf_counter()
    digests = [hashlib.md5(usedforsecurity=False), hashlib.sha256()]
    buffer = memoryview(bytearray(1 << 20))
    with path.open("rb", buffering=0) as file:
        while size := file.readinto(buffer):
            for digest in digests:
                digest.update(buffer[:size])
    return time.perf_counter() - began


def _index_table(path: Path, rounds: int) -> str:
    """Measure what an index costs, beside both digests alone, and what it saves."""
    ratios = []
    for _ in range(rounds):
        hashed = _hashing(path)
        began = time.perf_counter()
        index = Index.build(path, "utf-8")
        ratios.append((time.perf_counter() - began) / hashed)
    text = Text(path, "utf-8", index=index)
    cost = statistics.median(ratios)
    rows = [
        "| with an index | |\n|---|---|",
        f"| building it, times MD5 and SHA-256 of the same bytes | {cost:.2f} |",
        f"| its size, of the text's | {100 * len(index.to_bytes()) / index.size_bytes:.2f} % |",
    ]
    for scheme in ("char", "line"):
        median, late = _warm(text, scheme)
        took = f"{median:.0f} µs, {late:.0f} µs"
        rows.append(f"| `{scheme}=` anywhere, median and 99th percentile | {took} |")
    return "\n".join(rows)


def _warm(text: Text, scheme: str) -> tuple[float, float]:
    rng = random.Random(1)  # noqa: S311 - reproducible, not secret
    last = text.length if scheme == "char" else text.end.line("http")
    took = []
    for _ in range(2000):
        start = rng.randrange(last)
        fragment = f"{scheme}={start},{start + rng.randrange(100)}"
        began = time.perf_counter()
        text.locate(fragment)
        took.append((time.perf_counter() - began) * 1e6)
    took.sort()
    return took[len(took) // 2], took[len(took) * 99 // 100]


SEARCHES = (
    (r"zebra[0-9]", rb"zebra[0-9]"),
    (r"[0-9]\{4\}-[0-9]\{2\}", rb"[0-9]{4}-[0-9]{2}"),
    (r"^[Qq]u[0-9]*$", rb"(?m)^[Qq]u[0-9]*$"),
)


def _search_table(path: Path, rounds: int) -> str:
    """Search for what is rare: by us, and by what others would write."""
    import re2

    with path.open("rb") as file:
        data = file.read(64 << 20)
    rows = ["| expression | permacite | times `re` | times RE2 itself |", "|---|---|---|---|"]
    for basic, extended in SEARCHES:
        ours = bre.compile(basic, newline=True)
        searches: list[Callable[[], Iterable[object]]] = [
            partial(ours.find_in_utf8, data),
            partial(re.finditer, extended, data),
            partial(re2.finditer, extended, data),
        ]
        took = [[_seconds(search) for search in searches] for _ in range(rounds)]
        mine, plain, automaton = (statistics.median(column) for column in zip(*took, strict=True))
        speed = len(data) / mine / 1e6
        rows.append(
            f"| `{basic}` | {speed:.0f} MB/s | {plain / mine:.1f} | {automaton / mine:.1f} |"
        )
    return "\n".join(rows)


def _seconds(search: Callable[[], Iterable[object]]) -> float:
    """How long it takes to find all."""
    began = time.perf_counter()
    list(search())
    return time.perf_counter() - began


def measure(size_mib: int | None = None, rounds: int = ROUNDS) -> str:
    """Return the section: what was measured, as medians of `rounds`, in one run."""
    size_mib = size_mib or default_size_mib()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mixed.txt")
        made(path, size_mib)
        whole = Text(path, "utf-8").end
        char, line = whole.char("http") - 5000, whole.line("http") - 500
        what = (
            f"A mixed UTF-8 text of {size_mib} MiB, in the page cache for all; each finds 100 "
            "characters or 10 lines near its end, once, in a process of its own that has imported "
            f"nothing but permacite. Medians of {rounds}. Memory is what a process came to need "
            "beyond what it had before."
        )
        parts = [
            what,
            _cold_table(path, f"char={char},{char + 100}", rounds),
            _cold_table(path, f"line={line},{line + 10}", rounds),
            _index_table(path, rounds),
            "Searching 64 MiB of it for what is rare, by lines:",
            _search_table(path, rounds),
        ]
    return "\n\n".join(parts)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, help=f"MiB of text: {SIZE_MIB} by default")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--cold", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cold:
        cold(*options.cold)
    else:
        print(measure(options.size, options.rounds))


if __name__ == "__main__":
    main()
