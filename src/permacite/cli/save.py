"""Commands that bring documents in: save (from the web) and import (from files)."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from permacite.cli.access import chosen, standing_options
from permacite.cli.assertions import told_apart
from permacite.cli.output import counted, emit, json_option, note, report
from permacite.errors import PermaciteError
from permacite.service.ingest.deriving import Derivations
from permacite.service.ingest.files import files_in
from permacite.service.ingest.saving import Ingest
from permacite.service.transcripts.pairing import pairs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import date

    from permacite.service.ingest.deriving import Derived
    from permacite.service.ingest.saved import Saved

__all__ = ["derive", "import_", "save"]

MIB = 1024 * 1024
_STANDARD_INPUT = Path("-")
_OF_IMPORT = ("series", "new", "charset", "misquoted", "confirm_date")
"""Options of `import` that are handed on as they are; the rest say who may see it."""


_confirm_date = click.option(
    "--confirm-date",
    type=click.DateTime(["%Y-%m-%d"]),
    callback=lambda _ctx, _option, moment: None if moment is None else moment.date(),
    metavar="YYYY-MM-DD",
    help="Today in UTC, where a long pause and a clock that nothing bears out make it doubtful.",
)


@click.command()
@click.argument("uri")
@click.option("--series", help="Mint the name in this series of the archive.")
@click.option("--new", is_flag=True, help="Mint a new name even if this address is archived.")
@click.option("--allow-private", is_flag=True, help="Allow addresses of this machine or network.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0.1),
    default=60.0,
    show_default=True,
    help="Seconds for the whole page.",
)
@click.option(
    "--max-size",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="MiB for the whole page.",
)
@click.option(
    "--max-parts",
    type=click.IntRange(min=1),
    default=500,
    show_default=True,
    help="Resources of the page.",
)
@_confirm_date
@standing_options
@json_option
@click.pass_obj
def save(  # noqa: PLR0913 - one parameter an option
    folder: Path | None,
    /,
    uri: str,
    *,
    series: str | None,
    new: bool,
    allow_private: bool,
    timeout: float,
    max_size: int,
    max_parts: int,
    confirm_date: date | None,
    as_json: bool,
    **standing: Any,
) -> None:
    """Save the page at URI and all it shows, under a permanent name.

    A page that is archived already gets the next version of its name where it has changed, and
    its present name where it has not.
    """
    with Ingest.open(folder) as archive, _progress() as progress:
        saved = archive.save(
            uri,
            series=series,
            new=new,
            allow_private=allow_private,
            timeout_s=timeout,
            most_bytes=max_size * MIB,
            most_parts=max_parts,
            progress=progress,
            confirmed_date=confirm_date,
            standing=chosen(**standing),
        )
    _tell(saved, as_json=as_json)


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, allow_dash=True))
@click.option("--name", help="The file name of what comes by standard input: its ending tells.")
@click.option("--series", help="Mint the names in this series of the archive.")
@click.option("--new", is_flag=True, help="Mint new names even for bytes that are archived.")
@click.option("--charset", help="The charset of text files that are neither ASCII nor UTF-8.")
@click.option("--uri", help="The address that the file came from (with one file only).")
@click.option("--misquoted", is_flag=True, help="Take what differs from its sources; record it.")
@click.option("--transcript-of", metavar="PDI", help="The recording whose words the file holds.")
@click.option("--language", metavar="TAG", help="The language of that transcript, such as pt-BR.")
@_confirm_date
@standing_options
@json_option
@click.pass_context
def import_(
    ctx: click.Context,
    /,
    files: tuple[Path, ...],
    *,
    name: str | None,
    uri: str | None,
    transcript_of: str | None,
    language: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Archive local FILES, and all files in folders: pages, texts, XML, or anything else as it is.

    Each file gets a name of its own; bytes that are archived already are found under theirs. What
    can be cited of each, and how, is told. FILES may be - for standard input, with --name. A file
    that cannot be read is reported and the rest go on; the exit status is then the first fault's.
    Where no text can be made of a file it is kept, and a warning says why. Files of many pages
    (WARC, WACZ, HAR) are refused.

    A document that quotes by permanent names is refused where its words differ from those of its
    sources: both are shown. With --misquoted, and where the document is somebody else's (--uri, or
    an aggregate), it is archived, and the difference recorded.

    Captions (.vtt, .srt) are stated to be the transcript of --transcript-of, or of the recording
    that is imported with them under the same name: talk.mp4 and talk.vtt, or talk.en.vtt.
    """
    if (files == (_STANDARD_INPUT,)) != (name is not None):
        raise click.UsageError("- alone is standard input; it needs --name, and nothing else does")
    if uri and (len(files) > 1 or files[0].is_dir()):
        raise click.UsageError("--uri names the source of one file; import the others apart")
    if language and not transcript_of:
        raise click.UsageError("--language is that of a transcript: give --transcript-of too")
    options["standing"] = chosen(
        **{each: options.pop(each) for each in list(options) if each not in _OF_IMPORT}
    )
    options["confirmed_date"] = options.pop("confirm_date")
    status = 0
    results: dict[Path, Saved] = {}
    with Ingest.open(ctx.obj) as archive, counted("importing") as tick:
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
                    _tell(outcome, as_json=False)
        fault = _relate(archive, results, transcript_of, language, as_json=as_json)
    if as_json:
        emit(list(results.values()))
    ctx.exit(status or fault)


