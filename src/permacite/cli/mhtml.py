"""Commands about aggregate documents: ls, cat, links, check, extract, pack, export, mail."""

from __future__ import annotations

import dataclasses
import io
import os
import sys
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from permacite import mhtml as aggregates
from permacite.cli.output import emit, json_option, note, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permacite.mhtml import (
        Aggregate,
        BodyPart,
        Defect,
        Disclosure,
        Matching,
        Packed,
        Profile,
        WrittenPart,
    )

__all__ = ["MhtmlFile", "mhtml"]

Source = bytes | Path
"""The octets of an aggregate, or the path of a file, which is then read in pieces."""
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


class MhtmlFile(click.Path):
    """A file's path, or `-` for what standard input holds."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, readable=True, allow_dash=True)

    def convert(  # type: ignore[override]  # it gives what a source may be
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> Source:
        """The path, or the octets of standard input."""
        path = super().convert(value, param, ctx)
        return sys.stdin.buffer.read() if path == "-" else Path(os.fsdecode(path))


@click.group()
def mhtml() -> None:
    """Read, check, unpack and write aggregate documents (MHTML, RFC 2557).

    FILE is an .mhtml, .mht or .eml file; - is standard input. PART is a part's number, as `ls`
    shows it, or its URI.
    """


@mhtml.command("ls")
@click.argument("file", type=MhtmlFile())
@json_option
def list_parts(file: Source, *, as_json: bool) -> None:
    """List the parts of FILE; * marks the one that is shown."""
    with aggregates.open(file) as aggregate:
        parts, root, faults = aggregate.body_parts, aggregate.root, aggregate.structure_defects
        if as_json:
            emit(
                {
                    "subject": aggregate.subject,
                    "content_location": aggregate.location,
                    "size_bytes": aggregate.size_bytes,
                    "parts": [_described(part, is_root=part is root) for part in parts],
                    "faults": list(map(_fault, faults)),
                }
            )
            return
        rows = [
            (
                part.path + ("*" if part is root else ""),
                part.content_type,
                part.transfer_encoding,
                part.end - part.body_offset,
                part.content_location or (part.content_id and f"cid:{part.content_id}"),
            )
            for part in parts
        ]
        title = aggregate.subject or ""
    table(("part", "type", "encoding", "bytes", "label"), rows, title=title)
    if faults:
        note(f"{len(faults)} faults of structure; `permacite mhtml check` says which")


def _described(part: BodyPart, *, is_root: bool) -> dict[str, object]:
    """A body part; its size is that of its body as it stands, encoded."""
    return {
        "path": part.path,
        "content_type": part.content_type,
        "charset": None if part.body_parts else part.charset,
        "content_location": part.content_location,
        "content_id": part.content_id,
        "transfer_encoding": part.transfer_encoding,
        "offset": part.offset,
        "size_bytes": part.end - part.body_offset,
        "is_root": is_root,
    }


def _fault(defect: Defect) -> dict[str, object]:
    """Something wrong that was tolerated; the offset counts the file's octets."""
    return {name: getattr(defect, name) for name in ("code", "path", "offset", "problem", "spec")}


@mhtml.command()
@click.argument("file", type=MhtmlFile())
@click.argument("part", required=False)
@click.option("--raw", is_flag=True, help="As it stands in the file: heading and encoded body.")
@json_option
def cat(file: Source, part: str | None, *, raw: bool, as_json: bool) -> None:
    """Write the decoded content of PART (default: the part that is shown) to standard output."""
    with aggregates.open(file) as aggregate:
        body_part = aggregate.root if part is None else part_of(aggregate, part)
        content = body_part.content
        if not as_json:
            sys.stdout.buffer.write(body_part.raw if raw else content)
            return
        emit(
            {
                "path": body_part.path,
                "content_type": body_part.content_type,
                "charset": body_part.charset,
                "size_bytes": len(content),
            }
        )


def part_of(aggregate: Aggregate, name: str) -> BodyPart:
    """A part by its number, or by a reference to it. Raises NotFoundError."""
    resolution = aggregate.resolve(name, profile="browser")
    if resolution.root is not None and resolution.matched_by != "same-document":
        return resolution.root
    return aggregate.part(name)


