"""Repair of missing or altered contents from a copy: a mirror, the origin or a backup.

The digest comes from an entry that a signed checkpoint covers, never from the copy. Contents of the
copy are compared with it before they replace anything.
"""

from __future__ import annotations

import contextlib
import io
from typing import TYPE_CHECKING

from permacite import pdi as grammar
from permacite.archive.objects.source import ContentReader
from permacite.archive.repository import Repository
from permacite.errors import IntegrityError, ParseError
from permacite.pdi import PDI
from permacite.service.findings import Mended
from permacite.service.location import checked_location
from permacite.service.mirroring.remote import RemoteArchive

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager

    from permacite.archive.model.answered import Finding

__all__ = ["mend"]

_MENDABLE = frozenset({"missing", "altered"})


class _CopyContents:
    """The contents of another archive, on this machine or in a database."""

    is_far = False

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self.wrong: list[str] = []

    def open(self, digest: str) -> ContentReader:
        """The octets with a digest. Raises NotFoundError, IntegrityError."""
        try:
            content = self._repository.contents.octets(digest)
        except IntegrityError:
            self.wrong.append(digest)
            raise
        return ContentReader(digest, io.BytesIO(content), self._repository.where)


def mend(
    repository: Repository, findings: Iterable[Finding], copy: str, *, allow_private: bool = False
) -> list[Mended]:
    """Take octets that findings tell of from a copy: the address of a server, or a location.

    Raises CaptureError where the server does not answer, ParseError and StorageError for a location
    that is none.
    """
    wanted = {
        digest: finding.name
        for finding in findings
        if finding.kind in _MENDABLE and (digest := _digest_in(finding.detail))
    }
    mended = []
    with _opened(copy, allow_private=allow_private) as held:
        for digest, name in wanted.items():
            if not _is_told(repository, name, digest):
                mended.append(Mended(name, digest, "untold"))
                continue
            _, lost = repository.copies.intake.mend(held, [digest])
            wrong = digest in held.wrong
            mended.append(
                Mended(name, digest, ("wrong" if wrong else "missing") if lost else "mended")
            )
    return mended


def _opened(
    copy: str, *, allow_private: bool
) -> AbstractContextManager[RemoteArchive | _CopyContents]:
    """Open a copy. Raises as `mend`."""
    if copy.startswith(("http://", "https://")):
        return RemoteArchive(copy, allow_private=allow_private)
    return _held(copy)


@contextlib.contextmanager
def _held(copy: str) -> Iterator[_CopyContents]:
    with Repository.open(checked_location(copy)) as repository:
        yield _CopyContents(repository)


def _digest_in(detail: str) -> str | None:
    """The digest that octets should have, of what a finding says."""
    _, sign, digits = detail.rpartition("sha-256:")
    return f"{sign}{digits}" if sign else None


def _is_told(repository: Repository, name: str, digest: str) -> bool:
    """Whether an entry of the log, under a checkpoint, says that a document has these octets."""
    try:
        pdi = grammar.parse(name)
    except ParseError:
        return False
    return isinstance(pdi, PDI) and digest in repository.log.digests_of(pdi)
