"""How all tests run: samples or the whole (`--deep`), and no archive of the user's in reach.

With `--deep`, which `./do deep` gives, laws are tried on many more inputs and what is repeated is
repeated more often. No test asserts a time, so no profile has a deadline: machines are shared and
noisy.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from tests import engines
from tests.media.once import MadeOnce
from tests.needs import Guard, need, refuse_to_skip
from tests.starting import Starter
from tests.stores import Store, Troubled, ceph, moto

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

LONG_S = 30
"""What takes longer than this is named."""

_PATIENT = [HealthCheck.too_slow]

settings.register_profile("default", deadline=None, max_examples=25, suppress_health_check=_PATIENT)
settings.register_profile("deep", deadline=None, max_examples=2000, suppress_health_check=_PATIENT)
settings.load_profile("default")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer `--deep`, `--outside` and `--pages`."""
    parser.addoption("--deep", action="store_true", help="the whole instead of samples: hours")
    parser.addoption("--outside", metavar="DIR", help="run suites of others, cloned into DIR, too")
    parser.addoption("--pages", metavar="DIR", help="cite at random in pages of this folder, too")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave suites and pages of others out where none are wanted: none is skipped for want."""
    without = config.getoption("--outside") is None
    inside = "outside" in {collection_path.name, collection_path.parent.name}
    if collection_path.name == "test_pages_of_others.py":
        return None if config.getoption("--deep") or config.getoption("--pages") else True
    return True if without and inside else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector, which afterwards passes over what was collected.

    Thousands of tests are a heap that it would look through again during each of them.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave what only the whole has out of a sample; that is no skip, for want of nothing."""
    if not config.getoption("--deep"):
        beyond = [item for item in items if item.get_closest_marker("deep")]
        config.hook.pytest_deselected(items=beyond)
        items[:] = [item for item in items if not item.get_closest_marker("deep")]


@pytest.hookimpl(trylast=True)  # after what writes to the terminal
def pytest_configure(config: pytest.Config) -> None:
    """Try many more inputs where asked to, and tell at once what failed."""
    Guard.install()
    config.pluginmanager.register(_Fixtures())
    if config.getoption("--deep"):
        settings.load_profile("deep")
        Starter.is_used = False
    if (reporter := config.pluginmanager.get_plugin("terminalreporter")) is not None:
        config.pluginmanager.register(_AtOnce(reporter))


class _Fixtures:
    """Watches every fixture; a hook of this file would not be called for those of a session."""

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Iterator[None]:
        """Let nothing that outlasts an engine make an archive unless it asks for `engine`.

        It would stay on the engine that it was made on, and tests of the other would never be
        there. Programs that such a fixture asks for may be started by each test that uses it.
        """
        lasts = fixturedef.scope != "function"
        is_blind = lasts and "engine" not in fixturedef.argnames
        with pytest.MonkeyPatch.context() as patch, Guard.lasting() if lasts else nullcontext():
            patch.setattr(engines.Repository, "blind", fixturedef.argname if is_blind else None)
            return (yield)


class _AtOnce:
    """Names what failed, and what took long, when it did: a run that is cut off has said it."""

    def __init__(self, reporter: pytest.TerminalReporter) -> None:
        self._reporter = reporter

    @pytest.hookimpl(trylast=True)  # after the letter for its outcome
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write a line where there is something to say."""
        if report.failed:
            why = [line for line in report.longreprtext.splitlines() if line.startswith("E ")]
            self._say("\n".join([f"{report.nodeid} failed in its {report.when}", *why[:5]]))
        elif report.duration > LONG_S:
            self._say(f"{report.nodeid} took {report.duration:.0f} s in its {report.when}")

    def _say(self, words: str) -> None:
        self._reporter.write_line("\n" + words)


@pytest.fixture(scope="session", autouse=True)
def _media_made_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let the processes of one run share the media that they make."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        MadeOnce.folder = tmp_path_factory.getbasetemp().parent / "media"


@pytest.fixture
def times(request: pytest.FixtureRequest) -> Callable[[int, int], int]:
    """Return how often to repeat: the first number in a sample, the second with `--deep`."""
    deep = bool(request.config.getoption("--deep"))
    return lambda sample, whole: whole if deep else sample


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what is marked `engines` on each; of what says `deep` the sample runs on SQLite alone."""
    mark = metafunc.definition.get_closest_marker("engines")
    if mark is None or metafunc.definition.get_closest_marker("sqlite"):
        return
    marks = [pytest.mark.deep] if mark.kwargs.get("deep") else []
    kinds = [pytest.param("sqlite", id="sqlite"), pytest.param("postgresql", marks=marks)]
    metafunc.parametrize("engine", kinds, indirect=True, scope="module")


@pytest.fixture(scope="session")
def postgresql() -> Iterator[engines.Server]:
    """A PostgreSQL of this process."""
    with engines.server() as running:
        yield running


@pytest.fixture(scope="module", autouse=True)
def engine(request: pytest.FixtureRequest) -> Iterator[engines.Server | None]:
    """Let the archives of a test be on the engine that it runs on: a server, or None for SQLite.

    What makes an archive for many tests asks for it, so that each engine has one.
    """
    server = None
    if getattr(request, "param", "sqlite") == "postgresql":
        server = request.getfixturevalue("postgresql")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines.Repository, "engine", server)
        yield server


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let a test start those programs alone that it asks for; skip it where one is missing."""
    Guard.begin()
    for mark in item.iter_markers("needs"):
        for name in mark.args:
            need(name)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Let what runs between tests start any program."""
    Guard.end()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail what was skipped, where nothing may be."""
    return refuse_to_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Fail a file that was skipped, where nothing may be."""
    return refuse_to_skip((yield))


@pytest.fixture(scope="session", params=["moto", pytest.param("ceph", marks=pytest.mark.deep)])
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    """A store that speaks S3: moto, and with `--deep` Ceph's gateway, whose start takes 15 s."""
    started = moto() if request.param == "moto" else ceph(tmp_path_factory.mktemp("ceph"))
    with started as given:
        yield given


@pytest.fixture
def bucket(store: Store, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty bucket, and an environment in which it can be used."""
    for name, value in store.credentials.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_ENDPOINT_URL", store.endpoint)
    return store.bucket()


@pytest.fixture
def troubled(store: Store, bucket: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Troubled]:
    """What stands before the store of that bucket."""
    assert bucket
    with Troubled(store.port).answering() as before:
        monkeypatch.setenv("AWS_ENDPOINT_URL", before.endpoint)
        yield before


@pytest.fixture(autouse=True)
def _no_archive_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep tests away from the archive of whoever runs them."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("PERMACITE_ARCHIVE", raising=False)


@pytest.fixture(autouse=True)
def _in_turn() -> Iterator[None]:
    """Fail what makes this process one of real time: a loop then stops the whole machine."""
    yield
    if sys.platform == "linux":
        assert os.sched_getscheduler(0) not in {os.SCHED_FIFO, os.SCHED_RR}
