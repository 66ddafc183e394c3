"""Small octets in packs: read by a range each, by any program, erased for good, packed once."""

from __future__ import annotations

import contextlib
import hashlib
import io
import subprocess
import sys
import tarfile
import threading
import time
from datetime import timedelta
from typing import TYPE_CHECKING, NoReturn, cast

import pytest
from tests.engines import Repository
from tests.spec.test_archive_s3 import SERIES, archive_at, commit, noon

from permacite.archive.administration import place_of
from permacite.archive.engine.write_behind import ArchiveObjects
from permacite.archive.model.answered import Version
from permacite.archive.model.submitted import NewRepresentation, NewVersion
from permacite.archive.objects.s3 import S3Objects
from permacite.archive.objects.source import ContentReader, digest_of
from permacite.errors import StorageError
from permacite.pdi import PDI, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tests.stores import Store, Troubled

    from permacite.archive.engine.catalog import Catalog

pytestmark = pytest.mark.engines(deep=True)

WRITER = """
import os, sys, threading
from datetime import UTC, datetime, timedelta
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository
now = lambda: datetime(2026, 11, 21, 12, tzinfo=UTC) + timedelta(minutes=int(sys.argv[2]))
with Repository.open(sys.argv[1], clock=now) as archive:
    def pack():
        while True:
            archive._objects.write_behind.flush()
    threading.Thread(target=pack, daemon=True).start()
    while True:
        content = os.urandom(600)
        version = archive.committer.commit([NewRepresentation(content, "application/octet-stream")])
        print(version.representations[0].pdi, content.hex(), flush=True)
"""
WORDS = [b"word %d" % number for number in range(100)]


def packs(store: Store, bucket: str) -> list[dict[str, bytes]]:
    """Contents by name of each pack, as another program reads it."""
    found = []
    for key in store.keys(bucket):
        octets = store.octets(bucket, key)
        assert key.rpartition("/")[2] in {
            "README.txt",
            "archive",
            hashlib.sha256(octets).hexdigest(),
        }
        with (
            contextlib.suppress(tarfile.ReadError),
            tarfile.open(fileobj=io.BytesIO(octets)) as tar,
        ):
            members = {item.name: tar.extractfile(item) for item in tar if item.size}
            found.append({name: file.read() for name, file in members.items() if file})
    return found


def fill(directory: Path) -> dict[bytes, PDI]:
    """Commit words together, and let them be packed; the names by the words."""
    with Repository.open(directory, clock=noon) as archive:
        drafts = [
            NewVersion([NewRepresentation(word, "application/octet-stream")]) for word in WORDS
        ]
        versions = [
            each for each in archive.committer.commit_all(drafts) if not isinstance(each, Exception)
        ]
        return {
            word: version.representations[0].pdi
            for word, version in zip(WORDS, versions, strict=True)
        }


@pytest.fixture
def directory(tmp_path: Path, bucket: str) -> Path:
    """An archive without documents whose octets are in the store."""
    directory = tmp_path / "archive"
    address = f"s3://{bucket}/p"
    Repository.create(directory, series=SERIES, objects=address, clock=noon).close()
    return directory


def test_small_octets_are_together_in_a_tar_file(
    directory: Path, store: Store, bucket: str
) -> None:
    fill(directory)
    (pack,) = packs(store, bucket)
    assert pack == {hashlib.sha256(word).hexdigest(): word for word in WORDS}
    with Repository.open(directory, clock=noon) as archive:
        assert archive.contents.staged_bytes() == 0
        assert {finding.kind for finding in archive.fixity.fsck()} == {"ok"}


def behind() -> list[str]:
    """The threads of this process that write behind."""
    return [each.name for each in threading.enumerate() if each.name == "permacite-flusher"]


def test_what_others_packed_waits_no_longer(directory: Path) -> None:
    """Else a writer whose work others do would soon stage nothing more."""
    with Repository.open(directory, clock=noon) as one, Repository.open(directory) as other:
        commit(one, b"x" * 3000)
        other._objects.write_behind.flush()  # noqa: SLF001 - before it is quiet
        while behind():
            time.sleep(0.01)
        assert one.contents.staged_bytes() == 0
        assert one._objects.write_behind._staged_bytes == 0  # noqa: SLF001 - where it counts


