"""The octets of an archive, by their digest: put once, and read from a Source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.archive.objects.files import FileObjects, Source, digest_of
    from permacite.archive.objects.flushing import flush_folder, make_folders, write_file
    from permacite.archive.objects.modes import keep_modes, modes_of

__all__ = [
    "FileObjects",
    "Source",
    "digest_of",
    "flush_folder",
    "keep_modes",
    "make_folders",
    "modes_of",
    "write_file",
]

on_demand(
    __name__,
    {
        "permacite.archive.objects.files": "FileObjects, Source, digest_of",
        "permacite.archive.objects.flushing": "flush_folder, make_folders, write_file",
        "permacite.archive.objects.modes": "keep_modes, modes_of",
    },
)
