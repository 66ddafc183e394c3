"""Annotations over HTTP: tags, collections and notes, for the owner of the archive.

The owner has a token of the scope `admin`; or, on a writable server that is not public, calls from
this machine. Any other caller gets 403, and so do pages of other sites.
"""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any

from starlette.datastructures import QueryParams
from starlette.responses import RedirectResponse

from permacite.errors import ParseError
from permacite.service.names import as_address
from permacite.web import headers
from permacite.web.requests import JSONAnswer, ask_owner, body_of, check_reference, note_written
from permacite.web.route import cache_field
from permacite.web.templates import kept, page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


__all__ = ["answer", "jottings"]

_MEMBERS = ("reference", "kind", "text")


async def jottings(request: Request) -> Response:
    """GET /-/jottings lists tags, collections and notes; POST keeps one, by a form, or removes it.

    Fields: reference, kind (tag, collection, note), text; `act=remove` takes it away. It leads back
    to the document.
    """
    if request.method == "POST":
        form = QueryParams((await body_of(request)).decode("ascii", "replace"))
        changed = {name: form.get(name, "") for name in _MEMBERS}
        await _change(request, changed, remove=form.get("act") == "remove")
        back = kept(request, f"/{as_address(form.get('back') or changed['reference'])}")
        return RedirectResponse(f"{back}#jottings", 303, headers=headers.reader_headers())
    found = await ask_owner(request, lambda archive: archive.annotations.list())
    ordered = sorted(found, key=lambda each: (each.kind, each.text.casefold(), each.text))
    kinds = {
        kind: [(text, list(same)) for text, same in groupby(of_kind, lambda each: each.text)]
        for kind, of_kind in groupby(ordered, lambda each: each.kind)
    }
    return page(request, "jottings.html", kinds=kinds)


async def answer(request: Request) -> Response:
    """GET /-/api/jottings?name= answers a list of Jotting; POST {reference, kind, text} keeps one.

    Without a name all are told. POST with `"remove": true` takes it away; either answers with what
    there is of the document then.
    """
    fields = cache_field(request)
    if request.method != "POST":
        name = request.query_params.get("name") or None
        return JSONAnswer(
            list(await ask_owner(request, lambda archive: archive.annotations.list(name))),
            headers=fields,
        )
    body = (await body_of(request)).decode("utf-8", "replace")
    try:
        wanted: Any = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"expected JSON: {error}", body[:80], 0, "RFC 8259") from None
    members = wanted if isinstance(wanted, dict) else {}
    if not all(isinstance(members.get(name), str) for name in _MEMBERS):
        raise ParseError(f"expected an object with {', '.join(_MEMBERS)}", body[:80], 0)
    await _change(request, members, remove=members.get("remove") is True)
    found = await ask_owner(request, lambda archive: archive.annotations.list(members["reference"]))
    return JSONAnswer(list(found), headers=fields)


async def _change(request: Request, wanted: dict[str, Any], *, remove: bool) -> None:
    reference, kind, text = (wanted[name] for name in _MEMBERS)
    check_reference(request, reference)
    if remove:
        await ask_owner(request, lambda archive: archive.annotations.remove(reference, kind, text))
    else:
        await ask_owner(
            request, lambda archive: archive.annotations.annotate(reference, kind, text)
        )
    await note_written(request, reference)
