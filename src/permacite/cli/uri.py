"""Commands about URI references: parse, resolve, normalize, find. They need no extra.

They are read with argparse, so that they answer where permacite is installed alone; the other
commands need click, whose group hands the words after `uri` on to `main`.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from permacite import uri
from permacite.cli.command_table import COMMANDS
from permacite.cli.output import JSON_HELP, emit, guarded, note, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from permacite.uri.normalization import Level
    from permacite.uri.reference import Reference
    from permacite.uri.resolution import Excess
    from permacite.uri.syntax import Profile

__all__ = ["main", "parsers", "run"]

_Option: TypeAlias = "tuple[str, dict[str, Any]]"
"""A name, and what argparse is told of it."""

_BAD_INPUT = 2


def run(words: Sequence[str]) -> int:
    """Run `permacite uri` as the program does: each error becomes a sentence and an exit status."""
    return guarded(partial(main, words), as_json="--json" in words)


def main(words: Sequence[str]) -> int:
    """Run `permacite uri` with the `words` after it, and return the exit status."""
    parser = parsers()["permacite uri"]
    if not words:
        parser.print_help(sys.stderr)
        return _BAD_INPUT
    try:
        options = vars(parser.parse_args(words))
    except SystemExit as ended:  # so argparse ends after a help page, or where words are wrong
        return int(ended.code or 0)
    status: int = options.pop("command")(**options)
    return status


def parse(text: str, *, faults: bool, profile: Profile, as_json: bool) -> int:
    """Print the components of TEXT, exactly as written.

    Exit status: 0 it is a URI reference, 2 it is not.
    """
    if faults:
        return _tell_faults(text, profile=profile, as_json=as_json)
    reference = uri.parse(text, profile)
    fields = _fields(reference)
    if as_json:
        emit(fields)
        return 0
    shown = ("scheme", "opaque_part", "authority", "userinfo", "host", "port_text", "reg_name")
    names = (*shown, "path", "query", "fragment")
    rows = [(name.removesuffix("_text"), fields[name]) for name in names]
    if fields["iri"] != text:
        rows.append(("as IRI", fields["iri"]))
    table(("component", "text"), [row for row in rows if row[1] is not None])
    for warning in uri.warnings(reference):
        note(f"warning: {warning.problem} ({text[warning.start : warning.end]})")
    return 0


def _tell_faults(text: str, *, profile: Profile, as_json: bool) -> int:
    names = ("problem", "offset", "spec")
    faults = [
        {name: getattr(error, name) for name in names} for error in uri.iter_errors(text, profile)
    ]
    if as_json:
        emit(faults)
    else:
        rows = [(fault["offset"], fault["problem"], fault["spec"]) for fault in faults]
        table(("offset", "problem", "rule"), rows)
    return _BAD_INPUT if faults else 0


def _fields(reference: Reference) -> dict[str, object]:
    """A reference and its components as written; None is absent, "" is empty."""
    names = (
        "text profile scheme opaque_part authority userinfo host port port_text reg_name "
        "path query fragment"
    )
    return {name: getattr(reference, name) for name in names.split()} | {
        "segments": [str(segment) for segment in reference.segments],
        "absolute": reference.is_absolute,
        "iri": uri.to_iri(reference.text),
        "warnings": [warning._asdict() for warning in uri.warnings(reference)],
    }


def resolve(
    reference: str,
    base: str,
    *,
    loose: bool,
    excess: Excess | None,
    profile: Profile,
    as_json: bool,
) -> int:
    """Print what REFERENCE refers to in a document whose base URI is BASE.

    By RFC 2396, an empty reference or a fragment alone is the current document:
    that is said on standard error, and the URI that a new request would need is
    printed.
    """
    prepared = uri.Base(
        base, profile=profile, same_scheme="loose" if loose else "strict", excess=excess
    )
    resolved = prepared.resolve(reference)
    if as_json:
        emit(
            {
                "reference": resolved.reference.text,
                "same_document": resolved.same_document,
                "uri": resolved.uri(prepared),
            }
        )
        return 0
    if resolved.same_document:
        note("the current document")
    emit(resolved.uri(prepared), as_json=False)
    return 0


def normalize(text: str, *, level: Level, profile: Profile, as_json: bool) -> int:
    """Print the normal form of TEXT.

    syntax: the case of scheme, host and escapes. path: and dot segments. scheme:
    and default ports, empty paths and needless escapes, for schemes that are known.
    """
    normal = uri.normalize(text, level, profile=profile).text
    changed = {"uri": normal, "level": level, "changed": normal != text}
    emit(changed if as_json else normal, as_json=as_json)
    return 0


def find(file: bytes, *, abbreviated: bool, profile: Profile, as_json: bool) -> int:
    """Print the URI references in FILE (UTF-8; standard input by default), with their places.

    Places are offsets in characters, the end excluded. A hyphen at a line end may
    belong to the reference or not: the other readings follow it.
    """
    text = file.decode(errors="replace")
    places = list(uri.find(text, abbreviated=abbreviated, profile=profile))
    if as_json:
        emit([place._asdict() for place in places])
        return 0
    rows = [
        (place.start, place.end, reading, "guess" if place.heuristic else remark)
        for place in places
        for reading, remark in [
            (place.uri, ""),
            *((other, "or this") for other in place.alternatives),
        ]
    ]
    table(("start", "end", "reference", ""), rows)
    return 0


def _content(path: str) -> bytes:
    """The octets of a file, or of standard input for "-"."""
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{path!r}: {error.strerror}") from error


def _flag(name: str, text: str, **more: str) -> _Option:
    return name, {"action": "store_true", "help": text, **more}


def _choice(name: str, choices: Sequence[str], text: str, default: str | None = None) -> _Option:
    shown = f"{text}  [default: {default}]" if default else text
    values = {"choices": choices, "default": default, "metavar": f"[{'|'.join(choices)}]"}
    return name, {**values, "help": shown}


_PROFILE = _choice(
    "--profile", ["rfc2396", "rfc3986"], "The grammar and the rules.", default="rfc2396"
)
_JSON = _flag("--json", JSON_HELP, dest="as_json")
_COMMANDS = (
    # function, arguments, options
    (
        find,
        "[FILE]",
        [_flag("--abbreviated", "Guess at www. names without a scheme too."), _PROFILE, _JSON],
    ),
    (
        normalize,
        "TEXT",
        [
            _choice(
                "--level",
                ["syntax", "path", "scheme"],
                "How far to go; each level includes the one before it.",
                default="syntax",
            ),
            _PROFILE,
            _JSON,
        ],
    ),
    (
        parse,
        "TEXT",
        [_flag("--faults", "List everything that is wrong with TEXT."), _PROFILE, _JSON],
    ),
    (
        resolve,
        "REFERENCE BASE",
        [
            _flag("--loose", "Read http:g as relative to an http base."),
            _choice(
                "--excess",
                ["keep", "remove", "error"],
                "What to do with .. above the root. Default: keep (RFC 2396), remove (RFC 3986).",
            ),
            _PROFILE,
            _JSON,
        ],
    ),
)


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Writes help pages as those of the other commands are."""

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None = None,
    ) -> None:
        """Begin with a capital, as the others do."""
        super().add_usage(usage, actions, groups, prefix or "Usage: ")


