"""Who may see a document, why it is kept, and how long; and what was to be kept no longer."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from permacite.archive import ACCESSES, GROUNDS, Standing
from permacite.archive.names import as_urn
from permacite.errors import ConflictError
from permacite.service import names
from permacite.service.promises_model import Kept

if TYPE_CHECKING:
    from datetime import date

    from permacite import pdi
    from permacite.archive import Repository

__all__ = [
    "ACCESSES",
    "GROUNDS",
    "UNSAID",
    "Choice",
    "Standing",
    "apply",
    "overdue",
    "set_default",
    "standing",
]

_EMBARGO = "embargo"


@dataclass(frozen=True, slots=True)
class Choice:
    """What a user says of a document's standing; None leaves it as it is, or as the default is."""

    access: str | None = None
    ground: str | None = None
    embargo_until: date | None = None
    retain_until: date | None = None

    def over(self, standing: Standing) -> Standing:
        """Return a standing with this choice made. Raises ConflictError for half an embargo."""
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


def standing(archive: Repository, reference: str, choice: Choice) -> Kept:
    """Return the standing of a document, once `choice` is made. Raises NotFoundError."""
    name, _ = names.document_of(reference)
    apply(archive, name, choice)
    return Kept(as_urn(name.document), archive.standing(name))


def apply(archive: Repository, name: pdi.PDI, choice: Choice) -> None:
    """Change the standing of a document by `choice`, if that says anything."""
    if choice != UNSAID:
        archive.set_standing(name, choice.over(archive.standing(name)))


def set_default(archive: Repository, choice: Choice) -> Standing:
    """Return the standing that new documents get, once `choice` is made.

    Raises ConflictError for an embargo, or a last day.
    """
    if choice.access == _EMBARGO or choice.embargo_until or choice.retain_until:
        raise ConflictError("days are of one document; a default is an access and a ground", "")
    for name, value in (("access", choice.access), ("ground", choice.ground)):
        if value is not None:
            archive.set_setting(name, value)
    return archive.default_standing()


def overdue(archive: Repository) -> list[Kept]:
    """Return the documents that were to be kept until a day that has passed; nothing is erased."""
    return [Kept(as_urn(name), one) for name, one in archive.overdue().items()]
