"""What became of a cited passage in the other versions of its document, and what of the whole.

Texts are aligned whole for it, which takes a while where they are long: the page of a citation is
shown without it, and asks for it then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.exceptions import HTTPException

from permacite.limits import COMPARED_BYTES, VERSION_ITEMS
from permacite.web import paging
from permacite.web.addresses import reference_of
from permacite.web.headers import FRAME_SANDBOX, reader_headers
from permacite.web.requests import JSONAnswer, ask
from permacite.web.templates import page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from permacite.service.drift.changes import Changed

__all__ = ["changes", "changes_answer", "versions"]


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
            after=paging.number(after, "after") if after else None,
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
    other = paging.number(wanted, "with", least=1) if wanted else None
    return await ask(
        request,
        lambda archive: archive.drift.changes(reference, other=other, longest=COMPARED_BYTES),
    )
