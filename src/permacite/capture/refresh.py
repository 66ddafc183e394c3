"""Where a page leads on by itself: `<meta http-equiv=refresh>`, or the field `Refresh`.

HTML §4.2.5.3 (shared declarative refresh). The first of them counts, the field before the element.
A page that calls itself up again leads nowhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.capture.address import absolute
from permacite.errors import ParseError
from permacite.markup import StartTag
from permacite.mhtml.links import in_refresh, references_of
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.capture.model import Exchange

__all__ = ["Refresh", "refresh_of"]

_SECONDS = compile_pattern(r"[\t\n\f\r ]*+([0-9]{0,6}+)(?![0-9])")
"""More digits than these are no delay: it is longer than anybody waits."""


class Refresh(NamedTuple):
    """What a page asks for."""

    uri: str
    delay_s: int


def refresh_of(exchange: Exchange) -> Refresh | None:
    """Where a page leads on, and after how long; None where it stays."""
    if not exchange.document.is_page:
        return None
    value = next(_values(exchange), "")
    places = list(in_refresh(value))
    delay = _SECONDS.match(value)
    if not places or delay is None:
        return None
    start, end = places[0]
    try:
        uri = absolute(value[start:end], _base(exchange))
    except ParseError:
        return None
    return None if uri in {exchange.uri, exchange.final_uri} else Refresh(uri, int(delay[1] or 0))


def _values(exchange: Exchange) -> Iterator[str]:
    yield from (value for name, value in exchange.response_headers if name.lower() == "refresh")
    for token in exchange.document.tokens():
        if isinstance(token, StartTag) and token.name == "meta":
            kind = token.get("http-equiv") or ""
            if kind.strip().lower() == "refresh":
                yield token.get("content") or ""


def _base(exchange: Exchange) -> str:
    """What references of a page are resolved against."""
    links = references_of(exchange.document)
    declared = next((link.value for link in links if link.role == "base"), None)
    return exchange.final_uri if declared is None else absolute(declared, exchange.final_uri)
