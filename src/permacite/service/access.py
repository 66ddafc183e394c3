"""Access: who may see a document and how long it is kept; what is withdrawn, and what is erased."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from permacite.archive.model.answered import (
    ACCESSES,
    ERASURE_GROUNDS,
    GROUNDS,
    REASONS,
    Standing,
    Withdrawal,
)
from permacite.archive.names import as_urn
from permacite.errors import ConflictError
from permacite.lazy_dataclass import dataclass
from permacite.service import names

if TYPE_CHECKING:
    from datetime import date, datetime

    from permacite import pdi
    from permacite.archive.repository import Repository
    from permacite.service.tokens import Tokens

__all__ = [
    "ACCESSES",
    "ERASURE_GROUNDS",
    "GROUNDS",
    "REASONS",
    "UNSAID",
    "Access",
    "Choice",
    "Erased",
    "Kept",
    "Standing",
    "Withdrawn",
    "apply",
]

_EMBARGO = "embargo"
_GONE: Literal[410] = 410
_LEGAL: Literal[451] = 451
"""Unavailable for legal reasons (RFC 7725)."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a user says of a document's standing; None leaves it as it is, or as the default is."""

    access: str | None = None
    ground: str | None = None
    embargo_until: date | None = None
    retain_until: date | None = None

    def over(self, standing: Standing) -> Standing:
        """A standing with this choice made. Raises ConflictError for half an embargo."""
        access = self.access or (_EMBARGO if self.embargo_until else standing.access)
        until = self.embargo_until or (standing.embargo_until if access == _EMBARGO else None)
        if (access == _EMBARGO) != (until is not None):
            raise ConflictError(
                "an embargo has a day on which it ends, and nothing else has", access
            )
        return dataclasses.replace(
            standing,
            access=access,
            ground=self.ground or standing.ground,
            embargo_until=until,
            retain_until=self.retain_until or standing.retain_until,
        )


UNSAID = Choice()
"""Leaves all as it is."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A document, and who may see it, why it is kept and how long."""

    pdi: str
    standing: Standing


@dataclass(frozen=True, slots=True)
class Withdrawn(Withdrawal):
    """A withdrawal that was made, and what it leaves."""

    left: tuple[str, ...]
    """Formats of the same version that are still given out."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased, and what is left of it elsewhere."""

    pdi: str
    """The document."""
    version: int | None
    """The version that was erased; None for all of the document."""
    ground: str
    erased_at: datetime
    shared: int
    """How many objects stay, as other documents have the same bytes."""
    done: bool
    """Whether no traces are left in the archive's files; else the next command goes on."""
    quoted_by: tuple[str, ...]
    """Other documents that quote it; their own bytes stay as they are."""


class Access:
    """Who may see documents: withdraw, embargo, reinstate and erase."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def standing(self, reference: str, choice: Choice = UNSAID) -> Kept:
        """Who may see a document, why it is kept and how long, once `choice` is made.

        Raises NotFoundError.
        """
        name, _ = names.document_of(reference)
        apply(self._repository, name, choice)
        return Kept(as_urn(name.document), self._repository.access.standing(name))

    def default_standing(self, choice: Choice = UNSAID) -> Standing:
        """The standing that new documents get, once `choice` is made.

        Raises ConflictError for an embargo, or a last day.
        """
        if choice.access == _EMBARGO or choice.embargo_until or choice.retain_until:
            raise ConflictError("days are of one document; a default is an access and a ground", "")
        for name, value in (("access", choice.access), ("ground", choice.ground)):
            if value is not None:
                self._repository.settings.set(name, value)
        return self._repository.access.default_standing()

    def overdue(self) -> list[Kept]:
        """The documents that were to be kept until a day that has passed; nothing is erased."""
        overdue = self._repository.access.overdue().items()
        return [Kept(as_urn(name), standing) for name, standing in overdue]

    def withdraw(
        self,
        reference: str,
        *,
        reason: str,
        status: int = _GONE,
        who: str | None = None,
        note: str | None = None,
    ) -> Withdrawn:
        """Withdraw a document, or one format of one version: nothing of it is given out.

        `reason` is one of `REASONS`. Raises NotFoundError, ConflictError for part of a document or
        a status but 410 and 451.
        """
        repository = self._repository
        name, fragment = names.document_of(reference)
        if fragment is not None:
            problem = "a part of a document cannot be withdrawn, only the whole"
            raise ConflictError(problem, reference)
        if (name.format is None) != (name.version is None):
            _, meant = repository.lookup.answering(name)
            raise ConflictError(
                "withdraw a whole document, or one format of one version",
                reference,
                hint=f"such as {name.document} or {meant.pdi}",
            )
        if status not in {_GONE, _LEGAL}:
            raise ConflictError(f"a withdrawal has the status 410 or 451, not {status}", reference)
        withdrawal = repository.statements.withdraw(
            name, reason=reason, status=_GONE if status == _GONE else _LEGAL, who=who, note=note
        )
        formats = () if name.version is None else repository.lookup.version(name).representations
        restricted = repository.lookup.restrictions(formats)
        return Withdrawn(
            withdrawal.pdi,
            withdrawal.status,
            withdrawal.reason,
            withdrawal.who,
            withdrawal.withdrawn_at,
            left=tuple(str(item.pdi) for item in formats if item.pdi not in restricted),
        )

    def reinstate(self, reference: str, *, who: str | None = None, note: str | None = None) -> str:
        """Lift a withdrawal; the name that answers again is returned. Raises NotFoundError."""
        name, _ = names.document_of(reference)
        return self._repository.statements.reinstate(name, who=who, note=note).subject

    def erase(self, reference: str, *, ground: str) -> Erased:
        """Destroy a document, or with format and version that version, with all that tells of it.

        Its name is left. All formats of a version go together, as they say the same. Raises
        NotFoundError, ConflictError for a part of a document, ParseError for a ground that is not
        one of `ERASURE_GROUNDS`.
        """
        name, fragment = names.document_of(reference)
        if fragment is not None or (name.format is None) != (name.version is None):
            raise ConflictError(
                "erase a whole document, or one version of it by the full name of a format",
                reference,
                hint=f"such as {name.document}",
            )
        if name.format is not None:
            self._repository.lookup.representation(name)  # a format that is not there is a slip
        quoting = dict.fromkeys(
            as_urn(citation.pdi) for citation in self._repository.passages.quoters(name)
        )
        erased = self._repository.access.erase(name, ground=ground)
        return Erased(
            pdi=as_urn(name.document),
            version=erased.erasure.number,
            ground=erased.erasure.ground,
            erased_at=erased.erasure.erased_at,
            shared=erased.shared,
            done=erased.is_done,
            quoted_by=tuple(quoting),
        )

    @cached_property
    def tokens(self) -> Tokens:
        """Tokens that let others in over the network."""
        from permacite.service.tokens import Tokens

        return Tokens(self._repository)


def apply(repository: Repository, name: pdi.PDI, choice: Choice) -> None:
    """Change the standing of a document by `choice`, if that says anything."""
    if choice != UNSAID:
        repository.access.set_standing(name, choice.over(repository.access.standing(name)))
