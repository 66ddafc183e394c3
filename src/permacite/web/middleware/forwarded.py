"""What a proxy says of whom it asks for: believed from the addresses that are named, else ignored.

Of `X-Forwarded-For` the last address counts that is no such proxy's: what stands before it was
said by whoever asked. Who comes through a proxy is never on this machine, whatever it says. On a
socket of the file system nobody has an address: whoever may open it is believed as `unix` is named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.web.middleware.networks import is_address, is_in, networks_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["BELIEVED", "SOCKET", "Forwarded"]

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
