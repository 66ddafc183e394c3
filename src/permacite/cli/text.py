"""Commands about plain texts: locate, cite and convert fragments."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import click

from permacite.cli.output import emit, json_option, note, table
from permacite.errors import NotFoundError
from permacite.fragments import Text, rfc5147, wilde00
from permacite.fragments import convert as conversions
from permacite.fragments import quote as quotes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permacite.fragments import Location
    from permacite.fragments.convert import Syntax
    from permacite.text.tally import LineEndings

__all__ = ["text"]

_REFUSED, _BAD_INPUT = 1, 2
_SHOWN = 60

_SYNTAXES = click.Choice(["rfc5147", "wilde00", "pdi"])
_FILE = click.Path(path_type=Path, dir_okay=False)
_WILDE00 = ("char(", "line(", "match(")

charset_option = click.option(
    "--charset", default="utf-8", show_default=True, help="What the bytes of FILE are."
)
line_endings_option = click.option(
    "--line-endings",
    type=click.Choice(["http", "mime", "all", "lf"]),
    help=(
        "What ends a line. http: CRLF, LF and CR. mime: CRLF. all: NEL and CR NEL besides. "
        "lf: CRLF and LF. Default: all for EBCDIC charsets, http for others."
    ),
)


def _of_a_file(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say how to read FILE."""
    return charset_option(line_endings_option(json_option(command)))


@click.group()
def text() -> None:
    """Locate, cite and convert fragments of plain texts (RFC 5147 and its first draft)."""


@text.command()
@click.argument("file", type=_FILE)
@click.argument("fragment")
@click.option(
    "--syntax",
    type=_SYNTAXES,
    help=(
        "By which specification FRAGMENT is read. Default: wilde00 for char(), line() and match(), "
        "rfc5147 for all else."
    ),
)
@click.option("--force", is_flag=True, help="Go on although an integrity check fails.")
@click.option(
    "--transcode",
    is_flag=True,
    help="Make integrity checks for another charset in that charset, rather than skip them.",
)
@click.option("--newline", is_flag=True, help="Let match() see lines (REG_NEWLINE).")
@click.option("--gnu", is_flag=True, help="Let match() have GNU's operators, such as \\| and \\+.")
@_of_a_file
@click.pass_context
def locate(  # noqa: PLR0913 - each is an option of its own
    ctx: click.Context,
    file: Path,
    fragment: str,
    *,
    syntax: Syntax | None,
    force: bool,
    transcode: bool,
    newline: bool,
    gnu: bool,
    charset: str,
    line_endings: LineEndings | None,
    as_json: bool,
) -> None:
    """Print where FRAGMENT (without "#") is in FILE, and the text that is there.

    Ranges exclude their end. Exit status: 0 it is there, 1 an integrity check fails or nothing is
    named, 2 it cannot be right, and is ignored.
    """
    entity = Text(file, charset, line_endings)
    if syntax == "pdi":
        location = conversions.locate_pdi(entity, fragment)
    else:
        by_draft = syntax == "wilde00" or (syntax is None and fragment.lower().startswith(_WILDE00))
        parsed = wilde00.parse(fragment) if by_draft else fragment
        location = entity.locate(parsed, force=force, transcode=transcode, newline=newline, gnu=gnu)
    texts = [entity.slice(span) for span in location.spans]
    if as_json:
        emit(_located(fragment, location, texts))
    else:
        _tell(location, texts)
    if location.reason in {"syntax", "order"}:
        ctx.exit(_BAD_INPUT)
    ctx.exit(0 if location.spans else _REFUSED)


def _located(fragment: str, location: Location, texts: list[str]) -> dict[str, object]:
    """Where a fragment is; what its parts name, if it has several, under `of`."""
    spans = zip(location.spans, texts, strict=True)
    return {
        "fragment": fragment,
        "status": location.status,
        "reason": location.reason,
        "kind": location.kind,
        "parts": [{**dataclasses.asdict(span), "text": text} for span, text in spans],
        "checks": location.checks,
        "of": [
            {
                "part": part.part,
                "status": part.status,
                "reason": part.reason,
                "places": len(part.spans),
                "problem": part.problem,
            }
            for part in location.parts
        ],
        "notes": location.notes,
        "problem": location.problem,
    }


