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
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import hashlib
import json
from dataclasses import field
from importlib import resources
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Protocol

from permacite.capture.browsing.frozen import DOMAIN, FrozenDocuments
from permacite.errors import CaptureError, PermaciteError
from permacite.lazy_dataclass import dataclass
from permacite.mhtml import Resource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from permacite.capture.model import Frozen

__all__ = [
    "SCRIPT_DIGEST",
    "FreezableTab",
    "FreezeLimits",
    "freeze",
]

_SCRIPT = resources.files(__package__).joinpath("freezing.js").read_text(encoding="utf-8")
SCRIPT_DIGEST = f"sha-256:{hashlib.sha256(_SCRIPT.encode()).hexdigest()}"
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
    freezer = _Freezer(tab, bounds or FreezeLimits(), sheets or {})
    await freezer.look()
    await freezer.freeze()
    shot = await freezer.screenshot(whole=whole)
    build = (await tab.send("Browser.getVersion")).get("product", "")
    return freezer.told.frozen(build, shot, freezer.frames, script=SCRIPT_DIGEST)


@dataclass(slots=True)
class _Frame:
    """A document of the page: the page itself, or one in a frame."""

    number: int
    id: str
    session: str
    parent: _Frame | None
    url: str
    context: int = 0
    """Of the world of our own in it."""
    owner: int | None = None
    """The element that holds it, as the browser counts nodes."""
    corner: tuple[float, float] | None = (0.0, 0.0)
    """Where it stands in the view; None where that is not known."""
    inner: list[_Frame] = field(default_factory=list)


