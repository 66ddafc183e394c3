"""Commands about what is cited: cite, check, versions, reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from permacite.cli.output import at_option, emit, json_option, note, table
from permacite.click_options import click_options
from permacite.service.archive import Archive
from permacite.service.citations.parts import PROGRAMS, CiteTarget

if TYPE_CHECKING:
    from datetime import datetime

    from permacite.service.checking import Checked
    from permacite.service.citations.quoted import Passage
    from permacite.service.citations.recorded import Cited
    from permacite.service.drift.comparison import PassageDrift
    from permacite.service.location import Location

__all__ = ["check", "cite", "reference", "versions"]

FORMS = ("sentence", "markdown", "html", "bibtex", "csl_json", "ris", "wiki", "annotation")


@click.command()
@click.argument("pdi")
@click_options("target", CiteTarget)
@click.option(
    "--selector",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="A file, or - for stdin: an annotation of W3C, Hypothesis or Zotero.",
)
@click.option("--form", type=click.Choice(FORMS), help="Print this form alone.")
@click.option("--list", "only_list", is_flag=True, help="List the occurrences and cite nothing.")
@click.option("--note", "remark", help="A remark to keep with the citation.")
@at_option
@json_option
@click.pass_obj
def cite(  # noqa: PLR0913 - one parameter an option
    folder: Location | None,
    /,
    pdi: str,
    *,
    target: CiteTarget,
    selector: str | None,
    form: str | None,
    only_list: bool,
    remark: str | None,
    when: datetime | None,
    as_json: bool,
) -> None:
    """Cite a part of PDI: by its words, or by one of the options from --char to --byte.

    Prints the permanent name of the part and forms ready to paste, and records the citation.
    PDI may carry a fragment of its own in place of the options. It may be the web address of a
    page that was saved, with #:~:text= and the words in place of --quote. Places in pictures are
    pixels of the picture as it is shown; times may be typed as 12,31 or 0:12-0:31, with fractions
    too.

    What another program selected is cited by --selector: a Web Annotation, a selector, what
    Hypothesis or Zotero keeps, in JSON. Where that leaves several places, none is cited.
    """
    ways = {"quote": target.quote, "selector": selector, **target.ways}
    _check_way([f"--{way}" for way, typed in ways.items() if typed is not None], target.frame)
    if selector is not None and (target.nth, target.page) != (None, None):
        raise click.UsageError("--selector says by itself which words it means")
    with Archive.open(folder) as archive:
        if only_list:
            if target.quote is None:
                raise click.UsageError("--list needs --quote")
            passages = archive.citations.passages(pdi, target.quote, when=when)
            _tell_passages(passages, as_json=as_json)
            return
        if selector is not None:
            cited = archive.citations.selections.cite(pdi, _read(selector), note=remark, when=when)
        else:
            cited = archive.cite(pdi, target, note=remark, when=when)
    _tell_as(cited, form, as_json=as_json)


def _check_way(given: list[str], frame: int | None) -> None:
    """Refuse a part that is said in more than one way."""
    if len(given) > 1:
        raise click.UsageError(f"give one of {' and '.join(given)}")
    if frame is not None and given != ["--rect"]:
        raise click.UsageError("--frame needs --rect: a rectangle of the frame")


def _read(path: str) -> str:
    """A file of JSON, or what comes in where it is "-"."""
    from permacite.service.citations.selecting.selectors import MOST_BYTES

    try:
        with click.open_file(path, "rb") as file:
            content: bytes = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise click.FileError(path, error.strerror) from error
    return content.decode("utf-8", "replace")


def _tell_as(cited: Cited, form: str | None, *, as_json: bool) -> None:
    """Print a citation: as JSON, in one form, or for people."""
    if as_json:
        emit(cited)
    elif form:
        click.echo(getattr(cited.forms, form))
    else:
        _tell(cited)
    if form in {None, "wiki"} and not as_json:
        for warning in cited.forms.warnings:
            note(warning)


def _tell(cited: Cited) -> None:
    """Print a citation for people: the name, the words in their context, every form."""
    click.echo(cited.reference)
    words = f"{_line(cited.before)}[{_line(cited.quote)}]{_line(cited.after)}"
    click.echo(f"\n  {words if cited.quote.strip() else cited.told}\n")
    if cited.occurrences > 1:
        note(f"occurrence {cited.nth} of {cited.occurrences}")
    lines = {
        "open": cited.url,
        "RFC 5147": cited.rfc5147_url,
        "SWHID": cited.swhid,
        "printed": ", ".join(label.told for label in cited.labels),
        "drawn": cited.drawn,
    }
    for name, line in lines.items():
        if line:
            click.echo(f"{name:<10}{line}")
    if cited.found_by:
        note(f"found by {' and '.join(cited.found_by)}")
    for caution in cited.cautions:
        note(f"warning: {caution}")
    for place in cited.heard:
        click.echo(f"heard     {place.reference}")
    for item in cited.said:
        click.echo(f"said      {_line(item.quote)}")
    for form in FORMS:
        click.echo(f"\n--- {form}\n{getattr(cited.forms, form)}")


def _tell_passages(passages: list[Passage], *, as_json: bool) -> None:
    if as_json:
        emit(passages)
        return
    rows = [
        (
            number,
            p.line,
            f"{p.start},{p.end}",
            f"{_line(p.before)}[{_line(p.quote)}]{_line(p.after)}",
        )
        for number, p in enumerate(passages, 1)
    ]
    table(("nth", "line", "char", "in context"), rows)


def _line(text: str) -> str:
    """Text on one line, line ends as spaces."""
    return " ".join(text.replace("\r\n", " ").splitlines())


@click.command()
@click.argument("pdi")
@click.option("--allow-private", is_flag=True, help="Allow addresses of this machine or network.")
@at_option
@json_option
@click.pass_context
def check(
    ctx: click.Context, pdi: str, *, allow_private: bool, when: datetime | None, as_json: bool
) -> None:
    """Fetch the live page of PDI and say whether each cited passage is still there.

    PDI may be the web address of a page that was saved: the last version, or that of a time.

    Exit status 1 if any passage is not verified. Citations are never moved: they name the
    archived words, which do not change.
    """
    with Archive.open(ctx.obj) as archive:
        checked = archive.drift.check(pdi, allow_private=allow_private, when=when)
    if as_json:
        emit(checked)
    else:
        _tell_check(checked)
    ctx.exit(0 if all(drift.status == "verified" for drift in checked.passages) else 1)


def _tell_check(checked: Checked) -> None:
    page = (
        "the same bytes"
        if checked.same_bytes
        else ("other bytes, the same text" if checked.same_text else "another text")
    )
    click.echo(f"{checked.uri} now has {page}")
    for drift in checked.passages:
        click.echo(f"\n{drift.status:9} {drift.reference}\n  cited: {drift.told}")
        if drift.status != "verified":
            _tell_drift(drift)
    if not checked.passages:
        click.echo("no passage of it is cited")


@click.command()
@click.argument("pdi")
@json_option
@click.pass_obj
def versions(folder: Location | None, /, pdi: str, *, as_json: bool) -> None:
    """Say what became of the cited passage PDI in the other versions of its document.

    Later versions first. The permanent name of the words that stand there is printed where there
    are any: it cites the new wording.
    """
    with Archive.open(folder) as archive:
        through = archive.drift.versions(pdi)
    if as_json:
        emit(through)
        return
    click.echo(f"version {through.number}: {through.told}")
    for version in through.versions:
        day = f"{version.retrieved_at:%Y-%m-%d}"
        click.echo(f"\nversion {version.number}, {day}: {version.status}")
        if version.reference:
            click.echo(f"  cite:  {version.reference}")
        if version.drift is not None and version.drift.status != "verified":
            _tell_drift(version.drift)
    if not through.versions:
        click.echo("there is no other version")


def _tell_drift(drift: PassageDrift) -> None:
    """Print what was changed, and where the passage or one like it stands."""
    if drift.trouble:
        click.echo(f"  why:   {drift.trouble}")
    if drift.now is not None:
        place = f" (char={drift.start},{drift.end})" if drift.start is not None else ""
        click.echo(f"  now:   {_line(drift.now)}{place}")
    for change in drift.changes:
        was, now = (_line(words) if words else "nothing" for words in (change.was, change.now))
        click.echo(f"  {change.kind}: {was} -> {now}")
    if drift.similar is not None:
        place = f"char={drift.similar.start},{drift.similar.end}"
        click.echo(f"  not it: {_line(drift.similar.words)} ({place}; it stood there before)")


@click.command()
@click.argument("pdi")
@click.option("--style", metavar="STYLE", help="Print it as a style does: apa, mla, chicago, ...")
@click.option(
    "--for",
    "program",
    type=click.Choice([*PROGRAMS]),
    help="Print a passage as this program keeps it: JSON for its interface.",
)
@json_option
@click.pass_obj
def reference(
    folder: Location | None, /, pdi: str, *, style: str | None, program: str | None, as_json: bool
) -> None:
    """Say what the document PDI states of itself: who wrote it, when, where it appeared.

    Each value is told with the place that states it. What is wrong or missing is added by a
    statement, such as `permacite assert PDI dcterms:creator "Lee, Ann; Ek, Bo"`; it counts first.
    """
    if program is not None:
        with Archive.open(folder) as selections:
            click.echo(selections.citations.selection_export.write(program, pdi))
        return
    with Archive.open(folder) as archive:
        if style is not None:
            printed = archive.citations.references.styled(pdi, style)
            if as_json:
                emit({"style": style, "text": printed})
            else:
                click.echo(printed)
            return
        description = archive.citations.references.describe(pdi)
    if as_json:
        emit(description)
        return
    click.echo(f"{description.pdi}: {description.type}")
    if description.details:
        rows = [(each.field, each.value, each.stated) for each in description.details]
        table(("field", "value", "stated"), rows)
    else:
        note("it states nothing of itself; `permacite assert` can")
