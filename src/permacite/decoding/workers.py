"""Pool of warm workers of one kind: queue, memory limits and timeouts.

A worker is started when none is free and there may be more, and is kept for the next job. It ends
after 100 jobs, after any fault, and when a job takes too long. Memory is one budget for all: a job
that asks for more than is free waits; one that asks for more than there is, is refused. If too many
wait, the next request fails with a request to retry.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from permacite import errors
from permacite.cache import Cache, KeyLocks
from permacite.decoding.kinds import KINDS
from permacite.decoding.messages import EndedError, answer, send
from permacite.errors import BusyError, PermaciteError
from permacite.extract import Excerpt
from permacite.renditions.stored import unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from permacite.decoding.messages import Message
    from permacite.extract import Stored
    from permacite.renditions import Original, Rendered, Rendition

__all__ = ["DecodingPool"]

_JOBS = 100
_START_S = 60.0
_SENTENCE = 2000
_BOOT = (
    "import sys; sys.path[:] = sys.argv[5:]; from permacite.decoding.worker import main;"
    " main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))"
)


class DecodingPool:
    """The workers of one kind. Any number of threads may use it; close it at the end."""

    def __init__(
        self,
        kind: str = "media",
        *,
        budget_bytes: int = 2 << 30,
        most: int | None = None,
        waiting: int = 32,
        job_s: float = 120.0,
        kept_bytes: int = 64 << 20,
        answer_bytes: int = 1 << 30,
        indexes_bytes: int = 32 << 20,
    ) -> None:
        """`budget_bytes`: what all jobs together may ask for. `waiting`: how many jobs may wait.

        `kept_bytes`: what the parts that were cut lately may take in this process, `indexes_bytes`:
        what the indexes of long sounds may. `answer_bytes`: what a part may take, and all parts
        that come in at once.
        """
        self._kind = KINDS[kind]
        self._budget = _Budget(budget_bytes)
        self._room = _Budget(answer_bytes)
        self._most = most or os.cpu_count() or 1
        self._waiting = waiting
        self._job_s = job_s
        self._kept: Cache[Excerpt] = Cache(kept_bytes, lambda excerpt: len(excerpt.data))
        self._indexes: Cache[bytes] = Cache(indexes_bytes, len)
        self._cutting = KeyLocks()
        self._changed = threading.Condition()
        self._idle: list[_Worker] = []
        self._busy = 0
        self._queued = 0
        self._closed = False

    def extract(
        self,
        content: bytes | Stored,
        media_type: str,
        fragment: str,
        *,
        preview: bool = False,
        digest: str | None = None,
    ) -> Excerpt:
        """Return the part that `fragment` names, or its preview, as `extract.extract` does.

        What is stored in a file is not read here: a worker maps it. `digest` is that of `content`;
        where it is given, the part may be one that was cut before, or is being cut for somebody
        else. Raises what that raises, BusyError where too many wait, and LimitError where decoding
        takes too much memory or time.
        """
        words: dict[str, object] = {
            "media_type": media_type,
            "fragment": fragment,
            "preview": preview,
        }
        if digest is None:
            return replace(_excerpt(*self.run(words, content))[0], derived=preview)
        key = (digest, media_type, fragment, "preview" if preview else "")
        with self._cutting.of(*key):
            excerpt = self._kept.get(*key)
            if excerpt is None:
                index = self._indexes.get(*key[:2]) or b""
                cut, made = _excerpt(*self.run(words, content, along=index))
                excerpt = replace(cut, derived=preview)
                self._kept.put(excerpt, *key)
                if len(made) > len(index):
                    self._indexes.put(made, *key[:2])
        return excerpt

    def render(self, original: Original, rendition: Rendition[Any]) -> Rendered:
        """Return the text of a document as `rendition` makes it; raises what that raises.

        BusyError and LimitError as `extract` does.
        """
        words: dict[str, object] = {
            "rendition": str(rendition),
            "media_type": original.media_type,
            "codec": original.codec,
        }
        return unpack(*self.run(words, original.content[:]))

    def run(
        self, words: dict[str, object], content: bytes | Stored, *, along: bytes = b""
    ) -> tuple[dict[str, object], bytes]:
        """Have a job done, with octets that go along; return its words and octets."""
        with self._place() as place:
            for worker in self._candidates(place):
                with self._budget.share() as admit, self._room.share() as room:
                    task = _Task(words, content, admit, room, along)
                    done = worker.run(task, self._job_s)
                    if done is not None:
                        return done
        raise PermaciteError("workers that decode end before they begin")

    def holds(self) -> tuple[str, ...]:
        """Say what a worker has given up, such as "Landlock 7"; it is started if need be."""
        with self._place() as place:
            return next(self._candidates(place)).holds

    def load(self) -> tuple[int, int]:
        """How many jobs are done at this moment, and how many wait."""
        with self._changed:
            return self._busy, self._queued

    def close(self) -> None:
        """End the workers that are idle; those at work end after their jobs."""
        with self._changed:
            self._closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.end()

    # ------------------------------------------------------------ who gets a worker

    @contextlib.contextmanager
    def _place(self) -> Iterator[list[_Worker]]:
        """Wait for a place to work in; give back the worker that is left in it, if it is of use."""
        with self._changed:
            if self._busy >= self._most and self._queued >= self._waiting:
                raise BusyError("too many documents wait to be decoded", retry_after_s=5)
            self._queued += 1
            try:
                self._changed.wait_for(lambda: self._busy < self._most)
            finally:
                self._queued -= 1
            self._busy += 1
            place = [self._idle.pop()] if self._idle else []
        try:
            yield place
        finally:
            with self._changed:
                self._busy -= 1
                kept = [worker for worker in place if worker.usable and not self._closed]
                self._idle += kept
                self._changed.notify()
            for worker in place:
                if worker not in kept:
                    worker.end()

    def _candidates(self, place: list[_Worker]) -> Iterator[_Worker]:
        """Yield the warm worker, then a fresh one: a warm one may have died while it was idle."""
        yield from place
        for worker in place:
            worker.end()
        place[:] = [_Worker(self._kind.name, self._budget.total, self._room.total)]
        yield place[0]


class _Budget:
    """Memory that jobs share."""

    def __init__(self, total: int) -> None:
        self.total = total
        self._free = total
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def share(self) -> Iterator[Callable[[int], bool]]:
        """Give one job a way to ask, and take back what it got. An ask waits, unless it is vain."""
        taken = 0

        def admit(octets: int) -> bool:
            nonlocal taken
            with self._changed:
                # Who holds a share already must not wait for others who may wait for it.
                if octets > self.total or (taken and octets > self._free):
                    return False
                self._changed.wait_for(lambda: octets <= self._free)
                self._free -= octets
                taken += octets
                return True

        try:
            yield admit
        finally:
            with self._changed:
                self._free += taken
                self._changed.notify_all()


class _Task(NamedTuple):
    """What is to be done, and whom to ask for memory on the way, and for room for the answer.

    `along`: octets that go along with those of the object.
    """

    words: dict[str, object]
    content: bytes | Stored
    admit: Callable[[int], bool]
    room: Callable[[int], bool]
    along: bytes = b""


class _Worker:
    """One process, and the channel to it."""

    def __init__(self, kind: str, budget_bytes: int, answer_bytes: int) -> None:
        """Start it, and wait until its doors are closed. Raises PermaciteError."""
        self._channel, theirs = socket.socketpair()
        self._jobs = 0
        self.usable = True
        with theirs:
            descriptor = theirs.fileno()
            words = [str(descriptor), kind, str(budget_bytes), str(answer_bytes)]
            self._process = subprocess.Popen(  # noqa: S603 - ourselves
                [sys.executable, "-I", "-c", _BOOT, *words, *filter(None, sys.path)],
                env={"MALLOC_ARENA_MAX": "1"},  # to shrink another one, glibc opens a file
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[descriptor],
                start_new_session=True,  # the user's Ctrl-C is for the command, not for its workers
            )
        try:
            self._channel.settimeout(_START_S)
            said = self._hear().words
        except (EndedError, TimeoutError) as error:
            self.end()
            raise PermaciteError("a worker that decodes does not start") from error
        holds = said.get("holds")
        if not isinstance(holds, list):
            self.end()
            raise _error(said.get("error"))
        self.holds = tuple(map(str, holds))

    def run(self, task: _Task, job_s: float) -> tuple[dict[str, object], bytes] | None:
        """Have a job done; None where the process had ended before. Raises errors of ours."""
        self._jobs += 1
        end = time.monotonic() + job_s
        try:
            self._channel.settimeout(job_s)
            if not self._begin(task):
                return None
            answered = self._answer(task, end)
        except TimeoutError as error:
            self._fail()
            raise errors.LimitError(
                f"decoding it takes more than {job_s:.0f} seconds", limit="time", maximum=int(job_s)
            ) from error
        except EndedError as error:
            self._fail()
            raise errors.DecodingError(
                "it cannot be decoded: the decoder broke down over it, or took too much computing"
            ) from error
        self.usable = self._jobs < _JOBS
        said = answered.words.get("answer")
        if isinstance(said, dict):
            return said, answered.octets
        raise _error(answered.words.get("error"))

    def _begin(self, task: _Task) -> bool:
        """Hand over a job; False where the process had ended while it was idle."""
        words = task.words | {"along_bytes": len(task.along)}
        try:
            with _handed(task.content) as (octets, descriptor):
                send(self._channel, words, octets + task.along, descriptor)
            return bool(self._hear().words.get("begun"))
        except EndedError:
            self._fail()
            return False

    def _hear(self) -> Message:
        """Wait for words that no octets come with."""
        return answer(self._channel, lambda _: False)

    def _answer(self, task: _Task, end: float) -> Message:
        """Wait for the answer, and grant memory on the way."""
        while True:
            self._channel.settimeout(max(0.001, end - time.monotonic()))
            message = answer(self._channel, task.room)
            ask = message.words.get("ask")
            if not isinstance(ask, int):
                return message
            send(self._channel, {"granted": ask >= 0 and task.admit(ask)})

    def _fail(self) -> None:
        self.usable = False
        self.end()

    def end(self) -> None:
        """Close the channel, at which an idle worker ends by itself; kill one that is not."""
        self._channel.close()
        self._process.kill()
        self._process.wait()


@contextlib.contextmanager
def _handed(content: bytes | Stored) -> Iterator[tuple[bytes, int | None]]:
    """Yield what goes along with a request: a descriptor of the octets, or themselves."""
    if not isinstance(content, bytes):
        if content.descriptor is not None:
            yield b"", content.descriptor
            return
        content = content.whole()
    if not hasattr(os, "memfd_create"):
        yield content, None
        return
    with _sealed(content) as descriptor:
        yield b"", descriptor


@contextlib.contextmanager
def _sealed(content: bytes) -> Iterator[int]:
    """Yield a descriptor of the octets that nobody can write to."""
    import fcntl

    descriptor = os.memfd_create("object", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(descriptor, view) :]
        seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
        yield descriptor
    finally:
        os.close(descriptor)


def _excerpt(said: dict[str, object], octets: bytes) -> tuple[Excerpt, bytes]:
    """What a worker cut out, and the index that it made.

    What it says is checked like anything from outside. An index is read by workers alone.
    """
    made = said.get("index_bytes")
    size = len(octets) - (made if isinstance(made, int) and 0 <= made <= len(octets) else 0)
    media_type, digest = said.get("media_type"), said.get("digest")
    clipped, damaged = said.get("clipped"), said.get("damaged")
    if not (
        isinstance(media_type, str)
        and isinstance(digest, str)
        and isinstance(clipped, bool)
        and isinstance(damaged, bool)
    ):
        raise PermaciteError("the decoder's answer is not an excerpt")
    excerpt = Excerpt(octets[:size], media_type, None, None, clipped, digest, damaged)
    return excerpt, octets[size:]


_ERRORS: dict[str, type[PermaciteError]] = {
    kind.code: kind
    for kind in (
        PermaciteError,
        errors.DecodingError,
        errors.LimitError,
        errors.NotFoundError,
        errors.ParseError,
    )
}


def _error(said: object) -> PermaciteError:
    """Return the error that a worker reports."""
    words = said if isinstance(said, dict) else {}
    problem, hint = (str(words.get(name, ""))[:_SENTENCE] for name in ("problem", "hint"))
    kind = _ERRORS.get(str(words.get("code")), PermaciteError)
    fields = {name: _plain(words.get(name)) for name in kind.fields}
    if kind is PermaciteError or None in fields.values():
        return PermaciteError(problem or "it cannot be decoded", hint=hint)
    return kind(problem, **fields, hint=hint)


def _plain(value: object) -> str | int | tuple[str, ...] | None:
    if isinstance(value, list):
        return tuple(str(one)[:_SENTENCE] for one in value[:100])
    if isinstance(value, str):
        return value[:_SENTENCE]
    return value if isinstance(value, int) else None
