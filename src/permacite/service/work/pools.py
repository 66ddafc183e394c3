"""Worker pools: processes of this machine, or of a Ray cluster, that do jobs.

Each process has the archive open. One that dies is replaced; its job fails, with how the process
ended. Where this process itself dies, the others end after their jobs.

Ray (the extra `ray`) replaces only the processes of this machine. The queue says which jobs there
are, how often one is tried, and what its outcome was, so Ray repeats none by itself.
"""

from __future__ import annotations

import gc
import multiprocessing
import queue
import signal
from contextlib import ExitStack, contextmanager
from functools import cache
from multiprocessing import resource_tracker
from typing import TYPE_CHECKING, NamedTuple

from permacite.errors import PermaciteError, StorageError
from permacite.service.archive import Archive
from permacite.service.work.doing import Worker
from permacite.service.work.jobs import Job, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path

    from permacite.archive import Location

__all__ = ["ProcessPool", "RayPool"]

_END_S = 5
_TO_END = (signal.SIGINT, signal.SIGTERM)


class _Process(NamedTuple):
    process: BaseProcess
    line: Connection


class ProcessPool:
    """Processes of this machine, started when they are first needed. Threads may share it."""

    def __init__(self, location: Location, size: int) -> None:
        """`size`: how many processes."""
        self.size = size
        self._location = location
        self._idle: queue.SimpleQueue[_Process | None] = queue.SimpleQueue()
        for _ in range(size):
            self._idle.put(None)

    def do(self, job: Job, /) -> Outcome:
        """Do a job in a free process; wait for one if necessary."""
        member = self._idle.get()
        try:
            member = member or _started(self._location)
            member.line.send(job)
            outcome = member.line.recv()
        except (EOFError, OSError):
            self._idle.put(None)
            return Outcome(problem=f"the process that did it ended: {_ended(member)}")
        self._idle.put(member)
        assert isinstance(outcome, Outcome)  # noqa: S101 - ours
        return outcome

    def close(self) -> None:
        """End idle processes; a busy one ends after its job."""
        while not self._idle.empty():
            member = self._idle.get()
            if member is not None:
                _ended(member)


class RayPool:
    """Processes of a Ray cluster; each must be able to open the archive."""

    def __init__(self, location: Location, size: int, address: str) -> None:
        """Have `size` jobs done at once at the `address` of a cluster; "local" begins one here.

        Raises StorageError without Ray, and where no cluster answers.
        """
        self.size = size
        self._location = location if isinstance(location, str) else location.resolve()
        try:
            import ray
        except ImportError as error:
            problem, hint = "jobs on Ray need ray", "install permacite[ray]"
            raise StorageError(problem, path="ray", reason="missing", hint=hint) from error
        own = {"num_cpus": size, "include_dashboard": False} if address == "local" else {}
        try:
            ray.init(address, log_to_driver=False, logging_level="error", **own)
        except (ConnectionError, RuntimeError, ValueError) as error:
            problem = f"no Ray cluster answers: {error}"
            raise StorageError(problem, path="ray", reason="away") from error
        self._ray = ray
        self._task = ray.remote(max_retries=0, num_cpus=1)(_attempt_task)

    def do(self, job: Job, /) -> Outcome:
        """Do a job as a task, and wait for it."""
        try:
            outcome = self._ray.get(self._task.remote(self._location, job))
        except self._ray.exceptions.RayError as error:
            return Outcome(
                problem=f"{type(error).__name__}: {str(error).strip().partition('. ')[0]}"
            )
        assert isinstance(outcome, Outcome)  # noqa: S101 - ours
        return outcome

    def close(self) -> None:
        """Disconnect from the cluster; one that was started here ends."""
        self._ray.shutdown()


def _started(location: Location) -> _Process:
    """Start a new process, which inherits nothing."""
    context = multiprocessing.get_context("spawn")
    ours, its = context.Pipe()
    process = context.Process(target=_work, args=(its, location), name="permacite job", daemon=True)
    with _signals_blocked():
        process.start()
    its.close()
    return _Process(process, ours)


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Block SIGINT and SIGTERM, also in a process that is started here, until that unblocks them.

    A terminal signals all processes at once, and a new one would end before it has its handlers.
    """
    resource_tracker.ensure_running()  # it would unblock them
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _TO_END)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ended(member: _Process | None) -> str:
    """Close the connection to a process, and return how it ended."""
    if member is None:
        return "it could not be begun"
    member.line.close()
    member.process.join(_END_S)
    if member.process.exitcode is None:
        member.process.kill()
        member.process.join()
    code = member.process.exitcode or 0
    return (signal.strsignal(-code) or f"signal {-code}") if code < 0 else f"exit status {code}"


def _work(line: Connection, location: Location) -> None:
    """Do jobs until the connection closes. A signal ends it after its job, a second one at once."""
    gc.enable()  # the command begins without
    for number in _TO_END:
        signal.signal(number, lambda received, _: signal.signal(received, signal.SIG_DFL))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _TO_END)
    with ExitStack() as stack:
        opened = cache(lambda: Worker(stack.enter_context(Archive.open(location))))
        while True:
            try:
                job = line.recv()
            except EOFError:
                return
            line.send(_attempt(opened, job))


def _attempt(opened: Callable[[], Worker], job: Job) -> Outcome:
    """Do a job in an archive that is opened if necessary; a failure is its outcome."""
    try:
        return opened().do(job)
    except PermaciteError as error:
        return Outcome(problem=error.problem)
    except Exception as error:  # noqa: BLE001 - a fault in one job is none of the others
        return Outcome(problem=f"{type(error).__name__}: {error}")


def _attempt_task(location: str | Path, job: Job) -> Outcome:
    """Do a job in a process of the cluster."""
    with ExitStack() as stack:
        return _attempt(lambda: Worker(stack.enter_context(Archive.open(location))), job)
