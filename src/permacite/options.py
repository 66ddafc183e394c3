"""Options as values: one definition of a field gives its option, TOML key, JSON member and help.

A class of options is a frozen dataclass whose fields are made by `option`. The command line makes
click's options of it (`click_options`), and so the keys of a command's TOML table. `from_json`
reads it from the body of a request. The reference is written from both.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

from permacite.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["Kind", "Option", "from_json", "option", "options_of"]

Kind: TypeAlias = Literal["text", "integer", "number", "flag", "date", "file"]
Options = TypeVar("Options")

_KEY = "option"


class Option(NamedTuple):
    """How one field is written, and what it may be."""

    help: str
    name: str
    """As it is typed, without --: also the key in TOML."""
    kind: Kind = "text"
    default: object = None
    """As it is typed; None: nothing."""
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    is_repeatable: bool = False
    negative: str = ""
    """What is typed for False, where that is another thing than nothing."""
    scale: int = 1
    """What a typed number is multiplied by, such as the bytes of a MiB."""
    read: Callable[[str], object] | None = None
    """Reads what is typed. Raises ValueError with what it expected."""
    shows_default: bool = False
    in_json: bool = True
    """Whether the body of a request may have it: a file of this machine is for the command line."""


def option(text: str, default: Any = None, **written: Any) -> Any:
    """A field with its help `text`, its value where nothing is given, and the rest of `Option`.

    A default that is no text says of which kind it is. `shown` is how it is typed, where that is
    not the value itself.
    """
    shown = written.pop("shown", default)
    kind = _KINDS.get(type(shown), "text")
    metadata = {_KEY: {"help": text, "default": shown, "kind": kind, **written}}
    return dataclasses.field(default=default, metadata=metadata)


def options_of(kind: type) -> Iterator[tuple[str, Option]]:
    """The options of a class, each with the name of its field."""
    for field in dataclasses.fields(kind):
        if _KEY in field.metadata:
            written = field.metadata[_KEY]
            name = written.get("name", field.name.replace("_", "-"))
            yield field.name, Option(**{**written, "name": name})


def from_json(kind: type[Options], body: Mapping[str, object]) -> Options:
    """Read the members of a JSON object; the names are those of the fields.

    Raises ParseError for a member that no field has, and for a value that its field may not have.
    """
    known = {name: each for name, each in options_of(kind) if each.in_json}
    values = {}
    for name, value in body.items():
        if name not in known:
            raise ParseError(f"expected one of {', '.join(known)}", name, 0)
        if value is not None:
            values[name] = _checked(known[name], name, value)
    return kind(**values)


def _checked(each: Option, name: str, value: object) -> object:
    """The value of a field, out of JSON. Raises ParseError."""
    if each.is_repeatable:
        items = value if isinstance(value, list) else [value]
        return tuple(_checked(each._replace(is_repeatable=False), name, item) for item in items)
    shown = str(value)
    expected = _TYPES[each.kind]
    if not isinstance(value, expected) or (isinstance(value, bool) and each.kind != "flag"):
        raise ParseError(f"{name}: expected {_WORDS[each.kind]}", shown, 0)
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not (each.least is None or value >= each.least) or not (
            each.most is None or value <= each.most
        ):
            raise ParseError(f"{name}: expected {_bounds(each)}", shown, 0)
        return value * each.scale
    if each.choices and value not in each.choices:
        raise ParseError(f"{name}: expected one of {', '.join(each.choices)}", shown, 0)
    if isinstance(value, str):
        try:
            return _read_date(value) if each.kind == "date" else (each.read or str)(value)
        except ValueError as error:
            raise ParseError(f"{name}: {error}", shown, 0) from None
    return value


def _read_date(text: str) -> object:
    from datetime import date

    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError("expected a day such as 2026-11-21") from None


def _bounds(each: Option) -> str:
    if each.most is None:
        return f"at least {each.least:g}"
    return f"at most {each.most:g}" if each.least is None else f"{each.least:g} to {each.most:g}"


_KINDS: dict[type, Kind] = {bool: "flag", int: "integer", float: "number"}
_TYPES: dict[Kind, Any] = {
    "text": str,
    "integer": int,
    "number": int | float,
    "flag": bool,
    "date": str,
    "file": str,
}
_WORDS: dict[Kind, str] = {
    "text": "a text",
    "integer": "a whole number",
    "number": "a number",
    "flag": "true or false",
    "date": "a day",
    "file": "the name of a file",
}
