"""Saving from one's own browser: a page that asks before an address is saved, and what to install.

A bookmarklet leads here, with the address and the words that were selected. Whoever else links
here changes nothing: what is saved is shown first, and saved by a form of ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from permacite.errors import ParseError
from permacite.limits import FORM_CHARACTERS
from permacite.service.handed.folder import zipped
from permacite.web import headers
from permacite.web.caller import caller_of
from permacite.web.routes import saving
from permacite.web.templates import page

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["extension", "save"]

_BOOKMARKLET = (
    "javascript:(()=>{{const s=getSelection(),r=s.rangeCount?s.getRangeAt(0):null,"
    "t=(n,a,b)=>n.nodeType===3?n.data.slice(a,b):'',e=encodeURIComponent;"
    "open('{base}-/save?to='+e(location.href)+'&quote='+e(String(s).slice(0,2000))"
    "+(r?'&before='+e(t(r.startContainer,0,r.startOffset).slice(-40))"
    "+'&after='+e(t(r.endContainer,r.endOffset).slice(0,40)):''),'_blank','noopener')}})()"
)
_SHOWN = ("quote", "before", "after")


async def save(request: Request) -> Response:
    """GET /-/save?to=&quote=&before=&after=: ask before the page at `to` is saved, its words cited.

    Without `to`, what makes a browser ask: a bookmarklet, and the extension. POST saves.
    """
    if request.method == "POST":
        return await saving.save(request)
    to = request.query_params.get("to", "").strip()
    if to and not to.lower().startswith(("http:", "https:")):
        raise ParseError("expected the address of a page of the web", to[:200], 0)
    return page(
        request,
        "asking.html",
        fields={"Cross-Origin-Opener-Policy": "same-origin"},
        to=to[: 2 * FORM_CHARACTERS],
        asked={name: request.query_params.get(name, "")[:FORM_CHARACTERS] for name in _SHOWN},
        writable=caller_of(request).may("save"),
        bookmarklet=_BOOKMARKLET.format(base=request.base_url),
    )


async def extension(request: Request) -> Response:
    """GET /-/extension.zip: the extension for Chromium and Firefox, to be unpacked and loaded."""
    del request
    content = await run_in_threadpool(zipped)
    fields = headers.reader_headers() | {
        "Content-Disposition": 'attachment; filename="permacite-extension.zip"'
    }
    return Response(content, headers=fields, media_type="application/zip")
