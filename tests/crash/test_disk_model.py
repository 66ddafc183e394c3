"""The disk that crashes are tried on: what is certain, what is pending, what may be left."""

from __future__ import annotations

import pytest
from tests.crash.replay.disk import DROPPED, JUNK, KEPT, SECTOR, Change, Disk, Image
from tests.crash.replay.trace import Event

FILE, OTHER, FOLDER = 7, 8, 9


def made(path: str, inode: int = FILE) -> Event:
    """Return the making of a file."""
    return Event("c", path, "", inode, 0, b"")


def written(data: bytes, offset: int = 0, inode: int = FILE) -> Event:
    """Return a write."""
    return Event("w", "", "", inode, offset, data)


def flushed(path: str, inode: int = FILE) -> Event:
    """Return a flush; "" is the root."""
    return Event("s", path, "", inode, 0, b"")


def call(kind: str, path: str, other: str = "", inode: int = FILE, offset: int = 0) -> Event:
    """Return some other call."""
    return Event(kind, path, other, inode, offset, b"")


def after(*events: Event) -> Disk:
    """Return a disk after some calls."""
    disk = Disk()
    for event in events:
        disk.apply(event)
    return disk


def nothing(_change: Change, _sector: int) -> int:
    """Drop all that is pending."""
    return DROPPED


def everything(_change: Change, _sector: int) -> int:
    """Keep all that is pending."""
    return KEPT


CERTAIN: list[tuple[str, list[Event], Image]] = [
    # what, calls, what is left where all that is pending is dropped
    ("no-flush", [made("a"), written(b"x")], {}),
    ("a-file-without-its-name", [made("a"), written(b"x"), flushed("a")], {}),
    ("a-name-without-its-file", [made("a"), written(b"x"), flushed("")], {"a": b""}),
    ("both", [made("a"), written(b"x"), flushed("a"), flushed("")], {"a": b"x"}),
    (
        "what-came-after",
        [made("a"), written(b"x"), flushed("a"), flushed(""), written(b"y", 1), call("u", "a")],
        {"a": b"x"},
    ),
    (
        "a-removal-that-was-flushed",
        [made("a"), flushed(""), call("u", "a"), flushed("")],
        {},
    ),
    (
        "a-folder-whose-own-name-was-not-flushed",
        [call("d", "b", inode=FOLDER), made("b/a"), flushed("b/a"), flushed("b", FOLDER)],
        {},
    ),
    (
        "a-second-name-without-the-first",
        [
            call("d", "b", inode=FOLDER),
            flushed(""),
            made("a"),
            written(b"x"),
            flushed("a"),
            call("l", "b/c"),
            flushed("b", FOLDER),
        ],
        {"b/": b"", "b/c": b"x"},
    ),
    (
        "an-inode-number-used-again",
        [made("a"), written(b"x"), call("u", "a"), made("b"), flushed("b"), flushed("")],
        {"b": b""},
    ),
    (
        "a-cut-that-was-flushed",
        [made("a"), written(b"xyz"), call("t", "a", offset=1), flushed("a"), flushed("")],
        {"a": b"x"},
    ),
    (
        "a-file-that-grew",
        [made("a"), call("t", "a", offset=3), flushed("a"), flushed("")],
        {"a": b"\0\0\0"},
    ),
]


@pytest.mark.parametrize(
    ("events", "left"), [row[1:] for row in CERTAIN], ids=[row[0] for row in CERTAIN]
)
def test_what_is_certain(events: list[Event], left: Image) -> None:
    assert after(*events).image(nothing) == left


def test_any_sector_of_a_write_may_be_left() -> None:
    data = b"a" * SECTOR + b"b" * SECTOR + b"c"
    disk = after(made("a"), flushed(""), written(data))
    assert disk.image(everything) == {"a": data}
    middle = disk.image(lambda change, sector: KEPT if change.data and sector == 1 else DROPPED)
    assert middle == {"a": bytes(SECTOR) + b"b" * SECTOR}
    first = disk.image(lambda change, sector: KEPT if change.data and sector == 0 else DROPPED)
    assert first == {"a": b"a" * SECTOR}


def test_sectors_are_those_of_the_file() -> None:
    disk = after(made("a"), flushed(""), written(b"a" * 20, SECTOR - 10))
    torn = disk.image(lambda _change, sector: KEPT if sector == 1 else DROPPED)
    assert torn == {"a": bytes(SECTOR) + b"a" * 10}


def test_junk_stands_only_where_nothing_was_certain() -> None:
    disk = after(made("a"), written(b"old"), flushed("a"), flushed(""))
    disk.apply(written(b"new"))
    disk.apply(written(b"more", SECTOR))
    left = disk.image(lambda _change, _sector: JUNK)["a"]
    assert left.startswith(b"old" + bytes(SECTOR - 3))
    assert len(left) == SECTOR + 4
    assert left[SECTOR:] != b"more"


def test_both_halves_of_a_renaming_are_one() -> None:
    disk = after(made("a"), written(b"x"), flushed("a"), flushed(""), call("r", "a", "b"))
    assert disk.image(nothing) == {"a": b"x"}
    assert disk.image(everything) == {"b": b"x"}
    assert len(disk.pending()) == 1


def test_a_flush_of_one_file_says_nothing_of_another() -> None:
    disk = after(made("a"), made("b", OTHER), written(b"x"), written(b"y", inode=OTHER))
    disk.apply(flushed("b", OTHER))
    disk.apply(flushed(""))
    assert disk.image(nothing) == {"a": b"", "b": b"y"}


def test_a_disk_may_begin_with_things_on_it() -> None:
    before = {"": (1, b""), "b/": (FOLDER, b""), "b/a": (FILE, b"x"), "c": (FILE, b"x")}
    disk = Disk(before)
    assert disk.image(nothing) == {"b/": b"", "b/a": b"x", "c": b"x"}
    disk.apply(written(b"y"))
    disk.apply(flushed("c"))
    assert disk.image(nothing)["b/a"] == b"y"


@pytest.mark.parametrize(
    "event",
    [call("?", "mmap"), call("r", "a", "b/a")],
    ids=["a-call-that-is-unknown", "a-renaming-from-folder-to-folder"],
)
def test_what_is_not_modelled_is_refused(event: Event) -> None:
    disk = after(made("a"), call("d", "b", inode=FOLDER))
    with pytest.raises(ValueError, match="the model has no"):
        disk.apply(event)
