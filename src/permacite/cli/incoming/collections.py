"""Import of crawls, bags and libraries: their documents, the pages of crawls, what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permacite.cli.incoming.reports import tell
from permacite.cli.output import counted, emit, note, report, table
from permacite.errors import PermaciteError
from permacite.service.archive import Archive
from permacite.service.ingest.options import CommitOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from permacite.service.exchange.crawls import Crawl
    from permacite.service.ingest.saved import Saved
    from permacite.service.location import Location

__all__ = ["add_bag", "add_crawl", "add_library", "list_pages"]

_NAMED = 10
"""How many damaged records are named."""


def list_pages(files: Sequence[Path], pages: Sequence[str], *, as_json: bool) -> None:
    """List the pages that some files hold."""
    with _read(files) as crawl:
        rows = list(crawl.pages(pages))
        _report_damage(crawl)
    if as_json:
        emit(rows)
    else:
        table(("claimed", "type", "address"), [(r.claimed_at, r.media_type, r.uri) for r in rows])


def add_crawl(
    folder: Location | None,
    files: Sequence[Path],
    options: Mapping[str, Any],
    *,
    as_json: bool,
    pages: Sequence[str],
) -> tuple[list[Saved], int]:
    """Archive the pages of some files as one crawl; return what was saved, and the exit status."""
    status = many = refused = 0
    results: list[Saved] = []
    with (
        Archive.open(folder) as archive,
        _read(files, options["trust"]) as crawl,
        counted("importing") as tick,
    ):
        for signer in crawl.signers():
            note(f"signature of {signer}")
        for page, outcome in archive.lists.importer("crawls").add(
            crawl, _chosen(options), pages=pages
        ):
            if tick is not None:
                tick(page)
            if isinstance(outcome, PermaciteError):
                note(f"{page.uri}, {page.claimed_at}: not imported")
                status = status or report(outcome, as_json=as_json)
                refused += 1
                continue
            many += 1
            if as_json:
                results.append(outcome)
            else:
                tell(outcome, as_json=False)
        note(f"{many:,} pages imported, {refused:,} refused")
        if not (many or refused):
            note("no page is in these files; --page ADDRESS takes whatever has that address")
        _report_citations(archive.lists.importer("citations").add(crawl.packages))
        damaged = _report_damage(crawl)
    return results, status or int(damaged or not many)


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
    from permacite.service.exchange.zotero_library import Library

    results: list[Saved] = []
    try:
        library = Library(path, roots)
        with Archive.open(folder) as archive:
            outcomes = archive.lists.importer("libraries").add(library, _chosen(options))
            results, status = _report_each(outcomes, as_json=as_json)
            _report_citations(archive.lists.importer("libraries").add_selections(library))
    except PermaciteError as error:
        note(f"{path}: not imported")
        status = report(error, as_json=as_json)
    note(f"{len(results):,} files of {path.name} imported")
    return results, status


def add_bag(
    folder: Path | None, path: Path, options: Mapping[str, Any], *, as_json: bool
) -> tuple[list[Saved], int]:
    """Archive what is in a bag; return what was saved, and the exit status."""
    from permacite.service.exchange.bags import OpenBag

    results: list[Saved] = []
    try:
        with OpenBag(path) as bag, Archive.open(folder) as archive:
            note(f"{path.name}: {len(bag.payload):,} files, right by {', '.join(bag.checked)}")
            outcomes = archive.lists.importer("bags").add(bag, _chosen(options))
            results, status = _report_each(outcomes, as_json=as_json)
            _report_citations(archive.lists.importer("citations").add([bag]))
    except PermaciteError as error:
        note(f"{path}: not imported")
        status = report(error, as_json=as_json)
    note(f"{len(results):,} documents of {path.name} imported")
    return results, status


def _chosen(options: Mapping[str, Any]) -> CommitOptions:
    """Options that count for many documents together; the rest are of single files."""
    names = ("series", "new", "confirmed_date", "standing")
    return CommitOptions(**{name: options[name] for name in names})


def _report_each(
    outcomes: Iterable[tuple[str, Saved | PermaciteError]], *, as_json: bool
) -> tuple[list[Saved], int]:
    """Print the outcome of each; return what was committed, and the exit status."""
    status = 0
    results: list[Saved] = []
    with counted("importing") as tick:
        for name, outcome in outcomes:
            if tick is not None:
                tick(name)
            if isinstance(outcome, PermaciteError):
                note(f"{name}: not imported")
                status = status or report(outcome, as_json=as_json)
                continue
            results.append(outcome)
            if not as_json:
                tell(outcome, as_json=False)
    return results, status


def _report_citations(outcomes: Iterable[tuple[str, str | PermaciteError]]) -> None:
    """Print the new names of citations of another archive, or why they have none."""
    for former, cited in outcomes:
        if isinstance(cited, PermaciteError):
            note(f"  not cited again: {former}: {cited.problem}")
        else:
            note(f"  cited again: {cited} (there {former})")


def _read(files: Sequence[Path], trust: Sequence[str] = ()) -> Crawl:
    """Read files to their ends, with a progress bar."""
    from permacite.service.exchange.crawls import Crawl

    with counted("reading records, in thousands") as tick:
        return Crawl(files, tick, trust)


def _report_damage(crawl: Crawl) -> bool:
    """Print the damaged records; return whether there are any."""
    left = crawl.unread()
    for line in left.examples[:_NAMED]:
        note(f"  damaged: {line}")
    if left.damaged > _NAMED:
        note(f"  damaged: {left.damaged - _NAMED:,} more")
    return left.damaged > 0
