"""Disks that fill up: file systems of a size of their own."""

from __future__ import annotations

import contextlib
import os
import subprocess
from typing import TYPE_CHECKING

from tests.needs import no_right

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["fill_up", "small_disk"]


@contextlib.contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """Make a folder that is a file system of a size such as "2m", until the block ends."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        no_right("only root can mount a small disk; the test of every call needs none")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def fill_up(disk: Path, *, but: int = 0) -> Path:
    """Write a file that leaves so many octets free there; the file."""
    ballast = disk / "ballast"
    ballast.touch()
    found = os.statvfs(disk)
    ballast.write_bytes(bytes(max(0, found.f_bavail * found.f_frsize - but)))
    return ballast
