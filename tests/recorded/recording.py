"""Record a scripted archive: exit statuses and output of commands, HTTP answers, catalog, log.

The permacite of any working copy is driven from outside, so two commits can be compared. Each
record is a text with one line per command, request or row, for people to compare; what was digested
stands whole beside it, in the folders `commands` and `answers`.
"""

from __future__ import annotations

import contextlib
import fcntl
import gzip
import hashlib
import http.client
import io
import json
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.recorded import commands, corpus, questions

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["GOLDEN", "ROOT", "TEXTS", "record"]

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests/golden/recorded"
TEXTS = ("commands", "answers", "openapi", "catalog", "catalog-after-serving")

_TYPES = {
    ".html": "text/html;charset=utf-8",
    ".css": "text/css",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".svg": "image/svg+xml",
    ".ico": "image/x-icon",
    ".txt": "text/plain;charset=utf-8",
    ".wav": "audio/wav",
    ".woff2": "font/woff2",
}
_SITE = ("127.83.0.1", 8327)
_SERVER = ("127.83.0.2", 8328)

_LEFT_OUT = {"date", "server", "content-length", "x-request-id", "server-timing"}
"""Header fields that tell of one run, or that follow from the body."""

_OF_SIGNATURES = {"etag", "repr-digest", "content-digest"}
"""Header fields that differ where the body has a signature that differs."""

_RULES = [
    (re.compile(rb"/-/static/[0-9a-z]{6,}/"), b"/-/static/EDITION/"),
    (re.compile(rb"\b\d+([.]\d+)? (ms|s|seconds)\b"), b"TIME"),
    (re.compile(rb"permacite/[0-9.]+"), b"permacite/VERSION"),
    # The zip in a page, without the line end of its last line, which may be a whole one.
    (re.compile(rb"(?:[A-Za-z0-9+/]{76}\n){19,}[A-Za-z0-9+/=]{1,76}"), b"SIGNATURE"),
    (re.compile(rb'id="bundle">[0-9a-f]{64}'), b'id="bundle">SIGNATURE'),
    (re.compile(rb"[A-Za-z0-9+/]{1000,}=*"), b"SIGNATURE"),  # ML-DSA draws its own random bytes
]
"""What differs from run to run, and what stands for it."""


@dataclass
class Record:
    """A folder that a run is recorded in."""

    folder: Path
    work: Path

    def write(self, name: str, lines: list[str]) -> None:
        """Write one text."""
        (self.folder / f"{name}.txt").write_text("\n".join(lines) + "\n")

    def normalised(self, content: bytes) -> bytes:
        """Return what does not differ from run to run."""
        content = content.replace(str(self.work).encode(), b"WORK")
        for pattern, stand_in in _RULES:
            content = pattern.sub(stand_in, content)
        return content


