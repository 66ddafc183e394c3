"""THTTP (RFC 2169): GET /uri-res/{service}?{name}, and the services of RFC 2483 as deployed.

| request | answer |
|---|---|
| N2R, I2R | the resource, as under its own address |
| N2Rs, I2Rs | every format of the version, as multipart/alternative |
| N2L, I2L | 303 to the address of the exact name here |
| N2Ls, L2Ls, I2Ls | addresses, a line each (text/uri-list) |
| N2C, N2Cs, L2C, I2C, I2Cs | what is known, as JSON |
| N2N, N2Ns, L2Ns, I2N, I2Ns | full names, a line each |

Readings: `I` takes a name or an address; L requests find what was archived from an address. Of a
set (a name with wildcards) lists and descriptions are given, never the documents themselves; its
pages are chosen by `&limit=`, `&after=` and `&until=` behind the name.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlencode

from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from permacite.errors import ParseError
from permacite.service.names import from_path
from permacite.web import headers
from permacite.web.requests import (
    JSONAnswer,
    ask,
    caller_of,
    link_next,
    refuse_others,
    requested_page,
)
from permacite.web.routes import names as resolver

if TYPE_CHECKING:
    from starlette.requests import Request

    from permacite.service.holdings import NameSet
    from permacite.service.resolution.resolving import Resolved

__all__ = ["answer"]

_SERVICE = re.compile(r"(?i)([NLI])2(NS?|LS?|RS?|CS?)")
_NAME = re.compile(r"(?i)(?:urn:)?pdi:")


async def answer(request: Request) -> Response:
    """GET /uri-res/{service}?{name}: N2R N2Rs N2L N2Ls N2C N2Cs N2N N2Ns, L2..., I2... (RFC 2169).

    The name stands after the question mark as it is; its `#` is written `%23`. Every answer about
    one name has its full form in Content-Location.
    """
    wanted = _SERVICE.fullmatch(request.path_params["service"])
    if wanted is None:
        raise HTTPException(404, "no such resolution service")
    reference = from_path(request.url.query)
    if not reference:
        raise ParseError("expected a name after the question mark", str(request.url.path), 0)
    archive = caller_of(request).archive
    given, asked = wanted[1].upper(), wanted[2].upper()
    if given == "L" or (given == "I" and not _NAME.match(reference)):
        return await _of_address(request, asked, reference)
    if "*" in reference.partition("#")[0]:
        return await _of_set(request, asked, reference)
    if asked == "R":
        return await resolver.bytes_of(request, reference, wanted[0])
    names = await resolver.directed(
        request, reference, archive.documents.resolver.names_of, service=wanted[0]
    )
    return names if isinstance(names, Response) else await _of_names(request, asked, names)


async def _of_address(request: Request, asked: str, address: str) -> Response:
    """Answer about what was archived from an address (L2Ns, L2Ls, L2C)."""
    if not request.app.state.public:
        refuse_others(request)
    plain_address = unquote(address)
    try:
        names = await ask(request, lambda archive: archive.documents.names_from(address))
    except LookupError:
        names = await ask(request, lambda archive: archive.documents.names_from(plain_address))
    return await _of_names(request, asked, names)


async def _of_names(request: Request, asked: str, names: list[str]) -> Response:
    """Answer about what is here under full names; the first is what answers where one is asked."""
    if asked == "RS":
        return _alternatives(
            await ask(request, lambda archive: archive.documents.resolver.instances(names[0]))
        )
    if asked in {"C", "CS"}:
        shown = await ask(request, lambda archive: archive.documents.show(names[0]))
        return JSONAnswer(shown, headers=_fields(names[0]))
    return _listed(request, asked, names)


async def _of_set(request: Request, asked: str, pattern: str) -> Response:
    """Answer about a set of names (PDI §3.6.3), by pages: `&after=` goes on behind a name."""
    name, _, query = pattern.partition("&")
    page = requested_page(QueryParams(query))
    known = await ask(request, lambda archive: archive.documents.matching(name, **page))
    fields = _leading(request, name, page["limit"], known)
    if asked in {"NS", "LS"}:
        return _listed(request, asked, known.names, fields)
    if asked in {"C", "CS"}:
        return JSONAnswer(known, headers=headers.reader_headers() | fields)
    raise HTTPException(405, "a set is listed (N2Ns, N2Ls) or described (N2Cs), not given out")


def _leading(request: Request, pattern: str, limit: int, page: NameSet) -> dict[str, str]:
    """The header that leads from a page of a set to the next one."""
    if page.next is None:
        return {}
    cursor = urlencode({"limit": limit, "after": page.next, "until": page.until or ""})
    return link_next(f"{request.url.path}?{pattern}&{cursor}")


def _listed(
    request: Request,
    asked: str,
    names: list[str] | tuple[str, ...],
    leading: dict[str, str] | None = None,
) -> Response:
    """Answer with names or addresses: one by a redirect, several as text/uri-list (RFC 2483 §5)."""
    addresses = [f"{request.base_url}{name.replace('#', '%23')}" for name in names]
    is_one = len(names) == 1 and not leading
    fields = _fields(names[0]) if is_one or asked in {"N", "L", "R"} else leading or {}
    if asked in {"L", "R"}:
        return RedirectResponse(addresses[0], 303, fields)
    lines = {"LS": addresses, "N": names[:1]}.get(asked, names)
    body = "".join(f"{line}\r\n" for line in lines)
    return Response(body, headers=headers.reader_headers() | fields, media_type="text/uri-list")


def _fields(name: str) -> dict[str, str]:
    return headers.reader_headers() | {"Content-Location": name}


def _alternatives(parts: list[Resolved]) -> Response:
    """Answer with all formats of a version (RFC 2169 §2.4, RFC 2046 §5.1.4)."""
    digest = hashlib.sha256(b"".join(part.digest.encode() for part in parts)).hexdigest()
    # Made of the digests of what it parts, the boundary cannot be planned to stand in it.
    boundary = f"permacite-{digest}"
    pieces = []
    for part in parts:
        charset = f"; charset={part.charset}" if part.charset else ""
        pieces.append(
            f"--{boundary}\r\nContent-Type: {part.media_type}{charset}\r\n"
            f"Content-Location: {part.pdi}\r\nContent-Length: {len(part.content)}\r\n\r\n".encode()
        )
        pieces += [part.content, b"\r\n"]
    pieces.append(f"--{boundary}--\r\n".encode())
    fields = headers.bytes_headers() | {
        "Content-Type": f'multipart/alternative; boundary="{boundary}"',
        "Content-Location": parts[0].pdi,
        "Cache-Control": "no-cache",
    }
    return Response(b"".join(pieces), headers=fields)
