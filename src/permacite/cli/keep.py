"""Commands that keep an archive: copies, health, withdrawals, series, delegations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from permacite.cli.locations import FOLDER, LOCATION
from permacite.cli.output import counted, emit, json_option, table, tracked
from permacite.cli.output import note as tell
from permacite.service import preservation
from permacite.service.access import REASONS
from permacite.service.archive import Archive
from permacite.service.location import checked_location, default_directory

if TYPE_CHECKING:
    from permacite.service.assertions.delegating import Delegated
    from permacite.service.findings import Report
    from permacite.service.location import Location
    from permacite.service.preservation import Copy

__all__ = [
    "backup",
    "copy",
    "delegate",
    "delegations",
    "fsck",
    "promote",
    "reinstate",
    "restore",
    "series",
    "where",
    "withdraw",
]

_DATE = "YYYY-MM-DD"
_OF_COPY = {
    "mended": "mended from the copy",
    "wrong": "the copy has other bytes, nothing is changed",
    "missing": "the copy has no such bytes",
    "untold": "no whole entry of the log tells of these bytes, nothing is changed",
}
"""What is said of bytes that were sought in a copy, by the outcome."""


@click.command()
@click.argument("directory", type=FOLDER)
@click.option("--copy", is_flag=True, help="Copy the files even where a second name would do.")
@click.option(
    "--full",
    is_flag=True,
    help="Compare all of it, recompute every digest in DIRECTORY, and mend what is damaged there.",
)
@json_option
@click.pass_context
def backup(ctx: click.Context, directory: Path, *, copy: bool, full: bool, as_json: bool) -> None:
    """Make DIRECTORY a second archive with all that is committed now, or bring it up to date.

    The archive may be in use meanwhile. What came since the last backup is added; after an erasure
    all is compared. Cut short, it leaves what was there before, and can be run again. On the same
    disk files get a second name and take no space, which guards against a lost catalog but not
    against a lost disk: then use --copy, or better another disk. The key that signs the log is
    copied too.

    Exit status: 0 done, 1 DIRECTORY holds other things or cannot be written, or the archive itself
    lacks bytes that it names: then all else is copied.
    """
    with Archive.open(ctx.obj) as archive, tracked("contents looked at") as progress:
        copied = archive.copies.backup(directory, link=not copy, full=full, progress=progress)
    _tell_copy(copied, as_json=as_json)
    ctx.exit(_tell_lost(copied))


def _tell_lost(copied: Copy) -> int:
    """Tell what could not be copied; the exit status that says it."""
    for digest in copied.lost:
        tell(f"missing or altered in the archive, and not copied: {digest}")
    if copied.lost:
        tell("`permacite fsck` tells which names these are")
    return 1 if copied.lost else 0


@click.command()
@click.argument("source", type=LOCATION)
@click.argument("target", type=LOCATION)
@click.option(
    "--with-key",
    is_flag=True,
    help="Copy the key that signs the log too: then TARGET can take the place of SOURCE.",
)
@click.option(
    "--objects",
    metavar="ADDRESS",
    help="Keep the bytes of a new folder in the store at s3://BUCKET/PREFIX.",
)
@click.option(
    "--full", is_flag=True, help="Look for all bytes in TARGET, and bring what is missing there."
)
@json_option
@click.pass_context
def copy(
    ctx: click.Context,
    source: Location,
    target: Location,
    *,
    with_key: bool,
    objects: str | None,
    full: bool,
    as_json: bool,
) -> None:
    """Copy the archive SOURCE to TARGET, or bring an earlier copy there up to date.

    Both are folders, or locations such as postgresql://HOST/DATABASE?objects=/FOLDER. SOURCE may be
    in use meanwhile. The copy has the same log with the same root: what was cited and proven holds
    there. Every digest is checked on the way. Cut short, it can be run again, and goes on; until
    then nobody can open TARGET. Without --with-key the copy answers for all names, proves what is
    cited under the last checkpoint that the archive signed, and mints and signs nothing: see
    `promote`.

    Exit status: 0 done, 1 TARGET is another archive, or was written to, or cannot be written, or
    SOURCE itself lacks bytes that it names: then all else is copied; 2 bad location.
    """
    with tracked("entries copied") as progress:
        copied = preservation.copy(
            source, target, with_key=with_key, objects=objects, full=full, progress=progress
        )
    _tell_copy(copied, as_json=as_json)
    ctx.exit(_tell_lost(copied))


@click.command()
@click.argument("target", type=LOCATION)
def promote(target: Location) -> None:
    """Let TARGET, a copy without the log's key, take the place of its archive: mint and sign.

    Put the file of the key there first, or run `copy --with-key` instead, which does both. Nothing
    may be written to the archive from then on: two logs under one key are a fork, which anybody can
    show. Servers of TARGET that run are to be begun anew.

    Exit status: 0 done, 1 TARGET is no copy that reads, or the key is not there, or another log's;
    2 bad location.
    """
    key = preservation.promote(target)
    click.echo(key)
    tell("this copy mints and signs from now on, by that key")


@click.command()
@click.argument("source", type=click.Path(path_type=Path, file_okay=False, exists=True))
@json_option
@click.pass_obj
def restore(folder: Location | None, source: Path, *, as_json: bool) -> None:
    """Make the archive (--archive, or the default one) anew from the backup SOURCE.

    SOURCE is what `backup` made, or `export --ocfl`. Every digest in it is checked. The archive's
    folder must be new or empty. OCFL objects hold no secret, so an archive made from them signs its
    log with a new key, and keeps the last checkpoint of the earlier one.

    Exit status: 0 done, 1 SOURCE is damaged or no backup, or the folder is not empty.
    """
    into = folder or default_directory()
    if isinstance(into, str):
        raise click.UsageError(
            "a backup is restored into a folder: `permacite copy` brings it into a database"
        )
    _tell_copy(preservation.restore(source, into), as_json=as_json)


def _tell_copy(copy: Copy, *, as_json: bool) -> None:
    if as_json:
        emit(copy)
        return
    click.echo(copy.directory)
    tell(f"{copy.documents} documents, {copy.versions} versions, {copy.entries} entries in the log")
    if copy.files is not None:
        tell(f"{copy.files} contents came, {'all compared' if copy.whole else 'what is new'}")
    if copy.root is not None:
        tell(f"the root of its log is that of the archive: {copy.root}")
    if copy.new_key is not None:
        tell(f"its log is signed with a new key: {copy.new_key}")
        tell("what the earlier key signed is kept as evidence: `permacite log` shows it")


def _checked_copy(_context: object, _option: object, typed: str | None) -> str | None:
    """What --repair-from names. Raises ParseError for no location, before all is checked."""
    if typed is not None and not typed.startswith(("http://", "https://")):
        checked_location(typed)
    return typed


@click.command()
@click.option("--new", is_flag=True, help="Only what was committed since the last such check.")
@click.option(
    "--since",
    type=click.IntRange(min=0),
    metavar="SIZE",
    help="Only what was committed since the log had SIZE entries, as a checkpoint tells.",
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only N versions, by chance; with --new or --since besides.",
)
@click.option(
    "--repair-from",
    metavar="COPY",
    callback=_checked_copy,
    help="Take bytes that are missing or altered from COPY: the address of a server that mirrors"
    " this archive, or that it mirrors; the folder or location of a copy.",
)
@click.option(
    "--allow-private", is_flag=True, help="Let COPY lead to addresses inside networks, too."
)
@json_option
@click.pass_context
def fsck(
    ctx: click.Context,
    *,
    new: bool,
    since: int | None,
    sample: int | None,
    repair_from: str | None,
    allow_private: bool,
    as_json: bool,
) -> None:
    """Run a fixity check of the whole archive: every digest, the log, the catalog and its rules.

    Bytes that nothing names (orphans) are harmless: a commit that failed left them. With --new,
    --since or --sample digests alone are recomputed, of a part of the archive: each night what is
    new and a thousand by chance, once in a while all of it. When that was, and what was found, is
    kept for the metrics of a server.

    With --repair-from bytes that are missing or altered are taken from a copy, and compared with
    what the log tells before they take their place; a copy that has others is named, and nothing is
    changed. A mirror that did not follow for 24 hours is told to be late.

    Cautions are of the settings of a database that may lose what was acknowledged: see `How to run
    a cluster`. They are no faults.

    Exit status: 0 all is well, 1 something is missing, altered, unreadable or does not agree.
    """
    with Archive.open(ctx.obj) as archive:
        total = archive.copies.to_check(new=new, since=since, sample=sample or 0)
        with counted("checked", of=total) as progress:
            report = archive.copies.fsck(
                new=new,
                since=since,
                sample=sample or 0,
                repair_from=repair_from,
                allow_private=allow_private,
                progress=progress,
            )
    findings = [item for item in report.findings if item.kind != "erased"]
    if as_json:
        told = {"checked": report.checked, "bad": report.bad, "findings": findings}
        told["cautions"] = report.cautions
        emit(told | ({"mended": report.mended} if repair_from is not None else {}))
    else:
        for item in findings:
            tell(f"{item.kind}: {item.name}: {item.detail}")
        for each in report.mended:
            tell(f"{_OF_COPY[each.outcome]}: {each.name}: {each.digest}")
        click.echo(f"{report.checked} checked, {len(report.bad)} bad")
        for caution in report.cautions:
            tell(f"caution: {caution}")
    for file in _files_of(report):
        tell(f"put there the file of a backup that `permacite fsck` finds well: {file}")
    ctx.exit(0 if report.ok else 1)


def _files_of(report: Report) -> list[str]:
    """Where the octets should be that are missing, altered or unreadable."""
    digests = (
        item.detail.rpartition("sha-256:")[2]
        for item in report.bad
        if item.kind in {"missing", "altered"} and "sha-256:" in item.detail
    )
    return [f"objects/{each[:2]}/{each[2:4]}/{each}" for each in dict.fromkeys(digests)]


@click.command()
@click.argument("pdi")
@click.option(
    "--reason",
    type=click.Choice(REASONS),
    required=True,
    help="Why: a code, which everyone who asks for PDI is told, and which stays in the log.",
)
@click.option(
    "--status",
    type=click.Choice(["410", "451"]),
    default="410",
    show_default=True,
    help="What HTTP answers: 410 gone, 451 unavailable for legal reasons.",
)
@click.option("--who", help="Who withdraws it.")
@click.option("--note", help="Private words, for `permacite show` alone.")
@json_option
@click.pass_obj
def withdraw(
    folder: Location | None,
    pdi: str,
    *,
    reason: str,
    status: str,
    who: str | None,
    note: str | None,
    as_json: bool,
) -> None:
    """Give out PDI no more: a document, or one format of one version.

    Its title, address, words and citations are hidden with its bytes, over HTTP and in what is
    exported for others. All of it stays in the archive, and the name is never used again. The
    withdrawal is an entry of the log, and `permacite reinstate` lifts it; `permacite erase`
    destroys.

    Exit status: 0 withdrawn, 1 PDI is unknown, 2 bad name.
    """
    with Archive.open(folder) as archive:
        withdrawn = archive.access.withdraw(
            pdi, reason=reason, status=int(status), who=who, note=note
        )
    if as_json:
        emit(withdrawn)
        return
    click.echo(f"withdrawn ({withdrawn.status}): {withdrawn.pdi}")
    for name in withdrawn.left:
        tell(f"still given out: {name}")


@click.command()
@click.argument("pdi")
@click.option("--who", help="Who lifts the withdrawal.")
@click.option("--note", help="Private words, for `permacite show` alone.")
@click.pass_obj
def reinstate(folder: Location | None, pdi: str, *, who: str | None, note: str | None) -> None:
    """Lift the withdrawal of PDI. Both stay on record.

    Exit status: 0 lifted, 1 PDI is not withdrawn, 2 bad name.
    """
    with Archive.open(folder) as archive:
        click.echo(f"given out again: {archive.access.reinstate(pdi, who=who, note=note)}")


@click.group()
def series() -> None:
    """Show or add the series that mint names in this archive."""


@series.command("list")
@json_option
@click.pass_obj
def list_series(folder: Location | None, *, as_json: bool) -> None:
    """List the series; the first mints where none is named.

    Exit status: 0 listed.
    """
    with Archive.open(folder) as archive:
        _tell_series(archive.documents.series.names(), as_json=as_json)


@series.command("add")
@click.argument("name")
@json_option
@click.pass_obj
def add_series(folder: Location | None, name: str, *, as_json: bool) -> None:
    """Let the series NAME mint here, such as press.lab.example.us.

    Exit status: 0 added, or there already, 2 NAME is no series.
    """
    with Archive.open(folder) as archive:
        _tell_series(archive.documents.series.add(name), as_json=as_json)


@series.command("use")
@click.argument("name")
@json_option
@click.pass_obj
def use_series(folder: Location | None, name: str, *, as_json: bool) -> None:
    """Mint in the series NAME from now on, where no other is named; add it if it is not here.

    Names that are there stay what they are. It is the way on where a clock that was wrong has
    minted dates to come: no name of that series can have an earlier date.

    Exit status: 0 done, 2 NAME is no series.
    """
    with Archive.open(folder) as archive:
        _tell_series(archive.documents.series.use(name), as_json=as_json)


def _tell_series(names: list[str], *, as_json: bool) -> None:
    if as_json:
        emit(names)
    else:
        click.echo("\n".join(names))


@click.command()
@click.argument("name", metavar="SERIES")
@click.argument("target", nargs=-1, required=True)
@click.option(
    "--kind",
    type=click.Choice(["resolver", "minter"]),
    default="resolver",
    show_default=True,
    help="Whether TARGET answers for the names, or mints them.",
)
@click.option("--from", "first", metavar=_DATE, help="The first date in names; default: any.")
@click.option("--until", "last", metavar=_DATE, help="The last date in names; default: any.")
@json_option
@click.pass_obj
def delegate(
    folder: Location | None,
    name: str,
    target: tuple[str, ...],
    *,
    kind: str,
    first: str | None,
    last: str | None,
    as_json: bool,
) -> None:
    """Record that TARGET answers for SERIES and all series below it.

    TARGET is the address of a resolver, which `permacite serve` then leads to for names that are
    not here; of one that speaks THTTP alone (RFC 2169) it ends with /uri-res. Further TARGETs hold
    copies of what the first has, and are led to beside it. With --kind minter TARGET is whoever
    mints names of these dates: a series of this archive, or others, and then this archive mints
    none. A delegation is never taken back: a later one of the same series and dates counts too, for
    minters, or instead.

    Exit status: 0 recorded, 2 SERIES, TARGET or a date is wrong.
    """
    if kind == "minter" and len(target) > 1:
        raise click.UsageError("one minter is named at a time; each counts")
    with Archive.open(folder) as archive:
        delegation = archive.documents.series.delegate(
            kind, name, " ".join(target), first=first, last=last
        )
    _tell_delegations([delegation], as_json=as_json)


@click.command()
@click.argument("name", metavar="[SERIES]", required=False)
@json_option
@click.pass_obj
def delegations(folder: Location | None, name: str | None, *, as_json: bool) -> None:
    """List who answers for SERIES or mints in it, by delegations of it and of those above it.

    Exit status: 0 listed, 2 SERIES is none.
    """
    with Archive.open(folder) as archive:
        _tell_delegations(archive.documents.series.delegations(name), as_json=as_json)


@click.command()
@click.argument("reference", metavar="NAME")
@click.option("--at", "resolver", metavar="ADDRESS", help="Begin at that resolver, not here.")
@click.option("--allow-private", is_flag=True, help="Allow addresses of this machine or network.")
@json_option
@click.pass_context
def where(
    ctx: click.Context, reference: str, *, resolver: str | None, allow_private: bool, as_json: bool
) -> None:
    """Tell which resolver answers for NAME: each that leads on, a line each, until one answers.

    The first is named by a delegation of this archive, unless it holds NAME itself. Where one does
    not answer, those are asked that hold copies of what it has. Documents are not fetched.

    Exit status: 0 one answers; 1 none does, its series is not delegated, or the delegations run in
    a circle; 2 NAME or ADDRESS is none.
    """
    from permacite.service.resolution.resolvers import way_from

    if resolver is not None:
        way = way_from(resolver, reference, allow_private=allow_private)
    else:
        with Archive.open(ctx.obj) as archive:
            way = archive.documents.directions.way(reference, allow_private=allow_private)
    if as_json:
        emit(way)
    elif way.here:
        click.echo("this archive holds it")
    else:
        for step in way.steps:
            click.echo(
                f"{step.resolver}\t{step.outcome}" + (f"\t{step.problem}" if step.problem else "")
            )
    ctx.exit(0 if way.answered else 1)


def _tell_delegations(delegations: list[Delegated], *, as_json: bool) -> None:
    if as_json:
        emit(delegations)
        return
    rows = [(item.kind, item.series, item.first, item.last, item.target) for item in delegations]
    table(("kind", "series", "from", "until", "target"), rows)
