"""The files beside report.md, written once by pandoc and LibreOffice, which no test needs.

Run `python tests/golden/office/generate.py` where both are. The texts and labels are written by
`python -m tests.spec.test_words_of_whole_documents`: read the difference. LibreOffice 7.4 gives
the second footnote the words of the first: that is what its files hold.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
SOURCE = HERE / "report.md"


def main() -> None:
    """Write all of them."""
    for ending in ("docx", "odt", "epub", "ipynb"):
        _run("pandoc", SOURCE, "-o", HERE / f"pandoc.{ending}")
    with tempfile.TemporaryDirectory() as folder:
        for ending in ("odt", "docx"):
            words = ["--headless", "--convert-to", ending, "--outdir", folder]
            _run("soffice", *words, HERE / "pandoc.docx")
            shutil.copy(Path(folder) / f"pandoc.{ending}", HERE / f"libreoffice.{ending}")


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    main()
