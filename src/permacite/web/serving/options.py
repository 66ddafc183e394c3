"""Options of `permacite serve`: proxies, base path, building, metrics and access log."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, TypeVar

import click

from permacite.web.middleware.networks import SOCKET, networks_of
from permacite.web.serving.monitoring import Watching

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["base_option", "building_options", "proxies_option", "watching_options"]

Command = TypeVar("Command", bound="Callable[..., Any]")

_BASE = re.compile(r"(?:/[A-Za-z0-9._~-]+)+")
_OURS = re.compile(r"/(?:-|web|uri-res)(?:/|$)")
"""What our own addresses begin with."""


def _networks(_context: object, _option: object, typed: tuple[str, ...]) -> tuple[str, ...]:
    """Addresses and networks, one by one or with commas between."""
    said = tuple(each.strip() for item in typed for each in item.split(","))
    try:
        networks_of(each for each in said if each != SOCKET)
    except ValueError as error:
        raise click.BadParameter(f"expected an address, a network, or unix: {error}") from None
    return said


proxies_option = click.option(
    "--forwarded-allow-ips",
    "proxies",
    multiple=True,
    metavar="NETWORK",
    callback=_networks,
    help="Believe X-Forwarded-For and -Proto of these proxies; unix is --unix; repeatable.",
)


def _path(_context: object, _option: object, typed: str) -> str:
    """A path such as /archive; "" and / are the root."""
    base = typed.rstrip("/")
    if not base:
        return ""
    is_relative = any(part in {".", ".."} for part in base.split("/"))
    if not _BASE.fullmatch(base) or is_relative or _OURS.match(base):
        raise click.BadParameter(f"expected a path such as /archive, not {typed!r}")
    return base


base_option = click.option(
    "--base-path",
    metavar="PATH",
    default="",
    callback=_path,
    help="The path of the site under which the server stands, such as /archive.",
)


def _building(context: object, option: object, typed: tuple[str, ...]) -> tuple[str, ...]:
    """The same for a building, which a socket is not in."""
    said = _networks(context, option, typed)
    if SOCKET in said:
        raise click.BadParameter("expected an address or a network: a socket is in no building")
    return said


def building_options(command: Command) -> Command:
    """Add the options that say where the archive's building is."""
    networks = click.option(
        "--building",
        multiple=True,
        metavar="NETWORK",
        callback=_building,
        help="Let read what has the access `building` from these addresses; repeatable.",
    )
    place = click.option(
        "--building-name",
        default="",
        metavar="TEXT",
        help="What the building is called, for those who ask from elsewhere.",
    )
    return networks(place(command))


_LAST_PORT = 65535


def watching_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command these options, as one argument `watching`."""

    @functools.wraps(command)
    def called(
        *arguments: Any,
        metrics: tuple[str, int] | None,
        access_log: str | None,
        full_addresses: bool,
        **options: Any,
    ) -> None:
        command(*arguments, watching=Watching(metrics, access_log, full_addresses), **options)

    for option in reversed(_OPTIONS):
        called = option(called)
    return called


def _place(_context: object, _option: object, typed: str | None) -> tuple[str, int] | None:
    """An address and a port, such as 127.0.0.1:9100, [::1]:9100 or 9100."""
    if typed is None:
        return None
    host, _, port = typed.rpartition(":")
    if not port.isdecimal() or int(port) > _LAST_PORT:
        raise click.BadParameter(f"expected a port, or an address and a port, not {typed!r}")
    return host.strip("[]") or "127.0.0.1", int(port)


_OPTIONS = (
    click.option(
        "--metrics",
        metavar="[HOST:]PORT",
        callback=_place,
        help="Give out metrics for Prometheus there, and nothing else; default host: 127.0.0.1.",
    ),
    click.option(
        "--access-log", metavar="FILE", help="Write a line of JSON for each request; - is stdout."
    ),
    click.option(
        "--full-addresses", is_flag=True, help="Log who asks, and not the network (/24, /48) alone."
    ),
)
