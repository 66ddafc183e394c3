"""Octets in a store that speaks S3: found again, read by ranges, and told where they are not."""

from __future__ import annotations

import contextlib
import hashlib
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.engines import Repository
from tests.inside import ask

from permacite.archive.administration import place_of
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.objects.s3 import S3Objects
from permacite.archive.objects.store import open_store
from permacite.cli.commands import run
from permacite.errors import (
    ConflictError,
    IntegrityError,
    NotFoundError,
    ParseError,
    StorageError,
)
from permacite.service.proofs.logs import ArchiveLog
from permacite.web.app import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.stores import Store, Troubled

    from permacite.archive.model.answered import Version

on_both = pytest.mark.engines(deep=True)
"""What is of an archive, and not of the store alone."""

SERIES = "lab.example.us"
LARGE = bytes(range(256)) * 40 * 1024
"""10 MiB: it goes in several parts, and comes in several ranges."""


def noon() -> datetime:
    """Return the time that the clock of these tests shows."""
    return datetime(2026, 11, 21, 12, tzinfo=UTC)


def digest_of(content: bytes) -> str:
    return "sha-256:" + hashlib.sha256(content).hexdigest()


def key_of(content: bytes) -> str:
    name = hashlib.sha256(content).hexdigest()
    return f"p/objects/{name[:2]}/{name[2:4]}/{name}"


@pytest.fixture
def objects(bucket: str) -> S3Objects:
    """An empty place in the store."""
    return S3Objects(bucket, "p")


def hasty(bucket: str) -> S3Objects:
    """The same of somebody who does not wait for long."""
    return S3Objects(bucket, "p", patience_s=0.3)


@contextlib.contextmanager
def archive_at(directory: Path, bucket: str) -> Iterator[Repository]:
    """The archive in `directory`, opened by somebody who does not wait for long."""
    catalog = Repository.catalog(directory, clock=noon)
    place = place_of(Repository.at(directory))
    with Repository.of(place, catalog, hasty(bucket), clock=noon) as opened:
        yield opened


def commit(archive: Repository, content: bytes) -> Version:
    """Commit octets as a document."""
    return archive.committer.commit([NewRepresentation(content, "application/octet-stream")])


@pytest.mark.parametrize("content", [b"", b"hello", bytes(1 << 16), LARGE], ids=len)
def test_octets_are_found_again(
    objects: S3Objects, store: Store, bucket: str, content: bytes
) -> None:
    assert objects.put(content) == digest_of(content)
    assert store.octets(bucket, key_of(content)) == content
    assert objects.get(digest_of(content)) == content
    with objects.open(digest_of(content)) as source:
        assert source.size == len(content)
        source.check()
        assert source.read(3, 9) == content[3:9]
        assert source.read(9_000_000, 9_000_100) == content[9_000_000:9_000_100]
        assert source.descriptor is not None
        assert os.pread(source.descriptor, 100, 7) == content[7:107]
        assert source.whole() == content


def test_parts_are_read_and_no_more(troubled: Troubled, bucket: str, objects: S3Objects) -> None:
    digest = objects.put(LARGE)
    objects = S3Objects(bucket, "p")
    del troubled.asked[:]
    with objects.open(digest) as source:
        assert source.read(5_000_000, 5_000_100) == LARGE[5_000_000:5_000_100]
    assert [asked.rpartition("=")[2] for _, asked in troubled.asked] == [
        "0-65535",
        "5000000-5000099",
    ]


def test_what_is_put_twice_is_there_once(objects: S3Objects, store: Store, bucket: str) -> None:
    objects.put_all([(digest_of(b"one"), b"one")] * 3 + [(digest_of(b"two"), b"two")])
    assert sorted(objects.digests()) == sorted([digest_of(b"one"), digest_of(b"two")])
    objects.delete(digest_of(b"one"))
    objects.delete(digest_of(b"one"))
    assert not objects.has(digest_of(b"one"))
    assert store.keys(bucket) == [key_of(b"two")]


def test_what_is_not_there_is_told(objects: S3Objects) -> None:
    with pytest.raises(NotFoundError):
        objects.get(digest_of(b"never"))
    with pytest.raises(NotFoundError):
        objects.get("../secret")


