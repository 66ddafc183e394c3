"""From the address of a request to the reference it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.service.names import from_path

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["reference_of"]


def reference_of(request: Request, before: str) -> str:
    """Return the reference that a request names: its path after `before`, and its fragment."""
    raw: bytes = request.scope.get("raw_path") or request.url.path.encode()
    name = from_path(raw.decode("ascii", "replace").partition("?")[0][len(before) :])
    fragment = request.query_params.get("fragment")
    return name if fragment is None or "#" in name else f"{name}#{fragment}"
