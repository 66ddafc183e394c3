"""Links of archived pages: a redirect to the version nearest in time, or a page of choices.

Other sites do not learn what is archived. A request from a page of another site is refused before
anything is looked up, and a window that it opens here is cut off from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.responses import RedirectResponse

from permacite.errors import ParseError
from permacite.service.addresses import moment
from permacite.web import headers
from permacite.web.requests import JSONAnswer, ask, caller_of, refuse_embedding, refuse_others
from permacite.web.templates import kept, page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from permacite.service.reader.links import Followed

__all__ = ["answer", "follow", "followed"]


async def follow(request: Request) -> Response:
    """GET /-/follow?to=&from=&when= leads to what was archived from the address `to`.

    To the version saved nearest to the time `when`, or to that of the page `from`, on which the
    link was; the reader says there how far apart the two are. Else to the part of that page's own
    aggregate that has the address. Where there is none, and with `&all=`, a page says what there
    is: the archived versions, the page as it is now, and saving it where this server commits
    (`permacite serve --writable`). Links in frames have `to` at their end, so that what a browser
    adds to them (the place of a click in a picture) belongs to it.
    """
    refuse_embedding(request)
    found = await _found(request)
    if found.reference is None or "all" in request.query_params:
        writable = caller_of(request).may("save")
        return page(request, "follow.html", found=found, writable=writable)
    return RedirectResponse(kept(request, shown_at(found)), 303, headers=_fields())


async def answer(request: Request) -> Response:
    """GET /-/api/follow?to=&from=&when= answers a Followed: where a link leads in the archive."""
    refuse_others(request)
    return JSONAnswer(await _found(request), headers=_fields())


async def followed(request: Request) -> Followed | None:
    """How somebody came to a page of the reader, if by a link: `?to=` and `?from=`, as above."""
    return await _found(request) if request.query_params.get("to") else None


def shown_at(found: Followed) -> str:
    """The address of the reader at the version that a link leads to."""
    name, _, fragment = (found.reference or "").partition("#")
    source = found.source and found.source.pdi
    query = {"fragment": fragment, "part": found.part, "from": source, "to": found.to}
    return f"/{name}?{urlencode({key: value for key, value in query.items() if value})}"


async def _found(request: Request) -> Followed:
    parameters = request.query_params
    to, when = parameters.get("to"), parameters.get("when")
    if not to:
        raise ParseError("expected the parameter `to`", request.url.query, 0)
    return await ask(
        request,
        lambda archive: archive.documents.reader.follow(
            to, source=parameters.get("from") or None, when=moment(when) if when else None
        ),
    )


def _fields() -> dict[str, str]:
    return headers.reader_headers()
