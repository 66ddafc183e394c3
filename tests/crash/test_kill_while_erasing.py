"""Erasing that is killed at any moment is gone on with: nothing of it is left, all else is."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository

from permacite import pdi
from permacite.archive.model.answered import Provenance
from permacite.archive.model.submitted import NewRepresentation
from permacite.errors import ErasedError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.engines(deep=True)

SHARED = b"octets that every second document has"
DOCUMENTS = 40
"""How many there are at a time: each check reads all files of the archive."""

ERASER = """
import os, sys
from permacite import pdi
from permacite.archive.repository import Repository

archive = Repository.open(sys.argv[1])
for name in sys.stdin.read().split():
    os.write(1, f"begins {name}\\n".encode())
    archive.access.erase(pdi.parse(name), ground="safety")
    os.write(1, f"erased {name}\\n".encode())
"""


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_erasing_survives_kill_9(tmp_path: Path, times: Callable[[int, int], int]) -> None:
    chance = random.Random(os.urandom(8))  # noqa: S311 - no secret: when to kill
    erased = kills = 0
    folder = 0
    while erased < times(DOCUMENTS, 1_000):
        directory = tmp_path / str(folder)
        folder += 1
        left = fill(directory)
        gone: dict[str, bytes] = {}
        while left:
            begun, killed = erase_and_kill(directory, list(left), chance)
            kills += killed
            gone |= check(directory, left, gone, begun)
        erased += len(gone)
    assert kills > erased // 20


def fill(directory: Path) -> dict[str, bytes]:
    """Make an archive of documents, each with a word of its own in all that can be said of it."""
    left: dict[str, bytes] = {}
    with Repository.create(directory, series="lab.example.zz") as archive:
        for number in range(DOCUMENTS):
            word = b"canary-%d-%s" % (number, os.urandom(8).hex().encode())
            told = word.decode()
            text = NewRepresentation(word, "text/plain", charset="us-ascii")
            other = SHARED if number % 2 else word + b"\0picture"
            picture = NewRepresentation(other, "application/octet-stream")
            provenance = Provenance(title=told, uri=f"https://example.org/{told}")
            made = archive.committer.commit([text, picture], provenance=provenance, key=str(number))
            archive.statements.state(str(made.pdi.document), "subject", told, who=told)
            left[str(made.pdi.document)] = word
    return left


def erase_and_kill(
    directory: Path, names: list[str], chance: random.Random
) -> tuple[list[str], bool]:
    """Erase documents until the process is killed, or is done; return those that it began with."""
    command = [sys.executable, "-c", ERASER, str(Repository.at(directory))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n".join(names).encode())
        process.stdin.close()
        begun: list[str] = []
        after = chance.randint(1, 12)
        for line in process.stdout:
            kind, name = line.decode().split()
            if kind == "begins":
                begun.append(name)
            if len(begun) == after:
                end = time.monotonic() + chance.random() * 0.05
                while time.monotonic() < end:
                    pass
                process.send_signal(signal.SIGKILL)
                break
        # What was written between the decision and the signal was begun as well.
        begun += [line.split()[1].decode() for line in process.stdout if b"begins" in line]
        return begun, process.wait() != 0


def check(
    directory: Path, left: dict[str, bytes], gone: dict[str, bytes], begun: list[str]
) -> dict[str, bytes]:
    """Open the archive as the next command does; return what is erased, without a trace."""
    with Repository.open(directory) as archive:
        assert archive.access.finish_erasing()
        for name in begun:
            if is_erased(archive, name):
                gone[name] = left.pop(name)
        assert not any(is_erased(archive, name) for name in left)
        for name, word in left.items():
            parsed = pdi.parse(name)
            assert isinstance(parsed, pdi.PDI)
            for one in archive.lookup.version(parsed).representations:
                assert archive.contents.read(one) in {word, SHARED, word + b"\0picture"}
        assert {one.kind for one in archive.fixity.fsck()} <= {"ok", "erased"}
    everything = b"".join(one.read_bytes() for one in directory.rglob("*") if one.is_file())
    everything += Repository.written(directory)
    for word in gone.values():
        assert word not in everything
        assert word.hex().encode() not in everything
    return gone


def is_erased(archive: Repository, name: str) -> bool:
    """Say whether a document is erased."""
    parsed = pdi.parse(name)
    assert isinstance(parsed, pdi.PDI)
    try:
        archive.contents.read(archive.lookup.version(parsed).representations[0])
    except ErasedError:
        return True
    return False
