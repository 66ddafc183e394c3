"""A forked log, and what shows it to anyone: two checkpoints that one key signed.

The records say whether a fork counts, to all machines that follow or are a witness. Each of these
has the texts as files too, for people to hand on. A file that the records do not know counts as
well: earlier versions kept nothing else.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from permacite.archive.log import Checkpoint
from permacite.archive.log.note import Note
from permacite.archive.objects import flush_folder, make_folders, write_file
from permacite.errors import IntegrityError

if TYPE_CHECKING:
    from pathlib import Path

    from permacite.archive import Repository

__all__ = ["HOW_TO_GO_ON", "check_none", "counting", "kept", "passed"]

HOW_TO_GO_ON = "`permacite mirror --past-fork` goes on, and leaves the evidence where it is"
_FOLDER = "forks"
_TEXT = """\
One key signed two logs of which neither begins with the other (a split view). Whoever knows the
key can check both signatures. The first is what this mirror holds, the second what was shown later.

{kept}
{shown}"""


def counting(repository: Repository) -> list[Path]:
    """The files that show the forks which count; those that lack here are written."""
    mirror, names = repository.mirror, repository.mirror.counting_forks()
    texts = mirror.forks()
    paths = [_beside(repository, name, texts[name]) for name in names]
    return paths + [_path(repository, name) for name in _in_files_alone(repository)]


def check_none(repository: Repository) -> None:
    """Raise IntegrityError where a fork counts: nothing is taken from such a log."""
    _note_files(repository)
    for path in counting(repository):
        raise IntegrityError(
            "the log was found forked, and nothing is taken from it",
            expected="one log",
            actual="two",
            hint=f"both checkpoints are in {path}: ask who keeps the archive; {HOW_TO_GO_ON}",
        )


def kept(repository: Repository, first: str, second: str) -> IntegrityError:
    """Keep two checkpoints that do not agree, and return the error that names them."""
    ours, theirs = (Checkpoint.parse(Note.parse(note).text) for note in (first, second))
    name = f"fork-{ours.size}-{theirs.size}-{theirs.root.hex()[:12]}.txt"
    text = _TEXT.format(kept=first, shown=second)
    repository.mirror.keep_forks({name: text})
    path = _beside(repository, name, text)
    return IntegrityError(
        f"the log is forked: its key signed {ours.size} entries, and {theirs.size} that do not"
        " begin with them, or these with those",
        expected=f"sha-256:{ours.root.hex()}",
        actual=f"sha-256:{theirs.root.hex()}",
        hint=f"both checkpoints are in {path}; nothing was taken",
    )


def passed(repository: Repository) -> list[Path]:
    """Let forks not count any more; the files that show them, which stay."""
    _note_files(repository)
    paths = counting(repository)
    if paths:
        repository.mirror.pass_forks(path.name for path in paths)
    return paths


def _path(repository: Repository, name: str) -> Path:
    return repository.directory / _FOLDER / name


def _note_files(repository: Repository) -> None:
    """Let the records have what files alone tell."""
    if texts := _in_files_alone(repository):
        repository.mirror.keep_forks(texts)


def _in_files_alone(repository: Repository) -> dict[str, str]:
    """What files show that the records do not know."""
    files = sorted((repository.directory / _FOLDER).glob("fork-*.txt"))
    known = repository.mirror.forks() if files else {}
    return {
        path.name: path.read_text("utf-8", "replace") for path in files if path.name not in known
    }


def _beside(repository: Repository, name: str, text: str) -> Path:
    """The file of what shows a fork; it is written where it lacks, if that can be."""
    path = _path(repository, name)
    if not path.exists() and path.name == name:
        with contextlib.suppress(OSError):  # the records have it
            make_folders(path.parent)
            write_file(path, text.encode(), mode=0o600)
            flush_folder(path.parent)
    return path
