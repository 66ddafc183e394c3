"""robots.txt of sites (RFC 9309): fetched once a run, and recorded as it was.

It is obeyed for pages that links led to, and not for those that a person named: these are fetched
as that person's agent.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from permacite.capture import fetch
from permacite.capture.model import FetchLimits, FetchOptions
from permacite.errors import CaptureError
from permacite.lazy_dataclass import dataclass
from permacite.service.ingest.directives import AGENT

if TYPE_CHECKING:
    from protego import Protego

    from permacite.archive.model.answered import JSON

__all__ = ["Robots", "Rules"]

_MOST_OCTETS = 500 * 1024
"""RFC 9309 §2.5: so much is read at least."""
_MOST_DELAY_S = 60
_ABSENT = range(400, 500)


@dataclass(frozen=True, slots=True)
class Rules:
    """What one site asks for."""

    uri: str
    text: str
    """As it stood; "" where there is none."""
    parsed: Protego | None
    """None: nothing may be fetched, since the site does not say."""

    def allows(self, uri: str) -> bool:
        """Whether a page may be fetched."""
        return self.parsed is not None and bool(self.parsed.can_fetch(uri, AGENT))

    @property
    def delay_s(self) -> float:
        """How long to wait between two pages."""
        asked = None if self.parsed is None else self.parsed.crawl_delay(AGENT)
        return min(float(asked or 0), _MOST_DELAY_S)

    def on_record(self) -> dict[str, JSON]:
        """As it is kept with what was fetched under it."""
        return {"robots": {"uri": self.uri, "text": self.text}}


class Robots:
    """The rules of the sites of one run; threads may share it."""

    def __init__(self, *, allow_private: bool) -> None:
        self._allow_private = allow_private
        self._lock = threading.Lock()
        self._known: dict[str, Rules] = {}

    def of(self, uri: str) -> Rules:
        """The rules of the site of a page."""
        parts = urlsplit(uri)
        site = f"{parts.scheme}://{parts.netloc}"
        with self._lock:
            if site not in self._known:
                self._known[site] = self._read(f"{site}/robots.txt")
            return self._known[site]

    def _read(self, uri: str) -> Rules:
        """RFC 9309 §2.3.1: what is not there forbids nothing; what cannot be had, everything."""
        from protego import Protego

        limits = FetchLimits(total_bytes=_MOST_OCTETS, part_bytes=_MOST_OCTETS, redirects=5)
        options = FetchOptions(limits, allow_private=self._allow_private)
        try:
            content = fetch(uri, options).content
        except CaptureError as error:
            is_absent = error.status in _ABSENT
            return Rules(uri, "", Protego.parse("") if is_absent else None)
        text = content.decode("utf-8", "replace")
        return Rules(uri, text, Protego.parse(text))
