"""What a mirror cosigned as a witness: kept before anybody is told, and only ever added to.

The longest checkpoint that the origin has shown stands for what was cosigned last, whether it was
submitted or fetched: so that a mirror follows, and is a witness of, one log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.log.note import Checkpoint, Note, signed
from permacite.archive.merkle import EMPTY, is_consistent
from permacite.archive.records import settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permacite.archive.log.note import Signature
    from permacite.archive.log.submission import Submission
    from permacite.archive.records.rows import Transaction
    from permacite.archive.records.session import Session

__all__ = ["SEEN", "WITNESSED", "cosign", "read"]

SEEN = "mirror seen"
"""The setting that holds the longest checkpoint that the origin has shown."""

WITNESSED = "witness cosigned"
"""The setting that holds the last checkpoint that was cosigned for whoever submitted it."""


def _seen(session: Session) -> Checkpoint:
    """The longest checkpoint of the origin that is known; that of the empty tree before any is."""
    note = settings.setting(session, SEEN)
    return Checkpoint("", 0, EMPTY) if note is None else read(note)


def read(note: str) -> Checkpoint:
    """The checkpoint in a note. Raises ParseError."""
    return Checkpoint.parse(Note.parse(note).text)


def cosign(
    transaction: Transaction,
    submitted: Submission,
    log: Sequence[Signature],
    own: Sequence[Signature],
) -> Checkpoint | None:
    """Keep a checkpoint, with the signatures of its log and our `own`, if it goes on from the last.

    The last one otherwise. Nobody else cosigns between the look and the note.
    """
    last, shown = _seen(transaction.connection), submitted.checkpoint
    proof = submitted.proof
    if submitted.old != last.size or not is_consistent(
        last.size, last.root, shown.size, shown.root, proof=proof
    ):
        return last
    text = submitted.note.text
    settings.set_setting(transaction, SEEN, signed(text, log))
    settings.set_setting(transaction, WITNESSED, signed(text, [*log, *own]))
    return None