class _Freezer:
    """Asks for each document in turn, and keeps what was told."""

    def __init__(self, tab: FreezableTab, bounds: FreezeLimits, sheets: Mapping[str, str]) -> None:
        self._tab = tab
        self._bounds = bounds
        self._sheets = sheets
        self._frames: list[_Frame] = []
        self.told = FrozenDocuments()

    @property
    def frames(self) -> list[str]:
        """The addresses of the frames that were frozen."""
        return [each.url for each in self._frames[1:] if each.number in self.told.drawings]

    # ------------------------------------------------------------ which documents there are
    async def look(self) -> None:
        """Find the page and its frames, those in other processes too."""
        known: dict[str, _Frame] = {}
        sessions = [each for each in self._tab.sessions.values() if each.type in ("page", "iframe")]
        waiting = list(sessions)
        for _ in sessions:  # a frame is known once the one around it is
            waiting = [each for each in waiting if not await self._look_in(each, known)]
        if not self._frames:
            raise CaptureError("the page is gone", uri="", reason="browser")

    async def _look_in(self, session: Any, known: dict[str, _Frame]) -> bool:
        try:
            tree = (await self._tab.send("Page.getFrameTree", session=session.id))["frameTree"]
        except (CaptureError, KeyError):
            self.told.leave("frame")
            return True
        parent = known.get(tree["frame"].get("parentId", ""))
        if session.type == "iframe" and parent is None:
            return False
        stack = [(tree, parent)]
        while stack:
            branch, outer = stack.pop()
            told = branch["frame"]
            if len(self._frames) >= self._bounds.frames:
                self.told.leave("frames")
                continue
            frame = _Frame(len(self._frames), told["id"], session.id, outer, told.get("url", ""))
            known[frame.id] = frame
            self._frames.append(frame)
            if outer is not None:
                outer.inner.append(frame)
            stack += [(each, frame) for each in reversed(branch.get("childFrames", ()))]
        return True

    # ------------------------------------------------------------ what they hold
    async def freeze(self) -> None:
        """Freeze each document; one that does not answer is left out, unless it is the page."""
        for frame in self._frames:
            try:
                async with asyncio.timeout(self._bounds.document_s):
                    await self._document(frame)
            except (PermaciteError, TimeoutError, KeyError, ValueError) as error:
                if frame.number == 0:
                    problem = f"the page cannot be frozen: {getattr(error, 'problem', '') or error}"
                    raise CaptureError(problem, uri=frame.url, reason="browser") from error
                self.told.leave("frame")
        for index, (content_id, number, box) in enumerate(self.told.clips):
            shot, corner = None, self._frames[number].corner
            if corner is not None and index < self._bounds.clips:
                shot = await self._shot({"clip": _box(corner, box)})
            if shot is None:
                self.told.leave("canvas")
            else:
                self.told.parts.append(Resource(shot, "image/png", None, content_id))

    async def _document(self, frame: _Frame) -> None:
        terms = {"frameId": frame.id, "worldName": _WORLD}
        world = await self._tab.send("Page.createIsolatedWorld", terms, session=frame.session)
        frame.context = world["executionContextId"]
        closed = await self._closed_roots(frame)
        owners = [(each.number, await self._owner(each, frame)) for each in frame.inner]
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
            "sheets": await self._served(frame),
        }
        handles = [{"objectId": each} for each in (*closed, *(handle for _, handle in shown))]
        told = await self._call(frame, _SCRIPT, [{"value": given}, *handles])
        corner = frame.corner
        by_number = {each.number: each for each in frame.inner}
        for inner, x, y in self.told.take(frame.number, told):
            if inner in by_number:
                there = None if corner is None else (corner[0] + x, corner[1] + y)
                by_number[inner].corner = there

    async def _call(self, frame: _Frame, function: str, arguments: list[Any]) -> dict[str, Any]:
        """What the script tells of a document. Raises CaptureError where it fails."""
        answer = await self._tab.send(
            "Runtime.callFunctionOn",
            {
                "functionDeclaration": function,
                "executionContextId": frame.context,
                "arguments": arguments,
                "returnByValue": True,
                "awaitPromise": True,
            },
            session=frame.session,
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            said = details.get("exception", {}).get("description", details.get("text", ""))
            raise CaptureError(str(said)[:300], uri=frame.url, reason="browser")
        told = json.loads(answer["result"]["value"])
        if not isinstance(told, dict):
            raise CaptureError("expected an object", uri=frame.url, reason="browser")
        return told

    async def _closed_roots(self, frame: _Frame) -> list[str]:
        """Handles of nodes at the top of shadow trees that scripts cannot see into."""
        if (await self._ask(frame, _COUNT) or 0) > self._bounds.looked_into:
            self.told.leave("closed-shadow-roots-not-looked-for")
            return []
        terms: dict[str, list[str]] = {"computedStyles": []}
        snapshot = await self._tab.send("DOMSnapshot.captureSnapshot", terms, session=frame.session)
        strings = snapshot["strings"]
        handles: list[str] = []
        for document in snapshot["documents"]:
            if strings[document["frameId"]] != frame.id:
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
                    handle = await self._handle(nodes["backendNodeId"][index], frame)
                    handles += [handle] if handle else []
        return handles

    async def _served(self, frame: _Frame) -> list[tuple[str, str]]:
        """The style sheets that a document links to, as they were served."""
        linked = await self._ask(frame, _LINKED) if self._sheets else []
        served = [(uri, self._sheets[uri]) for uri in dict.fromkeys(linked) if uri in self._sheets]
        sizes = accumulate(len(text) for _, text in served)
        return [each for each, size in zip(served, sizes, strict=True) if size <= self._bounds.css]

    async def _ask(self, frame: _Frame, function: str) -> Any:
        """What a function without arguments answers in the world of our own."""
        terms = {
            "functionDeclaration": function,
            "executionContextId": frame.context,
            "returnByValue": True,
        }
        answer = await self._tab.send("Runtime.callFunctionOn", terms, session=frame.session)
        return answer["result"].get("value")

    async def _owner(self, inner: _Frame, frame: _Frame) -> str | None:
        """A handle of the element that holds a frame."""
        with contextlib.suppress(CaptureError, KeyError):
            terms = {"frameId": inner.id}
            owner = await self._tab.send("DOM.getFrameOwner", terms, session=frame.session)
            return await self._handle(owner["backendNodeId"], frame)
        return None

    async def _handle(self, node: int, frame: _Frame) -> str | None:
        """A handle of a node in the world of our own; None where it is gone."""
        terms = {"backendNodeId": node, "executionContextId": frame.context}
        with contextlib.suppress(CaptureError, KeyError):
            answer = await self._tab.send("DOM.resolveNode", terms, session=frame.session)
            return str(answer["object"]["objectId"])
        return None

    # ------------------------------------------------------------ pictures
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
