"""Commands about plain texts: locate, cite and convert fragments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from permacite.cli.output import emit, json_option, note, table
from permacite.service import texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.service.texts import LineEndings, Syntax, TextLocation

__all__ = ["text"]

_REFUSED, _BAD_INPUT = 1, 2
_SHOWN = 60

_SYNTAXES = click.Choice(["rfc5147", "wilde00", "pdi"])
_FILE = click.Path(path_type=Path, dir_okay=False)

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
    found = texts.locate(
        file,
        fragment,
        syntax=syntax,
        charset=charset,
        line_endings=line_endings,
        force=force,
        transcode=transcode,
        newline=newline,
        gnu=gnu,
    )
    if as_json:
        emit(found)
    else:
        _tell(found)
    if found.reason in {"syntax", "order"}:
        ctx.exit(_BAD_INPUT)
    ctx.exit(0 if found.parts else _REFUSED)


def _tell(found: TextLocation) -> None:
    """Print the parts as a table; what else there is to say, on standard error."""
    rows = [
        (_range(part.char), _range(part.code_point), _range(part.byte), _shown(part.text))
        for part in found.parts
    ]
    if rows:
        table(("characters", "code points", "bytes", "text"), rows)
    for check in found.checks:
        actual = "" if check.actual in {None, check.expected} else f", the file has {check.actual}"
        where = " in the charset of the check" if check.transcoded else ""
        note(f"{check.name}: {check.result}{where}{actual}")
    for told in (found.problem, *found.notes):
        if told:
            note(told)


def _range(ends: tuple[int, int]) -> str:
    return f"{ends[0]},{ends[1]}"


def _shown(words: str) -> str:
    """Return words on one line, cut where they are long; line endings as escapes."""
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
    if quote is not None:
        found = texts.cite_quote(
            file, quote, checks=checks, charset=charset, line_endings=line_endings
        )
    else:
        one = texts.cite(
            file, fragment or "", checks=checks, charset=charset, line_endings=line_endings
        )
        found = (one,)
    if as_json:
        emit(found)
        return
    for citation in found:
        click.echo(citation.fragment)
        note(f"line {citation.line}: {_shown(citation.text)}")


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
    found = texts.convert_fragment(
        file, fragment, start=start, end=end, charset=charset, line_endings=line_endings
    )
    if as_json:
        emit(found)
        return
    click.echo(found.fragment)
    if not found.exact:
        note("not exact: an end lies inside a line ending, and was moved outwards")
