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
    "SOCKET",
    "TRUSTED",
    "BasePath",
    "Building",
    "CallerLocation",
    "ForwardedHeaders",
    "Network",
    "is_address",
    "is_in",
    "parse_networks",
]

Network: TypeAlias = "ipaddress.IPv4Network | ipaddress.IPv6Network"


def parse_networks(typed: Iterable[str]) -> list[Network]:
    """Parse networks. Raises ValueError."""
    return [ipaddress.ip_network(each) for each in typed]


def is_in(text: str, networks: Sequence[Network]) -> bool:
    """Whether a text is an address in one of the networks."""
    address = _address(text)
    return address is not None and any(address in network for network in networks)


def is_address(text: str) -> bool:
    """Whether a text is an address."""
    return _address(text) is not None


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


_PASSED_ON = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
"""Fields that a proxy adds."""
_CACHED = 4096


class CallerLocation(NamedTuple):
    """Location of a caller, as far as access depends on it."""

    is_here: bool = False
    """On this machine."""
    is_inside: bool = False
    """In the building."""


class Building:
    """The networks of the archive's building."""

    def __init__(self, networks: Iterable[str]) -> None:
        """Raises ValueError for a text that is no network."""
        self._networks = parse_networks(networks)
        self._at = lru_cache(maxsize=_CACHED)(self._found)

    def where(self, request: Request) -> CallerLocation:
        """Location of the caller, directly or through a trusted proxy.

        A caller behind a proxy is never on this machine.
        """
        (is_here, is_inside), is_believed = self.apart(request.scope)
        is_direct = not any(name in request.headers for name in _PASSED_ON)
        return CallerLocation(is_here and is_direct, is_inside and (is_direct or is_believed))

    def apart(self, scope: Mapping[str, Any]) -> tuple[CallerLocation, bool]:
        """Location by address alone, and whether a trusted proxy reported the address."""
        address = (scope.get("client") or ("",))[0]
        return self._at(address), scope.get("state", {}).get(TRUSTED, False)

    def _found(self, address: str) -> CallerLocation:
        try:
            is_here = ipaddress.ip_address(address.partition("%")[0]).is_loopback
        except ValueError:
            return CallerLocation()
        return CallerLocation(is_here, is_in(address, self._networks))


TRUSTED = "is_believed"
"""Key in the state of a request: whether a trusted proxy reported its address."""

SOCKET = "unix"
"""Name for callers on a Unix socket."""
_SCHEMES = ("http", "https")


class ForwardedHeaders:
    """Middleware that applies X-Forwarded-For and -Proto of trusted proxies."""

    def __init__(self, app: ASGIApp, proxies: Sequence[str]) -> None:
        """`proxies`: addresses, networks, or `SOCKET`. Raises ValueError for anything else."""
        self._app = app
        self._has_socket = SOCKET in proxies
        self._proxies = parse_networks(each for each in proxies if each != SOCKET)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application with the client and the scheme that a proxy reports."""
        if scope["type"] == "http":
            self.apply(scope)
        await self._app(scope, receive, send)

    def apply(self, scope: Scope) -> None:
        """Set the client and the scheme of a request that comes from a trusted proxy."""
        client = scope.get("client")
        if self._has_socket if client is None else is_in(client[0], self._proxies):
            before, schemes = _items(scope, b"x-forwarded-for"), _items(scope, b"x-forwarded-proto")
            asking = next((each for each in reversed(before) if not is_in(each, self._proxies)), "")
            scope["client"] = (asking, 0) if is_address(asking) else None
            scope.setdefault("state", {})[TRUSTED] = True
            scheme = schemes[-1].lower() if schemes else ""
            if scheme in _SCHEMES:
                scope["scheme"] = scheme


def _items(scope: Scope, field: bytes) -> list[str]:
    """The items of a field in all its lines."""
    values = [value.decode("latin-1") for name, value in scope["headers"] if name == field]
    return [item.strip() for value in values for item in value.split(",")]


class BasePath:
    """Middleware for a server below a path; at the root for an empty path."""

    def __init__(self, app: ASGIApp, base: str) -> None:
        self._app = app
        self._base = base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application with `root_path` set; 404 for any other path."""
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
