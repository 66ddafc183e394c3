"""Command of the browser extension: write its folder."""

from __future__ import annotations

from pathlib import Path

import click

from permacite.cli.output import note
from permacite.service.extension.folder import write_folder

__all__ = ["extension"]


@click.command()
@click.argument("target", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
def extension(target: Path) -> None:
    """Write the extension for Chromium and Firefox to the folder DIR, to be loaded from there.

    It saves the page as it stands in your own browser, and cites what you have marked.

    Exit status: 0 written, 1 the folder holds other things.
    """
    note(f"{write_folder(target)} files in {target}")
