"""The option of `permacite serve` on the proxies before it."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from permacite.web.doors.forwarded import Network

__all__ = ["proxies_option"]


def _networks(_context: object, _option: object, typed: tuple[str, ...]) -> tuple[Network, ...]:
    """Addresses and networks, one by one or with commas between."""
    said = [each.strip() for item in typed for each in item.split(",")]
    try:
        return tuple(map(ipaddress.ip_network, said))
    except ValueError as error:
        raise click.BadParameter(f"expected an address or a network: {error}") from None


proxies_option = click.option(
    "--forwarded-allow-ips",
    "proxies",
    multiple=True,
    metavar="NETWORK",
    callback=_networks,
    help="Believe X-Forwarded-For and -Proto of proxies at these addresses; repeatable.",
)
