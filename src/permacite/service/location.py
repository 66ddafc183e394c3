"""Location of an archive: the default folder, locations as typed."""

from __future__ import annotations

from pathlib import Path

from permacite.archive.administration import place_of
from permacite.archive.engine.location import Location

__all__ = [
    "DEFAULT_RESOLVER",
    "DEFAULT_SERIES",
    "Location",
    "checked_location",
    "default_directory",
]

DEFAULT_RESOLVER = "http://127.0.0.1:8420"
"""Where `permacite serve` answers unless told otherwise."""

DEFAULT_SERIES = "my.archive.zz"
"""The series of an archive made on the fly; zz is a code that ISO 3166 leaves to its users."""


def checked_location(text: str) -> Location:
    """Where an archive is, of what was typed. Raises ParseError, StorageError.

    What is refused is not repeated: there may be a password in it.
    """
    place_of(text)
    return text if "://" in text else Path(text)


def default_directory() -> Path:
    """The folder of the user's own archive."""
    import platformdirs

    return Path(platformdirs.user_data_dir("permacite", appauthor=False)) / "archive"
