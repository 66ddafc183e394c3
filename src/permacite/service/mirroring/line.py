"""The line to an archive elsewhere: what it hands out, over HTTP, by the guarded fetcher.

A mirror goes nowhere but to the address that it was given: redirects are not followed. That of an
inside address is taken where the user wrote it as one, for it is then no secret where it leads.
"""

from __future__ import annotations

import asyncio
import io
import json
import threading
from typing import TYPE_CHECKING, Any, Self

from permacite.archive.objects import ContentReader
from permacite.errors import CaptureError, IntegrityError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from permacite.capture.fetcher import Fetcher
    from permacite.capture.model import Exchange

__all__ = ["Line"]

_HANDS = 8
_TRIES = 2 * _HANDS
"""How often something is asked for where connections are cut, of one who has answered: all that
were kept open may be closed there at the same time."""
_PAUSE_S = 0.5
_GIB = 1 << 30
_MISSING = frozenset({404, 410, 451, 403})
_OURS = frozenset({"localhost", "127.0.0.1", "::1"})


class Line:
    """An open line; a context manager. Any number of threads may ask at once."""

    is_far = True

    def __init__(self, address: str, *, allow_private: bool = False) -> None:
        """Take where the archive answers. Raises CaptureError, ParseError for no such address."""
        from permacite.capture.address import absolute, parse_target

        self.address = absolute(address).rstrip("/")
        target = parse_target(self.address)
        self._allow_private = allow_private or target.literal or target.host in _OURS
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="permacite-line", daemon=True
        )
        self._fetcher: Fetcher | None = None
        self._has_answered = False
        self._pause = threading.Event()
        self.wrong: list[str] = []
        """The digests of octets that were others than they were asked for."""

    def __enter__(self) -> Self:
        self._thread.start()
        self._wait(self._open())
        return self

    def __exit__(self, *_: object) -> None:
        fetcher, self._fetcher = self._fetcher, None
        if fetcher is not None:
            self._wait(fetcher.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _open(self) -> None:
        from permacite.capture.fetcher import Fetcher
        from permacite.capture.model import FetchLimits, FetchOptions

        limits = FetchLimits(
            load_s=600,
            total_bytes=1 << 62,
            part_bytes=2 * _GIB,
            concurrent=_HANDS,
            per_host=_HANDS,
            redirects=0,
            wait_s=60,
        )
        refuse = FetchOptions(allow_private=self._allow_private).refuse
        self._fetcher = await Fetcher(limits, refuse=refuse).__aenter__()

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def get(self, path: str) -> bytes:
        """What is answered at a path. Raises CaptureError; NotFoundError where nothing is there."""
        tries = _TRIES if self._has_answered else 1
        while True:
            try:
                content = self._asked(path)
            except CaptureError as error:
                tries -= 1
                if error.reason != "connect" or not tries:
                    raise
                self._pause.wait(_PAUSE_S)
            else:
                self._has_answered = True
                return content

    def _asked(self, path: str) -> bytes:
        """What is answered to one request. Raises as `get`."""
        if self._fetcher is None:
            raise RuntimeError("a Line is used inside `with`")
        try:
            answer: Exchange = self._wait(self._fetcher.fetch(f"{self.address}{path}"))
        except CaptureError as error:
            if error.status in _MISSING:
                raise NotFoundError(error.problem, f"{self.address}{path}") from error
            raise
        return answer.content

    def json(self, path: str) -> dict[str, Any]:
        """The JSON object at a path. Raises as `get`, IntegrityError for anything else."""
        content = self.get(path)
        try:
            value = json.loads(content)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise IntegrityError(
                f"{self.address}{path} is no answer of an archive",
                expected="a JSON object",
                actual=content[:60].decode("utf-8", "replace"),
            )
        return value

    def open(self, digest: str) -> ContentReader:
        """The octets with a digest, which is compared. Raises NotFoundError, IntegrityError."""
        path = f"/-/log/octets/{digest.removeprefix('sha-256:')}"
        content = self.get(path)
        source = ContentReader(digest, io.BytesIO(content), f"{self.address}{path}")
        try:
            source.check()
        except IntegrityError:
            self.wrong.append(digest)
            raise
        return source
