"""save: one page of the web with all that it shows, or the pages of a list."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections import Counter
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from permacite.cli.access import chosen, standing_options
from permacite.cli.incoming.reports import tell
from permacite.cli.output import emit, json_option, note
from permacite.click_options import click_options
from permacite.service.archive import Archive
from permacite.service.ingest.options import SaveOptions, credentials_of
from permacite.service.lists.reading import Journal, ListedLine, read_list
from permacite.service.lists.saving import ListRunOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from permacite.service.lists.saving import Listed
    from permacite.service.location import Location

__all__ = ["lines_of", "save"]

_NAMED = 10
"""How many pages are named for each kind of fault."""
_FAULTS = ("failed", "wrong", "forbidden")


class _Kept(click.ParamType[str]):
    """What a file holds, or with env:NAME a variable of the environment."""

    name = "file|env:name"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Read it. Fails where there is no such file or variable, or no text in it."""
        place, _, variable = value.partition("env:")
        if not place and variable:
            if variable not in os.environ:
                self.fail(f"the variable {variable} does not exist", param, ctx)
            return os.environ[variable]
        try:
            return Path(value).read_text(encoding="utf-8")
        except FileNotFoundError:
            self.fail(f"the file {value} does not exist", param, ctx)
        except OSError as error:
            self.fail(f"{value}: {error.strerror}", param, ctx)
        except UnicodeDecodeError:
            self.fail(f"expected UTF-8 in {value}", param, ctx)


@click.command()
@click.argument("uri", nargs=-1)
@click.option(
    "--from",
    "file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A list: plain, CSV, CSL-JSON, Zotero RDF, a sitemap, a feed, or bookmarks.",
)
@click.option("--depth", type=click.IntRange(0, 20), default=0, help="Links of its site to follow.")
@click.option(
    "--max-pages",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Pages that links may lead to.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    default=4,
    show_default=True,
    help="Pages of a list at once; one at a time from each site.",
)
@click.option(
    "--pause",
    type=click.FloatRange(min=0),
    default=1.0,
    show_default=True,
    help="Seconds between two pages of one site.",
)
@click.option("--afresh", is_flag=True, help="Begin a list anew that was cut off.")
@click_options("options", SaveOptions)
@click.option(
    "--behaviour",
    type=_Kept(),
    help="A script to run in each page before it is kept; needs --via browser.",
)
@click.option("--headers", type=_Kept(), help="Header fields to send, `Name: value` on each line.")
@click.option("--cookies", type=_Kept(), help="Cookies to send: a cookies.txt, as browsers export.")
@click.option("--netrc", type=_Kept(), help="Names and passwords by host, as curl reads them.")
@standing_options
@json_option
@click.pass_context
def save(  # noqa: PLR0913 - one parameter an option
    ctx: click.Context,
    /,
    uri: tuple[str, ...],
    *,
    file: Path | None,
    depth: int,
    max_pages: int,
    jobs: int,
    pause: float,
    afresh: bool,
    as_json: bool,
    options: SaveOptions,
    **page: Any,
) -> None:
    """Save the page at URI and all it shows, under a permanent name.

    A page that is archived already gets the next version of its name where it has changed, and
    its present name where it has not.

    Of several URIs, of those in a list (--from FILE, or - for standard input) and of those that a
    page of the same site links to (--depth), each is saved on its own, and the rest go on where one
    fails: the exit status is then 1. A run that is cut off goes on when the same command is given
    again, and saves nothing twice. Where robots.txt says so, pages that links lead to are let be.

    A page whose words scripts make is drawn by Chromium, where that is installed: what its scripts
    asked for is then kept with it.

    A --behaviour is run in each page once it is quiet, such as one that answers a question which
    hides the page. Its digest is on record.

    What --headers, --cookies and --netrc hold is sent to where the page is, and not recorded. Each
    is a file, or env:NAME for what an environment variable holds: a command line is no safe place.
    """
    headers, options = page["headers"], _with(options, **page)
    if file is None and depth == 0 and len(uri) == 1 and uri != ("-",):
        with Archive.open(ctx.obj) as archive, _progress() as progress:
            saved = archive.save(uri[0], options, progress=progress)
        tell(saved, as_json=as_json)
        return
    if not uri and file is None:
        raise click.UsageError("give an address, - for a list on standard input, or --from FILE")
    lines = lines_of(uri, file)
    sites = {urlsplit(line.uri)[:2] for line in lines if line.uri}
    if headers and len(sites) > 1:
        raise click.UsageError(f"--headers go to one site, and these are {len(sites)}")
    manner = ListRunOptions(jobs, pause, depth, max_pages, options)
    ctx.exit(_save_many(ctx.obj, lines, manner, afresh=afresh, as_json=as_json))


