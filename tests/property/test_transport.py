"""Transport law: log root, names and contents agree after any two complete carriers."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.changed import CHANGES, NOW, SERIES, clock, commit
from tests.engines import Server
from tests.faces.conftest import served

from permacite.archive.model.answered import Standing
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository
from permacite.archive.transport.stream import BatchOutcome, Carried, LeftOut, carry
from permacite.errors import ClosedError
from permacite.service import preservation
from permacite.service.exchange import bag_export, ocfl, wacz, warc
from permacite.service.mirroring.following import follow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from permacite.archive.engine.location import Location

    Carrier = Callable[[Location, Path], Location]

# A mirror is given what is public; other changes are tested where only owners carry.
PUBLIC = [name for name in CHANGES if name not in {"a-withdrawal", "a-reinstatement", "an-access"}]
CARRIERS = ("copy", "postgresql", "backup", "mirror", "ocfl")
REFUSED = {("mirror", "copy"), ("mirror", "postgresql")}
"""A mirror is not copied, for it may lack what is not public."""


class Held(NamedTuple):
    """All that carriers must agree on."""

    size: int
    root: bytes
    names: list[tuple[str, str]]
    contents: dict[str, bytes]


def held(location: Location) -> Held:
    """Read an archive: its log, all names with their digests, all contents."""
    with Repository.open(location) as archive:
        size = archive.log.size()
        formats = [item for version in archive.lists.list() for item in version.representations]
        names = sorted((str(item.pdi), item.digest) for item in formats)
        contents = {
            item.digest: archive.contents.octets(item.digest) for item in formats if item.digest
        }
        return Held(size, archive.log.root(size), names, contents)


@pytest.fixture(scope="module")
def carriers(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, Carrier]:
    """The complete carriers by name: each brings an archive into a new folder."""
    server = request.getfixturevalue("postgresql")
    assert isinstance(server, Server)

    def copy(source: Location, target: Path) -> Location:
        with Repository.open(source) as archive:
            archive.copies.copy(target, with_key=True)
        return target

    def to_postgresql(source: Location, target: Path) -> Location:
        target.mkdir()
        location = server.location(target)
        with Repository.open(source) as archive:
            archive.copies.copy(location, with_key=True)
        return location

    def backup(source: Location, target: Path) -> Location:
        with Repository.open(source) as archive:
            archive.copies.backup(target)
        return target

    def mirror(source: Location, target: Path) -> Location:
        with served(source) as origin:
            assert follow(origin.base, target).lost == ()
        return target

    def objects(source: Location, target: Path) -> Location:
        exported = tmp_path_factory.mktemp("ocfl")
        with Repository.open(source) as archive:
            ocfl.export(archive, exported)
        preservation.restore(exported, target)
        return target

    return {
        "copy": copy,
        "postgresql": to_postgresql,
        "backup": backup,
        "mirror": mirror,
        "ocfl": objects,
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("transport")


@pytest.fixture(scope="module")
def archive(folder: Path) -> Path:
    """An archive with some of everything that is public, and something erased."""
    fill(folder / "archive", PUBLIC)
    return folder / "archive"


def fill(path: Path, changes: Sequence[str]) -> None:
    """Make an archive by changes; its second document is erased."""
    NOW[0] = NOW[0].replace(year=2026, month=11, day=21, hour=12, minute=0, second=0)
    with Repository.create(path, series=SERIES, clock=clock) as opened:
        commit(opened, "words")
        commit(opened, "words of Jane Roe")
        second = list(opened.lists.list())[1]
        for change in changes:
            CHANGES[change](opened)
        opened.access.erase(second.pdi, ground="court-order")


@pytest.fixture(scope="module")
def carried(archive: Path, folder: Path, carriers: dict[str, Carrier]) -> Callable[[str], Location]:
    """The archive as one carrier brought it; each carrier does so once."""
    results: dict[str, Location] = {}

    def once(name: str) -> Location:
        if name not in results:
            results[name] = carriers[name](archive, folder / f"by-{name}")
        return results[name]

    return once


@pytest.mark.parametrize(
    ("first", "second"),
    [(one, two) for one in CARRIERS for two in CARRIERS if (one, two) not in REFUSED],
)
def test_log_names_and_contents_agree_after_two_carriers(
    archive: Path,
    folder: Path,
    carriers: dict[str, Carrier],
    carried: Callable[[str], Location],
    first: str,
    second: str,
) -> None:
    location = carriers[second](carried(first), folder / f"{first}-{second}")
    assert held(location) == held(archive)


OWNED = [name for name in CHANGES if name != "octets-that-wait"]


@settings(
    max_examples=8,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    changes=st.lists(st.sampled_from(OWNED), max_size=8),
    chain=st.lists(st.sampled_from(["copy", "backup", "ocfl"]), min_size=1, max_size=3),
)
def test_any_archive_is_the_same_after_any_chain_of_carriers(
    tmp_path: Path, carriers: dict[str, Carrier], changes: list[str], chain: list[str]
) -> None:
    shutil.rmtree(tmp_path)
    tmp_path.mkdir()
    fill(tmp_path / "archive", changes)
    location: Location = tmp_path / "archive"
    for number, name in enumerate(chain):
        location = carriers[name](location, tmp_path / f"{number}-{name}")
    assert held(location) == held(tmp_path / "archive")


class _Number(NamedTuple):
    end: int


class _Numbers:
    """A source of numbered batches."""

    size = 5

    def batches(self, start: int) -> Iterator[_Number]:
        """Yield the numbers after `start`."""
        return (_Number(number) for number in range(start + 1, self.size + 1))


class _Stopping:
    """A sink that is stopped once, before its third batch."""

    def __init__(self) -> None:
        self.taken: list[int] = []
        self.stops = True

    def position(self) -> int:
        """The last number."""
        return len(self.taken)

    def take(self, batch: _Number) -> BatchOutcome:
        """Note a number."""
        if self.stops and batch.end == 3:
            self.stops = False
            raise InterruptedError
        self.taken.append(batch.end)
        return BatchOutcome(1, ["lost"] * (batch.end == 4), [LeftOut(str(batch.end), "erased")])


def test_a_stream_that_was_stopped_continues_where_the_sink_is() -> None:
    sink, progress = _Stopping(), list[tuple[int, int]]()
    with contextlib.suppress(InterruptedError):
        carry(_Numbers(), sink)
    outcome = carry(_Numbers(), sink, lambda done, total: progress.append((done, total)))
    assert sink.taken == [1, 2, 3, 4, 5]
    left_out = tuple(LeftOut(str(number), "erased") for number in (3, 4, 5))
    assert outcome == Carried(2, 5, 3, ("lost",), left_out)
    assert progress == [(1, 3), (2, 3), (3, 3)]


def test_document_carriers_return_what_they_do_not_take(tmp_path: Path) -> None:
    """What is closed, withdrawn or erased; of WACZ pages without an address too.

    A bag leaves out no closed document: it is refused as a whole.
    """
    reasons = {"closed": 0, "withdrawn": 1, "erased": 2}
    with Repository.create(tmp_path / "archive", series=SERIES) as archive:
        versions = [
            archive.committer.commit([NewRepresentation(b"words %d" % number, "text/plain")])
            for number in range(4)
        ]
        names = [version.representations[0].pdi for version in versions]
        archive.statements.withdraw(names[1].document, reason="safety")
        archive.access.erase(names[2], ground="court-order")
        bag = bag_export.export(archive, tmp_path / "bag", None)
        archive.access.set_standing(names[0], Standing("closed", ground="consent"))
        with pytest.raises(ClosedError):
            bag_export.export(archive, tmp_path / "refused", None)
        crawl = warc.export(archive, tmp_path / "a.warc", None)
        package = wacz.export(archive, tmp_path / "a.wacz", None)
    left_out = {LeftOut(str(names[number]), reason) for reason, number in reasons.items()}
    assert set(bag.left_out) == left_out - {LeftOut(str(names[0]), "closed")}
    assert set(crawl.left_out) == left_out
    no_address = LeftOut(str(versions[3].pdi), "no-address")
    assert set(package.left_out) == {*left_out, no_address}
