"""What a store of octets must do, and which one an address names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from permacite.archive.objects.durable import modes_of, write_file
from permacite.archive.objects.files import FileObjects
from permacite.errors import ParseError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from permacite.archive.objects.s3 import S3Objects
    from permacite.archive.objects.source import ContentReader

__all__ = ["ADDRESS", "ObjectStore", "check_address", "claim", "open_store", "store_of"]

ADDRESS = "objects.at"
"""The file of an archive that says where its octets are, if they are not in its folder."""

_ADDRESS = compile_pattern(
    r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)*)/?"
)


class ObjectStore(Protocol):
    """Octets by their digest, kept until they are deleted. Threads and processes may share it.

    It decides nothing: the same digest is the same octets, whoever puts them and how often. Each
    call raises StorageError where the store refuses.
    """

    @property
    def name(self) -> str:
        """What errors call it."""

    @property
    def is_far(self) -> bool:
        """Whether each call takes a round trip, so that small octets are best kept together."""

    def claim(self) -> None:
        """Take it for a new archive, while it is empty. Raises ConflictError."""

    def publish(self, path: str, content: bytes) -> None:
        """Keep octets under a name of their own, in place of what was there."""

    def published(self, path: str) -> bytes | None:
        """What is kept under a name of its own; None where nothing is."""

    def ask_first(self, question: Callable[[], object]) -> None:
        """Ask this, which raises where all is not well, before anything is put or destroyed."""

    def put(self, content: bytes) -> str:
        """Keep octets and return their digest, once they would survive a loss of power."""

    def put_all(self, contents: Sequence[tuple[str, bytes]]) -> None:
        """The same of many, with their digests, which are right."""

    def has(self, digest: str) -> bool:
        """Whether something is kept under this digest."""

    def open(self, digest: str) -> ContentReader:
        """The octets, to be read whole or by ranges. Raises NotFoundError."""

    def part(self, digest: str, start: int, end: int) -> bytes:
        """The octets from `start` up to `end`, as they are stored. Raises NotFoundError."""

    def get(self, digest: str) -> bytes:
        """The octets, their digest recomputed. Raises NotFoundError, IntegrityError."""

    def delete(self, digest: str) -> None:
        """Destroy octets, durably; nothing happens where there are none."""

    def check_deletes(self) -> None:
        """Raise StorageError where what is deleted would not be destroyed."""

    def digests(self) -> Iterator[str]:
        """The digests of everything that is kept, in no order."""

    def strangers(self) -> Iterator[str]:
        """The names of what is kept where only octets by their digest should be."""


def check_address(address: str) -> str:
    """An address such as `s3://bucket/prefix`. Raises ParseError for another, not shown."""
    if _ADDRESS.fullmatch(address) is None:
        hint = "who may is told by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        problem = "expected s3://BUCKET/PREFIX, and nothing secret in it"
        raise ParseError(problem, "s3://", 5, hint=hint)
    return address


def open_store(address: str) -> S3Objects:
    """The store at `s3://bucket/prefix`; who asks is said by the environment alone.

    Raises ParseError for another address, PermaciteError where obstore is not installed,
    StorageError where the environment names nobody.
    """
    check_address(address)
    from permacite.archive.objects.s3 import S3Objects

    bucket, _, prefix = address.removeprefix("s3://").partition("/")
    return S3Objects(bucket, prefix.strip("/"))


def claim(directory: Path, address: str | None) -> None:
    """Let the octets of the archive that is about to be made in `directory` be at an address.

    The store there is seen to do what it must first; None: they are in the folder. Raises as
    `open_store`, ConflictError where something is at that address, OSError.
    """
    if address is None:
        (directory / ADDRESS).unlink(missing_ok=True)  # an earlier try may have left it
        return
    open_store(address).claim()
    write_file(directory / ADDRESS, f"{address}\n".encode(), mode=modes_of(directory).file)


def store_of(directory: Path) -> ObjectStore:
    """The octets of the archive in `directory`. Raises as `open_store`."""
    try:
        address = (directory / ADDRESS).read_text("utf-8").strip()
    except FileNotFoundError:
        return FileObjects(directory / "objects")
    return open_store(address)
