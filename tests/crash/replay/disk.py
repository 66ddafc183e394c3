"""A model of a disk: what of a sequence of calls may be left after the power fails.

What is certain:
  the content of a file   as of its last fsync or fdatasync
  the names in a folder   as of the last fsync of that folder

Everything after that is pending, and any part of it may be there, in any order:
  a write   in sectors of 512 octets: each is there, or not; beyond the octets that were certain it
            may also be junk, as where a file grew before its data came
  a cut     (truncate) is there, or not
  a name    made or removed: there, or not; both halves of a renaming together

So a flush of a file says nothing of its name, that of a folder nothing of the files in it, and
nothing follows from the order of calls. Real file systems promise more. ext4, for one, keeps names
in order: what a flush of anything makes certain includes all names made before it. The states that
ext4 may leave are among those of this model; states.py tries them on purpose.

What is taken for granted: a sector is written whole or not at all, and a write to some octets
leaves the others of their sector alone (SQLite's "powersafe overwrite"); what was flushed stays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.crash.replay.trace import Event

__all__ = ["DROPPED", "JUNK", "KEPT", "SECTOR", "Change", "Choice", "Disk", "Image"]

SECTOR = 512
DROPPED, KEPT, JUNK = 0, 1, 2
_JUNK = bytes(range(255, -1, -1)) * (SECTOR // 256)

Image: TypeAlias = "dict[str, bytes]"
"""Octets by path; folders end in "/" and have none."""


@dataclass(frozen=True, slots=True)
class Change:
    """One pending change: a write, a cut, or names."""

    sequence: int
    """The place of its call among all."""
    kind: str
    """"w", "t" or "n"."""
    offset: int = 0
    """Where a write begins, or the length that a cut leaves."""
    data: bytes = b""
    names: tuple[tuple[str, _File | _Folder | None], ...] = ()
    """Names and what each means from now on; None: nothing."""


Choice: TypeAlias = "Callable[[Change, int], int]"
"""Says what becomes of one sector of a change (of all of it: sector 0)."""


@dataclass(slots=True, eq=False)
class _File:
    """A file: what is certain of it, and what is pending."""

    certain: bytes = b""
    pending: list[Change] = field(default_factory=list)

    def content(self, choice: Choice) -> bytes:
        """Return the octets that a choice leaves."""
        if not self.pending:
            return self.certain
        left = bytearray(self.certain)
        for change in self.pending:
            if change.kind == "w":
                _write(left, change, choice, len(self.certain))
            elif choice(change, 0):
                del left[change.offset :]
                left.extend(bytes(change.offset - len(left)))
        return bytes(left)

    def flush(self) -> None:
        """Make everything certain."""
        self.certain = self.content(_all)
        self.pending = []


@dataclass(slots=True, eq=False)
class _Folder:
    """A folder: which names are certain, which are pending, and which are there for processes."""

    certain: dict[str, _File | _Folder] = field(default_factory=dict)
    pending: list[Change] = field(default_factory=list)
    current: dict[str, _File | _Folder] = field(default_factory=dict)

    def entries(self, choice: Choice) -> dict[str, _File | _Folder]:
        """Return the names that a choice leaves."""
        if not self.pending:
            return self.certain
        left = dict(self.certain)
        for change in self.pending:
            if choice(change, 0):
                _rename(left, change)
        return left

    def change(self, change: Change) -> None:
        """Change names."""
        self.pending.append(change)
        _rename(self.current, change)

    def flush(self) -> None:
        """Make all names certain."""
        self.certain = dict(self.current)
        self.pending = []


class Disk:
    """A disk that follows a sequence of calls."""

    def __init__(self, before: Mapping[str, tuple[int, bytes]] | None = None) -> None:
        """`before` is there for certain: inodes and octets by path, that of a folder before it."""
        self.root = _Folder()
        self.flushed = -1
        """The place of the last flush of anything."""
        self._by_inode: dict[int, _File | _Folder] = {}
        self._sequence = -1
        for path, (inode, octets) in (before or {}).items():
            self._begin(path, inode, octets)

    def apply(self, event: Event) -> None:
        """Follow one call. Raises ValueError for one that is not modelled."""
        self._sequence += 1
        if event.kind in "cd":
            made = _Folder() if event.kind == "d" else _File()
            self._by_inode[event.inode] = made  # an inode's number may be an old one, used again
            if event.path:
                self._name(event.path, made)
        elif event.kind in "wt":
            change = Change(self._sequence, event.kind, event.offset, event.data)
            self._by_inode[event.inode].pending.append(change)
        elif event.kind == "l":
            self._name(event.path, self._by_inode[event.inode])
        elif event.kind == "u":
            self._name(event.path, None)
        elif event.kind == "r":
            self._rename(event)
        elif event.kind == "s":
            self.flushed = self._sequence
            self._flushed(event).flush()
        elif event.kind != "a":
            raise ValueError(f"the model has no {event.path!r}")

    def pending(self) -> list[Change]:
        """Return everything that is pending, in what is still within reach."""
        found: list[Change] = []
        seen: set[int] = set()
        waiting: list[_File | _Folder] = [self.root]
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            found += node.pending
            if isinstance(node, _Folder):
                waiting += [*node.certain.values(), *node.current.values()]
                waiting += [one for change in node.pending for _, one in change.names if one]
        return found

    def image(self, choice: Choice) -> Image:
        """Return what a choice leaves."""
        return dict(_walk("", self.root, choice))

    def _begin(self, path: str, inode: int, octets: bytes) -> None:
        """Put something on the disk before the first call."""
        if not path:
            return
        folder, name = self._folder_of(path.rstrip("/"))
        made = self._by_inode.setdefault(inode, _Folder() if path[-1] == "/" else _File(octets))
        folder.certain[name] = folder.current[name] = made

    def _name(self, path: str, node: _File | _Folder | None) -> None:
        """Let `path` mean `node`, or nothing."""
        folder, name = self._folder_of(path)
        folder.change(Change(self._sequence, "n", names=((name, node),)))

    def _rename(self, event: Event) -> None:
        """Rename within one folder, as one change."""
        (folder, old), (other, new) = self._folder_of(event.path), self._folder_of(event.other)
        if folder is not other:
            raise ValueError("the model has no renaming from folder to folder")
        names = ((old, None), (new, folder.current[old]))
        folder.change(Change(self._sequence, "n", names=names))

    def _flushed(self, event: Event) -> _File | _Folder:
        """Return what was flushed."""
        return self._by_inode[event.inode] if event.path else self.root

    def _folder_of(self, path: str) -> tuple[_Folder, str]:
        """Return the folder that holds a path, and the last name of the path."""
        *above, name = path.split("/")
        folder = self.root
        for one in above:
            found = folder.current[one]
            assert isinstance(found, _Folder)
            folder = found
        return folder, name


def _all(_change: Change, _sector: int) -> int:
    return KEPT


def _rename(names: dict[str, _File | _Folder], change: Change) -> None:
    """Change a folder's names."""
    for name, node in change.names:
        if node is None:
            names.pop(name, None)
        else:
            names[name] = node


def _write(left: bytearray, change: Change, choice: Choice, certain: int) -> None:
    """Write those sectors of a change that a choice keeps."""
    end = change.offset + len(change.data)
    first = change.offset // SECTOR
    for sector in range(first, (end - 1) // SECTOR + 1):
        start, stop = max(change.offset, sector * SECTOR), min(end, (sector + 1) * SECTOR)
        chosen = choice(change, sector - first)
        if chosen == DROPPED or (chosen == JUNK and start < certain):
            continue
        left.extend(bytes(max(0, start - len(left))))
        octets = change.data[start - change.offset : stop - change.offset]
        left[start:stop] = octets if chosen == KEPT else _JUNK[: stop - start]


def _walk(path: str, folder: _Folder, choice: Choice) -> Iterator[tuple[str, bytes]]:
    """Return the paths below a folder and their octets, as a choice leaves them."""
    for name, node in folder.entries(choice).items():
        if isinstance(node, _Folder):
            yield f"{path}{name}/", b""
            yield from _walk(f"{path}{name}/", node, choice)
        else:
            yield f"{path}{name}", node.content(choice)
