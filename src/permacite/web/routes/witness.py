"""Witness over HTTP (C2SP tlog-witness): cosigns the checkpoints that its log submits.

C2SP tlog-witness (c2sp.org, v1.0.0):
  add-checkpoint               -> `add_checkpoint`
  Monitor Retrieval Mechanism  -> `checkpoint`
  sign-subtree                 -> no (optional)

Both prefixes are /-/witness below the address of the server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import Response

from permacite.errors import ParseError
from permacite.web import headers
from permacite.web.requests import ask, body_of
from permacite.web.route import cache_field

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import Request

    from permacite.service.archive import Archive
    from permacite.service.mirroring.witness import Cosigner, Outcome

__all__ = ["add_checkpoint", "checkpoint"]

_STATUS: dict[Outcome, int] = {
    "backwards": 400,
    "unsigned": 403,
    "unknown": 404,
    "inconsistent": 422,
}


async def add_checkpoint(request: Request) -> Response:
    """POST /-/witness/add-checkpoint cosigns a checkpoint of the log that this mirror follows.

    The body, the answer and its status are those of C2SP tlog-witness: 409 with the size that was
    cosigned last, 422 for what does not go on from it, 403 for what the log did not sign. 404 where
    this server is no witness, or not of that log.
    """
    key = _key(request)
    try:
        source = (await body_of(request)).decode()
    except UnicodeDecodeError as error:
        problem, spec = "expected UTF-8", "C2SP tlog-witness, add-checkpoint"
        raise ParseError(problem, "(the body)", 0, spec) from error
    answer = await ask(request, lambda archive: _cosigner(archive).add_checkpoint(source, key))
    if answer.outcome in _STATUS:
        raise HTTPException(_STATUS[answer.outcome], answer.said)
    fields = headers.bytes_headers() | cache_field(request)
    if answer.outcome == "stale":
        return Response(
            f"{answer.said}\n", 409, headers=fields | {"Content-Type": "text/x.tlog.size"}
        )
    return Response(answer.said, headers=fields, media_type="text/plain; charset=utf-8")


async def checkpoint(request: Request) -> Response:
    """GET /-/witness/{origin}/checkpoint answers the last checkpoint that was cosigned, so signed.

    `origin` is the SHA-256 of the log's name, in hexadecimal. 404 where none was.
    """
    _key(request)
    origin: str = request.path_params["origin"]
    note = await ask(request, lambda archive: _cosigner(archive).find(origin))
    if note is None:
        raise HTTPException(404, "no checkpoint of such a log was cosigned here")
    fields = headers.bytes_headers() | cache_field(request)
    return Response(note, headers=fields, media_type="text/plain; charset=utf-8")


def _cosigner(archive: Archive) -> Cosigner:
    """The archive as a witness, by its own class."""
    cosigner: Cosigner = archive.log.cosigner
    return cosigner


def _key(request: Request) -> Path:
    """The file of the key that cosigns. Raises 404 where this server is no witness."""
    key: Path | None = request.app.state.witness
    if key is None:
        raise HTTPException(404, "this server is no witness: `permacite serve --witness` makes one")
    return key
