"""What the archive asks of whatever keeps its octets: put, get, destroy, and never a change."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Objects", "digest_of"]


def digest_of(content: bytes) -> str:
    """Return "sha-256:" and the SHA-256 of `content` in lower-case hexadecimal."""
    return "sha-256:" + hashlib.sha256(content).hexdigest()


class Objects(Protocol):
    """Octets by their digest. What is put stays as it is, until it is destroyed."""

    def put(self, content: bytes) -> str:
        """Keep `content` and return its digest, once it would survive a loss of power.

        Raises StorageError (reasons "full", "io"), IntegrityError where other bytes stand there.
        """
        ...

    def has(self, digest: str) -> bool:
        """Say whether something is kept under this digest."""
        ...

    def get(self, digest: str) -> bytes:
        """Return the octets with this digest, recomputed just now.

        Raises NotFoundError, or IntegrityError where the stored octets are others.
        """
        ...

    def check(self, digest: str) -> None:
        """Raise as `get` does, and for altered octets that nobody leans on too."""
        ...

    def path(self, digest: str) -> Path:
        """Return the file that holds the octets; it may be read, never written."""
        ...

    def delete(self, digest: str) -> None:
        """Destroy octets, durably; nothing happens where there are none."""
        ...

    def digests(self) -> Iterator[str]:
        """Return the digests of everything kept, in no order."""
        ...