class Away:
    """A catalog that does not answer."""

    asked = 0

    def read(self, *_: object) -> NoReturn:
        """Say so."""
        self.asked += 1
        raise StorageError("the database does not answer", path="", reason="away")

    write = read


def test_who_writes_behind_outlives_a_database_that_is_away(bucket: str) -> None:
    catalog = Away()
    objects = ArchiveObjects(S3Objects(bucket, "p"), cast("Catalog", catalog))
    with objects.write_behind.staging(together=False) as staging:
        staging.put(b"x")
    while catalog.asked < 2:
        time.sleep(0.01)
    assert behind()
    objects.write_behind.close()
    assert not behind()


def test_each_is_read_by_one_range(directory: Path, troubled: Troubled) -> None:
    names = fill(directory)
    with Repository.open(directory, clock=noon) as archive:
        del troubled.asked[:]
        content = archive.contents.read(archive.lookup.representation(names[b"word 7"]))
    assert content == b"word 7"
    ((method, asked),) = troubled.asked
    start, end = map(int, asked.rpartition("bytes=")[2].split("-"))
    assert (method, end - start + 1) == ("GET", len(b"word 7"))


def test_what_is_erased_is_in_no_pack_and_the_rest_is(
    directory: Path, store: Store, bucket: str
) -> None:
    names = fill(directory)
    with Repository.open(directory, clock=noon) as archive:
        assert archive.access.erase(names[b"word 7"], ground="retention").is_done
        kept = archive.lookup.representation(names[b"word 8"])
        assert archive.contents.read(kept) == b"word 8"
        assert {finding.kind for finding in archive.fixity.fsck()} == {"ok", "erased"}
    (pack,) = packs(store, bucket)
    assert sorted(pack.values()) == sorted(word for word in WORDS if word != b"word 7")


def test_octets_that_another_document_has_stay(directory: Path, store: Store, bucket: str) -> None:
    names = fill(directory)
    with Repository.open(directory, clock=noon) as archive:
        again = commit(archive, b"word 7").representations[0]
        assert archive.access.erase(names[b"word 7"], ground="retention").is_done
        assert archive.contents.read(again) == b"word 7"
    assert len(packs(store, bucket)) == 1


def test_erasing_goes_on_where_it_was_cut_short(
    directory: Path, store: Store, troubled: Troubled, bucket: str
) -> None:
    names = fill(directory)
    with archive_at(directory, bucket) as archive:
        troubled.trouble = "keeps"
        with pytest.raises(StorageError):
            archive.access.erase(names[b"word 7"], ground="retention")
    assert len(packs(store, bucket)) == 2, "the new one is there, and the old one still"
    troubled.trouble = ""
    with Repository.open(directory, clock=noon) as archive:
        assert archive.contents.read(archive.lookup.representation(names[b"word 8"])) == b"word 8"
        assert {finding.kind for finding in archive.fixity.fsck()} == {"ok", "erased"}
    (pack,) = packs(store, bucket)
    assert b"word 7" not in pack.values()


class Then(S3Objects):
    """A store in which something happens behind a put: once, in whichever thread."""

    then: Callable[[], object] | None = None

    def put_all(self, contents: Sequence[tuple[str, bytes]]) -> None:
        """Put them, and let it happen."""
        super().put_all(contents)
        if contents and self.then is not None:
            then, self.then = self.then, None
            then()


@contextlib.contextmanager
def putting(
    directory: Path, bucket: str, then: Callable[[], object], *contents: bytes
) -> Iterator[list[Version]]:
    """Commit contents together; `then` happens when the first are put, until the block ends."""
    place, catalog = place_of(Repository.at(directory)), Repository.catalog(directory, clock=noon)
    store = Then(bucket, "p")
    with Repository.of(place, catalog, store, clock=noon) as archive:
        formats = [[NewRepresentation(each, "application/octet-stream")] for each in contents]
        versions: list[Version] = []
        told = threading.Event()
        store.then = lambda: (told.wait(), then())
        for version in archive.committer.commit_all([NewVersion(each) for each in formats]):
            assert isinstance(version, Version)
            versions.append(version)
        yield versions
        told.set()


