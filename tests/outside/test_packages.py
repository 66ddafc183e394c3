"""Packages and bags that we write, checked by the programs of those who made the formats.

They are asked where they are in PATH, for they want other packages than ours:
python -m venv F; F/bin/pip install wacz bagit pywb; PATH=F/bin:$PATH
"""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.crawled import crawl, packed
from tests.faces.conftest import archive, cli

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

__all__ = ["archive", "cli"]


def checked(*words: str, folder: Path) -> int:
    """Run a program of others; skip where it is not installed."""
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not installed")
    return subprocess.run(words, cwd=folder, capture_output=True, check=False).returncode


@pytest.fixture
def written(archive: Path, cli: Cli, tmp_path: Path) -> Path:
    """A folder with the same pages in each form; one passage is cited."""
    (tmp_path / "a.warc.gz").write_bytes(packed(crawl()))
    assert cli("import", str(tmp_path / "a.warc.gz")).status == 0
    with Archive.open(archive) as service:
        service.cite(service.documents.list().documents[0].pdi, quote="tide")
    for form, name in (("wacz", "b.wacz"), ("warc", "b.warc.gz"), ("bag", "bag")):
        assert cli("export", f"--{form}", str(tmp_path / name)).status == 0
    return tmp_path


def test_py_wacz_finds_a_package_valid(written: Path) -> None:
    assert checked("wacz", "validate", "-f", "b.wacz", folder=written) == 0
    content = (written / "b.wacz").read_bytes()
    (written / "b.wacz").write_bytes(content.replace(b"\x1f\x8b", b"\x1f\x8c", 1))
    assert checked("wacz", "validate", "-f", "b.wacz", folder=written) != 0


def test_bagit_finds_a_bag_valid(written: Path) -> None:
    assert checked("bagit.py", "--validate", "bag", folder=written) == 0
    (written / "bag/permacite/citations.jsonl").write_text("{}", encoding="utf-8")
    assert checked("bagit.py", "--validate", "bag", folder=written) != 0


def test_pywb_takes_what_we_write(written: Path) -> None:
    assert checked("wb-manager", "init", "a", folder=written) == 0
    assert checked("wb-manager", "add", "a", "b.warc.gz", folder=written) == 0
    assert checked("wb-manager", "add", "--unpack-wacz", "a", "b.wacz", folder=written) == 0
    lines = (written / "collections/a/indexes/index.cdxj").read_text(encoding="utf-8")
    assert lines.count("http://a.example/a.png") == 2
