"""Recorded behaviour: commands, HTTP answers, catalog and log of a scripted archive stay the same.

`python -m tests.recorded.recording TREE FOLDER` records a working copy with its whole outputs;
`python -m tests.recorded.recording --update-golden` writes what is compared here. The text of a PDF
is kept with the builds that made it, so an environment with another numpy has other digests.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest
from tests.recorded.recording import GOLDEN, ROOT, TEXTS, record

if TYPE_CHECKING:
    from pathlib import Path

NUMPY = "2.4.6"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        version("numpy") != NUMPY,
        reason=f"made with numpy {NUMPY}, which the lock pins for Python 3.11",
    ),
]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record this working copy, whatever engine other tests use."""
    folder = tmp_path_factory.mktemp("recorded") / "now"
    record(ROOT, folder)
    return folder


@pytest.mark.parametrize("name", TEXTS)
def test_recorded_behaviour_is_unchanged(name: str, recorded: Path) -> None:
    now = (recorded / f"{name}.txt").read_text().splitlines()
    before = (GOLDEN / f"{name}.txt").read_text().splitlines()
    gone = [f"- {line}" for line in before if line not in now]
    new = [f"+ {line}" for line in now if line not in before]
    assert gone + new == [], f"whole outputs are in {recorded}"
    assert now == before
