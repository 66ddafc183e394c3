"""Journal of a run over a list, so that an interrupted run can continue.

The journal is a file of lines beside the user's other state, named by the archive and the list. It
says which run it is, and which addresses are done. A commit bears the key of its run and address,
so that what was committed and never noted is found again, and saved once.
"""

from __future__ import annotations

import fcntl
import json
import secrets
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Self

from permacite.errors import BusyError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import TextIO

__all__ = ["Journal", "Keys"]


class Keys:
    """The keys of one run: what bears one is committed once, however often it is tried."""

    is_resumed = True
    """Whether an earlier part of this run may have done something."""

    def __init__(self, run: str) -> None:
        """`run`: its name, which nobody can guess."""
        self.run = run
        self.done: dict[str, Mapping[str, Any]] = {}
        """What became of addresses in earlier parts of this run, where that was noted."""

    def key(self, uri: str) -> str:
        """What a commit bears."""
        return f"list:{self.run}:{sha256(uri.encode()).hexdigest()[:32]}"

    def note(self, uri: str, outcome: Mapping[str, Any]) -> None:
        """Take note that an address is done."""

    def end(self) -> None:
        """The run is over."""


class Journal(Keys):
    """The journal of one run; a context manager."""

    def __init__(self, folder: Path, listed: str, *, afresh: bool = False) -> None:
        """Go on with the run over `listed`, the digest of a list; begin one where there is none."""
        super().__init__("")
        self._path = folder / f"{listed}.jsonl"
        self.run = "" if afresh else self._read()
        self.is_resumed = bool(self.run)
        self._file: TextIO | None = None

    def _read(self) -> str:
        """Which run was going on; "" where there was none, or its first line was cut off."""
        try:
            lines = self._path.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            return ""
        run = ""
        for line in lines:
            try:
                noted = json.loads(line)
            except ValueError:
                continue  # cut off, as the last one may be
            if "run" in noted:
                run = str(noted["run"])
            elif "uri" in noted:
                self.done[str(noted["uri"])] = noted
        return run

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        begun = not self.run
        self._file = self._path.open("a", encoding="utf-8")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise BusyError("this list is being saved by another run", retry_after_s=60) from error
        if begun:
            self._file.truncate(0)
            self.run = secrets.token_hex(8)
            self._write({"run": self.run})
        else:
            self._file.write("\n")  # behind a line that may be cut off
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def note(self, uri: str, outcome: Mapping[str, Any]) -> None:
        """Take note that an address is done."""
        self._write({"uri": uri, **outcome})

    def end(self) -> None:
        """The run is over: the next one over this list begins anew."""
        self._path.unlink(missing_ok=True)

    def _write(self, value: Mapping[str, Any]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(value, ensure_ascii=False) + "\n")
            self._file.flush()
