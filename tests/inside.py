"""An application that is asked in this process, without a socket."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message

__all__ = ["Answer", "answer", "ask"]


@dataclass
class Answer:
    """What an application sent."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def json(self) -> dict[str, Any]:
        """The body as an object."""
        value = json.loads(self.body)
        assert isinstance(value, dict)
        return value

    @property
    def lines(self) -> list[str]:
        """The body as lines."""
        return self.body.decode().splitlines()


def ask(app: ASGIApp, target: str, method: str = "GET", body: bytes = b"", **fields: str) -> Answer:
    """Send one request; `fields` are header fields with underscores for hyphens."""
    # In a thread of its own: a browser of another test may keep a loop running in this one.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, answer(app, target, method, body, **fields)).result()


async def answer(
    app: ASGIApp, target: str, method: str = "GET", body: bytes = b"", **fields: str
) -> Answer:
    """Return what is sent to one request, of this machine unless a field `host` says otherwise."""
    path, _, query = target.partition("?")
    wanted = {"host": "localhost"} | {name.lower(): value for name, value in fields.items()}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "server": (wanted["host"], 80),
        "client": ("127.0.0.1", 1),
        "headers": [
            (name.replace("_", "-").encode(), value.encode()) for name, value in wanted.items()
        ],
    }
    given = Answer()

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            given.status = message["status"]
            given.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            given.body += message.get("body", b"")

    await app(scope, receive, send)
    return given
