"""Lists by pages: which page a request asks for, and how an answer leads to the next one.

`?limit=` is how many at most, `?after=` the name behind which to go on, `?until=` the newest that
counts. An answer leads on by `Link: <...>; rel="next"` (RFC 8288 §3), and so does the member `next`
of a JSON object. A page may hold fewer than asked for, or none: only without a link it is the last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict
from urllib.parse import urlencode

from permacite.errors import ParseError
from permacite.limits import LARGEST_PAGE_ITEMS, PAGE_ITEMS
from permacite.web.addresses import asked_path, at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

__all__ = ["Asked", "asked", "link_to", "next_of", "number"]

_MOST_DIGITS = 9
_OURS = {"after", "until"}


class Asked(TypedDict):
    """The page that is asked for, as methods of the archive take it."""

    limit: int
    after: str | None
    until: str | None


def asked(parameters: Mapping[str, str], *, usual: int = PAGE_ITEMS) -> Asked:
    """The page in the parameters of a request. Raises ParseError for a limit that is no number."""
    return {
        "limit": min(number(parameters.get("limit", str(usual)), "limit"), LARGEST_PAGE_ITEMS),
        "after": parameters.get("after") or None,
        "until": parameters.get("until") or None,
    }


def number(text: str, name: str, *, least: int = 1) -> int:
    """A parameter as a number. Raises ParseError."""
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS and int(text) >= least):
        raise ParseError(f"expected a number from {least} in `{name}`", text, 0)
    return int(text)


def next_of(request: Request, after: str | None, until: str | None = None) -> dict[str, str]:
    """The header that leads to the page behind `after`; none where there is none."""
    if after is None:
        return {}
    kept = [field for field in request.query_params.multi_items() if field[0] not in _OURS]
    cursor = [("after", after), *([("until", until)] if until else [])]
    return link_to(at(request, f"{asked_path(request)}?{urlencode([*kept, *cursor])}"))


def link_to(address: str) -> dict[str, str]:
    """The header that calls an address the next page."""
    return {"Link": f'<{address}>; rel="next"'}
