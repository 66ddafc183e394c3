"""A mirror as a witness (C2SP tlog-witness): it cosigns what its origin submits, if that only grew.

| what is submitted | outcome |
|---|---|
| a checkpoint of another log | unknown |
| one that the log's key did not sign, or signed badly | unsigned |
| one shorter than what it says it goes on from | backwards |
| one that goes on from another size than was cosigned last | stale, with that size |
| one that does not go on from it, or is of a forked log | inconsistent; a fork is kept |
| any other | cosigned, and kept before it is told |

The statement is that the log only grew, and is made by a key of its own. That a mirror has all
entries, another key says: see `cosigning`.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from permacite.errors import ConflictError, IntegrityError

if TYPE_CHECKING:
    from pathlib import Path

    from permacite.archive import Repository
    from permacite.archive.log import Checkpoint
    from permacite.archive.log.keys import Signer
    from permacite.archive.log.note import Signature
    from permacite.archive.log.submission import Submission

__all__ = ["Cosigner", "Outcome", "Witnessed"]

Outcome = Literal["cosigned", "unknown", "unsigned", "backwards", "stale", "inconsistent"]

_NAME_ENDS = "/witness"


@dataclass(frozen=True, slots=True)
class Witnessed:
    """What came of a checkpoint that was submitted."""

    outcome: Outcome
    said: str
    """The lines of signatures where it was cosigned, the size where it was stale; else why not."""


class Cosigner:
    """Cosign checkpoints of other logs, as a witness (C2SP tlog-witness)."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

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
        shown, keys = submitted.checkpoint, self._repository.log.verifiers
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
        name = self._repository.log.verifiers[0].name
        known = hashlib.sha256(name.encode()).hexdigest()
        return self._repository.mirror.witnessed() if origin == known else None

    def _cosigned(self, submitted: Submission, log: list[Signature], path: Path) -> Witnessed:
        """Cosign what the log's key did sign, if it goes on from what was cosigned last."""
        from permacite.archive.log.note import signed

        text, now = submitted.note.text, int(time.time())
        try:
            self._check_fork(submitted, log)
            own = [signer.signature(text, time=now) for signer in self._witnesses(path, text)]
            last = self._repository.mirror.cosign(submitted, log, own)
        except IntegrityError as error:
            return Witnessed("inconsistent", error.problem)
        if last is None:
            return Witnessed("cosigned", signed("", own).lstrip("\n"))
        if last.size != submitted.old:
            return Witnessed("stale", str(last.size))
        return Witnessed("inconsistent", f"no proof that this goes on from the {last.size} entries")

    def _check_fork(self, submitted: Submission, log: list[Signature]) -> None:
        """Raise IntegrityError where the log is forked; what shows that is kept, once."""
        from permacite.archive.log.note import (
            Checkpoint,
            Note,
            signed,
        )
        from permacite.service.mirroring import forks

        forks.check_none(self._repository)
        shown, kept = submitted.checkpoint, self._repository.mirror.seen()
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
        from permacite.service.mirroring.cosigning import cosigner_in

        if self._repository.mirror.origin is None:
            raise ConflictError(
                "a witness is a mirror of the log that it cosigns, and this is none",
                self._repository.where,
                hint="permacite mirror makes one",
            )
        name = self._repository.log.verifiers[0].name
        first = cosigner_in(path, f"{name}{_NAME_ENDS}")
        is_longer = text is not None and Checkpoint.parse(text).body != text
        beside = None if is_longer else first.ml_dsa()
        return [first] if beside is None else [first, beside]
