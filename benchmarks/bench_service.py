"""Resolve a passage of a large archived text, beside reading the text and slicing it.

The rivals: Python reads the file, decodes it and slices it, which is all that an archive of plain
files could do; the same with its SHA-256 compared; and permacite on the same text without an index.

Alone: python benchmarks/bench_service.py
"""

from __future__ import annotations

import hashlib
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable

TITLE = "The service: passages of a large archived text"
RIVALS: list[str] = []

LINE = "A naïve 中文 line of words that go on and on for a while, quietly.\r\n"
SIZE_BYTES = 64 * 1024 * 1024
WORDS = 80


def milliseconds(work: Callable[[], object], rounds: int) -> float:
    """Return the median of the rounds."""
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken) * 1000


def measure_all(folder: Path) -> list[tuple[str, float]]:
    """Return what resolves a passage at two thirds of the text, and the milliseconds it takes."""
    content = (LINE * (SIZE_BYTES // len(LINE.encode()) + 1)).encode()
    start = len(content.decode()) * 2 // 3
    end = start + WORDS
    with Archive.create(folder / "indexed", series="lab.example.zz") as service:
        name = f"{service.add(content, name='log.txt').pdi}#char={start},{end}"
        expected = service.resolve(name).text
        quick = milliseconds(lambda: service.resolve(name, whole=False), 50)
        context = milliseconds(lambda: service.resolve(name, whole=False, context=32), 50)
        shown = milliseconds(lambda: service.documents.reader.read(name), 50)
        checked = milliseconds(lambda: service.resolve(name), 5)
        with Repository.open(folder / "indexed") as archive:
            (digest,) = (one.representations[0].digest[8:] for one in archive.lists.list())
            path = folder / "indexed" / "objects" / digest[:2] / digest[2:4] / digest
    assert path.read_bytes().decode()[start:end] == expected
    digest = hashlib.sha256(content).hexdigest()

    def hashed() -> str:
        data = path.read_bytes()
        assert hashlib.sha256(data).hexdigest() == digest
        return data.decode()[start:end]

    rows = [
        ("permacite, what is read checked", quick),
        ("the same with 32 characters of context", context),
        ("permacite, what the reader shows beside the page", shown),
        ("permacite, the whole digest recomputed", checked),
        (
            "SHA-256 of the bytes in memory alone",
            milliseconds(lambda: hashlib.sha256(content).digest(), 5),
        ),
        ("read, decode, slice", milliseconds(lambda: path.read_bytes().decode()[start:end], 5)),
        ("read, compare the digest, decode, slice", milliseconds(hashed, 5)),
    ]
    with Repository.create(folder / "plain", series="lab.example.zz") as archive:
        version = archive.committer.commit(
            [NewRepresentation(content, "text/plain", charset="utf-8")]
        )
        name = f"{version.representations[0].pdi}#char={start},{end}"
    with Archive.open(folder / "plain") as service:
        rows.append(
            (
                "permacite, committed without an index",
                milliseconds(lambda: service.resolve(name), 3),
            )
        )
    return rows


def measure() -> str:
    """Return the table, as Markdown."""
    with tempfile.TemporaryDirectory() as name:
        rows = measure_all(Path(name))
    slicing = dict(rows)["read, decode, slice"]
    lines = [
        f"{WORDS} characters two thirds into {SIZE_BYTES >> 20} MiB of UTF-8, the file in memory.",
        "A permacite answer was looked up in the catalog, is not withdrawn, and was checked.",
        "",
        "| what | ms | against read, decode, slice |",
        "|---|---|---|",
        *(f"| {what} | {taken:,.2f} | {taken / slicing:.3f} |" for what, taken in rows),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(measure())
