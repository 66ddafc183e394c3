"""Commands of the owner's own order: tag, collection, note, jottings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TextIO

import click

from permacite.cli.output import emit, json_option, note, table
from permacite.errors import ParseError
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from permacite.service.assertions.jottings import JotKind, Jotting
    from permacite.service.location import Location

__all__ = ["collection", "jottings", "note_", "tag"]

_MOST_OCTETS = 100_000_000
"""Of what is brought in."""


def _changing(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a command that keeps jottings."""
    for option in (
        click.option("--who", help="Who says so, where it is published."),
        click.option("--publish", is_flag=True, help="State it to all as well, in the log."),
        click.option("--remove", is_flag=True, help="Take it away."),
    ):
        command = option(command)
    return command


@click.command()
@click.argument("reference")
@click.argument("tags", nargs=-1, metavar="[TAG]...")
@_changing
@json_option
@click.pass_obj
def tag(
    folder: Location | None, /, reference: str, tags: tuple[str, ...], *, as_json: bool, **how: Any
) -> None:
    """Tag the document REFERENCE, a name or a web address; without TAG, list its tags.

    Tags are yours alone: no server tells them to others, and no log holds them. With --publish they
    are statements as well, which stay.

    Exit status: 0 done, 1 it is unknown, or has no such tag, 2 a tag or a name is wrong.
    """
    with Archive.open(folder) as archive:
        for text in tags:
            _change(archive, reference, "tag", text, **how)
        _tell(archive.annotations.list(reference, kind="tag"), as_json=as_json)


@click.command()
@click.argument("name")
@click.argument("references", nargs=-1, metavar="[REFERENCE]...")
@_changing
@json_option
@click.pass_obj
def collection(
    folder: Location | None, /, name: str, references: tuple[str, ...], *, as_json: bool, **how: Any
) -> None:
    """Put documents into the collection NAME; without REFERENCE, list what is in it.

    Collections are yours alone, as tags are, and keep the order in which things were put in.

    Exit status: 0 done, 1 a document is unknown, or not in it, 2 a name is wrong.
    """
    with Archive.open(folder) as archive:
        for reference in references:
            _change(archive, reference, "collection", name, **how)
        _tell(
            archive.annotations.list(kind="collection", text=" ".join(name.split())),
            as_json=as_json,
        )


@click.command("note")
@click.argument("reference")
@click.argument("text", required=False)
@_changing
@json_option
@click.pass_obj
def note_(
    folder: Location | None, /, reference: str, text: str | None, *, as_json: bool, **how: Any
) -> None:
    """Write a note on REFERENCE, a document or a part of it; without TEXT, list its notes.

    Notes are yours alone, as tags are. --remove takes the note with this text away.

    Exit status: 0 done, 1 it is unknown, or has no such note, 2 a note or a name is wrong.
    """
    with Archive.open(folder) as archive:
        if text is not None:
            _change(archive, reference, "note", text, **how)
        _tell(archive.annotations.list(reference, kind="note"), as_json=as_json)


def _change(
    archive: Archive,
    reference: str,
    kind: JotKind,
    text: str,
    *,
    remove: bool,
    publish: bool,
    who: str | None,
) -> None:
    if remove:
        archive.annotations.remove(reference, kind, text)
        return
    jotting = archive.annotations.annotate(reference, kind, text)
    if publish:
        archive.annotations.publish(jotting.reference, kind, jotting.text, who=who)
        note(f"stated to all: {jotting.text}")


@click.command()
@click.argument("reference", required=False)
@click.option(
    "--export",
    "target",
    type=click.File("w", encoding="utf-8"),
    help="Write all as JSON; - prints.",
)
@click.option("--import", "source", type=click.File("rb"), help="Take in what --export wrote.")
@json_option
@click.pass_obj
def jottings(
    folder: Location | None,
    /,
    reference: str | None,
    *,
    target: TextIO | None,
    source: Any | None,
    as_json: bool,
) -> None:
    """List the tags, collections and notes of REFERENCE, or of all; or write or read them as JSON.

    Exit status: 0 done, 1 some documents of an import are not here, 2 it is no export.
    """
    with Archive.open(folder) as archive:
        if source is not None:
            read, unknown = archive.annotations.load(_json(source.read(_MOST_OCTETS)))
            note(f"{read} jottings read")
            for name in unknown:
                note(f"not here: {name}")
            click.get_current_context().exit(1 if unknown else 0)
        if target is not None:
            json.dump(archive.annotations.export(), target, ensure_ascii=False, indent=1)
            target.write("\n")
            return
        _tell(archive.annotations.list(reference), as_json=as_json)


def _json(octets: bytes) -> object:
    try:
        return json.loads(octets)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"expected JSON: {error}", "", 0, "RFC 8259") from None


def _tell(found: Sequence[Jotting], *, as_json: bool) -> None:
    if as_json:
        emit(found)
    elif found:
        rows = [(each.kind, " ".join(each.text.split()), each.reference) for each in found]
        table(("kind", "text", "reference"), rows)
    else:
        note("there are none")
