"""Save a page and all it shows, as it was served, from public addresses and within limits.

    capture(uri)          the page with its images, style sheets, fonts, frames, icons and media
    draw(uri, program)    the same, and what scripts make of it, by a browser: see `browsing`
    fetch(uri)            one resource alone
    body_parts(capture)   the same as body parts, ready for `permacite.mhtml.build`

Scripts are not saved by `capture`: an archived page never runs any, so their bytes would cite
nothing. They are named in `Capture.left_out`. `data:` and `blob:` URIs are no resources of their
own.

Needs aiohttp (the `capture` extra), imported on first use.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from permacite.errors import CaptureError
from permacite.exports import on_demand
from permacite.loops import to_the_end

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from permacite.capture.browsing.pool import BrowserPool
    from permacite.capture.browsing.program import Program, find_program
    from permacite.capture.credentials import Credentials, read_credentials
    from permacite.capture.model import (
        Capture,
        CaptureProgress,
        Earlier,
        Exchange,
        Failure,
        FetchLimits,
        FetchOptions,
        Frozen,
        Redirect,
        Sent,
        body_parts,
    )

__all__ = [
    "BrowserPool",
    "Capture",
    "CaptureProgress",
    "Credentials",
    "Earlier",
    "Exchange",
    "Failure",
    "FetchLimits",
    "FetchOptions",
    "Frozen",
    "Program",
    "Redirect",
    "Sent",
    "body_parts",
    "capture",
    "draw",
    "fetch",
    "find_program",
    "read_credentials",
]

on_demand(
    __name__,
    {
        "permacite.capture.browsing.program": "Program, find_program",
        "permacite.capture.browsing.pool": "BrowserPool",
        "permacite.capture.credentials": "Credentials, read_credentials",
        "permacite.capture.model": (
            "Capture, CaptureProgress, Earlier, Exchange, Failure, FetchLimits, FetchOptions,"
            " Frozen, Redirect, Sent, body_parts"
        ),
    },
)


def capture(
    uri: str,
    options: FetchOptions | None = None,
    *,
    progress: Callable[[CaptureProgress], None] | None = None,
    earlier: Mapping[str, Earlier] | None = None,
) -> Capture:
    """Fetch the page `uri` and everything it shows.

    `progress` is called whenever a resource is done. A resource that cannot be fetched is one of
    the `failures`. `earlier`: resources of earlier captures, by their final address; the server is
    asked whether they have changed. The function blocks: inside an event loop, call it from a
    thread.

    Raises CaptureError where the page itself cannot be fetched; its `reason` is one of `Failure`'s,
    or "extra" where aiohttp is not installed.
    """
    with _needing_aiohttp(uri):
        from permacite.capture.collect import capture_page
    return to_the_end(capture_page(uri, options, progress=progress, earlier=earlier))


def draw(
    uri: str,
    program: Program,
    options: FetchOptions | None = None,
    *,
    progress: Callable[[CaptureProgress], None] | None = None,
    behaviour: str = "",
) -> Capture:
    """Have a browser draw the page `uri`, and record all that it requests; else as `capture`.

    `program` is a Chromium, such as `find_program` returns. A `behaviour` is a script that runs in
    the page before it is saved; its digest is recorded. Raises CaptureError where the page cannot
    be fetched, with the further reasons "browser" for a fault of the browser, and "wall".
    """
    with _needing_aiohttp(uri):
        from permacite.capture.browsing.drawing import draw_alone
    return to_the_end(draw_alone(program, uri, options, progress=progress, behaviour=behaviour))


def fetch(
    uri: str, options: FetchOptions | None = None, *, sent: Sent | None = None, onward: bool = True
) -> Exchange:
    """Fetch `uri` alone, as `capture` would, or post what is `sent`. Raises CaptureError.

    Without `onward`, redirects are not followed: a redirect is the answer.
    """
    with _needing_aiohttp(uri):
        from permacite.capture.collect import fetch_one
    return to_the_end(fetch_one(uri, options, sent=sent, onward=onward))


@contextmanager
def _needing_aiohttp(uri: str) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        raise CaptureError(
            f"saving pages needs {error.name}, which is not installed",
            uri=uri,
            reason="extra",
            hint="pip install 'permacite[capture]'",
        ) from error
