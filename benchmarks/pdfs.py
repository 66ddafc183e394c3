"""Fetch the PDFs of Debian's documentation that pdfs.txt lists: python benchmarks/pdfs.py FOLDER.

The packages are chosen by what Debian's index says of them, before anything of them is read: of
bookworm, section doc, those whose description names PDF and that have at most ten million octets;
of each source the first by its name. They are taken in turn: every other one may be looked at when
rules are made (tuning), the others are only measured (held-out).

Afterwards: python benchmarks/bench_pdf.py FOLDER/held-out
"""

from __future__ import annotations

import gzip
import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

LISTED = Path(__file__).parent / "pdfs.txt"
HALVES = ("tuning", "held-out")


def main(folder: Path) -> None:
    """Fetch all packages by apt-get, and keep their PDFs."""
    listed = [tuple(line.split()) for line in LISTED.read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as fetched:
        wanted = [f"{package}={version}" for package, version in listed]
        subprocess.run(["apt-get", "download", "-q", *wanted], cwd=fetched, check=True)
        for index, (package, _) in enumerate(listed):
            [deb] = Path(fetched).glob(f"{package}_*.deb")
            kept = keep(deb, folder / HALVES[index % 2] / package)
            print(f"{package}: {kept}")


def keep(deb: Path, folder: Path) -> int:
    """Keep the PDFs of a package, each under its digest; how many."""
    with tempfile.TemporaryDirectory() as unpacked:
        subprocess.run(["dpkg-deb", "-x", str(deb), unpacked], check=True)
        for path in Path(unpacked).rglob("*.pdf*"):
            if not path.is_file() or path.is_symlink():
                continue
            content = path.read_bytes()
            if path.suffix == ".gz":
                content = gzip.decompress(content)
            if content.startswith(b"%PDF"):
                folder.mkdir(parents=True, exist_ok=True)
                digest = hashlib.sha256(content).hexdigest()
                (folder / f"{digest[:16]}.pdf").write_bytes(content)
    return len(list(folder.glob("*.pdf")))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
