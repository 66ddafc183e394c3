"""The options of `permacite serve` on what stands before it: proxies, and the path of a site."""

from __future__ import annotations

import ipaddress
import re

import click

from permacite.web.doors.forwarded import SOCKET

__all__ = ["base_option", "proxies_option"]

_BASE = re.compile(r"(?:/[A-Za-z0-9._~-]+)+")
_OURS = re.compile(r"/(?:-|web|uri-res)(?:/|$)")
"""What our own addresses begin with."""


def _networks(_context: object, _option: object, typed: tuple[str, ...]) -> tuple[str, ...]:
    """Addresses and networks, one by one or with commas between."""
    said = tuple(each.strip() for item in typed for each in item.split(","))
    try:
        for each in said:
            if each != SOCKET:
                ipaddress.ip_network(each)
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
