"""import: files, folders, crawls, bags, libraries, and standard input."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import click

from permacite.cli.access import chosen, standing_options
from permacite.cli.incoming.reports import confirm_date, tell
from permacite.cli.output import counted, emit, json_option, note, report
from permacite.errors import PermaciteError
from permacite.registry import Registry
from permacite.service.archive import Archive
from permacite.service.ingest.collections import files_in, is_bag, is_crawl, is_library
from permacite.service.ingest.options import CommitOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import TypeAlias

    from permacite.service.ingest.saved import Saved

    _Outcome: TypeAlias = tuple[list[Saved], int]

__all__ = ["import_"]

_collections = Registry(
    "permacite.collections",
    {
        "bag": "permacite.cli.incoming.collections:add_bag",
        "crawl": "permacite.cli.incoming.collections:add_crawl",
        "files of a library": "permacite.service.exchange.zotero_library:files_of",
        "library": "permacite.cli.incoming.collections:add_library",
        "pages of a crawl": "permacite.cli.incoming.collections:list_pages",
    },
    kind=FunctionType,
)
"""What is done with files that belong together whole."""

_STANDARD_INPUT = Path("-")
_OF_IMPORT = (
    "series",
    "new",
    "charset",
    "media_type",
    "misquoted",
    "confirm_date",
    "reviewed",
    "trust",
)
"""Options of `import` that are handed on as they are; the rest say who may see it."""


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True))
@click.option("--name", help="The file name of what comes by standard input: its ending tells.")
@click.option("--series", help="Mint the names in this series of the archive.")
@click.option("--new", is_flag=True, help="Mint new names even for bytes that are archived.")
@click.option("--reviewed", is_flag=True, help="Put tracked changes and comments in their texts.")
@click.option("--charset", help="The charset of text files that are neither ASCII nor UTF-8.")
@click.option(
    "--type", "media_type", metavar="TYPE", help="The media type of the files, such as text/html."
)
@click.option("--uri", help="The address that the file came from (with one file only).")
@click.option("--misquoted", is_flag=True, help="Take what differs from its sources; record it.")
@click.option("--transcript-of", metavar="PDI", help="The recording whose words the file holds.")
@click.option("--language", metavar="TAG", help="The language of that transcript, such as pt-BR.")
@click.option(
    "--page",
    "pages",
    multiple=True,
    metavar="ADDRESS",
    help="Of crawls, the pages at this address alone, * for anything (repeatable).",
)
@click.option(
    "--trust",
    multiple=True,
    metavar="WHOM",
    help="Of packages, who may sign: a domain, or a PEM file of roots or keys (repeatable).",
)
@click.option("--list-pages", is_flag=True, help="Tell what pages crawls hold; archive nothing.")
@confirm_date
@standing_options
@json_option
@click.pass_context
def import_(  # noqa: PLR0913 - each is an option
    ctx: click.Context,
    /,
    files: tuple[Path, ...],
    *,
    name: str | None,
    uri: str | None,
    transcript_of: str | None,
    language: str | None,
    pages: tuple[str, ...],
    list_pages: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Archive local FILES, and all files in folders: pages, texts, XML, or anything else as it is.

    Each file gets a name of its own; bytes that are archived already are found under theirs. What
    can be cited of each, and how, is told. FILES may be - for standard input, with --name. A file
    that cannot be read is reported and the rest go on; the exit status is then the first fault's.
    Where no text can be made of a file it is kept, and a warning says why.

    A page that a browser saved "complete" is one document with what its folder (X_files) holds. Of
    crawls (WARC, ARC, WACZ and HAR files) each page becomes one, with what it shows as far as the
    files have it; all of them together are one crawl. Their dates stay what the files claim. The
    same files again go on where an earlier import ended. Of a library of Zotero each file is one,
    with what its item states. Bags (BagIt) are checked whole, and refused if anything is wrong.

    A document that quotes by permanent names is refused where its words differ from those of its
    sources: both are shown. With --misquoted, and where the document is somebody else's (--uri, or
    an aggregate), it is archived, and the difference recorded.

    Of a DOCX the text has all tracked changes taken, and no comments, but with --reviewed.

    Captions (.vtt, .srt) are stated to be the transcript of --transcript-of, or of the recording
    that is imported with them under the same name: talk.mp4 and talk.vtt, or talk.en.vtt.
    """
    _check(files, name, uri, is_tagged=bool(language and not transcript_of))
    _settle(options)
    is_one = name is not None or uri is not None
    single, crawls, further = (files, [], []) if is_one else _parted(files)
    if (pages or list_pages) and not crawls:
        raise click.UsageError("pages are those of crawls, and none is among the files")
    if list_pages:
        _collections.load("pages of a crawl")(crawls, pages, as_json=as_json)
        return
    with Archive.open(ctx.obj) as archive:
        results, status = _import_files(
            archive, single, options, name=name, uri=uri, as_json=as_json
        )
        fault = _relate(archive, results, transcript_of, language, as_json=as_json)
    saved = list(results.values())
    if crawls:
        further.insert(0, (crawls, partial(_collections.load("crawl"), pages=pages)))
    for whole, add in further:
        more, trouble = add(ctx.obj, whole, options, as_json=as_json)
        saved, fault = saved + more, fault or trouble
    if as_json:
        emit(saved)
    ctx.exit(status or fault)


