"""Witness and cosignatures: a mirror cosigns the checkpoints of its origin.

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
"""

from __future__ import annotations

import hashlib
import secrets
import time
from typing import TYPE_CHECKING, Literal

from permacite.archive.transport.mirror import Mirror
from permacite.errors import ConflictError, IntegrityError, ParseError, StorageError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from permacite.archive.log.keys import Signer
    from permacite.archive.log.note import Checkpoint, Signature
    from permacite.archive.log.submission import Submission
    from permacite.archive.repository import Repository

__all__ = ["Cosigner", "Outcome", "Witnessed", "cosigned"]

Outcome = Literal["cosigned", "unknown", "unsigned", "backwards", "stale", "inconsistent"]

_NAME_ENDS = "/witness"
_SEED_BYTES = 32


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
        from permacite.archive.log.submission import Submission

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
        from permacite.archive.log.note import signed

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
        from permacite.archive.log.note import Checkpoint, Note, signed
        from permacite.service.mirroring import forks

        forks.check_none(self._repository)
        shown, kept = submitted.checkpoint, self._mirror.seen()
        if kept is not None and self._is_other(shown, Checkpoint.parse(Note.parse(kept).text)):
            raise forks.kept(self._repository, kept, signed(submitted.note.text, log))

    def _is_other(self, shown: Checkpoint, seen: Checkpoint) -> bool:
        """Whether a checkpoint has another root than the log here, or what was seen last."""
        log = self._repository.log
        if shown.size == seen.size:
            return shown.root != seen.root
        return shown.size <= log.size() and shown.root != log.root(shown.size)

    def _witnesses(self, path: Path, text: str | None = None) -> list[Signer]:
        """The keys that cosign: Ed25519, and ML-DSA-44 if it is here, and signs such a text."""
        from permacite.archive.log.note import Checkpoint

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
    from permacite.archive.log.note import Checkpoint, Note, signed

    parsed = Note.parse(note)
    signer = _cosigner_in(path, f"{Checkpoint.parse(parsed.text).origin}/mirror")
    line = signer.signature(parsed.text, time=int(time.time()))
    mirror.keep_cosigned(signed(parsed.text, [*parsed.signatures, line]))
    return str(signer.verifier)


def _cosigner_in(path: Path, name: str) -> Signer:
    """The key in a file, which is made for `name` where there is none. Raises StorageError."""
    from permacite.archive.log.cosignature import KeyType
    from permacite.archive.log.keys import Signer
    from permacite.archive.objects.durable import flush_folder, write_file

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
