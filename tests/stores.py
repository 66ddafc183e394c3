"""Stores that speak S3, for tests: moto in a process of its own, and one that is in trouble."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import os
import socket
import subprocess
import sys
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from tests.needs import need

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["CREDENTIALS", "Gateway", "Store", "Troubled", "ceph", "moto", "s3rver"]

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "somebody",
    "AWS_SECRET_ACCESS_KEY": "a-secret-that-nobody-prints",
    "AWS_REGION": "us-east-1",
}


class Store:
    """A store that speaks S3, for tests. `client` is boto3's, which sees it from outside."""

    def __init__(
        self,
        port: int,
        client: Any,
        gateway: Gateway | None = None,
        credentials: dict[str, str] = CREDENTIALS,
    ) -> None:
        self.port = port
        self.credentials = credentials
        """Who may use it, as the environment says it."""
        self.client = client
        self._gateway = gateway
        self._numbers = itertools.count()

    @property
    def endpoint(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    @contextlib.contextmanager
    def gateway(self) -> Iterator[Gateway]:
        """What lets programs at the store, to be killed: its own, or a process before it.

        A store that keeps all in memory would lose that with its process.
        """
        if self._gateway is not None:
            yield self._gateway
            if not self._gateway.lives:
                self._gateway.start()
            return
        (port,) = _free_ports(1)
        before = Gateway([sys.executable, "-c", _PIPE, str(port), str(self.port)], port)
        before.start()
        try:
            yield before
        finally:
            before.kill()

    def bucket(self, *, versioned: bool = False) -> str:
        """Make an empty bucket, and return its name."""
        name = f"bucket-{os.getpid()}-{next(self._numbers)}"
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


_PIPE = """
import asyncio, sys

async def copied(source, sink):
    try:
        while octets := await source.read(65536):
            sink.write(octets)
            await sink.drain()
    except OSError:
        pass
    sink.close()

async def let_in(reader, writer):
    there = await asyncio.open_connection("127.0.0.1", int(sys.argv[2]))
    await asyncio.gather(copied(reader, there[1]), copied(there[0], writer))

async def run():
    await (await asyncio.start_server(let_in, "127.0.0.1", int(sys.argv[1]))).serve_forever()

asyncio.run(run())
"""


class Gateway:
    """The process that programs come to, which can be killed and started anew at its port."""

    def __init__(self, command: list[str], port: int) -> None:
        self.port = port
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def endpoint(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def lives(self) -> bool:
        """Whether it was started, and not killed since."""
        return self._process is not None

    def start(self) -> None:
        """Start it, and return once it answers."""
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(self._command, stdout=quiet, stderr=quiet)
        while self._process.poll() is None:
            with (
                contextlib.suppress(OSError, http.client.HTTPException),
                contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port)) as asked,
            ):
                asked.request("GET", "/")
                asked.getresponse().read()
                return
            time.sleep(0.02)
        raise AssertionError(f"{self._command[0]} did not start")

    def kill(self) -> None:
        """Kill it -9."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()


@contextlib.contextmanager
def _asked(
    port: int, gateway: Gateway | None = None, credentials: dict[str, str] = CREDENTIALS
) -> Iterator[Store]:
    """Give the store at a port of this machine, once it answers."""
    import boto3
    from botocore.config import Config

    client = boto3.client(
        "s3",
        endpoint_url=f"http://127.0.0.1:{port}",
        region_name=credentials["AWS_REGION"],
        aws_access_key_id=credentials["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=credentials["AWS_SECRET_ACCESS_KEY"],
        config=Config(retries={"total_max_attempts": 30, "mode": "standard"}),
    )
    with contextlib.closing(client):
        client.list_buckets()
        yield Store(port, client, gateway, credentials)


@contextlib.contextmanager
def moto() -> Iterator[Store]:
    """Start moto's server, which keeps all in memory, and end it with the block."""
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
            with _asked(port) as store:
                yield store
        finally:
            process.kill()


