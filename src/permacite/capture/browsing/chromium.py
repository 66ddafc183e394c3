"""DevTools client: commands to Chromium and events from it, over its debugging pipe.

Chrome DevTools Protocol 1.3: JSON messages, each ended by a NUL octet, `sessionId` naming which of
the attached targets is meant. A `Browser` has many `Tab`s, each with a profile of its own; a tab
has many `TargetSession`s: its page, its frames in other processes, its workers.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias

from permacite.capture.address import refusal
from permacite.capture.browsing.guard import SocksGuard
from permacite.capture.browsing.program import why_not
from permacite.capture.model import FetchLimits
from permacite.errors import CaptureError
from permacite.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from permacite.capture.browsing.program import Program

__all__ = ["Browser", "Handler", "Prepare", "Tab", "TargetSession"]

_ATTACHING = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}

_UNHEARD = frozenset({"service_worker", "shared_worker"})
"""Workers whose requests do not stop for us: what they ask for would be on no record."""
_OFFLINE = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}


@dataclass(frozen=True, slots=True)
class TargetSession:
    """A target that is attached to."""

    id: str
    type: str
    """"page" "iframe" "worker" "shared_worker" "service_worker" and others that Chromium knows."""
    url: str
    """Where it was when it was attached; a page begins at "about:blank"."""
    target: str
    """Of a page or frame, this is the id of its frame too."""


Handler: TypeAlias = "Callable[[TargetSession, Mapping[str, Any]], Awaitable[None] | None]"
"""Told of an event: where it happened, and its parameters."""
Prepare: TypeAlias = "Callable[[Tab, TargetSession], Awaitable[None]]"
"""Called for each session before anything runs in it."""


class _DebuggingPipe:
    """Commands to Chromium, their answers, and events from it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.ended = ""
        """Why it is closed; nothing while it is open."""
        self._reader = reader
        self._writer = writer
        self._numbers = count(1)
        self._answers: dict[int, tuple[str | None, asyncio.Future[dict[str, Any]]]] = {}
        """By the number of a command: its session, and what is answered."""

    async def send(
        self, method: str, params: Mapping[str, Any] | None = None, *, session: str | None = None
    ) -> dict[str, Any]:
        """What is answered. Raises CaptureError where it is an error, or the browser is gone."""
        if self.ended:
            raise _lost(self.ended)
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": params or {}}
        if session is not None:
            message["sessionId"] = session
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._answers[number] = session, answer
        try:
            self._writer.write(json.dumps(message).encode() + b"\0")
            await self._writer.drain()
            return await answer
        except (ConnectionError, RuntimeError) as error:
            raise _lost(f"Chromium takes no more commands: {error}") from error
        finally:
            self._answers.pop(number, None)

    async def events(self) -> AsyncIterator[Mapping[str, Any]]:
        """Yield events until the pipe is closed, and hand each answer to whoever waits for it."""
        while True:
            message = json.loads((await self._reader.readuntil(b"\0"))[:-1])
            if "id" not in message:
                yield message
                continue
            _, answer = self._answers.get(message["id"], (None, None))
            if answer is None or answer.done():
                continue
            if "error" in message:
                error = message["error"]
                words = f"{error.get('message', '')} {error.get('data', '')}".strip()
                answer.set_exception(_lost(f"Chromium refuses: {words}"))
            else:
                answer.set_result(message.get("result", {}))

    def end(self, why: str) -> None:
        """Let nobody wait for what never comes."""
        self.ended = self.ended or why
        for session in {session for session, _ in self._answers.values()}:
            self.give_up(session, self.ended)

    def give_up(self, of: str | None, why: str) -> None:
        """Fail the commands of a session that are not answered."""
        for session, answer in self._answers.values():
            if session == of and not answer.done():
                answer.set_exception(_lost(why))
                answer.exception()  # some of them nobody asks for any more


