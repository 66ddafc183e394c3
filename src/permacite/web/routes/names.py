"""Permanent names: GET and PUT of a document or a part of it (PDI §3.6.3, §3.8).

The name stands in the path as it is (`/urn:pdi://...`). A fragment travels as `%23...` at its end
or as `?fragment=`, because clients keep `#...` to themselves.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlencode, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from permacite.errors import ConflictError, NotFoundError, ParseError, RestrictedError
from permacite.limits import LARGEST_PAGE_ITEMS, LINK_FIELDS
from permacite.pdi.predicates import predicate_iri
from permacite.service.names import as_address
from permacite.web import headers
from permacite.web.headers import chosen_view
from permacite.web.requests import (
    JSONAnswer,
    ask,
    at,
    body_of,
    caller_of,
    check_reference,
    next_link,
    note_written,
    parse_number,
    reference_of,
    requested_page,
)
from permacite.web.routes import content, memento, reader
from permacite.web.routes.content import LARGE_BYTES
from permacite.web.templates import kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from permacite.service.resolution.resolving import Octets, Resolved

__all__ = ["bytes_of", "directed", "resolution"]

Answer = TypeVar("Answer")

RECORDED = {"audio/wav": "audio/webm", "video/matroska": "video/webm"}
"""What parts of recordings are, and their previews: `?view=preview` answers with these."""

_COLLAPSED = re.compile(r"(?i)((?:urn:)?pdi:)/(?!/)")
"""A name whose two slashes some program between us and the user has made one."""


async def resolution(request: Request) -> Response:
    """Answer a name with the reader's page, the bytes, or JSON; errors: `problems`.

    A name with wildcards is answered by the set of names that are known here, as JSON or, where
    `Accept` says so, as text/uri-list; `?limit=`, `&after=` and `&until=` choose a page of it,
    and `Link: <...>; rel="next"` leads on. A name that is delegated elsewhere leads there (307);
    `Link: <...>; rel="duplicate"` names those that hold copies.
    OPTIONS tells what may be done with a name, 404 where this server would not know it. PUT makes
    the next version of a document, or mints a name (`PUT /pdi://series/`), where the server was
    started with --writable; nothing is ever deleted (PDI §3.8.2). Those pieces of a
    document are checked that the answer is made of; `?check=whole` has the digest of all of it
    compared before anything is answered.
    `?view=preview` answers with a small WebM of a part of sound or video, for players in pages.

    `?fragment=` is what others write behind #. The reader's page takes `?page=`, `?frame=` and
    `?part=` (which of several), `?show=text`, `?at=` (where a long text begins), `?first=`,
    `?last=` and `?rfc5147=` (what is marked), `?quoters=` (where their list goes on). PUT takes
    `?misquoted=` for words that are quoted wrong on purpose.
    """
    reference = reference_of(request, "/")
    if ":" not in reference.partition("#")[0]:  # which names have, and addresses
        raise HTTPException(404, f"no page of this server has the address {request.url.path}")
    if request.method == "PUT":
        return await _put(request)
    if request.method == "OPTIONS":
        known = await ask(request, lambda archive: archive.lists.submissions.answers_for(reference))
        return Response(
            status_code=204 if known else 404, headers={"Allow": _allowed_methods(request)}
        )
    whole = _COLLAPSED.match(reference)
    if whole:
        return RedirectResponse(at(request, _restored(request, whole)), 308)
    view = chosen_view(request.headers.get("accept", ""), request.query_params.get("view"))
    if "*" in reference.partition("#")[0]:
        return await _set(request, reference, view)
    answered = _page if view == "reader" else partial(_part, view=view)
    return await memento.tell(request, reference, await answered(request, reference))


async def _page(request: Request, reference: str) -> Response:
    """Answer with the reader's page."""
    try:
        return await reader.document(request, reference)
    except NotFoundError as error:
        return await _elsewhere(request, reference, error)


