"""Lines of a file, cited, have the name that Software Heritage gives them."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.earlier import unpack
from tests.engines import Repository
from tests.needs import need

from permacite.archive.objects.source import MOST_OF_BLOB
from permacite.errors import NotFoundError, ParseError, RestrictedError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.engines(deep=True)

SOURCE = b"def word():\n    return 'words'\n\n\nword()"
LINES = [
    # what is cited, the lines
    ({"line": "0,1"}, "1"),
    ({"line": "1,4"}, "2-4"),
    ({"line": "4,5"}, "5"),
    ({"line": "0,5"}, "1-5"),
    ({"quote": "word()", "nth": 2}, "5"),
    ({"quote": "return 'words'"}, None),
    ({"quote": "word()", "nth": 1}, None),
    ({"quote": "    return 'words'"}, None),
]


def _of_git(content: bytes) -> str:
    done = subprocess.run(
        [need("git"), "hash-object", "--stdin"], input=content, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_whole_lines_have_a_name_there(archive: Path, end: bytes) -> None:
    content = SOURCE.replace(b"\n", end)
    with Archive.open(archive) as held:
        name = held.add(content, name="word.py").pdi
        for part, lines in LINES:
            cited = held.cite(name, **part)  # type: ignore[arg-type]
            wanted = lines and f"swh:1:cnt:{_of_git(content)};lines={lines}"
            assert cited.swhid == wanted
            if lines:
                first, _, last = lines.partition("-")
                stored = content.splitlines(keepends=True)[int(first) - 1 : int(last or first)]
                assert held.resolve(cited.reference).content == b"".join(stored)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"a\rb\r", "old.txt"),  # a line there ends with a line feed alone
        (b"\xef\xbb\xbfa\nb\n", "mark.txt"),  # and its first has the mark
        (b"<p>a</p>", "page.html"),  # these are words that we made
    ],
)
def test_what_is_no_such_lines_has_none(archive: Path, content: bytes, name: str) -> None:
    with Archive.open(archive) as held:
        assert held.cite(held.add(content, name=name).pdi, line="0,1").swhid is None


def test_large_files_are_not_read_for_it(archive: Path) -> None:
    content = b"word\n" * (1 << 20)
    assert len(content) > MOST_OF_BLOB
    with Archive.open(archive) as held:
        assert held.cite(held.add(content, name="word.py").pdi, line="0,1").swhid is None


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_name_of_there_leads_to_the_same_lines(archive: Path, end: bytes) -> None:
    content = SOURCE.replace(b"\n", end)
    with Archive.open(archive) as held:
        name = held.add(content, name="word.py").pdi
        swhid = f"swh:1:cnt:{_of_git(content)}"
        for lines in ("1", "2-4", "5", "1-5"):
            found = held.resolve(f"{swhid};lines={lines}")
            cited = held.cite(f"{swhid};origin=https://example.org;lines={lines}")
            assert (cited.reference, cited.swhid) == (found.exact, f"{swhid};lines={lines}")
        assert held.resolve(swhid).content == content
        assert name.startswith(held.documents.show(swhid).document.pdi)
        assert held.search(f"{swhid};lines=2").goes_to == held.cite(name, line="1,2").reference
        assert held.cite(swhid, quote="return").quote == "return"


def test_what_names_nothing_there_is_told(archive: Path) -> None:
    with Archive.open(archive) as held:
        held.add(SOURCE, name="word.py")
        held.add(b"<p>a", name="page.html")
        swhid = f"swh:1:cnt:{_of_git(SOURCE)}"
        for lines in ("0", "6", "5-4", "2-99"):
            with pytest.raises(NotFoundError, match="has 5 lines"):
                held.resolve(f"{swhid};lines={lines}")
        with pytest.raises(NotFoundError, match="nothing archived"):
            held.resolve(f"swh:1:cnt:{'0' * 40};lines=1")
        assert held.search(f"swh:1:cnt:{'0' * 40}").goes_to is None
        for typed in ("swh:1:dir:" + "0" * 40, "swh:1:cnt:12", f"{swhid};"):
            with pytest.raises(ParseError, match="expected a SWHID"):
                held.resolve(typed)
        with pytest.raises(ParseError):
            held.resolve(swhid, when=datetime.now(UTC))


def _names(folder: Path) -> list[tuple[str, str | None]]:
    rows = Repository.rows(folder, "SELECT digest, name FROM git_blob")
    return [(f"sha-256:{digest.hex()}", name and name.hex()) for digest, name in rows]


def test_texts_of_before_are_named_when_one_is_looked_for(tmp_path: Path) -> None:
    directory, _ = unpack(tmp_path)
    Repository.adopt(directory)
    with Archive.open(directory) as held:
        before = _names(directory)
        assert before
        assert {name for _, name in before} == {None}
        with pytest.raises(NotFoundError):
            held.resolve(f"swh:1:cnt:{'0' * 40}")
        after = _names(directory)
        for digest, name in after:
            assert name == _of_git(held._repository.contents.octets(digest))  # noqa: SLF001 - as kept
        given_out = 0
        for _, name in after:
            with suppress(RestrictedError):
                given_out += bool(held.resolve(f"swh:1:cnt:{name}").content)
        assert given_out
        assert held.copies.fsck().ok
    with Archive.open(directory):
        assert _names(directory) == after


def test_what_is_erased_has_no_name_left(archive: Path) -> None:
    with Archive.open(archive) as held:
        name = held.add(SOURCE, name="word.py").pdi
        other = held.add(b"other", name="other.py").pdi
        held.access.erase(name, ground="own-error")
        assert [known for _, known in _names(archive)] == [_of_git(b"other")]
        assert held.resolve(f"swh:1:cnt:{_of_git(b'other')}").pdi == other
        with pytest.raises(NotFoundError):
            held.resolve(f"swh:1:cnt:{_of_git(SOURCE)}")
