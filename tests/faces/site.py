"""A site of a test on a loopback address, and a trap that counts whoever knocks elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

__all__ = ["HERE", "Answer", "Site", "lookup", "only_here", "serving", "trap"]

HERE = "127.0.0.9"
"""Where the site is. All else is out of bounds."""


class Answer(NamedTuple):
    """What the site says."""

    content: bytes = b""
    media_type: str = "text/html; charset=utf-8"
    status: int = 200
    fields: tuple[tuple[str, str], ...] = ()


Routes: TypeAlias = "Callable[[str, dict[str, str]], Answer | None]"
"""From a path with its query and the header fields to an answer; None: none ever comes."""


class Site(NamedTuple):
    """One that runs."""

    port: int
    asked: list[tuple[str, dict[str, str]]]
    """Each path with the header fields, their names in lower case."""

    def uri(self, path: str, host: str = "site.example") -> str:
        """Of a page, under one of the site's names."""
        return f"http://{host}:{self.port}{path}"


def only_here(address: str) -> str | None:
    """A policy that allows the site alone."""
    return None if address == HERE else "not the site"


async def lookup(host: str, _: int) -> list[str]:
    """Names under example are the site's, but for those that say where they are."""
    if host.endswith("inside.example"):
        return ["127.0.0.1"]
    if host == "mixed.example":
        return [HERE, "127.0.0.1"]
    if host.endswith(".example"):
        return [HERE]
    raise OSError("no such host")


@contextlib.asynccontextmanager
async def serving(routes: Routes) -> AsyncIterator[Site]:
    """Run a site until the block ends."""
    asked: list[tuple[str, dict[str, str]]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer), contextlib.suppress(OSError, EOFError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            pairs = (line.partition(":") for line in head[1:] if line)
            fields = {name.lower(): value.strip() for name, _, value in pairs}
            path = head[0].split(" ")[1]
            asked.append((path, fields))
            answer = routes(path, fields)
            if answer is None:
                await asyncio.sleep(600)
                return
            told = [
                f"HTTP/1.1 {answer.status} Told",
                f"Content-Type: {answer.media_type}",
                *(f"{name}: {value}" for name, value in answer.fields),
                f"Content-Length: {len(answer.content)}",
                "Connection: close",
            ]
            if not answer.media_type:
                del told[1]
            writer.write("\r\n".join([*told, "\r\n"]).encode("latin-1") + answer.content)
            await writer.drain()

    server = await asyncio.start_server(serve, HERE, 0)
    try:
        yield Site(server.sockets[0].getsockname()[1], asked)
    finally:
        server.close()


@contextlib.asynccontextmanager
async def trap(knocks: list[str]) -> AsyncIterator[int]:
    """A port on all addresses of this machine, TCP and UDP: each knock is noted."""

    async def knocked(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        knocks.append(f"TCP from {writer.get_extra_info('peername')}")
        writer.close()

    class Datagrams(asyncio.DatagramProtocol):
        def datagram_received(self, data: bytes, addr: object) -> None:
            knocks.append(f"UDP from {addr}: {data[:20]!r}")

    listening = socket.socket(socket.AF_INET6)
    listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    listening.bind(("::", 0))
    port: int = listening.getsockname()[1]
    server = await asyncio.start_server(knocked, sock=listening)
    loop = asyncio.get_running_loop()
    datagrams = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    datagrams.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    datagrams.bind(("::", port))
    transport, _ = await loop.create_datagram_endpoint(Datagrams, sock=datagrams)
    try:
        yield port
    finally:
        transport.close()
        server.close()
