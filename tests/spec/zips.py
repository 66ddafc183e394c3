"""Proof bundles taken apart and put together anew, for the tests that forge them."""

from __future__ import annotations

import io
import zipfile

__all__ = ["unzipped", "zipped"]


def unzipped(proof: bytes) -> dict[str, bytes]:
    """Return the files of a bundle."""
    with zipfile.ZipFile(io.BytesIO(proof)) as files:
        return {one: files.read(one) for one in files.namelist()}


def zipped(files: dict[str, bytes]) -> bytes:
    """Return a bundle of these files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for one, content in files.items():
            archive.writestr(one, content)
    return target.getvalue()
