"""What the crash tests need from outside: a C compiler, and a folder that is quick."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.crash.replay.trace import compile_recorder
from tests.needs import need, no_right

if TYPE_CHECKING:
    from collections.abc import Iterator

_MEMORY = Path("/dev/shm")  # noqa: S108 - a file system in memory, where there is one


@pytest.fixture(scope="session")
def quick_folder() -> Iterator[Path]:
    """Return a folder in memory where the system has one: the disk is a model, not this one."""
    usable = _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK)
    with tempfile.TemporaryDirectory(dir=_MEMORY if usable else None) as name:
        yield Path(name)


@pytest.fixture(scope="session")
def recorder(quick_folder: Path) -> Path:
    """Compile the recorder of system calls, and return it."""
    if sys.platform != "linux":
        no_right("the recorder of system calls is made for Linux")
    return compile_recorder(need("cc"), quick_folder)
