"""Large texts in an archive: found by their index, checked by the piece, never by a foreign one."""

from __future__ import annotations

import dataclasses
import zlib
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository
from tests.kept import file_of

from permacite.archive.engine.pieces import PIECE_BYTES, PIECES, Pieces
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.texts import INDEX, SMALLEST_BYTES, with_indexes
from permacite.errors import IntegrityError, NotFoundError, ParseError, WithdrawnError
from permacite.extract import extract, extract_from
from permacite.fragments import Index, Text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from permacite.archive.model.answered import Representation

pytestmark = pytest.mark.engines(deep=True)

LINES = "".join(f"{number}: naïve 中文 words\n" for number in range(9000))
CONTENT = LINES.encode()
OTHER = CONTENT.replace(b"words", b"wordz")
PLACE = "char=120000,120040"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Repository]:
    """An empty archive."""
    with Repository.create(tmp_path / "archive", series="lab.example.us") as opened:
        yield opened


def text(content: bytes = CONTENT, charset: str = "utf-8") -> NewRepresentation:
    """Return a text without sidecars."""
    return NewRepresentation(content, "text/plain", charset=charset)


def sides(content: bytes) -> dict[str, bytes]:
    """Return the sidecars of a text."""
    (one,) = with_indexes([text(content)])
    return dict(one.sidecars)


def committed(archive: Repository, new: NewRepresentation) -> Representation:
    """Commit one format."""
    return archive.committer.commit([new]).representations[0]


def damage(path: Path, place: int) -> None:
    """Change one byte of a file."""
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.chmod(0o644)
    path.write_bytes(content)


def side_file(archive: Repository, name: str) -> Path:
    """Return the file of a sidecar of `CONTENT`."""
    wanted = sides(CONTENT)[name]
    found = [
        path for path in archive.directory.glob("objects/??/??/*") if path.read_bytes() == wanted
    ]
    return found[0]


def test_a_large_text_is_cut_as_if_it_were_whole(archive: Repository) -> None:
    (new,) = with_indexes([text()])
    assert set(new.sidecars) == {INDEX, PIECES}
    found = archive.contents.text(committed(archive, new))
    assert found.index is not None
    for fragment in (PLACE, "char=0,9", "line=8999,9000", "char=7,7", "line=3,5"):
        expected = extract(CONTENT, "text/plain", fragment, charset="utf-8")
        assert extract_from(found, "text/plain", fragment) == expected
    assert found.entity.md5 == Index.build(CONTENT, "utf-8").md5
    with pytest.raises(NotFoundError):
        extract_from(found, "text/plain", "char=999999,1000000")
    with pytest.raises(ParseError):
        extract_from(found, "text/plain", "byte=0,1")


