"""Copies of an archive on any engine and store, their promotion, and the logs of earlier keys.

A log's key is secret and is not exported, so a restored archive signs with a new one. The last
checkpoint of the earlier key is kept: anybody who knows that key can check that it signed the same
entries, and a checkpoint that somebody kept still proves this log.
"""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, field
from typing import TYPE_CHECKING

from permacite.archive.administration import place_of
from permacite.archive.log.keys import Verifier
from permacite.archive.log.note import Checkpoint, Note
from permacite.archive.repository import Repository
from permacite.errors import IntegrityError, ParseError, StorageError
from permacite.lazy_dataclass import dataclass
from permacite.service.plain import UNPRINTED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from permacite.archive.engine.location import Location
    from permacite.archive.transport.stream import LeftOut

__all__ = ["Copy", "EarlierLog", "checked", "copy", "counted", "earlier_logs", "keep", "promote"]

_SETTING = "earlier_logs"


@dataclass(frozen=True, slots=True)
class Copy:
    """The outcome of a backup, copy, export or restoration."""

    directory: str
    documents: int
    versions: int
    entries: int
    """The number of entries in its log."""
    whole: bool = True
    """Whether everything was compared or written; False where only what is new was added."""
    files: int | None = None
    """How many contents are new in a backup."""
    lost: tuple[str, ...] = ()
    """Digests of contents that the archive names, but has altered or not at all."""
    root: str | None = None
    """The root of that log in Base64, where a copy was compared with the archive."""
    new_key: str | None = None
    """The public key of a restored archive, which does not have the earlier secret key."""
    left_out: tuple[LeftOut, ...] = field(default=(), metadata=UNPRINTED)
    """What this kind of copy does not take."""


@dataclass(frozen=True, slots=True)
class EarlierLog:
    """A checkpoint of the same entries by an earlier key, before the archive was restored."""

    key: str
    """The public key that verifies it."""
    size: int
    """How many entries it covers."""
    checkpoint: str
    """The signed note."""


def earlier_logs(repository: Repository) -> tuple[EarlierLog, ...]:
    """Return the earlier logs, the oldest first. Raises StorageError."""
    try:
        logs = json.loads(repository.settings.get(_SETTING) or "[]")
        return tuple(EarlierLog(**log) for log in logs)
    except (ValueError, TypeError) as error:
        raise StorageError(
            f"the setting {_SETTING} is damaged: {error}",
            path=str(repository.directory),
            reason="damaged",
        ) from error


def keep(repository: Repository, earlier: list[EarlierLog]) -> None:
    """Record the earlier logs."""
    repository.settings.set(_SETTING, json.dumps([asdict(log) for log in earlier]))


def checked(key: str, checkpoint: str, root: bytes) -> EarlierLog:
    """Check a checkpoint that `key` signed, whose root must be `root`. Raises IntegrityError."""
    try:
        note = Note.parse(checkpoint)
        signed = Checkpoint.parse(note.text)
        good = Verifier.parse(key).verifies(note)
    except ParseError as error:
        raise IntegrityError(
            f"the checkpoint that was exported is none: {error.problem}",
            expected="a signed checkpoint",
            actual=error.source[:60],
        ) from error
    if not good or signed.root != root:
        raise IntegrityError(
            "the checkpoint that was exported does not vouch for the log beside it",
            expected=f"sha-256:{root.hex()}, signed by {key}",
            actual=f"sha-256:{signed.root.hex()}",
        )
    return EarlierLog(key, signed.size, checkpoint)


def counted(directory: Path) -> Copy:
    """Return what the archive in a folder holds."""
    with Repository.open(directory) as copy:
        return Copy(str(directory), copy.lists.documents(), copy.lists.count(), copy.log.size())


def copy(
    source: Location,
    target: Location,
    *,
    with_key: bool = False,
    objects: str | None = None,
    full: bool = False,
    progress: Callable[[int, int], object] = max,
) -> Copy:
    """Copy the archive `source` to `target`, or bring an earlier copy there up to date.

    With the key of its log the copy can replace the archive; without it, it is read-only. `objects`
    is the address of the object store of a new copy. `progress` counts entries of the log. Raises
    ConflictError where `target` holds anything else, or entries that `source` does not have;
    ParseError, StorageError, IntegrityError.
    """
    with Repository.open(source) as archive:
        copied = archive.copies.copy(
            target, with_key=with_key, objects=objects, full=full, progress=progress
        )
    with Repository.open(target) as made:
        return Copy(
            made.where,
            made.lists.documents(),
            made.lists.count(),
            copied.size,
            whole=copied.entries == copied.size,
            files=copied.files,
            lost=copied.lost,
            root=base64.b64encode(copied.root).decode(),
        )


def promote(location: Location) -> str:
    """Let a read-only copy mint and sign in place of its archive; its public key is returned.

    Raises ConflictError where it is no copy that reads, StorageError where the key of the log is
    not there, IntegrityError where that key is another log's.
    """
    from permacite.archive.transport.copying import promote as promote_copy

    return str(promote_copy(place_of(location)))
