"""A page frozen as the browser drew it: markup that stands by itself, its words, and a picture.

A script, `freezing.js`, reads each document of the page in a world of its own (Chrome DevTools
Protocol, `Page.createIsolatedWorld`): what the page's scripts redefine is not seen there. Shadow
roots that are closed to scripts are asked for of the browser.

| what | how |
|---|---|
| shadow roots | `template shadowrootmode`, adopted style sheets as parts of their own |
| style sheets whose rules scripts changed | the rules as they stand |
| canvases, blob: pictures | parts; what the page may not read, as it is seen |
| what was typed and chosen | attributes; never passwords and files |
| frames of every origin | parts, each frozen in itself |
| modal dialogs and popovers | where they stand, by styles of their own |
| scripts, handlers, javascript: links, hints, refreshes | left out |

What a limit leaves out is named in `Frozen.view`.

Documents are assembled from what the script reports of them. It runs in a browser that we started,
or in a person's own: then others may have written the report, and anything that the script would
not report is a ParseError.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import json
from dataclasses import field
from importlib import resources
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Protocol

from permacite.capture.model import Frozen, digest_of
from permacite.errors import CaptureError, ParseError, PermaciteError
from permacite.lazy_dataclass import dataclass
from permacite.media_types import is_media_type
from permacite.mhtml import Resource
from permacite.renditions.drawn import DRAWN_TEXT, Drawing, DrawnSource, draw, read_map

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


__all__ = ["SCRIPT_DIGEST", "FreezableTab", "FreezeLimits", "FrozenDocuments", "freeze"]

_SCRIPT = resources.files(__package__).joinpath("freezing.js").read_text(encoding="utf-8")
SCRIPT_DIGEST = digest_of(_SCRIPT.encode())
"""Of the script that freezes: it goes on the record of a capture."""

_COUNT = "() => Document.prototype.getElementsByTagName.call(document, '*').length"
_LINKED = """() => Array.from(
    Object.getOwnPropertyDescriptor(Document.prototype, "styleSheets").get.call(document),
    (each) => each.href,
)"""
_WORLD = "permacite"
_MOST_HANDLES = 2000
"""Each is asked for by itself."""
_MIB = 1024 * 1024
DOMAIN = "drawn"
"""Stands in the Content-ID of each part that only the page has."""

_MOST_REASONS = 100
_LONGEST_REASON = 60
_MOST = 1_000_000_000
_DENSEST = 1000


@dataclass(frozen=True, slots=True)
class FreezeLimits:
    """How much of a page is frozen. Sizes count characters or octets of one document."""

    nodes: int = 400_000
    looked_into: int = 30_000
    """Of a document with more elements, the browser is not asked for closed shadow roots."""
    characters: int = 32 * _MIB
    css: int = 8 * _MIB
    """Of one style sheet."""
    octets: int = 48 * _MIB
    """Of all that only the page has, as base64."""
    pixels: int = 32_000_000
    """Of one canvas; a larger one is taken as it is seen."""
    clips: int = 50
    """How many screenshots of canvases are taken."""
    frames: int = 100
    document_s: float = 20
    """For one document."""


class FreezableTab(Protocol):
    """A page of a browser, and its frames in other processes."""

    @property
    def sessions(self) -> Mapping[str, Any]:
        """By their ids: the page first. Each has an `id`, a `type` and the id of its `target`."""

    async def send(
        self, method: str, params: Mapping[str, Any] | None = None, *, session: str | None = None
    ) -> dict[str, Any]:
        """What is answered. Raises CaptureError."""


async def freeze(
    tab: FreezableTab,
    *,
    bounds: FreezeLimits | None = None,
    whole: bool = False,
    sheets: Mapping[str, str] | None = None,
) -> Frozen:
    """Freeze a page as it stands. `whole`: the screenshot is of all of it, not of the view alone.

    `sheets`: the style sheets that were served, by their addresses, so that changes are found.
    Raises CaptureError where not even the page itself can be frozen.
    """
    bounds = bounds or FreezeLimits()
    freezer = _Freezer(tab, bounds, sheets or {})
    told = freezer.told
    frames = await _FrameFinder(tab, bounds.frames, told).find()
    await freezer.freeze(frames)
    shot = await freezer.screenshot(whole=whole)
    build = (await tab.send("Browser.getVersion")).get("product", "")
    inner = [each.url for each in frames[1:] if each.number in told.drawings]
    return told.frozen(build, shot, inner, script=SCRIPT_DIGEST)


@dataclass(slots=True)
class _Frame:
    """A document of the page: the page itself, or one in a frame."""

    number: int
    id: str
    session: str
    parent: _Frame | None
    url: str
    corner: tuple[float, float] | None = (0.0, 0.0)
    """Where it stands in the view; None where that is not known."""
    inner: list[_Frame] = field(default_factory=list)


class _FrameFinder:
    """Finder of the page and its frames, those in other processes too."""

    def __init__(self, tab: FreezableTab, most: int, documents: FrozenDocuments) -> None:
        self.frames: list[_Frame] = []
        self._tab = tab
        self._most = most
        self._documents = documents
        self._known: dict[str, _Frame] = {}

    async def find(self) -> list[_Frame]:
        """The page first. Raises CaptureError where it is gone."""
        sessions = [each for each in self._tab.sessions.values() if each.type in ("page", "iframe")]
        waiting = list(sessions)
        for _ in sessions:  # a frame is known once the one around it is
            waiting = [each for each in waiting if not await self._find_in(each)]
        if not self.frames:
            raise CaptureError("the page is gone", uri="", reason="browser")
        return self.frames

    async def _find_in(self, session: Any) -> bool:
        try:
            tree = (await self._tab.send("Page.getFrameTree", session=session.id))["frameTree"]
        except (CaptureError, KeyError):
            self._documents.leave("frame")
            return True
        parent = self._known.get(tree["frame"].get("parentId", ""))
        if session.type == "iframe" and parent is None:
            return False
        stack = [(tree, parent)]
        while stack:
            branch, outer = stack.pop()
            told = branch["frame"]
            if len(self.frames) >= self._most:
                self._documents.leave("frames")
                continue
            frame = _Frame(len(self.frames), told["id"], session.id, outer, told.get("url", ""))
            self._known[frame.id] = frame
            self.frames.append(frame)
            if outer is not None:
                outer.inner.append(frame)
            stack += [(each, frame) for each in reversed(branch.get("childFrames", ()))]
        return True


class _World:
    """World of our own in one document: the page's scripts do not see what runs in it."""

    def __init__(self, tab: FreezableTab, frame: _Frame) -> None:
        self._tab = tab
        self._frame = frame
        self._context = 0

    async def open(self) -> None:
        """Have the browser make it."""
        terms = {"frameId": self._frame.id, "worldName": _WORLD}
        self._context = (await self._send("Page.createIsolatedWorld", terms))["executionContextId"]

    async def _send(self, method: str, terms: Mapping[str, Any]) -> dict[str, Any]:
        return await self._tab.send(method, terms, session=self._frame.session)

    async def call(self, function: str, arguments: list[Any]) -> dict[str, Any]:
        """What the script tells of a document. Raises CaptureError where it fails."""
        terms = {"arguments": arguments, "awaitPromise": True}
        answer = await self._run(function, terms)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            said = details.get("exception", {}).get("description", details.get("text", ""))
            raise CaptureError(str(said)[:300], uri=self._frame.url, reason="browser")
        told = json.loads(answer["result"]["value"])
        if not isinstance(told, dict):
            raise CaptureError("expected an object", uri=self._frame.url, reason="browser")
        return told

    async def ask(self, function: str) -> Any:
        """What a function without arguments answers."""
        return (await self._run(function, {}))["result"].get("value")

    async def _run(self, function: str, terms: Mapping[str, Any]) -> dict[str, Any]:
        asked = {"functionDeclaration": function, "executionContextId": self._context}
        return await self._send("Runtime.callFunctionOn", {**asked, "returnByValue": True, **terms})

    async def handle(self, node: int) -> str | None:
        """A handle of a node, as the browser counts them; None where it is gone."""
        terms = {"backendNodeId": node, "executionContextId": self._context}
        with contextlib.suppress(CaptureError, KeyError):
            answer = await self._send("DOM.resolveNode", terms)
            return str(answer["object"]["objectId"])
        return None

    async def owner(self, inner: _Frame) -> str | None:
        """A handle of the element that holds a frame."""
        with contextlib.suppress(CaptureError, KeyError):
            owner = await self._send("DOM.getFrameOwner", {"frameId": inner.id})
            return await self.handle(owner["backendNodeId"])
        return None

    async def closed_roots(self) -> list[str]:
        """Handles of nodes at the top of shadow trees that scripts cannot see into."""
        terms: dict[str, list[str]] = {"computedStyles": []}
        snapshot = await self._send("DOMSnapshot.captureSnapshot", terms)
        strings = snapshot["strings"]
        handles: list[str] = []
        for document in snapshot["documents"]:
            if strings[document["frameId"]] != self._frame.id:
                continue
            nodes = document["nodes"]
            kinds = nodes.get("shadowRootType", {"index": [], "value": []})
            inside = {
                index
                for index, kind in zip(kinds["index"], kinds["value"], strict=True)
                if strings[kind] == "closed"
            }
            parents, names = nodes["parentIndex"], nodes["nodeName"]
            for index in sorted(inside):
                outer = parents[index]
                is_host = outer not in inside or "-" in strings[names[outer]]
                if is_host and len(handles) < _MOST_HANDLES:
                    handle = await self.handle(nodes["backendNodeId"][index])
                    handles += [handle] if handle else []
        return handles


