"""bulk, work: what is divided into jobs, and the workers that do them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from permacite.cli.incoming.save import lines_of
from permacite.cli.output import counted, emit, json_option, note, table
from permacite.service.ingest.collections import files_in, is_bag, is_crawl, is_library
from permacite.service.location import default_directory
from permacite.service.work import job_queue
from permacite.service.work.jobs import ENTRIES

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.service.location import Location
    from permacite.service.work.jobs import Job, JobRun, Outcome, WorkerPool

__all__ = ["bulk", "work"]


def _over_the_log(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of work over the log."""
    start = click.option(
        "--since",
        "start",
        type=click.IntRange(min=0),
        default=0,
        metavar="SIZE",
        help="Only what was committed since the log had SIZE entries.",
    )
    entries = click.option(
        "--entries",
        type=click.IntRange(min=1),
        default=ENTRIES,
        show_default=True,
        metavar="N",
        help="How many entries of the log are one job.",
    )
    return start(entries(command))


@click.group()
def bulk() -> None:
    """Put much work into the queue of the archive, as jobs for `permacite work`."""


@bulk.command()
@_over_the_log
@click.pass_obj
def fixity(folder: Location | None, *, start: int, entries: int) -> None:
    """Recompute the digests of all that the log names, as `fsck` does.

    The log itself and the catalog are no part of it: `permacite fsck` checks those.

    Exit status: 0 put, also where there is nothing to do.
    """
    _tell(job_queue.put_ranges(_of(folder), "fixity", start=start, entries=entries))


@bulk.command()
@click.option("--renew", is_flag=True, help="Make new versions where newer rules give other texts.")
@_over_the_log
@click.pass_obj
def derive(folder: Location | None, *, start: int, entries: int, renew: bool) -> None:
    """Give all documents the text that they lack, as `permacite derive --all` does.

    Exit status: 0 put, also where there is nothing to do.
    """
    _tell(job_queue.put_ranges(_of(folder), "derive", start=start, entries=entries, renew=renew))


@bulk.command()
@_over_the_log
@click.pass_obj
def index(folder: Location | None, *, start: int, entries: int) -> None:
    """Bring the index of words up to date, on the machine that does the job.

    Each machine has an index of its own, which follows the log by itself when it is asked.

    Exit status: 0 put, also where there is nothing to do.
    """
    _tell(job_queue.put_ranges(_of(folder), "index", start=start, entries=entries))


@bulk.command()
@click.option("--allow-private", is_flag=True, help="Ask pages inside networks, too.")
@_over_the_log
@click.pass_obj
def drift(folder: Location | None, *, start: int, entries: int, allow_private: bool) -> None:
    """Compare all pages with what stands at their addresses now, as `permacite check` does.

    Only the last version of each is compared. Sites are asked one page a second, by one process at
    a time, and not where they ask crawlers to stay away (robots.txt).

    Exit status: 0 put, also where there is nothing to do.
    """
    options = {"start": start, "entries": entries, "allow_private": allow_private}
    _tell(job_queue.put_ranges(_of(folder), "drift", **options))


@bulk.command()
@click.argument("addresses", nargs=-1)
@click.option(
    "--from",
    "file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A file of addresses, in any form that `permacite save --from` reads.",
)
@click.option(
    "--via",
    type=click.Choice(["auto", "http", "browser"]),
    default="auto",
    show_default=True,
    help="How pages are fetched.",
)
@click.option("--series", help="Mint the names in this series of the archive.")
@click.option("--allow-private", is_flag=True, help="Save pages inside networks, too.")
@click.pass_context
def save(
    ctx: click.Context, /, addresses: tuple[str, ...], *, file: Path | None, **options: Any
) -> None:
    """Save the pages at ADDRESSES, and those in a list, each once.

    Exit status: 0 put, 1 some lines are no addresses: the others are put.
    """
    lines = lines_of(addresses, file)
    for line in lines:
        if line.problem:
            note(f"  wrong: {line.place}: {line.typed} ({line.problem})")
    _tell(
        job_queue.put_listed(
            _of(ctx.obj), "save", [each.uri for each in lines if each.uri], **options
        )
    )
    ctx.exit(1 if any(line.problem for line in lines) else 0)


