"""Commit documents durably, look names up and prove them, beside what the same disk can do at best.

The rivals: a bare file (written, flushed, renamed, its folder flushed), one row of SQLite with the
same settings, and git, told to flush everything (core.fsync=all), with one commit a document. git
is taken from PATH and left out where it is not installed.

Alone: python benchmarks/bench_archive.py
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from permacite import pdi
from permacite.archive.merkle import (
    inclusion_proof,
    leaf_hash,
    node_hash,
    root_of_inclusion,
    tree_hash,
)
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable

TITLE = "The archive: durable commits, lookups, proofs"
RIVALS = ["cryptography"]

SIZE_BYTES = 4096
ROUNDS = 5
COMMITS = 80
WRITERS = 16
LOOKUPS = 500
LEAVES = 1_000_000


def rate(work: Callable[[], object], count: int) -> float:
    """Return how many a second: the median of the rounds."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return count / statistics.median(seconds)


def per_second(work: Callable[[], object], count: int = COMMITS) -> float:
    """Return how many a second, of one round."""
    start = time.perf_counter()
    work()
    return count / (time.perf_counter() - start)


_PREPARED: list[bytes] = []
"""Documents that wait: making them is no part of what is measured."""


def prepare(count: int) -> None:
    """Make documents, each of octets that nothing else has."""
    _PREPARED.extend(secrets.token_bytes(SIZE_BYTES) for _ in range(count))


def document() -> bytes:
    """Return the next document."""
    if not _PREPARED:
        prepare(1)
    return _PREPARED.pop()