class _Freezer:
    """Asks for each document in turn, and keeps what was told."""

    def __init__(self, tab: FreezableTab, bounds: FreezeLimits, sheets: Mapping[str, str]) -> None:
        self._tab = tab
        self._bounds = bounds
        self._sheets = sheets
        self.told = FrozenDocuments()

    async def freeze(self, frames: Sequence[_Frame]) -> None:
        """Freeze each document; one that does not answer is left out, unless it is the page."""
        for frame in frames:
            try:
                async with asyncio.timeout(self._bounds.document_s):
                    await self._document(frame)
            except (PermaciteError, TimeoutError, KeyError, ValueError) as error:
                if frame.number == 0:
                    problem = f"the page cannot be frozen: {getattr(error, 'problem', '') or error}"
                    raise CaptureError(problem, uri=frame.url, reason="browser") from error
                self.told.leave("frame")
        for index, (content_id, number, box) in enumerate(self.told.clips):
            shot, corner = None, frames[number].corner
            if corner is not None and index < self._bounds.clips:
                shot = await self._shot({"clip": _box(corner, box)})
            if shot is None:
                self.told.leave("canvas")
            else:
                self.told.parts.append(Resource(shot, "image/png", None, content_id))

    async def _document(self, frame: _Frame) -> None:
        world = _World(self._tab, frame)
        await world.open()
        closed: list[str] = []
        if (await world.ask(_COUNT) or 0) > self._bounds.looked_into:
            self.told.leave("closed-shadow-roots-not-looked-for")
        else:
            closed = await world.closed_roots()
        owners = [(each.number, await world.owner(each)) for each in frame.inner]
        shown = [(number, handle) for number, handle in owners if handle is not None]
        bounds = self._bounds
        given = {
            "closed": len(closed),
            "frames": [number for number, _ in shown],
            "prefix": f"part-{frame.number}",
            "domain": DOMAIN,
            "nodes": bounds.nodes,
            "characters": bounds.characters,
            "css": bounds.css,
            "octets": bounds.octets,
            "pixels": bounds.pixels,
            "sheets": await self._served(world),
        }
        handles = [{"objectId": each} for each in (*closed, *(handle for _, handle in shown))]
        told = await world.call(_SCRIPT, [{"value": given}, *handles])
        corner = frame.corner
        by_number = {each.number: each for each in frame.inner}
        for inner, x, y in self.told.take(frame.number, told):
            if inner in by_number:
                there = None if corner is None else (corner[0] + x, corner[1] + y)
                by_number[inner].corner = there

    async def _served(self, world: _World) -> list[tuple[str, str]]:
        """The style sheets that a document links to, as they were served."""
        linked = await world.ask(_LINKED) if self._sheets else []
        served = [(uri, self._sheets[uri]) for uri in dict.fromkeys(linked) if uri in self._sheets]
        sizes = accumulate(len(text) for _, text in served)
        return [each for each, size in zip(served, sizes, strict=True) if size <= self._bounds.css]

    async def screenshot(self, *, whole: bool) -> bytes:
        """The view, or all of the page, as PNG; nothing where the browser gives none."""
        shot = await self._shot({"captureBeyondViewport": True} if whole else {})
        if shot is None:
            self.told.leave("screenshot")
        return shot or b""

    async def _shot(self, terms: Mapping[str, Any]) -> bytes | None:
        with contextlib.suppress(CaptureError, KeyError, TimeoutError, binascii.Error):
            async with asyncio.timeout(self._bounds.document_s):
                shot = await self._tab.send("Page.captureScreenshot", {"format": "png", **terms})
                return base64.b64decode(shot["data"])
        return None


def _box(corner: tuple[float, float], box: Sequence[float]) -> dict[str, float]:
    """A part of the view to be taken."""
    x, y, width, height = map(float, box)
    return {"x": corner[0] + x, "y": corner[1] + y, "width": width, "height": height, "scale": 1}


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
