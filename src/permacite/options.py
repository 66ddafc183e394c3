"""Options as values: one definition of a field gives its option, TOML key, JSON member and help.

A class of options is a frozen dataclass whose fields are made by `option`. The command line makes
click's options of it (`click_options`), and so the keys of a command's TOML table. `from_json`
reads it from the body of a request. The reference is written from both.
"""

from __future__ import annotations

import contextlib
import dataclasses
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar, cast

from permacite.errors import ParseError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["Kind", "Option", "from_json", "option", "options_of", "with_fields"]

Kind: TypeAlias = Literal["text", "integer", "number", "flag", "date", "file", "path"]
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
    is_inverted: bool = False
    """Whether the flag that is typed means False."""
    scale: int = 1
    """What a typed number is multiplied by, such as the bytes of a MiB."""
    read: Callable[[str], object] | None = None
    """Reads what is typed. Raises ValueError with what it expected."""
    shows_default: bool = False
    formats: tuple[str, ...] = ("%Y-%m-%d",)
    """Of a day."""
    is_typed: bool = True
    """Whether the command line has it."""
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


def from_json(kind: type[Options], body: Mapping[str, object], source: str) -> Options:
    """Read those members of a JSON object that are fields of a class; null is as if absent.

    `source` is the text of the object. Raises ParseError for a value that its field may not have.
    """
    values = {
        name: _checked(each, name, body[name], source)
        for name, each in options_of(kind)
        if each.in_json and body.get(name) is not None
    }
    return kind(**values)


def _checked(each: Option, name: str, value: object, source: str) -> object:
    """The value of a field, out of JSON. Raises ParseError."""
    if each.is_repeatable:
        items = value if isinstance(value, list) else [value]
        single = each._replace(is_repeatable=False)
        return tuple(_checked(single, name, item, source) for item in items)
    if each.kind == "flag":
        return value is True
    problem, result = "", value
    if each.kind in {"integer", "number"}:
        types = (int,) if each.kind == "integer" else (int, float)
        if type(value) in types and isinstance(value, int | float) and _is_within(each, value):
            return value * each.scale
        problem = f"expected {_bounds(each)} in `{name}`"
    elif not isinstance(value, str):
        problem = f"expected text in the member `{name}`"
    elif each.choices and value not in each.choices:
        problem = f"expected one of {', '.join(each.choices)} in `{name}`"
    else:
        try:
            result = _day(value, each) if each.kind == "date" else (each.read or str)(value)
        except ValueError as error:
            problem = f"{error} in `{name}`"
    if problem:
        raise ParseError(problem, source, max(0, source.find(name)))
    return result


def _day(text: str, each: Option) -> object:
    from datetime import datetime

    for form in each.formats:
        with contextlib.suppress(ValueError):
            return datetime.strptime(text, form).date()  # noqa: DTZ007 - a day has no zone
    raise ValueError("expected a day such as 2026-11-21")


def _is_within(each: Option, value: float) -> bool:
    least, most = each.least, each.most
    return (least is None or value >= least) and (most is None or value <= most)


def _bounds(each: Option) -> str:
    number = "a number"
    if each.least is not None:
        number += f" from {each.least:g}"
    return number if each.most is None else f"{number} to {each.most:g}"


_KINDS: dict[type, Kind] = {bool: "flag", int: "integer", float: "number"}


def with_fields(options: Options, fields: Mapping[str, object]) -> Options:
    """The same options with other values of `fields`. Raises TypeError for an unknown field."""
    return dataclasses.replace(cast("Any", options), **fields) if fields else options
