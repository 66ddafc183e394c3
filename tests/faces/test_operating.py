"""What an operator sees of a server: health, metrics, the access log, what systemd is told."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from tests.archives import Archive
from tests.faces.conftest import served
from tests.faces.test_http import ask
from tests.needs import need

from permacite.errors import StorageError
from permacite.limits import FREE_DISK_BYTES
from permacite.loops import to_the_end
from permacite.service.preservation import Condition
from permacite.web.routes.log import ready
from permacite.web.serving.monitoring import AccessLog, RequestObserver

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Running

pytestmark = pytest.mark.engines(deep=True)

SECRET = "word-that-nobody-may-read"  # noqa: S105 - of nothing


def test_a_server_says_that_it_lives_and_that_it_can_answer(running: Running) -> None:
    lives = ask(running.base, "/-/health")
    assert (lives.status, lives.body, lives.headers["cache-control"]) == (200, b"ok\n", "no-store")
    can = ask(running.base, "/-/ready")
    assert (can.status, can.json) == (200, {"ready": True, "problem": None})


def condition(**changed: int) -> Condition:
    """Return the condition of some archive."""
    told: dict[str, Any] = {
        "documents": 1,
        "versions": 1,
        "log_size": 1,
        "staged_bytes": 0,
        "free_bytes": FREE_DISK_BYTES,
        "decoders_busy": 0,
        "decoders_waiting": 0,
        "copied": None,
        "checked": None,
        "part_checked": None,
        "cautions": (),
    }
    return Condition(**(told | changed))


@pytest.mark.parametrize(
    ("free", "writable", "status"),
    [
        (FREE_DISK_BYTES, True, 200),
        (FREE_DISK_BYTES - 1, True, 503),
        (FREE_DISK_BYTES - 1, False, 200),
        (None, False, 503),
    ],
)
def test_a_server_without_room_or_archive_is_not_ready(
    free: int | None, *, writable: bool, status: int
) -> None:
    def told() -> Condition:
        if free is None:
            raise StorageError("the disk is gone", path=SECRET, reason="io")
        return condition(free_bytes=free)

    whole = SimpleNamespace(copies=SimpleNamespace(status=SimpleNamespace(condition=told)))
    state = SimpleNamespace(writable=writable, whole=whole)
    route = SimpleNamespace(cache="no-store")
    asked = SimpleNamespace(app=SimpleNamespace(state=state), scope={"route": route})
    answer = to_the_end(ready(asked))  # type: ignore[arg-type] # all that is asked of one
    assert answer.status_code == status
    assert SECRET.encode() not in answer.body
    assert ("retry-after" in answer.headers) == (status == 503)


def test_the_condition_knows_the_last_backup_and_the_last_check(
    archive: Path, cli: Callable[..., Outcome], tmp_path: Path
) -> None:
    with Archive.open(archive) as service:
        before = service.copies.status.condition()
    assert (before.documents, before.copied, before.checked) == (0, None, None)
    assert cli("backup", str(tmp_path / "copy")).status == 0
    assert cli("fsck").status == 0
    with Archive.open(archive) as service:
        now = service.copies.status.condition()
    assert now.copied is not None
    assert now.checked is not None
    assert now.checked.faults == 0
    assert now.copied.at <= now.checked.at


def test_metrics_count_requests_by_route_and_tell_the_archive(archive: Path) -> None:
    with served(archive, "--metrics", "0") as running:
        for path in ("/", "/", "/-/nope", f"/-/search?q={SECRET}", f"/{SECRET}"):
            ask(running.base, path)
        where = next(line.split()[0] for line in running.told if line.endswith("has metrics"))
        metrics = ask(where, "/metrics")
        assert ask(running.base, "/metrics").status in {400, 404}, "they are nowhere else"
    text = metrics.body.decode()
    assert metrics.headers["content-type"].startswith("text/plain")
    assert 'permacite_requests_total{method="GET",route="home",status="200"} 2.0' in text
    assert 'permacite_request_seconds_count{route="home"} 2.0' in text
    assert SECRET not in text
    for name in ("documents 0.0", "log_entries 0.0", "readable 1.0", "decoders_busy 0.0"):
        assert f"\npermacite_{name}\n" in text
    assert re.search(r'permacite_events_total\{event="requests"\} [5-9]', text)


def test_one_place_has_the_metrics_of_all_workers(archive: Path) -> None:
    with served(archive, "--metrics", "0", "--workers", "2") as running:
        where = next(line.split()[0] for line in running.told if line.endswith("has metrics"))
        for _ in range(40):
            ask(running.base, "/")
        expect_counted(where, 40)
        command = [need("pgrep"), "-P", str(running.process.pid), "-f", "web.serving.server"]
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        one, _ = map(int, found.split())
        os.kill(one, signal.SIGKILL)
        expect_counted(where, 40)  # what a worker counted that is no more
        ask(running.base, "/")
        text = expect_counted(where, 41)
        assert re.search(r'permacite_events_total\{event="requests"\} 41', text)
        assert "permacite_decoders_busy 0.0" in text
        assert "permacite_documents 0.0" in text


def expect_counted(where: str, number: int) -> str:
    """Wait until the home page was answered so often; a request is counted behind its answer."""
    wanted = f'permacite_requests_total{{method="GET",route="home",status="200"}} {number}.0'
    end = time.monotonic() + 20
    while True:
        text = ask(where, "/metrics").body.decode()
        if wanted in text or time.monotonic() > end:
            assert wanted in text
            return text
        time.sleep(0.05)


def test_a_port_that_is_taken_and_a_log_that_cannot_be_written_are_told(
    cli: Callable[..., Outcome], tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused = cli("serve", "--port", "0", "--metrics", port)
    assert (refused.status, "for metrics" in refused.err) == (1, True)
    refused = cli("serve", "--port", "0", "--access-log", str(tmp_path / "no" / "log"))
    assert (refused.status, "cannot write the access log" in refused.err) == (1, True)
    assert cli("serve", "--metrics", "here").status == 2
    assert cli("serve", "--metrics", "127.0.0.1:70000").status == 2


def test_the_access_log_has_a_line_for_each_request_and_no_secrets(
    archive: Path, tmp_path: Path
) -> None:
    log = tmp_path / "access.log"
    with served(archive, "--access-log", str(log)) as running:
        answer = ask(
            running.base,
            f"/-/search?q={SECRET}&site=",
            Authorization=f"Basic {SECRET}",
            Cookie=SECRET,
            User_Agent=SECRET,
        )
        given = ask(running.base, "/", X_Request_ID="from-a-proxy.1").headers["x-request-id"]
        forged = ask(running.base, "/", X_Request_ID='x" oh {').headers["x-request-id"]
        end = time.monotonic() + 20  # a line is written behind its answer
        while log.read_text().count("\n") < 3 and time.monotonic() < end:
            time.sleep(0.01)
        log.rename(tmp_path / "access.log.1")
        ask(running.base, "/-/health")
    first, second, third = map(json.loads, (tmp_path / "access.log.1").read_text().splitlines())
    assert SECRET not in str(first)
    wanted = {"method": "GET", "path": "/-/search", "query": ["q", "site"], "status": 200}
    assert {name: first[name] for name in wanted} == wanted
    assert (first["id"], first["from"]) == (answer.headers["x-request-id"], "127.0.0.0/24")
    assert (second["id"], given) == ("from-a-proxy.1", "from-a-proxy.1")
    assert third["id"] == forged
    assert re.fullmatch("[0-9a-f]{16}", forged)
    assert [json.loads(line)["path"] for line in log.read_text().splitlines()] == ["/-/health"]


@pytest.mark.parametrize(
    ("address", "full", "told"),
    [
        ("203.0.113.77", False, "203.0.113.0/24"),
        ("203.0.113.77", True, "203.0.113.77"),
        ("2001:db8:1:2::3", False, "2001:db8:1::/48"),
        ("fe80::1%eth0", True, "fe80::1"),
        ("", False, ""),
    ],
)
def test_addresses_are_told_by_their_networks(
    capsys: pytest.CaptureFixture[str], address: str, *, full: bool, told: str
) -> None:
    log = AccessLog("-", full_addresses=full)
    scope = {"client": (address, 1), "method": "GET", "path": "/\n", "query_string": b"a=1&\xff"}
    log.write(scope, "id")
    log.close()
    line = capsys.readouterr().out
    assert line.count("\n") == 1
    assert json.loads(line)["from"] == told


def test_a_fault_of_ours_is_told_with_its_trace_and_its_request(
    caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    async def faulty(scope: Any, receive: Any, send: Any) -> None:
        del scope, receive
        await send({"type": "http.response.start", "status": 500, "headers": []})
        await send({"type": "http.response.body", "body": b"sorry"})
        raise ZeroDivisionError(SECRET)

    sent = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {}

    log = AccessLog(str(tmp_path / "log"))
    scope = {"type": "http", "method": "BREW", "path": "/", "query_string": b"", "headers": []}
    to_the_end(RequestObserver(faulty, log=log)(scope, receive, send))
    log.close()
    request_id = json.loads((tmp_path / "log").read_text())["id"]
    assert (b"x-request-id", request_id.encode()) in sent[0]["headers"]
    assert f"request {request_id}" in caplog.text
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize("kind", ["file", "abstract"])
def test_systemd_is_told_that_the_server_is_ready(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    name = str(tmp_path / "notify") if kind == "file" else f"@permacite-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind(name.replace("@", "\0", 1))
        channel.settimeout(20)
        monkeypatch.setenv("NOTIFY_SOCKET", name)
        with served(archive):
            assert channel.recv(100) == b"READY=1"


@pytest.mark.parametrize(
    ("method", "path", "status", "allowed"),
    [
        ("GET", "/-/nothing", 404, None),
        ("PUT", "/-/search", 405, "GET, HEAD"),
        ("DELETE", "/-/api/cite", 405, "POST"),
        ("GET", "/web/yesterday", 404, None),
        ("GET", "/uri-res/a/b", 404, None),
    ],
)
def test_addresses_of_ours_that_are_none_are_not_taken_for_names(
    running: Running, method: str, path: str, status: int, allowed: str | None
) -> None:
    answer = ask(running.base, path, method)
    assert (answer.status, answer.headers.get("allow")) == (status, allowed), answer.body
