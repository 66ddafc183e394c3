"""The octets of an archive, by their digest: put once, and read from a ContentReader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.exports import on_demand

if TYPE_CHECKING:
    from permacite.archive.objects.durable import (
        flush_folder,
        keep_modes,
        make_folders,
        modes_of,
        write_file,
    )
    from permacite.archive.objects.files import FileObjects, Opens
    from permacite.archive.objects.mark import MARK, StoreMark, mark_of
    from permacite.archive.objects.source import MOST_OF_BLOB, ContentReader, digest_of, git_blob
    from permacite.archive.objects.store import (
        ADDRESS,
        ObjectStore,
        check_address,
        claim,
        open_store,
        store_of,
    )

__all__ = [
    "ADDRESS",
    "MARK",
    "MOST_OF_BLOB",
    "ContentReader",
    "FileObjects",
    "ObjectStore",
    "Opens",
    "StoreMark",
    "check_address",
    "claim",
    "digest_of",
    "flush_folder",
    "git_blob",
    "keep_modes",
    "make_folders",
    "mark_of",
    "modes_of",
    "open_store",
    "store_of",
    "write_file",
]

on_demand(
    __name__,
    {
        "permacite.archive.objects.files": "FileObjects, Opens",
        "permacite.archive.objects.durable": (
            "flush_folder, keep_modes, make_folders, modes_of, write_file"
        ),
        "permacite.archive.objects.mark": "MARK, StoreMark, mark_of",
        "permacite.archive.objects.source": "MOST_OF_BLOB, ContentReader, digest_of, git_blob",
        "permacite.archive.objects.store": (
            "ADDRESS, ObjectStore, check_address, claim, open_store, store_of"
        ),
    },
)
