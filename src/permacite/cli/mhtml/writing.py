"""Commands that write aggregate documents, or what is in them: extract, pack, export, mail."""

from __future__ import annotations

import dataclasses
import io
import sys
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from permacite import mhtml as aggregates
from permacite.cli.mhtml.reading import MhtmlFile, disclosed, disclosures, part_of, warn
from permacite.cli.output import emit, json_option, note, table

if TYPE_CHECKING:
    from permacite.cli.mhtml.reading import Source
    from permacite.mhtml import Packed, Profile, WrittenPart

__all__ = ["export", "extract", "mail", "pack"]

_MOST_BYTES = 2 * 1024**3
"""A folder that is larger is not packed: it would have to fit into memory."""

output_option = click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    default="-",
    help="The file to write. Default: standard output.",
)
force_option = click.option("--force", is_flag=True, help="Replace files that are there.")
profile_option = click.option(
    "--profile",
    type=click.Choice(["archive", "mail", "chromium"]),
    default="archive",
    show_default=True,
    help="archive: octets as they are. mail: passes any mail system. chromium: for browsers.",
)


@click.command()
@click.argument("file", type=MhtmlFile())
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@force_option
@json_option
def extract(file: Source, directory: Path, *, force: bool, as_json: bool) -> None:
    """Write the parts of FILE into DIRECTORY, with aggregate.json, which says what they were.

    Names are made safe: no part can name a file outside of DIRECTORY, nor follow a link there.
    """
    directory.mkdir(parents=True, exist_ok=True)
    sizes: dict[str, int] = {}
    with aggregates.open(file) as aggregate:
        for part in aggregates.extract(aggregate):
            _write(directory / part.name, part.content, force=force)
            sizes[part.name] = len(part.content)
    if as_json:
        emit([{"name": name, "size_bytes": size} for name, size in sizes.items()])
    else:
        table(("bytes", "file"), [(size, name) for name, size in sizes.items()])


def _write(path: Path, content: bytes, *, force: bool) -> None:
    """Write a file that is not there; with `force`, replace what has its name, even a link."""
    if force:
        path.unlink(missing_ok=True)
    try:
        # "x" refuses a link that stands there, wherever it leads.
        with path.open("xb") as stream:
            stream.write(content)
    except FileExistsError as error:
        raise click.ClickException(f"{path} is there already; --force replaces it") from error


@click.command()
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False, exists=True))
@output_option
@profile_option
@force_option
@json_option
def pack(directory: Path, *, output: Path, profile: Profile, force: bool, as_json: bool) -> None:
    """Make one aggregate of the files in DIRECTORY, by their aggregate.json or by their names.

    Without aggregate.json the page is index.html, or the first page, and names are labels.
    """
    packed = aggregates.pack(_files_in(directory))
    _finish(packed, profile, output, force=force, as_json=as_json)


def _files_in(directory: Path) -> dict[str, bytes]:
    """The files of a folder by their relative names; links are not followed."""
    files, left = {}, _MOST_BYTES
    for path in sorted(directory.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        left -= path.stat().st_size
        if left < 0:
            raise click.ClickException(f"{directory} holds more than {_MOST_BYTES} bytes")
        files[path.relative_to(directory).as_posix()] = path.read_bytes()
    return files


def _finish(packed: Packed, profile: Profile, output: Path, *, force: bool, as_json: bool) -> None:
    """Write an aggregate, and warn of what is private in it."""
    stream = io.BytesIO()
    written = packed.write(stream, profile)
    content, digest = stream.getvalue(), f"sha-256:{written.digest}"
    with aggregates.open(content) as aggregate:
        private = list(disclosures(aggregate))
    warn(private)
    changed = [part.path for part in written.parts if part.changed]
    if changed and profile == "mail":
        note(f"line ends made canonical, so that digests differ: parts {', '.join(changed)}")
    if output == Path("-"):
        if as_json:
            raise click.UsageError("--json needs --output: the file is on standard output")
        sys.stdout.buffer.write(content)
        return
    _write(output, content, force=force)
    if not as_json:
        note(f"{output}: {written.size_bytes} bytes, {len(written.parts)} parts, {digest}")
        return
    emit(
        {
            "profile": profile,
            "size_bytes": written.size_bytes,
            "digest": digest,
            "parts": list(map(_part, written.parts)),
            "disclosed": list(map(disclosed, private)),
        }
    )


def _part(part: WrittenPart) -> dict[str, object]:
    """A part as it was written. Digests are of the content given, and of what is decoded from it.

    They differ where line ends were made canonical; `dropped` names the fields that this breaks.
    """
    return {
        "path": part.path,
        "content_type": part.content_type,
        "content_location": part.content_location,
        "content_id": part.content_id,
        "transfer_encoding": part.transfer_encoding,
        "changed": part.changed,
        "digest_given": f"sha-256:{part.digest_given}",
        "digest_written": f"sha-256:{part.digest_written}",
        "dropped": part.dropped,
    }


@click.command()
@click.argument("file", type=MhtmlFile())
@click.argument("part", required=False)
@output_option
@force_option
@click.option(
    "--as",
    "form",
    type=click.Choice(["html", "archive", "mail", "chromium"]),
    default="html",
    show_default=True,
    help="html: one page that holds all it shows and runs nothing. Else: an aggregate.",
)
def export(file: Source, part: str | None, *, output: Path, force: bool, form: str) -> None:
    """Write FILE anew: as one self-contained page, or as an aggregate for a purpose.

    PART is the page to show, by its number or URI; only for html.
    """
    if form != "html":
        if part is not None:
            raise click.UsageError("PART is for --as html")
        profiles: dict[str, Profile] = {"mail": "mail", "chromium": "chromium"}
        profile = profiles.get(form, "archive")
        _finish(_packed(file), profile, output, force=force, as_json=False)
        return
    with aggregates.open(file) as aggregate:
        shown = None if part is None else part_of(aggregate, part)
        page = aggregates.export.single_html(aggregate, shown)
    for uri in page.unresolved:
        note(f"missing: {uri}")
    for uri in page.left_out:
        note(f"left out: {uri}")
    if output == Path("-"):
        click.echo(page.html, nl=False)
    else:
        _write(output, page.html.encode("utf-8", "replace"), force=force)


def _packed(file: Source) -> Packed:
    """What an aggregate was built of."""
    with aggregates.open(file) as aggregate:
        root, resources = aggregates.contents_of(aggregate)
        return aggregates.Packed(
            root, tuple(resources), aggregate.subject, content_location=aggregate.location
        )


@click.command()
@click.argument("file", type=MhtmlFile())
@click.option("--from", "sender", required=True, help="Who sends it.")
@click.option("--to", "recipients", required=True, multiple=True, help="Who gets it; repeatable.")
@click.option("--subject", help="Default: that of FILE.")
@output_option
@force_option
@json_option
def mail(
    file: Source,
    *,
    sender: str,
    recipients: tuple[str, ...],
    subject: str | None,
    output: Path,
    force: bool,
    as_json: bool,
) -> None:
    """Write FILE as a mail message that any mail system passes on unharmed. Nothing is sent.

    Text gets CRLF line ends; which digests that changes, and what is private in the page, is said
    on standard error.
    """
    packed = dataclasses.replace(
        _packed(file),
        date=format_datetime(datetime.now(UTC)),
        headers=(("From", sender), ("To", ", ".join(recipients))),
    )
    if subject:
        packed = dataclasses.replace(packed, subject=subject)
    _finish(packed, "mail", output, force=force, as_json=as_json)
