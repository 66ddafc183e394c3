"""A server at a socket of the file system: who may open it, what was left behind, and systemd."""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import stat
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from tests.faces.test_http import Answer, names

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["names"]  # a fixture

HANDED = """
import os, socket, sys
from pathlib import Path
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
os.dup2(listener.fileno(), 3)
os.set_inheritable(3, True)
os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"}
os.execv(sys.executable, [sys.executable, "-m", "permacite", *sys.argv[2:]])
"""


def _ask(path: Path, target: str, body: bytes | None = None, **fields: str) -> Answer:
    with socket.socket(socket.AF_UNIX) as channel:
        channel.settimeout(20)
        channel.connect(str(path))
        connection = http.client.HTTPConnection("localhost")
        connection.sock = channel
        told = {name.replace("_", "-"): value for name, value in fields.items()}
        connection.request("POST" if body else "GET", target, body, told)
        answer = connection.getresponse()
        named = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, named, answer.read())


@contextlib.contextmanager
def _running(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"}
    ) as process:
        assert process.stderr is not None
        told = ""
        for line in process.stderr:
            told += line
            if " answers; " in line:
                break
        else:
            pytest.fail(told)
        try:
            yield process
        finally:
            process.terminate()
            assert process.wait(30) == 0


def _at(archive: Path, path: Path, *options: str) -> list[str]:
    own = [sys.executable, "-m", "permacite", "--archive", str(archive)]
    return [*own, "serve", "--unix", str(path), *options]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_socket_is_answered_and_taken_away(
    archive: Path, names: dict[str, str], tmp_path: Path, workers: str
) -> None:
    path = tmp_path / "permacite.sock"
    with _running(_at(archive, path, "--workers", workers)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o660
        assert _ask(path, f"/{names['text']}").body == b"one\ntwo\nthree\n"
        # Nobody who comes there is on this machine, for a proxy is who opens it.
        cited = urlencode({"reference": names["text"], "quote": "two"}).encode()
        assert _ask(path, "/-/cite", cited).status == 401
    assert list(tmp_path.glob("*.sock*")) == []


def test_who_is_behind_a_socket_is_believed_where_it_is_named(
    archive: Path, names: dict[str, str], tmp_path: Path
) -> None:
    path, log = tmp_path / "permacite.sock", tmp_path / "log"
    told = {"X_Forwarded_For": "203.0.113.9", "X_Forwarded_Proto": "https"}
    options = ("--access-log", str(log), "--full-addresses")
    for named, scheme in ((("--forwarded-allow-ips", "unix"), "https"), ((), "http")):
        with _running(_at(archive, path, *options, *named)):
            led = _ask(path, f"/uri-res/N2L?{names['text']}", None, **told)
            assert led.headers["location"].startswith(f"{scheme}://localhost/")
        assert ('"203.0.113.9"' in log.read_text()) == bool(named)
        log.unlink()


def test_what_a_killed_server_left_is_replaced_and_nothing_else(
    archive: Path, tmp_path: Path
) -> None:
    path = tmp_path / "permacite.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))  # as whoever was killed leaves it
    with _running(_at(archive, path, "--unix-mode", "600")):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert _ask(path, "/-/health").body == b"ok\n"
        second = subprocess.run(_at(archive, path), check=False, capture_output=True, text=True)
        assert second.returncode == 1
        assert "in use" in second.stderr
        assert _ask(path, "/-/health").body == b"ok\n"
    path.write_text("a file")
    refused = subprocess.run(_at(archive, path), check=False, capture_output=True, text=True)
    assert (refused.returncode, path.read_text()) == (1, "a file")
    far = tmp_path / ("a" * 120)
    refused = subprocess.run(_at(archive, far), check=False, capture_output=True, text=True)
    assert refused.returncode == 1
    assert "too long" in refused.stderr


def test_a_socket_of_systemd_is_taken_as_it_is(archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "given.sock"
    words = ["--archive", str(archive), "serve", "--port", "0"]
    with _running([sys.executable, "-c", HANDED, str(path), *words]):
        assert _ask(path, "/-/ready").status == 200
    assert path.is_socket(), "it is not ours to take away"


@pytest.mark.parametrize("typed", ["rw", "6600", "8", "99"])
def test_what_is_no_mode_is_told(archive: Path, tmp_path: Path, typed: str) -> None:
    from permacite.cli.commands import run

    options = ["--unix", str(tmp_path / "s"), "--unix-mode", typed]
    assert run(["--archive", str(archive), "serve", *options]) == 2
