"""An archive that an earlier version of permacite made, with proofs of it, unpacked for tests."""

from __future__ import annotations

import tarfile
from pathlib import Path

__all__ = ["unpack"]

_PACKED = Path(__file__).parent / "golden/archive/236669f.tar.gz"


def unpack(folder: Path) -> tuple[Path, dict[str, bytes]]:
    """Unpack an archive of schema 3 into `folder`; return its directory, and proofs of it by name.

    Beside the proofs stands "ca.pem", the certificate of the authority that stamped the log.
    """
    with tarfile.open(_PACKED) as packed:
        packed.extractall(folder, filter="data")
    return folder / "archive", {one.name: one.read_bytes() for one in (folder / "proofs").iterdir()}
