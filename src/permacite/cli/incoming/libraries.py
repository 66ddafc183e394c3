"""import, of libraries: their files, and which items have none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permacite.cli.incoming.told import tell
from permacite.cli.output import counted, note, report
from permacite.errors import PermaciteError
from permacite.service.libraries.zotero import Libraries

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from permacite.service.ingest.saved import Saved

__all__ = ["add_library"]

_OF_LIBRARIES = ("series", "new", "confirmed_date", "standing")
"""Options that count for files of libraries; the rest are of single files."""


def add_library(
    folder: Path | None, library: Path, options: Mapping[str, Any], *, as_json: bool
) -> tuple[list[Saved], int]:
    """Archive the files of a library; return what was saved, and the exit status."""
    status = 0
    results: list[Saved] = []
    chosen = {name: options[name] for name in _OF_LIBRARIES}
    with Libraries.open(folder) as archive, counted("importing") as tick:
        try:
            for name, outcome in archive.add_library(library, **chosen):
                if tick is not None:
                    tick(name)
                if isinstance(outcome, PermaciteError):
                    note(f"{name}: not imported")
                    status = status or report(outcome, as_json=as_json)
                    continue
                results.append(outcome)
                if not as_json:
                    tell(outcome, as_json=False)
        except PermaciteError as error:
            note(f"{library}: not imported")
            status = report(error, as_json=as_json)
    note(f"{len(results):,} files of {library.name} imported")
    return results, status