def together(work: Callable[[], object], count: int) -> None:
    """Do `work` so many times, by sixteen threads."""
    threads = [
        threading.Thread(target=lambda: [work() for _ in range(count // WRITERS)])
        for _ in range(WRITERS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def commit_to(archive: Repository) -> Callable[[], object]:
    """Return what commits one document."""
    return lambda: archive.committer.commit(
        [NewRepresentation(document(), "application/octet-stream")]
    )


def flush(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def bare_file(folder: Path) -> None:
    """Write one file durably, and do nothing else."""
    name = secrets.token_hex(16)
    with (folder / f"{name}.tmp").open("wb") as file:
        file.write(document())
        file.flush()
        os.fsync(file.fileno())
    (folder / f"{name}.tmp").rename(folder / name)
    flush(folder)


def bare_row(connection: sqlite3.Connection) -> None:
    """Insert one row durably, the document in it."""
    connection.execute("INSERT INTO document (content) VALUES (?)", (document(),))


def git_commit(folder: Path) -> None:
    """Commit one document to a git repository."""
    (folder / secrets.token_hex(16)).write_bytes(document())
    settings = ["-c", "core.fsync=all", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (["add", "-A"], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", *settings, *command], cwd=folder, check=True, capture_output=True)


def repeated(work: Callable[[], object], count: int) -> Callable[[], object]:
    """Return `work`, done so many times."""
    return lambda: [work() for _ in range(count)]


def rates_alone(folder: Path) -> dict[str, float]:
    """Commit one after the other; return how many a second."""
    with Repository.open(folder) as archive:
        return {"permacite, one at a time": per_second(repeated(commit_to(archive), COMMITS))}


def rates_together(folder: Path) -> dict[str, float]:
    """Commit by sixteen threads; return how many a second, until acknowledged and until files."""
    many = COMMITS * WRITERS
    with Repository.open(folder) as archive:
        start = time.perf_counter()
        together(commit_to(archive), many)
        acknowledged = time.perf_counter() - start
    settled = time.perf_counter() - start
    what = f"permacite, {WRITERS} writers at once"
    return {what: many / acknowledged, f"{what}, and all made files": many / settled}


def rates_of_others(files: Path, connection: sqlite3.Connection, git: Path) -> dict[str, float]:
    """Return how many a second the rivals do."""
    rates = {
        "a bare file": per_second(repeated(lambda: bare_file(files), COMMITS)),
        "a row of SQLite": per_second(repeated(lambda: bare_row(connection), COMMITS)),
    }
    if shutil.which("git"):
        few = 5
        rates["git, core.fsync=all"] = per_second(repeated(lambda: git_commit(git), few), few)
    return rates


def measure_commits(folder: Path) -> list[tuple[str, float]]:
    """Return what commits and how many it does a second: medians of rounds, all in turn."""
    alone, busy, files, git = (folder / name for name in ("archive", "busy", "files", "git"))
    for directory in (alone, busy):
        Repository.create(directory, series="lab.example.zz").close()
    for directory in (files, git):
        directory.mkdir()
    if shutil.which("git"):
        subprocess.run(["git", "init", "-q", str(git)], check=True, capture_output=True)
    connection = sqlite3.connect(folder / "rows.sqlite", isolation_level=None)
    seen: dict[str, list[float]] = {}
    with contextlib.closing(connection):
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE document (id INTEGER PRIMARY KEY, content BLOB)")
        for _ in range(ROUNDS):
            prepare(COMMITS * (WRITERS + 3) + 5)
            rates = rates_alone(alone) | rates_together(busy)
            rates |= rates_of_others(files, connection, git)
            for what, many in rates.items():
                seen.setdefault(what, []).append(many)
    return [(what, statistics.median(each)) for what, each in seen.items()]


def measure_reading(folder: Path) -> list[tuple[str, float]]:
    """Return what is asked and how often a second, in the archive that `measure_commits` made."""
    with Repository.open(folder / "archive") as archive:
        names = [version.representations[0].pdi for version in archive.lists.list(limit=LOOKUPS)]
        found = [archive.lookup.representation(name) for name in names]
        unversioned = [pdi.parse(str(name.document)) for name in names]
        assert all(isinstance(name, pdi.PDI) for name in unversioned)
        archive.proofs.prove(names[0])
        return [
            (
                "look a name up",
                rate(lambda: [archive.lookup.representation(n) for n in names], LOOKUPS),
            ),
            (
                f"the same, {LOOKUPS} in one question",
                rate(lambda: archive.lookup.find_representations(names), LOOKUPS),
            ),
            (
                "the same, version and format left out",
                rate(lambda: [archive.lookup.representation(n) for n in unversioned], LOOKUPS),  # type: ignore[arg-type]
            ),
            (
                "read 4 KiB and check the digest",
                rate(lambda: [archive.contents.read(r) for r in found], LOOKUPS),
            ),
            ("list in order", rate(lambda: list(archive.lists.list()), archive.lists.count())),
            (
                "make a proof bundle",
                rate(lambda: [archive.proofs.prove(n) for n in names[:50]], 50),
            ),
        ]


def measure_proofs() -> str:
    """Return a sentence about inclusion proofs among a million leaves, nodes kept in SQLite."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(
            "CREATE TABLE node (level, position, hash, PRIMARY KEY (level, position)) WITHOUT ROWID"
        )
        hashes = [leaf_hash(number.to_bytes(4)) for number in range(LEAVES)]
        level = 0
        while hashes:
            rows = ((level, position, one) for position, one in enumerate(hashes))
            connection.executemany("INSERT INTO node VALUES (?, ?, ?)", rows)
            pairs = zip(hashes[::2], hashes[1::2], strict=False)
            hashes = [node_hash(left, right) for left, right in pairs]
            level += 1

        def node(level: int, position: int) -> bytes:
            question = "SELECT hash FROM node WHERE level = ? AND position = ?"
            found: bytes = connection.execute(question, (level, position)).fetchone()[0]
            return found

        root = tree_hash(LEAVES, node)
        index = LEAVES * 2 // 3
        proof = inclusion_proof(index, LEAVES, node)
        assert root_of_inclusion(leaf_hash(index.to_bytes(4)), index, LEAVES, proof) == root
        many = rate(repeated(lambda: inclusion_proof(index, LEAVES, node), 200), 200)
        checks = rate(
            repeated(lambda: root_of_inclusion(leaf_hash(b""), index, LEAVES, proof), 200), 200
        )
    return (
        f"Among {LEAVES:,} log entries an inclusion proof has {len(proof)} hashes; "
        f"{many:,.0f} are made and {checks:,.0f} checked a second."
    )


def measure() -> str:
    """Return the tables, as Markdown."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commits = measure_commits(folder)
        reading = measure_reading(folder)
    first = commits[0][1]
    lines = [
        f"Durable commits of {SIZE_BYTES} octets, each flushed before it is acknowledged:",
        "",
        "| what | a second | against permacite, one at a time |",
        "|---|---|---|",
        *(f"| {what} | {many:,.0f} | {many / first:.2f} |" for what, many in commits),
        "",
        "A permacite commit is a file, its folders, a name, a version, and an entry of the log. Of",
        "those that commit at once the file is made afterwards: until then the octets are in the",
        "catalog. The third row counts until the archive is closed, and every one is a file.",
        "",
        "| one thread, warm | a second |",
        "|---|---|",
        *(f"| {what} | {many:,.0f} |" for what, many in reading),
        "",
        measure_proofs(),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(measure())