async def _part(
    request: Request, reference: str, view: str, *, service: str | None = None
) -> Response:
    """Answer with the bytes of a name, or with JSON."""
    archive = caller_of(request).archive
    preview = view == "preview"
    held: Octets | None = None
    if view == "bytes":
        known = await directed(
            request, reference, archive.documents.resolver.octets, service=service
        )
        if isinstance(known, Response):
            return known
        held = known
        answer = content.answer_stored(request, held, _naming(request, held.part))
        if answer is not None:
            return answer
    whole = request.query_params.get("check") == "whole"
    resolve = partial(archive.resolve, whole=whole, preview=preview)
    part = await directed(request, reference, resolve, service=service)
    if isinstance(part, Response):
        return part
    if view == "json":
        return JSONAnswer(part, headers=_naming(request, part))
    cut = partial(content.answer_part, request, part, held, _naming(request, part))
    # The digest of a large part takes a while, for which others would wait.
    is_large = len(part.content) > LARGE_BYTES
    answer = await run_in_threadpool(cut) if is_large else cut()
    if "#" in part.exact and await ask(
        request, lambda archive: archive.documents.resolver.may_be_embedded(part)
    ):
        answer.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return answer


async def bytes_of(request: Request, reference: str, service: str) -> Response:
    """Answer with the bytes of a name, whatever the Accept field says."""
    return await _part(request, reference, "bytes", service=service)


async def directed(
    request: Request, reference: str, ask: Callable[[str], Answer], *, service: str | None = None
) -> Answer | Response:
    """What `ask` answers about a name; a redirect to whom it is delegated, if unknown.

    `service`: of THTTP, by which it was asked for.
    """
    try:
        return await run_in_threadpool(ask, reference)
    except NotFoundError as error:
        return await _elsewhere(request, reference, error, service)


async def _elsewhere(
    request: Request, reference: str, error: NotFoundError, service: str | None = None
) -> Response:
    """Lead to the resolver that a name is delegated to (PDI §3.8.3); else raise `error`.

    A name that a document had in another archive leads to the one that it has here.
    """
    if isinstance(error, RestrictedError):
        raise error
    present = await ask(request, lambda archive: archive.documents.resolver.now_called(reference))
    if present is not None:
        return RedirectResponse(kept(request, f"/{as_address(present)}"), 303)
    usual = "N2C" if request.method == "HEAD" else "N2R"  # PDI §3.8.3
    addresses = await ask(
        request, lambda archive: archive.documents.series.elsewhere(reference, service, usual=usual)
    )
    own = urlsplit(str(request.base_url))
    if not addresses:
        raise error
    there = urlsplit(addresses[0])
    if there.netloc == own.netloc and there.path.startswith(own.path):
        raise error
    copies = ", ".join(f'<{each}>; rel="duplicate"' for each in addresses[1:])  # RFC 6249 §3
    return RedirectResponse(addresses[0], 307, {"Link": copies} if copies else None)


async def _set(request: Request, pattern: str, view: str) -> Response:
    """Answer a name with wildcards (PDI §3.6.3)."""
    if view == "reader":
        return RedirectResponse(kept(request, f"/?{urlencode({'pattern': pattern})}"), 303)
    limit = request.query_params.get("limit", "1")
    if parse_number(limit, "limit") > LARGEST_PAGE_ITEMS:
        raise ParseError(f"expected a number up to {LARGEST_PAGE_ITEMS} in `limit`", limit, 0)
    page = await ask(
        request,
        lambda archive: archive.documents.matching(pattern, **requested_page(request.query_params)),
    )
    fields = (
        headers.reader_headers() | {"Vary": "Accept"} | next_link(request, page.next, page.until)
    )
    if "text/uri-list" in request.headers.get("accept", ""):
        body = "".join(f"{name}\r\n" for name in page.names)
        return Response(body, headers=fields, media_type="text/uri-list")
    return JSONAnswer(page, headers=fields)


