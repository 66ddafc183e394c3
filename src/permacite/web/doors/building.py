"""The building of an archive: who asks from there, by their address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.web.doors.forwarded import BELIEVED
from permacite.web.doors.networks import is_in, networks_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.requests import Request

__all__ = ["Building", "is_passed_on"]

_PASSED_ON = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
"""What a proxy adds to what it passes on."""


class Building:
    """The networks of a building."""

    def __init__(self, networks: Iterable[str]) -> None:
        """Raises ValueError for what is no network."""
        self._networks = networks_of(networks)

    def holds(self, request: Request) -> bool:
        """Whether a request comes from there: by itself, or by a proxy that is believed."""
        if request.client is None or not is_in(request.client.host, self._networks):
            return False
        return request.scope.get("state", {}).get(BELIEVED, False) or not is_passed_on(request)


def is_passed_on(request: Request) -> bool:
    """Whether a request has the marks of a proxy."""
    return any(name in request.headers for name in _PASSED_ON)