class _Parser(argparse.ArgumentParser):
    """Tells of wrong words as the other commands do."""

    def error(self, message: str) -> NoReturn:
        """End with the usage, where help is, and what is wrong."""
        usage = f"{self.format_usage()}Try '{self.prog} --help' for help.\n\n"
        self.exit(_BAD_INPUT, f"{usage}Error: {message[:1].upper()}{message[1:]}\n")


def parsers() -> Mapping[str, argparse.ArgumentParser]:
    """The parser of `permacite uri` and those of its commands, by the words that call them."""
    name = "permacite uri"
    shape: dict[str, Any] = {"formatter_class": _HelpFormatter, "add_help": False}
    usage = f"{name} [OPTIONS] COMMAND [ARGS]..."
    group = _Parser(prog=name, usage=usage, description=COMMANDS["uri"][1], **shape)
    commands = group.add_subparsers(title="Commands", metavar="COMMAND", prog=name)
    _add_options(group)
    for function, arguments, options in _COMMANDS:
        command = function.__name__
        text = cleandoc(function.__doc__ or "")
        parser = commands.add_parser(
            command,
            usage=f"{name} {command} [OPTIONS] {arguments}",
            help=text.partition("\n")[0],
            description=text,
            allow_abbrev=False,
            **shape,
        )
        parser.set_defaults(command=function)
        for argument in arguments.lower().split():
            if argument == "[file]":
                parser.add_argument(
                    "file", nargs="?", default="-", type=_content, help=argparse.SUPPRESS
                )
            else:
                parser.add_argument(argument, metavar=argument.upper(), help=argparse.SUPPRESS)
        _add_options(parser, *options)
    return {name: group} | {f"{name} {word}": each for word, each in commands.choices.items()}


def _add_options(parser: argparse.ArgumentParser, *options: _Option) -> None:
    group = parser.add_argument_group("Options")
    for name, values in options:
        group.add_argument(name, **values)
    group.add_argument("-h", "--help", action="help", help="Show this message and exit.")
