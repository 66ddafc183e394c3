"""Search over HTTP: the page of the search box, and results as JSON.

No other site learns what is archived: what it asks for in a page of its own is refused.
"""

from __future__ import annotations

import asyncio
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.concurrency import run_in_threadpool

from permacite.errors import ParseError
from permacite.limits import LARGEST_SEARCH_HITS, SEARCH_HITS, SEARCH_INDEX_S
from permacite.service.search.query import SearchQuery
from permacite.web.requests import (
    JSONAnswer,
    ask,
    ask_owner,
    caller_of,
    is_own,
    parse_number,
    refuse_embedding,
    refuse_others,
)
from permacite.web.route import cache_field
from permacite.web.templates import page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from permacite.service.search.finding import Results

__all__ = ["answer", "search"]

_ASKED = ("site", "type", "since", "until", "order", "tag", "collection")
_JOTTED = ("tag", "collection")
"""What the owner of the archive alone narrows finds down by."""
_TYPES = ("text/html", "application/pdf", "text/plain", "image/", "audio/", "video/")


async def search(request: Request) -> Response:
    """GET /-/search?q= shows where words stand in what is archived, or what an address or name is.

    `&site=` `&type=` `&since=` `&until=` `&cited=yes` `&versions=all` restrict it, `&order=newest`
    puts the newest first, `&offset=` leaves the first ones out. `&tag=` and `&collection=` are for
    the owner of the archive.
    """
    refuse_embedding(request)
    parameters = request.query_params
    asked = {name: parameters.get(name, "") for name in _ASKED}
    results = problem = None
    typed = parameters.get("q", "").strip()
    if typed:
        try:
            results = await _results(request)
        except ParseError as error:
            problem = error.problem
    offset = parse_number(parameters.get("offset", "0"), "offset", least=0)
    return page(
        request,
        "search.html",
        typed=typed,
        asked=asked,
        types=_TYPES,
        owned=caller_of(request).owned is not None,
        results=results,
        problem=problem,
        earlier=_at(parameters, offset - SEARCH_HITS) if offset else None,
        further=_at(parameters, offset + SEARCH_HITS) if results and results.more else None,
    )


async def answer(request: Request) -> Response:
    """GET /-/api/search?q= answers Results; further parameters as of /-/search, and `&limit=`."""
    refuse_others(request)
    return JSONAnswer(await _results(request), headers=cache_field(request))


async def _results(request: Request) -> Results:
    parameters = request.query_params
    jotted = {name: parameters.get(name, "") for name in _JOTTED}
    is_owner = caller_of(request).owned is not None and is_own(request)
    query = SearchQuery(
        site=parameters.get("site", ""),
        media_type=parameters.get("type", ""),
        since=_day(parameters, "since"),
        until=_day(parameters, "until"),
        cited={"yes": True, "no": False}.get(parameters.get("cited", "")),
        tag=jotted["tag"],
        collection=jotted["collection"],
        every_version=parameters.get("versions") == "all",
        newest=parameters.get("order") == "newest",
        limit=min(
            parse_number(parameters.get("limit", str(SEARCH_HITS)), "limit"), LARGEST_SEARCH_HITS
        ),
        offset=parse_number(parameters.get("offset", "0"), "offset", least=0),
    )
    asking = ask_owner if is_owner or any(jotted.values()) else ask
    results = await asking(
        request,
        lambda archive: archive.search(parameters.get("q", ""), query, most_s=SEARCH_INDEX_S),
    )
    if results.indexed < results.entries:
        _go_on(request)
    return results


def _go_on(request: Request) -> None:
    """Index the rest behind the answer, once at a time."""
    state: Any = request.app.state
    task: asyncio.Task[int] | None = getattr(state, "indexing", None)
    if task is None or task.done():
        archive = caller_of(request).whole
        state.indexing = asyncio.create_task(run_in_threadpool(archive.documents.word_index.update))


def _day(parameters: Mapping[str, str], name: str) -> date | None:
    """A day in the parameters of a request. Raises ParseError."""
    typed = parameters.get(name, "").strip()
    if not typed:
        return None
    try:
        return date.fromisoformat(typed)
    except ValueError:
        raise ParseError(f"expected a day in `{name}`, such as 2026-11-22", typed, 0) from None


def _at(parameters: Mapping[str, str], offset: int) -> str:
    fields = {name: value for name, value in parameters.items() if value and name != "offset"}
    return f"/-/search?{urlencode(fields | ({'offset': offset} if offset > 0 else {}))}"
