"""Mirror of another archive: its settings, the entries it receives, witness and forks.

A mirror that is a witness keeps a checkpoint before it returns its signature. The longest
checkpoint that the origin has shown is also the last that was cosigned, whether it was submitted or
fetched: so a mirror follows, and is a witness of, one log.

Nothing is taken, or cosigned, while a fork counts. It counts until somebody says that the mirror
continues past it, and again once it is shown again. The evidence is never removed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from permacite.archive.log.note import Checkpoint, Note, signed
from permacite.archive.merkle import EMPTY, is_consistent
from permacite.archive.records import access, leaves, octets, settings
from permacite.archive.records.days import ON_REQUEST
from permacite.archive.records.rows import timestamp
from permacite.archive.transport import entering
from permacite.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from permacite.archive.engine.intake import ReceivedContents
    from permacite.archive.log.keys import Verifier
    from permacite.archive.log.note import Signature
    from permacite.archive.log.submission import Submission
    from permacite.archive.model.answered import Standing
    from permacite.archive.objects.files import Opens
    from permacite.archive.parts import ArchiveParts
    from permacite.archive.records.rows import Session, Transaction
    from permacite.archive.transport.stream import ReceivedEntry
    from permacite.pdi import PDI

__all__ = ["Mirror", "begin"]

P = ParamSpec("P")
T = TypeVar("T")

_STANDINGS = "mirror standings"
"""The place of the last standing that was told."""
_LOST = "mirror lost"
"""The digests of octets that the origin named and did not give: a JSON array."""
_FOLLOWED = "mirror followed"
"""When all that the origin told was taken over last."""
_SEEN = "mirror seen"
"""The setting that holds the longest checkpoint that the origin has shown."""
_WITNESSED = "witness cosigned"
"""The setting that holds the last checkpoint that was cosigned when it was submitted."""
_FORKS = "mirror forks"
"""The setting with the evidence of forks: texts with two checkpoints each, in a JSON object."""
_PASSED = "mirror forks passed"
"""The names of the forks that do not count any more, in a JSON array."""


class Mirror:
    """The records of a mirror.

    One process at a time enters, on any machine: another one gets BusyError. While a fork counts,
    nothing is entered or cosigned: that raises IntegrityError.
    """

    def __init__(self, parts: ArchiveParts) -> None:
        self._parts = parts
        self._catalog = parts.catalog

    def sink(self, contents: Opens) -> entering.EntrySink:
        """Return a sink for entries whose contents can be read from `contents`."""
        return entering.EntrySink(self._parts, contents, self._change)

    @property
    def origin(self) -> str | None:
        """The address of the archive that this is a mirror of; None for any other archive."""
        return self._catalog.read(settings.setting, settings.ORIGIN)

    def note_seen(self, note: str, before: str | None) -> None:
        """Note the longest checkpoint that the origin has shown, before its entries are fetched.

        Raises BusyError where `before`, against which it was checked, is not the last any more.
        """
        if note != before:
            self._change(_note_seen, note, before)

    def seen(self) -> str | None:
        """The longest checkpoint that the origin has shown; its entries may not all be here."""
        return self._catalog.read(settings.setting, _SEEN)

    def cosign(
        self, submitted: Submission, log: Sequence[Signature], own: Sequence[Signature]
    ) -> Checkpoint | None:
        """Keep a checkpoint that was submitted, as `_cosign` does."""
        return self._change(_cosign, submitted, log, own)

    def witnessed(self) -> str | None:
        """The last checkpoint that was submitted and cosigned."""
        return self._catalog.read(settings.setting, _WITNESSED)

    def waiting(self) -> list[int]:
        """The entries that were closed when they came."""
        return self._catalog.read(entering.waiting)

    def fill(self, entries: Mapping[int, ReceivedEntry], received: ReceivedContents) -> int:
        """Complete entries that were closed, all or none; how many. Raises as `enter`."""
        return self._change(_fill, entries, received)

    def stage(self, received: ReceivedContents) -> None:
        """Keep contents that were missing earlier, as far as they are still named."""
        if received.staged:
            self._change(_stage, received)

    def standing_place(self) -> int:
        """The place of the last standing that was received; 0 for none."""
        return int(self._catalog.read(settings.setting, _STANDINGS) or 0)

    def set_standings(
        self, standings: Sequence[tuple[PDI, Standing]], *, after: int, place: int
    ) -> None:
        """Write who may see documents, as received after one place and up to another.

        Raises BusyError where `after` is not the last place any more.
        """
        self._change(_set_standings, standings, after, place)

    def default_ground(self) -> str:
        """The ground on which this mirror keeps documents."""
        return self._catalog.read(access.default_standing).ground

    def keep_checkpoint(self, size: int, note: str) -> None:
        """Keep a checkpoint of the origin once all its entries are here."""
        self._change(leaves.record_checkpoint, size, note)

    def keep_cosigned(self, note: str) -> None:
        """Keep a checkpoint with a signature of this mirror, unless a later one is kept."""
        self._change(_keep_cosigned, note)

    def lost(self) -> list[str]:
        """The digests of contents that the origin names and did not give."""
        return [each for each in self._list(_LOST) if self._catalog.read(octets.is_named, each)]

    def note_lost(self, digests: Iterable[str]) -> None:
        """Replace the noted digests."""
        kept = sorted(set(digests))
        if kept != self._list(_LOST):
            self._catalog.write(settings.set_setting, _LOST, json.dumps(kept))

    def note_followed(self) -> None:
        """Note that everything that the origin shows is here now."""
        now = timestamp(self._catalog.clock())
        self._catalog.write(settings.set_setting, _FOLLOWED, now)

    def followed(self) -> str | None:
        """When that was last noted."""
        return self._catalog.read(settings.setting, _FOLLOWED)

    def unfinished(self) -> list[tuple[PDI, datetime]]:
        """Documents that were erased there and are not destroyed here, and since when."""
        erasures = self._catalog.read(access.erasures)
        return [(each.pdi, each.erased_at) for each in erasures if each.done_at is None]

    def forks(self) -> dict[str, str]:
        """The evidence of forks by name, also of those that do not count."""
        return self._catalog.read(_forks)

    def counting_forks(self) -> list[str]:
        """The names of the forks that count."""
        return self._catalog.read(_counting)

    def keep_forks(self, texts: Mapping[str, str]) -> None:
        """Keep evidence of forks: from now on nothing is entered, on any machine."""
        self._catalog.write(_keep_forks, texts)

    def pass_forks(self, names: Iterable[str]) -> None:
        """Continue past forks: they do not count until they are shown again."""
        self._catalog.write(_mark_passed, names)

    def _change(
        self, change: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Make a change that enters or cosigns something, unless a fork counts.

        Both are one transaction: another machine may find a fork at any moment.
        """

        def changed(transaction: Transaction) -> T:
            _check_forks(transaction.connection)
            return change(transaction, *args, **kwargs)

        return self._catalog.write(changed)

    def _list(self, name: str) -> list[Any]:
        return self._catalog.read(_listed, name)


