"""Sites that pages were saved from, their addresses and calendars: pages and JSON.

No other site learns what is archived: what it asks for in a page of its own is refused.
"""

from __future__ import annotations

from calendar import Calendar as Weeks
from datetime import MAXYEAR, date
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode, urlsplit

from permacite.errors import ParseError
from permacite.limits import SITE_ITEMS
from permacite.web.requests import (
    JSONAnswer,
    ask,
    next_link,
    parse_number,
    refuse_embedding,
    refuse_others,
    requested_page,
)
from permacite.web.route import cache_field
from permacite.web.templates import page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import Request
    from starlette.responses import Response

    from permacite.service.resolution.captures import Calendar, Day, SavedFrom, SavedSites

__all__ = ["calendar", "calendar_answer", "sites", "sites_answer"]


class _Month(NamedTuple):
    """A month with days that have versions."""

    first: date
    weeks: list[list[tuple[int, Day | None]]]
    """From Monday to Sunday; the day of the month, 0 for those of other months."""


async def sites(request: Request) -> Response:
    """GET /-/sites lists the sites that pages were saved from, `?site=` the addresses of one.

    `?after=` goes on behind a site, or an address.
    """
    refuse_embedding(request)
    found = await _sites(request)
    further = next_link(request, found.next)
    site = request.query_params.get("site")
    query = {"site": site, "after": found.next} if site else {"after": found.next}
    return page(
        request,
        "sites.html",
        fields=further,
        site=site,
        found=found,
        further=f"/-/sites?{urlencode(query)}" if further else None,
        is_first="after" not in request.query_params,
    )


async def sites_answer(request: Request) -> Response:
    """GET /-/api/sites answers SavedSites, with `?site=` SavedFrom; `&after=` and `&limit=`."""
    refuse_others(request)
    found = await _sites(request)
    fields = cache_field(request) | next_link(request, found.next)
    return JSONAnswer(found, headers=fields)


async def calendar(request: Request) -> Response:
    """GET /-/calendar?to= shows on which days an address was saved; `&year=`, `&day=` one of them.

    Any spelling of the address will do. Without a year it is the last one with versions.
    """
    refuse_embedding(request)
    day = _day(request)
    found = await _calendar(request, None if day is None else day.year)
    of_day = next((each for each in found.days if each.day == day), None)
    return page(
        request,
        "calendar.html",
        found=found,
        months=list(_months(found)),
        day=of_day,
        site=urlsplit(found.normal).netloc,
    )


async def calendar_answer(request: Request) -> Response:
    """GET /-/api/calendar?to=&year= answers a Calendar: the versions of an address by day."""
    refuse_others(request)
    return JSONAnswer(await _calendar(request, None), headers=cache_field(request))


async def _sites(request: Request) -> SavedSites | SavedFrom:
    parameters = request.query_params
    limit = requested_page(parameters, usual=SITE_ITEMS)["limit"]
    after, site = parameters.get("after", ""), parameters.get("site")
    if site:
        return await ask(
            request, lambda archive: archive.documents.captures.site(site, after=after, limit=limit)
        )
    return await ask(
        request, lambda archive: archive.documents.captures.sites(after=after, limit=limit)
    )


async def _calendar(request: Request, year: int | None) -> Calendar:
    typed, asked = request.query_params.get("to", ""), request.query_params.get("year")
    if year is None and asked:
        year = parse_number(asked, "year")
        if year > MAXYEAR:
            raise ParseError(f"expected a year up to {MAXYEAR}", asked, 0)
    return await ask(request, lambda archive: archive.documents.captures.calendar(typed, year=year))


def _day(request: Request) -> date | None:
    typed = request.query_params.get("day")
    if not typed:
        return None
    try:
        return date.fromisoformat(typed)
    except ValueError:
        raise ParseError("expected a day in `day`, such as 2026-11-22", typed, 0) from None


def _months(found: Calendar) -> Iterator[_Month]:
    by_day = {each.day: each for each in found.days}
    for first in sorted({day.replace(day=1) for day in by_day}):
        weeks = Weeks().monthdayscalendar(first.year, first.month)
        yield _Month(
            first,
            [
                [
                    (number, by_day.get(first.replace(day=number or 1)) if number else None)
                    for number in week
                ]
                for week in weeks
            ],
        )
