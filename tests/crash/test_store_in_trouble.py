"""A store of octets that is away, full, or lies: small ones go on, large ones wait, none is lost.

The records are in a real PostgreSQL; what stands before the store makes the trouble.
"""

from __future__ import annotations

import http.client
import os
import time
from typing import TYPE_CHECKING

import pytest
from tests.crash.test_database_in_trouble import SERIES, Depositor, refused
from tests.faces.conftest import served

from permacite.archive.postgresql.location import located
from permacite.archive.repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.engines import Server
    from tests.stores import Troubled

CREATED = http.client.CREATED


def large() -> bytes:
    """Octets that go to the store at once."""
    return os.urandom(100_000)


@pytest.fixture
def location(postgresql: Server, bucket: str, tmp_path: Path) -> str:
    """Where an archive is, with octets in a bucket."""
    local = tmp_path / "kept"
    made = postgresql.location(local).replace(f"{local}/objects", f"s3://{bucket}/p")
    Repository.create(made, series=SERIES).close()
    return made


TROUBLES = [
    # what the store does, what is told of it
    ("away", "away", "does not answer"),
    pytest.param("full", "full", "is full", marks=pytest.mark.deep),
    ("quota", "full", "is full"),
    ("loses", "lost", "does not give back what it took"),
    ("alters", "lost", "does not give back what it took"),
]


@pytest.mark.parametrize(("trouble", "reason", "problem"), TROUBLES)
def test_small_documents_go_on_and_large_ones_wait(
    location: str,
    postgresql: Server,
    troubled: Troubled,
    times: Callable[[int, int], int],
    *,
    trouble: str,
    reason: str,
    problem: str,
) -> None:
    """With the whole it lasts a minute, through tries of who writes behind."""
    schema = located(location).schema
    with served(location) as running:
        depositor = Depositor(location, running.base)
        assert depositor.put(large()).status == CREATED
        troubled.trouble = trouble
        until = time.monotonic() + times(0, 60)
        waiting = large()
        refused(depositor.put(waiting), reason, problem)
        asked = len(troubled.asked)
        assert depositor.put().status == CREATED
        while time.monotonic() < until:
            assert depositor.put().status == CREATED
        while trouble != "away" and len(troubled.asked) == asked:  # who writes behind meets it too
            time.sleep(0.1)
        assert depositor.get(-1).body == list(depositor.kept.values())[-1]
        troubled.trouble = ""
        while (answer := depositor.put(waiting)).status != CREATED:
            refused(answer, "away", "does not answer")  # nobody asks it for a moment
            time.sleep(0.1)
        waits = f"SELECT 1 FROM {schema}.unsettled LIMIT 1"  # noqa: S608 - our own name
        while postgresql.execute(waits):
            time.sleep(0.1)
    depositor.check(location)
    assert troubled.conditions == set()