def _restored(request: Request, collapsed: re.Match[str]) -> str:
    """The address of a request with both slashes of its name."""
    rest = collapsed.string[collapsed.end() :]
    query = request.url.query
    if "fragment" in request.query_params:
        rest = rest.partition("#")[0]
    rest = rest.replace("#", "%23")
    return f"/{collapsed[1]}//{rest}" + (f"?{query}" if query else "")


def _naming(request: Request, part: Resolved) -> dict[str, str]:
    """The fields that say which version answers, and what is to be known of a part.

    The bytes never change, yet they may be withdrawn: whoever keeps them asks before giving them
    out again, and is told so by a 304. `Permacite-Damaged: ?1` is with a part of a recording that
    has, or lacks, what could not be decoded, `Permacite-Derived: preview` with what is made of a
    part; a link of the relation "preview" (RFC 6903) leads from a part to that. Of a citation
    A@origin=B, `Permacite-Quotation` says whether A has there what B names: `exact`, `differs`.
    """
    landing = part.exact.replace("#", "%23")
    links = [
        f'<{part.pdi}>; rel="cite-as"',
        f'<{at(request, "/")}{landing}>; rel="collection"; type="text/html"',
    ]
    if part.media_type in RECORDED and "#" in part.exact:
        name, _, fragment = part.exact.partition("#")
        query = urlencode({"fragment": fragment, "view": "preview"})
        address = at(request, f"/{name}?{query}")
        links.append(f'<{address}>; rel="preview"; type="{RECORDED[part.media_type]}"')
    fields = {
        "Content-Location": part.pdi,
        "Cache-Control": "no-cache",
        "Vary": "Accept",
        "Link": ", ".join([*links, *_spoken(part)]),
    }
    if part.damaged:
        fields["Permacite-Damaged"] = "?1"
    if part.derived is not None:
        fields["Permacite-Derived"] = part.derived
    if part.quotation is not None:
        fields["Permacite-Quotation"] = part.quotation.outcome
    return fields


def _spoken(part: Resolved) -> list[str]:
    """Links between words and the times at which they are said (RFC 8288 §3.2, §3.3)."""
    links = [(item.reference, part.exact) for item in part.heard]
    links += [(part.exact, name) for item in part.said for name in item.references]
    relation = f'rel="{predicate_iri("transcript-of")}"'
    return [
        f'<{recording}>; {relation}; anchor="{words}"' for recording, words in links[:LINK_FIELDS]
    ]


_READING = "GET, HEAD, OPTIONS"


def _allowed_methods(request: Request) -> str:
    """The methods that a name answers to, for who asks."""
    return f"{_READING}, PUT" if caller_of(request).may("save") else _READING


async def _put(request: Request) -> Response:
    """Commit the body: 201, with the full name in Content-Location and what was committed as JSON.

    404 for an unknown name; 405 where the server does not write without a token, or cannot give a
    name in the series; 403 where the token is of another one; 409 for words that are quoted wrong,
    unless `?misquoted` is asked for; 415 without a Content-Type. An Idempotency-Key makes it safe
    to repeat.
    """
    content_type = request.headers.get("content-type")
    if not content_type:
        raise HTTPException(415, "expected a Content-Type: it decides the format of the name")
    reference = reference_of(request, "/")
    check_reference(request, reference)
    content = await body_of(request)
    key, token = request.headers.get("idempotency-key"), caller_of(request).token
    if key and token is not None:
        key = f"token:{token.id}:{key}"
    misquoted = "misquoted" in request.query_params
    try:
        saved = await ask(
            request,
            lambda archive: archive.lists.submissions.put(
                reference, content, content_type, key=key, misquoted=misquoted
            ),
        )
    except ConflictError as error:
        if error.name == reference:
            raise HTTPException(405, error.problem, {"Allow": _READING}) from error
        raise
    await note_written(request, saved.pdi)
    fields = headers.reader_headers() | {
        "Content-Location": saved.pdi,
        "Location": at(request, f"/{saved.pdi}"),
    }
    return JSONAnswer(saved, 201, fields)
