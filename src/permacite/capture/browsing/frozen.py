"""Frozen page: assembled from the report of the freezing script on each of its documents.

The script runs in a browser that we started, or in a person's own: then others may have written
what is told, and anything else than it tells is a ParseError.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from permacite.capture.model import Frozen
from permacite.errors import ParseError
from permacite.media_types import is_media_type
from permacite.mhtml import Resource
from permacite.renditions.drawn import DRAWN_TEXT, Drawing, DrawnSource, draw, read_map

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["DOMAIN", "FrozenDocuments"]

DOMAIN = "drawn"
"""Stands in the Content-ID of each part that only the page has."""

_MOST_REASONS = 100
_LONGEST_REASON = 60
_MOST = 1_000_000_000
_DENSEST = 1000


class FrozenDocuments:
    """What was told so far."""

    def __init__(self) -> None:
        self.drawings: dict[int, Drawing] = {}
        self.documents: dict[int, Mapping[str, Any]] = {}
        self.parts: list[Resource] = []
        self.clips: list[tuple[str, int, Sequence[float]]] = []
        """Parts that are as they are seen: Content-ID, document, where it stands in that."""
        self.left: dict[str, int] = {}
        self._sources: Mapping[int, DrawnSource] = {}

    def leave(self, reason: str, count: int = 1) -> None:
        """Note that something is left out."""
        if reason in self.left or len(self.left) < _MOST_REASONS:
            self.left[reason] = self.left.get(reason, 0) + count

    def take(self, number: int, told: dict[str, Any]) -> Sequence[tuple[int, float, float]]:
        """Keep what was told of a document; the corners of the frames in it.

        Raises ParseError for what the script does not tell.
        """
        try:
            self.drawings[number] = Drawing(told.pop("pieces"), told.pop("flow"))
            for reason, count in told.pop("left"):
                if type(count) is not int or not 0 < count <= _MOST:
                    raise ParseError("expected how many were left out", str(count)[:60], 0)
                self.leave(str(reason)[:_LONGEST_REASON], count)
            for index, part in enumerate(told.pop("parts"), 1):
                content_id = f"part-{number}-{index}@{DOMAIN}"
                if "clip" in part:
                    x, y, width, height = map(float, part["clip"])
                    self.clips.append((content_id, number, (x, y, width, height)))
                else:
                    self._part(content_id, part)
            places = [(int(of), float(x), float(y)) for of, x, y in told.pop("places")]
        except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
            if isinstance(error, ParseError):
                raise
            problem = f"expected what freezing.js tells of a document: {error}"
            raise ParseError(problem[:300], "", 0) from error
        self.documents[number] = told
        return places

    def _part(self, content_id: str, part: Mapping[str, Any]) -> None:
        media_type = str(part.get("type", ""))
        if not is_media_type(media_type.partition(";")[0].strip()):
            media_type = "application/octet-stream"
        try:
            if part.get("text") is not None:
                content = str(part["text"]).encode("utf-8", "replace")
            else:
                content = base64.b64decode(part["data"])
        except (binascii.Error, KeyError, TypeError, ValueError):
            self.leave("part")
            return
        self.parts.append(Resource(content, media_type, None, content_id))

    def span(
        self, frozen: Frozen, number: int, first: tuple[int, int], last: tuple[int, int]
    ) -> tuple[int, int] | None:
        """Where in the text stands what is selected in a document; None where it was not drawn.

        Each end is the number of one of its texts, and how many UTF-16 units stand before.
        """
        source = self._sources.get(number)
        if source is None:
            return None
        start, end = (source.place_of(*each) for each in (first, last))
        return read_map(frozen.map).span(number, start, end)

    def frozen(
        self, build: str, screenshot: bytes, frames: Sequence[str], *, script: str
    ) -> Frozen:
        """The page, whose documents are all told; `frames` are the addresses of the inner ones.

        Raises ParseError, LimitError.
        """
        self._sources, rendered = draw(self.drawings, {"browser": build})
        taken: set[str | None] = set()
        pages = [
            _page(number, source.text, self.documents[number], taken)
            for number, source in self._sources.items()
        ]
        width, height, ratio = _size(self.documents[0].get("size", (0, 0, 1)))
        return Frozen(
            root=pages[0],
            parts=(*pages[1:], *self.parts),
            text=rendered.text,
            map=rendered.map,
            screenshot=screenshot,
            view={
                "browser": build,
                "width": width,
                "height": height,
                "pixel_ratio": ratio,
                "script": script,
                "rules": DRAWN_TEXT,
                "frames": list(frames),
                "left_out": self.left,
            },
        )


def _size(told: Sequence[Any]) -> tuple[int, int, float]:
    """Width and height of the view, and how many pixels of its picture one of its own is."""
    try:
        width, height, ratio = told
        if min(width, height) >= 0 and max(width, height) <= _MOST and 0 < ratio <= _DENSEST:
            return int(width), int(height), ratio
    except (OverflowError, TypeError, ValueError):
        pass
    raise ParseError("expected the size of a view: three numbers", "", 0)


def _page(number: int, source: str, told: Mapping[str, Any], taken: set[str | None]) -> Resource:
    """A document as a body part, whose label is its own.

    A frame that a script wrote has the address of the page around it, and is known by its number.
    """
    base = str(told.get("base", ""))
    location = base if base.startswith(("http:", "https:")) and base not in taken else None
    taken.add(location)
    content_id = f"frame-{number}@{DOMAIN}" if number else None
    return Resource(source.encode(), "text/html; charset=utf-8", location, content_id)
