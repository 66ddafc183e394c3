"""Objects in a store that speaks S3: <prefix>/objects/ab/cd/<sha256 in hexadecimal>.

The store decides nothing. Its keys are digests, so two writers of the same object do no harm, and
no write is conditional, since some stores ignore conditions. Every object is read back and compared
before it counts as stored. Address and credentials are in the environment only, under the usual
names: AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import obstore
from obstore.store import S3Store

from permacite.archive.objects.mark import taken
from permacite.archive.objects.source import ContentReader, digest_of, path_of
from permacite.errors import NotFoundError, StorageError
from permacite.scan import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["S3Objects"]

_MOST_AT_ONCE = 8 << 20
"""Bytes of the largest range that is requested; so many are in memory."""
_PATIENCE_S = 10.0
"""How long a request is repeated; then the store counts as unavailable."""
_REST_S = 5.0
"""How long an unavailable store is not asked again: requests fail at once."""
_FIRST = 1 << 16
"""Bytes that are requested when an object is opened: most are not longer."""
_HANDS = 16
"""How many objects are put at the same time."""
_TRIES = 2
"""How often an object is put that cannot be read back."""

_IDENTITIES = (
    ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
    ("AWS_WEB_IDENTITY_TOKEN_FILE",),
    ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",),
    ("AWS_CONTAINER_CREDENTIALS_FULL_URI",),
    ("AWS_SKIP_SIGNATURE",),
)
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
_ENDPOINT = compile_pattern(
    r"https?://(?:\[[0-9A-Fa-f:]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?(?:/[^@\s]*)?"
)
_STATUS = compile_pattern(r"status code: ([0-9]{3})")
_CODE = compile_pattern(r"<Code>([A-Za-z0-9]{1,60})</Code>")
_OBJECT = compile_pattern(r"objects/([0-9a-f]{2})/([0-9a-f]{2})/(\1\2[0-9a-f]{60})")
_FULL = {"QuotaExceeded", "InsufficientStorage", "XMinioStorageFull", "InsufficientCapacity"}
_NO_RANGE, _INSUFFICIENT_STORAGE = 416, 507
_LATER = "ask again later; small documents are taken meanwhile, and come there by themselves"
_SERVERS = 500

_README = b"""\
What is below this prefix belongs to a permacite archive.

objects/ab/cd/...  octets, each named by the SHA-256 of its content
archive            which archive that is: a number that its catalog has too, and where that was

