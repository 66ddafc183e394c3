"""Mirrors with their octets in a store elsewhere: small ones in packs, whatever is erased there."""

from __future__ import annotations

import hashlib
import io
import os
from itertools import islice
from typing import TYPE_CHECKING

import pytest
from tests.faces.between import meanwhile
from tests.faces.conftest import served
from tests.spec.test_archive_packs import packs

from permacite.archive.model.submitted import NewRepresentation, NewVersion
from permacite.archive.objects.source import ContentReader, digest_of, path_of
from permacite.archive.repository import Repository
from permacite.archive.transport.mirror import Mirror
from permacite.errors import StorageError
from permacite.service.archive import Archive
from permacite.service.mirroring.following import follow

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from tests.engines import Server
    from tests.faces.conftest import Running
    from tests.stores import Store, Troubled

    from permacite.pdi import PDI

pytest.importorskip("aiohttp", reason="mirrors fetch with it")

WORDS = [b"tide %d" % number for number in range(60)]
LARGE = os.urandom(70_000)


@pytest.fixture
def origin(archive: Path) -> Iterator[Running]:
    """The archive, served to the public."""
    with served(archive, "--public") as running:
        yield running


@pytest.fixture
def into(postgresql: Server, bucket: str, tmp_path: Path) -> str:
    """Where the mirror is to be."""
    location = str(postgresql.location(tmp_path / "mirror"))
    before, _, rest = location.partition("objects=")
    return f"{before}objects=s3://{bucket}/one&{rest.partition('&')[2]}"


def add(archive: Path, contents: Iterable[bytes]) -> dict[bytes, PDI]:
    """Commit contents in the archive, each as a document; the names by the contents."""
    every = list(contents)
    with Repository.open(archive) as there:
        drafts = [
            NewVersion([NewRepresentation(each, "application/octet-stream")]) for each in every
        ]
        made = [
            each for each in there.committer.commit_all(drafts) if not isinstance(each, Exception)
        ]
        names = [version.representations[0].pdi for version in made]
    return dict(zip(every, names, strict=True))


def erase(archive: Path, *names: PDI) -> None:
    """Erase documents in the archive."""
    with Repository.open(archive) as there:
        for name in names:
            there.access.erase(name, ground="court-order")


def check(into: str, names: dict[bytes, PDI]) -> None:
    """Nothing is wrong with the mirror, nothing waits there, and it has these contents."""
    with Repository.open(into) as here:
        here._objects.write_behind.flush()  # noqa: SLF001 - what was left while the store was in trouble
        assert here.contents.staged_bytes() == 0
        for content, name in islice(names.items(), 99):  # all are read once, by packs, below
            assert here.contents.read(here.lookup.representation(name)) == content
    with Archive.open(into) as mirror:
        kinds = {each.kind for each in mirror.copies.fsck().findings}
        assert kinds <= {"erased"}


def test_small_octets_are_in_packs_and_large_ones_are_not(
    archive: Path, origin: Running, into: str, store: Store, bucket: str
) -> None:
    names = add(archive, [*WORDS, LARGE])
    assert follow(origin.base, into).octets == len(names)
    check(into, names)
    (pack,) = packs(store, bucket)
    assert sorted(pack.values()) == sorted(WORDS)
    objects = [key for key in store.keys(bucket) if "/objects/" in key]
    assert len(objects) == 2
    names |= add(archive, [b"one more", b"two more"])
    assert follow(origin.base, into).octets == 2
    check(into, names)


def test_what_is_erased_there_while_it_comes_is_nowhere_in_the_end(
    archive: Path, origin: Running, into: str, store: Store, bucket: str
) -> None:
    names = add(archive, [*WORDS, LARGE])
    gone = [WORDS[7], WORDS[8], LARGE]
    with meanwhile(
        origin.base, "/-/log/octets/", lambda: erase(archive, *(names[each] for each in gone))
    ) as base:
        follow(base, into)
    follow(origin.base, into)
    check(into, {word: name for word, name in names.items() if word not in gone})
    held = {content for pack in packs(store, bucket) for content in pack.values()}
    assert held.isdisjoint(gone)
    assert not any(key.endswith(path_of(digest_of(LARGE))) for key in store.keys(bucket))


