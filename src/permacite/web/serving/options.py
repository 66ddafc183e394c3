"""Options of `permacite serve`: where it listens, whom it answers, proxies, base path, building."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from permacite.lazy_dataclass import dataclass
from permacite.limits import WORKERS
from permacite.options import option
from permacite.web.middleware.networks import SOCKET, parse_networks

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ServeOptions"]

_BASE = re.compile(r"(?:/[A-Za-z0-9._~-]+)+")
_OURS = re.compile(r"/(?:-|web|uri-res)(?:/|$)")
"""What our own addresses begin with."""


def _mode(text: str) -> int:
    """A mode such as 660."""
    if not re.fullmatch(r"0?[0-7]{3}", text):
        raise ValueError(f"expected three digits such as 660, not {text!r}")
    return int(text, 8)


def _networks(text: str) -> tuple[str, ...]:
    """Addresses and networks, with commas between."""
    networks = tuple(each.strip() for each in text.split(","))
    try:
        parse_networks(each for each in networks if each != SOCKET)
    except ValueError as error:
        raise ValueError(f"expected an address, a network, or unix: {error}") from None
    return networks


def _building(text: str) -> tuple[str, ...]:
    """The same for a building, which a socket is not in."""
    networks = _networks(text)
    if SOCKET in networks:
        raise ValueError("expected an address or a network: a socket is in no building")
    return networks


def _path(text: str) -> str:
    """A path such as /archive; "" and / are the root."""
    base = text.rstrip("/")
    if not base:
        return ""
    is_relative = any(part in {".", ".."} for part in base.split("/"))
    if not _BASE.fullmatch(base) or is_relative or _OURS.match(base):
        raise ValueError(f"expected a path such as /archive, not {text!r}")
    return base


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Where a server listens, to whom it answers, and what it lets them do."""

    host: str = option("The address to listen on.", default="127.0.0.1", shows_default=True)
    port: int = option(
        "The port to listen on; 0 takes any that is free.",
        default=8420,
        least=0,
        most=65535,
        shows_default=True,
    )
    unix: Path | None = option(
        "A socket of the file system to listen on, in place of an address and a port.", kind="file"
    )
    unix_mode: int = option(
        "Who may open that socket, as chmod has it.",
        default=0o660,
        shown="660",
        read=_mode,
        shows_default=True,
    )
    names: tuple[str, ...] = option(
        "A further host name to answer to; repeatable.", default=(), name="name", is_repeatable=True
    )
    writable: bool = option(
        "Let this machine write without a token: PUT, and pages saved in the reader.", default=False
    )
    public: bool = option(
        "Say to chats and the like what they may show of open documents.", default=False
    )
    grace_s: float = option(
        "Seconds in which answers that are begun may be finished when the server is stopped.",
        default=10.0,
        shown=10,
        kind="number",
        name="grace",
        least=0,
        shows_default=True,
    )
    workers: int = option(
        "Processes that answer; each has the limits below.",
        default=1,
        least=1,
        most=WORKERS,
        shows_default=True,
    )
    witness: Path | None = option(
        "Of a mirror: cosign checkpoints that its origin submits, with the key in this file,"
        " which is made where there is none (C2SP tlog-witness).",
        kind="file",
        metavar="KEY",
    )
    base_path: str = option(
        "The path of the site under which the server stands, such as /archive.",
        default="",
        metavar="PATH",
        read=_path,
    )
    proxies: tuple[str, ...] = option(
        "Believe X-Forwarded-For and -Proto of these proxies; unix is --unix; repeatable.",
        default=(),
        name="forwarded-allow-ips",
        metavar="NETWORK",
        read=_networks,
        is_repeatable=True,
    )
    building: tuple[str, ...] = option(
        "Let read what has the access `building` from these addresses; repeatable.",
        default=(),
        metavar="NETWORK",
        read=_building,
        is_repeatable=True,
    )
    building_name: str = option(
        "What the building is called, for those who ask from elsewhere.", default="", metavar="TEXT"
    )
