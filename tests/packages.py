"""Debian packages whose documents are tested with, installed or brought into build/documents/."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.needs import missing, need

__all__ = ["unpacked"]

_CACHE = Path(__file__).resolve().parents[1] / "build" / "documents"


def unpacked(package: str, page: str) -> Path:
    """The folder below which the files of a package are; `page` is one that is wanted of it."""
    if Path("/", page).exists():
        return Path("/")
    folder = _CACHE / package
    if not (folder / page).exists():
        _download(package, folder)
    if not (folder / page).exists():
        missing(f"this release's {package} has no {page}")
    return folder


def _download(package: str, folder: Path) -> None:
    if os.environ.get("PERMACITE_NO_INSTALL"):
        missing(f"{package} is not installed")
    need("apt-get")
    folder.mkdir(parents=True, exist_ok=True)
    command = ["apt-get", "download", "-q", package]
    if subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode:
        subprocess.run(["apt-get", "update", "-q"], capture_output=True, check=False)
        if subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode:
            missing(f"{package} is not installed, and apt could not download it")
    for archive in folder.glob("*.deb"):
        subprocess.run(["dpkg", "-x", archive.name, "."], cwd=folder, check=True)
        archive.unlink()
