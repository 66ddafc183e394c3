"""Commands about proofs: prove, verify, log, stamp, witness."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from permacite.cli.output import counted, emit, is_file, json_option, note, table
from permacite.service.archive import Archive
from permacite.words import LANGUAGES

if TYPE_CHECKING:
    from permacite.service.location import Location
    from permacite.service.proofs.logs import LogState
    from permacite.service.proofs.proofs import Verified

__all__ = ["log", "prove", "stamp", "verify", "witness"]

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.command()
@click.argument("reference")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file; - is standard output.  [default: proof.zip, or proof.html with --html]",
)
@click.option("--html", is_flag=True, help="Write a page that shows the proof and checks itself.")
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    default=LANGUAGES[0],
    show_default=True,
    help="The language of the page.",
)
@click.option("--force", is_flag=True, help="Replace the file if it is there.")
@json_option
@click.pass_obj
def prove(
    folder: Location | None,
    reference: str,
    *,
    output: Path | None,
    html: bool,
    language: str,
    force: bool,
    as_json: bool,
) -> None:
    """Write a proof that this archive holds what REFERENCE names, or never minted it.

    REFERENCE is a name; with a #fragment the proof shows the words of that passage too. The file
    holds the bytes, the entry of the log that names them, the way from it to the root, and the
    root signed with the archive's key: `permacite verify FILE` checks it anywhere, offline. With
    --html it is one page that any browser opens, also from a disk without a network: it shows the
    passage and checks the same.

    Where REFERENCE is a name of this archive's own series that was never minted, the file proves
    that, once the day in the name has ended (UTC): it holds all names of that day.

    Exit status: 0 written, 1 unknown, withdrawn or damaged, 2 bad reference.
    """
    output = output or Path("proof.html" if html else "proof.zip")
    if output != Path("-") and output.exists() and not force:
        raise click.ClickException(f"{output} is there already; --force replaces it")
    with Archive.open(folder) as archive:
        proof = archive.proofs.proof(reference, seal=True, html=html, language=language)
    if output == Path("-"):
        sys.stdout.buffer.write(proof.content)
        return
    output.write_bytes(proof.content)
    if as_json:
        emit(proof)
        return
    click.echo(f"{output}  {proof.reference}")
    if proof.versions is not None:
        note(
            f"the document had {proof.versions} versions when its day was sealed: the file proves"
            " that this was none of them"
        )
    elif proof.absent:
        note("no such document is here: the file proves that none was ever minted on its day")
    note(f"public key, for whoever checks it: {proof.key}")


def _tell_proof(
    path: Path,
    key: str | None,
    *,
    policy: Path | None,
    kept: Path | None,
    tsa_ca: Path | None,
    as_json: bool,
) -> int:
    """Check the bundle at `path`, print what holds, and return the exit status."""
    from permacite.service.proofs import proofs

    if key is not None and is_file(key):
        key = proofs.key_in(Path(key).read_text(encoding="utf-8", errors="replace"))
    checkpoint = None if kept is None else kept.read_text(encoding="utf-8", errors="replace")
    roots = None if tsa_ca is None else tsa_ca.read_bytes()
    rule = None if policy is None else policy.read_bytes()
    verified = proofs.check(path.read_bytes(), key, policy=rule, kept=checkpoint, tsa_roots=roots)
    if as_json:
        emit(verified)
    else:
        _tell_verified(verified)
    return 0 if verified.holds else 1


def _tell_verified(verified: Verified) -> None:
    """Print the answer first, then what was checked."""
    click.echo(_answer(verified))
    if verified.quote and verified.holds:
        printed = f" ({verified.printed})" if verified.printed else ""
        click.echo(f"\n  {' '.join(verified.quote.split())}{printed}\n")
    rows = [("ok" if check.ok else "FAILS", check.name, check.detail) for check in verified.checks]
    table(("", "check", ""), rows)
    if verified.holds and verified.caution:
        note(f"signed by {verified.key}")
        note("give the key that the archive publishes with --key, or your --policy")


def _answer(verified: Verified) -> str:
    """The sentence that the checks add up to."""
    bad = [check.name for check in verified.checks if not check.ok]
    if bad:
        return f"this proof does not hold: {', '.join(bad)}"
    what = "these words" if verified.quote else "these bytes"
    moment = verified.committed_at
    when = f"{moment:%Y-%m-%d %H:%M:%S} UTC" if moment else "an unsaid time"
    name = verified.reference
    claim = f"{what} stood in the archive of {verified.log} at {when}, under\n{name}"
    if verified.versions is not None:
        claim = (
            f"the archive of {verified.log} had {verified.versions} versions of this document when"
            f" it sealed the day, at {when}, and not\n{name}"
        )
    elif verified.absent:
        claim = f"the archive of {verified.log}, its day sealed at {when}, never minted\n{name}"
    if verified.caution is None:
        return claim
    return f"{verified.caution}.\nIt agrees with itself, and says:\n{claim}"


@click.command()
@click.option(
    "--since",
    type=click.IntRange(min=1),
    metavar="N",
    help="Prove that the log of N entries is the beginning of the log of today.",
)
@click.option(
    "--extends",
    type=_FILE,
    help="Check that the log extends the checkpoint in this file, which you kept.",
)
@click.option(
    "--tiles",
    metavar="DIR",
    help="Write the whole log into DIR, or to s3://BUCKET/PREFIX, as tiles that others read.",
)
@click.option("--seal", is_flag=True, help="First seal all days that have ended (UTC).")
@json_option
@click.pass_obj
def log(
    folder: Location | None,
    *,
    seal: bool,
    since: int | None,
    extends: Path | None,
    tiles: str | None,
    as_json: bool,
) -> None:
    """Show the log of all commits: its size, its root, the signed checkpoint, the public key.

    Whoever keeps a checkpoint, or what this command prints, can later hold the archive to it: the
    log only grows. A sealed day has an entry that tells all its names, and takes no more: the first
    commit of a later day seals the last one, --seal those that are left.

    Exit status: 0 shown, 1 where the log does not extend a checkpoint, 2 where that is none.
    """
    if sum(option is not None for option in (since, extends, tiles)) > 1:
        raise click.UsageError("give one of --since, --extends and --tiles")
    with Archive.open(folder) as archive:
        for day in archive.log.seal_days() if seal else ():
            note(f"sealed {day.name}: {day.documents} documents")
        if tiles is not None:
            state = archive.log.export_tiles(tiles if tiles.startswith("s3://") else Path(tiles))
        elif extends is not None:
            state = archive.log.held_to(extends.read_text(encoding="utf-8", errors="replace"))
        else:
            state = archive.log.state(since=since)
    if as_json:
        emit(state)
    else:
        _tell_log(state)


def _tell_log(state: LogState) -> None:
    click.echo(f"log   {state.log}\nsize  {state.size}\nroot  {state.root}")
    for key in state.keys:
        click.echo(f"key   {key}")
    if state.since is not None:
        click.echo(f"\nextends the log of {state.since.size}, root {state.since.root}")
        for hash_ in state.since.proof:
            click.echo(f"  {hash_}")
    for log in state.earlier:
        click.echo(f"\ngoes on from {log.size} entries that another key signed:\nkey   {log.key}")
        click.echo("".join(f"  {line}\n" for line in log.checkpoint.splitlines()), nl=False)
    click.echo(f"\n{state.checkpoint}", nl=False)


@click.command()
@click.argument("authority", metavar="URL")
@click.option(
    "--tsa-ca",
    type=_FILE,
    help="The certificate (PEM) under which the authority signs, to check its answer with.",
)
@click.option("--allow-private", is_flag=True, help="URL may be an address of this network.")
@json_option
@click.pass_obj
def stamp(
    folder: Location | None,
    authority: str,
    *,
    tsa_ca: Path | None,
    allow_private: bool,
    as_json: bool,
) -> None:
    """Have the log, as it is now, stamped with the time by the RFC 3161 authority at URL.

    Its answer is another authority's word on when the log was like that. It is kept, goes into the
    proofs of all that the log held by then, and `permacite verify --tsa-ca` checks it offline. The
    authority is told the digest of the signed checkpoint, and nothing of what is archived.

    Exit status: 0 stamped, 1 the authority cannot be asked, or its answer does not hold.
    """
    roots = None if tsa_ca is None else tsa_ca.read_bytes()
    with Archive.open(folder) as archive:
        stamped = archive.log.stamp(authority, roots=roots, allow_private=allow_private)
    if as_json:
        emit(stamped)
        return
    when = f"{stamped.stamped_at:%Y-%m-%d %H:%M:%S} UTC"
    click.echo(f"{when}  {stamped.size} entries  {stamped.authority}")
    if not stamped.checked:
        note("whose word this is was not checked: give the authority's certificate with --tsa-ca")


@click.command()
@click.argument("witnesses", metavar="URL KEY [URL KEY]...", nargs=-1, required=True)
@click.option("--allow-private", is_flag=True, help="URL may be an address of this network.")
@json_option
@click.pass_context
def witness(
    ctx: click.Context, witnesses: tuple[str, ...], *, allow_private: bool, as_json: bool
) -> None:
    """Have the log, as it is now, cosigned by the witnesses at each URL, with the public KEY of it.

    URL is the submission prefix of a witness (C2SP tlog-witness), such as that of a mirror:
    https://mirror.example.org/-/witness. A witness with two keys is named twice. It is told the
    signed checkpoint, and that the log only grew since it was asked last; nothing of what is
    archived. Its signature is kept, stands below the checkpoint that the log publishes, and goes
    into proofs of all that the log held by then: `permacite verify --policy` counts them.

    Exit status: 0 all have cosigned, 1 one has not, 2 KEY is none.
    """
    if len(witnesses) % 2:
        raise click.UsageError("expected a KEY for each URL")
    asked = zip(witnesses[::2], witnesses[1::2], strict=True)
    with Archive.open(ctx.obj) as archive:
        outcome = archive.log.ask_witnesses(asked, allow_private=allow_private)
    if as_json:
        emit(outcome)
    else:
        click.echo(outcome.checkpoint, nl=False)
    for refused in outcome.refused:
        note(f"{refused.address}: {refused.problem}")
    ctx.exit(1 if outcome.refused else 0)


@click.command()
@click.argument("reference", required=False)
@click.option("--all", "everything", is_flag=True, help="Check all that is stored.")
@click.option(
    "--key", help="The public key that a proof must be signed with: its text, or a file with it."
)
@click.option(
    "--policy",
    type=_FILE,
    help="A file that tells which logs and witnesses a proof needs (c2sp.org/tlog-policy).",
)
@click.option(
    "--checkpoint",
    type=_FILE,
    help="A checkpoint of the same log that you kept, to compare that of a proof with.",
)
@click.option(
    "--tsa-ca",
    type=_FILE,
    help="The certificate (PEM) of an authority whose time-stamp a proof must bear.",
)
@click.option("--strict", is_flag=True, help="Count what cannot be checked as bad.")
@json_option
@click.pass_context
def verify(
    ctx: click.Context,
    /,
    reference: str | None,
    *,
    everything: bool,
    strict: bool,
    as_json: bool,
    **of_proof: Any,
) -> None:
    """Check what is stored against its digests, or a proof offline.

    REFERENCE is a name, with or without a fragment: the bytes are compared with the record, and a
    cited passage with the words recorded when it was cited. Of a citation A@origin=B it is also
    checked that A has there what B names. Or it is the file of a proof (see `permacite prove`),
    which needs no archive: with --key, the key that the archive publishes, or --policy, it proves
    what it says. Without, anyone could have made it, and the answer says so.

    Exit status: 0 all is well, or a proof without a key agrees with itself; 1 something is missing,
    altered or does not hold; 2 bad reference.
    """
    if (reference is None) != everything:
        raise click.UsageError("give one name or the file of a proof, or --all")
    if reference is not None and is_file(reference):
        of_proof["kept"] = of_proof.pop("checkpoint")
        ctx.exit(_tell_proof(Path(reference), of_proof.pop("key"), as_json=as_json, **of_proof))
    if any(option is not None for option in of_proof.values()):
        options = "--key, --policy, --checkpoint and --tsa-ca"
        subject = "--all" if reference is None else reference
        raise click.UsageError(f"{options} are for the file of a proof; {subject} is none")
    with Archive.open(ctx.obj) as archive, counted("verifying") as progress:
        report = archive.verify(reference, progress=progress)
    erased = [finding for finding in report.findings if finding.kind == "erased"]
    unchecked = [finding for finding in report.findings if finding.kind == "unchecked"]
    bad = [*report.bad, *(unchecked if strict else [])]
    if as_json:
        told = {"checked": report.checked, "bad": bad, "erased": erased}
        emit(told | ({"unchecked": unchecked} if unchecked else {}))
    else:
        for finding in erased:
            note(f"{finding.name}: {finding.detail}")
        for finding in [*report.bad, *unchecked]:
            note(f"{finding.kind}: {finding.name}: {finding.detail}")
        click.echo(f"{report.checked} checked, {len(bad)} bad")
    ctx.exit(1 if bad else 0)
