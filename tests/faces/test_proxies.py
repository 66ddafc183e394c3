"""Behind a proxy: what it says of whom it asks for, and a real nginx that speaks TLS."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
import ssl
import subprocess
import time
import tracemalloc
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

import pytest
from tests.archives import Archive
from tests.engines import Repository
from tests.faces.conftest import served
from tests.faces.test_http import Answer, ask, names
from tests.needs import need

from permacite.loops import to_the_end
from permacite.web.middleware.networks import Building, ForwardedHeaders
from permacite.web.middleware.response_cache import ResponseCache

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from starlette.types import Message, Receive, Scope, Send

pytestmark = pytest.mark.engines(deep=True)

__all__ = ["names"]  # a fixture

HOST = "archive.example.org"
FORM = "application/x-www-form-urlencoded"
NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_processes 1;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxied;
  fastcgi_temp_path {folder}/a; uwsgi_temp_path {folder}/b; scgi_temp_path {folder}/c;
  server {{
    listen 127.0.0.1:{port} ssl;
    server_name {host};
    ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem;
    client_max_body_size 256m;
    {elsewhere}
    location {place} {{
      proxy_pass {base}; proxy_max_temp_file_size 0; # its workers may not write in this folder
      proxy_http_version 1.1;
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
    }}
  }}
}}
"""


@pytest.fixture(scope="session")
def nginx() -> str:
    """Return the path of nginx."""
    return need("nginx")


def certify(folder: Path, host: str = HOST) -> None:
    """Make a key, and a certificate that it signs itself."""
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    name = ["-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}"]
    made = ["-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")]
    command = [need("openssl"), "req", "-x509", *key, *name, *made]
    subprocess.run(command, check=True, capture_output=True)


@contextlib.contextmanager
def before(nginx: str, base: str, folder: Path, place: str = "/") -> Iterator[int]:
    """Run nginx with TLS before a server, at a place of its site; yields its port."""
    folder.mkdir()
    certify(folder)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    config = folder / "nginx.conf"
    elsewhere = "" if place == "/" else "location / { return 418; }"
    told = {"folder": folder, "port": port, "host": HOST, "base": base}
    config.write_text(NGINX.format(**told, place=place, elsewhere=elsewhere))
    with subprocess.Popen([nginx, "-p", str(folder), "-c", str(config)]) as process:
        try:
            while process.poll() is None:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                    break
            yield port
        finally:
            process.terminate()


class Secured:
    """Asks nginx under the name of the archive, and believes its certificate alone."""

    def __init__(self, port: int, folder: Path) -> None:
        self._port = port
        self._context = ssl.create_default_context(cafile=str(folder / "cert.pem"))

    @contextlib.contextmanager
    def line(self) -> Iterator[http.client.HTTPConnection]:
        """A connection, until the block ends."""
        with socket.create_connection(("127.0.0.1", self._port), timeout=20) as plain:
            connection = http.client.HTTPConnection(HOST)
            connection.sock = self._context.wrap_socket(plain, server_hostname=HOST)
            try:
                yield connection
            finally:
                connection.close()

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, **fields: str
    ) -> Answer:
        """Send one request, as `test_http.ask` does."""
        with self.line() as connection:
            told = {name.replace("_", "-"): value for name, value in fields.items()}
            connection.request(method, path, body, told)
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, names, answer.read())


def test_the_story_through_nginx_with_tls(
    archive: Path, names: dict[str, str], nginx: str, tmp_path: Path
) -> None:
    with Archive.open(archive) as held:
        secret = held.access.tokens.add(scope="save").secret
    options = ("--name", HOST, "--forwarded-allow-ips", "127.0.0.1,::1", "--writable")
    folder = tmp_path / "nginx"
    with served(archive, *options) as running, before(nginx, running.base, folder) as port:
        proxied = Secured(port, folder)
        own = f"https://{HOST}"
        assert proxied.ask("/").status == 200
        assert proxied.ask(f"/{names['html']}", Accept="text/html").status == 200
        # No token: what nginx asks for is from elsewhere, though nginx is on this machine.
        cited = urlencode({"reference": names["utf-8"], "quote": "archived words"}).encode()
        refused = proxied.ask("/-/cite", "POST", cited, Origin=own, Content_Type=FORM)
        assert refused.status == 401
        # Signed in, by a plain form of a browser that tells no more than its origin.
        form = urlencode({"token": secret}).encode()
        signed = proxied.ask("/-/sign-in", "POST", form, Origin=own, Content_Type=FORM)
        assert (signed.status, signed.headers["location"]) == (303, "/-/sign-in")
        cookie, *how = signed.headers["set-cookie"].split("; ")
        assert "Secure" in how
        for origin, status in ((own, 303), (f"http://{HOST}", 403), ("https://evil.example", 403)):
            told = proxied.ask(
                "/-/cite", "POST", cited, Origin=origin, Content_Type=FORM, Cookie=cookie
            )
            assert told.status == status, origin
        made = proxied.ask("/-/cite", "POST", cited, Origin=own, Content_Type=FORM, Cookie=cookie)
        shown = proxied.ask(made.headers["location"], Accept="text/html")
        assert b"archived words" in shown.body
        for service in ("N2L", "N2R"):
            led = proxied.ask(f"/uri-res/{service}?{names['html']}")
            assert urlsplit(led.headers.get("location", own)).scheme == "https"
        bearer = {"Authorization": f"Bearer {secret}", "Content_Type": "text/plain"}
        put = proxied.ask("/pdi://lab.example.us/", "PUT", b"by a proxy", **bearer)
        assert put.status == 201
        assert proxied.ask(put.headers["location"] + "?view=bytes").body == b"by a proxy"
        proof = proxied.ask(f"/-/api/proof?name={names['html']}")
        assert proof.body.startswith(b"PK")


