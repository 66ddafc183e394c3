"""Commands about what documents say: quotes, quoted-by, compose, assert, assertions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from permacite.cli.output import emit, json_option, note, table
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from permacite.service.location import Location
    from permacite.service.quotations.comparing import Quotation

__all__ = ["assert_", "assertions", "compose", "quoted_by", "quotes", "told_apart"]

_FAULTS = ("differs", "invalid")


@click.command()
@click.argument("pdi")
@json_option
@click.pass_context
def quotes(ctx: click.Context, pdi: str, *, as_json: bool) -> None:
    """List what the document PDI quotes by permanent names, and compare it with its sources.

    Where the words differ, both texts are shown. The name of each quotation, A@origin=B, can be
    cited in its turn.

    Exit status: 0 all agree or cannot be compared, 1 one differs or has no proper name, or PDI is
    unknown, 2 bad name.
    """
    with Archive.open(ctx.obj) as archive:
        quotations = archive.quotations.of(pdi)
    if as_json:
        emit(quotations)
    elif quotations:
        for quotation in quotations:
            _tell(quotation)
    else:
        note("it quotes nothing by a permanent name")
    ctx.exit(1 if any(quotation.status in _FAULTS for quotation in quotations) else 0)


@click.command("quoted-by")
@click.argument("pdi")
@json_option
@click.pass_obj
def quoted_by(folder: Location | None, pdi: str, *, as_json: bool) -> None:
    """List the documents of this archive that quote PDI, or a passage that overlaps it.

    PDI may be a document, one version or format of it, or a passage (#fragment).

    Exit status: 0 listed, even if empty, 1 PDI is unknown, 2 bad name.
    """
    with Archive.open(folder) as archive:
        quotations = archive.quotations.quoters(pdi)
    if as_json:
        emit(quotations)
    elif quotations:
        for quotation in quotations:
            _tell(quotation, by=True)
    else:
        note("no document of this archive quotes it")


def _tell(quotation: Quotation, *, by: bool = False) -> None:
    """Print one quotation; both texts where they differ."""
    name = quotation.citation or quotation.cited
    click.echo(f"{quotation.status:9} {name}")
    if by and quotation.title:
        click.echo(f"  in:    {quotation.title}, {quotation.url}")
    if quotation.status == "differs":
        click.echo(told_apart(quotation))
    elif quotation.words or quotation.cited_words:
        click.echo(f"  words: {_line(quotation.words or quotation.cited_words or '')}")
    if quotation.problem:
        click.echo(f"  {quotation.problem}")


def told_apart(quotation: Quotation) -> str:
    """Both texts of a quotation that differs, one below the other."""
    return f"  here:  {_line(quotation.words)}\n  there: {_line(quotation.cited_words or '')}"


def _line(text: str) -> str:
    return " ".join(text.split())


@click.command()
@click.argument("template", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The file; default: print.")
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@click.pass_obj
def compose(folder: Location | None, template: Path, *, output: Path | None, force: bool) -> None:
    """Fill in the quotations of TEMPLATE from their permanent names.

    In the template, {{quote NAME}} stands for a block quotation with its source, {{q NAME}} for one
    within a line, and {{words NAME}} for the words alone. They are written and escaped as HTML
    (.html, .xhtml), Markdown (.md), TeX (.tex), XML (.xml) or plain text (.txt), by the suffix of
    TEMPLATE. One with another suffix is refused.

    Exit status: 0 written, 1 a name is unknown or has no words, 2 a mark or a name is wrong.
    """
    if output is not None and output.exists() and not force:
        raise click.ClickException(f"{output} is there already; --force replaces it")
    text = template.read_text(encoding="utf-8")
    with Archive.open(folder) as archive:
        composed = archive.quotations.templates.compose(text, suffix=template.suffix)
    if output is None:
        click.echo(composed.text, nl=False)
    else:
        output.write_text(composed.text, encoding="utf-8")
        note(f"{len(composed.references)} quotations filled in -> {output}")


@click.command("assert")
@click.argument("subject")
@click.argument("predicate")
@click.argument("value", metavar="OBJECT")
@click.option("--who", help="Who says so: a name, or a URI that names them.")
@json_option
@click.pass_obj
def assert_(
    folder: Location | None,
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
    with Archive.open(folder) as archive:
        assertion = archive.annotations.statements.state(subject, predicate, value, who=who)
    if as_json:
        emit(assertion)
    else:
        click.echo(f"{assertion.subject} {assertion.predicate} {assertion.object}")


@click.command()
@click.argument("subject", required=False)
@click.option("--predicate", help="Only statements with this predicate, as it was written.")
@click.option("--parts", is_flag=True, help="Those about versions and parts of SUBJECT too.")
@click.option("--jsonld", is_flag=True, help="Print JSON-LD: Dublin Core and Web Annotations.")
@json_option
@click.pass_obj
def assertions(
    folder: Location | None,
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
    with Archive.open(folder) as archive:
        statements = archive.annotations.statements.about(subject, predicate=predicate, parts=parts)
        if jsonld:
            emit(archive.annotations.statements.json_ld(statements))
            return
    if as_json:
        emit(statements)
        return
    rows = [
        (f"{item.stated_at:%Y-%m-%d %H:%M}", item.subject, item.predicate, item.object, item.who)
        for item in statements
    ]
    table(("when", "subject", "predicate", "object", "who"), rows)
