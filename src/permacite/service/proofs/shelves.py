"""Where files are published for others to fetch: a folder, or a place in a bucket."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from permacite.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permacite.archive.objects.s3 import S3Objects

__all__ = ["Shelf", "shelf_of"]


class Shelf(Protocol):
    """Files by their path. Raises OSError or StorageError."""

    def read(self, path: str) -> bytes | None:
        """What is in a file, None where there is none."""

    def below(self, path: str) -> Iterable[str]:
        """The paths of all files below one."""

    def write(self, path: str, content: bytes, *, replace: bool = False) -> None:
        """Write a file whole or not at all. Raises IntegrityError where other bytes are there."""


def shelf_of(target: Path | str) -> Shelf:
    """The folder `target`, or the place at an address "s3://BUCKET/PREFIX". Raises ParseError."""
    if isinstance(target, Path):
        return _Folder(target)
    from permacite.archive.objects import open_store

    return _Bucket(open_store(target))


class _Folder:
    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def read(self, path: str) -> bytes | None:
        """What is in a file, None where there is none."""
        file = self._directory / path
        return file.read_bytes() if file.exists() else None

    def below(self, path: str) -> Iterator[str]:
        """The paths of all files below one."""
        for file in (self._directory / path).rglob("*"):
            if file.is_file():
                yield str(file.relative_to(self._directory))

    def write(self, path: str, content: bytes, *, replace: bool = False) -> None:
        """Write a file whole or not at all. Raises IntegrityError where other bytes are there."""
        file = self._directory / path
        if not replace and _is_there(path, self.read(path), content):
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        aside = file.with_name(f"{file.name}.{secrets.token_hex(8)}.new")
        try:
            aside.write_bytes(content)
            os.replace(aside, file)  # noqa: PTH105 - both are named
        finally:
            aside.unlink(missing_ok=True)


class _Bucket:
    def __init__(self, store: S3Objects) -> None:
        self._store = store

    def read(self, path: str) -> bytes | None:
        """What is in an object, None where there is none."""
        return self._store.published(path)

    def below(self, path: str) -> Iterator[str]:
        """The paths of all objects below one."""
        return self._store.keys(path)

    def write(self, path: str, content: bytes, *, replace: bool = False) -> None:
        """Write an object and read it back. Raises IntegrityError where other bytes are there."""
        if replace or not _is_there(path, self.read(path), content):
            self._store.publish(path, content)


def _is_there(path: str, there: bytes | None, content: bytes) -> bool:
    """Whether this content is there already. Raises IntegrityError where another is."""
    if there not in {None, content}:
        raise IntegrityError(
            f"{path} is there, and is no tile of this log",
            expected="the same bytes",
            actual="others",
        )
    return there is not None
