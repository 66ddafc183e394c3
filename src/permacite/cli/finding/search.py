"""search: documents found by their words, an address or a name, each place ready to cite."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from permacite.cli.output import emit, json_option, note
from permacite.click_options import click_options
from permacite.service.archive import Archive
from permacite.service.search.query import SearchQuery

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permacite.service.location import Location
    from permacite.service.search.finding import Hit, Results

__all__ = ["search"]

_TAKEN = {
    "words": "words",
    "passage": "a passage: these words in a row",
    "address": "the address of a page",
    "name": "the name of a document",
    "pattern": "a pattern of names",
}


@click.command()
@click.argument("words", nargs=-1, required=True)
@click_options("query", SearchQuery)
@click.option("--anew", is_flag=True, help="Make the index of words anew first.")
@json_option
@click.pass_obj
def search(
    folder: Location | None,
    /,
    words: tuple[str, ...],
    *,
    query: SearchQuery,
    anew: bool,
    as_json: bool,
) -> None:
    """Find WORDS in all that is archived, or the document that an address or a name means.

    Words are found whole, in any case, with accents or without; 'words in quotation marks' stand in
    a row, -words (behind --) do not stand there, and begin* is the beginning of a word. Each place
    is printed as it would be cited. What is new is indexed first.

    Exit status: 0 something was found, 1 nothing, 2 nothing was asked for.
    """
    typed = words[0] if len(words) == 1 else " ".join(map(_as_typed, words))
    with Archive.open(folder) as archive, _indexing() as tell:
        if anew:
            archive.documents.word_index.update(anew=True, progress=tell)
        results = archive.search(typed, query, progress=tell)
    if as_json:
        emit(results)
    else:
        _tell(results)
    found = bool(results.hits or results.jotted) or results.taken_for == "pattern"
    click.get_current_context().exit(0 if found else 1)


def _as_typed(word: str) -> str:
    """A word of the command line; the shell took quotation marks off what holds spaces."""
    return f'"{word}"' if " " in word and '"' not in word else word


def _tell(results: Results) -> None:
    note(f"taken for {_TAKEN[results.taken_for]}")
    for hit in results.hits:
        click.echo(hit.reference)
        _about(hit)
    for jotting in results.jotted:
        click.echo(f"{jotting.reference}\n  your {jotting.kind}: {' '.join(jotting.text.split())}")
    if results.taken_for == "pattern":
        note(f"permacite list {results.goes_to} lists what it covers")
    elif not (results.hits or results.jotted):
        hint = f"; permacite save {results.sought} archives it" if results.sought else ""
        note(f"nothing found{hint}")
    elif results.more:
        note("there is more: --limit, --offset")


def _about(hit: Hit) -> None:
    """What a place is, and the words around it."""
    title = " ".join((hit.title or "untitled").split())
    click.echo(f"  {title} · {hit.saved_at:%Y-%m-%d} · {hit.uri or hit.media_type}")
    if hit.words:
        click.echo(f"  … {hit.before} {click.style(hit.words, bold=True)} {hit.after} …")


@contextmanager
def _indexing() -> Iterator[Callable[[int, int], None] | None]:
    """Say on a terminal how far the index is."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True).status("indexing") as status:
        yield lambda done, size: status.update(f"indexing: {done:,} of {size:,}")
