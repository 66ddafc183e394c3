"""Many files come in by one command: each as if it came alone, in groups that share the disk."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive

from permacite.errors import IntegrityError, ParseError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

LATIN = "caf\u00e9".encode("latin-1")
GROUP = 64
"""How many files at most are committed together."""


def files(folder: Path, contents: dict[str, bytes]) -> list[Path]:
    """Write files; their paths are returned in order."""
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [folder / name for name in contents]


def test_files_get_their_names_in_their_order(archive: Path, tmp_path: Path) -> None:
    contents = {f"{number}.html": b"<title>%d</title>" % number for number in range(GROUP + 3)}
    paths = files(tmp_path, contents)
    with Archive.open(archive) as service:
        outcomes = list(service.lists.files.add_files(paths))
        findings = service.copies.fsck().findings
    assert [path for path, _ in outcomes] == paths
    names = [getattr(outcome, "pdi", outcome) for _, outcome in outcomes]
    day = str(names[0]).rpartition("/")[0]
    assert names == [f"{day}/{number + 1}.html.1" for number in range(GROUP + 3)]
    assert findings == ()


def test_a_group_is_durable_before_it_is_told(archive: Path, tmp_path: Path) -> None:
    """Another process would see each file that was told of."""
    contents = {f"{number}.txt": b"%d" % number for number in range(GROUP + 1)}
    with Archive.open(archive) as service, Archive.open(archive) as other:
        for number, _ in enumerate(service.lists.files.add_files(files(tmp_path, contents))):
            assert other.documents.about().documents == (GROUP if number < GROUP else GROUP + 1)


def test_what_is_wrong_with_a_file_harms_none_beside_it(archive: Path, tmp_path: Path) -> None:
    paths = files(
        tmp_path, {"a.txt": b"a", "bad.txt": LATIN, "b.txt": b"b", "c.warc": b"", "d.txt": b"d"}
    )
    paths.insert(2, tmp_path / "missing.txt")
    with Archive.open(archive) as service:
        outcomes = dict(service.lists.files.add_files(paths))
    kinds = [type(outcomes[path]).__name__ for path in paths]
    assert kinds == ["Saved", "ParseError", "FileNotFoundError", "Saved", "ParseError", "Saved"]


@pytest.mark.parametrize(("words", "taken"), [("court finds", True), ("court found", False)])
def test_a_file_may_quote_the_one_before_it(
    archive: Path, tmp_path: Path, words: str, *, taken: bool
) -> None:
    with Archive.open(archive) as service:
        first = service.add(b"one", name="one.txt").pdi
        second = first.replace("/1.", "/2.")
        contents = {
            "ruling.txt": b"The court finds that the harbour was closed.",
            "brief.md": f"> {words}\n>\n> `{second}#char=4,15`\n".encode(),
            "last.txt": b"last",
        }
        ruling, brief, last = (
            one for _, one in service.lists.files.add_files(files(tmp_path, contents))
        )
    assert getattr(ruling, "pdi", None) == second
    assert isinstance(brief, IntegrityError) is not taken
    assert not isinstance(last, Exception)
    if taken:
        assert [one.status for one in getattr(brief, "quotations", [])] == ["exact"]


def test_the_command_tells_of_each_file_as_alone(cli: Cli, tmp_path: Path) -> None:
    paths = [
        str(path) for path in files(tmp_path, {"a.txt": b"a", "bad.txt": LATIN, "b.txt": b"b"})
    ]
    outcome = cli("import", *paths)
    assert outcome.status == 2
    names = [line for line in outcome.out.splitlines() if not line.startswith(" ")]
    assert [name.rpartition("/")[2] for name in names] == ["1.text.1", "2.text.1"]
    assert f"{paths[1]}: not imported" in outcome.err
    told = json.loads(cli("import", *paths, "--json").out)
    assert [one["document"]["title"] for one in told] == ["a.txt", "b.txt"]


def test_the_error_of_a_file_is_that_of_the_file_alone(archive: Path, tmp_path: Path) -> None:
    (path,) = files(tmp_path, {"bad.txt": LATIN})
    with Archive.open(archive) as service:
        ((_, outcome),) = service.lists.files.add_files([path])
        with pytest.raises(ParseError) as alone:
            service.add(LATIN, name="bad.txt")
    assert str(outcome) == str(alone.value)


def test_the_same_bytes_are_found_under_their_name(archive: Path, tmp_path: Path) -> None:
    paths = files(tmp_path, {"a.txt": b"one", "b.txt": b"one", "c.html": b"one", "d.txt": b"two"})
    with Archive.open(archive) as service:
        outcomes = [one for _, one in service.lists.files.add_files(paths)]
        names = [str(getattr(one, "pdi", one)).rpartition("/")[2] for one in outcomes]
        assert names == ["1.text.1", "1.text.1", "2.html.1", "3.text.1"]
        assert [getattr(one, "unchanged", None) for one in outcomes] == [False, True, False, False]
        assert service.add(b"one", name="e.txt").unchanged
        assert not service.add(b"one", name="e.txt", new=True).unchanged
        elsewhere = service.add(b"one", name="e.txt", uri="http://a.example/e.txt")
        assert not elsewhere.unchanged
        service.access.withdraw(elsewhere.pdi, reason="copyright")
        again = service.add(b"one", name="e.txt", uri="http://a.example/e.txt")
        assert not again.unchanged


def test_bytes_in_another_charset_are_another_text(archive: Path) -> None:
    with Archive.open(archive) as service:
        first = service.add(LATIN, name="a.txt", charset="latin-1")
        assert service.add(LATIN, name="a.txt", charset="iso-8859-1").pdi == first.pdi
        assert service.add(LATIN, name="a.txt", charset="koi8-r").pdi != first.pdi


def test_a_folder_is_imported_with_what_is_in_it(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    (folder / "deep").mkdir(parents=True)
    files(folder, {"b.txt": b"b", ".hidden": b"h"})
    files(folder / "deep", {"a.txt": b"a"})
    (folder / "link").symlink_to(tmp_path)
    told = json.loads(cli("import", str(folder), "--json").out)
    assert [one["document"]["title"] for one in told] == ["b.txt", "a.txt"]


def test_what_can_be_cited_is_told(cli: Cli, tmp_path: Path) -> None:
    paths = files(
        tmp_path, {"a.xml": b"<a><p n='7'>b</p></a>", "b.bin": b"\x00", "c.html": b"<p>d"}
    )
    told = json.loads(cli("import", *map(str, paths), "--json").out)
    ways = [[(way["what"], way["format"], way["label"]) for way in one["citable"]] for one in told]
    assert ways == [
        [
            ("words", "utf-8", None),
            ("paragraph", "utf-8", "7"),
            ("elements", "application+xml", None),
        ],
        [("octets", "octet-stream", None)],
        [("words", "utf-8", None), ("elements", "html", None)],
    ]
    assert "cite words: utf-8#char=, paragraph 7: utf-8#char=" in cli("import", str(paths[0])).err


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("a.rs", b"fn main() {}\n", "text/x-rust"),
        ("a.TS", b"let tide: number = 3;\n", "text/x-typescript"),
        ("a.ts", b"\x47\x40\x00\x10" * 47, None),
        ("a.sql", b"select height from tides;\n", "text/x-sql"),
        ("a.go", "package tides // \u00e9\n".encode("utf-16"), "text/x-go"),
        ("a.yaml", b"height: 3.2\n", "text/x-yaml"),
        ("Cargo.toml", b"[package]\n", "text/x-toml"),
    ],
)
def test_source_code_is_text_of_its_language(
    archive: Path, name: str, content: bytes, media_type: str | None
) -> None:
    """By its ending, unless its octets are those of something else."""
    with Archive.open(archive) as service:
        saved = service.add(content, name=name)
        (given,) = service.documents.show(saved.pdi).document.formats
        exported = service.documents.export(saved.pdi)
    if media_type is None:
        assert not given.media_type.startswith("text/x-")
    else:
        assert given.media_type == media_type
        assert exported.suggested_name.endswith(f".v1.{name.rpartition('.')[2].lower()}")
