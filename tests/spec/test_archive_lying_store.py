"""A store that lies: every writer is told that he was the first, and a put that broke off counts.

It is npm's s3rver, whose objects are seen while they are written. What a client asks of a store is
asked here to see that it lies; then the archive is held to what it says.
"""

from __future__ import annotations

import contextlib
import http.client
import os
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from tests.stores import s3rver

from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.objects.s3 import S3Objects
from permacite.archive.objects.source import digest_of
from permacite.archive.repository import Repository
from permacite.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.engines import Server
    from tests.stores import Store

SERIES = "lab.example.us"
WRITERS = 8


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The store that lies."""
    with s3rver(tmp_path_factory.mktemp("s3rver")) as started:
        yield started


def key_of(content: bytes) -> str:
    name = digest_of(content).removeprefix("sha-256:")
    return f"p/objects/{name[:2]}/{name[2:4]}/{name}"


def test_all_writers_of_one_key_are_told_that_they_were_the_first(
    store: Store, bucket: str
) -> None:
    def write(number: int) -> int:
        answer = store.client.put_object(
            Bucket=bucket, Key="one", Body=b"%d" % number, IfNoneMatch="*"
        )
        return int(answer["ResponseMetadata"]["HTTPStatusCode"])

    with ThreadPoolExecutor(WRITERS) as hands:
        assert list(hands.map(write, range(WRITERS))) == [http.client.OK] * WRITERS


def broken_off(store: Store, bucket: str, content: bytes) -> None:
    """Begin to put octets under their key, and break off; return once they seem to be there."""
    where = {"Bucket": bucket, "Key": key_of(content)}
    parts = urlsplit(store.client.generate_presigned_url("put_object", where))
    with socket.create_connection(("127.0.0.1", store.port)) as line:
        head = f"PUT {parts.path}?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
        line.sendall(f"{head}Content-Length: {len(content)}\r\n\r\n".encode())
        line.sendall(content[: len(content) // 2])
    while key_of(content) not in store.keys(bucket):
        pass


def test_a_put_that_broke_off_is_put_right(store: Store, bucket: str) -> None:
    content = os.urandom(1 << 20)
    broken_off(store, bucket, content)
    assert store.octets(bucket, key_of(content)) != content
    objects = S3Objects(bucket, "p")
    assert objects.has(digest_of(content)), "so the store says"
    objects.put(content)
    assert objects.get(digest_of(content)) == content


def committed(writer: Repository, content: bytes) -> str:
    """Commit octets, and ask again where the store is found writing them; the name."""
    while True:
        try:
            return str(
                writer.committer.commit([NewRepresentation(content, "image/png")]).pdi.document
            )
        except StorageError as error:
            if error.reason not in {"lost", "away", "io"}:
                raise
        time.sleep(0.1)


def test_eight_writers_of_the_same_octets_lose_and_double_nothing(
    store: Store, bucket: str, postgresql: Server, tmp_path: Path
) -> None:
    """Small and large ones: each was put in part by somebody else before."""
    local = tmp_path / "kept"
    location = postgresql.location(local).replace(f"{local}/objects", f"s3://{bucket}/p")
    contents = [os.urandom(size) for size in (100, 3000, 70_000, 200_000)]
    Repository.create(location, series=SERIES).close()
    for content in contents:
        broken_off(store, bucket, content)
    with contextlib.ExitStack() as opened:
        writers = [opened.enter_context(Repository.open(location)) for _ in range(WRITERS)]

        with ThreadPoolExecutor(WRITERS) as hands:
            each = [content for content in contents for _ in writers]
            names = hands.map(committed, writers * len(contents), each)
            kept = dict(zip(names, each, strict=True))
    assert len(kept) == WRITERS * len(contents)
    with Repository.open(location) as archive:
        there = {str(version.pdi.document): version for version in archive.lists.list()}
        assert there.keys() == kept.keys()
        for name, content in kept.items():
            assert archive.contents.read(there[name].representations[0]) == content
        assert {each.kind for each in archive.fixity.fsck()} <= {"ok", "orphan"}
        assert archive.contents.staged_bytes() == 0
