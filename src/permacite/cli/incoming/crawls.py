"""import, of crawls: their pages listed, or archived, and what of them cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permacite.cli.incoming.reports import OF_ALL, tell, tell_cited
from permacite.cli.output import counted, emit, note, report, table
from permacite.errors import PermaciteError
from permacite.service.ingest.crawls import Crawl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from permacite.service.archive import Archive
    from permacite.service.ingest.saved import Saved

__all__ = ["add_crawl", "tell_pages"]

_NAMED = 10
"""How many damaged records are named."""


def tell_pages(files: Sequence[Path], pages: Sequence[str], *, as_json: bool) -> None:
    """List the pages that some files hold."""
    with _read(files) as crawl:
        rows = list(crawl.pages(pages))
        _tell_unread(crawl)
    if as_json:
        emit(rows)
    else:
        table(("claimed", "type", "address"), [(r.claimed_at, r.media_type, r.uri) for r in rows])


def add_crawl(
    archive: Archive,
    files: Sequence[Path],
    pages: Sequence[str],
    options: Mapping[str, Any],
    *,
    as_json: bool,
) -> tuple[list[Saved], int]:
    """Archive the pages of some files as one crawl; return what was saved, and the exit status."""
    status = many = refused = 0
    results: list[Saved] = []
    chosen = {name: options[name] for name in OF_ALL}
    with _read(files, options["trust"]) as crawl, counted("importing") as tick:
        for vouched in crawl.vouched():
            note(f"signature of {vouched}")
        for page, outcome in archive.lists.importer("crawls").add(crawl, pages=pages, **chosen):
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
        tell_cited(archive.lists.carried_citations.add(crawl.packages))
        damaged = _tell_unread(crawl)
    return results, status or int(damaged or not many)


def _read(files: Sequence[Path], trust: Sequence[str] = ()) -> Crawl:
    """Read files to their ends, telling how far that is."""
    with counted("reading records, in thousands") as tick:
        return Crawl(files, tick, trust)


def _tell_unread(crawl: Crawl) -> bool:
    """Say what could not be read; whether there is any."""
    left = crawl.unread()
    for line in left.told[:_NAMED]:
        note(f"  damaged: {line}")
    if left.damaged > _NAMED:
        note(f"  damaged: {left.damaged - _NAMED:,} more")
    return left.damaged > 0
