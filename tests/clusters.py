"""A cluster of tests: resolvers, writers, a mirror, nginx with TLS, each a process to be killed."""

from __future__ import annotations

import contextlib
import getpass
import http.client
import os
import signal
import socket
import ssl
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.faces.test_http import Answer
from tests.faces.test_proxies import certify
from tests.needs import need
from tests.stores import CREDENTIALS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.engines import Server
    from tests.stores import Gateway

__all__ = ["HOST", "Cluster", "Part", "cluster"]

HOST = "localhost"
_CONFIG = Path(__file__).resolve().parents[1] / "deploy" / "nginx-cluster.conf"
_AROUND = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 1;
user {user};
events {{ worker_connections 256; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxied;
  fastcgi_temp_path {folder}/a; uwsgi_temp_path {folder}/b; scgi_temp_path {folder}/c;
  include {folder}/cluster.conf;
}}
"""


class Part:
    """A process of the cluster, with all that it begins; where it listens is a port or a socket."""

    def __init__(
        self, command: list[str], where: Path | int | None, log: Path, **more: str
    ) -> None:
        self._command = command
        self._where = where
        self._log = log
        self._environment = os.environ | more
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begin it."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                stdout=log,
                stderr=log,
                env=self._environment,
                start_new_session=True,
            )

    def wait(self) -> None:
        """Wait until somebody answers where it listens."""
        assert self._process is not None
        while not self._answers():
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.05)
                raise AssertionError(self._log.read_text())

    def check_lives(self) -> None:
        """Fail where it has ended."""
        assert self._process is not None
        assert self._process.poll() is None, self._log.read_text()

    def end(self) -> int:
        """Wait until it ends by itself; its status."""
        assert self._process is not None
        return self._process.wait()

    def kill(self) -> None:
        """Kill it -9, with what it began."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _answers(self) -> bool:
        if isinstance(self._where, int):
            with socket.socket() as asked:
                return asked.connect_ex(("127.0.0.1", self._where)) == 0
        with socket.socket(socket.AF_UNIX) as asked:
            return asked.connect_ex(str(self._where)) == 0


class Cluster:
    """What is run on one machine here; an institution runs each part on another."""

    def __init__(self, folder: Path, server: Server, gateway: Gateway, bucket: str) -> None:
        self.folder = folder
        self.server = server
        self.gateway = gateway
        self.mirrored = folder / "mirror"
        kept = server.location(folder).partition("&objects=")[0]
        self._kept = f"{kept}&objects=s3://{bucket}/p"
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = int(free.getsockname()[1])
        self.base = f"https://{HOST}:{self.port}"
        environment = CREDENTIALS | {"AWS_ENDPOINT_URL": gateway.endpoint}
        self.resolvers, self.writers = (
            [self._served(f"{kind}{number}", environment) for number in (1, 2)]
            for kind in ("resolver", "writer")
        )
        certified = {"SSL_CERT_FILE": str(folder / "cert.pem")}
        following = ["mirror", self.base, str(self.mirrored)]
        self.follower = self._permacite("follower", None, following, certified)
        self.mirror = self._served("mirror", certified)
        self.proxy = self._proxied()
        self._context = ssl.create_default_context(cafile=str(folder / "cert.pem"))

    def location(self, name: str) -> str:
        """Where the archive is to one of the machines: writers alone have the key of the log."""
        (self.folder / name).mkdir(exist_ok=True)
        key = f"&log-key={self.folder}/writer1/log.key" if "writer" in name else ""
        return f"{self._kept}{key}&local={self.folder}/{name}"

    def _permacite(
        self, name: str, where: Path | None, words: list[str], environment: dict[str, str]
    ) -> Part:
        command = [sys.executable, "-m", "permacite", *words]
        return Part(command, where, self.folder / f"{name}.log", **environment)

    def _served(self, name: str, environment: dict[str, str]) -> Part:
        listening = self.folder / f"{name}.sock"
        archive = str(self.mirrored) if name == "mirror" else self.location(name)
        at = ["--unix", str(listening), "--unix-mode", "600", "--forwarded-allow-ips", "unix"]
        words = ["--archive", archive, "serve", *at, "--public"]
        return self._permacite(name, listening, words, environment)

    def _proxied(self) -> Part:
        """The nginx of the page on clusters, with the addresses of this one."""
        path = need("nginx")
        certify(self.folder, HOST)
        config = _CONFIG.read_text()
        ours = {
            "listen 443": f"listen 127.0.0.1:{self.port}",
            "server_name archive.example.org": f"server_name {HOST}",
            "/etc/ssl/archive.pem": f"{self.folder}/cert.pem",
            "/etc/ssl/archive.key": f"{self.folder}/key.pem",
        }
        names = ("resolver1", "resolver2", "writer1", "writer2", "mirror")
        ours |= {f"{name}.internal:8420": f"unix:{self.folder}/{name}.sock" for name in names}
        for theirs, our in ours.items():
            assert theirs in config, theirs
            config = config.replace(theirs, our)
        (self.folder / "cluster.conf").write_text(config)
        around = _AROUND.format(folder=self.folder, user=getpass.getuser())
        (self.folder / "nginx.conf").write_text(around)
        command = [path, "-p", str(self.folder), "-c", str(self.folder / "nginx.conf")]
        return Part(command, self.port, self.folder / "nginx.log")

    def ask(
        self,
        path: str,
        method: str = "GET",
        body: bytes | None = None,
        *,
        number: int = 1,
        **fields: str,
    ) -> Answer:
        """Send one request through nginx, as somebody of another number would. Raises OSError."""
        told = {name.replace("_", "-"): value for name, value in fields.items()}
        connection = http.client.HTTPSConnection(
            HOST,
            self.port,
            timeout=60,
            context=self._context,
            source_address=(f"127.0.0.{number}", 0),
        )
        with contextlib.closing(connection):
            connection.request(method, path, body, told)
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, names, answer.read())

    def parts(self) -> list[Part]:
        """All that was made, to be killed."""
        return [*self.resolvers, *self.writers, self.follower, self.mirror, self.proxy]


@contextlib.contextmanager
def cluster(folder: Path, server: Server, gateway: Gateway, bucket: str) -> Iterator[Cluster]:
    """A cluster of which nothing runs yet; what was begun is killed with the block."""
    made = Cluster(folder, server, gateway, bucket)
    try:
        yield made
    finally:
        for part in made.parts():
            part.kill()
