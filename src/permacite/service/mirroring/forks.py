"""Forks of a mirrored log, as evidence of two checkpoints; and what is overdue in a mirror.

The records say whether a fork counts, to all machines that follow or are a witness. Each machine
has the texts as files too, so that people can pass them on. A file that the records do not know
counts as well: earlier versions kept only files.
"""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from permacite.archive.log.note import Checkpoint, Note
from permacite.archive.model.answered import Finding
from permacite.archive.objects.durable import flush_folder, make_folders, write_file
from permacite.archive.transport.mirror import Mirror
from permacite.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from permacite.archive.repository import Repository

__all__ = ["check_none", "findings", "kept", "passed"]

_HOW_TO_CONTINUE = "`permacite mirror --past-fork` goes on, and leaves the evidence where it is"
_FOLDER = "forks"
_LATEST = timedelta(hours=24)
"""How long after a withdrawal or erasure there it may be undone here."""
_TEXT = """\
One key signed two logs of which neither begins with the other (a split view). Whoever knows the
key can check both signatures. The first is what this mirror holds, the second what was shown later.

{kept}
{shown}"""


def _counting(repository: Repository) -> list[Path]:
    """Return the files of the forks that count; missing files are written."""
    mirror = Mirror(repository.parts)
    names, texts = mirror.counting_forks(), mirror.forks()
    paths = [_beside(repository, name, texts[name]) for name in names]
    return paths + [_path(repository, name) for name in _in_files_alone(repository)]


def check_none(repository: Repository) -> None:
    """Raise IntegrityError where a fork counts: nothing is taken from such a log."""
    _note_files(repository)
    for path in _counting(repository):
        raise IntegrityError(
            "the log was found forked, and nothing is taken from it",
            expected="one log",
            actual="two",
            hint=f"both checkpoints are in {path}: ask who keeps the archive; {_HOW_TO_CONTINUE}",
        )


def kept(repository: Repository, first: str, second: str) -> IntegrityError:
    """Keep two checkpoints that do not agree, and return the error that names them."""
    ours, theirs = (Checkpoint.parse(Note.parse(note).text) for note in (first, second))
    name = f"fork-{ours.size}-{theirs.size}-{theirs.root.hex()[:12]}.txt"
    text = _TEXT.format(kept=first, shown=second)
    Mirror(repository.parts).keep_forks({name: text})
    path = _beside(repository, name, text)
    return IntegrityError(
        f"the log is forked: its key signed {ours.size} entries, and {theirs.size} that do not"
        " begin with them, or these with those",
        expected=f"sha-256:{ours.root.hex()}",
        actual=f"sha-256:{theirs.root.hex()}",
        hint=f"both checkpoints are in {path}; nothing was taken",
    )


def passed(repository: Repository) -> list[Path]:
    """Let forks not count any more; their files, which stay, are returned."""
    _note_files(repository)
    paths = _counting(repository)
    if paths:
        Mirror(repository.parts).pass_forks(path.name for path in paths)
    return paths


def _path(repository: Repository, name: str) -> Path:
    return repository.directory / _FOLDER / name


def _note_files(repository: Repository) -> None:
    """Record the evidence that only files have."""
    if texts := _in_files_alone(repository):
        Mirror(repository.parts).keep_forks(texts)


def _in_files_alone(repository: Repository) -> dict[str, str]:
    """Return the evidence that the records do not have, by file name."""
    files = sorted((repository.directory / _FOLDER).glob("fork-*.txt"))
    known = Mirror(repository.parts).forks() if files else {}
    return {
        path.name: path.read_text("utf-8", "replace") for path in files if path.name not in known
    }


def _beside(repository: Repository, name: str, text: str) -> Path:
    """Return the file of some evidence; it is written if it is missing and that is possible."""
    path = _path(repository, name)
    if not path.exists() and path.name == name:
        with contextlib.suppress(OSError):  # the records have it
            make_folders(path.parent)
            write_file(path, text.encode(), mode=0o600)
            flush_folder(path.parent)
    return path


def findings(repository: Repository) -> Iterator[Finding]:
    """Yield what is overdue or wrong in a mirror; nothing for any other archive."""
    mirror = Mirror(repository.parts)
    origin = mirror.origin
    if origin is None:
        return
    for path in _counting(repository):
        detail = f"one key signed two logs: {path} has both checkpoints; {_HOW_TO_CONTINUE}"
        yield Finding("log", "fork", detail)
    now = datetime.now(UTC)
    followed = mirror.followed()
    if followed is None or now - datetime.fromisoformat(followed) > _LATEST:
        seen = mirror.seen()
        size = 0 if seen is None else Checkpoint.parse(Note.parse(seen).text).size
        behind = max(0, size - repository.log.size())
        since = "it was begun" if followed is None else f"{followed[:16]}Z"
        more = f"; {behind} entries are known to be there" if behind else ""
        detail = f"what was withdrawn, closed or erased since {since} may stand here open{more}"
        yield Finding(origin, "late", detail)
    for pdi, erased_at in mirror.unfinished():
        if now - erased_at > _LATEST:
            detail = f"erased there on {erased_at:%Y-%m-%d}, and not destroyed here so far"
            yield Finding(str(pdi), "late", detail)
