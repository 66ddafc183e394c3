"""Bags as the library bagit makes them; run by hand: pip install bagit==1.9.0; python make.py.

Its zip file has the folder of the bag at its top, as RFC 8493 §4 has it. The dates in it are fixed.
"""

from __future__ import annotations

import io
import tarfile
import tempfile
import zipfile
from pathlib import Path

import bagit  # type: ignore[import-not-found] # not among what the tests need

FILES = {
    "report.html": b"<title>Report</title><p>Others say the tide is low.",
    "sub/a b.txt": "Gez\u00e4hlt wird die Flut.\n".encode(),
    "sub/50%.txt": b"half\n",
    "na\u0308me.txt": b"decomposed\n",
    "bytes.bin": bytes(range(256)),
}
INFO = {
    "Source-Organization": "Tide Office",
    "External-Description": "A description that goes on " + "and on " * 20,
    "Bagging-Date": "2020-02-03",
}
HERE = Path(__file__).parent


def main() -> None:
    """Write bagit.zip (MD5, SHA-256, SHA-512) and bagit.tar.gz (SHA-1 alone)."""
    for algorithms, name in (
        (["md5", "sha256", "sha512"], "bagit.zip"),
        (["sha1"], "bagit.tar.gz"),
    ):
        with tempfile.TemporaryDirectory() as folder:
            top = Path(folder, "tides")
            for path, octets in FILES.items():
                (top / path).parent.mkdir(parents=True, exist_ok=True)
                (top / path).write_bytes(octets)
            bagit.make_bag(str(top), dict(INFO), checksums=algorithms)
            paths = [each for each in sorted(top.rglob("*")) if each.is_file()]
            if name.endswith(".zip"):
                with zipfile.ZipFile(HERE / name, "w", zipfile.ZIP_DEFLATED) as packed:
                    for each in paths:
                        entry = zipfile.ZipInfo(f"tides/{each.relative_to(top).as_posix()}")
                        packed.writestr(entry, each.read_bytes(), zipfile.ZIP_DEFLATED)
            else:
                with tarfile.open(HERE / name, "w:gz") as tar:
                    for each in paths:
                        member = tarfile.TarInfo(f"tides/{each.relative_to(top).as_posix()}")
                        member.size = each.stat().st_size
                        tar.addfile(member, io.BytesIO(each.read_bytes()))


if __name__ == "__main__":
    main()
