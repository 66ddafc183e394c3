"""Keep an archive: copies of it, its health, and what is withdrawn from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from permacite.archive import REASONS, Repository, is_cut_short
from permacite.errors import ConflictError, IntegrityError
from permacite.service import names
from permacite.service.model import Finding
from permacite.service.preservation import layout, replaying
from permacite.service.promises_model import Copy, Tombstone

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["HARMLESS", "REASONS", "backup", "fsck", "reinstate", "restore", "withdraw"]

HARMLESS = frozenset({"ok", "orphan", "erased"})
"""Findings that nobody need worry about."""

_GONE: Literal[410] = 410
_LEGAL: Literal[451] = 451
"""Unavailable for legal reasons (RFC 7725)."""


def backup(archive: Repository, directory: Path, *, link: bool) -> Copy:
    """Make or refresh a second archive in `directory`, and count what it holds.

    Raises ConflictError where other things are there, StorageError.
    """
    archive.backup(directory, link=link)
    return _counted(directory)


def restore(source: Path, directory: Path) -> Copy:
    """Make the archive `directory` from the backup `source`, once every digest in it is right.

    A folder of OCFL objects that `export_ocfl` wrote is a backup too.

    Raises ConflictError where `directory` holds anything but what an earlier restore left that was
    cut short, IntegrityError where the backup is damaged, StorageError where it is none.
    """
    is_root = layout.is_root(source)
    taken = directory.exists() and any(directory.iterdir())
    if taken and (is_root or not is_cut_short(directory)):
        raise ConflictError(f"{directory} is not empty", str(directory))
    if is_root:
        return replaying.restore(source, directory)
    with Repository.open(source) as kept:
        for finding in kept.fsck():
            if finding.kind not in HARMLESS:
                raise IntegrityError(
                    f"the backup is damaged: {finding.pdi}: {finding.kind}",
                    expected="what was committed",
                    actual=finding.detail,
                    hint="permacite --archive BACKUP fsck lists all that is wrong",
                )
        kept.backup(directory, link=False)
    return _counted(directory)


def _counted(directory: Path) -> Copy:
    with Repository.open(directory) as copy:
        return Copy(str(directory), copy.documents(), copy.count(), copy.log.size())


def fsck(archive: Repository) -> Iterator[Finding]:
    """Check every digest, the log, the catalog; and find bytes that nothing names."""
    for finding in archive.fsck():
        yield Finding(finding.pdi, finding.kind, finding.detail)


def withdraw(
    archive: Repository,
    reference: str,
    *,
    reason: str,
    status: int,
    who: str | None,
    note: str | None,
) -> Tombstone:
    """Withdraw a document, or one format of one version: nothing of it is given out.

    Raises NotFoundError, ConflictError for part of a document or a status but 410 and 451.
    """
    name, fragment = names.document_of(reference)
    if fragment is not None:
        raise ConflictError("a part of a document cannot be withdrawn, only the whole", reference)
    if (name.format is None) != (name.version is None):
        _, meant = archive.answering(name)
        raise ConflictError(
            "withdraw a whole document, or one format of one version",
            reference,
            hint=f"such as {name.document} or {meant.pdi}",
        )
    if status not in {_GONE, _LEGAL}:
        raise ConflictError(f"a withdrawal has the status 410 or 451, not {status}", reference)
    made = archive.statements.withdraw(
        name,
        reason=reason,
        status=_GONE if status == _GONE else _LEGAL,
        who=who,
        note=note,
    )
    left = []
    if name.version is not None:
        formats = archive.version(name).representations
        restricted = archive.restrictions(formats)
        left = [one for one in formats if one.pdi not in restricted]
    return Tombstone(
        pdi=made.pdi,
        status=made.status,
        reason=made.reason,
        who=made.who,
        withdrawn_at=made.withdrawn_at,
        left=tuple(str(one.pdi) for one in left),
    )


def reinstate(archive: Repository, reference: str, *, who: str | None, note: str | None) -> str:
    """Lift a withdrawal, and return the name that answers again. Raises NotFoundError."""
    name, _ = names.document_of(reference)
    return archive.statements.reinstate(name, who=who, note=note).subject
