"""What is being saved from the reader, and what was: known to all processes of a server.

Where there are several, each save has a file in a folder of theirs, which the process that saves
writes and the others read.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from permacite.limits import SAVES_KEPT

if TYPE_CHECKING:
    import asyncio
    from pathlib import Path

__all__ = ["Save", "Saves"]

_TOLD_AGAIN_S = 0.25
_NAME_BYTES = 12
_SIGNS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


@dataclass(slots=True)
class Save:
    """A page that is being saved, or was."""

    uri: str
    source: str
    """The page with the link to it; "" for none."""
    quote: str = ""
    """The words to be cited in it, and what stands around them; "" for none."""
    before: str = ""
    after: str = ""
    done: int = 0
    known: int = 0
    size_bytes: int = 0
    pdi: str = ""
    """Its name, once it is saved."""
    problem: str = ""
    """Why it could not be."""
    reference: str = ""
    """Of the words, once they are cited."""
    not_cited: str = ""
    """Why they could not be."""
    process: int = field(default_factory=os.getpid)
    """Who saves it."""

    @property
    def is_over(self) -> bool:
        """Whether it is saved and cited, or failed."""
        is_cited = bool(not self.quote or self.reference or self.not_cited)
        return bool((self.pdi and is_cited) or self.problem)


class Saves:
    """The saves of one server, by names that nobody guesses."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: where processes tell one another; None where there is one."""
        self._folder = folder
        self._own: dict[str, Save] = {}
        self._told: dict[str, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, save: Save) -> str:
        """Take a save, and give it a name; the oldest that is over is forgotten for it."""
        while len(self._own) >= SAVES_KEPT:
            oldest = next(name for name, item in self._own.items() if item.is_over)
            del self._own[oldest]
            if self._folder is not None:
                (self._folder / oldest).unlink(missing_ok=True)
        name = secrets.token_urlsafe(_NAME_BYTES)
        self._own[name] = save
        self.tell(name)
        return name

    def tell(self, name: str) -> None:
        """Tell the other processes how far a save is; often enough, and when it is over."""
        save = self._own.get(name)
        if self._folder is None or save is None:
            return
        now = time.monotonic()
        if not save.is_over and now < self._told.get(name, 0) + _TOLD_AGAIN_S:
            return
        self._told[name] = now
        aside = self._folder / f".{name}"
        aside.write_text(json.dumps(dataclasses.asdict(save)), encoding="utf-8")
        aside.replace(self._folder / name)

    def find(self, name: str) -> Save | None:
        """A save by its name, whichever process it is of."""
        if name in self._own or self._folder is None or not _SIGNS.issuperset(name):
            return self._own.get(name)
        try:
            save = Save(**json.loads((self._folder / name).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None
        if not save.is_over and not _lives(save.process):
            save.problem = "the process that saved it has ended"
        return save

    def under_way(self) -> int:
        """How many are not over, in all processes."""
        names = set(self._own)
        if self._folder is not None:
            names |= {path.name for path in self._folder.iterdir() if path.name[0] != "."}
        found = (self.find(name) for name in names)
        return sum(save is not None and not save.is_over for save in found)

    def keep(self, task: asyncio.Task[None]) -> None:
        """Hold the task of a save until it is done."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _lives(process: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, 0)
        return True
    return False
