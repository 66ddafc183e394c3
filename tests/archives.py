"""Every use case of an archive whose records are where the engine of the test has them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Self

from tests.engines import Repository

from permacite.service import archive

if TYPE_CHECKING:
    from permacite.archive.engine.location import Location

__all__ = ["Archive", "command_on"]


def command_on(directory: Location, *words: str) -> list[str]:
    """What runs a command in a process of its own, on the archive of a folder."""
    at = str(Repository.at(directory))
    return [sys.executable, "-m", "permacite", "--archive", at, *words]


class Archive(archive.Archive):
    """An archive of a test: a folder stands for where the engine of the test has it."""

    @classmethod
    def create(cls, directory: Location | None, **options: Any) -> Self:
        """Make the archive of a folder."""
        return super().create(directory and Repository.at(directory), **options)

    @classmethod
    def open(cls, directory: Location | None = None) -> Self:
        """Open the archive of a folder."""
        return super().open(directory and Repository.at(directory))
