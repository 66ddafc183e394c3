"""The building of an archive, and this machine: who asks from there, by their address."""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite.web.middleware.forwarded import BELIEVED
from permacite.web.middleware.networks import is_in, networks_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.requests import Request

__all__ = ["Building", "Where"]

_PASSED_ON = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
"""What a proxy adds to what it passes on."""
_AT_HAND = 4096


class Where(NamedTuple):
    """Where somebody asks from, as far as it decides what they may."""

    is_here: bool = False
    """On this machine."""
    is_inside: bool = False
    """In the building."""


class Building:
    """The networks of a building."""

    def __init__(self, networks: Iterable[str]) -> None:
        """Raises ValueError for what is no network."""
        self._networks = networks_of(networks)
        self._at = lru_cache(maxsize=_AT_HAND)(self._found)

    def where(self, request: Request) -> Where:
        """From where a request comes, by itself or by a proxy that is believed.

        Nobody whom a proxy asks for is on this machine.
        """
        (is_here, is_inside), is_believed = self.apart(request.scope)
        is_direct = not any(name in request.headers for name in _PASSED_ON)
        return Where(is_here and is_direct, is_inside and (is_direct or is_believed))

    def apart(self, scope: Mapping[str, Any]) -> tuple[Where, bool]:
        """What the address of a request is, and whether a proxy that is believed told it."""
        address = (scope.get("client") or ("",))[0]
        return self._at(address), scope.get("state", {}).get(BELIEVED, False)

    def _found(self, address: str) -> Where:
        try:
            is_here = ipaddress.ip_address(address.partition("%")[0]).is_loopback
        except ValueError:
            return Where()
        return Where(is_here, is_in(address, self._networks))