NOT_INDEXED = [
    ("small", CONTENT[: SMALLEST_BYTES // 2 * 2 - 2], "text/plain", "utf-8"),
    ("no text", CONTENT, "application/octet-stream", None),
    ("not its charset", CONTENT + b"\xff", "text/plain", "utf-8"),
]


@pytest.mark.parametrize(
    ("content", "media_type", "charset"),
    [row[1:] for row in NOT_INDEXED],
    ids=[row[0] for row in NOT_INDEXED],
)
def test_what_has_no_index(
    archive: Repository, content: bytes, media_type: str, charset: str | None
) -> None:
    new = NewRepresentation(content, media_type, charset=charset, format="text")
    (given,) = with_indexes([new])
    assert dataclasses.replace(given, sidecars={}) == new
    assert list(given.sidecars) == [PIECES]
    assert archive.contents.text(committed(archive, new)).index is None


def test_side_objects_that_are_there_stay() -> None:
    (new,) = with_indexes([dataclasses.replace(text(), sidecars={"map": b"[]"})])
    assert new.sidecars["map"] == b"[]"
    assert len(new.sidecars) == 3


def test_a_text_committed_without_an_index_has_none(archive: Repository) -> None:
    assert archive.contents.text(committed(archive, text())).index is None


FOREIGN = {
    "both of another text": lambda: sides(OTHER),
    "index of another text": lambda: sides(CONTENT) | {INDEX: sides(OTHER)[INDEX]},
    "digests of another text": lambda: sides(CONTENT) | {PIECES: sides(OTHER)[PIECES]},
    "of another charset": lambda: (
        sides(CONTENT) | {INDEX: Index.build(CONTENT, "cp437").to_bytes()}
    ),
    "no index": lambda: sides(CONTENT) | {INDEX: b"pcindex9"},
    "no digests": lambda: sides(CONTENT) | {PIECES: b""},
    "digests cut off": lambda: sides(CONTENT) | {PIECES: sides(CONTENT)[PIECES][:-1]},
    "pieces of no length": lambda: sides(CONTENT) | {PIECES: b"pcpiece1" + bytes(48)},
}


@pytest.mark.parametrize("which", FOREIGN)
def test_a_foreign_index_is_not_believed_and_fsck_says_so(archive: Repository, which: str) -> None:
    new = dataclasses.replace(text(), sidecars=FOREIGN[which]())
    kept = committed(archive, new)
    assert archive.contents.text(kept).index is None
    assert [one.kind for one in archive.fixity.verify()] == ["ok", "ok"]
    (finding,) = [one for one in archive.fixity.fsck() if one.kind != "ok"]
    assert (finding.kind, finding.name) == ("index", str(kept.pdi))


@pytest.mark.parametrize("row", ["last", "middle"])
def test_an_index_that_counts_otherwise_is_found(archive: Repository, row: str) -> None:
    stored = sides(CONTENT)[INDEX]
    start = 12 + int.from_bytes(stored[8:12], "little")
    rows = (len(stored) - start - 4) // 56
    place = start + 8 * (2 * rows - 1 if row == "last" else rows + rows // 2)  # code points
    wrong = stored[:place] + bytes([stored[place] ^ 1]) + stored[place + 1 : -4]
    wrong += zlib.crc32(wrong).to_bytes(4, "little")
    committed(archive, dataclasses.replace(text(), sidecars=sides(CONTENT) | {INDEX: wrong}))
    findings = [one.detail for one in archive.fixity.fsck() if one.kind == "index"]
    assert findings == [f"the index has {'another end' if row == 'last' else 'other places'}"]


@pytest.mark.parametrize("name", [INDEX, PIECES])
@pytest.mark.parametrize("how", ["altered", "missing"])
def test_a_damaged_index_is_not_believed_and_verify_says_so(
    archive: Repository, name: str, how: str
) -> None:
    kept = committed(archive, with_indexes([text()])[0])
    path = side_file(archive, name)
    if how == "altered":
        damage(path, 100)
    else:
        path.unlink()
    assert archive.contents.text(kept).index is None
    findings = [one for one in archive.fixity.fsck() if one.kind != "ok"]
    assert [(one.kind, name in one.detail) for one in findings] == [(how, True)]


def test_only_what_is_read_is_checked_where_that_is_asked_for(archive: Repository) -> None:
    kept = committed(archive, with_indexes([text()])[0])
    damage(file_of(archive.directory, kept.digest), 5 * PIECE_BYTES + 7)
    with pytest.raises(IntegrityError, match="altered"):
        archive.contents.text(kept)
    found = archive.contents.text(kept, whole=False)
    assert found.index is not None
    assert extract_from(found, "text/plain", "line=2,3").text == "2: naïve 中文 words\r\n"
    place = Text(CONTENT, "utf-8").place("byte", 5 * PIECE_BYTES + 100).pdi("http")
    with pytest.raises(IntegrityError) as error:
        extract_from(found, "text/plain", f"char={place},{place + 1}")
    assert str(5 * PIECE_BYTES) in error.value.problem
    with pytest.raises(IntegrityError), found.entity.source.whole():
        pass


def test_a_text_that_is_missing_or_short_is_told(archive: Repository) -> None:
    kept = committed(archive, with_indexes([text()])[0])
    path = file_of(archive.directory, kept.digest)
    path.chmod(0o644)
    path.write_bytes(CONTENT[:-1])
    found = archive.contents.text(kept, whole=False)
    assert found.index is not None
    with pytest.raises(IntegrityError):
        extract_from(found, "text/plain", "line=8999,9000")
    path.unlink()
    for whole in (True, False):
        with pytest.raises(NotFoundError):
            archive.contents.text(kept, whole=whole)


def test_what_is_withdrawn_is_not_given_out_by_its_index(archive: Repository) -> None:
    kept = committed(archive, with_indexes([text()])[0])
    archive.statements.withdraw(kept.pdi, reason="own-error")
    with pytest.raises(WithdrawnError):
        archive.contents.text(kept)


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 8])
def test_digests_of_pieces_come_back_as_they_were(size: int) -> None:
    pieces = Pieces.of(CONTENT[:size], piece_bytes=4)
    assert Pieces.from_bytes(pieces.to_bytes()) == pieces
    assert len(pieces.digests) == 32 * -(-size // 4)
