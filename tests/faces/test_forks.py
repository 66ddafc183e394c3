"""A log that was found forked is followed and cosigned by nobody, until somebody says so."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests import engines
from tests.faces.between import meanwhile
from tests.faces.conftest import served
from tests.faces.test_http import ask

from permacite.archive.log.note import Note
from permacite.archive.log.submission import Submission
from permacite.archive.repository import Repository
from permacite.archive.transport.mirror import Mirror
from permacite.errors import BusyError, IntegrityError
from permacite.service.access import Choice
from permacite.service.archive import Archive
from permacite.service.mirroring.following import follow

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.engines import Server
    from tests.faces.conftest import Outcome

    from permacite.archive.engine.location import Location

pytest.importorskip("aiohttp", reason="mirrors fetch with it")

pytestmark = pytest.mark.engines(deep=True)

SHOWN = "what is shown here counts, whatever it is"


class Forked(NamedTuple):
    """A mirror of one of two logs that one key signs."""

    one: Path
    other: Path
    mirror: Location
    far: Location
    """The same, as a machine names it that has a folder of its own, if the records let it."""
    folder: Path
    far_folder: Path


@pytest.fixture(scope="module")
def first(engine: Server | None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make two archives whose logs fork, and a mirror of one, for tests to copy."""
    assert engines.Repository.engine is engine
    folder = tmp_path_factory.mktemp("first")
    archive, other = folder / "archive", folder / "other"
    Archive.create(archive, series="lab.example.us").close()
    shutil.copytree(archive, other)
    grow(archive, b"one way")
    grow(other, b"another way", b"and on")
    with served(archive, "--public") as origin:
        follow(origin.base, engines.Repository.at(folder / "mirror"))
    return folder


@pytest.fixture
def forked(first: Path, tmp_path: Path) -> Forked:
    """The mirror has seen one of the logs alone; the archives are folders, whatever it is in."""
    archive, other, folder = tmp_path / "archive", tmp_path / "other", tmp_path / "mirror"
    shutil.copytree(first / "archive", archive)
    shutil.copytree(first / "other", other)
    engines.Repository.duplicate(first / "mirror", folder)
    mirror = engines.Repository.at(folder)
    if isinstance(mirror, str):
        far = tmp_path / "far"
        return Forked(archive, other, mirror, f"{mirror}&local={far}", folder, far)
    return Forked(archive, other, mirror, mirror, folder, folder)


@pytest.fixture
def archive(forked: Forked) -> Path:
    """Return the archive that commands are about, where they name none."""
    return forked.one


def grow(archive: Path, *texts: bytes) -> None:
    with Archive.open(archive) as there:
        for text in texts:
            there.add(text, name="text.txt")


def size(location: Location) -> int:
    with Repository.open(location) as archive:
        return archive.log.size()


def find(forked: Forked) -> Path:
    """Let the mirror find the fork; the file that shows it."""
    with served(forked.other, "--public") as origin, pytest.raises(IntegrityError) as refused:
        follow(origin.base, forked.mirror)
    assert "forked" in refused.value.problem
    (file,) = (forked.folder / "forks").iterdir()
    assert str(file) in refused.value.hint
    return file


def kinds(location: Location) -> set[str]:
    with Archive.open(location) as here:
        return {finding.kind for finding in here.copies.fsck().bad}


@pytest.mark.engines
def test_what_one_process_finds_refuses_another(forked: Forked) -> None:
    text = find(forked).read_text()
    grow(forked.one, b"further on")
    before = size(forked.mirror)
    with served(forked.one, "--public") as origin:
        words = ["mirror", origin.base, str(forked.far)]
        command = [sys.executable, "-m", "permacite", *words]
        ended = subprocess.run(command, check=False, capture_output=True, text=True)
    (file,) = (forked.far_folder / "forks").iterdir()
    assert ended.returncode == 1
    assert "the log was found forked" in ended.stderr
    assert "--past-fork" in ended.stderr
    assert str(file) in ended.stderr
    assert file.read_text() == text
    assert size(forked.mirror) == before
    assert kinds(forked.far) == {"fork"}


@pytest.mark.engines
def test_a_witness_that_runs_refuses_what_another_process_found(
    forked: Forked, tmp_path: Path
) -> None:
    key = str(tmp_path / "witness.key")
    with served(forked.far, "--public", "--witness", key) as witness:
        before = size(forked.mirror)
        find(forked)
        grow(forked.one, b"further on")
        with Repository.open(forked.one) as there:
            proof = there.log.consistency(before, there.log.size())
            submitted = Submission(
                before, tuple(proof), Note.parse(there.log.checkpoints.current())
            )
        said = ask(witness.base, "/-/witness/add-checkpoint", "POST", submitted.body.encode())
    assert (said.status, "found forked" in said.json["detail"]) == (422, True)
    assert str(forked.far_folder) not in said.body.decode(), "paths are nobody's business"
    assert list((forked.far_folder / "forks").iterdir())


def test_a_fork_that_is_found_in_the_midst_of_a_run_ends_it(forked: Forked) -> None:
    grow(forked.one, b"further on")

    def found() -> None:
        with Repository.open(forked.far) as elsewhere:
            Mirror(elsewhere.parts).keep_forks({"fork-1-2-abc.txt": SHOWN})

    before = size(forked.mirror)
    with (
        served(forked.one, "--public") as origin,
        meanwhile(origin.base, "/-/log/entries", found) as base,
        pytest.raises(IntegrityError) as refused,
    ):
        follow(base, forked.mirror)
    (file,) = (forked.folder / "forks").iterdir()
    assert str(file) in refused.value.hint
    assert file.read_text() == SHOWN
    assert size(forked.mirror) == before