@mhtml.command()
@click.argument("file", type=MhtmlFile())
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
    with aggregates.open(file) as aggregate:
        parts = aggregate.body_parts if within is None else (aggregate.part(within),)
        targets = list(_targets(aggregate, parts, matching, embedded=embedded))
    if as_json:
        emit(targets)
        return
    columns = ("within", "reference", "answer", "matched_by", "uri")
    rows = [
        [(each | {"answer": each["part"] or each["kind"]})[column] for column in columns]
        for each in targets
    ]
    table(("in", "reference", "part", "by", "URI"), rows)


def _targets(
    aggregate: Aggregate, parts: Iterable[BodyPart], matching: Matching, *, embedded: bool
) -> Iterator[dict[str, object]]:
    """The references of parts, each with what satisfies it and why (RFC 2557 §5, §8).

    `part` is what answers, `shown` the part that is shown for it: for an aggregate, its root.
    """
    for part in parts:
        content = b"" if part.body_parts else part.content
        for link in aggregates.links.references(content, part.content_type, part.charset):
            if link.role == "base" or (embedded and link.role != "embed"):
                continue
            target = aggregate.resolve(link.value, within=part, profile=matching)
            yield {
                "within": part.path,
                "reference": link.value,
                "element": link.element,
                "attribute": link.attribute,
                "role": link.role,
                "kind": target.kind,
                "uri": target.uri,
                "part": None if target.part is None else target.part.path,
                "shown": None if target.root is None else target.root.path,
                "matched_by": target.matched_by,
                "label": target.label,
                "profile": target.profile,
                "base": target.base,
                "base_from": target.base_from,
                "faults": [defect.code for defect in target.defects],
            }


@mhtml.command()
@click.argument("file", type=MhtmlFile())
@json_option
@click.pass_context
def check(ctx: click.Context, file: Source, *, as_json: bool) -> None:
    """Read all of FILE; say what is wrong, what is missing, and what is private in it.

    Exit status: 0 nothing is wrong or missing, 1 something is, 2 it is no message at all.
    """
    with aggregates.open(file) as aggregate:
        faults = list(map(_fault, aggregate.defects))
        private = list(disclosures(aggregate))
        embedded = _targets(aggregate, aggregate.body_parts, "browser", embedded=True)
        missing = [each for each in embedded if each["part"] is None and _is_fetched(each["uri"])]
    if as_json:
        emit({"faults": faults, "missing": missing, "disclosed": list(map(disclosed, private))})
    else:
        for fault in faults:
            place = f"{fault['code']} at {fault['offset']}"
            click.echo(f"{place}: {_of(fault['path'])}{fault['problem']}")
        for link in missing:
            click.echo(f"missing: {_of(link['within'])}{link['uri']}")
        warn(private)
        click.echo(f"{len(faults)} faults, {len(missing)} missing")
    ctx.exit(1 if faults or missing else 0)


def _is_fetched(uri: object) -> bool:
    """Whether a URI means something elsewhere, not something that it holds itself."""
    return not str(uri).lower().startswith(("data:", "about:", "javascript:"))


def _of(path: object) -> str:
    return f"part {path}: " if path else ""


def disclosures(aggregate: Aggregate) -> Iterator[Disclosure]:
    """What the parts of an aggregate give away; offsets count a part's decoded text."""
    for part in aggregate.body_parts:
        if not part.body_parts:
            charset = "" if part.charset is None else f"; charset={part.charset}"
            content_type = part.content_type + charset
            labelled = (part.path, part.content, content_type, part.content_location)
            yield from aggregates.disclosures([labelled])


def disclosed(disclosure: Disclosure) -> dict[str, object]:
    """A disclosure as JSON has it."""
    return {
        "kind": disclosure.kind,
        "path": disclosure.where,
        "offset": disclosure.offset,
        "detail": disclosure.detail,
    }


def warn(private: Iterable[Disclosure]) -> None:
    """Print what is private to standard error."""
    for disclosure in private:
        note(f"private: {disclosure.kind} in part {disclosure.where}: {disclosure.detail}")


@mhtml.command()
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


@mhtml.command()
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


@mhtml.command()
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
