"""Show the log, hold it to a checkpoint that someone kept, write it out for other programs.

C2SP tlog-checkpoint (what is signed) and tlog-tiles (the files): `permacite.archive.log` does the
work. One key that signed two logs of which neither begins the other is a split view: whoever holds
both checkpoints can show it to anyone.
"""

from __future__ import annotations

import base64
import json
import secrets
from dataclasses import asdict
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from permacite.archive.log.keys import Verifier
from permacite.archive.log.note import Checkpoint, Note
from permacite.archive.log.tiles import tiles_of
from permacite.errors import CaptureError, IntegrityError, NotFoundError, ParseError, StorageError
from permacite.lazy_dataclass import dataclass
from permacite.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from permacite.archive.objects.store import RemoteStore
    from permacite.archive.repository import Repository

__all__ = [
    "ArchiveLog",
    "Consistency",
    "EarlierLog",
    "LogState",
    "Refused",
    "SealedDay",
    "Shelf",
    "StampedLog",
    "WitnessedLog",
    "earlier_log_of",
    "earlier_logs",
    "keep_earlier_logs",
    "kept_note",
    "shelf_of",
]

_CHECKPOINT = "checkpoint"
_EARLIER = "earlier_logs"
"""The setting that has the checkpoints of earlier keys."""

_witnesses = Registry(
    "permacite.witnesses",
    {
        "cosigner": "permacite.service.mirroring.witness:Cosigner",
        "witnesses": "permacite.service.mirroring.witness:Witnesses",
    },
    kind=type,
)
"""Both sides of the protocol of witnesses. Each takes the repository."""


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
        logs = json.loads(repository.settings.get(_EARLIER) or "[]")
        return tuple(EarlierLog(**log) for log in logs)
    except (ValueError, TypeError) as error:
        raise StorageError(
            f"the setting {_EARLIER} is damaged: {error}",
            path=str(repository.directory),
            reason="damaged",
        ) from error


def keep_earlier_logs(repository: Repository, earlier: list[EarlierLog]) -> None:
    """Record the earlier logs."""
    repository.settings.set(_EARLIER, json.dumps([asdict(log) for log in earlier]))


def earlier_log_of(key: str, checkpoint: str, root: bytes) -> EarlierLog:
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


@dataclass(frozen=True, slots=True)
class Consistency:
    """That the log of today begins with the log of `size` entries (RFC 6962 §2.1.2)."""

    size: int
    root: str
    """The root hash that the log had then."""
    proof: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LogState:
    """The log of an archive as it is now."""

    log: str
    """Its name."""
    size: int
    root: str
    checkpoint: str
    """The signed note: keep it, and any later log can be held to it."""
    key: str
    """The public key that checks it."""
    keys: tuple[str, ...]
    """The same, and the ML-DSA-44 key that signs too, where it does."""
    since: Consistency | None = None
    """How it grew from an earlier size, where that was asked."""
    earlier: tuple[EarlierLog, ...] = ()
    """The logs it goes on from, where the archive was restored from a copy without its key."""


@dataclass(frozen=True, slots=True)
class SealedDay:
    """A day that has passed: nothing more is minted in it."""

    name: str
    """Series and date, as names begin: urn:pdi://series/yyyy/mm/dd."""
    documents: int
    highest: int | None
    """The highest serial number of the day."""
    sealed_at: datetime


@dataclass(frozen=True, slots=True)
class StampedLog:
    """A time-stamp on the log, of another authority (RFC 3161)."""

    size: int
    """Entries of the log that was stamped."""
    authority: str
    stamped_at: datetime
    checked: bool
    """Whether its signature was checked, with a certificate that was given."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A witness that did not cosign."""

    address: str
    problem: str


@dataclass(frozen=True, slots=True)
class WitnessedLog:
    """The log as it is, and which witnesses cosigned it now."""

    size: int
    checkpoint: str
    """With all that witnesses have cosigned of it."""
    cosigned: tuple[str, ...]
    """The keys by which it was cosigned now."""
    refused: tuple[Refused, ...]


