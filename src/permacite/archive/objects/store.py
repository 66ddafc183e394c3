"""Object store protocol, and the store that an address names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from permacite.archive.objects.durable import modes_of, write_file
from permacite.archive.objects.files import FileObjects
from permacite.errors import ParseError
from permacite.registry import Registry
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from permacite.archive.objects.source import ContentReader

__all__ = [
    "ADDRESS",
    "ObjectStore",
    "RemoteStore",
    "check_address",
    "claim",
    "open_store",
    "store_of",
]

ADDRESS = "objects.at"
"""The file with the address of the object store, if that is not in the folder."""

_stores = Registry(
    "permacite.stores",
    {"s3": "permacite.archive.objects.s3:S3Objects"},
    kind=type,
    extras={"s3": "cluster"},
)
"""Object stores by the scheme of an address. Each takes a bucket and a prefix."""

_ADDRESS = compile_pattern(
    r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)*)/?"
)


class ObjectStore(Protocol):
    """Contents by their digest, kept until they are deleted. Threads and processes may share it.

    It decides nothing: the same digest always means the same bytes. Every call raises StorageError
    where the store refuses.
    """

    @property
    def name(self) -> str:
        """The name of the store in errors."""

    @property
    def is_far(self) -> bool:
        """Whether each call takes a round trip, so that small contents are best packed."""

    def claim(self) -> None:
        """Take an empty store for a new archive. Raises ConflictError."""

    def publish(self, path: str, content: bytes) -> None:
        """Write a file under a path, in place of what was there."""

    def published(self, path: str) -> bytes | None:
        """Read the file under a path; None where there is none."""

    def ask_first(self, question: Callable[[], object]) -> None:
        """Set a check, which may raise, to run before the first put or delete."""

    def put(self, content: bytes) -> str:
        """Store bytes and return their digest, once they would survive a loss of power."""

    def put_all(self, contents: Sequence[tuple[str, bytes]]) -> None:
        """Store many contents under their digests, which are not checked."""

    def has(self, digest: str) -> bool:
        """Whether the store has this digest."""

    def open(self, digest: str) -> ContentReader:
        """Open contents, to read them whole or by ranges. Raises NotFoundError."""

    def part(self, digest: str, start: int, end: int) -> bytes:
        """Read the bytes from `start` up to `end`, unchecked. Raises NotFoundError."""

    def get(self, digest: str) -> bytes:
        """Read contents, and recompute the digest. Raises NotFoundError, IntegrityError."""

    def delete(self, digest: str) -> None:
        """Destroy contents, durably; nothing happens where there are none."""

    def check_deletes(self) -> None:
        """Raise StorageError where what is deleted would not be destroyed."""

    def digests(self) -> Iterator[str]:
        """Yield all digests, in no order."""

    def strangers(self) -> Iterator[str]:
        """Yield the names of files that are no objects."""


class RemoteStore(ObjectStore, Protocol):
    """A store at an address, which can list its files."""

    def keys(self, path: str) -> Iterator[str]:
        """Yield the paths of all files below one."""


def check_address(address: str) -> str:
    """An address such as `s3://bucket/prefix`. Raises ParseError for another, not shown."""
    if _ADDRESS.fullmatch(address) is None:
        hint = "who may is told by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        problem = "expected s3://BUCKET/PREFIX, and nothing secret in it"
        raise ParseError(problem, "s3://", 5, hint=hint)
    return address


def open_store(address: str) -> RemoteStore:
    """Return the store at `s3://bucket/prefix`; the environment has the credentials.

    Raises ParseError for another address, PermaciteError where obstore is not installed,
    StorageError where the environment names nobody.
    """
    scheme, _, rest = check_address(address).partition("://")
    bucket, _, prefix = rest.partition("/")
    store: RemoteStore = _stores.load(scheme)(bucket, prefix.strip("/"))
    return store


def claim(directory: Path, address: str | None) -> None:
    """Claim the store at an address for a new archive in `directory`; None: its own folder.

    The store is tested first. Raises as `open_store`, ConflictError where it is not empty, OSError.
    """
    if address is None:
        (directory / ADDRESS).unlink(missing_ok=True)  # an earlier try may have left it
        return
    open_store(address).claim()
    write_file(directory / ADDRESS, f"{address}\n".encode(), mode=modes_of(directory).file)


def store_of(directory: Path) -> ObjectStore:
    """Return the object store of the archive in `directory`. Raises as `open_store`."""
    try:
        address = (directory / ADDRESS).read_text("utf-8").strip()
    except FileNotFoundError:
        return FileObjects(directory / "objects")
    return open_store(address)