@pytest.mark.parametrize("altered", [b"hellO", b"hell", b""])
def test_altered_octets_are_told_and_put_right(
    objects: S3Objects, store: Store, bucket: str, altered: bytes
) -> None:
    objects.put(b"hello")
    store.client.put_object(Bucket=bucket, Key=key_of(b"hello"), Body=altered)
    with pytest.raises(IntegrityError) as error:
        objects.get(digest_of(b"hello"))
    assert error.value.actual == digest_of(altered)
    objects.put(b"hello")
    assert objects.get(digest_of(b"hello")) == b"hello"


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [("away", "away"), ("full", "full"), ("quota", "full"), ("loses", "lost"), ("alters", "lost")],
)
def test_what_a_store_did_not_keep_does_not_count_as_kept(
    troubled: Troubled, bucket: str, trouble: str, reason: str
) -> None:
    objects = hasty(bucket)
    troubled.trouble = trouble
    with pytest.raises(StorageError) as error:
        objects.put(b"hello")
    assert error.value.reason == reason
    troubled.trouble = ""
    assert hasty(bucket).put(b"hello") == digest_of(b"hello")


def test_a_store_that_comes_back_soon_was_never_away(
    troubled: Troubled, objects: S3Objects
) -> None:
    objects.put(b"hello")
    troubled.trouble, troubled.requests = "away", 2
    del troubled.asked[:]
    assert objects.get(digest_of(b"hello")) == b"hello"
    assert len(troubled.asked) == 3


def test_a_store_that_is_away_is_not_asked_again_at_once(troubled: Troubled, bucket: str) -> None:
    objects = hasty(bucket)
    troubled.trouble = "away"
    for _ in range(3):
        with pytest.raises(StorageError, match="does not answer"):
            objects.get(digest_of(b"hello"))
        asked, troubled.asked = troubled.asked, []
    assert asked == []