class _There:
    """What hands out octets."""

    is_far = True

    def __init__(self, contents: Iterable[bytes]) -> None:
        self._contents = {digest_of(each): each for each in contents}

    def open(self, digest: str) -> ContentReader:
        """Those with a digest."""
        return ContentReader(digest, io.BytesIO(self._contents[digest]), "there")


def test_small_octets_whose_rows_never_came_are_nowhere(
    archive: Path, origin: Running, into: str, store: Store, bucket: str
) -> None:
    """Else what is erased there before they come would stay here, as nothing says whose it is."""
    names = add(archive, WORDS)
    follow(origin.base, into)
    late = [b"late", b"later"]
    with Repository.open(into) as here:
        sink = Mirror(here.parts).sink(_There(late))
        _, brought = sink.receive([digest_of(each) for each in late], lambda received: received)
        assert dict(brought.staged) == {digest_of(each): each for each in late}
    erase(archive, *add(archive, late).values())
    follow(origin.base, into)
    check(into, names)
    (pack,) = packs(store, bucket)
    assert sorted(pack.values()) == sorted(WORDS)


@pytest.mark.parametrize("trouble", ["", pytest.param("quota", marks=pytest.mark.deep)])
def test_what_is_erased_there_and_named_again_is_here(
    archive: Path, origin: Running, into: str, troubled: Troubled, trouble: str
) -> None:
    """In a pack when the rows come that erase it, or staged still."""
    follow(origin.base, into)
    names = add(archive, WORDS)
    troubled.trouble = trouble
    follow(origin.base, into)
    erase(archive, names[WORDS[7]])
    names |= add(archive, [WORDS[7]])
    follow(origin.base, into)
    troubled.trouble = ""
    check(into, names)


def test_what_waits_to_be_destroyed_here_comes_again_where_it_is_named_again(
    archive: Path, origin: Running, into: str
) -> None:
    """So far apart in the log that the rows which erase it were entered before."""
    names = add(archive, [*WORDS, LARGE])
    follow(origin.base, into)
    erase(archive, names[WORDS[7]], names[LARGE])
    names |= add(archive, (b"between %d" % number for number in range(150)))
    names |= add(archive, [WORDS[7], LARGE])
    assert follow(origin.base, into).octets == 152
    check(into, names)


def test_what_is_lost_there_comes_when_it_is_there_again(
    archive: Path, origin: Running, into: str, store: Store, bucket: str, tmp_path: Path
) -> None:
    names = add(archive, WORDS)
    digests = [digest_of(word) for word in WORDS[7:9]]
    for digest in digests:
        (archive / "objects" / path_of(digest)).rename(tmp_path / digest)
    assert sorted(follow(origin.base, into).lost) == sorted(digests)
    for digest in digests:
        (tmp_path / digest).rename(archive / "objects" / path_of(digest))
    taken = follow(origin.base, into)
    assert (taken.octets, taken.lost) == (2, ())
    check(into, names)
    assert sorted(word for pack in packs(store, bucket) for word in pack.values()) == sorted(WORDS)


@pytest.mark.slow
@pytest.mark.deep
def test_who_takes_over_packs_what_fills_a_pack(
    archive: Path, into: str, origin: Running, troubled: Troubled, store: Store, bucket: str
) -> None:
    follow(origin.base, into)
    many = [b"%d" % number for number in range(1100)]
    names = add(archive, many)
    troubled.trouble = "quota"
    follow(origin.base, into)
    assert packs(store, bucket) == []
    troubled.trouble = ""
    with Repository.open(into) as here:
        taken, _ = Mirror(here.parts).sink(_There([])).receive([], lambda received: received)
        assert taken.contents == 0
        assert max(map(len, packs(store, bucket))) == 1000
    check(into, names)
    members = [name for pack in packs(store, bucket) for name in pack]
    assert sorted(members) == sorted(hashlib.sha256(each).hexdigest() for each in many)


@pytest.mark.slow
@pytest.mark.deep
def test_no_more_is_staged_than_the_catalog_should_hold(
    archive: Path, into: str, origin: Running, troubled: Troubled
) -> None:
    follow(origin.base, into)
    troubled.trouble = "quota"
    names = add(archive, (os.urandom(1 << 16) for _ in range(1100)))
    with pytest.raises(StorageError, match="is full"):
        follow(origin.base, into)
    with Repository.open(into) as here:
        assert 1 << 26 <= here.contents.staged_bytes() < (1 << 26) + (1 << 23)
    troubled.trouble = ""
    follow(origin.base, into)
    check(into, names)
