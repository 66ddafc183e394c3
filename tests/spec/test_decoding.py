"""Decoding in worker processes: the same parts, the same errors, and confinement."""

from __future__ import annotations

import io
import json
import mmap
import os
import signal
import struct
import subprocess
import sys
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from permacite.decoding.workers import DecodingPool, _Task, _Worker
from permacite.errors import (
    BusyError,
    DecodingError,
    LimitError,
    NotFoundError,
    ParseError,
    PermaciteError,
)
from permacite.extract import extract

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("av", reason="needs the media extra")
images = pytest.importorskip("PIL.Image", reason="needs the media extra")

RATE = 8000


@pytest.fixture(scope="module")
def workers() -> Iterator[DecodingPool]:
    """Return workers for this whole file."""
    made = DecodingPool(most=2)
    yield made
    made.close()


def picture(kind: str = "PNG", size: tuple[int, int] = (64, 48)) -> bytes:
    """Return a picture in which no two rows and no two columns are alike."""
    made = images.new("RGB", size)
    made.putdata(
        [(x % 256, y % 256, (x + y) % 256) for y in range(size[1]) for x in range(size[0])]
    )
    target = io.BytesIO()
    made.save(target, kind)
    return target.getvalue()


def animation() -> bytes:
    """Return a GIF of three frames."""
    frames = [images.new("RGB", (8, 8), (colour, 0, 0)) for colour in (0, 99, 255)]
    target = io.BytesIO()
    frames[0].save(target, "GIF", save_all=True, append_images=frames[1:])
    return target.getvalue()


def sound() -> bytes:
    """Return a second of a sound as a WAV file."""
    samples = struct.pack(f"<{RATE}h", *range(RATE))
    form = struct.pack("<HHIIHH", 1, 1, RATE, 2 * RATE, 2, 16)
    body = b"WAVEfmt " + struct.pack("<I", len(form)) + form
    body += b"data" + struct.pack("<I", len(samples)) + samples
    return b"RIFF" + struct.pack("<I", len(body)) + body


def video() -> bytes:
    """Return ten frames of video."""
    import av

    target = io.BytesIO()
    with av.open(target, "w", format="matroska") as out:
        stream = out.add_stream("ffv1", rate=10)
        stream.width, stream.height, stream.pix_fmt = 32, 24, "yuv420p"
        for number in range(10):
            frame = av.VideoFrame(32, 24, "yuv420p")
            for plane in frame.planes:
                plane.update(bytes([number * 20]) * plane.buffer_size)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return target.getvalue()


def chunk(name: bytes, data: bytes) -> bytes:
    """Return a chunk of a PNG."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def bomb(width: int, height: int, depth: int = 8) -> bytes:
    """Return a small PNG whose header asks for a large picture."""
    head = struct.pack(">IIBBBBB", width, height, depth, 2, 0, 0, 0)
    pixels = zlib.compress(b"\0" * 4096)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


PARTS = [
    # what, media type, fragment
    *[(kind, f"image/{kind}", "rect=(1,2),(9,11)") for kind in ("png", "jpeg", "webp", "tiff")],
    ("gif", "image/gif", "rect=(1,2),(7,8),2"),
    ("wav", "audio/wav", "msec=100,250"),
    ("still", "video/matroska", "rect=(1,2),(9,11),3"),
    ("clip", "video/matroska", "msec=200,600"),
    ("crop", "video/matroska", "crop=msec,200,600,(2,2),(10,12)"),
]


def document(what: str) -> bytes:
    """Return the document that a row of PARTS cuts."""
    made = {"gif": animation, "wav": sound, "still": video, "clip": video, "crop": video}
    return made[what]() if what in made else picture(what.upper())


@pytest.mark.parametrize(
    ("what", "media_type", "fragment"), PARTS, ids=[f"media-apart-{row[0]}" for row in PARTS]
)
def test_a_worker_cuts_what_a_library_would(
    workers: DecodingPool, what: str, media_type: str, fragment: str
) -> None:
    content = document(what)
    assert workers.extract(content, media_type, fragment) == extract(content, media_type, fragment)


FAULTS = [
    # id, content, media type, fragment, the error
    ("grammar", picture(), "image/png", "rect=(1,2),9", ParseError),
    ("outside", picture(), "image/png", "rect=(900,900),(901,901)", NotFoundError),
    ("broken", picture()[:90], "image/png", "rect=(1,2),(3,4)", DecodingError),
    ("another-format", b"ffconcat version 1.0\n", "audio/wav", "sec=0,1", DecodingError),
    ("too-large", bomb(1 << 20, 1 << 20), "image/png", "rect=(1,2),(3,4)", LimitError),
    ("too-large-and-deep", bomb(30_000, 30_000, 16), "image/png", "rect=(1,2),(3,4)", LimitError),
    ("empty", b"", "video/mp4", "sec=0,1", DecodingError),
]


@pytest.mark.parametrize(
    ("content", "media_type", "fragment", "kind"),
    [row[1:] for row in FAULTS],
    ids=[f"media-apart-{row[0]}" for row in FAULTS],
)
def test_errors_are_those_of_the_library(
    workers: DecodingPool,
    content: bytes,
    media_type: str,
    fragment: str,
    kind: type[PermaciteError],
) -> None:
    with pytest.raises(PermaciteError) as here:
        extract(content, media_type, fragment)
    with pytest.raises(PermaciteError) as apart:
        workers.extract(content, media_type, fragment)
    assert type(here.value) is type(apart.value) is kind
    assert str(apart.value) == str(here.value)


class File:
    """A file in a store, which is not to be read here; close it."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        self.close = self._file.close

    @property
    def descriptor(self) -> int:
        """Its descriptor, as a store has it."""
        return self._file.fileno()

    def whole(self) -> bytes:
        """Raise: whoever wants all octets has read them."""
        raise AssertionError


