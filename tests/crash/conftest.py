"""What the crash tests need from outside: a C compiler, and a folder that is quick."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.crash.replay.trace import compile_recorder

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
    """Return the recorder; skip where it cannot be had, except where none may be skipped."""
    if sys.platform != "linux":
        pytest.skip("the recorder of system calls is made for Linux")
    library = compile_recorder(quick_folder)
    if library is None:
        if os.environ.get("PERMACITE_CI") or os.environ.get("CI") == "true":
            pytest.fail("a C compiler is missing: ./do outside installs it")
        pytest.skip("there is no C compiler: ./do outside installs one")
    return library
