"""JSON that `--json` prints and the HTTP API answers: values, and errors as problem details.

Dataclasses become objects, tuples arrays, times ISO 8601 text in UTC. A field whose metadata says
`"json": False` (bytes, mostly) is left out.

One table has the exit status and the HTTP status of each error code. HTTP answers are problem
details (RFC 9457) with the error's own fields as extension members; the command line prints the
same object with `--json`.
"""

from __future__ import annotations

import dataclasses
from datetime import date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from permacite.errors import RestrictedError, TokenError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permacite.errors import Detail, PermaciteError

__all__ = [
    "STATUS",
    "UNPRINTED",
    "Json",
    "exit_status",
    "http_status",
    "members",
    "opened",
    "plain",
    "problem",
]

UNPRINTED = {"json": False}
"""Metadata of a field that is left out: bytes, mostly."""

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_AS_THEY_ARE = (str, int, float)
"""Classes of values that JSON has; a bool is an int."""
STATUS: dict[str, tuple[int, int, str]] = {
    # code: exit status, HTTP status, title
    "error": (1, 500, "The request could not be carried out"),
    "syntax": (2, 400, "The text does not follow its grammar"),
    "not-found": (1, 404, "Nothing here has that name"),
    "withdrawn": (1, 410, "What had this name was withdrawn"),
    "erased": (1, 410, "What had this name was erased"),
    "closed": (1, 403, "What has this name is not open to all"),
    "integrity": (1, 409, "The bytes are not those that were committed"),
    "conflict": (1, 409, "What is committed never changes"),
    "limit": (1, 413, "A limit was reached"),
    "capture": (1, 502, "The page could not be fetched"),
    "undecodable": (1, 422, "What has this name cannot be decoded"),
    "busy": (1, 503, "Too much is asked for at once"),
    "rate": (1, 429, "The token has had its share for now"),
    "storage": (1, 503, "The archive cannot serve"),
    "token": (1, 403, "The token does not let you do that"),
}

_UNAUTHORIZED = 401


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


def exit_status(error: PermaciteError) -> int:
    """The exit status of a command that ends with `error`."""
    return STATUS[error.code][0]


def http_status(error: PermaciteError) -> int:
    """The HTTP status of an answer that reports `error`."""
    if isinstance(error, TokenError) and error.is_unknown:
        return _UNAUTHORIZED
    # A withdrawal says itself whether it is one for legal reasons (RFC 7725).
    return error.status if isinstance(error, RestrictedError) else STATUS[error.code][1]


def problem(error: PermaciteError) -> dict[str, Detail]:
    """The problem details object of `error` (RFC 9457 §3)."""
    _, _, title = STATUS[error.code]
    members: dict[str, Detail] = {
        "type": f"urn:permacite:problem:{error.code}",
        "title": title,
        "status": http_status(error),
        "detail": error.problem,
        "code": error.code,
    }
    if error.hint:
        members["hint"] = error.hint
    return members | error.details()
