"""Show the log, hold it to a checkpoint that someone kept, write it out for other programs.

C2SP tlog-checkpoint (what is signed) and tlog-tiles (the files): `permacite.archive.log` does the
work. One key that signed two logs of which neither begins the other is a split view: whoever holds
both checkpoints can show it to anyone.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
from datetime import datetime
from typing import TYPE_CHECKING

from permacite.archive.log import Checkpoint
from permacite.archive.log.keys import Verifier
from permacite.archive.log.note import Note
from permacite.archive.log.tiles import tiles_of
from permacite.errors import IntegrityError, NotFoundError, ParseError, StorageError
from permacite.service.preservation.earlier import earlier_logs
from permacite.service.promises_model import Consistency, LogState, SealedDay

if TYPE_CHECKING:
    from pathlib import Path

    from permacite.archive import Repository

__all__ = ["export_tiles", "held_to", "kept_note", "log_state", "seal_days"]

_CHECKPOINT = "checkpoint"


def log_state(archive: Repository, *, since: int | None = None) -> LogState:
    """Return the log as it is, signed; with the proof that it grew from `since` entries.

    Raises NotFoundError where the log never had that many entries.
    """
    note = archive.log.checkpoint()
    now = Checkpoint.parse(Note.parse(note).text)
    return LogState(
        log=now.origin,
        size=now.size,
        root=_text(now.root),
        checkpoint=note,
        key=str(archive.log.verifier),
        keys=tuple(map(str, archive.log.verifiers)),
        since=None if since is None else _consistency(archive, since, now.size),
        earlier=earlier_logs(archive),
    )


def _consistency(archive: Repository, old: int, new: int) -> Consistency:
    if not 0 < old <= new:
        raise NotFoundError(f"the log has {new} entries; it grew from 1 to that", str(old))
    hashes = archive.log.consistency(old, new)
    return Consistency(old, _text(archive.log.root(old)), tuple(map(_text, hashes)))


def held_to(archive: Repository, kept: str) -> LogState:
    """Return the log as it is, which extends the checkpoint in `kept` that someone kept.

    `kept` is a signed note, or what `permacite log` printed, as text or as JSON. Raises ParseError
    where there is no checkpoint in it, IntegrityError where neither this archive's key nor that of
    a log it goes on from signed it, or where one did and the log does not begin with what was
    promised (a log cut short, or a split view: two logs under one key).
    """
    parsed = Note.parse(kept_note(kept))
    promised = Checkpoint.parse(parsed.text)
    verifier = archive.log.verifier
    earlier = [one for one in earlier_logs(archive) if Verifier.parse(one.key).verifies(parsed)]
    if earlier and promised.size > earlier[-1].size:
        raise IntegrityError(
            f"the checkpoint is of {promised.size} entries, and this archive was restored from a"
            f" copy of {earlier[-1].size}: what its first key signed later is not here",
            expected=_text(promised.root),
            actual="nothing",
        )
    if not earlier and not verifier.verifies(parsed):
        raise IntegrityError(
            "the checkpoint is not signed by this archive's key",
            expected=str(verifier),
            actual=", ".join(one.name for one in parsed.signatures),
        )
    size = archive.log.size()
    if promised.size > size:
        raise IntegrityError(
            f"the log has {size} entries, and its key signed {promised.size}: it was cut short, or"
            " this is a split view: another log under the same key",
            expected=_text(promised.root),
            actual="nothing",
        )
    actual = archive.log.root(promised.size)
    if actual != promised.root:
        raise IntegrityError(
            f"split view: one key signed two different logs of {promised.size} entries",
            expected=_text(promised.root),
            actual=_text(actual),
        )
    return log_state(archive, since=promised.size or None)


def kept_note(text: str) -> str:
    """Return the signed note in what someone kept: a note, or the answer of `permacite log`.

    Raises ParseError for JSON without a checkpoint.
    """
    if text.lstrip().startswith("{"):
        try:
            return str(json.loads(text)["checkpoint"])
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise ParseError("expected the JSON of `permacite log`", text, 0) from error
    # A checkpoint has no blank line but the one before its signatures; what stands above is told.
    return "\n\n".join(text.replace("\r\n", "\n").split("\n\n")[-2:])


def seal_days(archive: Repository) -> list[SealedDay]:
    """Seal every day that has documents and has ended (UTC), and return those that were not yet."""
    found = [json.loads(leaf.content) for leaf in archive.seal_days()]
    return [
        SealedDay(
            name=entry["name"],
            documents=entry["documents"],
            highest=entry.get("highest"),
            sealed_at=datetime.fromisoformat(entry["sealed_at"]),
        )
        for entry in found
    ]


def export_tiles(archive: Repository, directory: Path) -> LogState:
    """Write the log into `directory` as tiles and a checkpoint, or bring an earlier export up.

    A tile of hashes that is whole never changes, so any file server can give the folder out; what
    is withdrawn since leaves the bundles of entries. Raises
    IntegrityError where the folder holds another log, LimitError for an entry that is too long for
    a bundle, StorageError.
    """
    try:
        kept = directory / _CHECKPOINT
        if kept.exists():
            held_to(archive, kept.read_text(encoding="utf-8", errors="replace"))
        state = log_state(archive)
        seen = archive.public()
        # Whether an entry is given out may change, in bundles of earlier exports too.
        earlier = [path for path in (directory / "tile/entries").rglob("*") if path.is_file()]
        bundles = {str(path.relative_to(directory)) for path in earlier}
        for path in bundles | {tile.path for tile in tiles_of(state.size) if tile.level is None}:
            _write(directory / path, seen.tile(path), replace=True)
        for tile in tiles_of(state.size):
            if tile.level is not None:
                _write(directory / tile.path, seen.tile(tile.path))
        _write(kept, state.checkpoint.encode(), replace=True)
    except OSError as error:
        raise StorageError(
            f"cannot write the tiles: {error.strerror}", path=str(directory), reason="io"
        ) from error
    return state


def _write(path: Path, content: bytes, *, replace: bool = False) -> None:
    """Write a file whole or not at all. Raises IntegrityError where other bytes are there."""
    if not replace and path.exists():
        if path.read_bytes() != content:
            raise IntegrityError(
                f"{path} is there, and is no tile of this log",
                expected="the same bytes",
                actual="others",
            )
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"{path.name}.{secrets.token_hex(8)}.new")
    try:
        aside.write_bytes(content)
        os.replace(aside, path)  # noqa: PTH105 - both are named
    finally:
        aside.unlink(missing_ok=True)


def _text(hash_: bytes) -> str:
    return base64.b64encode(hash_).decode()