@bulk.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option("--series", help="Mint the names in this series of the archive.")
@click.option(
    "--new", is_flag=True, help="Mint new names even for bytes that are archived, one each."
)
@click.option("--charset", help="The charset of text files that are neither ASCII nor UTF-8.")
@click.pass_context
def import_(ctx: click.Context, /, files: tuple[Path, ...], **options: Any) -> None:
    """Archive local FILES, and all files in folders, as `permacite import` does with documents.

    Every machine that works must see them under the same path. Crawls, bags and libraries belong
    together whole, and are left to `permacite import`.

    Exit status: 0 put, 1 some are left out: the others are put.
    """
    found = list(files_in(files))
    whole = [each for each in found if is_crawl(each) or is_bag(each) or is_library(each)]
    for path in whole:
        note(f"  left to `permacite import`: {path}")
    listed = [str(each.resolve()) for each in found if each not in whole]
    _tell(job_queue.put_listed(_of(ctx.obj), "import", listed, **options))
    ctx.exit(1 if whole else 0)


@click.command()
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="How many at once, each in a process of its own.",
)
@click.option("--once", is_flag=True, help="End when no job is left, not when told to.")
@click.option(
    "--patience",
    type=click.FloatRange(min=1),
    default=job_queue.PATIENCE_S,
    show_default=True,
    metavar="SECONDS",
    help="How long a worker elsewhere gives no sign of life until its jobs are done here.",
)
@click.option(
    "--ray",
    metavar="ADDRESS",
    help="Have a Ray cluster do them: its address, auto where this machine is in one, or local.",
)
@click.option("--status", is_flag=True, help="Tell how far all is; do nothing.")
@json_option
@click.pass_context
def work(
    ctx: click.Context,
    *,
    jobs: int,
    once: bool,
    patience: float,
    ray: str | None,
    status: bool,
    as_json: bool,
) -> None:
    """Do the jobs that `permacite bulk` put into the queue of the archive, on this machine.

    Any number of machines may work for an archive in PostgreSQL, and one for an archive in a
    folder. A worker that is killed loses nothing: others do its jobs again, which changes nothing
    that was done. A job that ends its process is tried three times, then given up by name, and the
    others go on. Told to end (Control-C, SIGTERM), it ends what it has begun; told twice, it ends
    at once, and what it had begun is done again.

    Exit status: 0 done, 1 a job was given up, or found something bad.
    """
    location, ended = _of(ctx.obj), set[int]()
    if not status:
        there = job_queue.runs(location)
        ended = {run.number for run in there if run.is_ended}
        left = sum(run.state.waiting + run.state.doing for run in there) if once else None
        with counted("jobs", of=left) as tick:
            job_queue.do_jobs(
                location,
                _worker_pool(location, jobs, ray),
                once=once,
                patience_s=patience,
                tell=_teller(tick),
                ending=_tell_ending,
            )
    runs = [run for run in job_queue.runs(location) if run.number not in ended]
    if as_json:
        emit(runs)
    else:
        _show(runs)
    ctx.exit(0 if all(run.is_well for run in runs) else 1)


def _worker_pool(location: Location, jobs: int, ray: str | None) -> WorkerPool:
    """Return the pool for so many jobs at once: processes of this machine, or of Ray."""
    if ray is None:
        from permacite.service.work.pools import ProcessPool

        return ProcessPool(location, jobs)
    from permacite.service.work.pools import RayPool

    return RayPool(location, jobs, ray)


def _of(folder: Location | None) -> Location:
    return folder or default_directory()


def _tell(jobs: int) -> None:
    note(f"{jobs:,} jobs put: `permacite work` does them" if jobs else "there is nothing to do")


def _teller(tick: Callable[[object], None] | None) -> Callable[[Job, Outcome], None]:
    """Return the function that counts jobs, and reports those that failed."""

    def tell(job: Job, outcome: Outcome) -> None:
        if outcome.problem:
            note(f"  not done: {job}: {outcome.problem}")
        if tick is not None:
            tick(job)

    return tell


def _tell_ending() -> None:
    note("permacite: ending what is begun; told once more, it ends at once")


def _show(runs: list[JobRun]) -> None:
    """Print the progress of runs, and what needs attention."""
    rows = [
        (
            run.number,
            run.kind,
            f"{run.put_at:%Y-%m-%d %H:%M}",
            *(f"{each:,}" for each in (run.state.waiting, run.state.doing, run.state.done)),
            f"{run.state.given_up:,}",
            ", ".join(f"{many:,} {what}" for what, many in run.counts.items()),
        )
        for run in runs
    ]
    columns = ["run", "kind", "put at (UTC)", "waiting", "doing", "done", "given up", "so far"]
    if rows:
        table(columns, rows)
    else:
        note("nothing is to be done: `permacite bulk` puts work")
    for run in runs:
        for told in run.told:
            note(f"  {told.what}: {told.name}: {told.problem}")
