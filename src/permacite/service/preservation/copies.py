"""What is told of a copy: what it holds, and the logs that it goes on from, as evidence.

A log's key is secret and is no part of a copy for others, so a restored archive signs with a new
one. The last checkpoint of the earlier key stays on record: whoever knows that key can see that it
vouched for the same entries, and a checkpoint of it that someone kept still holds this archive.
"""

from __future__ import annotations

import base64
import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from permacite.archive import Repository, place_of
from permacite.archive.log import Checkpoint
from permacite.archive.log.keys import Verifier
from permacite.archive.log.note import Note
from permacite.errors import IntegrityError, ParseError, StorageError
from permacite.service.plain import UNPRINTED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from permacite.archive import Location
    from permacite.archive.transport.stream import LeftOut

__all__ = ["Copy", "EarlierLog", "checked", "copy", "counted", "earlier_logs", "keep", "promote"]

_SETTING = "earlier_logs"


@dataclass(frozen=True, slots=True)
class Copy:
    """An archive that was made from another: a backup, or what was restored from one."""

    directory: str
    documents: int
    versions: int
    entries: int
    """Of its log."""
    whole: bool = True
    """Whether all was compared, or written; False where what is new was added alone."""
    files: int | None = None
    """How many contents came with a backup."""
    lost: tuple[str, ...] = ()
    """Digests of contents that the archive names, and has altered or not at all."""
    root: str | None = None
    """Of that log, in Base64, where a copy was compared with the archive."""
    new_key: str | None = None
    """The public key it signs with from now on, where the first one's secret was not copied."""
    left_out: tuple[LeftOut, ...] = field(default=(), metadata=UNPRINTED)
    """What this kind of copy does not take."""


@dataclass(frozen=True, slots=True)
class EarlierLog:
    """What another key signed of the same entries, before the archive was restored."""

    key: str
    """The public key that checks it."""
    size: int
    """For how many entries it vouched."""
    checkpoint: str
    """The signed note."""


def earlier_logs(repository: Repository) -> tuple[EarlierLog, ...]:
    """The logs that this one goes on from, the oldest first. Raises StorageError."""
    try:
        logs = json.loads(repository.setting(_SETTING) or "[]")
        return tuple(EarlierLog(**log) for log in logs)
    except (ValueError, TypeError) as error:
        raise StorageError(
            f"the setting {_SETTING} is damaged: {error}",
            path=str(repository.directory),
            reason="damaged",
        ) from error


def keep(repository: Repository, earlier: list[EarlierLog]) -> None:
    """Put on record the logs that this one goes on from."""
    repository.set_setting(_SETTING, json.dumps([asdict(log) for log in earlier]))


def checked(key: str, checkpoint: str, root: bytes) -> EarlierLog:
    """The log that `key` signed, whose root must be `root`. Raises IntegrityError."""
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
        return Copy(str(directory), copy.documents(), copy.count(), copy.log.size())


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
    from permacite.archive.transport.copying import promote as promote_copy

    return str(promote_copy(place_of(location)))
