"""derive: the text that documents lack."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from permacite.cli.output import counted, emit, json_option, note
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from permacite.service.derivations import Derived
    from permacite.service.location import Location

__all__ = ["derive"]


@click.command()
@click.argument("pdi", required=False)
@click.option("--all", "everything", is_flag=True, help="All versions of all documents.")
@click.option("--renew", is_flag=True, help="Make new versions where newer rules give other texts.")
@click.option("--rendition", metavar="NAME", help="By these rules, such as docx-reviewed-text.")
@click.option("--type", "media_type", metavar="TYPE", help="With --renew: under this media type.")
@click.option("--after", metavar="PDI", help="With --all: go on behind this version.")
@json_option
@click.pass_obj
def derive(
    folder: Location | None,
    /,
    pdi: str | None,
    *,
    everything: bool,
    renew: bool,
    after: str | None,
    as_json: bool,
    **wanted: str | None,
) -> None:
    """Give PDI, or all documents, the text that they lack: of formats that are read since.

    The text becomes a format of the same version. What has one is passed over, so that the command
    can be interrupted and run again; --after saves looking at what is done. Where newer rules would
    give another text, that is told; with --renew it becomes a new version of the same octets, as
    does the text by other rules that are asked for by --rendition. --renew --type makes a new
    version of the same octets under another media type, for a file that has the wrong one.

    Exit status: 0 done, also where no text can be made, 1 PDI is unknown, 2 bad name.
    """
    if everything == (pdi is not None) or (after and not everything):
        raise click.UsageError("give a name, or --all, which may go on --after a version")
    if pdi is None and any(wanted.values()):
        raise click.UsageError("--rendition and --type are for one document: give its name")
    told: list[Derived] = []
    with Archive.open(folder) as archive, counted("looking at versions") as tick:
        if pdi is None:
            outcomes = archive.documents.derivations.derive_all(renew=renew, after=after)
        else:
            outcomes = iter([_derived(archive, pdi, renew=renew, **wanted)])
        for outcome in outcomes:
            told.append(outcome)
            if tick is not None:
                tick(outcome)
            if not as_json and (pdi is not None or outcome.outcome not in {"present", "none"}):
                _tell_derived(outcome)
    if as_json:
        emit(told)
    elif everything:
        counts = Counter(outcome.outcome for outcome in told)
        note(", ".join(f"{many} {outcome}" for outcome, many in counts.items()) or "no versions")


def _derived(
    archive: Archive, pdi: str, *, renew: bool, rendition: str | None, media_type: str | None
) -> Derived:
    if media_type is None:
        return archive.documents.derivations.derive(pdi, renew=renew, rendition=rendition)
    if not renew or rendition is not None:
        raise click.UsageError("--type makes a new version: give --renew with it, no --rendition")
    return archive.lists.files.retype(pdi, media_type)


def _tell_derived(outcome: Derived) -> None:
    click.echo(f"{outcome.outcome:10} {outcome.text or outcome.pdi}")
    if outcome.problem:
        note(f"  {outcome.pdi}: {outcome.problem}")
