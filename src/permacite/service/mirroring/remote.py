"""Remote archive: its log, entries and contents over HTTP; repair of contents from a copy.

A mirror connects only to the address that it was given: redirects are not followed. A private
address is allowed where the user wrote it as one.

`RemoteTree` has the hashes of the remote log, by its tiles (C2SP tlog-tiles): all hashes at level 8
that are not here already, and those of the last entries.

`mend` repairs missing or altered contents from a mirror, the origin or a backup. The digest comes
from an entry that a signed checkpoint covers, never from the copy. Contents of the copy are
compared with it before they replace anything.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import threading
from typing import TYPE_CHECKING, Any, Self

from permacite import pdi as grammar
from permacite.archive.log.tiles import Tile
from permacite.archive.merkle import node_hash, tree_hash
from permacite.archive.objects.source import ContentReader
from permacite.archive.repository import Repository
from permacite.errors import CaptureError, IntegrityError, NotFoundError, ParseError
from permacite.pdi import PDI
from permacite.service.findings import Mended
from permacite.service.location import checked_location

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from permacite.archive.log.log import Log
    from permacite.archive.model.answered import Finding
    from permacite.capture.fetcher import Fetcher
    from permacite.capture.model import Exchange

__all__ = ["STRETCH", "RemoteArchive", "RemoteTree", "mend"]

_CONNECTIONS = 8
_TRIES = 2 * _CONNECTIONS
"""How often a request is sent where connections are cut, once the archive has answered: it may
close all connections that were kept open at the same time."""
_PAUSE_S = 0.5
_GIB = 1 << 30
_MISSING = frozenset({404, 410, 451, 403})
_OURS = frozenset({"localhost", "127.0.0.1", "::1"})
_MENDABLE = frozenset({"missing", "altered"})


class RemoteArchive:
    """A client of one archive; a context manager. Any number of threads may use it."""

    is_far = True

    def __init__(self, address: str, *, allow_private: bool = False) -> None:
        """Take the address of the archive. Raises CaptureError, ParseError for no such address."""
        from permacite.capture.address import absolute, parse_target

        self.address = absolute(address).rstrip("/")
        target = parse_target(self.address)
        self._allow_private = allow_private or target.literal or target.host in _OURS
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="permacite-remote", daemon=True
        )
        self._fetcher: Fetcher | None = None
        self._has_answered = False
        self._pause = threading.Event()
        self.wrong: list[str] = []
        """The digests of contents that were not what was requested."""

    def __enter__(self) -> Self:
        self._thread.start()
        self._wait(self._open())
        return self

    def __exit__(self, *_: object) -> None:
        fetcher, self._fetcher = self._fetcher, None
        if fetcher is not None:
            self._wait(fetcher.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _open(self) -> None:
        from permacite.capture.fetcher import Fetcher
        from permacite.capture.model import FetchLimits, FetchOptions

        limits = FetchLimits(
            load_s=600,
            total_bytes=1 << 62,
            part_bytes=2 * _GIB,
            concurrent=_CONNECTIONS,
            per_host=_CONNECTIONS,
            redirects=0,
            wait_s=60,
        )
        refuse = FetchOptions(allow_private=self._allow_private).refuse
        self._fetcher = await Fetcher(limits, refuse=refuse).__aenter__()

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def get(self, path: str) -> bytes:
        """Get the content at a path. Raises CaptureError; NotFoundError where nothing is there."""
        tries = _TRIES if self._has_answered else 1
        while True:
            try:
                content = self._request(path)
            except CaptureError as error:
                tries -= 1
                if error.reason != "connect" or not tries:
                    raise
                self._pause.wait(_PAUSE_S)
            else:
                self._has_answered = True
                return content

    def _request(self, path: str) -> bytes:
        """Send one request. Raises as `get`."""
        if self._fetcher is None:
            raise RuntimeError("a RemoteArchive is used inside `with`")
        try:
            answer: Exchange = self._wait(self._fetcher.fetch(f"{self.address}{path}"))
        except CaptureError as error:
            if error.status in _MISSING:
                raise NotFoundError(error.problem, f"{self.address}{path}") from error
            raise
        return answer.content

    def json(self, path: str) -> dict[str, Any]:
        """Get the JSON object at a path. Raises as `get`, IntegrityError for anything else."""
        content = self.get(path)
        try:
            value = json.loads(content)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise IntegrityError(
                f"{self.address}{path} is no answer of an archive",
                expected="a JSON object",
                actual=content[:60].decode("utf-8", "replace"),
            )
        return value

    def open(self, digest: str) -> ContentReader:
        """Open contents, compared with their digest. Raises NotFoundError, IntegrityError."""
        path = f"/-/log/octets/{digest.removeprefix('sha-256:')}"
        content = self.get(path)
        source = ContentReader(digest, io.BytesIO(content), f"{self.address}{path}")
        try:
            source.check()
        except IntegrityError:
            self.wrong.append(digest)
            raise
        return source


_HEIGHT = 8
STRETCH = 1 << _HEIGHT
"""So many entries are checked against one hash."""
_HASH_BYTES = 32


class RemoteTree:
    """The hashes over a log of `size` entries, of which the first `known` are in `log`."""

    def __init__(self, archive: RemoteArchive, log: Log, known: int, size: int) -> None:
        """Fetch them. Raises CaptureError, IntegrityError for a tile of another length."""
        self._log = log
        self._known = known
        self._size = size
        self._first = known >> _HEIGHT
        whole, rest = divmod(size, STRETCH)
        self._above = list(_hashes(archive, 1, self._first, whole))
        self._last = list(_hashes(archive, 0, size - rest, size)) if rest else []

    def root(self) -> bytes:
        """Return the root that follows from the hashes."""
        return tree_hash(self._size, self._node)

    def check(self, start: int, hashes: Sequence[bytes]) -> None:
        """Check the hashes of entries, from `start` to the end of their stretch, against this tree.

        Raises IntegrityError where they differ.
        """
        first = start - start % STRETCH
        row = [self._log.node(0, place) for place in range(first, start)] + list(hashes)
        expected = self._last
        actual: list[bytes] = row
        if len(row) == STRETCH:
            while len(row) > 1:
                row = [node_hash(*pair) for pair in zip(row[::2], row[1::2], strict=True)]
            expected, actual = [self._node(_HEIGHT, first >> _HEIGHT)], row
        if actual != expected:
            end = start + len(hashes)
            raise IntegrityError(
                f"the entries from {start} up to {end} are not those of the log",
                expected=expected[-1].hex() if expected else "none",
                actual=actual[-1].hex(),
            )

    def _node(self, level: int, position: int) -> bytes:
        """Return the hash of a complete subtree."""
        start = position << level
        if (position + 1) << level <= self._known:
            return self._log.node(level, position)
        if level == _HEIGHT:
            return self._above[position - self._first]
        if level == 0:
            return self._last[start % STRETCH]
        return node_hash(
            self._node(level - 1, 2 * position), self._node(level - 1, 2 * position + 1)
        )


def _hashes(archive: RemoteArchive, level: int, start: int, end: int) -> Iterator[bytes]:
    """Yield the hashes of a level from `start` up to `end`."""
    for index in range(start // STRETCH, -(-end // STRETCH)):
        first = index * STRETCH
        tile = Tile(level, index, min(STRETCH, end - first))
        content = archive.get(f"/-/log/{tile.path}")
        if len(content) != tile.width * _HASH_BYTES:
            raise IntegrityError(
                f"{tile.path} is no tile of {tile.width} hashes",
                expected=str(tile.width * _HASH_BYTES),
                actual=str(len(content)),
            )
        for place in range(max(0, start - first), tile.width):
            yield content[place * _HASH_BYTES : (place + 1) * _HASH_BYTES]


class _CopyContents:
    """The contents of another archive, on this machine or in a database."""

    is_far = False

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self.wrong: list[str] = []

    def open(self, digest: str) -> ContentReader:
        """Read the contents of a digest. Raises NotFoundError, IntegrityError."""
        try:
            content = self._repository.contents.octets(digest)
        except IntegrityError:
            self.wrong.append(digest)
            raise
        return ContentReader(digest, io.BytesIO(content), self._repository.where)


def mend(
    repository: Repository, findings: Iterable[Finding], copy: str, *, allow_private: bool = False
) -> list[Mended]:
    """Repair the contents that findings name from a copy: the address of a server, or a location.

    Raises CaptureError where the server does not answer, ParseError and StorageError for a location
    that is none.
    """
    wanted = {
        digest: finding.name
        for finding in findings
        if finding.kind in _MENDABLE and (digest := _digest_in(finding.detail))
    }
    mended = []
    with _opened(copy, allow_private=allow_private) as held:
        for digest, name in wanted.items():
            if not _is_told(repository, name, digest):
                mended.append(Mended(name, digest, "untold"))
                continue
            _, lost = repository.copies.intake.mend(held, [digest])
            wrong = digest in held.wrong
            mended.append(
                Mended(name, digest, ("wrong" if wrong else "missing") if lost else "mended")
            )
    return mended


def _opened(
    copy: str, *, allow_private: bool
) -> AbstractContextManager[RemoteArchive | _CopyContents]:
    """Open a copy. Raises as `mend`."""
    if copy.startswith(("http://", "https://")):
        return RemoteArchive(copy, allow_private=allow_private)
    return _held(copy)


@contextlib.contextmanager
def _held(copy: str) -> Iterator[_CopyContents]:
    with Repository.open(checked_location(copy)) as repository:
        yield _CopyContents(repository)


def _digest_in(detail: str) -> str | None:
    """Return the digest at the end of a finding's detail, if there is one."""
    _, sign, digits = detail.rpartition("sha-256:")
    return f"{sign}{digits}" if sign else None


def _is_told(repository: Repository, name: str, digest: str) -> bool:
    """Whether an entry of the log, under a checkpoint, says that a document has these contents."""
    try:
        pdi = grammar.parse(name)
    except ParseError:
        return False
    return isinstance(pdi, PDI) and digest in repository.log.digests_of(pdi)