def test_a_certificate_is_renewed_and_a_token_revoked_without_a_stop(
    archive: Path, nginx: str, tmp_path: Path
) -> None:
    with Archive.open(archive) as held:
        added = held.access.tokens.add(scope="save")
        name = held.add(b"x" * (32 << 20), name="long.txt").pdi
    folder = tmp_path / "nginx"
    options = ("--name", HOST, "--forwarded-allow-ips", "127.0.0.1", "--workers", "2")
    with served(archive, *options) as running, before(nginx, running.base, folder) as port:
        first = Secured(port, folder)
        with first.line() as connection:
            connection.request("GET", f"/{name}")
            long = connection.getresponse()
            assert long.status == 200
            certify(folder)
            os.kill(int((folder / "nginx.pid").read_text()), signal.SIGHUP)
            new = (folder / "cert.pem").read_text()
            while ssl.get_server_certificate(("127.0.0.1", port)).strip() != new.strip():
                time.sleep(0.05)
            assert len(long.read()) == 32 << 20, "it goes on under the certificate of before"
        bearer = {"Authorization": f"Bearer {added.secret}", "Content_Type": "text/plain"}
        asked = partial(Secured(port, folder).ask, "/pdi://lab.example.us/", "PUT", b"a")
        assert {asked(**bearer).status for _ in range(6)} == {201}
        with Archive.open(archive) as held:
            held.access.tokens.revoke(added.token.id)
        assert {asked(**bearer).status for _ in range(6)} == {401}


def test_what_a_stranger_says_of_proxies_is_ignored(archive: Path, names: dict[str, str]) -> None:
    with served(archive, "--forwarded-allow-ips", "192.0.2.0/24") as running:
        path = f"/uri-res/N2L?{names['html']}"
        led = ask(running.base, path, X_Forwarded_For="127.0.0.1", X_Forwarded_Proto="https")
        assert led.headers["location"].startswith("http://")
        refused = ask(
            running.base,
            "/-/cite",
            "POST",
            b"",
            Origin="https://127.0.0.1",
            X_Forwarded_Proto="https",
        )
        assert refused.status == 403


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_proxy_makes_nobody_one_who_is_on_this_machine(
    archive: Path, names: dict[str, str], workers: str
) -> None:
    cited = urlencode({"reference": names["utf-8"], "quote": "archived"}).encode()
    options = ("--forwarded-allow-ips", "127.0.0.1", "--writable", "--workers", workers)
    with served(archive, *options) as running:
        for said in ("127.0.0.1", "::1", "203.0.113.9, 127.0.0.1", "nonsense", "", "127.0.0.1, x"):
            answer = ask(running.base, "/-/cite", "POST", cited, X_Forwarded_For=said)
            assert answer.status == 401, said
        assert ask(running.base, "/-/cite", "POST", cited).status == 401, "it said of nobody"


class Remembering:
    """What remembers, behind a proxy that is believed, before an application that counts."""

    def __init__(self, building: str) -> None:
        self.made: list[str] = []
        """Who asked for what was not known, and how."""
        self._known = ResponseCache(self._application, lambda: 1, Building([building]).apart)
        self._app = ForwardedHeaders(self._known, ["127.0.0.1"])

    async def _application(self, scope: Scope, receive: Receive, send: Send) -> None:
        del receive
        self.made.append(f"{scope['client'][0]} {scope['scheme']}")
        fields = [(b"etag", b'"1"'), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 200, "headers": fields})
        await send({"type": "http.response.body", "body": b""})

    def asked(self, address: str, **said: str) -> bool:
        """Whether an answer is known; it is made where it is not."""
        fields = {"host": HOST, "x-forwarded-for": address} | said
        headers = [(name.encode(), value.encode()) for name, value in fields.items()]
        scope: dict[str, Any] = {"type": "http", "method": "GET", "scheme": "http"}
        scope |= {"client": ("127.0.0.1", len(self.made)), "headers": headers}
        scope |= {"raw_path": b"/", "query_string": b""}
        early = dict(scope)
        self._app.apply(early)
        if self._known.known(early) is not None:
            return True

        async def send(message: Message) -> None:
            del message

        to_the_end(self._app(scope, send, send))  # type: ignore[arg-type] # nothing is received
        return False


def test_what_is_remembered_is_found_behind_a_proxy() -> None:
    first, second, inside = "203.0.113.9", "203.0.113.10", "198.51.100.1"
    remembering = Remembering(building=inside)
    asked = remembering.asked
    assert [asked(first), asked(first), asked(f"{inside}, {first}")] == [False, True, True]
    assert asked(second), "all who are elsewhere share it"
    assert [asked(inside), asked(inside), asked(first)] == [False, True, True]
    secured = {"x-forwarded-proto": "https"}
    assert [asked(first, **secured), asked(second, **secured)] == [False, True]
    assert remembering.made == [f"{first} http", f"{inside} http", f"{first} https"]


def test_what_is_remembered_is_bounded_by_what_was_asked_too() -> None:
    remembering = Remembering(building="198.51.100.1")
    tracemalloc.start()
    for number in range(2000):
        assert not remembering.asked("203.0.113.9", accept=f"{number} " + "x" * 60_000)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size < 48 << 20


@pytest.mark.parametrize("typed", ["nonsense", "10.0.0.1/8", "127.0.0.1,,"])
def test_what_is_no_network_is_told(archive: Path, typed: str) -> None:
    command = [
        "permacite",
        "--archive",
        str(Repository.at(archive)),
        "serve",
        "--forwarded-allow-ips",
        typed,
    ]
    from permacite.cli.commands import run

    assert run(command[1:]) == 2
