"""Addresses of callers: networks, trusted proxies, the archive's building and the base path.

- **Proxies.** X-Forwarded-For and -Proto are believed from the addresses that the operator names,
  and ignored from others. The last address counts that is not such a proxy's: what is before it,
  the caller said. A caller behind a proxy is never on this machine. Callers on a Unix socket have
  no address: `unix` names them.
- **Building.** A caller is in the building if their address is in one of its networks.
- **Base path.** Below `/archive`, `/archive/urn:pdi://...` asks for `urn:pdi://...`. The proxy
  passes paths on unchanged.
"""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = [
    "BELIEVED",
    "SOCKET",
    "Based",
    "Building",
    "Forwarded",
    "Network",
    "Where",
    "is_address",
    "is_in",
    "networks_of",
]

Network: TypeAlias = "ipaddress.IPv4Network | ipaddress.IPv6Network"


def networks_of(typed: Iterable[str]) -> list[Network]:
    """The networks that are written. Raises ValueError."""
    return [ipaddress.ip_network(each) for each in typed]


def is_in(text: str, networks: Sequence[Network]) -> bool:
    """Whether what is written is an address in one of the networks."""
    address = _address(text)
    return address is not None and any(address in network for network in networks)


def is_address(text: str) -> bool:
    """Whether what is written is an address."""
    return _address(text) is not None


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


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


BELIEVED = "is_believed"
"""In the state of a request: whether its address is what a proxy told that is believed."""

SOCKET = "unix"
"""What names whoever comes by a socket of the file system."""
_SCHEMES = ("http", "https")


class Forwarded:
    """An application that knows its proxies."""

    def __init__(self, app: ASGIApp, proxies: Sequence[str]) -> None:
        """`proxies`: addresses, networks, or `SOCKET`. Raises ValueError for anything else."""
        self._app = app
        self._has_socket = SOCKET in proxies
        self._proxies = networks_of(each for each in proxies if each != SOCKET)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, with the client and the scheme that a proxy tells."""
        if scope["type"] == "http":
            self.apply(scope)
        await self._app(scope, receive, send)

    def apply(self, scope: Scope) -> None:
        """Put the client and the scheme into a request that a proxy tells, if it is from one."""
        client = scope.get("client")
        if self._has_socket if client is None else is_in(client[0], self._proxies):
            before, schemes = _told(scope, b"x-forwarded-for"), _told(scope, b"x-forwarded-proto")
            asking = next((each for each in reversed(before) if not is_in(each, self._proxies)), "")
            scope["client"] = (asking, 0) if is_address(asking) else None
            scope.setdefault("state", {})[BELIEVED] = True
            scheme = schemes[-1].lower() if schemes else ""
            if scheme in _SCHEMES:
                scope["scheme"] = scheme


def _told(scope: Scope, field: bytes) -> list[str]:
    """The items of a field, as often as it was given."""
    values = [value.decode("latin-1") for name, value in scope["headers"] if name == field]
    return [item.strip() for value in values for item in value.split(",")]


class Based:
    """An application that stands under a path; at the root of its host for none."""

    def __init__(self, app: ASGIApp, base: str) -> None:
        self._app = app
        self._base = base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on what is under the path, as ASGI tells of it (`root_path`); else answer 404."""
        from starlette.responses import RedirectResponse, Response

        if scope["type"] == "http" and self._base:
            path: bytes = scope.get("raw_path") or scope["path"].encode()
            resource = path.partition(b"?")[0].decode("ascii", "replace")
            if resource == self._base:
                await RedirectResponse(f"{self._base}/", 308)(scope, receive, send)
                return
            if not resource.startswith(f"{self._base}/"):
                nothing = f"this server stands under {self._base}/\n"
                await Response(nothing, 404, media_type="text/plain")(scope, receive, send)
                return
            scope["root_path"] = self._base
        await self._app(scope, receive, send)
