"""Jobs on a Ray cluster: each is a task, done wherever Ray has room. It needs the extra `ray`.

Ray takes the place of the processes of this machine, and of nothing else: the queue says which
jobs there are, how often one is tried, and what became of it. So Ray tries none again by itself.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from permacite.errors import StorageError
from permacite.service.work.crew import attempted
from permacite.service.work.doing import Worker
from permacite.service.work.jobs import Job, Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from permacite.archive import Location

__all__ = ["RayCrew"]


class RayCrew:
    """The processes of a Ray cluster, each of which must be able to open the archive."""

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
        self._task = ray.remote(max_retries=0, num_cpus=1)(_attempt)

    def do(self, job: Job, /) -> Outcome:
        """Do a job as a task; wait for it."""
        try:
            outcome = self._ray.get(self._task.remote(self._location, job))
        except self._ray.exceptions.RayError as error:
            return Outcome(
                problem=f"{type(error).__name__}: {str(error).strip().partition('. ')[0]}"
            )
        assert isinstance(outcome, Outcome)  # noqa: S101 - ours
        return outcome

    def close(self) -> None:
        """Let go of the cluster; one that was begun here ends."""
        self._ray.shutdown()


def _attempt(location: str | Path, job: Job) -> Outcome:
    """What a process of the cluster does."""
    with ExitStack() as stack:
        return attempted(lambda: stack.enter_context(Worker.open(location)), job)