def test_a_pack_whose_writer_died_goes_with_what_is_erased(
    directory: Path, store: Store, bucket: str
) -> None:
    def die() -> None:
        raise StorageError("gone", path="", reason="away")

    with putting(directory, bucket, die, *WORDS[:2]) as versions:
        pass
    Repository.open(directory, clock=noon).close()  # who is next packs what was left
    assert len(packs(store, bucket)) == 2, "one that came to nothing, and the one that counts"
    with Repository.open(directory, clock=noon) as archive:
        assert {finding.kind for finding in archive.fixity.fsck()} == {"ok"}
        assert archive.access.erase(versions[0].pdi.document, ground="retention").is_done
        assert {finding.kind for finding in archive.fixity.fsck()} == {"ok", "erased"}
    assert [[*pack.values()] for pack in packs(store, bucket)] == [[WORDS[1]]]


def test_who_packs_for_too_long_loses_the_pack_and_no_octets(
    directory: Path, store: Store, bucket: str
) -> None:
    """Whoever has the lease by then deletes what was put and does not count."""

    def take_over() -> None:
        Repository.by_hand(directory, "UPDATE lease SET until = '2026-01-01T00:00:00.000000'")
        with archive_at(directory, bucket) as other:  # which does not pack what waits
            other._objects.destroy()  # noqa: SLF001 - as who erases does
        assert packs(store, bucket) == []

    with putting(directory, bucket, take_over, *WORDS[:2]) as versions:
        pass
    with Repository.open(directory, clock=noon) as archive:
        assert [archive.contents.read(each.representations[0]) for each in versions] == WORDS[:2]
        assert {finding.kind for finding in archive.fixity.fsck()} == {"ok"}
    assert [[*pack.values()] for pack in packs(store, bucket)] == [WORDS[:2]]


def test_octets_that_are_erased_and_come_again_while_they_are_put_are_kept(
    directory: Path, bucket: str
) -> None:
    again: list[Version] = []

    def erase_and_commit() -> None:
        with Repository.open(directory, clock=noon) as other:
            assert other.access.erase(versions[0].pdi.document, ground="retention").is_done
            again.append(commit(other, b"alone"))

    with putting(directory, bucket, erase_and_commit, b"alone") as versions:
        pass
    with Repository.open(directory, clock=noon) as archive:
        assert archive.contents.read(again[0].representations[0]) == b"alone"
        assert {finding.kind for finding in archive.fixity.fsck()} == {"ok", "erased"}