def _imported(
    archive: Ingest,
    files: tuple[Path, ...],
    options: dict[str, Any],
    *,
    name: str | None,
    uri: str | None,
) -> Iterator[tuple[Path, Saved | PermaciteError | OSError]]:
    """Commit files in their order, and yield what became of each."""
    if name is None and uri is None:
        yield from archive.add_files(files_in(files), **options)
        return
    try:
        content = sys.stdin.buffer.read() if name is not None else files[0].read_bytes()
        yield files[0], archive.add(content, name=name or files[0].name, uri=uri, **options)
    except (PermaciteError, OSError) as error:
        yield files[0], error


@click.command()
@click.argument("pdi", required=False)
@click.option("--all", "everything", is_flag=True, help="All versions of all documents.")
@click.option("--renew", is_flag=True, help="Make new versions where newer rules give other texts.")
@click.option("--after", metavar="PDI", help="With --all: go on behind this version.")
@json_option
@click.pass_obj
def derive(
    folder: Path | None,
    /,
    pdi: str | None,
    *,
    everything: bool,
    renew: bool,
    after: str | None,
    as_json: bool,
) -> None:
    """Give PDI, or all documents, the text that they lack: of formats that are read since.

    The text becomes a format of the same version. What has one is passed over, so that the command
    can be interrupted and run again; --after saves looking at what is done. Where newer rules would
    give another text, that is told; with --renew it becomes a new version of the same octets.

    Exit status: 0 done, also where no text can be made, 1 PDI is unknown, 2 bad name.
    """
    if everything == (pdi is not None) or (after and not everything):
        raise click.UsageError("give a name, or --all, which may go on --after a version")
    told: list[Derived] = []
    with Derivations.open(folder) as archive, counted("looking at versions") as tick:
        outcomes = (
            archive.derive_all(renew=renew, after=after)
            if pdi is None
            else [archive.derive(pdi, renew=renew)]
        )
        for outcome in outcomes:
            told.append(outcome)
            if tick is not None:
                tick(outcome)
            if not as_json and (pdi is not None or outcome.outcome not in {"present", "none"}):
                _tell_derived(outcome)
    if as_json:
        emit(told)
    elif everything:
        counts = Counter(outcome.outcome for outcome in told)
        note(", ".join(f"{many} {outcome}" for outcome, many in counts.items()) or "no versions")


def _tell_derived(outcome: Derived) -> None:
    click.echo(f"{outcome.outcome:10} {outcome.text or outcome.pdi}")
    if outcome.problem:
        note(f"  {outcome.pdi}: {outcome.problem}")


def _relate(
    archive: Ingest,
    imported: Mapping[Path, Saved],
    recording: str | None,
    language: str | None,
    *,
    as_json: bool,
) -> int:
    """State which recordings the captions are of, and return the exit status."""
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
            archive.state_transcript(name, of, language=tag)
        except PermaciteError as error:
            note(f"{name}: not stated to be a transcript")
            status = status or report(error, as_json=as_json)
        else:
            note(f"{name}: transcript of {of}")
    return status


def _tell(saved: Saved, *, as_json: bool) -> None:
    """Print what was committed, and what of the page is missing and why."""
    if as_json:
        emit(saved)
        return
    click.echo(saved.pdi)
    others = [item.pdi for item in saved.document.formats if item.pdi != saved.pdi]
    for name in others:
        click.echo(f"  also {name}")
    state = "unchanged since it was saved" if saved.unchanged else "committed"
    note(f"{state}: {saved.document.title or 'untitled'}")
    parts = "1 part" if saved.parts == 1 else f"{saved.parts} parts"
    note(f"{parts}, {saved.size_bytes:,} bytes received, {len(saved.lost)} not kept")
    if saved.citable:
        note(f"cite {', '.join(way.told for way in saved.citable)}")
    for warning in saved.warnings:
        note(f"  warning: {warning}")
    for quotation in saved.quotations:
        note(f"  quotes {quotation.cited}: {quotation.status} {quotation.problem}".rstrip())
        if quotation.status == "differs":
            note(told_apart(quotation))
    for lost in saved.lost:
        note(f"  {lost.reason}: {lost.uri} ({lost.problem})")


@contextmanager
def _progress() -> Iterator[Callable[[int, int, int], None] | None]:
    """Show a bar on a terminal's standard error; nothing where that is a file or a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - as long to import as all that starts
    from rich.progress import (  # noqa: PLC0415 - the same
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
    )

    columns = (TextColumn("saving"), BarColumn(), TextColumn("{task.completed}/{task.total} parts"))
    with Progress(*columns, DownloadColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("saving", total=1)

        def advance(done: int, known: int, size_bytes: int) -> None:
            bar.update(task, completed=done, total=known, description=f"{size_bytes:,} bytes")

        yield advance