@pytest.mark.engines
def test_one_run_goes_on_past_it_and_the_evidence_stays(
    forked: Forked, cli: Callable[..., Outcome]
) -> None:
    file = find(forked)
    text = file.read_text()
    file.unlink()
    with served(forked.one, "--public") as origin:
        words = ("mirror", origin.base, str(forked.mirror))
        assert cli(*words).status == 1, "a file that is gone lifts nothing"
        assert file.read_text() == text
        passed = cli(*words, "--past-fork")
        assert (passed.status, str(file) in passed.err) == (0, True), passed.err
        grow(forked.one, b"further on")
        assert cli(*words).status == 0, "it needs to be said once"
        assert cli(*words, "--past-fork").status == 0, "there is none to go on past"
    assert file.read_text() == text
    assert (size(forked.mirror), kinds(forked.mirror)) == (size(forked.one), set())


def test_the_same_fork_shown_again_counts_again(forked: Forked) -> None:
    file = find(forked)
    with served(forked.one, "--public") as origin:
        follow(origin.base, forked.mirror, past_fork=True)
    with served(forked.other, "--public") as origin, pytest.raises(IntegrityError):
        follow(origin.base, forked.mirror)
    assert list(file.parent.iterdir()) == [file]
    assert kinds(forked.far) == {"fork"}
    with served(forked.one, "--public") as origin, pytest.raises(IntegrityError):
        follow(origin.base, forked.far)


@pytest.mark.engines
def test_a_file_of_an_earlier_version_counts_and_is_noted(forked: Forked) -> None:
    """Mirrors of before have no such setting, and the file alone."""
    file = forked.folder / "forks" / "fork-2-3-0123456789ab.txt"
    file.parent.mkdir()
    file.write_text(SHOWN)
    assert kinds(forked.mirror) == {"fork"}
    with served(forked.one, "--public") as origin:
        for _ in range(2):
            with pytest.raises(IntegrityError) as refused:
                follow(origin.base, forked.mirror)
            assert str(file) in refused.value.hint
            file.unlink()  # the records know it now
        with Repository.open(forked.mirror) as here:
            assert Mirror(here.parts).forks() == {file.name: SHOWN}
        told = follow(origin.base, forked.mirror, past_fork=True)
    assert told.passed == (str(file),)
    assert file.read_text() == SHOWN
    assert kinds(forked.mirror) == set()


def test_a_file_that_was_never_noted_can_be_gone_on_past_at_once(forked: Forked) -> None:
    file = forked.folder / "forks" / "fork-2-3-0123456789ab.txt"
    file.parent.mkdir()
    file.write_text(SHOWN)
    with served(forked.one, "--public") as origin:
        assert follow(origin.base, forked.mirror, past_fork=True).passed == (str(file),)
        assert follow(origin.base, forked.mirror).passed == ()
    assert file.exists()


@pytest.mark.engines
def test_of_two_runs_at_once_one_is_told_and_nothing_is_lost(forked: Forked) -> None:
    grow(forked.one, b"further on", b"and on")
    with served(forked.one, "--public") as origin:

        def other_run() -> None:
            follow(origin.base, forked.far)

        with (
            meanwhile(origin.base, "/-/log/entries", other_run) as base,
            pytest.raises(BusyError, match="another run of this mirror is under way"),
        ):
            follow(base, forked.mirror)
        assert (size(forked.mirror), kinds(forked.mirror)) == (size(forked.one), set())
        follow(origin.base, forked.mirror)
    assert (size(forked.mirror), kinds(forked.mirror)) == (size(forked.one), set())


def test_the_slower_of_two_runs_does_not_say_again_who_may_see_what(forked: Forked) -> None:
    with Archive.open(forked.one) as there:
        name = there.documents.list().documents[0].pdi
        there.access.standing(name, Choice(access="public"))
    with served(forked.one, "--public") as origin:

        def other_run() -> None:
            with Archive.open(forked.one) as there:
                there.access.standing(name, Choice(access="closed"))
            follow(origin.base, forked.far)

        with (
            meanwhile(origin.base, "/-/log/standings", other_run) as base,
            pytest.raises(BusyError),
        ):
            follow(base, forked.mirror)
    with served(forked.mirror, "--public") as mirror:
        assert ask(mirror.base, f"/{name}").status == 403


def test_the_slower_of_two_runs_does_not_cosign_less(forked: Forked, tmp_path: Path) -> None:
    key = tmp_path / "cosigner"
    with served(forked.one, "--public") as origin:
        follow(origin.base, forked.mirror, cosigner=key)

        def other_run() -> None:
            grow(forked.one, b"further on")
            follow(origin.base, forked.far, cosigner=key)

        with meanwhile(origin.base, "/-/log/standings", other_run) as base:
            told = follow(base, forked.mirror, cosigner=key)
    assert (told.size, told.entered) == (size(forked.one) - 1, 0)
    with Archive.open(forked.mirror) as here, Archive.open(forked.one) as there:
        assert here.log.state().size == there.log.state().size
        own, first = (
            Note.parse(here.log.state().checkpoint),
            Note.parse(there.log.state().checkpoint),
        )
    assert own.text == first.text
    assert len(own.signatures) > len(first.signatures)
