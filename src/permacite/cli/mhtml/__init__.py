"""Commands about aggregate documents: ls, cat, links, check, extract, pack, export, mail."""

from permacite.cli.mhtml.reading import mhtml
from permacite.cli.mhtml.writing import export, extract, mail, pack

__all__ = ["mhtml"]

for command in (extract, pack, export, mail):
    mhtml.add_command(command)
