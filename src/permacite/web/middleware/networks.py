"""Networks that are named by who runs the server, and whether an address is in one of them."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Network", "is_address", "is_in", "networks_of"]

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