@pytest.mark.parametrize(
    ("what", "media_type", "fragment"), PARTS, ids=[f"media-apart-file-{row[0]}" for row in PARTS]
)
def test_a_file_is_mapped_and_not_read_here(
    workers: DecodingPool, tmp_path: Path, what: str, media_type: str, fragment: str
) -> None:
    content = document(what)
    path = tmp_path / "kept"
    path.write_bytes(content)
    with closing(File(path)) as file:
        apart = workers.extract(file, media_type, fragment)
    assert apart == extract(content, media_type, fragment)
    with (
        path.open("rb") as opened,
        mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
    ):
        assert extract(mapped, media_type, fragment) == extract(content, media_type, fragment)


def test_an_empty_file_is_refused(workers: DecodingPool, tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.touch()
    with closing(File(path)) as file, pytest.raises(PermaciteError, match="cannot be decoded"):
        workers.extract(file, "image/png", "rect=(0,0),(1,1)")


@pytest.mark.skipif(sys.platform != "linux", reason="what is mapped and gone ends the process here")
def test_a_file_that_is_cut_short_underneath_costs_one_worker(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_bytes(picture("PNG", (600, 400)))
    words: dict[str, object] = {"media_type": "image/png", "fragment": "rect=(0,0),(600,400)"}
    worker = _Worker("media", 1 << 30, 1 << 30)

    def cut_short(_: int) -> bool:
        os.truncate(path, 0)
        return True

    with closing(File(path)) as file, pytest.raises(PermaciteError, match="broke down"):
        worker.run(_Task(words, file, cut_short, cut_short), 60.0)
    assert not worker.usable


# ---------------------------------------------------------------- doors

TRIED = """
import ctypes, fcntl, json, mmap, os, socket, subprocess, sys, threading
from permacite.decoding.worker import confine
holds = confine(memory_bytes=1 << 33, descriptors=32)
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(8192)
page = ctypes.c_void_p(ctypes.addressof(buffer) + 4095 & ~4095)
def call(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)
ATTEMPTS = {
    "open": lambda: open("/etc/hostname"),
    "create": lambda: open(sys.argv[1], "w"),
    "list": lambda: os.listdir("/"),
    "stat": lambda: os.stat("/etc/hostname"),
    "remove": lambda: os.unlink(sys.argv[1]),
    "socket": lambda: socket.socket(),
    "pair": lambda: socket.socketpair(),
    "fork": os.fork,
    "vfork": lambda: subprocess.run(["/bin/true"]),
    "exec": lambda: os.execv("/bin/true", ["true"]),
    "kill": lambda: os.kill(os.getppid(), 0),
    "trace": lambda: call("ptrace", 0, 0, 0, 0),
    "memfd": lambda: os.memfd_create("x"),
    "owner": lambda: fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid()),
    "code": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC),
    "make-code": lambda: call("mprotect", page, 4096, 7),
}
done = []
for name, attempt in ATTEMPTS.items():
    try:
        attempt()
    except OSError:
        continue
    done.append(name)
gathered = bytearray(64 << 20)
thread = threading.Thread(target=lambda: done.append("a thread"))
thread.start()
thread.join()
print(json.dumps([holds, done]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the doors are those of Linux")
def test_nothing_can_be_opened_or_started_behind_closed_doors(tmp_path: Path) -> None:
    command = [sys.executable, "-c", TRIED, str(tmp_path / "made")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    holds, succeeded = json.loads(done.stdout)
    assert {"limits", "no new privileges", "seccomp"} <= set(holds)
    assert succeeded == ["a thread"]


def test_a_worker_says_what_holds(workers: DecodingPool) -> None:
    assert "limits" in workers.holds()


# ---------------------------------------------------------------- limits and accidents


def worker_of(workers: DecodingPool) -> int:
    """Return the process of the one worker that is idle."""
    (worker,) = workers._idle  # noqa: SLF001 - whom to kill
    return worker._process.pid  # noqa: SLF001 - the same


def test_a_worker_that_died_while_idle_is_replaced() -> None:
    workers = DecodingPool(most=1)
    try:
        workers.holds()
        before = worker_of(workers)
        os.kill(before, signal.SIGKILL)
        assert workers.extract(picture(), "image/png", "rect=(0,0),(4,4)").media_type == "image/png"
        assert worker_of(workers) != before
    finally:
        workers.close()


def test_a_worker_ends_after_a_hundred_jobs() -> None:
    workers = DecodingPool(most=1)
    content = picture(size=(4, 4))
    try:
        processes = set()
        for _ in range(102):
            workers.extract(content, "image/png", "rect=(0,0),(2,2)")
            processes |= {worker._process.pid for worker in workers._idle}  # noqa: SLF001 - how many
        assert len(processes) == 2
    finally:
        workers.close()


def test_a_job_that_takes_too_long_is_ended() -> None:
    workers = DecodingPool(most=1, job_s=0.001)
    target = io.BytesIO()
    images.new("RGB", (6000, 6000)).save(target, "PNG")
    try:
        with pytest.raises(LimitError) as error:
            workers.extract(target.getvalue(), "image/png", "rect=(0,5990),(4,5994)")
        assert error.value.limit == "time"
        assert workers._idle == []  # noqa: SLF001 - it is not used again
    finally:
        workers.close()


def test_a_picture_larger_than_the_budget_is_refused_before_it_is_decoded() -> None:
    workers = DecodingPool(most=1, budget_bytes=16 << 20)
    try:
        with pytest.raises(LimitError) as error:
            workers.extract(bomb(4000, 4000), "image/png", "rect=(0,0),(4,4)")
        assert error.value.limit == "memory"
        assert workers.extract(picture(), "image/png", "rect=(0,0),(4,4)").data
    finally:
        workers.close()


def test_many_at_once_share_memory_and_workers_and_the_rest_come_back_later() -> None:
    workers = DecodingPool(most=2, waiting=4, budget_bytes=64 << 20)
    content = picture("JPEG", (600, 400))
    begun = threading.Barrier(40)

    def ask(_: int) -> str:
        begun.wait()
        try:
            return workers.extract(content, "image/jpeg", "rect=(0,0),(4,4)").digest
        except BusyError as error:
            return f"again in {error.retry_after_s} s"

    try:
        with ThreadPoolExecutor(40) as pool:
            answers = list(pool.map(ask, range(40)))
        right = extract(content, "image/jpeg", "rect=(0,0),(4,4)").digest
        assert set(answers) == {right, "again in 5 s"}
        assert answers.count(right) >= 6
        assert workers.extract(content, "image/jpeg", "rect=(0,0),(4,4)").digest == right
    finally:
        workers.close()


def test_a_part_that_was_cut_lately_is_not_cut_again() -> None:
    workers = DecodingPool(most=1)
    content = picture()
    try:
        first = workers.extract(content, "image/png", "rect=(0,0),(4,4)", digest="d")
        workers.close()
        assert workers._idle == []  # noqa: SLF001 - nobody is left to cut it
        assert workers.extract(b"", "image/png", "rect=(0,0),(4,4)", digest="d") is first
        with pytest.raises(PermaciteError):
            workers.extract(b"", "image/png", "rect=(0,0),(4,5)", digest="d")
    finally:
        workers.close()
