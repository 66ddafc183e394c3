"""Saving from a browser: a page that asks first, the form that saves, and a page of the progress.

A bookmarklet leads to the page that asks, with an address and the words that were selected. A link
from another site changes nothing: the page shows what would be saved, and its form saves it. Only
callers with the scope `save` may save, and only addresses that anybody may fetch. A save continues
when its page is closed. The server remembers the last saves until it stops. If it has several
processes, each save has a file in a shared folder: one process writes it, the others read it.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import secrets
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from permacite.errors import NotFoundError, ParseError, PermaciteError
from permacite.limits import FORM_CHARACTERS, SAVES, SAVES_KEPT
from permacite.service.names import as_address
from permacite.web import headers
from permacite.web.requests import body_of, caller_of, refuse_others
from permacite.web.templates import kept, page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from starlette.requests import Request

    from permacite.service.archive import Archive
    from permacite.web.requests import Caller

__all__ = ["Save", "Saves", "progress", "save"]


async def _start(request: Request) -> Response:
    """Save the page in the field `to` of a form, and redirect to a page of its progress."""
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
    """Save a page, in a thread, and write the result into its fields."""

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
    """Cite the selected words, with their context if it is unchanged."""
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
    """The saves of this server."""
    saves: Saves = request.app.state.saves
    return saves


_WRITE_EVERY_S = 0.25
_NAME_BYTES = 12
_SIGNS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


@dataclass(slots=True)
class Save:
    """A page that is being saved, or was saved."""

    uri: str
    source: str
    """The page with the link to it; "" for none."""
    quote: str = ""
    """The words to cite in it, and their context; "" for none."""
    before: str = ""
    after: str = ""
    done: int = 0
    known: int = 0
    size_bytes: int = 0
    pdi: str = ""
    """Its name, once it is saved."""
    problem: str = ""
    """The reason why it was not saved."""
    reference: str = ""
    """Citation of the words, once they are cited."""
    not_cited: str = ""
    """The reason why they were not cited."""
    process: int = field(default_factory=os.getpid)
    """Process id."""

    @property
    def is_over(self) -> bool:
        """Whether it has been saved and cited, or has failed."""
        is_cited = bool(not self.quote or self.reference or self.not_cited)
        return bool((self.pdi and is_cited) or self.problem)


class Saves:
    """Saves of one server, by names that nobody can guess."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: shared by the processes of the server; None for one process."""
        self._folder = folder
        self._own: dict[str, Save] = {}
        self._told: dict[str, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, save: Save) -> str:
        """Add a save, and return its name; the oldest finished save makes room."""
        while len(self._own) >= SAVES_KEPT:
            oldest = next(name for name, item in self._own.items() if item.is_over)
            del self._own[oldest]
            if self._folder is not None:
                (self._folder / oldest).unlink(missing_ok=True)
        name = secrets.token_urlsafe(_NAME_BYTES)
        self._own[name] = save
        self.tell(name)
        return name

    def tell(self, name: str) -> None:
        """Write the progress of a save for other processes, four times a second and at its end."""
        save = self._own.get(name)
        if self._folder is None or save is None:
            return
        now = time.monotonic()
        if not save.is_over and now < self._told.get(name, 0) + _WRITE_EVERY_S:
            return
        self._told[name] = now
        aside = self._folder / f".{name}"
        aside.write_text(json.dumps(dataclasses.asdict(save)), encoding="utf-8")
        aside.replace(self._folder / name)

    def find(self, name: str) -> Save | None:
        """The save with a name, from any process."""
        if name in self._own or self._folder is None or not _SIGNS.issuperset(name):
            return self._own.get(name)
        try:
            save = Save(**json.loads((self._folder / name).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None
        if not save.is_over and not _lives(save.process):
            save.problem = "the process that saved it has ended"
        return save

    def under_way(self) -> int:
        """Number of unfinished saves in all processes."""
        names = set(self._own)
        if self._folder is not None:
            names |= {path.name for path in self._folder.iterdir() if path.name[0] != "."}
        found = (self.find(name) for name in names)
        return sum(save is not None and not save.is_over for save in found)

    def keep(self, task: asyncio.Task[None]) -> None:
        """Keep a reference to the task of a save until it is done."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _lives(process: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, 0)
        return True
    return False


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
        return await _start(request)
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
