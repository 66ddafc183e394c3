"""Commands about statements: assert, assertions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from permacite.cli.output import emit, json_option, table
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["assert_", "assertions"]


@click.command("assert")
@click.argument("subject")
@click.argument("predicate")
@click.argument("value", metavar="OBJECT")
@click.option("--who", help="Who says so: a name, or a URI that names them.")
@json_option
@click.pass_obj
def assert_(
    archive: Path | None,
    subject: str,
    predicate: str,
    value: str,
    *,
    who: str | None,
    as_json: bool,
) -> None:
    """State that SUBJECT has the PREDICATE OBJECT, for good.

    SUBJECT is a permanent name of any kind: a document, a version, a passage, a quotation, one of
    another archive. PREDICATE is a Dublin Core term (creator, replaces), a name with a prefix
    (cito:disputes), an IRI, or a word of your own without a colon. OBJECT is a name, a URI or a
    text. A statement is an entry of the log: it is never changed, only contradicted by a later one.

    Exit status: 0 recorded, 1 refused, 2 SUBJECT is no permanent name, or PREDICATE no IRI.
    """
    with Archive.open(archive) as service:
        made = service.state(subject, predicate, value, who=who)
    if as_json:
        emit(made)
    else:
        click.echo(f"{made.subject} {made.predicate} {made.object}")


@click.command()
@click.argument("subject", required=False)
@click.option("--predicate", help="Only statements with this predicate, as it was written.")
@click.option("--parts", is_flag=True, help="Those about versions and parts of SUBJECT too.")
@click.option("--jsonld", is_flag=True, help="Print JSON-LD: Dublin Core and Web Annotations.")
@json_option
@click.pass_obj
def assertions(
    archive: Path | None,
    subject: str | None,
    *,
    predicate: str | None,
    parts: bool,
    jsonld: bool,
    as_json: bool,
) -> None:
    """List the statements about SUBJECT, oldest first; all of the archive without it.

    With --jsonld each is given as a triple and as an annotation that says who made it and when,
    beside what the archive knows of the documents; nothing has to be fetched to read that.

    Exit status: 0 listed, even if empty, 2 SUBJECT is no permanent name.
    """
    with Archive.open(archive) as service:
        found = service.statements(subject, predicate=predicate, parts=parts)
        if jsonld:
            emit(service.json_ld(found))
            return
    if as_json:
        emit(found)
        return
    rows = [
        (f"{one.stated_at:%Y-%m-%d %H:%M}", one.subject, one.predicate, one.object, one.who)
        for one in found
    ]
    table(("when", "subject", "predicate", "object", "who"), rows)