class ArchiveLog:
    """The log of an archive: its state, seals, time-stamps and tiles."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def state(self, *, since: int | None = None) -> LogState:
        """The log as it is, signed; with the proof that it grew from `since` entries.

        Raises NotFoundError where the log never had that many entries.
        """
        log = self._repository.log
        note = log.checkpoints.published()
        now = Checkpoint.parse(Note.parse(note).text)
        return LogState(
            log=now.origin,
            size=now.size,
            root=_text(now.root),
            checkpoint=note,
            key=str(log.keys.verifier),
            keys=tuple(map(str, log.keys.verifiers)),
            since=None if since is None else _consistency(self._repository, since, now.size),
            earlier=earlier_logs(self._repository),
        )

    def held_to(self, checkpoint: str) -> LogState:
        """The log as it is, which extends the checkpoint in `checkpoint` that someone kept.

        That is a signed note, or what `permacite log` printed, as text or as JSON. Raises
        ParseError where there is no checkpoint in it, IntegrityError where neither this archive's
        key nor that of a log it goes on from signed it, or where one did and the log does not begin
        with what was promised (a log cut short, or a split view: two logs under one key).
        """
        parsed = Note.parse(kept_note(checkpoint))
        promised = Checkpoint.parse(parsed.text)
        _check_extends(self._repository, parsed, promised)
        return self.state(since=promised.size or None)

    def seal_days(self) -> list[SealedDay]:
        """Seal every day that has documents and has ended (UTC); those that were not yet."""
        entries = [json.loads(leaf.content) for leaf in self._repository.days.seal_all()]
        return [
            SealedDay(
                name=entry["name"],
                documents=entry["documents"],
                highest=entry.get("highest"),
                sealed_at=datetime.fromisoformat(entry["sealed_at"]),
            )
            for entry in entries
        ]

    def stamp(
        self, authority: str, *, roots: bytes | None = None, allow_private: bool = False
    ) -> StampedLog:
        """Have the log, as it is now, stamped by the authority at an address (RFC 3161); keep that.

        What leaves this machine is the SHA-256 of the signed checkpoint, and nothing of what is
        archived.

        With `roots`, certificates in PEM, the answer must be of an authority under them. Raises
        CaptureError where the authority cannot be asked, ParseError and IntegrityError where its
        answer is no time-stamp on the checkpoint, StorageError where rfc3161-client is missing.
        """
        return _stamped(self._repository, authority, roots=roots, allow_private=allow_private)

    def tile(self, path: str) -> bytes:
        """A file of the log in the layout of C2SP tlog-tiles, such as "tile/0/000"."""
        return self._repository.proofs.tile(path)

    def export_tiles(self, target: Path | str) -> LogState:
        """Write the log into `target` as tiles and a checkpoint, or bring an earlier export up.

        That is a folder, or an address "s3://BUCKET/PREFIX". A tile of hashes that is whole never
        changes, so any file server can give them out; what is withdrawn since leaves the bundles
        of entries. Raises IntegrityError where another log is there, LimitError for an entry that
        is too long for a bundle, ParseError for another address, StorageError.
        """
        shelf = shelf_of(target)
        try:
            kept = shelf.read(_CHECKPOINT)
            if kept is not None:
                self.held_to(kept.decode("utf-8", "replace"))
            state = self.state()
            seen = self._repository.public()
            # Whether an entry is given out may change, in bundles of earlier exports too.
            bundles = {tile.path for tile in tiles_of(state.size) if tile.level is None}
            for path in sorted(bundles.union(shelf.below("tile/entries"))):
                shelf.write(path, seen.proofs.tile(path), replace=True)
            for tile in tiles_of(state.size):
                if tile.level is not None:
                    shelf.write(tile.path, seen.proofs.tile(tile.path))
            shelf.write(_CHECKPOINT, state.checkpoint.encode(), replace=True)
        except OSError as error:
            raise StorageError(
                f"cannot write the tiles: {error.strerror}", path=str(target), reason="io"
            ) from error
        return state

    def moments(self) -> AbstractContextManager[Callable[[], int | None]]:
        """What gives, to one thread, a number that changes with each write of any process.

        Whatever an archive answered holds as long as the number is the same, for the same public
        or operator, but for what depends on the time.
        """
        return self._repository.moments()

    def ask_witnesses(
        self, asked: Iterable[tuple[str, str]], *, allow_private: bool = False
    ) -> WitnessedLog:
        """Have the log cosigned by the witnesses at addresses, each with a public key of it.

        An address may come with several keys: all sign then. What was cosigned is kept, given out
        as the checkpoint of the log, and goes into proofs of all that the log held by then. Raises
        ParseError for a key that does not cosign, StorageError.
        """
        witnesses = _witnesses.load("witnesses")(self._repository)
        outcome: WitnessedLog = witnesses.ask(asked, allow_private=allow_private)
        return outcome

    @cached_property
    def cosigner(self) -> Any:
        """This archive as a witness of other logs: a `Cosigner`, where it is a mirror."""
        return _witnesses.load("cosigner")(self._repository)


def _consistency(repository: Repository, old: int, new: int) -> Consistency:
    if not 0 < old <= new:
        raise NotFoundError(f"the log has {new} entries; it grew from 1 to that", str(old))
    hashes = repository.log.consistency(old, new)
    return Consistency(old, _text(repository.log.root(old)), tuple(map(_text, hashes)))


def kept_note(text: str) -> str:
    """The signed note in what someone kept: a note, or the answer of `permacite log`.

    Raises ParseError for JSON without a checkpoint.
    """
    if text.lstrip().startswith("{"):
        try:
            return str(json.loads(text)["checkpoint"])
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise ParseError("expected the JSON of `permacite log`", text, 0) from error
    # A checkpoint has no blank line but the one before its signatures; what stands above is told.
    return "\n\n".join(text.replace("\r\n", "\n").split("\n\n")[-2:])


def _text(hash_: bytes) -> str:
    return base64.b64encode(hash_).decode()


class Shelf(Protocol):
    """Files by their path. Raises OSError or StorageError."""

    def read(self, path: str) -> bytes | None:
        """What is in a file, None where there is none."""

    def below(self, path: str) -> Iterable[str]:
        """The paths of all files below one."""

    def write(self, path: str, content: bytes, *, replace: bool = False) -> None:
        """Write a file whole or not at all. Raises IntegrityError where other bytes are there."""


def shelf_of(target: Path | str) -> Shelf:
    """The folder `target`, or the place at an address "s3://BUCKET/PREFIX". Raises ParseError."""
    if isinstance(target, Path):
        return _TileFolder(target)
    from permacite.archive.objects.store import open_store

    return _Bucket(open_store(target))


class _TileFolder:
    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def read(self, path: str) -> bytes | None:
        """What is in a file, None where there is none."""
        file = self._directory / path
        return file.read_bytes() if file.exists() else None

    def below(self, path: str) -> Iterator[str]:
        """The paths of all files below one."""
        for file in (self._directory / path).rglob("*"):
            if file.is_file():
                yield str(file.relative_to(self._directory))

    def write(self, path: str, content: bytes, *, replace: bool = False) -> None:
        """Write a file whole or not at all. Raises IntegrityError where other bytes are there."""
        file = self._directory / path
        if not replace and _is_there(path, self.read(path), content):
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        aside = file.with_name(f"{file.name}.{secrets.token_hex(8)}.new")
        try:
            aside.write_bytes(content)
            aside.replace(file)
        finally:
            aside.unlink(missing_ok=True)


class _Bucket:
    def __init__(self, store: RemoteStore) -> None:
        self._store = store

    def read(self, path: str) -> bytes | None:
        """What is in an object, None where there is none."""
        return self._store.published(path)

    def below(self, path: str) -> Iterator[str]:
        """The paths of all objects below one."""
        return self._store.keys(path)

    def write(self, path: str, content: bytes, *, replace: bool = False) -> None:
        """Write an object and read it back. Raises IntegrityError where other bytes are there."""
        if replace or not _is_there(path, self.read(path), content):
            self._store.publish(path, content)


def _is_there(path: str, there: bytes | None, content: bytes) -> bool:
    """Whether this content is there already. Raises IntegrityError where another is."""
    if there not in {None, content}:
        raise IntegrityError(
            f"{path} is there, and is no tile of this log",
            expected="the same bytes",
            actual="others",
        )
    return there is not None


def _stamped(
    repository: Repository, authority: str, *, roots: bytes | None, allow_private: bool
) -> StampedLog:
    from permacite import capture
    from permacite.archive.log import timestamps

    log = repository.log
    note = log.checkpoints.current()
    request = timestamps.Request.about(note)
    sent = capture.Sent(request.content, timestamps.MEDIA_TYPES[0])
    answer = capture.fetch(
        authority,
        capture.FetchOptions(
            limits=capture.FetchLimits(total_s=30, part_bytes=1_000_000),
            allow_private=allow_private,
        ),
        sent=sent,
    )
    if answer.media_type != timestamps.MEDIA_TYPES[1]:
        raise CaptureError(
            f"expected {timestamps.MEDIA_TYPES[1]}, the server answers {answer.content_type}",
            uri=authority,
            reason="type",
        )
    fault = "" if roots is None else timestamps.fault_of(answer.content, note, roots)
    if fault:
        raise IntegrityError(fault, expected="an authority under the certificate", actual="another")
    kept = log.checkpoints.keep_timestamp(note, authority, answer.content, nonce=request.nonce)
    return StampedLog(
        size=int(note.split("\n")[1]),
        authority=authority,
        stamped_at=kept.stamped_at,
        checked=roots is not None,
    )


def _check_extends(repository: Repository, parsed: Note, promised: Checkpoint) -> None:
    """Raise IntegrityError where the log does not extend a checkpoint."""
    verifier = repository.log.keys.verifier
    earlier = [log for log in earlier_logs(repository) if Verifier.parse(log.key).verifies(parsed)]
    if earlier and promised.size > earlier[-1].size:
        raise IntegrityError(
            f"the checkpoint is of {promised.size} entries, and this archive was restored from"
            f" a copy of {earlier[-1].size}: what its first key signed later is not here",
            expected=_text(promised.root),
            actual="nothing",
        )
    if not earlier and not verifier.verifies(parsed):
        raise IntegrityError(
            "the checkpoint is not signed by this archive's key",
            expected=str(verifier),
            actual=", ".join(log.name for log in parsed.signatures),
        )
    size = repository.log.size()
    if promised.size > size:
        raise IntegrityError(
            f"the log has {size} entries, and its key signed {promised.size}: it was cut short,"
            " or this is a split view: another log under the same key",
            expected=_text(promised.root),
            actual="nothing",
        )
    actual = repository.log.root(promised.size)
    if actual != promised.root:
        raise IntegrityError(
            f"split view: one key signed two different logs of {promised.size} entries",
            expected=_text(promised.root),
            actual=_text(actual),
        )
