"""Shared archive and server: for files whose tests each add documents of their own, and read those.

A server takes a quarter of a second of the processor to start. A file imports both fixtures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.engines import Repository
from tests.faces.conftest import served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.engines import Server
    from tests.faces.conftest import Running

__all__ = ["archive", "running"]


@pytest.fixture(scope="module")
def archive(engine: Server | None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of one archive for all tests of a file."""
    assert Repository.engine is engine
    folder = tmp_path_factory.mktemp("shared") / "archive"
    Archive.create(folder, series="lab.example.us").close()
    return folder


@pytest.fixture(scope="module")
def running(engine: Server | None, archive: Path) -> Iterator[Running]:
    """Run one server for all tests of a file."""
    assert Repository.engine is engine
    with served(archive) as found:
        yield found
