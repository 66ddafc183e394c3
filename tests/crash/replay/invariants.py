"""What must hold of an archive after a crash: found out by opening it as a user would.

The archive is opened, checked, read whole, and asked for one new name. What it says is a set of
facts, in the same texts as those that the workload told; what is wrong by itself is a fault.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from permacite.archive.log.note import Checkpoint, Note
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository
from permacite.errors import PermaciteError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.crash.replay.trace import Fact

    from permacite.archive.model.answered import Version

__all__ = ["Outcome", "complaints", "examine"]

_HARMLESS = {"ok", "orphan"}
_OF_NO_ARCHIVE = {"created", "refused", "restored"}
"""Kinds of facts that no archive holds."""
_NOT_YET = {"missing", "not-an-archive"}
"""Why a folder may not open while its making has not returned."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is left of an archive."""

    opened: bool
    facts: frozenset[Fact] = frozenset()
    faults: tuple[str, ...] = ()
    minted: str = ""
    """The name that was minted after all was read."""


def examine(folder: Path) -> Outcome:
    """Open what a crash left and say what it holds."""
    now = [datetime(2026, 11, 1, 13, tzinfo=UTC)]
    try:
        archive = Repository.open(folder, clock=lambda: now[0])
    except StorageError as error:
        return Outcome(opened=False, faults=tuple(_again(folder, error)))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a fault
        return Outcome(opened=False, faults=(f"does not open: {error!r}",))
    with archive:
        try:
            found = _examine(archive, now)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a fault
            return Outcome(opened=True, faults=(f"cannot be used: {error!r}",))
    left = [f"left behind: {path.name}" for path in (folder / "objects" / "tmp").iterdir()]
    return dataclasses.replace(found, faults=(*found.faults, *left))


def _again(folder: Path, refused: StorageError) -> Iterator[str]:
    """Say what is wrong where there is no archive yet: it must be possible to make one."""
    if refused.reason not in _NOT_YET:
        yield f"does not open: {refused}"
    elif not (folder / "objects").exists():  # of a backup that was cut short
        try:
            Repository.create(folder, series="lab.example.zz").close()
        except PermaciteError as error:
            yield f"cannot be made again: {error}"


def complaints(outcome: Outcome, acknowledged: set[Fact]) -> list[str]:
    """Return what is wrong with an outcome, given all that was acknowledged before the crash."""
    found = list(outcome.faults)
    if not outcome.opened:
        return found or (["there is no archive"] if acknowledged else [])
    expected = [fact for fact in acknowledged if fact[0] not in _OF_NO_ARCHIVE]
    lost = [fact for fact in expected if not _holds(fact, outcome.facts)]
    found += [f"lost: {' '.join(fact)}" for fact in sorted(lost)]
    if any(fact[0] == "format" and fact[1] == outcome.minted for fact in acknowledged):
        found.append(f"given twice: {outcome.minted}")
    return found


def _holds(fact: Fact, facts: frozenset[Fact]) -> bool:
    """Say whether a fact is among those found; a checkpoint holds if its root is the log's."""
    if fact[0] != "checkpoint":
        return fact in facts
    checkpoint = Checkpoint.parse(Note.parse(fact[1]).text)
    return ("root", str(checkpoint.size), checkpoint.root.hex()) in facts


def _examine(archive: Repository, now: list[datetime]) -> Outcome:
    """Read everything, check everything, mint one name at the time of the last version."""
    faults = [
        f"{found.kind}: {found.name} {found.detail}"
        for found in archive.fixity.fsck()
        if found.kind not in _HARMLESS
    ]
    facts: set[Fact] = set()
    for version in archive.lists.list():
        facts.update(_formats(archive, version))
        now[0] = max(now[0], version.committed_at)
        whole = (version.title or "").split()
        if list(version.formats[: len(whole)]) != whole:
            faults.append(f"half: {version.pdi} has {version.formats}, not {whole}")
    facts.update(_said(archive))
    archive.log.checkpoints.current()  # refuses where the log does not extend an earlier one
    version = archive.committer.commit([NewRepresentation(b"after the crash", "image/png")])
    if archive.contents.read(version.representations[0]) != b"after the crash":
        faults.append("what is committed after the crash is not kept")
    minted = str(version.pdi.document)
    if any(fact[:2] == ("format", minted) for fact in facts):
        faults.append(f"given twice: {minted}")
    return Outcome(opened=True, facts=frozenset(facts), faults=tuple(faults), minted=minted)


def _formats(archive: Repository, version: Version) -> Iterator[Fact]:
    """Return a fact for each format, with the digest of the octets as they are read now."""
    for one in version.representations:
        with contextlib.suppress(PermaciteError):  # fsck has told it
            found = hashlib.sha256(archive.contents.octets(one.digest)).hexdigest()
            name = str(version.pdi.document)
            yield ("format", name, str(version.number), one.format, found)


def _said(archive: Repository) -> Iterator[Fact]:
    """Return what else is on record."""
    for citation in archive.passages.citations():
        yield ("citation", citation.fragment, citation.quote, citation.before)
    for one in archive.statements.assertions(predicate="seeAlso"):
        yield ("assertion", one.subject, one.predicate, one.object)
    for version in archive.lists.list():
        withdrawal = archive.statements.withdrawal(version.representations[0])
        if withdrawal is not None:
            yield ("withdrawal", withdrawal.pdi, withdrawal.reason)
    for delegation in archive.delegations.delegations("minter"):
        yield ("delegation", delegation.series, delegation.target)
    yield ("setting", "resolver", archive.settings.get("resolver") or "")
    yield ("key", str(archive.log.keys.verifier))
    readme = archive.directory / "README.txt"
    if readme.exists() and "permacite archive" in readme.read_text(encoding="utf-8"):
        yield ("readme",)
    for size in range(archive.log.size() + 1):
        yield ("root", str(size), archive.log.root(size).hex())
    catalog = f"file:{archive.directory / 'catalog.sqlite'}?mode=ro"
    with contextlib.closing(sqlite3.connect(catalog, uri=True)) as connection:
        for key, name in connection.execute(_KEYS):
            yield ("idempotency", key, name)


_KEYS = """
SELECT key, 'urn:pdi://' || series || '/' || replace(date, '-', '/') || '/' || unique_id
FROM idempotency JOIN version USING (version_id) JOIN document USING (document_id)
"""
