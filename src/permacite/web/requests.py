"""Requests: caller, body, addresses, pages of lists, use cases in threads, answers in JSON.

| request line | reference |
|---|---|
| `GET /urn:pdi://series/2026/11/21/1.text.1` | the path as it is |
| `GET pdi://series/2026/11/21/1.text.1` (PDI §3.8.2) | the same, put together again |
| `PUT pdi://series/` (PDI §3.8.2) | the series |

Readings: the Host field repeats what is before the path of a whole URI in a request line (RFC 9112
§3.2.2), and a server passes on this field only. So a date at the root of a host with the name of a
series means a name in it. A client that takes a series for a domain name (PDI §3.8.1) finds it too.

A server may be below a path of another site (`--base-path`). `at` puts this path before its own
addresses; names do not have it.

Lists have pages: `?limit=` is the largest number of items, `?after=` the last name of the previous
page, `?until=` the newest item that counts. `Link: <...>; rel="next"` (RFC 8288 §3), and the member
`next` of a JSON object, lead to the next page. A page may hold fewer items than requested, or none:
only a page without a link is the last.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, TypeVar
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from permacite.errors import ParseError
from permacite.limits import LARGEST_PAGE_ITEMS, PAGE_ITEMS
from permacite.service.names import from_path
from permacite.service.plain import opened
from permacite.service.tokens import check_name, lets
from permacite.web.route import route_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import HTTPConnection, Request

    from permacite.errors import PermaciteError
    from permacite.service.archive import Archive
    from permacite.service.tokens import Scope, Token


__all__ = [
    "COOKIE",
    "Caller",
    "JSONAnswer",
    "ask",
    "ask_owner",
    "asked_path",
    "at",
    "body_of",
    "caller_of",
    "check_reference",
    "is_own",
    "link_next",
    "next_link",
    "note_written",
    "parse_number",
    "reference_of",
    "refuse_embedding",
    "refuse_others",
    "requested_page",
]

COOKIE = "permacite"
"""Name of the cookie with a token, which the sign-in page sets."""


Answer = TypeVar("Answer")


async def ask(request: Request, use_case: Callable[[Archive], Answer]) -> Answer:
    """Run a use case in the thread pool, on the archive as the caller of this request sees it."""
    return await run_in_threadpool(use_case, caller_of(request).archive)


class JSONAnswer(JSONResponse):
    """The result of a use case, as JSON (`service.plain`)."""

    def render(self, content: object) -> bytes:
        """The bytes of the answer."""
        text = json.dumps(
            content, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=opened
        )
        return text.encode()


def is_own(request: Request) -> bool:
    """Whether a request comes from a page of this server, or from no page at all.

    The browser says from which site (Fetch Metadata, Origin). Where it has the first, the second
    says nothing: our pages give no referrer, and so no origin either.
    """
    site = request.headers.get("sec-fetch-site")
    own = f"{request.url.scheme}://{request.headers.get('host', '')}"
    if site is None:
        return request.headers.get("origin") in (None, own)
    return site in ("same-origin", "none")


def refuse_others(request: Request) -> None:
    """Raise 403 for what the page of another site asks for."""
    if not is_own(request):
        raise HTTPException(403, "this archive tells its own pages alone what it holds")


def refuse_embedding(request: Request) -> None:
    """Raise 403 for what is no page that somebody opens."""
    if request.headers.get("sec-fetch-dest", "document") != "document":
        refuse_others(request)


async def ask_owner(request: Request, use_case: Callable[[Archive], Answer]) -> Answer:
    """What a use case answers the owner of the archive. Raises 403 for anybody else."""
    refuse_others(request)
    archive = caller_of(request).owned
    if archive is None:
        raise HTTPException(403, "what is jotted down is for the owner of the archive alone")
    return await run_in_threadpool(use_case, archive)


async def body_of(request: Request) -> bytes:
    """The body of a request. Raises 413 (Content Too Large) for more than its route takes."""
    most_bytes = route_of(request).body_bytes
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most_bytes:
            raise HTTPException(413, f"expected at most {most_bytes} bytes")
    return bytes(body)


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a request, with the rights of their token or of their location.

    | without a token | may |
    |---|---|
    | anybody | read public documents; in the archive's building, those for the building too |
    | this machine | cite; with --writable save, and annotate unless with --public |
    """

    archive: Archive
    """The archive as they may see it."""
    whole: Archive
    """The archive with closed documents."""
    token: Token | None = None
    is_here: bool = False
    """Whether they are on this machine, with no proxy between."""
    is_inside: bool = False
    """Whether they are in the building of the archive."""
    is_writable: bool = False
    """Whether this machine may write without a token (--writable)."""
    is_public: bool = False
    problem: PermaciteError | None = None
    """The error of an invalid token; None for a valid one, or for no token."""

    def may(self, scope: Scope) -> bool:
        """Whether they have a scope."""
        if self.token is not None:
            own = scope != "admin" or self.token.series == self.whole.documents.series.names()[0]
            return own and lets(self.token, scope)
        needed = {"read": True, "cite": self.is_here, "save": self.is_here and self.is_writable}
        return needed.get(scope, self.is_here and self.is_writable and not self.is_public)

    @property
    def owned(self) -> Archive | None:
        """The archive with annotations of its owner; None for any other caller."""
        return self.whole if self.may("admin") else None


