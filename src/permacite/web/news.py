"""What became of cited passages, as an Atom feed of a public archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from permacite.service.feeds.atom import MEDIA_TYPE
from permacite.web import headers
from permacite.web.requests import ask, refuse_others
from permacite.web.templates import words_for

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["news"]


async def news(request: Request) -> Response:
    """GET /-/news.atom answers an Atom feed of what became of cited passages (RFC 4287).

    Each entry is what a look at a live page found anew: unchanged, moved, changed or gone. A
    private archive answers its own pages and programs alone.
    """
    if not request.app.state.public:
        refuse_others(request)
    words = words_for(request)
    content = await ask(request, lambda archive: archive.drift.watches.feed(words))
    fields = headers.reader_headers() | {
        "Cache-Control": "no-cache",
        "Content-Language": words.language,
        "Vary": "Accept-Language",
    }
    return Response(content, headers=fields, media_type=MEDIA_TYPE)
