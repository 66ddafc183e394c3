"""Recorded behaviour: commands, HTTP answers, catalog and log of a scripted archive stay the same.

`python -m tests.recorded.recording TREE FOLDER` records a working copy with its whole outputs;
`python -m tests.recorded.recording --update-golden` writes what is compared here. The record
of a PDF's text names the libraries that made it, so digests differ where numpy is another version.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest
from tests.recorded.recording import GOLDEN, ROOT, TEXTS, record

if TYPE_CHECKING:
    from pathlib import Path

NUMPY = "2.4.6"
"""The version that the lock file pins for Python 3.11, with which the record was made."""
WITHOUT_DIGESTS = {"openapi"}
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record this working copy, whatever engine other tests use."""
    folder = tmp_path_factory.mktemp("recorded") / "now"
    record(ROOT, folder)
    return folder


@pytest.mark.parametrize("name", TEXTS)
def test_recorded_behaviour_is_unchanged(name: str, recorded: Path) -> None:
    if name not in WITHOUT_DIGESTS and version("numpy") != NUMPY:
        pytest.skip(f"the record was made with numpy {NUMPY}")
    now = (recorded / f"{name}.txt").read_text().splitlines()
    before = (GOLDEN / f"{name}.txt").read_text().splitlines()
    gone = [f"- {line}" for line in before if line not in now]
    new = [f"+ {line}" for line in now if line not in before]
    assert gone + new == [], f"whole outputs are in {recorded}"
    assert now == before