def caller_of(request: HTTPConnection) -> Caller:
    """The caller, as access control found."""
    caller: Caller = request.state.caller
    return caller


def check_reference(request: HTTPConnection, reference: str) -> None:
    """Raise TokenError for a name in a series other than that of the token."""
    token = caller_of(request).token
    if token is not None:
        check_name(token, reference)


async def note_written(request: HTTPConnection, name: str) -> None:
    """Record that a token wrote a name."""
    caller = caller_of(request)
    if caller.token is not None:
        await run_in_threadpool(caller.whole.access.tokens.note_written, caller.token, name)


_DATED = re.compile(r"(?:[0-9]{1,4}|\*)/")


def at(request: Request, address: str) -> str:
    """An address of this server such as `/-/search`, below its base path."""
    base: str = request.scope.get("root_path", "")
    return base + address if address.startswith("/") else address


def asked_path(request: Request) -> str:
    """The path of a request as it was written, after the base path."""
    raw: bytes = request.scope.get("raw_path") or request.url.path.encode()
    base: str = request.scope.get("root_path", "")
    return raw.decode("ascii", "replace").partition("?")[0].removeprefix(base)


def reference_of(request: Request, before: str) -> str:
    """The reference that a request names: its path after `before`, and its fragment."""
    name = from_path(asked_path(request)[len(before) :])
    if _DATED.match(name) or (not name and request.method == "PUT"):
        name = _in_series_of_host(request, name)
    fragment = request.query_params.get("fragment")
    return name if fragment is None or "#" in name else f"{name}#{fragment}"


def _in_series_of_host(request: Request, name: str) -> str:
    """A name with its series added, if the host has the name of a series."""
    archive = caller_of(request).archive
    host = request.url.hostname or ""
    return f"pdi://{host}/{name}" if host in archive.documents.series.names() else name


_MOST_DIGITS = 9
_OURS = {"after", "until"}


class RequestedPage(TypedDict):
    """A page of a list, as methods of the archive take it."""

    limit: int
    after: str | None
    until: str | None


def requested_page(parameters: Mapping[str, str], *, usual: int = PAGE_ITEMS) -> RequestedPage:
    """The page in the parameters of a request. Raises ParseError for a bad limit."""
    return {
        "limit": min(
            parse_number(parameters.get("limit", str(usual)), "limit"), LARGEST_PAGE_ITEMS
        ),
        "after": parameters.get("after") or None,
        "until": parameters.get("until") or None,
    }


def parse_number(text: str, name: str, *, least: int = 1) -> int:
    """A parameter as a number. Raises ParseError."""
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS and int(text) >= least):
        raise ParseError(f"expected a number from {least} in `{name}`", text, 0)
    return int(text)


def next_link(request: Request, after: str | None, until: str | None = None) -> dict[str, str]:
    """The Link field to the page after `after`; empty for the last page."""
    if after is None:
        return {}
    kept = [field for field in request.query_params.multi_items() if field[0] not in _OURS]
    cursor = [("after", after), *([("until", until)] if until else [])]
    return link_next(at(request, f"{asked_path(request)}?{urlencode([*kept, *cursor])}"))


def link_next(address: str) -> dict[str, str]:
    """The Link field with the address of the next page."""
    return {"Link": f'<{address}>; rel="next"'}
