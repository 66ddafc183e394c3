"""Exit status and HTTP status of each error code.

One table for both faces. HTTP answers are problem details (RFC 9457) with the error's own fields
as extension members; the command line prints the same object with `--json`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.errors import RestrictedError, TokenError

if TYPE_CHECKING:
    from permacite.errors import Detail, PermaciteError

__all__ = ["STATUS", "exit_status", "http_status", "problem"]

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