class Browser:
    """A Chromium that runs."""

    def __init__(
        self, pipe: _DebuggingPipe, doors: tuple[SocksGuard, SocksGuard], pid: int
    ) -> None:
        self.pipe = pipe
        self.shut, self.sockets = doors
        """Where it goes by itself, and where sockets of its pages go: nothing is let through."""
        self.pid = pid
        """Of the process that all others of it are below."""
        self.build = ""
        """Its name and version."""
        self.agent = ""
        """What it calls itself in requests."""
        self._tabs: dict[str, Tab] = {}
        """By the context of each."""
        self._by_session: dict[str, Tab] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @staticmethod
    @contextlib.asynccontextmanager
    async def started(program: Program) -> AsyncIterator[Browser]:
        """Start `program`, and end it with the block.

        Raises CaptureError where it does not start.
        """
        async with (
            SocksGuard(FetchLimits(), refuse=refusal) as shut,
            SocksGuard(FetchLimits(), refuse=refusal) as sockets,
            program.run(shut.address) as (process, log),
        ):
            if process.stdin is None or process.stdout is None:
                raise RuntimeError("a program that is run has pipes")
            pipe = _DebuggingPipe(process.stdout, process.stdin)
            browser = Browser(pipe, (shut, sockets), process.pid)
            listening = asyncio.create_task(browser._listen())
            try:
                try:
                    told = await pipe.send("Browser.getVersion")
                except CaptureError as error:
                    raise why_not(error, log) from error
                browser.build, browser.agent = told["product"], told["userAgent"]
                await pipe.send("Target.setAutoAttach", _ATTACHING)
                yield browser
            finally:
                listening.cancel()
                browser._end("Chromium was ended")
                for task in browser._tasks:
                    task.cancel()
                await asyncio.gather(listening, *browser._tasks, return_exceptions=True)

    async def _listen(self) -> None:
        """Take in what the browser says, until it ends."""
        try:
            async for message in self.pipe.events():
                self._happened(message)
        except (ConnectionError, asyncio.IncompleteReadError):
            self._end("Chromium ended by itself")
        finally:
            self._end("Chromium is no longer listened to")

    def _happened(self, message: Mapping[str, Any]) -> None:
        method, params = message["method"], message.get("params", {})
        tab = self._by_session.get(message.get("sessionId", ""))
        if method == "Target.attachedToTarget":
            info = params["targetInfo"]
            tab = tab or self._tabs.get(info.get("browserContextId", ""))
            session = TargetSession(
                params["sessionId"], info["type"], info["url"], info["targetId"]
            )
            if tab is not None:
                self._by_session[session.id] = tab
                self.spawn(tab.attached(session, waits=params["waitingForDebugger"]))
            else:  # pages of the browser's own
                self.spawn(self._let_go(session.id))
        elif method == "Target.detachedFromTarget":
            session_id = params["sessionId"]
            self.pipe.give_up(session_id, "what was asked is gone")
            gone = self._by_session.pop(session_id, None)
            if gone is not None:
                gone.detached(session_id)
        elif tab is not None:
            tab.happened(message["sessionId"], method, params)

    async def _let_go(self, session: str) -> None:
        with contextlib.suppress(CaptureError):
            await self.pipe.send("Runtime.runIfWaitingForDebugger", session=session)
            await self.pipe.send("Target.detachFromTarget", {"sessionId": session})

    def spawn(self, work: Awaitable[None]) -> None:
        """Do `work` beside all else, no longer than the browser runs."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _end(self, why: str) -> None:
        """Let nobody wait for what never comes."""
        self.pipe.end(why)
        for tab in self._tabs.values():
            tab.lost(self.pipe.ended)

    @contextlib.asynccontextmanager
    async def tab(self, prepare: Prepare, *, proxy: str = "") -> AsyncIterator[Tab]:
        """A page of a profile of its own, at about:blank, closed with the block.

        `prepare` is called for each session before anything runs in it. `proxy` is the way out of
        this page and what belongs to it.
        """
        terms = {"disposeOnDetach": True} | ({"proxyServer": proxy} if proxy else {})
        terms |= {"proxyBypassList": "<-loopback>"} if proxy else {}
        context = (await self.pipe.send("Target.createBrowserContext", terms))["browserContextId"]
        tab = self._tabs[context] = Tab(self, context, prepare)
        try:
            where = {"url": "about:blank", "browserContextId": context}
            tab.target = (await self.pipe.send("Target.createTarget", where))["targetId"]
            await tab.ready()
            yield tab
        finally:
            with contextlib.suppress(CaptureError):
                await self.pipe.send("Target.disposeBrowserContext", {"browserContextId": context})
            self._tabs.pop(context, None)
            self._by_session = {k: v for k, v in self._by_session.items() if v is not tab}


class Tab:
    """A page, its frames in other processes, and its workers."""

    def __init__(self, browser: Browser, context: str, prepare: Prepare) -> None:
        self.sessions: dict[str, TargetSession] = {}
        """By their ids: the page first, then what is attached to at present."""
        self.context = context
        self.target = ""
        """Of the page: the id of its main frame."""
        self._browser = browser
        self._prepare = prepare
        self._handlers: dict[str, list[Handler]] = defaultdict(list)
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def page(self) -> TargetSession:
        """The session of the page itself."""
        return next(each for each in self.sessions.values() if each.target == self.target)

    async def send(
        self, method: str, params: Mapping[str, Any] | None = None, *, session: str | None = None
    ) -> dict[str, Any]:
        """What is answered; to the page where no `session` is named. Raises CaptureError."""
        return await self._browser.pipe.send(method, params, session=session or self.page.id)

    def on(self, method: str, handler: Handler) -> None:
        """Have `handler` told of each event `method`, of all sessions."""
        self._handlers[method].append(handler)

    @contextlib.asynccontextmanager
    async def events(
        self, *methods: str
    ) -> AsyncIterator[asyncio.Queue[tuple[TargetSession, str, Mapping[str, Any]]]]:
        """A queue of the events of these methods, as long as the block lasts."""
        queue: asyncio.Queue[tuple[TargetSession, str, Mapping[str, Any]]] = asyncio.Queue()
        handlers = [
            (each, lambda session, params, each=each: queue.put_nowait((session, each, params)))
            for each in methods
        ]
        for method, handler in handlers:
            self.on(method, handler)
        try:
            yield queue
        finally:
            for method, handler in handlers:
                self._handlers[method].remove(handler)

    async def ready(self) -> None:
        """Wait until the page is prepared. Raises what went wrong with that."""
        await self._ready

    async def attached(self, session: TargetSession, *, waits: bool) -> None:
        """Prepare what was attached to, then let it run; close windows that were opened."""
        main = not self.target or session.target == self.target
        if session.type == "page" and not main:
            await self._close(session)
            return
        if session.type == "page":
            self.target = session.target
        self.sessions[session.id] = session
        try:
            if session.type in _UNHEARD:
                await self._silence(session)
                return
            await self._prepare(self, session)
            # What a session attaches to in turn is known before anything runs in it.
            await self.send("Target.setAutoAttach", _ATTACHING, session=session.id)
            if waits:
                await self.send("Runtime.runIfWaitingForDebugger", session=session.id)
        except CaptureError as error:
            if session.type == "page" and not self._ready.done():
                self._ready.set_exception(error)
            return  # of all others: it is gone already
        if session.type == "page" and not self._ready.done():
            self._ready.set_result(None)

    async def _silence(self, worker: TargetSession) -> None:
        """Let a worker run without a network: its own process refuses, and that of the network too.

        The latter is told by the browser, behind which the first request of a worker may arrive.
        """
        enabled = self.send("Network.enable", session=worker.id)
        silenced = self.send("Network.emulateNetworkConditions", _OFFLINE, session=worker.id)
        blocked = self.send("Network.setBlockedURLs", {"urls": ["*"]}, session=worker.id)
        run = self.send("Runtime.runIfWaitingForDebugger", session=worker.id)
        if worker.type == "service_worker":  # it answers nothing before it runs, and fetches later
            await asyncio.gather(enabled, silenced, blocked, run)
            return
        for step in (enabled, silenced, blocked, run):
            await step

    async def _close(self, window: TargetSession) -> None:
        """Close a window that was opened. It runs before, or the page that opened it would hang.

        What it asks for meanwhile waits for a word that never comes.
        """
        with contextlib.suppress(CaptureError):
            await self._browser.pipe.send("Fetch.enable", session=window.id)
            await self._browser.pipe.send("Runtime.runIfWaitingForDebugger", session=window.id)
            await self._browser.pipe.send("Target.closeTarget", {"targetId": window.target})

    def detached(self, session: str) -> None:
        """Forget what is gone."""
        gone = self.sessions.pop(session, None)
        if gone is not None and gone.target == self.target:
            self.lost("the page is gone")

    def lost(self, why: str) -> None:
        """Tell those who wait that the page is gone."""
        if not self._ready.done():
            self._ready.set_exception(_lost(why))
            self._ready.exception()
        for handler in self._handlers["lost"]:
            handler(TargetSession("", "", "", ""), {"why": why})

    def happened(self, session: str, method: str, params: Mapping[str, Any]) -> None:
        """Tell those who want to know of an event."""
        told = self.sessions.get(session)
        if told is None:
            return
        for handler in tuple(self._handlers.get(method, ())):
            outcome = handler(told, params)
            if outcome is not None:
                self._browser.spawn(_quietly(outcome))


async def _quietly(work: Awaitable[None]) -> None:
    """Do what an event asks for; its session may be gone by then."""
    with contextlib.suppress(CaptureError):
        await work


def _lost(problem: str) -> CaptureError:
    return CaptureError(problem, uri="", reason="browser")