def record(tree: Path, folder: Path) -> None:
    """Record the permacite of the working copy `tree` in `folder`, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    lock = Path(tempfile.gettempdir()) / "permacite-recorded.lock"
    with lock.open("w") as held, tempfile.TemporaryDirectory(prefix="recorded-") as work:
        fcntl.flock(held, fcntl.LOCK_EX)  # the addresses are the same in every run
        _record(tree, Record(folder, Path(work).resolve()))


def _record(tree: Path, kept: Record) -> None:
    corpus.write(kept.work / "corpus")
    with _launched(tree) as launcher, _site(kept.work / "corpus/site"):
        run = _Run(kept, launcher)
        before, changed = commands.BEFORE_SERVING
        for each in before:
            run.command(each)
        page = kept.work / "corpus/site/storm.html"
        page.write_bytes((kept.work / "corpus/changed/storm.html").read_bytes())
        for each in changed:
            run.command(each)
        _catalog(kept, "catalog")
        run.serve(["--writable"], questions.private(run.secrets()))
        run.serve(["--public", "--base-path", "/archive"], questions.public())
        for each in commands.AFTER_SERVING:
            run.command(each)
        _catalog(kept, "catalog-after-serving")
        kept.write("commands", run.commands)
        kept.write("answers", run.answers)
        kept.write("openapi", _openapi(kept.folder / "answers" / "openapi"))


class _Launcher:
    """Runs commands in forks of one process of the working copy."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, **task: Any) -> int:
        """Return the exit status of a command, or the process of a server."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(task) + "\n")
        return int(self._process.stdout.readline())


@contextlib.contextmanager
def _launched(tree: Path) -> Iterator[_Launcher]:
    python = tree / ".venv/bin/python"
    environment = {"PATH": "", "PYTHONPATH": str(tree / "src"), "PYTHONHASHSEED": "0"}
    words = [str(python) if python.exists() else sys.executable]
    words += [str(Path(__file__).with_name("launcher.py"))]
    with subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        cwd=tree,
        text=True,
        bufsize=1,
    ) as process:
        yield _Launcher(process)
        assert process.stdin is not None
        process.stdin.close()


@contextlib.contextmanager
def _site(folder: Path) -> Iterator[None]:
    """Serve a folder on loopback."""

    class Handler(BaseHTTPRequestHandler):
        server_version, sys_version = "BaseHTTP/0.6", "Python/3.11.7"

        def do_GET(self) -> None:
            name = self.path.partition("?")[0].lstrip("/")
            path = folder / (name + "today.html" if name.endswith("/") else name)
            is_there = path.is_file()
            body = path.read_bytes() if is_there else b"nothing here"
            self.send_response(200 if is_there else 404)
            self.send_header("Content-Type", _TYPES.get(path.suffix, "text/plain"))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def date_time_string(self, timestamp: float | None = None) -> str:
            del timestamp
            return "Sun, 22 Nov 2026 09:30:00 GMT"

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(_SITE, Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield
        server.shutdown()


class _Run:
    """One run: a clock that goes on by a minute with each command."""

    def __init__(self, kept: Record, launcher: _Launcher) -> None:
        self._kept = kept
        self._launcher = launcher
        self._number = 0
        self.commands: list[str] = []
        self.answers: list[str] = []
        (kept.folder / "commands").mkdir()
        (kept.folder / "answers").mkdir()

    def _task(self, words: list[str], name: str) -> dict[str, Any]:
        self._number += 1
        home = str(self._kept.work)
        environment = {"HOME": home, "COLUMNS": "200", "PATH": "", "LANG": "C.UTF-8", "TZ": "UTC"}
        return {
            "words": words,
            "now": corpus.CLOCK + 60 * self._number,
            "folder": home,
            "environment": environment,
            "out": str(self._kept.folder / "commands" / f"{name}.out"),
            "err": str(self._kept.folder / "commands" / f"{name}.err"),
        }

    def command(self, command: commands.Command) -> None:
        """Run one command; keep what it printed, and a line about it."""
        name = f"{self._number:03}-{re.sub('[^a-z]+', '-', command.line)[:30].strip('-')}"
        task = self._task(command.words, name)
        if command.input:
            task["input"] = command.input
        status = self._launcher.ask(**task)
        said = []
        for stream in ("out", "err"):
            path = Path(task[stream])
            content = self._kept.normalised(path.read_bytes())
            path.write_bytes(content)
            said.append(f"{stream} {_digest(content)}" if content else f"no {stream}")
        self.commands.append(f"{status} | {', '.join(said)} | {command.line}")

    def secrets(self) -> list[str]:
        """Return the tokens that were added."""
        added = sorted((self._kept.folder / "commands").glob("*-token-add-*.out"))
        return [json.loads(path.read_bytes())["secret"] for path in added]

    def serve(self, options: list[str], asked: list[questions.Question]) -> None:
        """Start a server, ask it, and end it."""
        host, port = _SERVER
        words = ["--archive", "archive", "serve", "--host", host, "--port", str(port), *options]
        process = self._launcher.ask(serves=True, **self._task(words, f"{self._number:03}-serve"))
        try:
            _wait_for(host, port)
            for question in asked:
                self._ask(question)
        finally:
            status = self._launcher.ask(end=process)
        self.commands.append(f"{status} | serve {' '.join(options)}")

    def _ask(self, question: questions.Question) -> None:
        connection = http.client.HTTPConnection(*_SERVER, timeout=30)
        body = question.body
        connection.request(question.method, question.path, body, dict(question.fields))
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        if answer.getheader("Content-Encoding") == "gzip":
            content = gzip.decompress(content)
        content = self._kept.normalised(_unzipped(content))
        fields = sorted((name.lower(), value) for name, value in answer.getheaders())
        left_out = _LEFT_OUT | (_OF_SIGNATURES if b"SIGNATURE" in content else set())
        head = "\n".join(f"{name}: {value}" for name, value in fields if name not in left_out)
        head = self._kept.normalised(head.encode()).decode()
        name = question.name or f"{len(self.answers):03}"
        kept = f"{question}\n\n{answer.status}\n{head}\n\n".encode() + content
        (self._kept.folder / "answers" / name).write_bytes(kept)
        kind = dict(fields).get("content-type", "-").partition(";")[0]
        code = _code_of(content) if "problem" in kind else ""
        self.answers.append(
            f"{answer.status} {kind}{code} | fields {_digest(head.encode())}, body"
            f" {_digest(content)} | {question}"
        )


def _unzipped(content: bytes) -> bytes:
    """Return what a zip file holds, since libraries differ in how they compress."""
    if not content.startswith(b"PK"):
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as files:
        return b"".join(
            b"== %s\n%s\n" % (name.encode(), _unzipped(files.read(name)))
            for name in files.namelist()
        )


def _wait_for(host: str, port: int) -> None:
    for _ in range(600):
        with contextlib.suppress(OSError):
            connection = http.client.HTTPConnection(host, port, timeout=5)
            connection.request("GET", "/-/health")
            connection.getresponse().read()
            connection.close()
            return
        time.sleep(0.05)
    raise TimeoutError("the server did not start")


def _code_of(content: bytes) -> str:
    with contextlib.suppress(ValueError):
        return f" {json.loads(content).get('code')}"
    return " ?"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def _catalog(kept: Record, name: str) -> None:
    """Write every table: its columns, its rows in the order of their digests, its triggers."""
    lines = []
    whole = kept.folder / name
    whole.mkdir()
    with contextlib.closing(sqlite3.connect(kept.work / "archive/catalog.sqlite")) as catalog:
        for (version,) in catalog.execute("PRAGMA user_version"):
            lines.append(f"user_version {version}")
        entries = catalog.execute(
            "SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2"
        ).fetchall()
        for kind, title, words in entries:
            if kind == "table":
                lines.append(_table(catalog, title, whole))
            lines.append(f"{kind} {title}: {_digest(_plain(words or '').encode())}")
            (whole / f"{kind}-{title}.sql").write_text(_plain(words or "") + "\n")
    kept.write(name, lines)


def _plain(words: str) -> str:
    """Return SQL without comments, and with one space between words."""
    return " ".join(re.sub(r"--[^\n]*", " ", words).replace("(", " ( ").replace(")", " ) ").split())


def _shown(value: object) -> object:
    """Return a value of a row: bytes as text where they are text, else in hexadecimal."""
    if not isinstance(value, bytes):
        return value
    try:
        return f"bytes {value.decode('ascii')}"
    except UnicodeDecodeError:
        return value.hex()


def _table(catalog: sqlite3.Connection, title: str, whole: Path) -> str:
    columns = [str(row[1]) for row in catalog.execute(f'PRAGMA table_info("{title}")')]
    rows = sorted(
        _RULES[-1][0]
        .sub(b"SIGNATURE", json.dumps([_shown(value) for value in row]).encode())
        .decode()
        for row in catalog.execute(f'SELECT * FROM "{title}"')  # noqa: S608 - its own
    )
    text = "\n".join(rows)
    (whole / f"{title}.txt").write_text(f"{' '.join(columns)}\n{text}\n")
    return f"{title} ({', '.join(columns)}): {len(rows)} rows, {_digest(text.encode())}"


def _openapi(path: Path) -> list[str]:
    """Digest each path and each schema of the description, without its prose."""
    described = json.loads(path.read_bytes().partition(b"\n\n")[2].partition(b"\n\n")[2])
    lines = []
    for name, item in described["paths"].items():
        lines.append(f"{name}: {' '.join(item)} {_digest(_canonical(item))}")
    for kind, items in described.get("components", {}).items():
        lines += [f"{kind} {name}: {_digest(_canonical(item))}" for name, item in items.items()]
    return lines


def _canonical(value: object) -> bytes:
    return json.dumps(_without_prose(value), sort_keys=True).encode()


def _without_prose(value: object) -> object:
    if isinstance(value, dict):
        prose = {"description", "summary"}
        return {key: _without_prose(each) for key, each in value.items() if key not in prose}
    return [_without_prose(each) for each in value] if isinstance(value, list) else value


def main() -> None:
    """Record: `python -m tests.recorded.recording TREE FOLDER`, or `--update-golden`."""
    if sys.argv[1:] == ["--update-golden"]:
        with tempfile.TemporaryDirectory() as folder:
            record(ROOT, Path(folder) / "now")
            for name in TEXTS:
                shutil.copy(Path(folder) / "now" / f"{name}.txt", GOLDEN)
    else:
        record(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).absolute())


if __name__ == "__main__":
    main()