def begin(transaction: Transaction, *, series: str, origin: str, keys: Sequence[Verifier]) -> None:
    """Write the first rows of a mirror of the archive at `origin`, with the keys of its log."""
    settings.fill(transaction, series)
    settings.set_setting(transaction, settings.ORIGIN, origin)
    settings.set_setting(transaction, settings.ORIGIN_KEYS, "\n".join(map(str, keys)))
    settings.set_setting(transaction, "sealing", ON_REQUEST)  # days are sealed by their entries


def _listed(connection: Session, name: str) -> list[Any]:
    """Return the JSON array in a setting; an empty one for none. Raises LookupError."""
    return list(settings.kept_json(connection, name) or ())


def _note_seen(transaction: Transaction, note: str, before: str | None) -> None:
    if settings.setting(transaction.connection, _SEEN) != before:
        raise entering.busy()
    settings.set_setting(transaction, _SEEN, note)


def _fill(
    transaction: Transaction, entries: Mapping[int, ReceivedEntry], received: ReceivedContents
) -> int:
    known = entering.waiting(transaction.connection)
    if not entries.keys() <= set(known):
        raise entering.busy()
    octets.check_since(transaction.connection, received.digests, received.erasing_round)
    still = entering.fill(transaction, entries)
    octets.stage_named(transaction.connection, received.staged)
    left = [place for place in known if place in still or place not in entries]
    if left != known:
        settings.set_setting(transaction, entering.WAITING, json.dumps(left))
    return len(known) - len(left)


