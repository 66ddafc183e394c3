"""Copies of an archive into any other place: to another engine or store, or to take its place."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from permacite.archive import Repository, place_of
from permacite.archive.transport.copying import promote as promote_copy
from permacite.service.preservation.copies import Copy

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.archive import Location

__all__ = ["copy", "promote"]


def copy(
    source: Location,
    target: Location,
    *,
    with_key: bool = False,
    objects: str | None = None,
    full: bool = False,
    progress: Callable[[int, int], object] = max,
) -> Copy:
    """Copy the archive `source` to `target`, or bring an earlier copy there up.

    With the key of its log the copy can take its place; without, it reads alone. `objects` is the
    address of the store of a new copy's octets. `progress` is told how many entries of the log
    came, of how many. Raises ConflictError where other things are there, or entries that `source`
    has not; ParseError, StorageError, IntegrityError.
    """
    with Repository.open(source) as archive:
        copied = archive.copy(
            target, with_key=with_key, objects=objects, full=full, progress=progress
        )
    with Repository.open(target) as made:
        return Copy(
            made.where,
            made.documents(),
            made.count(),
            copied.size,
            whole=copied.entries == copied.size,
            files=copied.files,
            lost=copied.lost,
            root=base64.b64encode(copied.root).decode(),
        )


def promote(location: Location) -> str:
    """Let the copy at a place mint and sign in the place of its archive; its public key.

    Raises ConflictError where it is no copy that reads, StorageError where the key of the log is
    not there, IntegrityError where that key is another log's.
    """
    return str(promote_copy(place_of(location)))
