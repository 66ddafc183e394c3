"""Who may see what of an archive."""

from permacite.archive.access.full_names import FullNames
from permacite.archive.access.gate import PUBLIC, Audience, Gate, of_all

__all__ = ["PUBLIC", "Audience", "FullNames", "Gate", "of_all"]
