"""Worker pools: processes of this machine, or of a Ray cluster, that do jobs.

Each process has the archive open. One that dies is replaced; its job fails, with how the process
ended. Where this process itself dies, the others end after their jobs.

Ray (the extra `ray`) replaces only the processes of this machine. The queue says which jobs there
are, how often one is tried, and what its outcome was, so Ray repeats none by itself.

`Worker` does a job: each kind runs the use case of a command, over one range or slice.

| kind | over | done twice |
|---|---|---|
| fixity | a range of the log | only reads |
| derive | a range of the log | documents with a text are skipped |
| index | a range of the log | entries in this machine's index are skipped |
| drift | a range of the log, a share of all sites | a check replaces the one before |
| save | a slice of a list, of one share of all sites | each page is committed under a key |
| import | a slice of a list | each file is committed under a key |
"""

from __future__ import annotations

import gc
import multiprocessing
import queue
import signal
import time
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from multiprocessing import resource_tracker
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from permacite.errors import CaptureError, PermaciteError, StorageError
from permacite.pdi import PDI
from permacite.service.archive import Archive
from permacite.service.findings import HARMLESS
from permacite.service.ingest.options import CommitOptions, SaveOptions
from permacite.service.lists.politeness import Robots
from permacite.service.lists.reading import Keys, ListedLine
from permacite.service.lists.saving import ListRunOptions
from permacite.service.work.jobs import Job, JobNotice, Outcome, share_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from permacite.archive.engine.location import Location
    from permacite.archive.model.answered import Version

__all__ = ["ProcessPool", "RayPool", "Worker"]

_END_S = 5
_TO_END = (signal.SIGINT, signal.SIGTERM)
_PAUSE_S = 1.0
_MOST_TOLD = 100
"""Notices of one job: people read them."""


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


class Worker:
    """A worker with an open archive: it does one job after another."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._repository = archive._repository  # noqa: SLF001 - ours

    def do(self, job: Job) -> Outcome:
        """Do a job. Raises errors that affect all of it."""
        kinds: dict[str, Callable[[Mapping[str, Any], _Tally], None]] = {
            "fixity": self._check_octets,
            "derive": self._derive,
            "index": self._index,
            "drift": self._compare,
            "save": self._save,
            "import": self._import,
        }
        tally = _Tally()
        kinds[job.kind](job.what, tally)
        return Outcome(dict(tally.counts), tuple(tally.told))

    def _check_octets(self, what: Mapping[str, Any], tally: _Tally) -> None:
        for finding in self._repository.fixity.verify_new(what["start"], what["end"]):
            tally.counts["checked"] += 1
            if finding.kind not in HARMLESS:
                tally.add("bad", finding.name, f"{finding.kind}: {finding.detail}")

    def _derive(self, what: Mapping[str, Any], tally: _Tally) -> None:
        for derived in self._archive.documents.derivations.derive_range(
            what["start"], what["end"], renew=what["renew"]
        ):
            if derived.problem:
                tally.add(derived.outcome, derived.pdi, derived.problem)
            else:
                tally.counts[derived.outcome] += 1

    def _index(self, what: Mapping[str, Any], tally: _Tally) -> None:
        self._archive.documents.word_index.update(until=what["end"])
        tally.counts["entries"] += what["end"] - what["start"]

    def _compare(self, what: Mapping[str, Any], tally: _Tally) -> None:
        """Look at the live pages of a share of all sites: as a crawler, for nobody named them."""
        robots = Robots(allow_private=what["allow_private"])
        asked_at: dict[str, float] = {}
        for version in self._newest(what["start"], what["end"]):
            uri = version.provenance.uri or version.provenance.final_uri
            if uri is None or share_of(uri) != what["share"]:
                continue
            rules, site = robots.of(uri), urlsplit(uri).netloc
            if not rules.allows(uri):
                tally.add("forbidden", uri, f"by {rules.uri}")
                continue
            left_s = asked_at.get(site, 0.0) + max(_PAUSE_S, rules.delay_s) - time.monotonic()
            time.sleep(max(0.0, left_s))
            self._look(version, uri, tally, allow_private=what["allow_private"])
            asked_at[site] = time.monotonic()

    def _newest(self, start: int, end: int) -> Iterator[Version]:
        """The versions of a range that are the last of their documents."""
        from permacite.archive.verification import logged_versions

        for named in logged_versions(self._repository.log, start, end):
            with suppress(PermaciteError):  # erased, or damaged, which fixity tells
                if isinstance(named, PDI):
                    version = self._repository.lookup.version(named.document)
                    if version.number == named.version:
                        yield version

    def _look(self, version: Version, uri: str, tally: _Tally, *, allow_private: bool) -> None:
        try:
            checked = self._archive.drift.check(str(version.pdi), allow_private=allow_private)
        except CaptureError as error:
            tally.add("failed", uri, error.problem)
            return
        tally.counts["same" if checked.same_text else "changed"] += 1
        for passage in checked.passages:
            if passage.status not in {"verified", "moved"}:
                tally.add("passages to look at", passage.reference, passage.status)

    def _save(self, what: Mapping[str, Any], tally: _Tally) -> None:
        lines = [ListedLine("", uri, uri) for uri in what["listed"]]
        run_options = ListRunOptions(pause_s=_PAUSE_S, options=SaveOptions(**what["options"]))
        for listed in self._archive.lists.save(lines, run_options, Keys(what["run"])):
            if listed.problem:
                tally.add(listed.outcome, listed.uri, listed.problem)
            else:
                tally.counts[listed.outcome] += 1
        time.sleep(_PAUSE_S)  # the next slice may begin with the same site

    def _import(self, what: Mapping[str, Any], tally: _Tally) -> None:
        paths = map(Path, what["listed"])
        for path, outcome in self._archive.lists.files.add_files(
            paths, CommitOptions(**what["options"]), key_of=Keys(what["run"]).key
        ):
            if isinstance(outcome, PermaciteError):
                tally.add("refused", str(path), outcome.problem)
            elif isinstance(outcome, OSError):
                tally.add("unread", str(path), outcome.strerror or str(outcome))
            else:
                tally.counts["unchanged" if outcome.unchanged else "imported"] += 1


class _Tally:
    """The counts and notices of a job."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.told: list[JobNotice] = []

    def add(self, what: str, name: str, problem: str) -> None:
        """Count one more, with a notice unless there are too many."""
        self.counts[what] += 1
        if len(self.told) < _MOST_TOLD:
            self.told.append(JobNotice(what, name, problem))
