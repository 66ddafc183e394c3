"""A forked log, and what shows it to anyone: two checkpoints that one key signed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permacite.archive.log import Checkpoint
from permacite.archive.log.note import Note
from permacite.archive.objects import flush_folder, make_folders, write_file
from permacite.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["check_none", "kept", "known"]

_FOLDER = "forks"
_TEXT = """\
One key signed two logs of which neither begins with the other (a split view). Whoever knows the
key can check both signatures. The first is what this mirror holds, the second what was shown later.

{kept}
{shown}"""


def known(directory: Path) -> Iterator[Path]:
    """The files that show forks, in a mirror's folder."""
    yield from sorted((directory / _FOLDER).glob("fork-*.txt"))


def check_none(directory: Path) -> None:
    """Raise IntegrityError where a fork was found earlier: nothing is taken from such a log."""
    for path in known(directory):
        raise IntegrityError(
            f"the log was found forked: {path} has both checkpoints",
            expected="one log",
            actual="two",
            hint="ask who keeps the archive; with that file out of the folder the mirror goes on",
        )


def kept(directory: Path, first: str, second: str) -> IntegrityError:
    """Keep two checkpoints that do not agree, and return the error that names them."""
    ours, theirs = (Checkpoint.parse(Note.parse(note).text) for note in (first, second))
    folder = directory / _FOLDER
    make_folders(folder)
    path = folder / f"fork-{ours.size}-{theirs.size}-{theirs.root.hex()[:12]}.txt"
    if not path.exists():
        write_file(path, _TEXT.format(kept=first, shown=second).encode(), mode=0o600)
        flush_folder(folder)
    return IntegrityError(
        f"the log is forked: its key signed {ours.size} entries, and {theirs.size} that do not"
        " begin with them, or these with those",
        expected=f"sha-256:{ours.root.hex()}",
        actual=f"sha-256:{theirs.root.hex()}",
        hint=f"both checkpoints are in {path}; nothing was taken",
    )