The names of the documents are in the archive's catalog; the digest there, which hex() shows, is the
key objects/ab/cd/abcd... here. Small octets are together in tar files, which are objects
themselves: the table "packed" of the catalog says in which, and each is there a file that is named
by the SHA-256 of its content. Change nothing: nothing here ever changes.
"""


class S3Objects:
    """Objects below a prefix of a bucket. Threads and processes may share it."""

    is_far = True

    def __init__(self, bucket: str, prefix: str, *, patience_s: float = _PATIENCE_S) -> None:
        """Take a prefix; nothing is requested yet. Raises StorageError without credentials.

        `patience_s` is how long a failed request is repeated.
        """
        self._bucket = _S3Requests(bucket, prefix, patience_s)
        self.name = self._bucket.name
        self._question: Callable[[], object] | None = None

    def claim(self) -> None:
        """Take an empty prefix, once the store has passed a test: put, read, list and delete.

        Raises ConflictError where it is not empty, StorageError.
        """
        probe = digest_of(_README)
        with self._bucket.asking():
            there = {item["path"] for batch in obstore.list(self._bucket.store) for item in batch}
            if there - {"README.txt", _key(probe)}:  # which an earlier try may have left
                raise taken(self)
            obstore.put(self._bucket.store, "README.txt", _README)
            read = bytes(obstore.get(self._bucket.store, "README.txt").bytes())
            start = bytes(obstore.get_range(self._bucket.store, "README.txt", start=5, end=12))
            listed = {item["path"] for batch in obstore.list(self._bucket.store) for item in batch}
        self.put(_README)
        self.delete(probe)
        if read != _README or start != _README[5:12] or listed - {_key(probe)} != {"README.txt"}:
            problem = f"{self.name} does not give back what it took"
            raise StorageError(problem, path=self.name, reason="io")
        if self.has(probe):
            problem = f"{self.name} does not delete what it is told to"
            raise StorageError(problem, path=self.name, reason="io")

    def ask_first(self, question: Callable[[], object]) -> None:
        """Set a check, which may raise, to run before the first put or delete."""
        self._question = question

    def _ask(self) -> None:
        """Run the check until it has passed once."""
        if self._question is not None:
            self._question()
            self._question = None

    def put(self, content: bytes) -> str:
        """Store `content` and return its digest, once it was read back."""
        self._ask()
        digest = digest_of(content)
        self._bucket.put(_key(digest), content)
        return digest

    def publish(self, path: str, content: bytes) -> None:
        """Write a file under a path, in place of what was there, and read it back."""
        self._bucket.put(path, content)

    def published(self, path: str) -> bytes | None:
        """Read the file under a path; None where there is none."""
        try:
            with self._bucket.open(path, path) as source:
                return source.read(0, source.size)
        except NotFoundError:
            return None

    def put_all(self, contents: Sequence[tuple[str, bytes]]) -> None:
        """Store contents under their digests; return once all were read back."""
        self._ask()
        if len(contents) <= 1:  # a pool of threads is refused while Python ends
            for digest, content in contents:
                self._bucket.put(_key(digest), content)
            return
        with ThreadPoolExecutor(min(_HANDS, len(contents))) as hands:
            list(hands.map(lambda each: self._bucket.put(_key(each[0]), each[1]), contents))

    def has(self, digest: str) -> bool:
        """Whether the store has this digest."""
        try:
            with self._bucket.asking(digest):
                obstore.head(self._bucket.store, _key(digest))
        except NotFoundError:
            return False
        return True

    def open(self, digest: str) -> ContentReader:
        """Open contents. Raises NotFoundError, StorageError."""
        return self._bucket.open(_key(digest), digest)

    def part(self, digest: str, start: int, end: int) -> bytes:
        """Read the bytes from `start` up to `end`, unchecked. Raises NotFoundError."""
        return self._bucket.read_range(_key(digest), start, end)

    def get(self, digest: str) -> bytes:
        """Read contents, and recompute the digest.

        Raises NotFoundError, StorageError, or IntegrityError where they are altered.
        """
        with self.open(digest) as source:
            return source.whole()

    def delete(self, digest: str) -> None:
        """Destroy contents; nothing happens where there are none."""
        self._ask()
        with contextlib.suppress(NotFoundError), self._bucket.asking(digest):
            obstore.delete(self._bucket.store, _key(digest))

    def check_deletes(self) -> None:
        """Raise StorageError where the bucket keeps versions of what is deleted."""
        self._ask()
        with self._bucket.asking():
            result = obstore.put(self._bucket.store, "README.txt", _README)
        if result["version"] is not None:
            raise StorageError(
                f"nothing can be erased in {self.name}: the bucket keeps versions of what is"
                " deleted",
                path=self.name,
                reason="versioned",
                hint="let the bucket keep no versions, and remove those that it has",
            )

    def digests(self) -> Iterator[str]:
        """Yield all digests, in no order."""
        for key in self._bucket.keys("objects"):
            match = _OBJECT.fullmatch(key)
            if match is not None:
                yield f"sha-256:{match.group(3)}"

    def strangers(self) -> Iterator[str]:
        """Yield the keys below `objects/` that are no digests."""
        for key in self._bucket.keys("objects"):
            if _OBJECT.fullmatch(key) is None:
                yield self._bucket.key_name(key)

    def keys(self, path: str) -> Iterator[str]:
        """Return all keys below a path."""
        return self._bucket.keys(path)


class _S3Requests:
    """Requests to a prefix of a bucket: each is tried again, and its error is one of ours."""

    def __init__(self, bucket: str, prefix: str, patience_s: float) -> None:
        """Take a prefix; nothing is requested yet. Raises StorageError without credentials."""
        self.name = f"s3://{bucket}/{prefix}".rstrip("/")
        if not any(all(os.environ.get(name) for name in names) for names in _IDENTITIES):
            raise StorageError(
                "the environment names nobody who may use the store of octets",
                path=self.name,
                reason="io",
                hint="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_ENDPOINT_URL",
            )
        endpoint = _endpoint(self.name)
        self._patience_s = patience_s
        self._away_until = 0.0
        with self.asking():
            self.store = S3Store(
                bucket,
                prefix=prefix or None,
                client_options={
                    "allow_http": endpoint.startswith("http://"),
                    "timeout": timedelta(seconds=30),
                },
                retry_config={
                    "max_retries": 20,
                    "retry_timeout": timedelta(seconds=patience_s),
                    "backoff": {"max_backoff": timedelta(seconds=2)},
                },
            )

    def open(self, key: str, digest: str) -> ContentReader:
        """What is under a key, which should have this digest."""
        with self.asking(digest):
            try:
                answer = obstore.get(self.store, key, options={"range": (0, _FIRST)})
                size, first = int(answer.meta["size"]), bytes(answer.bytes())
            except obstore.exceptions.BaseError as error:
                _check_beyond(error)  # of nothing, there is no range
                size, first = int(obstore.head(self.store, key)["size"]), b""
        return ContentReader(
            digest, _RangedFile(partial(self.read_range, key), first, size), self.key_name(key)
        )

    def read_range(self, key: str, start: int, end: int) -> bytes:
        if start == end:
            return b""
        with self.asking(key):
            try:
                return bytes(obstore.get_range(self.store, key, start=start, end=end))
            except obstore.exceptions.BaseError as error:
                _check_beyond(error)
                return b""

    def key_name(self, key: str) -> str:
        """Return the name of a key in errors."""
        return f"{self.name}/{key}"

    def keys(self, path: str) -> Iterator[str]:
        """Yield all keys below a path."""
        with self.asking():
            for batch in obstore.list(self.store, path):
                for item in batch:
                    yield item["path"]

    def put(self, key: str, content: bytes) -> None:
        """Put an object until it can be read back; not at all where it is there already."""
        if self._holds(key, content):
            return
        for _ in range(_TRIES):
            with self.asking():
                obstore.put(self.store, key, content)
            if self._holds(key, content):
                return
        problem = f"{self.name} does not give back what it took"
        raise StorageError(problem, path=self.name, reason="lost", hint=_LATER)

    def _holds(self, key: str, content: bytes) -> bool:
        """Whether exactly this content is there."""
        view = memoryview(content)
        try:
            with self.open(key, key) as source:
                return source.size == len(content) and all(
                    source.read(start, start + _MOST_AT_ONCE) == view[start : start + _MOST_AT_ONCE]
                    for start in range(0, len(content), _MOST_AT_ONCE)
                )
        except NotFoundError:
            return False

    @contextlib.contextmanager
    def asking(self, digest: str = "") -> Iterator[None]:
        """Raise an error of the store as one of ours, without its full text."""
        if time.monotonic() < self._away_until:
            raise self._away()
        start = time.monotonic()
        try:
            yield
        except (obstore.exceptions.BaseError, OSError, ValueError) as error:
            status, code = _said(error)
            if isinstance(error, FileNotFoundError) and digest and code != "NoSuchBucket":
                raise NotFoundError(f"no object {digest}", digest) from None
            if time.monotonic() - start > self._patience_s / 2:  # not one broken connection
                self._away_until = time.monotonic() + _REST_S
            raise self._refusal(status, code) from None

    def _refusal(self, status: int, code: str) -> StorageError:
        if code in _FULL or status == _INSUFFICIENT_STORAGE:
            problem = f"the store of octets is full: {self.name}"
            hint = f"make room there; {_LATER}"
            return StorageError(problem, path=self.name, reason="full", hint=hint)
        if status and status < _SERVERS:
            problem = f"the store of octets refuses: {self.name} answers {code or status}"
            return StorageError(problem, path=self.name, reason="io")
        return self._away()

    def _away(self) -> StorageError:
        problem = f"the store of octets does not answer: {self.name}"
        return StorageError(problem, path=self.name, reason="away", hint=_LATER)


class _RangedFile(io.RawIOBase):
    """A file read by ranges from `ask`, with read-ahead for sequential reads.

    The descriptor is that of an unnamed temporary file, into which everything is copied first.
    Errors of `ask` are raised.
    """

    def __init__(self, ask: Callable[[int, int], bytes], first: bytes, size: int) -> None:
        """Take the first octets, which are here already, and how many there are."""
        super().__init__()
        self._ask = ask
        self._size = size
        self._position = 0
        self._start = 0
        """Where the octets that are at hand begin."""
        self._window = first
        self._copy: Any = None

    def readable(self) -> bool:
        """Whether it can be read."""
        return True

    def seekable(self) -> bool:
        """Whether it can be read from any place on."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Go to a place, which is returned."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: Any, /) -> int:
        """Fill a buffer, as far as there are octets."""
        view = memoryview(buffer).cast("B")
        wanted = min(len(view), self._size - self._position)
        filled = 0
        while filled < wanted:
            at_hand = self._at_hand(wanted - filled)
            view[filled : filled + len(at_hand)] = at_hand
            filled += len(at_hand)
            self._position += len(at_hand)
        return max(0, filled)

    def readall(self) -> bytes:
        """All octets from here on."""
        left = bytearray(max(0, self._size - self._position))
        self.readinto(left)
        return bytes(left)

    def fileno(self) -> int:
        """The descriptor of a copy. Raises OSError where there is no room for one."""
        if self._copy is None:
            copy = tempfile.TemporaryFile()  # noqa: SIM115 - closed with this
            try:
                position = self.seek(0, os.SEEK_CUR)
                self.seek(0)
                while piece := self.read(_MOST_AT_ONCE):
                    copy.write(piece)
                copy.flush()
                self.seek(position)
            except BaseException:
                copy.close()
                raise
            self._copy = copy
        return int(self._copy.fileno())

    def close(self) -> None:
        """Let go of the copy, if one was made."""
        if self._copy is not None:
            self._copy.close()
        super().close()

    def _at_hand(self, wanted: int) -> memoryview:
        """Octets from the position on, at least one and at most `wanted`."""
        end = self._start + len(self._window)
        if not self._start <= self._position < end:
            is_next = self._position == end
            most = min(_MOST_AT_ONCE, max(wanted, 2 * len(self._window) if is_next else 0))
            start = self._position
            self._window = self._ask(start, min(start + most, self._size))
            self._start = start
            if not self._window:
                raise OSError("there are fewer octets than the store said")
        begin = self._position - self._start
        return memoryview(self._window)[begin : begin + wanted]


def _check_beyond(error: Exception) -> None:
    """Raise an error about a range, unless the object ends before it: it may be cut off."""
    if _said(error)[0] != _NO_RANGE:
        raise error


def _said(error: Exception) -> tuple[int, str]:
    """Return the status and the code of an answer; 0 and "" where there was none."""
    found = (pattern.search(str(error)) for pattern in (_STATUS, _CODE))
    status, code = (match.group(1) if match else "" for match in found)
    return int(status or 0), code


def _endpoint(store: str) -> str:
    """Return the endpoint that the environment names; "" for Amazon.

    Raises StorageError for no address, without showing it: the library would panic.
    """
    name = next((name for name in _ENDPOINTS if os.environ.get(name)), None)
    endpoint = "" if name is None else os.environ[name]
    if endpoint and not _ENDPOINT.fullmatch(endpoint):
        raise StorageError(
            f"{name} is no address of a store",
            path=store,
            reason="io",
            hint="expected http://HOST:PORT or https://HOST, and nothing secret in it",
        )
    return endpoint


def _key(digest: str) -> str:
    return f"objects/{path_of(digest)}"