def _check(files: tuple[Path, ...], name: str | None, uri: str | None, *, is_tagged: bool) -> None:
    """Raise UsageError where what is told of one file comes with others."""
    if (files == (_STANDARD_INPUT,)) != (name is not None):
        raise click.UsageError("- alone is standard input; it needs --name, and nothing else does")
    if uri and (len(files) > 1 or files[0].is_dir()):
        raise click.UsageError("--uri names the source of one file; import the others apart")
    if is_tagged:
        raise click.UsageError("--language is that of a transcript: give --transcript-of too")


def _settle(options: dict[str, Any]) -> None:
    """Bring options under the names that the archive has for them."""
    options["standing"] = chosen(
        **{each: options.pop(each) for each in list(options) if each not in _OF_IMPORT}
    )
    options["rendition"] = "docx-reviewed-text" if options.pop("reviewed") else None
    options["confirmed_date"] = options.pop("confirm_date")


def _parted(
    files: tuple[Path, ...],
) -> tuple[tuple[Path, ...], list[Path], list[tuple[Path | list[Path], Callable[..., _Outcome]]]]:
    """Files that are documents, crawls, and bags and libraries, out of files and folders."""
    found = list(files_in(files))
    crawls = [file for file in found if is_crawl(file)]
    libraries = [file for file in found if is_library(file)]
    bags = [file for file in found if is_bag(file)]
    roots = [each for each in files if each.is_dir()]
    theirs = {
        each.resolve()
        for library in libraries
        for each in _collections.load("files of a library")(library, roots)
    }
    others = {*crawls, *libraries, *bags, *(file for file in found if file.resolve() in theirs)}
    further: list[tuple[Path | list[Path], Callable[..., _Outcome]]]
    further = [(each, _collections.load("bag")) for each in bags]
    further += [(each, partial(_collections.load("library"), roots=roots)) for each in libraries]
    return tuple(file for file in found if file not in others), crawls, further


def _import_files(
    archive: Archive,
    files: tuple[Path, ...],
    options: dict[str, Any],
    *,
    name: str | None,
    uri: str | None,
    as_json: bool,
) -> tuple[dict[Path, Saved], int]:
    """Commit files, tell of each, and return what became of them and the exit status."""
    status = 0
    results: dict[Path, Saved] = {}
    with counted("importing") as tick:
        for file, outcome in _imported(archive, files, options, name=name, uri=uri):
            if tick is not None:
                tick(file)
            if isinstance(outcome, PermaciteError):
                note(f"{file}: not imported")
                status = status or report(outcome, as_json=as_json)
            elif isinstance(outcome, OSError):
                note(f"permacite: {file}: {outcome.strerror}")
                status = status or 1
            else:
                results[file] = outcome
                if not as_json:
                    tell(outcome, as_json=False)
    return results, status


def _imported(
    archive: Archive,
    files: tuple[Path, ...],
    options: dict[str, Any],
    *,
    name: str | None,
    uri: str | None,
) -> Iterator[tuple[Path, Saved | PermaciteError | OSError]]:
    """Commit files in their order, and yield what became of each."""
    fields = {each: value for each, value in options.items() if each != "trust"}
    terms = CommitOptions(uri=uri, **fields)
    if name is None and uri is None:
        yield from archive.lists.files.add_files(files, terms)
        return
    try:
        path = files[0] if name is None else None
        content = sys.stdin.buffer.read() if path is None else path.read_bytes()
        name = name or files[0].name
        yield files[0], archive.add(content, terms, name=name, path=path)
    except (PermaciteError, OSError) as error:
        yield files[0], error


def _relate(
    archive: Archive,
    imported: Mapping[Path, Saved],
    recording: str | None,
    language: str | None,
    *,
    as_json: bool,
) -> int:
    """State which recordings the captions are of, and return the exit status."""
    if recording is None and len(imported) == 1:
        return 0  # captions and a recording are two files
    from permacite.service.transcripts import pairs_of

    status = 0
    if recording is None:
        pairs = [
            (imported[pair.captions].pdi, imported[pair.recording].pdi, pair.language)
            for pair in pairs_of(imported)
        ]
    else:
        pairs = [(saved.pdi, recording, language) for saved in imported.values()]
    for name, of, tag in pairs:
        try:
            archive.quotations.transcripts.state(name, of, language=tag)
        except PermaciteError as error:
            note(f"{name}: not stated to be a transcript")
            status = status or report(error, as_json=as_json)
        else:
            note(f"{name}: transcript of {of}")
    return status
