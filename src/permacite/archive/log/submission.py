"""Submission to a witness: a checkpoint, and a proof that the log only grew since the last one.

C2SP tlog-witness (c2sp.org, v1.0.0):
  add-checkpoint, the request's body -> `Submission.parse`, `Submission.body`

Deviations: none.
Readings: a size has at most 18 digits, as in the checkpoints that are read here.
"""

from __future__ import annotations

import base64
from typing import Self

from permacite.archive.log.note import HASH_BYTES, SIZE, Checkpoint, Note, decoded, signed
from permacite.errors import ParseError
from permacite.lazy_dataclass import dataclass

__all__ = ["Submission"]

_SPEC = "C2SP tlog-witness, add-checkpoint"
_OLD = "old "
_MOST_HASHES = 63


@dataclass(frozen=True, slots=True)
class Submission:
    """One request to a witness."""

    old: int
    """How many entries the log had in the last checkpoint that the witness cosigned."""
    proof: tuple[bytes, ...]
    """That the log of now begins with them."""
    note: Note

    @classmethod
    def parse(cls, source: str) -> Self:
        """Read the body of a request. Raises ParseError."""
        head, blank, note = source.partition("\n\n")
        if not blank:
            raise ParseError("expected an empty line and a checkpoint", source, len(source), _SPEC)
        first, *lines = head.split("\n", _MOST_HASHES + 1)
        size = first.removeprefix(_OLD)
        if not first.startswith(_OLD) or not SIZE.fullmatch(size):
            raise ParseError("expected 'old' and the size of a log", source, 0, _SPEC)
        proof: list[bytes] = []
        offset = len(first) + 1
        for line in lines:
            sibling = decoded(line)
            if sibling is None or len(sibling) != HASH_BYTES or len(proof) == _MOST_HASHES:
                problem = f"expected a hash in base64, and at most {_MOST_HASHES} of them"
                raise ParseError(problem, source, offset, _SPEC)
            proof.append(sibling)
            offset += len(line) + 1
        try:
            parsed = Note.parse(note)
            Checkpoint.parse(parsed.text)
        except ParseError as error:
            raise error.within(source, len(head) + len(blank)) from error
        return cls(int(size), tuple(proof), parsed)

    @property
    def checkpoint(self) -> Checkpoint:
        """The tree that is submitted."""
        return Checkpoint.parse(self.note.text)

    @property
    def body(self) -> str:
        """The body of the request."""
        proof = (base64.b64encode(sibling).decode() for sibling in self.proof)
        note = signed(self.note.text, self.note.signatures)
        return "\n".join((f"{_OLD}{self.old}", *proof, "", note))
