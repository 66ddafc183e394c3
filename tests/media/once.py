"""Media made once in a run: what one process of tests made is read by the others."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["MadeOnce"]


class MadeOnce:
    """A folder that the processes of a run share: encoders take half a minute for all media."""

    folder: ClassVar[Path | None] = None
    """None: each process makes its own."""

    @classmethod
    def octets(cls, name: str, make: Callable[[], bytes]) -> bytes:
        """Return what is made under a name, by this process or by another one."""
        if cls.folder is None:
            return make()
        path = cls.folder / name
        if not path.exists():
            cls.folder.mkdir(exist_ok=True)
            begun = path.with_name(f"{name}.{os.getpid()}.begun")
            begun.write_bytes(make())
            begun.replace(path)
        return path.read_bytes()
