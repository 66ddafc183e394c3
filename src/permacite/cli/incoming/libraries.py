"""import, of libraries and bags: their files, which have none, and which are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permacite.cli.incoming.reports import OF_ALL, tell_cited, tell_each
from permacite.cli.output import note, report
from permacite.errors import PermaciteError
from permacite.service.archive import Archive
from permacite.service.libraries.bags import OpenBag
from permacite.service.libraries.zotero import Library

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from permacite.service.ingest.saved import Saved
    from permacite.service.location import Location

__all__ = ["add_bag", "add_library"]


def add_library(
    folder: Location | None,
    path: Path,
    options: Mapping[str, Any],
    *,
    as_json: bool,
    roots: Sequence[Path],
) -> tuple[list[Saved], int]:
    """Archive the files of a library; return what was saved, and the exit status.

    Files that it links to are read in the folders `roots`.
    """
    results: list[Saved] = []
    try:
        library = Library(path, roots)
        with Archive.open(folder) as archive:
            outcomes = archive.lists.importer("libraries").add(library, **_chosen(options))
            results, status = tell_each(outcomes, as_json=as_json)
            tell_cited(archive.lists.importer("libraries").add_selections(library))
    except PermaciteError as error:
        note(f"{path}: not imported")
        status = report(error, as_json=as_json)
    note(f"{len(results):,} files of {path.name} imported")
    return results, status


def add_bag(
    folder: Path | None, path: Path, options: Mapping[str, Any], *, as_json: bool
) -> tuple[list[Saved], int]:
    """Archive what is in a bag; return what was saved, and the exit status."""
    results: list[Saved] = []
    try:
        with OpenBag(path) as bag, Archive.open(folder) as archive:
            note(f"{path.name}: {len(bag.payload):,} files, right by {', '.join(bag.checked)}")
            outcomes = archive.lists.importer("bags").add(bag, **_chosen(options))
            results, status = tell_each(outcomes, as_json=as_json)
            tell_cited(archive.lists.carried_citations.add([bag]))
    except PermaciteError as error:
        note(f"{path}: not imported")
        status = report(error, as_json=as_json)
    note(f"{len(results):,} documents of {path.name} imported")
    return results, status


def _chosen(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in OF_ALL}
