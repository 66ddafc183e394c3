"""annotations: what was cited and noted for other programs, and theirs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TextIO

import click

from permacite.cli.output import note
from permacite.errors import ParseError, PermaciteError
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from permacite.service.location import Location

__all__ = ["annotations_"]

_MOST_OCTETS = 100_000_000


@click.command("annotations")
@click.option(
    "--export",
    "target",
    type=click.File("w", encoding="utf-8"),
    default="-",
    help="Write them to this file; - prints, and is what is done by default.",
)
@click.option("--import", "source", type=click.File("rb"), help="Take in those of a file.")
@click.pass_obj
def annotations_(folder: Location | None, /, *, target: TextIO, source: Any | None) -> None:
    """Write what was cited, noted and tagged as Web Annotations; or take in those of others.

    What annotations select is cited, in documents that are here, by name or by web address; what
    they say becomes notes and tags, which are yours alone. Pages and collections of annotations are
    read, lists of them, and what the API of Hypothesis answers to a search.

    Exit status: 0 done, 1 some select nothing here, 2 there are no annotations.
    """
    with Archive.open(folder) as archive:
        annotations = archive.lists.importer("annotations")
        if source is None:
            json.dump(annotations.page(), target, ensure_ascii=False, indent=1)
            target.write("\n")
            return
        status = 0
        try:
            text = source.read(_MOST_OCTETS).decode()
        except UnicodeDecodeError as error:
            raise ParseError("expected UTF-8", "", error.start, "RFC 8259") from error
        for name, outcome in annotations.add(text):
            if isinstance(outcome, PermaciteError):
                note(f"{name}: not taken in: {outcome.problem}")
                status = 1
            else:
                click.echo(outcome)
        click.get_current_context().exit(status)
