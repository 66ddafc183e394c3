"""What a mirror knows of its origin, and how it takes over what came from there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from permacite.archive.mirroring import entering, witness
from permacite.archive.records import access, leaves, octets, settings
from permacite.archive.records.days import ON_REQUEST
from permacite.archive.records.rows import timestamp
from permacite.errors import ConflictError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from permacite.archive.engine import Catalog
    from permacite.archive.log.keys import Verifier
    from permacite.archive.log.note import Checkpoint, Signature
    from permacite.archive.log.submission import Submission
    from permacite.archive.mirroring.entering import Arrived
    from permacite.archive.model import Standing
    from permacite.archive.records.rows import Transaction
    from permacite.archive.records.session import Session
    from permacite.pdi import PDI

__all__ = ["Mirror", "begin"]

_WAITING = "mirror waiting"
"""The entries that were closed when they came: a JSON array of their places."""
_STANDINGS = "mirror standings"
"""The place of the last standing that was told."""
_LOST = "mirror lost"
"""The digests of octets that the origin named and did not give: a JSON array."""
_FOLLOWED = "mirror followed"
"""When all that the origin told was taken over last."""


class Mirror:
    """One archive as the mirror of another. Only one process should take over at a time."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    @property
    def origin(self) -> str | None:
        """The address of the archive that this is a mirror of; None for any other archive."""
        return self._catalog.read(settings.setting, settings.ORIGIN)

    def note_seen(self, note: str, before: str | None) -> None:
        """Note the longest checkpoint that the origin has shown, before anything of it is taken.

        Raises ConflictError where `before` is not the last any more, to which this one was held.
        """
        if note != before:
            self._catalog.write(_note_seen, note, before)

    def seen(self) -> str | None:
        """The longest checkpoint that the origin has shown; its entries may not all be here."""
        return self._catalog.read(settings.setting, witness.SEEN)

    def cosign(
        self, submitted: Submission, log: Sequence[Signature], own: Sequence[Signature]
    ) -> Checkpoint | None:
        """Keep a checkpoint that was submitted, as `witness.cosign` does."""
        return self._catalog.write(witness.cosign, submitted, log, own)

    def witnessed(self) -> str | None:
        """The last checkpoint that was cosigned for whoever submitted it."""
        return self._catalog.read(settings.setting, witness.WITNESSED)

    def enter(self, start: int, arrived: Sequence[Arrived]) -> None:
        """Enter entries from the place `start` on, all or none.

        Raises IntegrityError; ConflictError where others were entered there meanwhile.
        """
        self._catalog.write(_enter, start, arrived)

    def waiting(self) -> list[int]:
        """The entries that were closed when they came."""
        return self._list(_WAITING)

    def fill(self, arrived: Mapping[int, Arrived]) -> int:
        """Fill in entries that waited, all or none; how many were. Raises IntegrityError."""
        return self._catalog.write(_fill, arrived)

    def standing_place(self) -> int:
        """The place of the last standing that was told; 0 where none was."""
        return int(self._catalog.read(settings.setting, _STANDINGS) or 0)

    def set_standings(self, told: Sequence[tuple[PDI, Standing]], place: int) -> None:
        """Write who may see documents, as was told up to a place."""
        self._catalog.write(_set_standings, told, place)

    def default_ground(self) -> str:
        """The ground on which this mirror keeps documents."""
        return self._catalog.read(access.default_standing).ground

    def keep_checkpoint(self, size: int, note: str) -> None:
        """Keep a checkpoint of the origin, whose entries are all here."""
        self._catalog.write(leaves.record_checkpoint, size, note)

    def keep_cosigned(self, note: str) -> None:
        """Keep the last checkpoint with a signature of this mirror."""
        self._catalog.write(settings.set_setting, settings.COSIGNED, note)

    def lost(self) -> list[str]:
        """The digests of octets that the origin named and did not give, if it names them still."""
        return [each for each in self._list(_LOST) if self._catalog.read(octets.is_named, each)]

    def note_lost(self, digests: Iterable[str]) -> None:
        """Note them, in place of those noted before."""
        kept = sorted(set(digests))
        if kept != self._list(_LOST):
            self._set(_LOST, *kept)

    def note_followed(self) -> None:
        """Note that all that the origin told is taken over now."""
        now = timestamp(self._catalog.clock())
        self._catalog.write(settings.set_setting, _FOLLOWED, now)

    def followed(self) -> str | None:
        """When that was last."""
        return self._catalog.read(settings.setting, _FOLLOWED)

    def unfinished(self) -> list[tuple[PDI, datetime]]:
        """What was erased there, and is not destroyed here: which documents, and since when."""
        erasures = self._catalog.read(access.erasures)
        return [(each.pdi, each.erased_at) for each in erasures if each.done_at is None]

    def _set(self, name: str, *values: int | str) -> None:
        self._catalog.write(settings.set_setting, name, json.dumps(values))

    def _list(self, name: str) -> list[Any]:
        return self._catalog.read(_listed, name)


def begin(transaction: Transaction, *, series: str, origin: str, keys: Sequence[Verifier]) -> None:
    """Write the first rows of a mirror of the archive at `origin`, whose log these keys sign."""
    settings.fill(transaction, series)
    settings.set_setting(transaction, settings.ORIGIN, origin)
    settings.set_setting(transaction, settings.ORIGIN_KEYS, "\n".join(map(str, keys)))
    settings.set_setting(transaction, "sealing", ON_REQUEST)  # days are sealed by their entries


def _listed(connection: Session, name: str) -> list[Any]:
    """The JSON array in a setting; an empty one where there is none. Raises StorageError."""
    text = settings.setting(connection, name)
    try:
        value = json.loads(text or "[]")
    except ValueError as error:
        problem = f"the setting {name!r} is damaged"
        raise StorageError(problem, path="catalog.sqlite", reason="damaged") from error
    return list(value)


def _note_seen(transaction: Transaction, note: str, before: str | None) -> None:
    if settings.setting(transaction.connection, witness.SEEN) != before:
        problem = "another checkpoint came meanwhile: begin again"
        raise ConflictError(problem, witness.SEEN)
    settings.set_setting(transaction, witness.SEEN, note)


def _enter(transaction: Transaction, start: int, arrived: Sequence[Arrived]) -> None:
    if leaves.size(transaction.connection) != start:
        raise ConflictError("another run of this mirror is under way", str(start))
    new = entering.enter(transaction, arrived)
    if new:
        known = _listed(transaction.connection, _WAITING)
        settings.set_setting(transaction, _WAITING, json.dumps(known + new))


def _fill(transaction: Transaction, arrived: Mapping[int, Arrived]) -> int:
    still = entering.fill(transaction, arrived)
    known = _listed(transaction.connection, _WAITING)
    left = [place for place in known if place in still or place not in arrived]
    if left != known:
        settings.set_setting(transaction, _WAITING, json.dumps(left))
    return len(known) - len(left)


def _set_standings(
    transaction: Transaction, told: Sequence[tuple[PDI, Standing]], place: int
) -> None:
    entering.set_standings(transaction, told)
    settings.set_setting(transaction, _STANDINGS, str(place))