def _tell(location: Location, texts: list[str]) -> None:
    """Print the parts as a table; what else there is to say, on standard error."""
    rows = [
        (_range(span.char), _range(span.code_point), _range(span.byte), _shown(text))
        for span, text in zip(location.spans, texts, strict=True)
    ]
    if rows:
        table(("characters", "code points", "bytes", "text"), rows)
    for check in location.checks:
        actual = "" if check.actual in {None, check.expected} else f", the file has {check.actual}"
        where = " in the charset of the check" if check.transcoded else ""
        note(f"{check.name}: {check.result}{where}{actual}")
    for remark in (location.problem, *location.notes):
        if remark:
            note(remark)


def _range(ends: tuple[int, int]) -> str:
    return f"{ends[0]},{ends[1]}"


def _shown(words: str) -> str:
    """Words on one line, cut where they are long; line endings as escapes."""
    written = words if len(words) <= _SHOWN else f"{words[:_SHOWN]}…"
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in written)


@text.command()
@click.argument("file", type=_FILE)
@click.argument("fragment", required=False)
@click.option("--quote", help="The words to cite, in place of FRAGMENT.")
@click.option(
    "--check",
    "checks",
    type=click.Choice(["length", "md5"]),
    multiple=True,
    default=("length", "md5"),
    show_default=True,
    help="An integrity check to add; may be given twice.",
)
@_of_a_file
def cite(
    file: Path,
    fragment: str | None,
    *,
    quote: str | None,
    checks: tuple[str, ...],
    charset: str,
    line_endings: LineEndings | None,
    as_json: bool,
) -> None:
    """Print FRAGMENT, or where --quote stands in FILE, with integrity checks (RFC 5147 §3.1)."""
    if (fragment is None) == (quote is None):
        raise click.UsageError("give either FRAGMENT or --quote")
    entity = Text(file, charset, line_endings)
    if quote is not None:
        citations = list(_quoted(entity, quote, checks))
    else:
        citations = [_clamped(entity, fragment or "", checks)]
    if as_json:
        names = ("fragment", "text", "line")
        emit([dict(zip(names, citation, strict=True)) for citation in citations])
        return
    for cited, words, line in citations:
        click.echo(cited)
        note(f"line {line}: {_shown(words)}")


def _clamped(entity: Text, fragment: str, checks: tuple[str, ...]) -> tuple[str, str, int]:
    """A fragment, clamped to the text, with checks in place of its own; its words, its line."""
    parsed = rfc5147.parse(fragment)
    last = entity.end.position(parsed.scheme, entity.line_endings)
    start = min(parsed.start or 0, last)
    end = last if parsed.end is None else min(parsed.end, last)
    cited = entity.cite(
        start, None if parsed.kind == "position" else end, checks, scheme=parsed.scheme
    )
    line = entity.place(parsed.scheme, start).line(entity.line_endings) + 1
    return str(cited), entity.excerpt(cited), line


def _quoted(entity: Text, words: str, checks: tuple[str, ...]) -> Iterator[tuple[str, str, int]]:
    """The fragment of each place where words stand, these words, and the line.

    Raises NotFoundError where there is none, with the nearest words as candidates.
    """
    whole = entity.slice(entity.span(0, entity.length))
    spans = sorted(quotes.occurrences(whole, words))
    if not spans:
        near = tuple(candidate.text for candidate in quotes.nearest(whole, words))
        raise NotFoundError("these words do not stand in the text", words, candidates=near)
    mode = entity.line_endings
    for span in spans:
        start, end = entity.places("code_point", span)
        cited = entity.cite(start.char(mode), end.char(mode), checks)
        yield str(cited), whole[slice(*span)], start.line(mode) + 1


@text.command()
@click.argument("file", type=_FILE)
@click.argument("fragment")
@click.option("--from", "start", type=_SYNTAXES, required=True, help="Whose FRAGMENT it is.")
@click.option("--to", "end", type=_SYNTAXES, required=True, help="Whose it shall be.")
@_of_a_file
def convert(
    file: Path,
    fragment: str,
    *,
    start: Syntax,
    end: Syntax,
    charset: str,
    line_endings: LineEndings | None,
    as_json: bool,
) -> None:
    """Print the characters that FRAGMENT names by the counts of another specification.

    The same numbers mean different characters after a PDI, in RFC 5147 and in its first draft.
    """
    entity = Text(file, charset, line_endings)
    converted, exact = conversions.fragment(entity, fragment, start, end)
    if as_json:
        emit({"fragment": converted, "exact": exact})
        return
    click.echo(converted)
    if not exact:
        note("not exact: an end lies inside a line ending, and was moved outwards")