_CEPH = ("ceph-mon", "ceph-mgr", "ceph-osd", "radosgw")
_CEPH_SETTINGS = """\
[global]
fsid = {fsid}
mon host = [v2:127.0.0.1:{port}/0]
auth cluster required = none
auth service required = none
auth client required = none
run dir = {folder}
admin socket = {folder}/$name.asok
log file = {folder}/$name.log
mon data = {folder}/mon
mgr data = {folder}/mgr
osd data = {folder}/osd
osd objectstore = memstore
memstore device bytes = 1G
osd crush chooseleaf type = 0
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pg autoscale mode = off
mon allow pool size one = true
public addr = 127.0.0.1
cluster addr = 127.0.0.1
rgw frontends = beast endpoint=127.0.0.1:{gateway} tcp_nodelay=1
"""


@contextlib.contextmanager
def ceph(folder: Path) -> Iterator[Store]:
    """Start Ceph's gateway over a store in memory, and end all its processes with the block."""
    for name in _CEPH:
        need(name)
    fsid, ports = str(uuid.uuid4()), _free_ports(2)
    settings = folder / "ceph.conf"
    settings.write_text(
        _CEPH_SETTINGS.format(fsid=fsid, folder=folder, port=ports[0], gateway=ports[1])
    )
    for name in ("mon", "mgr", "osd"):
        (folder / name).mkdir()

    def run(*command: str) -> None:
        given = [*command, "-c", str(settings)]
        subprocess.run(given, check=True, capture_output=True, timeout=120)

    with contextlib.ExitStack() as stack:

        def start(*command: str) -> None:
            given = [*command, "-f", "-c", str(settings)]
            quiet = subprocess.DEVNULL
            process = subprocess.Popen(given, stdout=quiet, stderr=quiet)
            stack.callback(process.wait)
            stack.callback(process.kill)

        addresses = f"[v2:127.0.0.1:{ports[0]}]"
        made = str(folder / "monmap")
        run("monmaptool", "--create", "--fsid", fsid, "--addv", "a", addresses, made)
        run("ceph-mon", "-i", "a", "--mkfs", "--monmap", made)
        start("ceph-mon", "-i", "a")
        start("ceph-mgr", "-i", "x")
        run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", fsid)
        run("ceph", "osd", "new", fsid, "0")
        start("ceph-osd", "-i", "0")
        who = ["--uid", "tests", "--display-name", "tests"]
        keys = [CREDENTIALS[name] for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")]
        run("radosgw-admin", "user", "create", *who, "--access-key", keys[0], "--secret", keys[1])
        # The gateway would have its connections encrypted, which needs keys.
        crc = ["--ms-mon-client-mode", "crc"]
        command = ["radosgw", "-n", "client.admin", *crc, "-f", "-c", str(settings)]
        gateway = Gateway(command, ports[1])
        stack.callback(gateway.kill)
        gateway.start()
        yield stack.enter_context(_asked(ports[1], gateway))


@contextlib.contextmanager
def s3rver(folder: Path) -> Iterator[Store]:
    """Start npm's s3rver, which ignores conditions of writes, and end it with the block."""
    program = need("s3rver")
    (port,) = _free_ports(1)
    command = [program, "--directory", str(folder), "--address", "127.0.0.1", "--silent"]
    gateway = Gateway([*command, "--port", str(port)], port)
    gateway.start()
    known = dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), "S3RVER")
    try:
        with _asked(port, gateway, CREDENTIALS | known) as store:
            yield store
    finally:
        gateway.kill()


def _free_ports(number: int) -> list[int]:
    """Ports of this machine that nobody had a moment ago."""
    with contextlib.ExitStack() as stack:
        taken = [stack.enter_context(socket.socket()) for _ in range(number)]
        for each in taken:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in taken]


class Troubled(ThreadingHTTPServer):
    """What stands before a store, and answers otherwise while it is told to.

    `trouble`: "" (none), "away" (each answer is 500), "full" (nothing more is taken), "quota" (nor
    is it from this one), "loses" (what is put is said to be there, and is not), "alters" (what is
    put has another first octet), "keeps" (what is to be deleted is refused).
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
        self.conditions: set[str] = set()
        """Conditions of what was asked: some stores ignore them."""

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
        self.server.conditions |= {name for name in self.headers if name.lower().startswith("if-")}
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
        elif trouble == "quota" and puts:
            self._answer(403, {}, b"<Error><Code>QuotaExceeded</Code></Error>")
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
