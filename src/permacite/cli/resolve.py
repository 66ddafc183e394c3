"""Commands about the meaning of a name: resolve, look-up."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from permacite.cli.output import at_option, emit, json_option, note
from permacite.service import names
from permacite.service.archive import Archive
from permacite.service.location import default_directory

if TYPE_CHECKING:
    from datetime import datetime

    from permacite.service.location import Location
    from permacite.service.resolution.looking import LookedUp
    from permacite.service.resolution.resolving import Resolved

__all__ = ["look_up", "resolve"]


@click.command()
@click.argument("reference")
@click.option(
    "--context",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Show N characters on either side, the passage in brackets.",
)
@click.option("--force", is_flag=True, help="Show the part even where an integrity check fails.")
@click.option("--preview", is_flag=True, help="Of sound or video a WebM, of a PDF a WebP.")
@click.option("--quick", is_flag=True, help="Of a large text, check only what is read of it.")
@click.option("--live", is_flag=True, help="Of a web address, what stands there now.")
@click.option("--allow-private", is_flag=True, help="Allow addresses of this machine or network.")
@at_option
@json_option
@click.pass_obj
def resolve(  # noqa: PLR0913 - one parameter an option
    folder: Location | None,
    reference: str,
    *,
    context: int,
    force: bool,
    preview: bool,
    quick: bool,
    live: bool,
    allow_private: bool,
    when: datetime | None,
    as_json: bool,
) -> None:
    """Print exactly the part of a document that REFERENCE names.

    REFERENCE is a name with or without #fragment, or the address of one at a resolver. The bytes
    are checked against their digest first; with --quick, and where a large text has an index, only
    those read for the answer are. Without a version the highest answers, and says so.
    A whole document is printed as its bytes; a part of a text as that text, in UTF-8.

    REFERENCE may also be the address of a page that was saved, with #:~:text= and words of it: what
    was saved there last answers, or at the time --at. An address from which nothing was saved, any
    with --live and a file: is read where it is. A plain text may have a fragment of RFC 5147 or of
    its first draft there, such as #line=4,6;length=968 or #match(gale); its integrity checks are
    run.

    Of a citation A@origin=B the words of B are printed. A warning says where A has other words, and
    the exit status is 1 then.
    """
    if _is_read_there(folder, reference, live=live):
        if when is not None:
            raise click.UsageError(f"--at: nothing was archived from {reference}")
        from permacite.service.resolution import foreign

        part = foreign.resolve(reference, allow_private=allow_private, force=force)
    else:
        with Archive.open(folder) as archive:
            part = archive.resolve(
                reference, context=context, whole=not quick, preview=preview, when=when
            )
    for warning in part.warnings:
        note(f"warning: {warning}")
    if as_json:
        emit(part)
    else:
        _tell(part, context=context)
    if part.quotation is not None and part.quotation.is_false:
        click.get_current_context().exit(1)


@click.command("look-up")
@click.argument("references", metavar="[REFERENCE]...", nargs=-1)
@json_option
@click.pass_context
def look_up(ctx: click.Context, /, references: tuple[str, ...], *, as_json: bool) -> None:
    """Say of each REFERENCE what answers to it, a line each: what was asked, the full name, type.

    Without any, references are read from standard input, a line each. Those that are not here have
    `-`, then the address at the resolver that would know, or why not. Nothing is read of what they
    name. Exit status 1 where one of them is not here. With --json a list of answers, in order.
    """
    asked = references or [line.strip() for line in sys.stdin if line.strip()]
    with Archive.open(ctx.obj) as archive:
        found = list(archive.documents.look_ups.look_up(asked))
    if as_json:
        emit(found)
    else:
        for each in found:
            click.echo("\t".join(_line(each)))
    ctx.exit(0 if all(each.found is not None for each in found) else 1)


def _line(answer: LookedUp) -> tuple[str, ...]:
    if answer.found is not None:
        return answer.reference, answer.found.exact, answer.found.media_type
    why = (answer.problem or {}).get("detail", "")
    return answer.reference, "-", answer.elsewhere or str(why)


def _tell(part: Resolved, *, context: int) -> None:
    """Print a part for people and pipes, and to standard error what is to be known of it."""
    if part.damaged:
        note("damaged: something in this part could not be decoded, and is missing or wrong")
    if part.derived == "preview":
        note("a preview, made with loss of the part that is named")
    if part.derived == "drawing" and part.text is not None:
        note("these are the words there; --preview gives them as they are drawn")
    if part.assumed:
        note(f"answered by {part.pdi}")
    if part.text is None or "#" not in part.exact:
        sys.stdout.buffer.write(part.content)
    elif context:
        click.echo(f"{part.before}[{part.text}]{part.after}")
    else:
        sys.stdout.buffer.write(part.text.encode())
        if sys.stdout.isatty():
            click.echo()


def _is_read_there(folder: Location | None, reference: str, *, live: bool) -> bool:
    """Whether a reference is read where it stands: an address that is not archived here."""
    if live or not names.is_foreign(reference):
        return names.is_foreign(reference)
    if folder is None and not default_directory().exists():  # to look makes no archive
        return True
    with Archive.open(folder) as archive:
        return not archive.documents.resolver.is_held(reference)