@pytest.mark.parametrize(
    "address",
    [
        "s3://", "s3://b", "s3://Bucket/p", "s3://bucket/../p", "s3://bucket/p?x=1", "http://bucket/p",
        "s3://somebody:hidden-secret@bucket/p", "s3://bucket//p", "s3://bucket/p#x", "s3://bucket/.p",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(ParseError) as error:
        open_store(address)
    assert "hidden-secret" not in f"{error.value!s}{error.value!r}{error.value.details()}"


def test_nobody_is_asked_who_the_environment_does_not_name(
    bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(StorageError, match="names nobody") as error:
        open_store(f"s3://{bucket}/p")
    assert "AWS_SECRET_ACCESS_KEY" in error.value.hint


@pytest.mark.parametrize("endpoint", ["nonsense", "http://me:hidden-secret@h", "ftp://h", "h:9000"])
def test_what_is_no_endpoint_is_refused_and_not_repeated(
    endpoint: str, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    with pytest.raises(StorageError, match="AWS_ENDPOINT_URL is no address") as error:
        open_store(f"s3://{bucket}/p")
    assert endpoint not in f"{error.value!s}{error.value!r}{error.value.details()}"


def test_a_bucket_that_is_not_there_is_no_empty_one(bucket: str) -> None:
    assert bucket
    with pytest.raises(StorageError, match="NoSuchBucket"):
        open_store("s3://no-such-bucket/p").get(digest_of(b"x"))


# ---------------------------------------------------------------- an archive over it
@pytest.fixture
def directory(tmp_path: Path, bucket: str) -> Path:
    """An archive whose octets are in the store, with a small and a large document."""
    directory = tmp_path / "archive"
    address = f"s3://{bucket}/p"
    with Repository.create(directory, series=SERIES, objects=address, clock=noon) as archive:
        commit(archive, b"small")
        commit(archive, LARGE)
    return directory


@on_both
def test_an_archive_keeps_its_octets_there(directory: Path, store: Store, bucket: str) -> None:
    assert not (directory / "objects").exists()
    assert {key_of(b"small"), key_of(LARGE)} < set(store.keys(bucket))  # one alone needs no pack
    with Repository.open(directory, clock=noon) as archive:
        assert {finding.kind for finding in archive.fixity.fsck()} == {"ok"}
        contents = [
            archive.contents.read(version.representations[0]) for version in archive.lists.list()
        ]
        assert contents == [b"small", LARGE]


@on_both
def test_no_file_of_the_archive_has_a_secret(directory: Path) -> None:
    octets = b"".join(path.read_bytes() for path in directory.rglob("*") if path.is_file())
    assert b"a-secret-that-nobody-prints" not in octets + Repository.written(directory)
    if Repository.engine is None:  # else its location says it
        assert (directory / "objects.at").read_text().startswith("s3://bucket-")


def test_a_place_that_is_taken_is_refused(directory: Path, tmp_path: Path) -> None:
    address = (directory / "objects.at").read_text().strip()
    with pytest.raises(ConflictError, match="not empty"):
        Repository.create(tmp_path / "second", series=SERIES, objects=address)
    assert not (tmp_path / "second" / "catalog.sqlite").exists()
    # The folder is not taken by that.
    Repository.create(tmp_path / "second", series=SERIES).close()
    assert not (tmp_path / "second" / "objects.at").exists()


class CutShort(S3Objects):
    """Is killed before it deletes anything."""

    def delete(self, digest: str) -> None:
        """Delete nothing."""
        raise InterruptedError(digest)


def test_a_place_is_taken_again_where_that_was_cut_short(bucket: str) -> None:
    with pytest.raises(InterruptedError):
        CutShort(bucket, "one").claim()
    objects = S3Objects(bucket, "one")
    assert len(list(objects.digests())) == 1
    objects.claim()
    assert list(objects.digests()) == []


@on_both
def test_fsck_names_what_is_missing_altered_and_foreign(
    directory: Path, store: Store, bucket: str
) -> None:
    store.client.delete_object(Bucket=bucket, Key=key_of(b"small"))
    store.client.put_object(Bucket=bucket, Key=key_of(LARGE), Body=LARGE[:-1] + b"?")
    store.client.put_object(Bucket=bucket, Key=key_of(b"foreign"), Body=b"foreign")
    store.client.put_object(Bucket=bucket, Key="p/objects/notes.txt", Body=b"mine")
    with Repository.open(directory, clock=noon) as archive:
        small, large = [str(version.representations[0].pdi) for version in archive.lists.list()]
        found = {each.name: each.kind for each in archive.fixity.fsck() if each.kind != "ok"}
    assert found == {
        small: "missing",
        large: "altered",
        digest_of(b"foreign"): "orphan",
        f"s3://{bucket}/p/objects/notes.txt": "orphan",
    }


@on_both
def test_small_documents_go_on_while_the_store_is_away(
    directory: Path, troubled: Troubled, bucket: str
) -> None:
    with archive_at(directory, bucket) as archive:
        troubled.trouble = "away"
        small = commit(archive, b"meanwhile").representations[0]
        assert archive.contents.read(small) == b"meanwhile"
        with pytest.raises(StorageError) as error:
            commit(archive, LARGE + b"!")
        assert error.value.reason == "away"
        assert archive.lists.count() == 3
    with Repository.open(directory, clock=noon) as archive:  # and after it, still away
        assert archive.contents.read(small) == b"meanwhile"
        assert archive.contents.staged_bytes() == len(b"meanwhile")
    troubled.trouble = ""
    with Repository.open(directory, clock=noon) as archive:
        archive.close()
    with Repository.open(directory, clock=noon) as archive:
        assert archive.contents.staged_bytes() == 0
        assert archive.contents.read(small) == b"meanwhile"
        assert {finding.kind for finding in archive.fixity.fsck()} == {"ok"}


@on_both
def test_what_is_erased_is_gone_from_the_store(directory: Path, store: Store, bucket: str) -> None:
    with Repository.open(directory, clock=noon) as archive:
        first, second = [version.pdi for version in archive.lists.list()]
        assert archive.access.erase(first, ground="retention").is_done
        assert archive.access.erase(second, ground="retention").is_done
    assert [key for key in store.keys(bucket) if "/objects/" in key] == []


@on_both
def test_where_versions_are_kept_erasing_is_refused_with_the_reason(
    directory: Path, store: Store, bucket: str
) -> None:
    store.client.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    with Repository.open(directory, clock=noon) as archive:
        first = next(iter(archive.lists.list()))
        with pytest.raises(StorageError, match="keeps versions") as error:
            archive.access.erase(first.pdi, ground="retention")
        assert error.value.reason == "versioned"
        assert archive.contents.read(first.representations[0]) == b"small"


@on_both
def test_a_backup_is_a_folder_that_needs_no_store(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Repository.open(directory, clock=noon) as archive:
        archive.copies.backup(tmp_path / "backup")
        commit(archive, b"later")
        archive.copies.backup(tmp_path / "backup")
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    with Repository.open(str(tmp_path / "backup"), clock=noon) as copy:
        assert {finding.kind for finding in copy.fixity.fsck()} == {"ok"}
        contents = [copy.contents.read(version.representations[0]) for version in copy.lists.list()]
        assert contents == [b"small", LARGE, b"later"]


def test_permacite_init_takes_the_address_and_the_reader_gives_ranges(
    tmp_path: Path, store: Store, bucket: str
) -> None:
    directory = tmp_path / "archive"
    assert run(["init", str(directory), "--objects", f"s3://{bucket}/p"]) == 0
    (tmp_path / "large.bin").write_bytes(LARGE)
    assert run(["--archive", str(directory), "import", str(tmp_path / "large.bin")]) == 0
    assert key_of(LARGE) in store.keys(bucket)
    with Archive.open(directory) as archive:
        (document,) = archive.documents.list().documents
        reader = create_app(archive, names=["localhost"])
        part = ask(reader, f"/{document.formats[0].pdi}", range="bytes=9000000-9000099")
    assert (part.status, part.body) == (206, LARGE[9_000_000:9_000_100])


@on_both
def test_the_reader_says_when_to_ask_again(
    directory: Path, troubled: Troubled, bucket: str
) -> None:
    with archive_at(directory, bucket) as repository:
        names = [str(version.representations[0].pdi) for version in repository.lists.list()]
        reader = create_app(Archive(repository), names=["localhost"])
        troubled.trouble = "away"
        answer = ask(reader, f"/{names[1]}", range="bytes=9000000-9000099")
    assert answer.status == 503
    assert int(answer.headers["retry-after"]) > 0
    assert answer.json["reason"] == "away"


@on_both
def test_the_tiles_of_the_log_are_published_for_any_web_server(
    directory: Path, tmp_path: Path, troubled: Troubled, store: Store
) -> None:
    public = store.bucket()
    with Repository.open(directory, clock=noon) as archive:
        for number in range(300):
            commit(archive, b"%d" % number)
        ArchiveLog(archive).export_tiles(tmp_path / "tiles")
        first = ArchiveLog(archive).export_tiles(f"s3://{public}/log")
        commit(archive, b"one more")
        del troubled.asked[:]
        second = ArchiveLog(archive).export_tiles(f"s3://{public}/log")
        asked = [where.split()[0] for method, where in troubled.asked if method == "PUT"]
    assert (first.size, second.size) == (302, 303)
    files = {str(path.relative_to(tmp_path / "tiles")) for path in (tmp_path / "tiles").rglob("*")}
    for name in files - {"checkpoint", "tile", "tile/entries", "tile/0", "tile/1"}:
        if (tmp_path / "tiles" / name).is_file():
            assert store.octets(public, f"log/{name}") == (tmp_path / "tiles" / name).read_bytes()
    assert store.octets(public, "log/checkpoint").decode() == second.checkpoint
    assert sorted(path for path in asked if path.startswith(f"/{public}/")) == [
        f"/{public}/log/{name}"
        for name in ("checkpoint", "tile/0/001.p/47", "tile/entries/001.p/47")
    ], "what is whole is not written again"
    with (
        Repository.create(tmp_path / "other", series=SERIES, clock=noon) as other,
        pytest.raises(IntegrityError),
    ):
        ArchiveLog(other).export_tiles(f"s3://{public}/log")
