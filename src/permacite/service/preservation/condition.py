"""How an archive is: what it holds, what waits in it, and when it was last copied and checked."""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from permacite.errors import StorageError
from permacite.service import decoders

if TYPE_CHECKING:
    from permacite.archive import Repository

__all__ = [
    "CHECKED",
    "COPIED",
    "PART_CHECKED",
    "REACHED",
    "ArchiveStatus",
    "Condition",
    "Done",
    "keep",
    "note",
]

COPIED = "last backup"
CHECKED = "last fixity check"
PART_CHECKED = "last fixity check of a part"
REACHED = "fixity checked up to"
"""The entry of the log up to which all was checked, by one check or several."""


@dataclass(frozen=True, slots=True)
class Done:
    """When something was done, and how many faults it found."""

    at: datetime
    faults: int = 0


@dataclass(frozen=True, slots=True)
class Condition:
    """How an archive is at this moment."""

    documents: int
    versions: int
    log_size: int
    staged_bytes: int
    """Octets that were committed and have no file yet."""
    free_bytes: int
    """What is free on its disk."""
    decoders_busy: int
    decoders_waiting: int
    """Jobs of this process that wait for a worker."""
    copied: Done | None
    """The last backup that was made from here."""
    checked: Done | None
    """The last fixity check of all of it."""
    part_checked: Done | None
    """The last one of what was new, or of a sample."""
    cautions: tuple[str, ...]
    """What of its database's settings may lose what was acknowledged."""


class ArchiveStatus:
    """Counts and dates for whoever runs the archive."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def condition(self) -> Condition:
        """How it is now; asking costs little. Raises StorageError where it cannot be read."""
        repository = self._repository
        busy, waiting = decoders.load()
        return Condition(
            documents=repository.documents(),
            versions=repository.count(),
            log_size=repository.log.size(),
            staged_bytes=repository.staged_bytes(),
            free_bytes=shutil.disk_usage(repository.directory).free,
            decoders_busy=busy,
            decoders_waiting=waiting,
            copied=_done(repository, COPIED),
            checked=_done(repository, CHECKED),
            part_checked=_done(repository, PART_CHECKED),
            cautions=repository.cautions(),
        )

    def cautions(self) -> tuple[str, ...]:
        """What of its database's settings may lose what was acknowledged, and what to do, in words.

        Of an archive in a folder there is none. Raises StorageError.
        """
        return self._repository.cautions()


def note(repository: Repository, what: str, faults: int = 0) -> None:
    """Note that something was done just now."""
    keep(repository, what, f"{datetime.now(UTC).isoformat(timespec='seconds')} {faults}")


def keep(repository: Repository, what: str, value: str) -> None:
    """Keep a setting; an archive that may only be read is left as it is."""
    with contextlib.suppress(StorageError):
        repository.set_setting(what, value)


def _done(repository: Repository, what: str) -> Done | None:
    said = repository.setting(what)
    if said is None:
        return None
    at, _, faults = said.partition(" ")
    return Done(datetime.fromisoformat(at), int(faults))
