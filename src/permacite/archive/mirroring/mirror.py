"""What a mirror knows of its origin, and how it takes over what came from there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from permacite.archive.mirroring import entering, forks, witness
from permacite.archive.records import access, leaves, octets, settings
from permacite.archive.records.days import ON_REQUEST
from permacite.archive.records.rows import timestamp
from permacite.errors import BusyError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from permacite.archive.engine import Catalog
    from permacite.archive.engine.bringing import BroughtOctets
    from permacite.archive.log.keys import Verifier
    from permacite.archive.log.note import Checkpoint, Signature
    from permacite.archive.log.submission import Submission
    from permacite.archive.mirroring.entering import Arrived
    from permacite.archive.model import Standing
    from permacite.archive.records.rows import Transaction
    from permacite.archive.records.session import Session
    from permacite.pdi import PDI

__all__ = ["Mirror", "begin"]

P = ParamSpec("P")
T = TypeVar("T")

_WAITING = "mirror waiting"
"""The entries that were closed when they came: a JSON array of their places."""
_STANDINGS = "mirror standings"
"""The place of the last standing that was told."""
_LOST = "mirror lost"
"""The digests of octets that the origin named and did not give: a JSON array."""
_FOLLOWED = "mirror followed"
"""When all that the origin told was taken over last."""
_LATER_S = 60
"""How long a run takes that has little to take over."""


class Mirror:
    """One archive as the mirror of another.

    One process takes over at a time, on any machine: what others do meanwhile raises BusyError.
    While a fork counts, nothing is taken over or cosigned: that raises IntegrityError.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    @property
    def origin(self) -> str | None:
        """The address of the archive that this is a mirror of; None for any other archive."""
        return self._catalog.read(settings.setting, settings.ORIGIN)

    def note_seen(self, note: str, before: str | None) -> None:
        """Note the longest checkpoint that the origin has shown, before anything of it is taken.

        Raises BusyError where `before` is not the last any more, to which this one was held.
        """
        if note != before:
            self._take(_note_seen, note, before)

    def seen(self) -> str | None:
        """The longest checkpoint that the origin has shown; its entries may not all be here."""
        return self._catalog.read(settings.setting, witness.SEEN)

    def cosign(
        self, submitted: Submission, log: Sequence[Signature], own: Sequence[Signature]
    ) -> Checkpoint | None:
        """Keep a checkpoint that was submitted, as `witness.cosign` does."""
        return self._take(witness.cosign, submitted, log, own)

    def witnessed(self) -> str | None:
        """The last checkpoint that was cosigned for whoever submitted it."""
        return self._catalog.read(settings.setting, witness.WITNESSED)

    def enter(self, start: int, arrived: Sequence[Arrived], brought: BroughtOctets) -> None:
        """Enter entries from the place `start` on, all or none, whose octets were brought.

        Raises IntegrityError; BusyError where others were entered there meanwhile; StorageError
        (reason "erasing") where octets that were here were destroyed since.
        """
        self._take(_enter, start, arrived, brought)

    def waiting(self) -> list[int]:
        """The entries that were closed when they came."""
        return self._list(_WAITING)

    def fill(self, arrived: Mapping[int, Arrived], brought: BroughtOctets) -> int:
        """Fill in entries that waited, all or none; how many were. Raises as `enter`."""
        return self._take(_fill, arrived, brought)

    def stage(self, brought: BroughtOctets) -> None:
        """Keep octets that were lost, and came, as far as they are named still."""
        if brought.staged:
            self._take(_stage, brought)

    def standing_place(self) -> int:
        """The place of the last standing that was told; 0 where none was."""
        return int(self._catalog.read(settings.setting, _STANDINGS) or 0)

    def set_standings(
        self, told: Sequence[tuple[PDI, Standing]], *, after: int, place: int
    ) -> None:
        """Write who may see documents, as was told behind one place, and up to another.

        Raises BusyError where `after` is not the last place any more.
        """
        self._take(_set_standings, told, after, place)

    def default_ground(self) -> str:
        """The ground on which this mirror keeps documents."""
        return self._catalog.read(access.default_standing).ground

    def keep_checkpoint(self, size: int, note: str) -> None:
        """Keep a checkpoint of the origin, whose entries are all here."""
        self._take(leaves.record_checkpoint, size, note)

    def keep_cosigned(self, note: str) -> None:
        """Keep a checkpoint with a signature of this mirror, unless a later one is kept."""
        self._take(_keep_cosigned, note)

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

    def forks(self) -> dict[str, str]:
        """The texts that show forks, by their names; also of those that do not count."""
        return self._catalog.read(forks.kept)

    def counting_forks(self) -> list[str]:
        """The names of those that count."""
        return self._catalog.read(forks.counting)

    def keep_forks(self, texts: Mapping[str, str]) -> None:
        """Keep what shows forks: nothing is taken over any more, on any machine."""
        self._catalog.write(forks.keep, texts)

    def pass_forks(self, names: Iterable[str]) -> None:
        """Go on past forks, which do not count until they are shown again."""
        self._catalog.write(forks.mark_passed, names)

    def _take(
        self,
        change: Callable[Concatenate[Transaction, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Make a change by which something is taken over or cosigned, unless a fork counts.

        Both are one transaction: another machine may find a fork at any moment.
        """

        def changed(transaction: Transaction) -> T:
            forks.check(transaction.connection)
            return change(transaction, *args, **kwargs)

        return self._catalog.write(changed)

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
    """The JSON array in a setting; an empty one where there is none. Raises LookupError."""
    return list(settings.kept_json(connection, name) or ())


def _note_seen(transaction: Transaction, note: str, before: str | None) -> None:
    if settings.setting(transaction.connection, witness.SEEN) != before:
        raise _busy()
    settings.set_setting(transaction, witness.SEEN, note)


def _enter(
    transaction: Transaction, start: int, arrived: Sequence[Arrived], brought: BroughtOctets
) -> None:
    if leaves.size(transaction.connection) != start:
        raise _busy()
    octets.check_since(transaction.connection, brought.digests, brought.erasing_round)
    new = entering.enter(transaction, arrived)
    _stage(transaction, brought)
    if new:
        known = _listed(transaction.connection, _WAITING)
        settings.set_setting(transaction, _WAITING, json.dumps(known + new))


def _fill(transaction: Transaction, arrived: Mapping[int, Arrived], brought: BroughtOctets) -> int:
    known = _listed(transaction.connection, _WAITING)
    if not arrived.keys() <= set(known):
        raise _busy()
    octets.check_since(transaction.connection, brought.digests, brought.erasing_round)
    still = entering.fill(transaction, arrived)
    _stage(transaction, brought)
    left = [place for place in known if place in still or place not in arrived]
    if left != known:
        settings.set_setting(transaction, _WAITING, json.dumps(left))
    return len(known) - len(left)


def _stage(transaction: Transaction, brought: BroughtOctets) -> None:
    # After the entries, one of which may erase what a later one names again; and what none names,
    # as its rows wait, is fetched again with them.
    octets.stage_named(transaction.connection, brought.staged)


def _set_standings(
    transaction: Transaction, told: Sequence[tuple[PDI, Standing]], after: int, place: int
) -> None:
    # Of two who were told, the slower one would say again what no longer holds.
    if int(settings.setting(transaction.connection, _STANDINGS) or 0) != after:
        raise _busy()
    entering.set_standings(transaction, told)
    settings.set_setting(transaction, _STANDINGS, str(place))


def _keep_cosigned(transaction: Transaction, note: str) -> None:
    kept = settings.setting(transaction.connection, settings.COSIGNED)
    if kept is None or witness.read(kept).size <= witness.read(note).size:
        settings.set_setting(transaction, settings.COSIGNED, note)


def _busy() -> BusyError:
    """The error of whoever takes over while another does."""
    return BusyError(
        "another run of this mirror is under way",
        retry_after_s=_LATER_S,
        hint="what it takes over is here then: nothing is lost",
    )
