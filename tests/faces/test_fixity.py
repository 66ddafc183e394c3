"""Fixity checks of a part of an archive: what is new since the last one, and versions by chance."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.archives import Archive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

pytestmark = pytest.mark.engines(deep=True)

WORDS = b"words that were committed"


def add(archive: Path, *names: str) -> None:
    """Commit a text under each file name."""
    with Archive.open(archive) as service:
        for name in names:
            service.add(WORDS + name.encode(), name=name)


def damage(archive: Path, name: str) -> None:
    """Change the octets of what `add` committed."""
    whole = WORDS + name.encode()
    (path,) = (
        path
        for path in (archive / "objects").rglob("*")
        if path.is_file() and path.read_bytes() == whole
    )
    path.chmod(0o600)
    path.write_bytes(whole[:-1] + b"?")


@pytest.fixture
def fsck(cli: Callable[..., Outcome]) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Return a function that checks, and gives exit status and report."""

    def check(*options: str) -> tuple[int, dict[str, Any]]:
        done = cli("fsck", "--json", *options)
        report = json.loads(done.out)
        assert isinstance(report, dict)
        return done.status, report

    return check


def test_what_is_new_is_checked_once(
    archive: Path, fsck: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    add(archive, "a.txt", "b.txt")
    assert fsck("--new")[1]["checked"] == 2
    assert fsck("--new")[1]["checked"] == 0
    add(archive, "c.txt")
    assert fsck("--new")[1]["checked"] == 1
    add(archive, "d.txt")
    assert fsck()[0] == 0, "all of it"
    assert fsck("--new")[1]["checked"] == 0


def test_what_came_since_a_checkpoint_is_checked(
    archive: Path, fsck: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    add(archive, "a.txt", "b.txt")
    with Archive.open(archive) as service:
        size = service.log.state().size
    add(archive, "c.txt")
    assert fsck("--since", str(size))[1]["checked"] == 1
    assert fsck("--since", "0")[1]["checked"] == 3
    assert fsck("--since", str(size), "--new")[1]["checked"] == 3, "the earlier of the two"
    assert fsck("--since", "999999")[1]["checked"] == 0


def test_a_damaged_file_is_named_with_what_to_do(
    archive: Path, cli: Callable[..., Outcome], tmp_path: Path
) -> None:
    add(archive, "a.txt", "b.txt")
    assert cli("backup", "--copy", str(tmp_path / "copy")).status == 0
    damage(archive, "b.txt")
    done = cli("fsck", "--sample", "9")
    file = done.err.splitlines()[-1].rpartition(" ")[2]
    assert (done.status, "file of a backup" in done.err) == (1, True)
    with Archive.open(archive) as service:
        part = service.copies.status.condition().part_checked
        assert part is not None
        assert part.faults == 1
    (archive / file).unlink()
    (archive / file).write_bytes((tmp_path / "copy" / file).read_bytes())
    assert cli("fsck").status == 0


def test_what_is_damaged_stays_new(
    archive: Path, fsck: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    add(archive, "a.txt", "b.txt")
    damage(archive, "b.txt")
    for _ in range(2):
        status, report = fsck("--new")
        assert (status, [bad["kind"] for bad in report["bad"]]) == (1, ["altered"])


def test_a_sample_finds_what_was_damaged_later(
    archive: Path, fsck: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    add(archive, *(f"{number}.txt" for number in range(20)))
    assert fsck("--new")[0] == 0
    damage(archive, "7.txt")
    assert fsck("--new")[0] == 0
    assert fsck("--sample", "1")[1]["checked"] == 1
    status, report = fsck("--sample", "1000")
    assert (status, report["checked"], len(report["bad"])) == (1, 20, 1)
    assert fsck("--new", "--sample", "20")[0] == 1
    assert fsck("--new")[1]["checked"] == 0, "a sample says nothing of what is new"


def test_what_is_erased_or_withdrawn_is_no_fault(
    archive: Path, cli: Callable[..., Outcome], fsck: Callable[..., tuple[int, dict[str, Any]]]
) -> None:
    add(archive, "a.txt", "b.txt", "c.txt")
    names = [each["pdi"] for each in json.loads(cli("list", "--json").out)["documents"]]
    assert cli("erase", "--yes", "--ground", "retention", names[0]).status == 0
    assert cli("withdraw", names[1], "--reason", "copyright").status == 0
    assert fsck("--new", "--sample", "9")[0] == 0


def test_an_archive_that_may_only_be_read_is_checked(
    archive: Path, fsck: Callable[..., tuple[int, dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from permacite.archive.administration import ArchiveSettings
    from permacite.errors import StorageError

    def refuse(*_: object) -> None:
        raise StorageError("it may only be read", path="", reason="io")

    add(archive, "a.txt")
    monkeypatch.setattr(ArchiveSettings, "set", refuse)
    assert fsck("--new")[1]["checked"] == 1
    assert fsck("--new")[1]["checked"] == 1, "nothing was noted"
    assert fsck()[0] == 0
