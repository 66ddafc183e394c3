"""Hosts to addresses, once per capture, each address checked; and sockets that check once more."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from aiohttp.abc import AbstractResolver, ResolveResult

from permacite.errors import CaptureError

if TYPE_CHECKING:
    from collections.abc import Callable

    from permacite.capture.address import FetchTarget
    from permacite.capture.model import Lookup, Refuse

__all__ = ["PinnedHosts", "open_checked_socket"]

AddressInfo = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[Any, ...]]
"""What `socket.getaddrinfo` says of one address: family, kind, protocol, name, address."""

_THREADS = 4
_HINT = "--allow-private saves pages of this machine and of private networks"


class PinnedHosts(AbstractResolver):
    """The resolver that aiohttp asks: it answers from what `pin` has checked, and only that."""

    def __init__(self, lookup: Lookup | None, refuse: Refuse) -> None:
        self._lookup = lookup or self._ask_system
        # Not the loop's own threads: those would be waited for when the capture has given up.
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="lookup")
        self._refuse = refuse
        self._pinned: dict[str, asyncio.Future[list[str]]] = {}

    async def pin(self, target: FetchTarget, uri: str) -> None:
        """Look up the host of `target` unless that was done, and check all its addresses.

        Raises CaptureError: "address" where any of them is not public, "connect" for no answer.
        """
        if target.literal:
            addresses = [target.host]
        else:
            addresses = await self._addresses(target, uri)
        for address in addresses:
            if what := self._refuse(address):
                name = address if target.literal else f"{target.host} has the address {address}: it"
                raise CaptureError(
                    f"{name} is not public but {what}", uri=uri, reason="address", hint=_HINT
                )

    async def _addresses(self, target: FetchTarget, uri: str) -> list[str]:
        host = target.host
        if host not in self._pinned:
            self._pinned[host] = asyncio.ensure_future(self._lookup(host, target.port))
        try:
            # Shielded, because others may wait for the same answer when this one is given up.
            addresses = await asyncio.shield(self._pinned[host])
        except OSError as error:
            raise _unknown(host, uri) from error
        if not addresses:
            raise _unknown(host, uri)
        return addresses

    async def _ask_system(self, host: str, port: int) -> list[str]:
        ask = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        addresses = await asyncio.get_running_loop().run_in_executor(self._threads, ask)
        return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in addresses))

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,  # noqa: ARG002 - aiohttp's protocol
    ) -> list[ResolveResult]:
        """Return the pinned addresses of `host`, of either family."""
        pinned = self._pinned.get(host.lower())
        if pinned is None or not pinned.done():
            raise OSError(f"{host} was not checked")
        return [_result(host, port, address) for address in pinned.result()]

    async def close(self) -> None:
        """Give up look-ups that nobody waits for any more."""
        for answer in self._pinned.values():
            answer.cancel()
        await asyncio.gather(*self._pinned.values(), return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)


def _unknown(host: str, uri: str) -> CaptureError:
    return CaptureError(
        f"the host {host} does not resolve to any address", uri=uri, reason="connect"
    )


def _result(host: str, port: int, address: str) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return ResolveResult(
        hostname=host,
        host=address,
        port=port,
        family=family,
        proto=socket.IPPROTO_TCP,
        flags=socket.AI_NUMERICHOST,
    )


def open_checked_socket(refuse: Refuse) -> Callable[[AddressInfo], socket.socket]:
    """Return a maker of sockets that refuses an address at the last moment before connecting.

    The second wall: aiohttp does not ask its resolver for hosts that are addresses.
    """

    def opened(info: AddressInfo) -> socket.socket:
        family, kind, protocol, _, address = info
        if what := refuse(str(address[0])):
            raise PermissionError(f"{address[0]} is not public but {what}")
        return socket.socket(family, kind, protocol)

    return opened
