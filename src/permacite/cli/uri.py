"""Commands about URI references: parse, resolve, normalize, find."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, BinaryIO

import click

from permacite.cli.output import emit, json_option, note, table
from permacite.service import references

if TYPE_CHECKING:
    from permacite.service.references import Excess, Level, ParsedReference, Profile

__all__ = ["uri"]

_BAD_INPUT = 2

profile_option = click.option(
    "--profile",
    type=click.Choice(["rfc2396", "rfc3986"]),
    default="rfc2396",
    show_default=True,
    help="The grammar and the rules.",
)


@click.group()
def uri() -> None:
    """Parse, resolve, normalise and find URI references (RFC 2396, RFC 3986)."""


@uri.command()
@click.argument("text")
@click.option("--faults", is_flag=True, help="List everything that is wrong with TEXT.")
@profile_option
@json_option
@click.pass_context
def parse(ctx: click.Context, text: str, *, faults: bool, profile: Profile, as_json: bool) -> None:
    """Print the components of TEXT, exactly as written.

    Exit status: 0 it is a URI reference, 2 it is not.
    """
    if faults:
        found = references.faults(text, profile=profile)
        if as_json:
            emit(found)
        else:
            rows = [(fault.offset, fault.problem, fault.spec) for fault in found]
            table(("offset", "problem", "rule"), rows)
        ctx.exit(_BAD_INPUT if found else 0)
    parsed = references.parse(text, profile=profile)
    if as_json:
        emit(parsed)
    else:
        _tell(parsed)


def _tell(parsed: ParsedReference) -> None:
    """Print the components that are there; an empty one is shown as nothing after its name."""
    fields = dataclasses.asdict(parsed)
    shown = ("scheme", "opaque_part", "authority", "userinfo", "host", "port_text", "reg_name")
    names = (*shown, "path", "query", "fragment")
    rows = [
        (name.removesuffix("_text"), fields[name]) for name in names if fields[name] is not None
    ]
    if parsed.iri != parsed.text:
        rows.append(("as IRI", parsed.iri))
    table(("component", "text"), rows)
    for warned in parsed.warnings:
        note(f"warning: {warned.problem} ({parsed.text[warned.start : warned.end]})")


@uri.command()
@click.argument("reference")
@click.argument("base")
@click.option("--loose", is_flag=True, help="Read http:g as relative to an http base.")
@click.option(
    "--excess",
    type=click.Choice(["keep", "remove", "error"]),
    help="What to do with .. above the root. Default: keep (RFC 2396), remove (RFC 3986).",
)
@profile_option
@json_option
def resolve(
    reference: str,
    base: str,
    *,
    loose: bool,
    excess: Excess | None,
    profile: Profile,
    as_json: bool,
) -> None:
    """Print what REFERENCE refers to in a document whose base URI is BASE.

    By RFC 2396, an empty reference or a fragment alone is the current document: that is said on
    standard error, and the URI that a new request would need is printed.
    """
    resolved = references.resolve(
        reference,
        base,
        profile=profile,
        same_scheme="loose" if loose else "strict",
        excess=excess,
    )
    if as_json:
        emit(resolved)
        return
    if resolved.same_document:
        note("the current document")
    click.echo(resolved.uri)


@uri.command()
@click.argument("text")
@click.option(
    "--level",
    type=click.Choice(["syntax", "path", "scheme"]),
    default="syntax",
    show_default=True,
    help="How far to go; each level includes the one before it.",
)
@profile_option
@json_option
def normalize(text: str, *, level: Level, profile: Profile, as_json: bool) -> None:
    """Print the normal form of TEXT.

    syntax: the case of scheme, host and escapes. path: and dot segments. scheme: and default
    ports, empty paths and needless escapes, for schemes that are known.
    """
    normal = references.normalize(text, level=level, profile=profile)
    if as_json:
        emit(normal)
    else:
        click.echo(normal.uri)


@uri.command()
@click.argument("file", type=click.File("rb"), default="-")
@click.option("--abbreviated", is_flag=True, help="Guess at www. names without a scheme too.")
@profile_option
@json_option
def find(file: BinaryIO, *, abbreviated: bool, profile: Profile, as_json: bool) -> None:
    """Print the URI references in FILE (UTF-8; standard input by default), with their places.

    Places are offsets in characters, the end excluded. A hyphen at a line end may belong to the
    reference or not: the other readings follow it.
    """
    text = file.read().decode(errors="replace")
    found = list(references.find(text, abbreviated=abbreviated, profile=profile))
    if as_json:
        emit(found)
        return
    rows = [
        (item.start, item.end, reading, "guess" if item.heuristic else remark)
        for item in found
        for reading, remark in [
            (item.uri, ""),
            *((other, "or this") for other in item.alternatives),
        ]
    ]
    table(("start", "end", "reference", ""), rows)
