"""Sign-in page: a token is typed once, and sent as a cookie from then on.

The cookie is for this server only: scripts cannot read it, pages of other sites do not send it, and
it ends with the browser session. Signing out removes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.responses import RedirectResponse

from permacite.errors import TokenError
from permacite.web import headers
from permacite.web.requests import COOKIE, at, body_of, caller_of
from permacite.web.route import route_of
from permacite.web.templates import kept, page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["sign_in"]


async def sign_in(request: Request) -> Response:
    """GET /-/sign-in asks for a token, or says what yours lets you do; POST signs in, or out.

    Fields: token, or `act=out`. Signing in sets a cookie (HttpOnly, SameSite=Strict, and Secure
    over https:) until the browser is closed; it leads back here.
    """
    if request.method != "POST":
        return page(request, "signing.html", token=caller_of(request).token, refused=False)
    body = (await body_of(request)).decode("ascii", "replace")
    form = QueryParams(body)
    secret = "" if form.get("act") == "out" else form.get("token", "").strip()
    if form.get("act") != "out":
        try:
            await run_in_threadpool(caller_of(request).whole.access.tokens.find, secret)
        except TokenError:
            return page(request, "signing.html", 403, token=None, refused=True)
    answer = RedirectResponse(
        kept(request, route_of(request).path), 303, headers=headers.reader_headers()
    )
    answer.set_cookie(
        COOKIE,
        secret,
        max_age=None if secret else 0,
        path=at(request, "/"),
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
    return answer