def _with(
    options: SaveOptions,
    *,
    behaviour: str | None,
    headers: str | None,
    cookies: str | None,
    netrc: str | None,
    **standing: Any,
) -> SaveOptions:
    """The options of one page, with what files and the environment hold."""
    if behaviour and options.via != "browser":
        raise click.UsageError("--behaviour needs --via browser: what is served runs no scripts")
    return dataclasses.replace(
        options,
        behaviour=behaviour or "",
        credentials=credentials_of(headers or "", cookies or "", netrc or ""),
        standing=chosen(**standing),
    )


@contextmanager
def _progress() -> Iterator[Callable[[int, int, int], None] | None]:
    """Show a bar on a terminal's standard error; nothing where that is a file or a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = (TextColumn("saving"), BarColumn(), TextColumn("{task.completed}/{task.total} parts"))
    with Progress(*columns, DownloadColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("saving", total=1)

        def advance(done: int, known: int, size_bytes: int) -> None:
            bar.update(task, completed=done, total=known, description=f"{size_bytes:,} bytes")

        yield advance


def lines_of(typed: Sequence[str], file: Path | None) -> list[ListedLine]:
    """The addresses that were typed, of standard input where one is -, and of a file."""
    lines: list[ListedLine] = []
    for address in typed:
        content = sys.stdin.buffer.read() if address == "-" else address.encode()
        lines += read_list(content)
    return lines if file is None else lines + read_list(file.read_bytes())


def _save_many(
    folder: Location | None,
    lines: Sequence[ListedLine],
    manner: ListRunOptions,
    *,
    afresh: bool,
    as_json: bool,
) -> int:
    """Save all pages of a list, and return the exit status."""
    told: list[Listed] = []
    with (
        Archive.open(folder) as archive,
        _journal(archive, lines, manner, afresh=afresh) as journal,
    ):
        if journal.is_resumed:
            note("going on with a run that was cut off; --afresh begins anew")
        with _counted(len(lines)) as tick:
            for listed in archive.lists.save(lines, manner, journal):
                told.append(listed)
                tick(listed)
                if not as_json and listed.pdi is not None:
                    click.echo(f"{listed.pdi} {listed.uri}")
    counts: Counter[str] = Counter(listed.outcome for listed in told)
    if as_json:
        emit({"counts": dict(counts), "pages": told})
    else:
        _tell(told)
    note(", ".join(f"{many:,} {outcome}" for outcome, many in counts.items()) or "no addresses")
    return 1 if counts["failed"] or counts["wrong"] else 0


def _journal(
    archive: Archive, lines: Sequence[ListedLine], manner: ListRunOptions, *, afresh: bool
) -> Journal:
    """The journal of a run: that of the same list, into the same archive, in the same manner."""
    import platformdirs

    parts = [repr(archive), str(manner.depth), str(manner.options.series)]
    listed = sha256("\n".join([*parts, *(line.uri for line in lines)]).encode()).hexdigest()
    return Journal(platformdirs.user_state_path("permacite") / "runs", listed, afresh=afresh)


def _tell(told: Sequence[Listed]) -> None:
    """Say what went wrong, some of each kind."""
    for fault in _FAULTS:
        those = [listed for listed in told if listed.outcome == fault]
        for listed in those[:_NAMED]:
            where = f"{listed.place}: " if listed.place else ""
            problem = listed.problem.removeprefix(f"{listed.uri}: ")
            note(f"  {fault}: {where}{listed.uri} ({problem})")
        if len(those) > _NAMED:
            note(f"  {fault}: {len(those) - _NAMED:,} more, which --json names")
    warned = [(listed, text) for listed in told for text in listed.warnings]
    for listed, text in warned[:_NAMED]:
        note(f"  warning: {listed.uri}: {text}")
    if len(warned) > _NAMED:
        note(f"  warning: {len(warned) - _NAMED:,} more, which --json has")


@contextmanager
def _counted(total: int) -> Iterator[Callable[[Listed], None]]:
    """Count pages on a terminal's standard error; nothing where that is a file."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    counts: Counter[str] = Counter()
    with Console(stderr=True).status("saving pages") as status:

        def tick(listed: Listed) -> None:
            counts[listed.outcome] += 1
            done = ", ".join(f"{many:,} {outcome}" for outcome, many in counts.items())
            status.update(f"{counts.total():,} of {max(total, counts.total()):,}: {done}")

        yield tick
