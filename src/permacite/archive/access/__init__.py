"""Who may see what of an archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.access.gate import PUBLIC, Audience, Gate, of_all

if TYPE_CHECKING:
    from permacite.archive.access.full_names import FullNames
    from permacite.archive.engine import Catalog

__all__ = ["PUBLIC", "Audience", "Gate", "full_names_of", "of_all"]


def full_names_of(catalog: Catalog) -> FullNames | None:
    """A place for full names that were asked for of late, where each question is a round trip."""
    if not catalog.is_remote:
        return None
    from permacite.archive.access.full_names import FullNames

    return FullNames(catalog)
