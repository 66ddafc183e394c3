"""Click's options out of classes of options: the command gets one value of each class."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from permacite.options import options_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from permacite.options import Option

__all__ = ["click_options"]

Command = TypeVar("Command", bound="Callable[..., Any]")


def click_options(
    argument: str, kind: type, *, without: tuple[str, ...] = ()
) -> Callable[[Command], Command]:
    """Give a command the options of the class `kind`, as its one `argument`.

    Fields `without` an option keep their defaults.
    """
    known = {name: each for name, each in options_of(kind) if each.is_typed and name not in without}

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def called(*arguments: Any, **typed: Any) -> Any:
            values = {name: _value(each, typed.pop(name)) for name, each in known.items()}
            given = {name: value for name, value in values.items() if value is not None}
            return command(*arguments, **{argument: kind(**given)}, **typed)

        for name, each in reversed(known.items()):
            called = _click_option(name, each)(called)
        return cast("Command", called)

    return decorate


class _Read(click.ParamType[object]):
    """What a function reads out of a text; what is read already is left."""

    def __init__(self, each: Option) -> None:
        self.name = each.metavar or "text"
        self._read = each.read

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> object:
        """Read a text. Fails with what was expected."""
        if not isinstance(value, str) or self._read is None:
            return value
        try:
            return self._read(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def _click_option(name: str, each: Option) -> Callable[[Any], Any]:
    written = f"--{each.name}" + (f"/--{each.negative}" if each.negative else "")
    common: dict[str, Any] = {"help": each.help, "metavar": each.metavar}
    if each.kind == "flag":
        default = None if each.negative else False
        return click.option(written, name, is_flag=True, default=default, **common)
    if each.is_repeatable:
        return click.option(written, name, multiple=True, type=_type(each), **common)
    return click.option(
        written,
        name,
        type=_type(each),
        default=each.default,
        show_default=each.shows_default,
        **common,
    )


def _type(each: Option) -> click.ParamType[Any]:
    if each.read is not None:
        return _Read(each)
    if each.choices:
        return click.Choice(each.choices)
    if each.kind in {"integer", "number"}:
        kind: Any = click.IntRange if each.kind == "integer" else click.FloatRange
        return cast("click.ParamType[Any]", kind(each.least, each.most))
    if each.kind == "date":
        return click.DateTime(each.formats)
    if each.kind in {"file", "path"}:
        is_file = each.kind == "file"
        return click.Path(dir_okay=not is_file, path_type=Path if is_file else None)
    return click.STRING


def _value(each: Option, typed: Any) -> Any:
    """The value of a field, of what click has read; None: what the class has for nothing."""
    if each.is_repeatable:  # one text may hold several
        parts = (item if isinstance(item, tuple) else (item,) for item in typed)
        return tuple(part for several in parts for part in several)
    if typed is None:
        return None
    if each.is_inverted:
        return not typed
    if each.kind == "date":
        moment: datetime = typed
        return moment.date()
    return typed * each.scale if each.scale != 1 else typed
