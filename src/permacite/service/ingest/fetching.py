"""Fetch of a page: over HTTP alone, or by a browser where scripts draw its words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from permacite.errors import CaptureError
from permacite.service import sources
from permacite.service.ingest import drawn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from permacite.archive.model.answered import JSON
    from permacite.capture.browsing.pool import BrowserPool
    from permacite.capture.credentials import Credentials
    from permacite.capture.model import Capture, CaptureProgress, Earlier
    from permacite.service.ingest.options import SaveOptions

__all__ = ["Fetched", "credentials_of", "fetch_page"]

_WAYS = ("auto", "http", "browser")
_GET_ONE = "install Chromium, or name one by --browser"


class Fetched(NamedTuple):
    """A page that was fetched."""

    captured: Capture
    page: sources.Incoming
    noted: dict[str, JSON]
    """What is to be known of how it was fetched, beside its record."""


def fetch_page(
    uri: str,
    way: SaveOptions,
    *,
    earlier: Mapping[str, Earlier] | None = None,
    browsers: BrowserPool | None = None,
    progress: Callable[[CaptureProgress], None] | None = None,
) -> Fetched:
    """Fetch the page at `uri`; the rest is as in `capture.capture`.

    What is `earlier` need not be fetched again over HTTP, where it still stands. `browsers` draw it
    that draw others too; without them it has a browser of its own.

    Raises CaptureError where it cannot be had, or no browser is there that was asked for.
    """
    from permacite import capture

    if way.via not in _WAYS:
        raise CaptureError(f"expected one of {', '.join(_WAYS)}", uri=uri, reason="via")
    limits = capture.FetchLimits(
        total_s=way.timeout_s, total_bytes=way.most_bytes, parts=way.most_parts
    )
    options = capture.FetchOptions(
        limits, allow_private=way.allow_private, credentials=way.credentials
    )
    draw = capture.draw if browsers is None else browsers.draw
    if way.behaviour and way.via != "browser":
        problem = "a behaviour needs a browser that runs it"
        raise CaptureError(problem, uri=uri, reason="via", hint="--via browser")
    program = None
    if way.via == "browser" or way.browser is not None:
        program = capture.find_program(way.browser, sandbox=way.sandbox)
        if program is None:
            raise CaptureError("no browser is installed", uri=uri, reason="browser", hint=_GET_ONE)
    if program is not None and way.via == "browser":
        return _read(draw(uri, program, options, progress=progress, behaviour=way.behaviour))
    fetched = _read(capture.capture(uri, options, progress=progress, earlier=earlier))
    if way.via == "http" or not drawn.is_thin(fetched.page, fetched.captured):
        return fetched
    program = program or capture.find_program(sandbox=way.sandbox)
    if program is None:
        return fetched
    try:
        return _read(draw(uri, program, options, progress=progress))
    except CaptureError as error:
        return fetched._replace(noted={"not_drawn": error.problem})


def _read(captured: Capture) -> Fetched:
    return Fetched(captured, sources.source_of(captured.root.document), {})


def credentials_of(headers: str = "", cookies: str = "", passwords: str = "") -> Credentials:
    """What requests are to say beside, from texts of three forms. Raises ParseError."""
    from permacite.capture.credentials import read_credentials

    return read_credentials(headers, cookies, passwords)
