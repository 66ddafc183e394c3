"""Witnesses, cosignatures and forks: a mirror cosigns the checkpoints of its origin.

As a witness (C2SP tlog-witness) it cosigns a submitted checkpoint if the log only grew:

| submitted checkpoint | outcome |
|---|---|
| of another log | unknown |
| without a good signature by the log's key | unsigned |
| shorter than the one that it extends | backwards |
| extends another size than the last cosigned one | stale, with that size |
| does not extend that one, or is of a forked log | inconsistent; a fork is kept |
| any other | cosigned, and kept before the answer |

Another key signs that the mirror has all entries up to a root (`cosigned`, C2SP tlog-cosignature).

`Witnesses` is the side of the log: a witness says which of our checkpoints it cosigned last, and is
shown that the log only grew since.

A fork is kept as evidence of two checkpoints. The records say whether it counts, to all machines
that follow or are a witness. Each machine has the texts as files too, so that people can pass them
on. A file that the records do not know counts as well: earlier versions kept only files.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
import time
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Literal

from permacite.archive.log.keys import KeyType, Signer, Verifier, split
from permacite.archive.log.note import SIZE, Checkpoint, Note, signed
from permacite.archive.log.submission import Submission
from permacite.archive.model.answered import Finding
from permacite.archive.objects.durable import flush_folder, make_folders, write_file
from permacite.archive.transport.mirror import Mirror
from permacite.errors import CaptureError, ConflictError, IntegrityError, ParseError, StorageError
from permacite.lazy_dataclass import dataclass
from permacite.service.proofs.logs import Refused, WitnessedLog

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from permacite.archive.log.log import Log
    from permacite.archive.log.note import Signature
    from permacite.archive.repository import Repository

__all__ = [
    "Cosigner",
    "Outcome",
    "Witnessed",
    "Witnesses",
    "check_no_fork",
    "cosigned",
    "findings",
    "keep_fork",
    "pass_forks",
]

Outcome = Literal["cosigned", "unknown", "unsigned", "backwards", "stale", "inconsistent"]

_TRIES = 3
"""How often a witness is asked: others may have submitted a checkpoint meanwhile."""
_STALE = 409
_ANSWER_BYTES = 100_000
_NAME_ENDS = "/witness"
_SEED_BYTES = 32
_HOW_TO_CONTINUE = "`permacite mirror --past-fork` goes on, and leaves the evidence where it is"
_FOLDER = "forks"
_LATEST = timedelta(hours=24)
"""How long after a withdrawal or erasure there it may be undone here."""
_TEXT = """\
One key signed two logs of which neither begins with the other (a split view). Whoever knows the
key can check both signatures. The first is what this mirror holds, the second what was shown later.

