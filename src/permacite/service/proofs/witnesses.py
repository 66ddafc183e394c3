"""Ask witnesses to cosign the log as it is now (C2SP tlog-witness): the side of the log.

A witness says which of our checkpoints it cosigned last, and is shown that the log only grew since.
"""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from permacite.archive.log.cosignature import KeyType, split
from permacite.archive.log.keys import Verifier
from permacite.archive.log.note import SIZE, Checkpoint, Note
from permacite.archive.log.submission import Submission
from permacite.errors import CaptureError, IntegrityError, ParseError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from permacite.archive.log.log import Log
    from permacite.archive.log.note import Signature
    from permacite.archive.repository import Repository

__all__ = ["Refused", "WitnessedLog", "Witnesses"]

_TRIES = 3
"""How often a witness is asked: others may have submitted a checkpoint meanwhile."""
_STALE = 409
_ANSWER_BYTES = 100_000


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


class Witnesses:
    """What other machines say of the log: that they saw it only grow."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def ask(self, asked: Iterable[tuple[str, str]], *, allow_private: bool = False) -> WitnessedLog:
        """Have the log cosigned by the witnesses at addresses, each with a public key of it.

        An address may come with several keys: all sign then. What was cosigned is kept, given out
        as the checkpoint of the log, and goes into proofs of all that the log held by then. Raises
        ParseError for a key that does not cosign, StorageError.
        """
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
