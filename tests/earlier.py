"""An archive that an earlier version of permacite made, with proofs of it, unpacked for tests."""

from __future__ import annotations

import tarfile
from pathlib import Path

__all__ = ["unpack", "unpack_files"]

_PACKED = Path(__file__).parent / "golden/archive/236669f.tar.gz"


def unpack(folder: Path) -> tuple[Path, dict[str, bytes]]:
    """Unpack an archive of schema 3 into `folder`; return its directory, and proofs of it by name.

    Beside the proofs stands "ca.pem", the certificate of the authority that stamped the log.
    """
    unpack_files(_PACKED, folder)
    return folder / "archive", {one.name: one.read_bytes() for one in (folder / "proofs").iterdir()}


def unpack_files(packed: Path, folder: Path) -> None:
    """Unpack files and folders, by hand: Pythons differ in what `extractall` wants to be told."""
    with tarfile.open(packed) as files:
        for member in files:
            target = folder / member.name
            content = files.extractfile(member)
            if content is None:
                target.mkdir(parents=True, exist_ok=True)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content.read())