def _stage(transaction: Transaction, received: ReceivedContents) -> None:
    octets.stage_named(transaction.connection, received.staged)


def _set_standings(
    transaction: Transaction, standings: Sequence[tuple[PDI, Standing]], after: int, place: int
) -> None:
    # The slower of two runs would write a standing that no longer holds.
    if int(settings.setting(transaction.connection, _STANDINGS) or 0) != after:
        raise entering.busy()
    entering.set_standings(transaction, standings)
    settings.set_setting(transaction, _STANDINGS, str(place))


def _keep_cosigned(transaction: Transaction, note: str) -> None:
    kept = settings.setting(transaction.connection, settings.COSIGNED)
    if kept is None or _read(kept).size <= _read(note).size:
        settings.set_setting(transaction, settings.COSIGNED, note)


def _seen(session: Session) -> Checkpoint:
    """Return the longest known checkpoint of the origin, or that of the empty tree."""
    note = settings.setting(session, _SEEN)
    return Checkpoint("", 0, EMPTY) if note is None else _read(note)


def _read(note: str) -> Checkpoint:
    """Parse the checkpoint in a note. Raises ParseError."""
    return Checkpoint.parse(Note.parse(note).text)


def _cosign(
    transaction: Transaction,
    submitted: Submission,
    log: Sequence[Signature],
    own: Sequence[Signature],
) -> Checkpoint | None:
    """Keep a checkpoint with the signatures of its log and our `own`, if it extends the last one.

    Otherwise the last one is returned. Nothing else is cosigned between the check and the change.
    """
    last, shown = _seen(transaction.connection), submitted.checkpoint
    proof = submitted.proof
    if submitted.old != last.size or not is_consistent(
        last.size, last.root, shown.size, shown.root, proof=proof
    ):
        return last
    text = submitted.note.text
    settings.set_setting(transaction, _SEEN, signed(text, log))
    settings.set_setting(transaction, _WITNESSED, signed(text, [*log, *own]))
    return None


def _forks(session: Session) -> dict[str, str]:
    """Return the evidence of forks by name, also of those that do not count."""
    return dict(settings.kept_json(session, _FORKS) or {})


def _counting(session: Session) -> list[str]:
    """Return the names of the forks that count."""
    names = _forks(session)
    return [name for name in names if name not in _passed(session)] if names else []


def _check_forks(session: Session) -> None:
    """Raise IntegrityError where a fork counts."""
    if _counting(session):
        raise IntegrityError(
            "the log was found forked: nothing is taken from it", expected="one log", actual="two"
        )


def _keep_forks(transaction: Transaction, texts: Mapping[str, str]) -> None:
    """Keep evidence of forks, which count from now on. Evidence that is kept is never changed."""
    session = transaction.connection
    known, passed = _forks(session), _passed(session)
    if not texts.keys() <= known.keys():
        settings.set_setting(transaction, _FORKS, json.dumps(dict(texts) | known))
    if not passed.isdisjoint(texts):
        _set_passed(transaction, passed - texts.keys())


def _mark_passed(transaction: Transaction, names: Iterable[str]) -> None:
    """Let forks not count any more."""
    _set_passed(transaction, _passed(transaction.connection) | set(names))


def _passed(session: Session) -> set[str]:
    return set(settings.kept_json(session, _PASSED) or ())


def _set_passed(transaction: Transaction, names: set[str]) -> None:
    settings.set_setting(transaction, _PASSED, json.dumps(sorted(names)))