{kept}
{shown}"""


@dataclass(frozen=True, slots=True)
class Witnessed:
    """The outcome of a submitted checkpoint."""

    outcome: Outcome
    said: str
    """Signature lines if cosigned, the size if stale; otherwise the reason."""


class Cosigner:
    """Cosign checkpoints of other logs, as a witness (C2SP tlog-witness)."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._mirror = Mirror(repository.parts)

    def keys(self, path: Path) -> list[str]:
        """The public keys of the witness whose key is in the file `path`, which is made if needed.

        Raises ConflictError where this is no mirror, StorageError.
        """
        return [str(signer.verifier) for signer in self._witnesses(path)]

    def add_checkpoint(self, source: str, path: Path) -> Witnessed:
        """Cosign a checkpoint that is submitted, by the key in `path`, or say why not.

        Raises ParseError where the request is malformed, ConflictError, StorageError.
        """
        submitted = Submission.parse(source)
        shown, keys = submitted.checkpoint, self._repository.log.keys.verifiers
        if shown.origin != keys[0].name:
            return Witnessed("unknown", f"this is a witness of {keys[0].name} alone")
        signing = [key for key in keys if key.signatures(submitted.note)]
        if not signing or not all(key.verifies(submitted.note) for key in signing):
            return Witnessed("unsigned", f"expected a signature by {keys[0]}")
        if submitted.old > shown.size:
            return Witnessed("backwards", f"a log of {shown.size} has no older {submitted.old}")
        trusted = {(key.name, key.key_id) for key in signing}
        lines = [line for line in submitted.note.signatures if (line.name, line.key_id) in trusted]
        return self._cosigned(submitted, lines, path)

    def find(self, origin: str) -> str | None:
        """The last checkpoint that was cosigned, of the log whose name has the SHA-256 `origin`."""
        name = self._repository.log.keys.verifiers[0].name
        known = hashlib.sha256(name.encode()).hexdigest()
        return self._mirror.witnessed() if origin == known else None

    def _cosigned(self, submitted: Submission, log: list[Signature], path: Path) -> Witnessed:
        """Cosign what the log's key did sign, if it goes on from what was cosigned last."""
        text, now = submitted.note.text, int(time.time())
        try:
            self._check_fork(submitted, log)
            own = [signer.signature(text, time=now) for signer in self._witnesses(path, text)]
            last = self._mirror.cosign(submitted, log, own)
        except IntegrityError as error:
            return Witnessed("inconsistent", error.problem)
        if last is None:
            return Witnessed("cosigned", signed("", own).lstrip("\n"))
        if last.size != submitted.old:
            return Witnessed("stale", str(last.size))
        return Witnessed("inconsistent", f"no proof that this goes on from the {last.size} entries")

    def _check_fork(self, submitted: Submission, log: list[Signature]) -> None:
        """Raise IntegrityError where the log is forked; what shows that is kept, once."""
        check_no_fork(self._repository)
        shown, kept = submitted.checkpoint, self._mirror.seen()
        if kept is not None and self._is_other(shown, Checkpoint.parse(Note.parse(kept).text)):
            raise keep_fork(self._repository, kept, signed(submitted.note.text, log))

    def _is_other(self, shown: Checkpoint, seen: Checkpoint) -> bool:
        """Whether a checkpoint has another root than the log here, or what was seen last."""
        log = self._repository.log
        if shown.size == seen.size:
            return shown.root != seen.root
        return shown.size <= log.size() and shown.root != log.root(shown.size)

    def _witnesses(self, path: Path, text: str | None = None) -> list[Signer]:
        """The keys that cosign: Ed25519, and ML-DSA-44 if it is here, and signs such a text."""
        if self._mirror.origin is None:
            raise ConflictError(
                "a witness is a mirror of the log that it cosigns, and this is none",
                self._repository.where,
                hint="permacite mirror makes one",
            )
        name = self._repository.log.keys.verifiers[0].name
        first = _cosigner_in(path, f"{name}{_NAME_ENDS}")
        is_longer = text is not None and Checkpoint.parse(text).body != text
        beside = None if is_longer else first.ml_dsa()
        return [first] if beside is None else [first, beside]


def cosigned(mirror: Mirror, note: str, path: Path) -> str:
    """Keep the checkpoint in `note` with a signature by the key in `path`; its public key.

    Raises StorageError where the file cannot be read, or holds no key that cosigns.
    """
    parsed = Note.parse(note)
    signer = _cosigner_in(path, f"{Checkpoint.parse(parsed.text).origin}/mirror")
    line = signer.signature(parsed.text, time=int(time.time()))
    mirror.keep_cosigned(signed(parsed.text, [*parsed.signatures, line]))
    return str(signer.verifier)


def _cosigner_in(path: Path, name: str) -> Signer:
    """The key in a file, which is made for `name` where there is none. Raises StorageError."""
    try:
        if not path.exists():
            made = Signer(name, secrets.token_bytes(_SEED_BYTES), KeyType.COSIGNATURE)
            write_file(path, f"{made.text}\n".encode(), mode=0o600)
            flush_folder(path.parent)
        signer = Signer.parse(path.read_text(encoding="utf-8"))
    except (OSError, ParseError, UnicodeDecodeError) as error:
        problem = f"the key cannot be read: {path}"
        raise StorageError(problem, path=str(path), reason="io") from error
    if signer.key_type is KeyType.ED25519:
        raise StorageError(
            f"{path} holds a key that signs logs, and not one that cosigns",
            path=str(path),
            reason="io",
            hint="name a file that is not there: the key is made",
        )
    return signer


