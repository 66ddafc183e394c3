"""Several processes that answer for one archive, and answers that are given while they hold."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.faces.conftest import served
from tests.faces.test_witnesses import ADD
from tests.needs import need

from permacite.service.mirroring.following import follow
from permacite.web.routes.saving import Save, Saves

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faces.conftest import Running, Site

pytestmark = pytest.mark.engines(deep=True)

WORDS = b"The harbour is closed.\r\n"


def ask(
    running: Running,
    target: str,
    method: str = "GET",
    body: bytes = b"",
    fields: dict[str, str] | None = None,
) -> tuple[int, dict[str, str], bytes]:
    """Send a request on a connection of its own."""
    with closing(http.client.HTTPConnection(running.base[len("http://") :], timeout=30)) as line:
        line.request(method, target, body or None, fields or {})
        answer = line.getresponse()
        return answer.status, dict(answer.headers), answer.read()


def workers(running: Running) -> list[int]:
    """Return the processes of the workers; others decode."""
    command = [need("ps"), "-ww", "-o", "pid=,args=", "--ppid", str(running.process.pid)]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return [
        int(line.split()[0]) for line in listed.splitlines() if "web.serving.server import" in line
    ]


@pytest.mark.engines
def test_workers_share_an_archive_and_one_that_dies_is_replaced(archive: Path, site: Site) -> None:
    page = site.put("/a.html", "text/html", "<p>Saved.")
    with served(archive, "--writable", "--workers", "2") as running:
        assert len(workers(running)) == 2
        fields = {"Content-Type": "text/plain"}
        status, told, _ = ask(running, "/pdi://lab.example.us/", "PUT", WORDS, fields)
        assert status == 201
        name = told["content-location"]
        assert {ask(running, f"/{name}")[2] for _ in range(12)} == {WORDS}
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        status, told, _ = ask(running, "/-/save", "POST", f"to={page}".encode(), form)
        assert status == 303
        # Each worker knows of the save; that one answers is chance, so all are asked often enough.
        assert {ask(running, told["location"])[0] for _ in range(12)} <= {200, 303}
        dead = workers(running)[0]
        os.kill(dead, signal.SIGKILL)
        while dead in (now := workers(running)) or len(now) < 2:
            time.sleep(0.05)
        assert {ask(running, f"/{name}")[0] for _ in range(6)} == {200}
        left = workers(running)
        running.process.terminate()
        assert running.process.wait(30) == 0
        assert running.process.stderr is not None
        said = running.process.stderr.read()
        assert "ended with -9; another one takes its place" in said
        assert said.count(": served ") == 2
    for each in left:
        with pytest.raises(ProcessLookupError):
            os.kill(each, 0)


def test_workers_are_one_witness(archive: Path, tmp_path: Path) -> None:
    with served(archive, "--public") as origin:
        follow(origin.base, tmp_path / "mirror")
    options = ("--witness", str(tmp_path / "key"), "--workers", "2")
    with served(tmp_path / "mirror", *options) as running:
        keys = [line for line in running.told if "a witness, below" in line]
        assert keys
        assert len(keys) == len(set(keys))
        fields = {"Content-Type": "text/plain"}
        answers = {ask(running, ADD, "POST", b"old 0\n\n", fields)[0] for _ in range(6)}
        assert answers == {400}, "what is no checkpoint is read as one by each of them"


def test_workers_end_when_nobody_watches_them(archive: Path) -> None:
    with served(archive, "--workers", "2") as running:
        left = workers(running)
        running.process.kill()
        running.process.wait(30)
        while any(os.path.exists(f"/proc/{each}") for each in left):  # noqa: PTH110 - no path of ours
            time.sleep(0.02)


def test_what_is_remembered_is_forgotten_when_anybody_writes(archive: Path) -> None:
    with Archive.open(archive) as held, served(archive) as running:
        name = held.add(WORDS, name="notice.txt").pdi
        first = ask(running, f"/{name}")
        again = [ask(running, f"/{name}") for _ in range(2)]
        tag = first[1]["etag"]
        unchanged = [ask(running, f"/{name}", fields={"If-None-Match": tag}) for _ in range(2)]
        assert [(each[0], each[2]) for each in again] == [(200, WORDS)] * 2
        assert [(each[0], each[2]) for each in unchanged] == [(304, b"")] * 2
        for each in again:
            assert {k: v for k, v in each[1].items() if k not in {"x-request-id", "date"}} == {
                k: v for k, v in first[1].items() if k not in {"x-request-id", "date"}
            }
            assert each[1]["x-request-id"] != first[1]["x-request-id"]
        assert ask(running, f"/{name}", fields={"Accept": "application/json"})[1][
            "content-type"
        ] == ("application/json")
        assert ask(running, f"/{name}", fields={"Host": "other.example"})[0] == 400
        held.access.withdraw(name, reason="court-order")
        assert ask(running, f"/{name}")[0] == 410


def test_a_save_is_told_to_other_processes(tmp_path: Path) -> None:
    own, other = Saves(tmp_path), Saves(tmp_path)
    save = Save("http://a.example/", "")
    name = own.begin(save)
    assert other.find(name) == save
    assert own.under_way() == other.under_way() == 1
    save.pdi = "urn:pdi://lab.example.us/2026/11/23/1.html.1"
    own.tell(name)
    found = other.find(name)
    assert found is not None
    assert found.is_over
    assert other.under_way() == 0
    assert [other.find(each) for each in ("", "..", "../x", ".x", "x")] == [None] * 5


def test_a_save_of_a_process_that_died_is_over(tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait(30)
    name = Saves(tmp_path).begin(Save("http://a.example/", "", process=process.pid))
    found = Saves(tmp_path).find(name)
    assert found is not None
    assert found.problem == "the process that saved it has ended"
