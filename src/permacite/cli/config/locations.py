"""The type of options that say where an archive is: a folder, or a location in a database."""

from __future__ import annotations

import os
from pathlib import Path

import click

from permacite.service.base import checked_location

__all__ = ["LOCATION"]


class _Location(click.Path):
    """A folder; what has a scheme is a location of another kind."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Read what was typed. Raises ParseError for a location that is none."""
        if isinstance(value, str) and "://" in value:
            checked_location(value)
            return value
        assert isinstance(value, str | os.PathLike)  # noqa: S101 - nothing else is typed or given
        return super().convert(value, param, ctx)


LOCATION = _Location(path_type=Path, file_okay=False)
