"""Where the octets of an archive lie on the disk, for tests that look there or do damage."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["file_of"]


def file_of(archive: Path, digest: str | None) -> Path:
    """The file of octets, by the layout that docs/reference/archive-layout.md tells."""
    name = (digest or "").removeprefix("sha-256:")
    return archive / "objects" / name[:2] / name[2:4] / name
