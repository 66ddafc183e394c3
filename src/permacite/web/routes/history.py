"""History of a cited passage: the passage in other versions, all changes, and the drift feed.

Whole texts are aligned for it, which takes time for long texts. So the page of a citation is shown
without its history, and loads it afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.responses import Response

from permacite.limits import COMPARED_BYTES, VERSION_ITEMS
from permacite.service.feeds import MEDIA_TYPE
from permacite.web.headers import FRAME_SANDBOX, reader_headers
from permacite.web.requests import JSONAnswer, ask, parse_number, reference_of, refuse_others
from permacite.web.templates import page, words_for

if TYPE_CHECKING:
    from starlette.requests import Request

    from permacite.service.drift.changes import Changed

__all__ = ["changes", "changes_answer", "news", "versions"]


async def versions(request: Request) -> Response:
    """GET /-/versions/{name}: what became of a cited passage in other versions, word by word.

    `?after=` goes on behind a version. `?part=list` answers with the list alone, for the page of
    the citation.
    """
    reference = reference_of(request, "/-/versions/")
    after = request.query_params.get("after")
    through = await ask(
        request,
        lambda archive: archive.drift.versions(
            reference,
            limit=VERSION_ITEMS,
            after=parse_number(after, "after") if after else None,
            longest=COMPARED_BYTES,
        ),
    )
    name, _, fragment = through.reference.partition("#")
    place = f"{name}?{urlencode({'fragment': fragment})}"
    only_list = request.query_params.get("part") == "list"
    return page(
        request,
        "versions_list.html" if only_list else "versions.html",
        through=through,
        level="h3" if only_list else "h2",
        place=place,
        more=f"/-/versions/{place}&after={through.next}" if through.next else None,
    )


async def changes(request: Request) -> Response:
    """GET /-/changes/{name}: what was changed since the version before, by words and by eye.

    `?with=` names another version by its number.
    """
    changed = await _changed(request, reference_of(request, "/-/changes/"))
    return page(request, "changes.html", changed=changed, sandbox=FRAME_SANDBOX)


async def changes_answer(request: Request) -> Response:
    """GET /-/api/changes?name=&with= answers a Changed: two versions, and each change of words."""
    name = request.query_params.get("name")
    if not name:
        raise HTTPException(400, "expected `?name=` with the name of a document")
    return JSONAnswer(await _changed(request, name), headers=reader_headers())


async def _changed(request: Request, reference: str) -> Changed:
    wanted = request.query_params.get("with")
    other = parse_number(wanted, "with", least=1) if wanted else None
    return await ask(
        request,
        lambda archive: archive.drift.changes(reference, other=other, longest=COMPARED_BYTES),
    )


async def news(request: Request) -> Response:
    """GET /-/news.atom answers an Atom feed of what became of cited passages (RFC 4287).

    Each entry is what a look at a live page found anew: unchanged, moved, changed or gone. A
    private archive answers its own pages and programs alone.
    """
    if not request.app.state.public:
        refuse_others(request)
    words = words_for(request)
    content = await ask(request, lambda archive: archive.drift.watches.feed(words))
    fields = reader_headers() | {
        "Cache-Control": "no-cache",
        "Content-Language": words.language,
        "Vary": "Accept-Language",
    }
    return Response(content, headers=fields, media_type=MEDIA_TYPE)
