"""Large documents over HTTP: by the piece, each checked, and nothing read that is not needed."""

from __future__ import annotations

import contextlib
import email.parser
import http.client
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest
from tests import inside
from tests.archives import Archive
from tests.earlier import with_texts
from tests.engines import Repository
from tests.faces.conftest import served

from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository as InFolder
from permacite.errors import IntegrityError
from permacite.web.app import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.inside import Answer

pytestmark = pytest.mark.engines(deep=True)

PIECE = 1 << 15
CONTENT = b"".join(b"%07d\n" % number for number in range(100_000))
KIND = "application/octet-stream"


def ask(service: Archive, target: str, method: str = "GET", **fields: str) -> Answer:
    """Send one request to an application in this process."""
    app = create_app(service, names=["a.example"])
    return inside.ask(app, target, method, b"", **{"host": "a.example"} | fields)


@pytest.fixture
def service(archive: Path) -> Iterator[Archive]:
    """Return an open archive."""
    with Archive.open(archive) as opened:
        yield opened


@pytest.fixture
def name(service: Archive) -> str:
    """Return the name of a large document that is no text."""
    return service.add(CONTENT, name="data.bin").pdi


def file_of(archive: Path, content: bytes) -> Path:
    """Return the file of a content."""
    (found,) = (
        each
        for each in (archive / "objects").glob("??/??/*")
        if each.stat().st_size == len(content)
    )
    return found


def damage(path: Path, place: int) -> None:
    """Alter an octet."""
    path.chmod(0o600)
    with path.open("r+b") as file:
        file.seek(place)
        file.write(b"!")


RANGES = [
    # what is asked for, and the stretches of the answer; None for all of it
    ("bytes=0-99", [(0, 100)]),
    ("bytes=32760-32775", [(32760, 32776)]),
    ("bytes=-5", [(799_995, 800_000)]),
    ("bytes=799990-9999999", [(799_990, 800_000)]),
    ("bytes= 5-6 , ,8-9", [(5, 10)]),
    ("bytes=70000-70009,10-19", [(10, 20), (70_000, 70_010)]),
    ("bytes=0-9,900000-", [(0, 10)]),
    ("bytes=900000-,900001-", []),
    ("bytes=9-5", None),
    ("bytes=a-b", None),
    ("lines=1-2", None),
    ("bytes=" + ",".join(f"{each * 1000}-{each * 1000}" for each in range(33)), None),
    ("bytes=" + ",".join(f"{each}-{each}" for each in range(10_000)), None),
]


@pytest.mark.parametrize(("wanted", "spans"), RANGES)
def test_ranges(
    service: Archive, name: str, wanted: str, spans: list[tuple[int, int]] | None
) -> None:
    answer = ask(service, f"/{name}", range=wanted)
    assert int(answer.headers["content-length"]) == len(answer.body)
    if spans is None:
        assert (answer.status, answer.body) == (200, CONTENT)
    elif not spans:
        assert (answer.status, answer.headers["content-range"]) == (416, "bytes */800000")
    elif len(spans) == 1:
        ((start, end),) = spans
        assert (answer.status, answer.body) == (206, CONTENT[start:end])
        assert answer.headers["content-range"] == f"bytes {start}-{end - 1}/800000"
    else:
        head = f"Content-Type: {answer.headers['content-type']}\n\n".encode()
        message = email.parser.BytesParser().parsebytes(head + answer.body)
        assert [
            (part["Content-Range"], part["Content-Type"], part.get_payload(decode=True))
            for part in message.walk()
            if not part.is_multipart()
        ] == [(f"bytes {start}-{end - 1}/800000", KIND, CONTENT[start:end]) for start, end in spans]


def test_a_range_is_checked_and_the_rest_is_not_read(
    archive: Path, service: Archive, name: str
) -> None:
    damage(file_of(archive, CONTENT), 10 * PIECE)
    assert ask(service, f"/{name}", range="bytes=0-9").body == CONTENT[:10]
    assert ask(service, f"/{name}?fragment=byte=5,9").body == CONTENT[5:9]
    for refused in (
        ask(service, f"/{name}", range=f"bytes={10 * PIECE + 9}-{10 * PIECE + 9}"),
        ask(service, f"/{name}?fragment=byte={11 * PIECE - 1},{11 * PIECE}"),
        ask(service, f"/{name}?check=whole", range="bytes=0-9"),
        ask(service, f"/{name}?check=whole&fragment=byte=5,9"),
    ):
        assert refused.status == 409


def test_what_is_altered_is_not_sent(archive: Path, name: str) -> None:
    damage(file_of(archive, CONTENT), 20 * PIECE + 5)
    with served(archive) as running:
        connection = http.client.HTTPConnection(running.base.removeprefix("http://"), timeout=20)
        with contextlib.closing(connection):
            connection.request("GET", f"/{name}")
            with pytest.raises(http.client.IncompleteRead) as error:
                connection.getresponse().read()
        assert error.value.partial == CONTENT[: len(error.value.partial)]
        assert len(error.value.partial) <= 20 * PIECE


