"""Who may see what of an archive."""

from permacite.archive.access.gate import Gate, of_all

__all__ = ["Gate", "of_all"]
