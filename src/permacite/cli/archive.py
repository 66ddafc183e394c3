"""Commands about the archive itself: init, list, show, export."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from permacite.cli.access import told
from permacite.cli.locations import LOCATION
from permacite.cli.output import at_option, emit, json_option, note, table
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from datetime import datetime

    from permacite.service.documents import Document, Format, Restriction, VersionNote
    from permacite.service.holdings import Exported
    from permacite.service.location import Location
    from permacite.service.transcripts import Related

__all__ = ["export", "init", "list_", "show"]

_LIKENESS = 0.6


@click.command()
@click.argument("directory", required=False, type=LOCATION)
@click.option("--series", default="my.archive.zz", show_default=True, help="Who mints the names.")
@click.option("--resolver", help="Base address under which `permacite serve` will be reached.")
@click.option(
    "--objects",
    metavar="ADDRESS",
    help="Keep the bytes in the store at s3://BUCKET/PREFIX; the environment says who may.",
)
@json_option
@click.pass_obj
def init(
    folder: Location | None,
    directory: Location | None,
    *,
    series: str,
    resolver: str | None,
    objects: str | None,
    as_json: bool,
) -> None:
    """Make a new archive in DIRECTORY (default: a folder of your user data).

    A location such as postgresql://HOST/DATABASE?schema=NAME&objects=/FOLDER&log-key=/FILE keeps
    its records in PostgreSQL. Passwords are found in PGPASSWORD and PGPASSFILE, not in locations.

    The series is the authority in every name, such as lab.example.us; its last part is a country
    code. The default is in a code that no country has, for archives that are nobody's but yours.

    With --objects, AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are
    read from the environment, then and whenever the archive is opened. They are kept nowhere.
    """
    with Archive.create(
        directory or folder, series=series, resolver=resolver, objects=objects
    ) as archive:
        about, cautions = archive.documents.about(), archive.copies.status.cautions()
    if as_json:
        emit(about)
    else:
        click.echo(f"archive {about.directory}\nseries  {about.series}\nresolver {about.resolver}")
    for caution in cautions:
        note(f"caution: {caution}")


@click.command("list")
@click.argument("pattern", required=False)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="How many to list at most.",
)
@click.option("--after", metavar="NAME", help="Go on behind this name, the last one of a list.")
@json_option
@click.pass_obj
def list_(
    folder: Location | None, pattern: str | None, *, limit: int, after: str | None, as_json: bool
) -> None:
    """List what is archived, oldest first.

    PATTERN is a name with `*` for any field (urn:pdi://lab.example.us/2026/11/*/*), or the start
    of one: a series, a year, a month or a day (lab.example.us/2026/11).
    """
    with Archive.open(folder) as archive:
        listing = archive.documents.list(pattern, limit=limit, after=after, fill=True)
        series = archive.documents.about().all_series
    if as_json:
        emit(listing)
        return
    rows = [
        (
            f"{document.pdi}",
            f"v{document.version}",
            " ".join(_marked(item) for item in document.formats),
            _titled(document),
        )
        for document in listing.documents
    ]
    table(("name", "version", "formats", "title"), rows)
    if not rows and pattern is not None:
        note(f"nothing here is covered by {pattern}")
        for near in difflib.get_close_matches(pattern, series, cutoff=_LIKENESS):
            note(f"did you mean {near}")
    if any(item.restricted for document in listing.documents for item in document.formats):
        note("[410], [451], [403]: not given out; `permacite show` tells why")
    if listing.next is not None:
        note(f"{len(rows)} shown; there are more: --after {listing.next}")


def _titled(document: Document) -> str:
    """A title, and of which recording this is the transcript."""
    recordings = ", ".join(document.transcript_of)
    return f"{document.title or ''}{f' (transcript of {recordings})' if recordings else ''}".strip()


def _marked(item: Format) -> str:
    """A format's token, with the status that answers if it is not given out."""
    return item.format if item.restricted is None else f"{item.format}[{item.restricted.status}]"


@click.command()
@click.argument("pdi")
@at_option
@json_option
@click.pass_obj
def show(folder: Location | None, pdi: str, *, when: datetime | None, as_json: bool) -> None:
    """Show all that is known of PDI: versions, formats, digests, source, citations.

    PDI may be the web address of a page that was saved: the last version, or that of a time.
    """
    with Archive.open(folder) as archive:
        shown = archive.documents.show(pdi, when=when)
    if as_json:
        emit(shown)
        return
    from permacite.service.ingest.directives import asked_in

    document = shown.document
    rows = [
        ("name", document.pdi),
        ("title", document.title),
        ("version", f"{document.version} of {', '.join(map(_numbered, shown.history))}"),
        ("source", document.uri),
        ("claimed" if document.reported else "retrieved", _moment(document.retrieved_at)),
        ("captured", document.reported and document.reported.told),
        ("committed", _moment(document.committed_at)),
        ("asks robots", ", ".join(asked_in(shown.provenance)) or None),
        ("restricted", _explained(document.restricted)),
        ("standing", told(shown.standing)),
        *(("transcript", _related(item)) for item in shown.transcripts),
        *(("transcript of", _related(item)) for item in shown.transcript_of),
        *(("note", remark) for remark in shown.remarks),
    ]
    table(("", ""), [row for row in rows if row[1] is not None])
    click.echo()
    columns = ["format", "type", "charset", "bytes", "digest"]
    formats: list[list[object]] = [
        [f.pdi, f.media_type, f.charset, f.size_bytes, f.digest] for f in document.formats
    ]
    if any(f.restricted for f in document.formats):
        columns.append("restricted")
        for row, item in zip(formats, document.formats, strict=True):
            row.append(_explained(item.restricted))
    table(columns, formats)
    if shown.citations:
        click.echo()
        table(("citation", "cited"), [(item.reference, item.told) for item in shown.citations])


def _related(item: Related) -> str:
    """A transcript, or what one is of, for people."""
    language = f" [{item.language}]" if item.language else ""
    return f"{item.pdi}{language} {item.title or ''}".rstrip()


def _numbered(version: VersionNote) -> str:
    """The number of a version, with the status that answers if it is not given out."""
    restriction = version.restricted
    return str(version.number) if restriction is None else f"{version.number}[{restriction.status}]"


def _explained(restriction: Restriction | None) -> str | None:
    """A restriction for people."""
    if restriction is None:
        return None
    what = f"{restriction.kind} ({restriction.status})"
    return f"{what}, {_moment(restriction.since)}: {restriction.reason}"


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else f"{moment:%Y-%m-%d %H:%M:%S} UTC"


@click.command()
@click.argument("pdi", required=False)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The file; - is standard output."
)
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@click.option(
    "--for-browsers",
    is_flag=True,
    help="Write the aggregate anew as browsers open it: derived, with other octets.",
)
@click.option(
    "--ocfl",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the whole archive as OCFL objects; `restore` reads them.",
)
@click.option(
    "--warc",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write what PDI covers, a pattern or all, as a WARC file (.warc or .warc.gz).",
)
@click.option(
    "--wacz",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The same as a WACZ file: with pages, their text, an index and a signature.",
)
@click.option(
    "--bag",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The same as a bag for deposit (BagIt): each format a file, with manifests.",
)
@click.pass_obj
def export(
    folder: Location | None,
    /,
    pdi: str | None,
    *,
    output: Path | None,
    force: bool,
    for_browsers: bool,
    **forms: Path | None,
) -> None:
    """Write PDI to a file: exactly the stored octets of the format that PDI names.

    A name without a format means the aggregate of the whole page, if there is one. Browsers open
    few aggregates as they are stored: --for-browsers writes one anew for them, and says so.

    Exit status: 0 written, 1 unknown, withdrawn, or the file is there, 2 bad name.
    """
    copies = {form: path for form, path in forms.items() if path is not None}
    if len(copies) + (output is not None) > 1 or ("ocfl" in copies and pdi):
        problem = "give one of -o, --ocfl, --warc, --wacz and --bag; --ocfl takes the whole archive"
        raise click.UsageError(problem)
    if pdi is None and not copies:
        raise click.UsageError("give a name, or --ocfl, --warc, --wacz or --bag")
    if for_browsers and copies:
        raise click.UsageError("--for-browsers is for one page")
    if copies:
        _copy(folder, pdi, *next(iter(copies.items())))
        return
    with Archive.open(folder) as archive:
        exported = archive.documents.export(pdi or "", for_browsers=for_browsers)
    _write(exported, output, force=force)


def _copy(folder: Location | None, pdi: str | None, form: str, target: Path) -> None:
    """Write the archive, or what a pattern covers, in a form of others."""
    from permacite.service.preservation import Copy

    with Archive.open(folder) as archive:
        written = archive.copies.export(form, target, pdi)
    if isinstance(written, Copy):
        note(f"{written.documents} documents, {written.versions} versions -> {written.directory}")
    else:
        what = "files" if form == "bag" else "records"
        note(f"{written.versions} versions, {written.records} {what} -> {target}")


def _write(exported: Exported, output: Path | None, *, force: bool) -> None:
    """Write one format to its file, or to standard output."""
    if exported.derived:
        note(f"derived from {exported.pdi}, whose stored octets are others: written for browsers")
    if output == Path("-"):
        sys.stdout.buffer.write(exported.content)
        return
    target = output or Path(exported.suggested_name)
    if target.exists() and not force:
        raise click.ClickException(f"{target} is there already; --force replaces it")
    target.write_bytes(exported.content)
    note(f"{exported.pdi} -> {target} ({len(exported.content)} bytes, {exported.media_type})")
