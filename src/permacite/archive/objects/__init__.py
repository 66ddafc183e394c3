"""The octets of an archive, by their digest: put once, and read from a Source."""

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
