"""What became of a cited passage in the other versions of its document, for people.

Texts are aligned whole for it, which takes a while where they are long: the page of a citation is
shown without it, and asks for it then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode

from permacite.service.archive import Archive
from permacite.web import paging
from permacite.web.addresses import reference_of
from permacite.web.requests import ask
from permacite.web.templates import page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["AT_ONCE", "LONGEST_BYTES", "versions"]

AT_ONCE = 10
LONGEST_BYTES = 2_000_000
"""Texts of more octets are not compared while somebody waits for the answer."""


async def versions(request: Request) -> Response:
    """GET /-/versions/{name}: what became of a cited passage in other versions, word by word.

    `?after=` goes on behind a version. `?part=list` answers with the list alone, for the page of
    the citation.
    """
    reference = reference_of(request, "/-/versions/")
    after = request.query_params.get("after")
    through = await ask(
        request,
        Archive.through_versions,
        reference,
        limit=AT_ONCE,
        after=paging.number(after, "after") if after else None,
        longest=LONGEST_BYTES,
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
