"""Memento (RFC 7089): TimeGates, TimeMaps, and versions by time.

| address | |
|---|---|
| `/-/timegate/URI` | leads to the version nearest to `Accept-Datetime`, the last one without |
| `/-/timemap/link/URI`, `/-/timemap/json/URI` | all versions; `/2/URI`: the second page |
| `/web/20261122093000/URI` | leads to the version nearest to that time, as people type it |

A version is a memento under its permanent name. Only a public archive has TimeGates and TimeMaps,
and declares its pages as mementos. A private one does not reveal which sites it has saved.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlencode

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from permacite.errors import NotFoundError, ParseError
from permacite.limits import TIMEMAP_ITEMS
from permacite.service.resolution.captures import nearest
from permacite.web import headers
from permacite.web.requests import JSONAnswer, ask, asked_path, refuse_others
from permacite.web.route import cache_field
from permacite.web.templates import kept

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from starlette.requests import Request

    from permacite.service.archive import Archive
    from permacite.service.resolution.captures import Memento

__all__ = ["tell", "timegate", "timemap", "web"]

_LINK_FORMAT = "application/link-format"
_STAMP = re.compile(r"([0-9]{4}(?:[0-9]{2}){0,5})(?:[a-z]{2}_)?|\*")
"""A year, and what follows it by two digits each: 2026, 202611, ... 20261122093000."""
_DATE = re.compile(
    r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [1-9][0-9]{3} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT"
)
"""The form of Accept-Datetime (RFC 7089 §2.1.1.1); what reads mail reads much more than that."""
_FILLED = "00000101000000"
"""What a shorter time is filled up with: the first moment of its year, month, day, ..."""
_COLLAPSED = re.compile(r"(?i)^(https?|ftp):/(?!/)")
"""An address whose two slashes some program between us and the user has made one."""
_ENCODED = re.compile(r"(?i)^(?:https?|ftp)%3a(?:%2f|/)")
"""An address that a program has percent-encoded whole."""
_SCHEME = re.compile(r"(?i)^(?:https?|ftp):")
_HOST = re.compile(
    r"(?i)^(?:(?:[^/?#:@\s.]+\.)+[a-z][a-z0-9-]*|[0-9]+(?:\.[0-9]+){3})(?::[0-9]{1,5})?(?:[/?#]|$)"
)
"""What an address without a scheme begins with."""


async def timegate(request: Request) -> Response:
    """GET /-/timegate/{uri} leads to the version nearest to Accept-Datetime (RFC 7089 §4.1.1)."""
    _refuse_private(request)
    uri, found = await _mementos(request, _rest(request, "/-/timegate/"))
    chosen = nearest(found, _accepted(request))
    fields = {
        "Vary": "accept-datetime",
        "Link": ", ".join([*_links(request, uri), *_ends(request, found, chosen)]),
        "Access-Control-Allow-Origin": "*",
        **cache_field(request),
    }
    return RedirectResponse(_address(request, chosen), 302, headers=fields)


async def timemap(request: Request) -> Response:
    """GET /-/timemap/{form}/{uri}, form `link` or `json`: all versions (RFC 7089 §5)."""
    _refuse_private(request)
    form = request.path_params["form"]
    if form not in {"link", "json"}:
        raise HTTPException(404, "expected /-/timemap/link/ or /-/timemap/json/")
    uri = _rest(request, f"/-/timemap/{form}/")
    number, slash, behind = uri.partition("/")
    page = int(number) if slash and number.isdecimal() and len(number) <= len("999999") else 1
    uri = behind if number.isdecimal() else uri
    uri, found = await _mementos(request, uri)
    pages = -(-len(found) // TIMEMAP_ITEMS)
    if not 1 <= page <= pages:
        raise NotFoundError(f"expected a page from 1 to {pages}", number)
    shown = found[TIMEMAP_ITEMS * (page - 1) : TIMEMAP_ITEMS * page]
    fields = {"Access-Control-Allow-Origin": "*", **cache_field(request)}
    if form == "json":
        return JSONAnswer(_as_json(request, uri, shown, (page, pages)), headers=fields)
    body = ",\n".join(_as_links(request, uri, shown, (page, pages))) + "\n"
    return Response(body, headers=fields, media_type=_LINK_FORMAT)


async def web(request: Request) -> Response:
    """GET /web/{time}/{uri} leads to the version nearest to a time such as 20261122093000.

    The time may be shorter; with `*` a page shows all versions. /web/{uri} leads to the last one.
    """
    if not request.app.state.public:
        refuse_others(request)
    stamp = request.path_params.get("stamp", "")
    uri = _rest(request, f"/web/{stamp}/" if stamp else "/web/")
    read = _STAMP.fullmatch(stamp)
    if read is None:
        uri = _rest(request, "/web/")
        if not (_SCHEME.match(uri) or _HOST.match(uri)):
            if not stamp:
                raise HTTPException(
                    404, f"no page of this server has the address {request.url.path}"
                )
            raise ParseError("expected a time, such as 20261122093000, or *", stamp, 0)
        _, found = await _mementos(request, uri)
        chosen = nearest(found, None)
    elif read[1] is None:
        every = f"/-/follow?{urlencode({'all': '', 'to': uri})}"
        return RedirectResponse(kept(request, every), 302, headers=headers.reader_headers())
    else:
        _, found = await _mementos(request, uri)
        chosen = nearest(found, _moment(read[1]))
    return RedirectResponse(kept(request, f"/{chosen.pdi}"), 302, headers=headers.reader_headers())


async def tell(request: Request, reference: str, answer: Response) -> Response:
    """Say of an answer that it is a memento, if it is one and the archive is public."""
    if not request.app.state.public or answer.status_code != HTTPStatus.OK or "#" in reference:
        return answer
    memento = await ask(request, lambda archive: archive.documents.captures.memento(reference))
    if memento is not None:
        answer.headers["Memento-Datetime"] = _http_date(memento.captured_at)
        links = filter(None, [answer.headers.get("link"), *_links(request, memento.original)])
        answer.headers["Link"] = ", ".join(links)
    return answer


def _refuse_private(request: Request) -> None:
    if not request.app.state.public:
        raise HTTPException(
            403, "this archive is private: permacite serve --public answers look-ups by address"
        )


def _rest(request: Request, before: str) -> str:
    """The address behind the beginning of a path, its query with it, as it was written."""
    rest = asked_path(request)[len(before) :]
    query = request.scope.get("query_string", b"").decode("ascii", "replace")
    rest = unquote(rest) if _ENCODED.match(rest) else rest
    return _COLLAPSED.sub(r"\1://", f"{rest}?{query}" if query else rest)


async def _mementos(request: Request, uri: str) -> tuple[str, list[Memento]]:
    """What was archived from an address, which may lack its scheme, and that address.

    Raises NotFoundError where nothing was archived from there, ParseError for no address.
    """
    for known in [f"https://{uri}", f"http://{uri}"] if _HOST.match(uri) else [uri]:

        def look(archive: Archive, known: str = known) -> list[Memento]:
            return archive.documents.captures.mementos(known)

        if found := await ask(request, look):
            return known, found
    raise NotFoundError("nothing was archived from there", uri)


def _accepted(request: Request) -> datetime | None:
    """The time that is asked for. Raises ParseError for none as HTTP has it."""
    said = request.headers.get("accept-datetime")
    if said is None:
        return None
    try:
        if _DATE.fullmatch(said):
            return parsedate_to_datetime(said)
    except ValueError:
        pass  # such as a 30th of February
    expected = "expected a time in Accept-Datetime, such as Sun, 22 Nov 2026 09:30:00 GMT"
    raise ParseError(expected, said, 0, "RFC 7089 §2.1.1")


def _moment(digits: str) -> datetime:
    """The time that a stamp begins. Raises ParseError where there is no such time."""
    try:
        filled = digits + _FILLED[len(digits) :]
        return datetime.strptime(filled, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        raise ParseError("expected a time, such as 20261122093000", digits, 0) from None


def _http_date(when: datetime) -> str:
    return format_datetime(when.astimezone(UTC), usegmt=True)


def _address(request: Request, memento: Memento) -> str:
    return f"{request.base_url}{memento.pdi}"


def _links(request: Request, uri: str) -> list[str]:
    """Where the page, its TimeGate and its TimeMap are."""
    base, escaped = request.base_url, _escaped(uri)
    return [
        f'<{escaped}>; rel="original"',
        f'<{base}-/timegate/{escaped}>; rel="timegate"',
        f'<{base}-/timemap/link/{escaped}>; rel="timemap"; type="{_LINK_FORMAT}"',
    ]


def _ends(request: Request, found: Sequence[Memento], chosen: Memento) -> Iterator[str]:
    """The first memento, the last, and the one that is chosen (RFC 7089 §2.2)."""
    for memento in dict.fromkeys((found[0], chosen, found[-1])):
        relation = _relation(is_first=memento == found[0], is_last=memento == found[-1])
        yield _memento_link(request, memento, relation)


def _relation(*, is_first: bool, is_last: bool) -> str:
    return "first " * is_first + "last " * is_last + "memento"


def _memento_link(request: Request, memento: Memento, relation: str) -> str:
    when = _http_date(memento.captured_at)
    return f'<{_address(request, memento)}>; rel="{relation}"; datetime="{when}"'


def _escaped(uri: str) -> str:
    """An address that can stand between angle brackets in a header field."""
    return re.sub(
        r"[^!-;=?-~]", lambda sign: "".join(f"%{octet:02X}" for octet in sign[0].encode()), uri
    )


def _as_links(
    request: Request, uri: str, shown: list[Memento], place: tuple[int, int]
) -> list[str]:
    """A TimeMap in link format (RFC 7089 §5, RFC 6690)."""
    page, pages = place
    base, escaped = request.base_url, _escaped(uri)
    span = f'from="{_http_date(shown[0].captured_at)}"; until="{_http_date(shown[-1].captured_at)}"'
    own = f"{base}-/timemap/link/{_numbered(page)}{escaped}"
    lines = [
        f'<{escaped}>; rel="original"',
        f'<{own}>; rel="self"; type="{_LINK_FORMAT}"; {span}',
        f'<{base}-/timegate/{escaped}>; rel="timegate"',
    ]
    lines += [
        f'<{base}-/timemap/link/{_numbered(other)}{escaped}>; rel="timemap"; type="{_LINK_FORMAT}"'
        for other in range(1, pages + 1)
        if other != page
    ]
    for number, memento in enumerate(shown):
        is_first = page == 1 and number == 0
        is_last = page == pages and number == len(shown) - 1
        lines.append(_memento_link(request, memento, _relation(is_first=is_first, is_last=is_last)))
    return lines


def _numbered(page: int) -> str:
    return "" if page == 1 else f"{page}/"


def _as_json(
    request: Request, uri: str, shown: list[Memento], place: tuple[int, int]
) -> dict[str, object]:
    """The same as a JSON object."""
    page, pages = place
    base, escaped = request.base_url, _escaped(uri)
    return {
        "original_uri": uri,
        "self": f"{base}-/timemap/json/{_numbered(page)}{escaped}",
        "next": f"{base}-/timemap/json/{page + 1}/{escaped}" if page < pages else None,
        "timegate_uri": f"{base}-/timegate/{escaped}",
        "timemap_uri": {
            "link_format": f"{base}-/timemap/link/{escaped}",
            "json_format": f"{base}-/timemap/json/{escaped}",
        },
        "mementos": {
            "list": [
                {"datetime": memento.captured_at, "uri": _address(request, memento)}
                for memento in shown
            ]
        },
    }