class Witnesses:
    """What other machines say of the log: that they saw it only grow."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def ask(self, asked: Iterable[tuple[str, str]], *, allow_private: bool = False) -> WitnessedLog:
        """Ask the witnesses at addresses: see `ArchiveLog.ask_witnesses`."""
        told = [(address.rstrip("/"), _cosigning(key)) for address, key in asked]
        log = self._repository.log
        note = log.checkpoints.current()
        lines: list[Signature] = []
        cosigned: list[Verifier] = []
        refused = []
        for address, pairs in groupby(sorted(told, key=itemgetter(0)), key=itemgetter(0)):
            keys = [key for _, key in pairs]
            try:
                lines += _asked(log, note, address, keys, allow_private=allow_private)
            except (CaptureError, IntegrityError) as error:
                refused.append(Refused(address, str(error)))
            else:
                cosigned += keys
        size = Checkpoint.parse(Note.parse(note).text).size
        kept = log.checkpoints.keep_witnessed(note, lines) if lines else log.checkpoints.published()
        return WitnessedLog(size, kept, tuple(map(str, cosigned)), tuple(refused))


def _cosigning(text: str) -> Verifier:
    """A key of a witness. Raises ParseError."""
    key = Verifier.parse(text)
    if key.key_type is KeyType.ED25519:
        problem = "expected a key that cosigns (of type 4 or 6), not one that signs logs"
        raise ParseError(problem, text, 0, "C2SP tlog-cosignature")
    return key


def _asked(
    log: Log, note: str, address: str, keys: Sequence[Verifier], *, allow_private: bool
) -> list[Signature]:
    """What one witness answers for these keys. Raises CaptureError, IntegrityError."""
    from permacite import capture

    parsed = Note.parse(note)
    size, old = Checkpoint.parse(parsed.text).size, 0
    for _ in range(_TRIES):
        proof = tuple(log.consistency(old, size)) if old else ()
        content = Submission(old, proof, parsed).body.encode()
        answer = capture.fetch(
            f"{address}/add-checkpoint",
            capture.FetchOptions(
                limits=capture.FetchLimits(total_s=30, part_bytes=_ANSWER_BYTES),
                allow_private=allow_private,
            ),
            sent=capture.Sent(content, "text/plain; charset=utf-8", frozenset({_STALE})),
        )
        if answer.status != _STALE:
            return _checked(note, answer.content, keys, address)
        old = _size_in(answer.content, size, address)
    raise CaptureError(
        f"{address} was busy with other checkpoints of this log", uri=address, reason="status"
    )


def _size_in(content: bytes, most: int, address: str) -> int:
    """The size that a witness cosigned last. Raises IntegrityError where it cannot have."""
    text = content[:_ANSWER_BYTES].decode("ascii", "replace").removesuffix("\n")
    if SIZE.fullmatch(text) and int(text) <= most:
        return int(text)
    raise IntegrityError(
        f"{address} has cosigned this log with more entries, or says no size",
        expected=f"at most {most} entries",
        actual=text[:60],
        hint="a log that is shorter than it was seems cut short: was it restored from a backup?",
    )


def _checked(note: str, content: bytes, keys: Sequence[Verifier], address: str) -> list[Signature]:
    """The cosignatures by these keys, in what a witness answers. Raises IntegrityError."""
    try:
        answered = Note.parse(note[: note.rfind("\n\n") + 2] + content.decode())
    except (ParseError, UnicodeDecodeError) as error:
        raise IntegrityError(
            f"{address} answers no signatures", expected="signatures", actual=str(error)
        ) from error
    lines = []
    for key in keys:
        own = key.signatures(answered)
        if not key.verifies(answered) or not all(split(key.key_type, line)[0] for line in own):
            raise IntegrityError(
                f"{address} did not cosign with the key that was named",
                expected=key.label,
                actual=", ".join(line.name for line in answered.signatures),
            )
        lines += [line for line in answered.signatures if line.key_id == key.key_id]
    return lines


def _counting(repository: Repository) -> list[Path]:
    """Return the files of the forks that count; missing files are written."""
    mirror = Mirror(repository.parts)
    names, texts = mirror.counting_forks(), mirror.forks()
    paths = [_beside(repository, name, texts[name]) for name in names]
    return paths + [_path(repository, name) for name in _in_files_alone(repository)]


def check_no_fork(repository: Repository) -> None:
    """Raise IntegrityError where a fork counts: nothing is taken from such a log."""
    _note_files(repository)
    for path in _counting(repository):
        raise IntegrityError(
            "the log was found forked, and nothing is taken from it",
            expected="one log",
            actual="two",
            hint=f"both checkpoints are in {path}: ask who keeps the archive; {_HOW_TO_CONTINUE}",
        )


def keep_fork(repository: Repository, first: str, second: str) -> IntegrityError:
    """Keep two checkpoints that do not agree, and return the error that names them."""
    ours, theirs = (Checkpoint.parse(Note.parse(note).text) for note in (first, second))
    name = f"fork-{ours.size}-{theirs.size}-{theirs.root.hex()[:12]}.txt"
    text = _TEXT.format(kept=first, shown=second)
    Mirror(repository.parts).keep_forks({name: text})
    path = _beside(repository, name, text)
    return IntegrityError(
        f"the log is forked: its key signed {ours.size} entries, and {theirs.size} that do not"
        " begin with them, or these with those",
        expected=f"sha-256:{ours.root.hex()}",
        actual=f"sha-256:{theirs.root.hex()}",
        hint=f"both checkpoints are in {path}; nothing was taken",
    )


def pass_forks(repository: Repository) -> list[Path]:
    """Let forks not count any more; their files, which stay, are returned."""
    _note_files(repository)
    paths = _counting(repository)
    if paths:
        Mirror(repository.parts).pass_forks(path.name for path in paths)
    return paths


def _path(repository: Repository, name: str) -> Path:
    return repository.directory / _FOLDER / name


def _note_files(repository: Repository) -> None:
    """Record the evidence that only files have."""
    if texts := _in_files_alone(repository):
        Mirror(repository.parts).keep_forks(texts)


def _in_files_alone(repository: Repository) -> dict[str, str]:
    """Return the evidence that the records do not have, by file name."""
    files = sorted((repository.directory / _FOLDER).glob("fork-*.txt"))
    known = Mirror(repository.parts).forks() if files else {}
    return {
        path.name: path.read_text("utf-8", "replace") for path in files if path.name not in known
    }


def _beside(repository: Repository, name: str, text: str) -> Path:
    """Return the file of some evidence; it is written if it is missing and that is possible."""
    path = _path(repository, name)
    if not path.exists() and path.name == name:
        with contextlib.suppress(OSError):  # the records have it
            make_folders(path.parent)
            write_file(path, text.encode(), mode=0o600)
            flush_folder(path.parent)
    return path


def findings(repository: Repository) -> Iterator[Finding]:
    """Yield what is overdue or wrong in a mirror; nothing for any other archive."""
    mirror = Mirror(repository.parts)
    origin = mirror.origin
    if origin is None:
        return
    for path in _counting(repository):
        detail = f"one key signed two logs: {path} has both checkpoints; {_HOW_TO_CONTINUE}"
        yield Finding("log", "fork", detail)
    now = datetime.now(UTC)
    followed = mirror.followed()
    if followed is None or now - datetime.fromisoformat(followed) > _LATEST:
        seen = mirror.seen()
        size = 0 if seen is None else Checkpoint.parse(Note.parse(seen).text).size
        behind = max(0, size - repository.log.size())
        since = "it was begun" if followed is None else f"{followed[:16]}Z"
        more = f"; {behind} entries are known to be there" if behind else ""
        detail = f"what was withdrawn, closed or erased since {since} may stand here open{more}"
        yield Finding(origin, "late", detail)
    for pdi, erased_at in mirror.unfinished():
        if now - erased_at > _LATEST:
            detail = f"erased there on {erased_at:%Y-%m-%d}, and not destroyed here so far"
            yield Finding(str(pdi), "late", detail)
