"""Errors as HTTP answers: problem details for programs (RFC 9457), a page for people."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

from permacite.errors import BusyError, PermaciteError, StorageError, TokenError
from permacite.service.plain import http_status, problem
from permacite.web import headers
from permacite.web.headers import chosen_view
from permacite.web.requests import JSONAnswer
from permacite.web.templates import page, words_for

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


__all__ = ["refusal", "unexpected"]

_LATER_S = {"away": 10, "locked": 10, "full": 60, "lost": 60}
"""What ends without whoever asked: after how many seconds to ask again, by the reason."""


async def refusal(request: Request, error: Exception) -> Response:
    """Answer an error of ours, or of the router (unknown path, wrong method)."""
    if isinstance(error, PermaciteError):
        details: dict[str, object] = {**problem(error), "shown": str(error)}
        if details.get("reason") == "building" and request.app.state.building_name:
            details["building"] = request.app.state.building_name
        later = {"Retry-After": str(_after_s(error))} if _after_s(error) else {}
        if isinstance(error, TokenError) and error.is_unknown:
            later = {"WWW-Authenticate": "Bearer"}
        return _answer(request, http_status(error), details, later)
    refused = error if isinstance(error, HTTPException) else HTTPException(500)
    fields = dict(refused.headers or {})
    return _answer(request, refused.status_code, _plain_problem(refused), fields)


def _after_s(error: PermaciteError) -> int:
    """After how many seconds the same may be asked again; 0 where nothing tells."""
    if isinstance(error, StorageError):
        return _LATER_S.get(error.reason, 0)
    return error.retry_after_s if isinstance(error, BusyError) else 0


async def unexpected(request: Request, error: Exception) -> Response:
    """Answer a fault of our own, without its insides."""
    del error
    fault = HTTPException(500, "A fault of permacite itself; the server's log says more")
    return _answer(request, 500, _plain_problem(fault), {})


def _plain_problem(error: HTTPException) -> dict[str, object]:
    title = HTTPStatus(error.status_code).phrase
    return {
        "type": "about:blank",
        "title": title,
        "status": error.status_code,
        "detail": error.detail,
        "code": title.lower().replace(" ", "-"),
    }


def _answer(
    request: Request, status: int, details: dict[str, object], fields: dict[str, str]
) -> Response:
    shown = details.pop("shown", details["detail"])
    view = chosen_view(request.headers.get("accept", ""), request.query_params.get("view"))
    if view == "reader":
        words = words_for(request)
        key = f"problem.{details['code']}"
        title = words(key) if key in words.texts else details["title"]
        return page(
            request,
            "problem.html",
            status,
            fields=fields,
            title=title,
            problem=details,
            shown=shown,
            typed=getattr(request.state, "typed", ""),  # what somebody typed is given back
        )
    return JSONAnswer(
        details, status, headers.reader_headers() | fields, "application/problem+json"
    )
