"""Nothing acknowledged is lost when the power fails, whatever the disk dropped of what was pending.

A life of an archive is recorded, system call by system call, then cut at every point; what a disk
may hold at that point is built, opened and examined. tests/crash/replay/ has the parts; its disk.py
says which disk is assumed. `python -m tests.crash.replay` goes on for longer.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.crash.replay.disk import DROPPED, KEPT
from tests.crash.replay.invariants import complaints, examine
from tests.crash.replay.states import KINDS, Explorer, crash, moments
from tests.crash.replay.trace import (
    BRIEF,
    LATER,
    RESTORE,
    SCENES,
    Recording,
    Scene,
    record,
    write_files,
)

ROOT = Path(__file__).resolve().parents[2]
SEED = 1
SHARES = {
    "none": 0.12,
    "all": 0.014,
    "ordered": 0.016,
    "without-one": 0.016,
    "only-one": 0.014,
    "any": 0.018,
}
"""At which part of the points each kind of state is tried: a matter of time."""


@pytest.fixture(scope="session")
def life(recorder: Path, quick_folder: Path) -> Recording:
    """Return the recording of a whole life."""
    return record(recorder, quick_folder / "life", SCENES, seed=SEED)


@pytest.fixture(scope="session")
def brief_life(recorder: Path, quick_folder: Path) -> Recording:
    """Return the recording of a short life."""
    return record(recorder, quick_folder / "brief", BRIEF, seed=SEED)


def test_the_recording_misses_nothing(life: Recording) -> None:
    for moment in moments(life):
        last = moment
    assert last.disk.image(lambda _change, _sector: KEPT) == life.left
    kinds = {fact[0] for fact in last.told | last.backed_up}
    assert kinds - {"readme"} == {  # which an archive lacks whose making was cut short
        "created",
        "key",
        "format",
        "citation",
        "assertion",
        "idempotency",
        "checkpoint",
        "withdrawal",
        "setting",
        "delegation",
    }


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_nothing_acknowledged_is_lost(life: Recording, quick_folder: Path) -> None:
    report = Explorer(quick_folder / "scratch").explore(life, SHARES, seed=SEED)
    print(report)  # noqa: T201 - figures to be quoted: pytest -rP shows them
    assert report.losses == []
    assert all(report.states[kind] > 20 for kind in KINDS)
    assert report.opened > 100


@pytest.mark.slow
def test_nothing_is_lost_by_one_crash_after_another(
    life: Recording, recorder: Path, quick_folder: Path
) -> None:
    left, told = crash(life, SEED)
    later = record(recorder, quick_folder / "later", LATER, seed=SEED, start=left)
    explorer = Explorer(quick_folder / "scratch-later")
    report = explorer.explore(later, SHARES, seed=SEED, known=told)
    print(report)  # noqa: T201 - figures to be quoted: pytest -rP shows them
    assert report.losses == []
    assert report.opened > 10


@pytest.mark.slow
def test_a_new_archive_is_there_or_can_be_made_again(recorder: Path, quick_folder: Path) -> None:
    recording = record(recorder, quick_folder / "created", BRIEF[:1], seed=SEED)
    names = [event.path for event in recording.events]
    linked = names.index("shelf/archive/catalog.sqlite")  # until then nobody can see anything
    explorer = Explorer(quick_folder / "scratch-created")
    for seed in range(5):
        report = explorer.explore(
            recording,
            dict.fromkeys(KINDS, 1.0),
            begin=linked,
            seed=seed,
            stop=lambda report: report.acknowledgements > 1,  # the mark of the process, "created"
        )
        assert report.losses == []


@pytest.mark.slow
def test_a_backup_cut_short_before_its_flush_is_repeated_whole(
    brief_life: Recording, recorder: Path, quick_folder: Path
) -> None:
    events = brief_life.events
    begun = max(place for place, event in enumerate(events) if event.data == b"[]")
    told = min(place for place, event in enumerate(events) if ("backup",) in event.facts)
    linked = [place for place in range(begun, told) if events[place].kind == "l"]
    of_objects = [place for place in linked if "backup/objects/" in events[place].path]
    calls = of_objects[-1] - begun + 1  # all octets have their names, and no folder was flushed
    scenes = (*BRIEF[:2], Scene("backup", kill=(calls, calls)), Scene("backup"))
    recording = record(recorder, quick_folder / "cut-short", scenes, seed=SEED)
    assert recording.events[begun + calls - 1].kind == "l"
    explorer = Explorer(quick_folder / "scratch-cut-short")
    assert explorer.explore(recording, {"none": 0.5}, seed=SEED).losses == []


def test_a_restored_archive_keeps_its_name(recorder: Path, quick_folder: Path) -> None:
    recording = record(recorder, quick_folder / "restored", RESTORE, seed=SEED)
    told = next(one for one in moments(recording) if ("restored",) in one.told)
    folder = quick_folder / "left-of-restored"
    folder.mkdir()
    write_files(folder, told.disk.image(lambda _change, _sector: DROPPED))
    formats = {fact for fact in told.told if fact[0] == "format"}
    assert len(formats) == 3
    assert complaints(examine(folder / "shelf" / "restored"), formats) == []


LEFT_OUT = [
    # what is flushed, a pattern of its path, what is then found to be wrong
    ("octets", r"shelf/archive/objects/tmp/[^/]+", "altered: "),
    ("folders-of-octets", r"shelf/archive/objects/../..", "missing: "),
    ("folders-above-them", r"shelf/archive/objects/..", "missing: "),
    ("folder-of-objects", r"shelf/archive/objects", "missing: "),
    ("write-ahead-log", r"shelf/archive/catalog\.sqlite-wal", "lost: "),
    ("database", r"shelf/archive/catalog\.sqlite", "lost: "),
    (
        "new-database",
        r"shelf/archive/catalog\.sqlite\.[0-9a-f]+\.new",
        "there is no archive|is an archive already|some other program's",
    ),
    ("folder-of-archive", r"shelf/archive", "there is no archive"),
    ("folder-above-it", r"shelf", "there is no archive"),
    ("folder-above-that", r"", "there is no archive"),
    ("key", r"shelf/archive/log\.key\.[^/]+", "cannot be used: "),
    ("octets-of-backup", r"shelf/backup/objects/tmp/[^/]+", "altered: "),
    ("catalog-of-backup", r"shelf/backup/catalog\.sqlite.*", ""),
    ("folder-of-backup", r"shelf/backup", "there is no archive"),
]


@pytest.mark.parametrize(
    ("pattern", "complaint"), [row[1:] for row in LEFT_OUT], ids=[row[0] for row in LEFT_OUT]
)
def test_a_flush_left_out_is_found(
    brief_life: Recording, quick_folder: Path, pattern: str, complaint: str
) -> None:
    report = Explorer(quick_folder / "scratch-left-out").explore(
        brief_life,
        {"none": 1.0},
        seed=SEED,
        swallow=lambda event: re.fullmatch(pattern, event.path) is not None,
        stop=lambda report: bool(report.losses),
    )
    assert report.losses
    assert re.search(complaint, report.losses[0])


def test_an_examination_finds_what_is_lost_and_what_is_given_twice(
    life: Recording, quick_folder: Path
) -> None:
    folder = quick_folder / "whole"
    folder.mkdir(exist_ok=True)
    image = {path: data for path, data in life.left.items() if path.startswith("shelf/archive/")}
    write_files(folder, {path.removeprefix("shelf/"): data for path, data in image.items()})
    outcome = examine(folder / "archive")
    for moment in moments(life):
        told = moment.told
    assert complaints(outcome, told) == []
    lost = ("format", "urn:pdi://lab.example.zz/2026/11/09/1", "1", "png", "0" * 64)
    assert complaints(outcome, told | {lost}) == [f"lost: {' '.join(lost)}"]
    twice = ("format", outcome.minted, "1", "png", "0" * 64)
    assert complaints(outcome, told | {twice})[-1] == f"given twice: {outcome.minted}"
    shutil.rmtree(folder)
    assert complaints(examine(folder / "archive"), told) == ["there is no archive"]


@pytest.mark.slow
@pytest.mark.usefixtures("recorder")
def test_a_run_that_tries_almost_nothing_says_so_and_fails() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.crash.replay", "--seconds", "0"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2, run.stderr
    assert "0 recordings" in run.stdout
    assert "this proves nothing: 0 folders were examined" in run.stdout
