"""Who may see what of an archive."""

from permacite.archive.access.gate import PUBLIC, Audience, Gate, of_all

__all__ = ["PUBLIC", "Audience", "Gate", "of_all"]
