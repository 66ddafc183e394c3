"""The types of options that say where an archive is: a folder, or a location in a database."""

from __future__ import annotations

import os
from pathlib import Path

import click

__all__ = ["FOLDER", "LOCATION"]


class _Location(click.Path):
    """A folder; what has a scheme is a location of another kind."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Read what was typed. Raises ParseError for a location that is none."""
        from permacite.service.location import checked_location

        if isinstance(value, str):
            location = checked_location(value)
            if isinstance(location, str):
                return location
        assert isinstance(value, str | os.PathLike)  # noqa: S101 - nothing else is typed or given
        return super().convert(value, param, ctx)


class _Folder(click.Path):
    """A folder, which no location can take the place of."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Read what was typed. Raises ParseError for a location that is none."""
        assert isinstance(value, str | os.PathLike)  # noqa: S101 - nothing else is typed or given
        from permacite.service.location import checked_location

        if isinstance(value, str) and isinstance(checked_location(value), str):
            self.fail("expected a folder, not a location", param, ctx)
        return super().convert(value, param, ctx)


LOCATION = _Location(path_type=Path, file_okay=False)
FOLDER = _Folder(path_type=Path, file_okay=False)