def test_many_that_write_behind_pack_nothing_twice(
    directory: Path, store: Store, bucket: str
) -> None:
    def write(start: int) -> None:
        with Repository.open(directory, clock=noon) as archive:
            for word in WORDS[start::4]:
                commit(archive, word)

    writers = [threading.Thread(target=write, args=(start,)) for start in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    with Repository.open(directory, clock=noon) as archive:
        archive._objects.write_behind.flush()  # noqa: SLF001 - whoever closed while another packed left some
        assert archive.contents.staged_bytes() == 0
        assert {finding.kind for finding in archive.fixity.fsck()} == {"ok"}
    members = [name for pack in packs(store, bucket) for name in pack]
    assert len(members) == len(set(members))


def test_fsck_names_a_pack_that_is_missing_and_a_member_that_is_altered(
    directory: Path, store: Store, bucket: str
) -> None:
    names = fill(directory)
    (key,) = [key for key in store.keys(bucket) if "/objects/" in key]
    octets = store.octets(bucket, key)
    altered = octets.replace(b"word 7\0", b"w0rd 7\0")
    store.client.put_object(Bucket=bucket, Key=key, Body=altered)
    with Repository.open(directory, clock=noon) as archive:
        found = {each.name: each.kind for each in archive.fixity.fsck() if each.kind != "ok"}
        assert found == {str(names[b"word 7"]): "altered"}
        # What is altered stays so where what is beside it is erased.
        archive.access.erase(names[b"word 8"], ground="retention")
        found = {each.name: each.kind for each in archive.fixity.fsck() if each.kind != "ok"}
        assert found == {str(names[b"word 7"]): "altered", str(names[b"word 8"]): "erased"}
        (key,) = [key for key in store.keys(bucket) if "/objects/" in key]
        store.client.delete_object(Bucket=bucket, Key=key)
        kinds = [each.kind for each in archive.fixity.fsck() if each.kind != "ok"]
        assert sorted(set(kinds)) == ["erased", "missing"]
        assert archive.access.erase(names[b"word 9"], ground="retention").is_done


def test_a_backup_has_no_packs_and_can_be_erased_in(
    directory: Path, tmp_path: Path, store: Store, bucket: str
) -> None:
    names = fill(directory)
    with Repository.open(directory, clock=noon) as archive:
        archive.copies.backup(tmp_path / "backup")
    with Repository.open(str(tmp_path / "backup"), clock=noon) as copy:
        assert {finding.kind for finding in copy.fixity.fsck()} == {"ok"}
        assert copy.access.erase(names[b"word 7"], ground="retention").is_done
        assert {finding.kind for finding in copy.fixity.fsck()} == {"ok", "erased"}
    files = [path.read_bytes() for path in (tmp_path / "backup/objects").glob("??/??/*")]
    assert sorted(files) == sorted(word for word in WORDS if word != b"word 7")
    assert len(packs(store, bucket)) == 1


def test_a_check_of_all_reads_a_pack_once(directory: Path, troubled: Troubled) -> None:
    fill(directory)
    with Repository.open(directory, clock=noon) as archive:
        del troubled.asked[:]
        assert {finding.kind for finding in archive.fixity.verify()} == {"ok"}
    assert len(troubled.asked) <= 3, "the first by itself, and then the pack"


def test_what_was_told_is_there_after_a_kill(
    directory: Path, store: Store, bucket: str, times: Callable[[int, int], int]
) -> None:
    told: list[str] = []
    for number in range(times(2, 30)):
        command = [sys.executable, "-c", WRITER, str(Repository.at(directory)), str(2 * number)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            for line, _ in zip(writer.stdout, range(37), strict=False):
                told.append(line)
            writer.kill()
    last = noon() + timedelta(days=1)  # when no lease holds
    with Repository.open(directory, clock=lambda: last) as archive:
        archive._objects.write_behind.flush()  # noqa: SLF001 - what the dead left
        assert archive.contents.staged_bytes() == 0
        for name, content in (line.split() for line in told):
            pdi = parse(name)
            assert isinstance(pdi, PDI)
            assert archive.contents.read(archive.lookup.representation(pdi)).hex() == content
        assert {finding.kind for finding in archive.fixity.fsck()} == {"ok"}
    members = [name for pack in packs(store, bucket) for name in pack]
    assert len(members) >= len(told)


class Copy:
    """What another archive has of the same octets."""

    is_far = False

    def open(self, digest: str) -> ContentReader:
        """What it has under a digest."""
        return ContentReader(digest, io.BytesIO(BY_DIGEST[digest]), "a copy")


BY_DIGEST = {digest_of(word): word for word in WORDS}


def test_a_member_that_is_altered_is_brought_from_a_copy(
    directory: Path, store: Store, bucket: str
) -> None:
    names = fill(directory)
    (key,) = [key for key in store.keys(bucket) if "/objects/" in key]
    altered = store.octets(bucket, key).replace(b"word 7\0", b"w0rd 7\0")
    store.client.put_object(Bucket=bucket, Key=key, Body=altered)
    with Repository.open(directory, clock=noon) as archive:
        came, lost = archive.copies.intake.mend(
            Copy(), [digest_of(b"word 7"), digest_of(b"word 8")]
        )
        assert (came, lost) == (1, [])
        assert archive.contents.read(archive.lookup.representation(names[b"word 7"])) == b"word 7"
        assert {finding.kind for finding in archive.fixity.fsck()} == {"ok"}


def test_all_of_a_pack_that_is_missing_is_brought_from_a_copy(
    directory: Path, store: Store, bucket: str
) -> None:
    names = fill(directory)
    (key,) = [key for key in store.keys(bucket) if "/objects/" in key]
    store.client.delete_object(Bucket=bucket, Key=key)
    with Repository.open(directory, clock=noon) as archive:
        assert archive.copies.intake.mend(Copy(), BY_DIGEST) == (len(WORDS), [])
    with Repository.open(directory, clock=noon) as archive:
        for word, name in names.items():
            assert archive.contents.read(archive.lookup.representation(name)) == word
        assert {finding.kind for finding in archive.fixity.fsck()} == {"ok"}
