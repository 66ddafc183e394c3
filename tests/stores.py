"""Stores that speak S3, for tests: moto in a process of its own, and one that is in trouble."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CREDENTIALS", "Moto", "Troubled", "moto"]

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "somebody",
    "AWS_SECRET_ACCESS_KEY": "a-secret-that-nobody-prints",
    "AWS_REGION": "us-east-1",
}


class Moto:
    """A store that keeps all in memory. `client` is boto3's, which sees it from outside."""

    def __init__(self, port: int, client: Any) -> None:
        self.port = port
        self.client = client
        self._numbers = itertools.count()

    @property
    def endpoint(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def bucket(self, *, versioned: bool = False) -> str:
        """Make an empty bucket, and return its name."""
        name = f"bucket-{next(self._numbers)}"
        self.client.create_bucket(Bucket=name)
        if versioned:
            self.client.put_bucket_versioning(
                Bucket=name, VersioningConfiguration={"Status": "Enabled"}
            )
        return name

    def keys(self, bucket: str) -> list[str]:
        """All keys in a bucket."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=bucket)
        return [item["Key"] for page in pages for item in page.get("Contents", ())]

    def versions(self, bucket: str) -> list[str]:
        """The keys of all versions, those of before among them, in a bucket."""
        page = self.client.list_object_versions(Bucket=bucket)
        return [item["Key"] for item in page.get("Versions", ())]

    def octets(self, bucket: str, key: str) -> bytes:
        """What is under a key."""
        return bytes(self.client.get_object(Bucket=bucket, Key=key)["Body"].read())


@contextlib.contextmanager
def moto() -> Iterator[Moto]:
    """Start moto's server, and end it with the block."""
    import boto3  # noqa: PLC0415 - it takes a while to import
    from botocore.config import Config  # noqa: PLC0415 - the same

    command = [sys.executable, "-u", "-W", "ignore", "-m", "moto.server", "-p", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        try:
            port = next(
                int(line.rpartition(b":")[2])
                for line in process.stdout
                if b"Running on http" in line
            )
            threading.Thread(target=process.stdout.read, daemon=True).start()
            endpoint = f"http://127.0.0.1:{port}"
            client = boto3.client(
                "s3",
                endpoint_url=endpoint,
                region_name="us-east-1",
                aws_access_key_id="the-tests",
                aws_secret_access_key="theirs",  # noqa: S106 - of nothing
                config=Config(max_pool_connections=2),
            )
            with contextlib.closing(client):
                yield Moto(port, client)
        finally:
            process.kill()


class Troubled(ThreadingHTTPServer):
    """What stands before a store, and answers otherwise while it is told to.

    `trouble`: "" (none), "away" (each answer is 500), "full" (nothing more is taken), "loses" (what
    is put is said to be there, and is not), "alters" (what is put has another first octet), "keeps"
    (what is to be deleted is refused).
    """

    def __init__(self, port: int) -> None:
        """Stand before the store at this port of this machine."""
        super().__init__(("127.0.0.1", 0), _Passing)
        self.store_port = port
        self.trouble = ""
        self.requests: float = float("inf")
        """After how many more the trouble is over."""
        self.asked: list[tuple[str, str]] = []
        """Method and path of what was asked, with the range behind it."""

    @property
    def endpoint(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    @contextlib.contextmanager
    def answering(self) -> Iterator[Troubled]:
        """Answer until the block ends."""
        thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield self
        finally:
            self.shutdown()
            thread.join()
            self.server_close()


class _Passing(BaseHTTPRequestHandler):
    """Passes a request on, or makes trouble."""

    protocol_version = "HTTP/1.1"
    server: Troubled

    def _pass(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append((self.command, f"{self.path} {self.headers.get('Range', '')}"))
        trouble, puts = (
            self.server.trouble if self.server.requests > 0 else "",
            self.command == "PUT",
        )
        self.server.requests -= 1
        if trouble == "away":
            self._answer(500, {}, b"<Error><Code>InternalError</Code></Error>")
        elif trouble == "keeps" and self.command in {"DELETE", "POST"}:
            self._answer(403, {}, b"<Error><Code>AccessDenied</Code></Error>")
        elif trouble == "full" and puts:
            self._answer(507, {}, b"<Error><Code>XMinioStorageFull</Code></Error>")
        elif trouble == "loses" and puts:
            self._answer(200, {"ETag": '"0"'}, b"")
        else:
            if trouble == "alters" and puts:
                body = b"?" + body[1:]
            store = http.client.HTTPConnection("127.0.0.1", self.server.store_port)
            with contextlib.closing(store):
                store.request(self.command, self.path, body, dict(self.headers.items()))
                answer = store.getresponse()
                self._answer(answer.status, dict(answer.getheaders()), answer.read())

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _pass  # noqa: N815 - as the library has it

    def _answer(self, status: int, fields: dict[str, str], body: bytes) -> None:
        self.send_response_only(status)
        for name, value in fields.items():
            if name.lower() not in {"connection", "transfer-encoding", "content-length"}:
                self.send_header(name, value)
        length = len(body)
        if self.command == "HEAD":
            length = next(
                (int(value) for name, value in fields.items() if name.lower() == "content-length"),
                0,
            )
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
