"""The promises of an archive, each one method: `Archive` has them beside its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.service.access import erasing, standing
from permacite.service.access.standing import UNSAID
from permacite.service.assertions import delegating, statements
from permacite.service.ingest import writing
from permacite.service.preservation import keeping, ocfl, warc
from permacite.service.proofs import logs, proofs, stamping
from permacite.service.quotations import comparing, composing
from permacite.service.resolution import sets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from permacite.archive import Repository, Standing
    from permacite.service.access.standing import Choice
    from permacite.service.model import Finding, Quotation, Resolved, Saved
    from permacite.service.plain import Json
    from permacite.service.promises_model import (
        Composed,
        Copy,
        Delegation,
        Erased,
        Kept,
        LogState,
        NameSet,
        Proof,
        SealedDay,
        StampedLog,
        Statement,
        Tombstone,
    )

__all__ = ["Promises"]


class Promises:
    """What an open archive can be asked beyond its documents."""

    _archive: Repository

    def prove(self, reference: str, *, seal: bool = False) -> Proof:
        """Return a bundle that proves, offline, that this archive holds what `reference` names.

        Or that it never minted such a name; `seal` seals the day of the name for that.
        """
        return proofs.prove(self._archive, reference, seal=seal)

    def seal_days(self) -> list[SealedDay]:
        """Seal every day that has documents and has ended, and return the new ones."""
        return logs.seal_days(self._archive)

    def log(self, *, since: int | None = None) -> LogState:
        """Return the log, signed; with the proof that it grew from `since` entries."""
        return logs.log_state(self._archive, since=since)

    def stamp(
        self, authority: str, *, roots: bytes | None = None, allow_private: bool = False
    ) -> StampedLog:
        """Have the log stamped with the time by an authority, and keep its answer (RFC 3161)."""
        return stamping.stamp(self._archive, authority, roots=roots, allow_private=allow_private)

    def held_to(self, checkpoint: str) -> LogState:
        """Return the log, once it is found to extend a checkpoint that someone kept."""
        return logs.held_to(self._archive, checkpoint)

    def tile(self, path: str) -> bytes:
        """Return a file of the log in the layout of C2SP tlog-tiles, such as "tile/0/000"."""
        return self._archive.tile(path)

    def export_tiles(self, directory: Path) -> LogState:
        """Write the log into `directory` as tiles with a checkpoint, for other programs."""
        return logs.export_tiles(self._archive, directory)

    def quotes(self, reference: str) -> list[Quotation]:
        """Return what a document quotes, each quotation compared with its source."""
        return comparing.quotes(self._archive, reference)

    def quoters(self, reference: str) -> list[Quotation]:
        """Return who quotes what `reference` names, or anything that overlaps it."""
        return comparing.quoters(self._archive, reference)

    def compose(self, template: str, *, suffix: str) -> Composed:
        """Return `template` with its quotations filled in from their names."""
        return composing.compose(self._archive, template, suffix=suffix)

    def backup(self, directory: Path, *, link: bool = True) -> Copy:
        """Make or refresh a second archive in `directory`, while this one is in use."""
        return keeping.backup(self._archive, directory, link=link)

    def fsck(self) -> Iterator[Finding]:
        """Check every digest, the log and the catalog, and find bytes that nothing names."""
        return keeping.fsck(self._archive)

    def withdraw(
        self,
        reference: str,
        *,
        reason: str,
        status: int = 410,
        who: str | None = None,
        note: str | None = None,
    ) -> Tombstone:
        """Give out a document, or one format of one version, no more; `reason` is a code."""
        return keeping.withdraw(
            self._archive, reference, reason=reason, status=status, who=who, note=note
        )

    def reinstate(self, reference: str, *, who: str | None = None, note: str | None = None) -> str:
        """Lift a withdrawal; returns the name that answers again."""
        return keeping.reinstate(self._archive, reference, who=who, note=note)

    def erase(self, reference: str, *, ground: str) -> Erased:
        """Destroy a document, or a version, with all that tells of it; its name is left."""
        return erasing.erase(self._archive, reference, ground=ground)

    def standing(self, reference: str, choice: Choice = UNSAID) -> Kept:
        """Return who may see a document, why it is kept and how long, once `choice` is made."""
        return standing.standing(self._archive, reference, choice)

    def default_standing(self, choice: Choice = UNSAID) -> Standing:
        """Return the same of all new documents, once `choice` is made."""
        return standing.set_default(self._archive, choice)

    def overdue(self) -> list[Kept]:
        """Return the documents that were to be kept until a day that has passed."""
        return standing.overdue(self._archive)

    def series(self) -> list[str]:
        """Return the series that mint here; the first mints where none is named."""
        return self._archive.series_names()

    def add_series(self, name: str) -> list[str]:
        """Let another series mint here, and return all. Raises ParseError."""
        self._archive.add_series(name)
        return self._archive.series_names()

    def use_series(self, name: str) -> list[str]:
        """Let a series mint where none is named, and return all, it first. Raises ParseError."""
        self._archive.use_series(name)
        return self._archive.series_names()

    def delegate(
        self,
        kind: str,
        series: str,
        target: str,
        *,
        first: str | None = None,
        last: str | None = None,
    ) -> Delegation:
        """Record who answers for a series ("resolver") or mints in it ("minter")."""
        return delegating.delegate(self._archive, kind, series, target, first=first, last=last)

    def delegations(self, series: str | None = None) -> list[Delegation]:
        """Return the delegations of a series and those above it; all where None."""
        return delegating.delegations(self._archive, series)

    def elsewhere(self, reference: str) -> str | None:
        """Return the address under which another resolver answers for a name, if one does."""
        return delegating.elsewhere(self._archive, reference)

    def state(
        self, subject: str, predicate: str, value: str, *, who: str | None = None
    ) -> Statement:
        """Record a statement about a name of any kind, of this archive or of another."""
        return statements.state(self._archive, subject, predicate, value, who=who)

    def statements(
        self, subject: str | None = None, *, predicate: str | None = None, parts: bool = False
    ) -> list[Statement]:
        """Return the statements about a name, with `parts` about all below it too."""
        return statements.listed(self._archive, subject, predicate, parts=parts)

    def json_ld(self, found: list[Statement]) -> dict[str, Json]:
        """Return statements as JSON-LD, with what is known of the documents they are about."""
        return statements.json_ld(self._archive, found)

    def matching(
        self,
        pattern: str,
        *,
        limit: int = 100,
        after: str | None = None,
        until: str | None = None,
    ) -> NameSet:
        """Return what a name with wildcards stands for, as far as this archive knows, by pages."""
        return sets.matching(self._archive, pattern, limit=limit, after=after, until=until)

    def instances(self, reference: str) -> list[Resolved]:
        """Return every format of the version that a name means."""
        return sets.instances(self._archive, reference)

    def names_of(self, reference: str) -> list[str]:
        """Return the full names of what `reference` means."""
        return sets.names_of(self._archive, reference)

    def names_from(self, address: str) -> list[str]:
        """Return the full names of what was archived from an address, newest first."""
        return sets.names_from(self._archive, address)

    def answers_for(self, reference: str) -> bool:
        """Say whether this archive would know a name."""
        return writing.answers_for(self._archive, reference)

    def put(
        self,
        reference: str,
        content: bytes,
        content_type: str,
        *,
        key: str | None = None,
        misquoted: bool = False,
    ) -> Saved:
        """Make the next version of a document, or mint a name in a series (`pdi://series/`).

        A document that misquotes is refused unless it is `misquoted` on purpose.
        """
        return writing.put(
            self._archive, reference, content, content_type, key=key, misquoted=misquoted
        )

    def export_ocfl(self, directory: Path) -> Copy:
        """Write the whole archive as OCFL objects; `restore` makes an archive of them."""
        return ocfl.export(self._archive, directory)

    def export_warc(self, path: Path, pattern: str | None = None) -> tuple[int, int]:
        """Write what `pattern` covers as a WARC file; returns versions and records."""
        return warc.export(self._archive, path, pattern)
