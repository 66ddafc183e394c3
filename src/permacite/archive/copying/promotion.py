"""A copy that takes the place of its archive: from then on it mints and signs."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from permacite.archive.copying.copy import BUSY_S
from permacite.archive.entries import seal
from permacite.archive.log.keys import load_or_make
from permacite.archive.log.note import Note
from permacite.archive.model import utc_now
from permacite.archive.records import leaves, settings
from permacite.errors import ConflictError, IntegrityError, StorageError

if TYPE_CHECKING:
    from permacite.archive.engine.place import Place
    from permacite.archive.log.keys import Verifier

__all__ = ["promote"]


def promote(place: Place) -> Verifier:
    """Let the copy at a place, which only read, mint and sign from now on; its public key.

    Whoever has it open opens it again to write. Raises ConflictError where it is no such copy,
    StorageError where the key of the log is not there, IntegrityError where it is another log's.
    """
    opened = place.catalog(clock=utc_now, sealer=seal, busy_timeout_s=BUSY_S)
    with contextlib.closing(opened) as catalog:
        catalog.read(settings.check_finished)
        origin = catalog.read(settings.setting, settings.ORIGIN)
        if origin is not None:
            problem = f"{place.where} is a mirror of {origin}, and never takes its place"
            raise ConflictError(problem, place.where, hint="a copy can: `permacite copy`")
        known = catalog.read(settings.setting, settings.COPY_KEYS)
        if known is None:
            problem = f"{place.where} is no copy that reads: it may write"
            raise ConflictError(problem, place.where)
        verifier = _key_at(place)
        if known and str(verifier) not in known.split():
            raise IntegrityError(
                f"the key in {place.log_key} is that of another log",
                expected=known.split()[0],
                actual=str(verifier),
            )
        _, note = catalog.read(leaves.head)
        if note is not None and not verifier.verifies(Note.parse(note)):
            raise IntegrityError(
                f"the key in {place.log_key} did not sign the last checkpoint of this log",
                expected=Note.parse(note).signatures[0].name,
                actual=str(verifier),
            )
        catalog.write(settings.let_write)
        return verifier


def _key_at(place: Place) -> Verifier:
    """The public half of the key of the log at a place. Raises StorageError where it is missing."""
    if place.log_key is None or not place.log_key.exists():
        raise StorageError(
            "the key of the log is not here",
            path=str(place.log_key or place.where),
            reason="missing",
            hint="`permacite copy --with-key` brings it; or put its file there, or name it in the"
            " location: log-key=/FILE",
        )
    return load_or_make(place.log_key, "").verifier
