"""The only way out of Chromium: a SOCKS5 server that opens what was asked for on record.

RFC 1928: CONNECT alone, without authentication, on a loopback port of its own for each page. A
host and port are let through once a recorded request names them (`allow`), at addresses that were
looked up once, checked and kept; whatever else the browser asks for is refused and counted. So its
calls home come to nothing, and no name is asked of any name server but through us.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import Counter
from ipaddress import ip_address
from typing import TYPE_CHECKING, Self, TypeAlias
from weakref import WeakSet

from permacite.capture.lookup import PinnedHosts, open_checked_socket

if TYPE_CHECKING:
    from permacite.capture.address import FetchTarget
    from permacite.capture.model import FetchLimits, Lookup, Refuse

__all__ = ["SocksGuard"]

_Streams: TypeAlias = "tuple[asyncio.StreamReader, asyncio.StreamWriter]"
_VERSION, _CONNECT = 5, 1
_IP_4, _NAME, _IP_6 = 1, 3, 4
_GRANTED, _FORBIDDEN, _UNREACHABLE = 0, 2, 4
_HELLO_S = 10
"""How long a client may take to say what it wants."""
_CONNECT_S = 10
_PIECE = 64 * 1024
_CONNECTIONS = 256
"""At a time: a browser keeps to 256 sockets itself."""
_NOTED = 100
"""How many refused hosts are named."""


class _CheckedHosts:
    """Hosts whose addresses were checked, and connections to them."""

    def __init__(self, lookup: Lookup | None, refuse: Refuse) -> None:
        self.resolver = PinnedHosts(lookup, refuse)
        self.peers: dict[tuple[str, int], str] = {}
        """The address that was connected to, by host and port."""
        self._refuse = refuse

    async def connect(self, target: FetchTarget) -> _Streams | None:
        """A connection to one of the checked addresses, the same as before if there was one."""
        key = _key(target.host, target.port)
        if target.literal:
            addresses = [target.host]
        else:
            addresses = [str(each["host"]) for each in await self.resolver.resolve(target.host)]
        known = self.peers.get(key)
        for address in addresses if known is None else [known]:
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(_CONNECT_S):
                    streams = await self._open(address, target.port)
                self.peers[key] = address
                return streams
        return None

    async def _open(self, address: str, port: int) -> _Streams:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        info = (family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port))
        opened = open_checked_socket(self._refuse)(info)
        try:
            opened.settimeout(0)
            await asyncio.get_running_loop().sock_connect(opened, (address, port))
            return await asyncio.open_connection(sock=opened)
        except BaseException:
            opened.close()
            raise


class SocksGuard:
    """Lets a browser through to named hosts; an asynchronous context manager."""

    def __init__(
        self, limits: FetchLimits, *, refuse: Refuse, lookup: Lookup | None = None
    ) -> None:
        self.refused: Counter[str] = Counter()
        """How often each host and port was asked for that no request on record names."""
        self.received = 0
        """Bytes that came in, of all connections."""
        self._limits = limits
        self._hosts = _CheckedHosts(lookup, refuse)
        self._allowed: dict[tuple[str, int], FetchTarget] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._writers: WeakSet[asyncio.StreamWriter] = WeakSet()
        self._port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._begin, "127.0.0.1", 0)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for writer in self._writers:
            writer.transport.abort()  # who waits for the rest is gone
        await self._hosts.resolver.close()

    @property
    def address(self) -> str:
        """Of the server, as a proxy is named."""
        return f"socks5://127.0.0.1:{self._port}"

    async def allow(self, target: FetchTarget, uri: str) -> None:
        """Let the browser through to the host and port of `target`, which `uri` names.

        Raises CaptureError where any of its addresses is not public, or there is none.
        """
        await self._hosts.resolver.pin(target, uri)
        self._allowed[_key(target.host, target.port)] = target

    def peer(self, target: FetchTarget) -> str | None:
        """The address that was connected to for a target; None where none was."""
        return self._hosts.peers.get(_key(target.host, target.port))

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._server is not None and not self._server.is_serving():
            writer.transport.abort()  # it came while all was closed
            return
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # One that is cancelled before it begins closes nothing itself.
        task.add_done_callback(lambda _: writer.close())
        self._writers.add(writer)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer), contextlib.suppress(OSError, EOFError, TimeoutError):
            async with asyncio.timeout(_HELLO_S):
                wanted = await _wanted(reader, writer)
            if wanted is None or len(self._tasks) > _CONNECTIONS:
                return
            target = self._allowed.get(wanted)
            if target is None:
                self._count(wanted)
                await _reply(writer, _FORBIDDEN)
                return
            out = await self._hosts.connect(target)
            if out is None:
                await _reply(writer, _UNREACHABLE)
                return
            with contextlib.closing(out[1]):
                await _reply(writer, _GRANTED)
                await self._pump((reader, writer), out)

    def _count(self, wanted: tuple[str, int]) -> None:
        name = f"{wanted[0]}:{wanted[1]}"
        if name in self.refused or len(self.refused) < _NOTED:
            self.refused[name] += 1

    async def _pump(self, inner: _Streams, outer: _Streams) -> None:
        """Carry octets both ways until either side ends."""
        ways = {
            asyncio.ensure_future(self._carry(inner[0], outer[1], counted=False)),
            asyncio.ensure_future(self._carry(outer[0], inner[1], counted=True)),
        }
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    async def _carry(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, counted: bool
    ) -> None:
        while data := await source.read(_PIECE):
            if counted:
                self.received += len(data)
                if self.received > self._limits.total_bytes:
                    return
            sink.write(data)
            await sink.drain()
        if counted:
            await sink.drain()


def _key(host: str, port: int) -> tuple[str, int]:
    """A host as both sides spell it."""
    with contextlib.suppress(ValueError):
        return str(ip_address(host)), port
    return host.lower(), port


async def _wanted(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> tuple[str, int] | None:
    """The host and port that a client asks for (RFC 1928 §3, §4); None for anything else."""
    version, methods = await reader.readexactly(2)
    await reader.readexactly(methods)
    if version != _VERSION:
        return None
    writer.write(bytes([_VERSION, 0]))
    await writer.drain()
    version, command, _, kind = await reader.readexactly(4)
    if kind == _NAME:
        (size,) = await reader.readexactly(1)
        host = (await reader.readexactly(size)).decode("latin-1")
    elif kind in {_IP_4, _IP_6}:
        host = str(ip_address(await reader.readexactly(4 if kind == _IP_4 else 16)))
    else:
        return None
    port = int.from_bytes(await reader.readexactly(2), "big")
    return _key(host, port) if (version, command) == (_VERSION, _CONNECT) else None


async def _reply(writer: asyncio.StreamWriter, code: int) -> None:
    """Answer (RFC 1928 §6); which address we have there is nobody's business."""
    writer.write(bytes([_VERSION, code, 0, _IP_4, 0, 0, 0, 0, 0, 0]))
    await writer.drain()
