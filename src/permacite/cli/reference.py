"""The command about what a document says of itself: reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from permacite.cli.output import emit, json_option, note, table
from permacite.service.citations.describing import References

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["reference"]


@click.command()
@click.argument("pdi")
@click.option("--style", metavar="STYLE", help="Print it as a style does: apa, mla, chicago, ...")
@json_option
@click.pass_obj
def reference(folder: Path | None, /, pdi: str, *, style: str | None, as_json: bool) -> None:
    """Say what the document PDI states of itself: who wrote it, when, where it appeared.

    Each value is told with the place that states it. What is wrong or missing is added by a
    statement, such as `permacite assert PDI dcterms:creator "Lee, Ann; Ek, Bo"`; it counts first.
    """
    with References.open(folder) as archive:
        if style is not None:
            printed = archive.styled(pdi, style)
            if as_json:
                emit({"style": style, "text": printed})
            else:
                click.echo(printed)
            return
        description = archive.describe(pdi)
    if as_json:
        emit(description)
        return
    click.echo(f"{description.pdi}: {description.type}")
    if description.details:
        rows = [(each.field, each.value, each.stated) for each in description.details]
        table(("field", "value", "stated"), rows)
    else:
        note("it states nothing of itself; `permacite assert` can")