def test_nothing_is_read_for_what_is_known(archive: Path, service: Archive, name: str) -> None:
    text = service.add(CONTENT, name="lines.txt").pdi
    asked = [f"/{name}", f"/{name}?fragment=byte=5,9", f"/{text}?fragment=char=5,9"]
    known = [ask(service, each) for each in asked]
    for each in (archive / "objects").glob("??/??/*"):
        each.unlink()
    for target, before in zip(asked, known, strict=True):
        tag, modified = before.headers["etag"], before.headers["last-modified"]
        for conditions in ({"if_none_match": f'"x", {tag}'}, {"if_modified_since": modified}):
            answer = ask(service, target, **conditions)
            assert (answer.status, answer.body) == (304, b"")
            assert answer.headers["etag"] == tag
    head = ask(service, f"/{name}", "HEAD")
    assert (head.status, head.body, head.headers) == (200, b"", known[0].headers)
    assert ask(service, f"/{name}").status == 404


def test_a_range_depends_on_what_there_is(service: Archive, name: str) -> None:
    before = ask(service, f"/{name}", "HEAD").headers
    for holds in (before["etag"], before["last-modified"]):
        assert ask(service, f"/{name}", range="bytes=0-1", if_range=holds).status == 206
    for fails in ('"other"', f"W/{before['etag']}", "Mon, 01 Jan 2024 00:00:00 GMT"):
        assert ask(service, f"/{name}", range="bytes=0-1", if_range=fails).status == 200


def test_parts_have_tags_of_their_own(service: Archive, name: str) -> None:
    tags = {
        ask(service, f"/{name}{fragment}").headers["etag"]
        for fragment in ("", "?fragment=byte=0,5", "?fragment=byte=0,6")
    }
    assert len(tags) == 3


@pytest.mark.parametrize("size", [0, 1, PIECE, PIECE + 1])
def test_every_size(service: Archive, size: int) -> None:
    name = service.add(CONTENT[:size], name="data.bin").pdi
    assert ask(service, f"/{name}").body == CONTENT[:size]
    assert ask(service, f"/{name}", range="bytes=-1").body == CONTENT[:size][-1:]


def early(folder: Path) -> str:
    """Make an archive in which permacite committed a large content before it knew of pieces.

    It is of a schema that was never in PostgreSQL, where it can be copied to.
    """
    with InFolder.create(folder, series="lab.example.us") as repository:
        version = repository.committer.commit([NewRepresentation(CONTENT, KIND)])
    with_texts(folder / "catalog.sqlite")
    with contextlib.closing(sqlite3.connect(folder / "catalog.sqlite")) as connection:
        for table in ("building", "packed", "emptied_pack", "lease", "content_pieces"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("PRAGMA user_version = 9")
        connection.commit()
    Repository.adopt(folder)
    return str(version.representations[0].pdi)


def kept(folder: Path) -> int:
    """Return how many contents have digests of pieces that were made later."""
    ((number,),) = Repository.rows(folder, "SELECT count(*) FROM content_pieces")
    return int(number)


def test_of_what_came_in_before_pieces_are_made_once(tmp_path: Path) -> None:
    folder = tmp_path / "early"
    name = early(folder)
    with Archive.open(folder) as service:
        assert kept(folder) == 0
        assert ask(service, f"/{name}", range="bytes=0-9").body == CONTENT[:10]
        assert kept(folder) == 1
        assert service.verify().ok
    damage(file_of(folder, CONTENT), 10 * PIECE)
    with Archive.open(folder) as service:
        assert ask(service, f"/{name}", range="bytes=0-9").status == 206
        assert ask(service, f"/{name}", range=f"bytes=-{PIECE * 16}").status == 409


def test_no_pieces_are_made_of_altered_octets(tmp_path: Path) -> None:
    folder = tmp_path / "early"
    name = early(folder)
    damage(file_of(folder, CONTENT), 10 * PIECE)
    with Archive.open(folder) as service:
        assert ask(service, f"/{name}", range="bytes=0-9").status == 409
    assert kept(folder) == 0


def test_wrong_digests_of_pieces_are_found(tmp_path: Path, cli: Any) -> None:
    folder = tmp_path / "early"
    name = early(folder)
    with Archive.open(folder) as service:
        ask(service, f"/{name}", range="bytes=0-9")
    Repository.by_hand(folder, "UPDATE content_pieces SET pieces = zeroblob(32)")
    assert "made anew" in cli("--archive", folder, "fsck").err
    assert cli("--archive", folder, "fsck").status == 0


def test_what_is_erased_leaves_no_digests(tmp_path: Path) -> None:
    folder = tmp_path / "early"
    name = early(folder)
    with Archive.open(folder) as service:
        ask(service, f"/{name}", range="bytes=0-9")
        service.access.erase(name, ground="court-order")
    assert kept(folder) == 0


@pytest.mark.usefixtures("name")
def test_the_pieces_of_what_is_committed_are_in_its_entry(archive: Path) -> None:
    with Repository.open(archive) as repository:
        (version,) = repository.lists.list()
        (representation,) = version.representations
        assert repository.contents.sidecar_digest(representation, "piece-digests") is not None
        pieces = repository.contents.pieces(representation)
        damage(file_of(archive, CONTENT), 3)
        with pytest.raises(IntegrityError):
            pieces.octets(0, 9)
    assert kept(archive) == 0
