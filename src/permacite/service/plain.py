"""Values as JSON has them: what `--json` prints and the HTTP API answers.

Dataclasses become objects, tuples arrays, times ISO 8601 text in UTC. A field whose metadata says
`"json": False` (bytes, mostly) is left out.
"""

from __future__ import annotations

import dataclasses
from datetime import date, datetime
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["UNPRINTED", "Json", "members", "plain"]

UNPRINTED = {"json": False}
"""Metadata of a field that is left out: bytes, mostly."""

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def plain(value: object) -> Json:
    """`value` made of what JSON has; anything unknown as its text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = (item for item in dataclasses.fields(value) if item.metadata.get("json", True))
        return {item.name: plain(getattr(value, item.name)) for item in fields}
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, datetime | date):
        return value.isoformat().replace("+00:00", "Z")
    return str(value)


def members(value: Mapping[str, object]) -> dict[str, Json]:
    """A mapping as a JSON object."""
    return {name: plain(item) for name, item in value.items()}
