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
        Frozen,
        Lookup,
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
            "Capture, CaptureProgress, Earlier, Exchange, Failure, FetchLimits, Frozen, Redirect,"
            " Sent, body_parts"
        ),
    },
)


def capture(
    uri: str,
    *,
    limits: FetchLimits | None = None,
    allow_private: bool = False,
    progress: Callable[[CaptureProgress], None] | None = None,
    lookup: Lookup | None = None,
    credentials: Credentials | None = None,
    earlier: Mapping[str, Earlier] | None = None,
) -> Capture:
    """Fetch the page `uri` and everything it shows.

    `credentials` (see `read_credentials`) are sent to where the page is, and are not on record.
    `allow_private` lifts the check of addresses, for intranets and tests. `progress` is called
    whenever a resource is done. `lookup` replaces the system's name resolution. A resource that
    cannot be had is one of the `failures`. Both wait: inside an event loop, call them from a
    thread. Of what there is of `earlier` captures, by where it came from, the server is asked
    whether it has changed.

    Raises CaptureError where the page itself cannot be had; its `reason` is one of `Failure`'s,
    or "extra" where aiohttp is not installed.
    """
    with _needing_aiohttp(uri):
        from permacite.capture.run import capture_page
    return to_the_end(
        capture_page(
            uri,
            limits,
            allow_private=allow_private,
            progress=progress,
            lookup=lookup,
            credentials=credentials,
            earlier=earlier,
        )
    )


def draw(
    uri: str,
    program: Program,
    *,
    limits: FetchLimits | None = None,
    allow_private: bool = False,
    progress: Callable[[CaptureProgress], None] | None = None,
    lookup: Lookup | None = None,
    credentials: Credentials | None = None,
    behaviour: str = "",
) -> Capture:
    """Have a browser draw the page `uri`, and record all that it asks for; else as `capture`.

    `program` is a Chromium, such as `find_program` finds. A `behaviour` is a script that is run in
    the page before it is kept; its digest is on record. Raises CaptureError where the page cannot
    be had, with the further reasons "browser", where that is at fault, and "wall".
    """
    with _needing_aiohttp(uri):
        from permacite.capture.browsing.drawing import draw_alone
        from permacite.capture.run import policy
    return to_the_end(
        draw_alone(
            program,
            uri,
            limits,
            refuse=policy(allow_private),
            progress=progress,
            lookup=lookup,
            credentials=credentials,
            behaviour=behaviour,
        )
    )


def fetch(
    uri: str,
    *,
    limits: FetchLimits | None = None,
    allow_private: bool = False,
    lookup: Lookup | None = None,
    sent: Sent | None = None,
    onward: bool = True,
) -> Exchange:
    """Fetch `uri` alone, as `capture` would, or post what is `sent`. Raises CaptureError.

    Without `onward`, an answer that points elsewhere is the answer.
    """
    with _needing_aiohttp(uri):
        from permacite.capture.run import fetch_one
    return to_the_end(
        fetch_one(uri, limits, allow_private=allow_private, lookup=lookup, sent=sent, onward=onward)
    )


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
