"""Digests of contents, and a reader of stored contents that can recompute them."""

from __future__ import annotations

import errno
import hashlib
import os
from typing import TYPE_CHECKING, NoReturn, Self

from permacite.errors import IntegrityError, NotFoundError, StorageError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    import io

__all__ = ["MOST_OF_BLOB", "ContentReader", "digest_of", "git_blob", "path_of", "refuse"]

_DIGEST = compile_pattern(r"sha-256:([0-9a-f]{64})")
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def digest_of(content: bytes) -> str:
    """Return the digest of bytes: "sha-256:" and their SHA-256 in lower-case hexadecimal."""
    return "sha-256:" + hashlib.sha256(content).hexdigest()


def path_of(digest: str) -> str:
    """Return the path of an object: "ab/cd/abcd...". Raises NotFoundError for no digest."""
    digits = _DIGEST.fullmatch(digest)
    if digits is None:
        raise NotFoundError(f"not a digest: {digest!r}", digest)
    name = digits.group(1)
    return f"{name[:2]}/{name[2:4]}/{name}"


MOST_OF_BLOB = 4 << 20
"""Bytes of the largest text that is known by its name in Git."""


def git_blob(content: bytes) -> str:
    """Return the name of bytes in Git, and in a SWHID (ISO/IEC 18670): a SHA-1 in hexadecimal."""
    name = hashlib.sha1(b"blob %d\0" % len(content), usedforsecurity=False)
    name.update(content)
    return name.hexdigest()


class ContentReader:
    """Stored contents, open for one thread. Use it as a context manager, or call `close`.

    `read` does not check a range: its callers have digests of ranges. Raises StorageError where the
    store refuses.
    """

    __slots__ = ("_file", "digest", "name")

    def __init__(self, digest: str, file: io.RawIOBase | io.BytesIO, name: str) -> None:
        """Take an open file with its digest; `name` is its name in errors."""
        self.digest = digest
        self.name = name
        self._file = file

    @property
    def size(self) -> int:
        """The size in bytes."""
        try:
            return self._file.seek(0, os.SEEK_END)
        except OSError as error:
            refuse(error, self.name)

    @property
    def descriptor(self) -> int | None:
        """A file descriptor, None where the store has none; it is closed with this."""
        try:
            return self._file.fileno()
        except OSError:
            return None

    def read(self, start: int, end: int) -> bytes:
        """Read the bytes from `start` up to `end`, fewer at the end, unchecked."""
        try:
            self._file.seek(start)
            return self._file.read(end - start) or b""
        except OSError as error:
            refuse(error, self.name)

    def whole(self) -> bytes:
        """Read all bytes, and recompute the digest. Raises IntegrityError."""
        try:
            self._file.seek(0)
            content = self._file.read()
        except OSError as error:
            refuse(error, self.name)
        self._compare(digest_of(content))
        return content

    def check(self) -> None:
        """Recompute the digest, in pieces. Raises IntegrityError."""
        try:
            self._file.seek(0)
            actual = hashlib.file_digest(self._file, "sha256").hexdigest()
        except OSError as error:
            refuse(error, self.name)
        self._compare(f"sha-256:{actual}")

    def _compare(self, actual: str) -> None:
        if actual != self.digest:
            problem = f"stored bytes are altered: {self.name}"
            raise IntegrityError(problem, expected=self.digest, actual=actual)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def refuse(error: OSError, name: str) -> NoReturn:
    """Raise an OSError about a file as StorageError."""
    full = error.errno in _FULL
    raise StorageError(
        "the disk is full" if full else f"cannot use {name}: {error.strerror or error}",
        path=name,
        reason="full" if full else "io",
    ) from error
