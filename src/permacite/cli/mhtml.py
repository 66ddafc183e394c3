"""Commands about aggregate documents: ls, cat, links, check, extract, pack, export, mail."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from permacite.cli.output import emit, json_option, note, table
from permacite.service import aggregates

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permacite.service.aggregates import Disclosed, Made, Matching, Profile, Source

__all__ = ["mhtml"]

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


class _File(click.Path):
    """A file's path, or `-` for what standard input holds."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, readable=True, allow_dash=True)

    def convert(  # type: ignore[override]  # it gives what a source may be
        self,
        value: str,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Source:
        """Return the path, or the octets of standard input."""
        path = super().convert(value, param, ctx)
        return sys.stdin.buffer.read() if path == "-" else Path(os.fsdecode(path))


@click.group()
def mhtml() -> None:
    """Read, check, unpack and write aggregate documents (MHTML, RFC 2557).

    FILE is an .mhtml, .mht or .eml file; - is standard input. PART is a part's number, as `ls`
    shows it, or its URI.
    """


@mhtml.command("ls")
@click.argument("file", type=_File())
@json_option
def list_parts(file: Source, *, as_json: bool) -> None:
    """List the parts of FILE; * marks the one that is shown."""
    listing = aggregates.list_parts(file)
    if as_json:
        emit(listing)
        return
    rows = [
        (
            each.path + ("*" if each.is_root else ""),
            each.content_type,
            each.transfer_encoding,
            each.size_bytes,
            each.content_location or (each.content_id and f"cid:{each.content_id}"),
        )
        for each in listing.parts
    ]
    table(("part", "type", "encoding", "bytes", "label"), rows, title=listing.subject or "")
    if listing.faults:
        note(f"{len(listing.faults)} faults of structure; `permacite mhtml check` says which")


@mhtml.command()
@click.argument("file", type=_File())
@click.argument("part", required=False)
@click.option("--raw", is_flag=True, help="As it stands in the file: heading and encoded body.")
@json_option
def cat(file: Source, part: str | None, *, raw: bool, as_json: bool) -> None:
    """Write the decoded content of PART (default: the part that is shown) to standard output."""
    found = aggregates.part(file, part)
    if as_json:
        emit(found)
        return
    sys.stdout.buffer.write(found.raw if raw else found.content)


@mhtml.command()
@click.argument("file", type=_File())
@click.option("--within", metavar="PART", help="Only the references of this part.")
@click.option("--embedded", is_flag=True, help="Only what is shown with the page.")
@click.option(
    "--matching",
    type=click.Choice(["rfc", "browser"]),
    default="browser",
    show_default=True,
    help="rfc: octets alone are compared. browser: then also as browsers compare.",
)
@json_option
def links(
    file: Source, *, within: str | None, embedded: bool, matching: Matching, as_json: bool
) -> None:
    """List the references in FILE, and which part satisfies each, and why."""
    found = [
        each
        for each in aggregates.links(file, within, profile=matching)
        if each.role == "embed" or not embedded
    ]
    if as_json:
        emit(found)
        return
    rows = [
        (each.within, each.reference, each.part or each.kind, each.matched_by, each.uri)
        for each in found
    ]
    table(("in", "reference", "part", "by", "URI"), rows)


@mhtml.command()
@click.argument("file", type=_File())
@json_option
@click.pass_context
def check(ctx: click.Context, file: Source, *, as_json: bool) -> None:
    """Read all of FILE; say what is wrong, what is missing, and what is private in it.

    Exit status: 0 nothing is wrong or missing, 1 something is, 2 it is no message at all.
    """
    found = aggregates.check(file)
    if as_json:
        emit(found)
    else:
        for fault in found.faults:
            click.echo(f"{fault.code} at {fault.offset}: {_of(fault.path)}{fault.problem}")
        for link in found.missing:
            click.echo(f"missing: {_of(link.within)}{link.uri}")
        _warn(found.disclosed)
        click.echo(f"{len(found.faults)} faults, {len(found.missing)} missing")
    ctx.exit(0 if found.sound else 1)


def _of(path: str) -> str:
    return f"part {path}: " if path else ""


def _warn(disclosed: Iterable[Disclosed]) -> None:
    for each in disclosed:
        note(f"private: {each.kind} in part {each.path}: {each.detail}")


@mhtml.command()
@click.argument("file", type=_File())
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False))
@force_option
@json_option
def extract(file: Source, directory: Path, *, force: bool, as_json: bool) -> None:
    """Write the parts of FILE into DIRECTORY, with aggregate.json, which says what they were.

    Names are made safe: no part can name a file outside of DIRECTORY, nor follow a link there.
    """
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for unpacked in aggregates.unpack(file):
        _write(directory / unpacked.name, unpacked.content, force=force)
        written.append(unpacked)
    if as_json:
        emit(written)
    else:
        table(("bytes", "file"), [(each.size_bytes, each.name) for each in written])


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


@mhtml.command()
@click.argument("directory", type=click.Path(path_type=Path, file_okay=False, exists=True))
@output_option
@profile_option
@force_option
@json_option
def pack(directory: Path, *, output: Path, profile: Profile, force: bool, as_json: bool) -> None:
    """Make one aggregate of the files in DIRECTORY, by their aggregate.json or by their names.

    Without aggregate.json the page is index.html, or the first page, and names are labels.
    """
    _finish(aggregates.pack(_files_in(directory), profile=profile), output, force, as_json=as_json)


def _files_in(directory: Path) -> dict[str, bytes]:
    """Return the files of a folder by their relative names; links are not followed."""
    files, left = {}, _MOST_BYTES
    for path in sorted(directory.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        left -= path.stat().st_size
        if left < 0:
            raise click.ClickException(f"{directory} holds more than {_MOST_BYTES} bytes")
        files[path.relative_to(directory).as_posix()] = path.read_bytes()
    return files


def _finish(made: Made, output: Path, force: bool, *, as_json: bool) -> None:  # noqa: FBT001 - passed on
    """Write what was made, and warn of what is private in it."""
    _warn(made.disclosed)
    changed = [each.path for each in made.parts if each.changed]
    if changed and made.profile == "mail":
        note(f"line ends made canonical, so that digests differ: parts {', '.join(changed)}")
    if output == Path("-"):
        if as_json:
            raise click.UsageError("--json needs --output: the file is on standard output")
        sys.stdout.buffer.write(made.content)
        return
    _write(output, made.content, force=force)
    if as_json:
        emit(made)
    else:
        note(f"{output}: {made.size_bytes} bytes, {len(made.parts)} parts, {made.digest}")


@mhtml.command()
@click.argument("file", type=_File())
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
        _finish(_rewritten(file, form), output, force, as_json=False)
        return
    made = aggregates.page(file, part)
    for uri in made.unresolved:
        note(f"missing: {uri}")
    for uri in made.left_out:
        note(f"left out: {uri}")
    if output == Path("-"):
        click.echo(made.html, nl=False)
    else:
        _write(output, made.html.encode("utf-8", "replace"), force=force)


def _rewritten(file: Source, form: str) -> Made:
    profiles: dict[str, Profile] = {"archive": "archive", "mail": "mail", "chromium": "chromium"}
    return aggregates.rewrite(file, profile=profiles[form])


@mhtml.command()
@click.argument("file", type=_File())
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
    made = aggregates.mail(file, sender=sender, recipients=recipients, subject=subject)
    _finish(made, output, force, as_json=as_json)
