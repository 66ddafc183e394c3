"""The options of `permacite serve` by which an operator asks to be told."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from permacite.web.serving.monitoring import Watching

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["watching_options"]

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
