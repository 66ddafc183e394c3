"""A page saved from the reader: asked for by a form, its progress on a page that looks again.

Only who may save, and only addresses that anybody may fetch. A save goes on when its
page is closed; what became of the last ones is remembered until the server stops.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from permacite.errors import NotFoundError, ParseError, PermaciteError
from permacite.limits import SAVES
from permacite.service.names import as_address
from permacite.web import headers
from permacite.web.caller import caller_of
from permacite.web.requests import body_of, refuse_others
from permacite.web.saves import Save, Saves
from permacite.web.templates import kept, page

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from permacite.service.archive import Archive
    from permacite.web.caller import Caller

__all__ = ["Save", "progress", "save"]


async def save(request: Request) -> Response:
    """POST /-/save: save the page in the field `to` of a form, and lead to a page of its progress.

    With a token of the scope `save`, or on the machine of a server that was started with
    --writable; from this archive's own pages.
    """
    refuse_others(request)
    body = await body_of(request)
    form = QueryParams(body.decode("ascii", "replace"))
    address = form.get("to", "").strip()
    if not address.lower().startswith(("http:", "https:")):
        raise ParseError("expected the address of a page of the web", address, 0)
    saves = _saves(request)
    if saves.under_way() >= SAVES:
        raise HTTPException(503, f"{SAVES} pages are being saved; try again in a minute")
    quote, before, after = (form.get(name, "").strip() for name in ("quote", "before", "after"))
    wanted = Save(address, form.get("from", ""), quote, before, after)
    name = saves.begin(wanted)
    tell = partial(saves.tell, name)
    working = run_in_threadpool(_work, caller_of(request), wanted, tell)
    saves.keep(asyncio.create_task(working))
    place = kept(request, f"/-/save/{name}")
    return RedirectResponse(place, 303, headers=headers.reader_headers())


async def progress(request: Request) -> Response:
    """GET /-/save/{id}: how far a page is saved; then the page itself, or why it is not."""
    wanted = _saves(request).find(request.path_params["id"])
    if wanted is None:
        raise HTTPException(404, "nothing is being saved here; the server may have been restarted")
    if wanted.reference:
        place = kept(request, f"/{as_address(wanted.reference)}")
        return RedirectResponse(place, 303, headers=headers.reader_headers())
    if wanted.pdi and wanted.is_over and not wanted.not_cited:
        query = urlencode({"from": wanted.source, "to": wanted.uri})
        place = kept(request, f"/{wanted.pdi}?{query}")
        return RedirectResponse(place, 303, headers=headers.reader_headers())
    return page(request, "saving.html", save=wanted)


def _work(caller: Caller, wanted: Save, told: Callable[[], None]) -> None:
    """Save a page, in a thread; every way it ends is told by its fields."""

    def tell(done: int, known: int, size_bytes: int) -> None:
        wanted.done, wanted.known, wanted.size_bytes = done, known, size_bytes
        told()

    token = caller.token
    try:
        series = None if token is None else token.series
        wanted.pdi = caller.archive.save(wanted.uri, series=series, progress=tell).pdi
        if wanted.quote:
            _cite(caller.archive, wanted)
        for name in (wanted.pdi, wanted.reference):
            if token is not None and name:
                caller.whole.access.tokens.note_written(token, name)
    except PermaciteError as error:
        wanted.problem = str(error)
    finally:
        if not wanted.is_over:
            wanted.problem = "A fault of permacite itself; the server's log says more"
        told()


def _cite(archive: Archive, wanted: Save) -> None:
    """Cite the words that were selected; what stands around them need not be as it was seen."""
    try:
        try:
            cited = archive.cite(
                wanted.pdi, quote=wanted.quote, before=wanted.before, after=wanted.after
            )
        except NotFoundError:
            cited = archive.cite(wanted.pdi, quote=wanted.quote)
        wanted.reference = cited.reference
    except PermaciteError as error:
        wanted.not_cited = error.problem


def _saves(request: Request) -> Saves:
    """What is saved and was, by this server."""
    saves: Saves = request.app.state.saves
    return saves
