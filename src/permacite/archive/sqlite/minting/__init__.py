"""Names, versions and formats as rows: many orders at once, each as if it were alone."""

from permacite.archive.sqlite.minting.commits import add_format, commit

__all__ = ["add_format", "commit"]
