"""Records of what a process did to files: how they are made, and how they are read."""

from __future__ import annotations

import json
import os
import random
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "BRIEF",
    "BRING_UP",
    "FULL",
    "LATER",
    "RESTORE",
    "SCENES",
    "Event",
    "Fact",
    "Recording",
    "Scene",
    "compile_recorder",
    "contents",
    "record",
    "write_files",
]

HERE = Path(__file__).parent
_HEADER = struct.Struct("<cHHQQQ")

Fact = tuple[str, ...]
"""Something that was acknowledged, in texts; the first says what kind of fact it is."""


@dataclass(frozen=True, slots=True)
class Event:
    """One record.

    `kind`: "c" a file was made, "w" written (`offset`, `data`), "t" cut or grown to `offset`
    octets, "l" given the name `path`, "r" renamed from `path` to `other`, "u" `path` was removed,
    "d" a folder was made, "s" a file or folder was flushed, "a" `data` was acknowledged, "?" a
    call that is not modelled, named by `path`. Paths are below the root, "" is the root itself.
    """

    kind: str
    path: str
    other: str
    inode: int
    offset: int
    data: bytes

    @property
    def facts(self) -> list[Fact]:
        """What was acknowledged."""
        return [tuple(fact) for fact in json.loads(self.data)] if self.kind == "a" else []


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene of the workload, and by how many processes at once it is played."""

    name: str
    processes: int = 1
    kill: tuple[int, int] | None = None
    """After how many of its calls each process is killed, at least and at most."""


SCENES = (
    Scene("create", kill=(5, 180)),
    Scene("create"),
    Scene("write"),
    Scene("die", processes=2, kill=(30, 250)),
    Scene("keep"),
    Scene("backup", kill=(5, 400)),
    Scene("backup"),
)
"""A whole life."""

BRIEF = (Scene("create"), Scene("keep"), Scene("backup"))
"""A short life, in which every kind of flush matters."""

FULL = (Scene("create"), Scene("full"))
"""On a disk that is full now and then."""

RESTORE = (Scene("create"), Scene("restore"))
"""A second archive is made of what the first one wrote for others to keep."""

BRING_UP = (Scene("bring-up"),)
"""Played on an archive of an earlier schema."""

LATER = (Scene("later"),)
"""What is played on what a crash left."""


@dataclass(frozen=True, slots=True)
class Recording:
    """The events of some scenes, and the folder before and after them.

    The folder is given as octets by path; folders in it end in "/".
    """

    events: list[Event]
    before: dict[str, tuple[int, bytes]]
    """With the number of each inode."""
    left: dict[str, bytes]


def compile_recorder(compiler: str, folder: Path) -> Path:
    """Compile the recorder of system calls into a folder."""
    library = folder / "recorder.so"
    command = [compiler, "-O1", "-Wall", "-fPIC", "-shared", "-o", str(library)]
    command += [str(HERE / "recorder.c"), "-lpthread"]
    subprocess.run(command, check=True)
    return library


def record(
    recorder: Path,
    folder: Path,
    scenes: Sequence[Scene],
    *,
    seed: int,
    start: Mapping[str, bytes] | None = None,
) -> Recording:
    """Play scenes below the new `folder`, under the recorder; `start` is there when they begin."""
    chance = random.Random(seed)  # noqa: S311 - to be repeated
    root = folder / "disk"
    root.mkdir(parents=True)
    write_files(root, start or {})
    before = {name: (_inode(root / name), data) for name, data in contents(root).items()}
    before[""] = (_inode(root), b"")
    for part, scene in enumerate(scenes):
        limits = [str(chance.randint(*scene.kill)) if scene.kill else "0"] * scene.processes
        processes = [
            _start(recorder, folder, scene.name, f"{seed} {part} {number}", limit)
            for number, limit in enumerate(limits)
        ]
        for process in processes:
            said = process.communicate(timeout=120)[0]
            if process.returncode not in ({0, -9} if scene.kill else {0}):
                raise RuntimeError(f"the scene {scene} ended with {process.returncode}:\n{said}")
    return Recording(_read(folder / "trace", str(root.resolve())), before, contents(root))


def _inode(path: Path) -> int:
    """Return the number of an inode."""
    return path.stat().st_ino


def write_files(folder: Path, image: Mapping[str, bytes]) -> None:
    """Make files and folders below an empty folder."""
    for path, data in image.items():
        if path.endswith("/"):
            (folder / path).mkdir()
        else:
            (folder / path).write_bytes(data)


def _start(
    recorder: Path, folder: Path, scene: str, seed: str, limit: str
) -> subprocess.Popen[str]:
    """Start one scene."""
    place = folder.resolve()
    environment = os.environ | {
        "LD_PRELOAD": str(recorder),
        "RECORD_ROOT": str(place / "disk"),
        "RECORD_TRACE": str(place / "trace"),
        "RECORD_ACKS": str(place / "acknowledged"),
        "RECORD_KILL": limit,
    }
    script = [sys.executable, str(HERE / "workload.py"), scene]
    return subprocess.Popen(
        [*script, str(place / "disk" / "shelf" / "archive"), seed],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def contents(root: Path) -> dict[str, bytes]:
    """Return the octets of all files by path, without SQLite's -shm; folders end in "/"."""
    found: dict[str, bytes] = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if path.is_dir():
            found[f"{name}/"] = b""
        elif not name.endswith("-shm"):
            found[name] = path.read_bytes()
    return found


def _read(path: Path, root: str) -> list[Event]:
    """Read the records of a trace."""
    data = path.read_bytes()
    events = []
    place = 0
    while place < len(data):
        kind, path_size, other_size, inode, offset, size = _HEADER.unpack_from(data, place)
        parts = []
        place += _HEADER.size
        for length in (path_size, other_size, size):
            parts.append(data[place : place + length])
            place += length
        one, other = (_below(part.decode(), root) for part in parts[:2])
        events.append(Event(kind.decode(), one, other, inode, offset, parts[2]))
    return events


def _below(path: str, root: str) -> str:
    """Return a path below the root, without the mark of files that have no name any more."""
    return path.removesuffix(" (deleted)").removeprefix(root).lstrip("/")
