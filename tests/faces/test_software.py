"""Lines of a file, cited, have the name that Software Heritage gives them."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from permacite.service.archive import Archive
from permacite.service.citations import software

if TYPE_CHECKING:
    from pathlib import Path

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
        ["git", "hash-object", "--stdin"], input=content, capture_output=True, check=True
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
    assert len(content) > software.MOST_BYTES
    with Archive.open(archive) as held:
        assert held.cite(held.add(content, name="word.py").pdi, line="0,1").swhid is None
