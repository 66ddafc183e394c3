"""Values as JSON has them: what `--json` prints and the HTTP API answers.

Dataclasses become objects, tuples arrays, times ISO 8601 text in UTC. A field whose metadata says
`"json": False` (bytes, mostly) is left out.
"""

from __future__ import annotations

import dataclasses
from datetime import date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["UNPRINTED", "Json", "members", "opened", "plain"]

UNPRINTED = {"json": False}
"""Metadata of a field that is left out: bytes, mostly."""

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_AS_THEY_ARE = (str, int, float)
"""Classes of values that JSON has; a bool is an int."""


def plain(value: object) -> Json:
    """`value` made of what JSON has; anything unknown as its text."""
    if value is None or isinstance(value, _AS_THEY_ARE):
        return value
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return plain(opened(value))


def opened(value: object) -> dict[str, object] | list[object] | str:
    """What JSON has not as what it has: an object or array of the members as they are, or text.

    `json.dumps` takes it as its `default`, and looks at all else by itself, which is faster.
    """
    kind: Any = type(value)
    names = _printed(kind)
    if names is not None:
        return {name: getattr(value, name) for name in names}
    if isinstance(value, set | frozenset):
        return list(value)
    if isinstance(value, datetime | date):
        return value.isoformat().replace("+00:00", "Z")
    return str(value)


@lru_cache(maxsize=256)
def _printed(kind: type) -> tuple[str, ...] | None:
    """The names of the fields of a class that are printed; None where it is no dataclass."""
    if not dataclasses.is_dataclass(kind):
        return None
    fields = dataclasses.fields(kind)
    return tuple(item.name for item in fields if item.metadata.get("json", True))


def members(value: Mapping[str, object]) -> dict[str, Json]:
    """A mapping as a JSON object."""
    return {name: plain(item) for name, item in value.items()}
