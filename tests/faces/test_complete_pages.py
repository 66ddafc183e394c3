"""Pages that browsers saved "complete": one document with what its folder holds, and no more."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.crawled import PNG

from permacite import mhtml
from permacite.service.archive import Archive
from permacite.service.ingest.collections import files_in
from permacite.service.ingest.folders import complete, folder_of
from permacite.service.sources import Incoming

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

PAGE = """<!DOCTYPE html>
<!-- saved from url=(0025)https://a.example/report? -->
<html><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8">
<title>Tide</title><link rel="stylesheet" href="./Tide_files/css"></head>
<body><p>The tide is high.<img src="./Tide_files/a(1).png"><img src="./Tide_files/gone.png">
<a href="https://a.example/next">next</a><script src="./Tide_files/x.js.download"></script>
<iframe src="./Tide_files/saved_resource.html"></iframe></body></html>
"""
FILES = {
    "css": b"p { background: url(b%20c.png) }",
    "a(1).png": PNG,
    "b c.png": PNG + b"b",
    "x.js.download": b"alert(1)",
    "saved_resource.html": b"<link rel=stylesheet href=css><img src='../Tide_files/d.png'>",
    "d.png": PNG + b"d",
    "unused.png": PNG + b"unused",
}


def saved(folder: Path, page: str = PAGE, name: str = "Tide_files") -> Path:
    """Write a page and its folder."""
    (folder / name).mkdir()
    for file, content in FILES.items():
        (folder / name / file).write_bytes(content)
    path = folder / "Tide.html"
    path.write_text(page.replace("Tide_files", name), encoding="utf-8")
    return path


def test_a_page_comes_with_what_it_shows(archive: Path, cli: Cli, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    saved(home)
    (one,) = json.loads(cli("import", str(home), "--json").out)
    assert (one["parts"], one["document"]["uri"]) == (6, "https://a.example/report?")
    assert [each["uri"] for each in one["lost"]] == ["./Tide_files/gone.png"]
    assert one["document"]["reported"] == {"file": "Tide.html", "software": "", "shows": "drawn"}
    cited = cli("cite", one["pdi"], "--quote", "tide is high").out
    assert "as drawn and captured by others, from Tide.html" in cited
    with Archive.open(archive) as service:
        related = next(each for each in one["document"]["formats"] if each["format"] == "related")
        aggregate = mhtml.open(service.resolve(related["pdi"]).content)
    root = aggregate.root
    links = {link.value for link in mhtml.links.references(root.content, root.content_type)}
    shown = {each: aggregate.resolve(each, root, "browser").part for each in links}
    assert sorted(each for each, part in shown.items() if part is not None) == [
        *("./Tide_files/a(1).png", "./Tide_files/css", "./Tide_files/saved_resource.html")
    ]
    (again,) = json.loads(cli("import", str(home), "--json").out)
    assert again["unchanged"]
    (home / "Tide_files" / "gone.png").write_bytes(PNG)
    (whole,) = json.loads(cli("import", str(home / "Tide.html"), "--json").out)
    assert (whole["unchanged"], whole["parts"]) == (False, 7)


NAMES = [
    # the folder beside Tide.html, what the page shows of it, whether it is its folder
    ("Tide_files", "Tide_files/a.png", True),
    ("Tide-Dateien", "Tide-Dateien/a.png", True),
    ("Tide_fichiers", "./Tide_fichiers/a.png", True),
    ("Tide_files", "pictures/a.png", False),
    ("Tide pictures", "Tide%20pictures/a.png", False),
]


@pytest.mark.parametrize(("name", "shown", "is_its"), NAMES, ids=[f"{r[0]} {r[1]}" for r in NAMES])
def test_a_folder_is_known_by_its_name_and_use(
    tmp_path: Path, name: str, shown: str, *, is_its: bool
) -> None:
    page = saved(tmp_path, f"<title>T</title><img src='{shown}'>", name)
    assert folder_of(page) == (tmp_path / name if is_its else None)
    assert (tmp_path / name / "css" in set(files_in([tmp_path]))) == (not is_its)


def test_a_snapshot_in_the_storage_of_zotero_is_one_page(cli: Cli, tmp_path: Path) -> None:
    home = tmp_path / "storage/ABCD2345"
    (home / "more").mkdir(parents=True)
    (home / "page.html").write_text("<title>T</title>words<img src=a.png><img src=more/b.png>")
    (home / "a.png").write_bytes(PNG)
    (home / "more/b.png").write_bytes(PNG)
    (home / ".zotero-ft-cache").write_text("words")
    other = tmp_path / "storage/EFGH6789"
    other.mkdir()
    (other / "paper.txt").write_text("paper")
    snapshot, paper = json.loads(cli("import", str(tmp_path / "storage"), "--json").out)
    assert (snapshot["document"]["title"], snapshot["parts"]) == ("T", 3)
    assert paper["document"]["title"] == "paper.txt"


OUT = [
    # what a page refers to
    *("Tide_files/../../secret.png", "Tide_files/%2e%2e/secret.png", "../secret.png"),
    *("Tide_files/..\\secret.png", "/etc/hostname", "file:///etc/hostname", "secret.png"),
    *("Tide_files/link.png", "Tide_files/linked/secret.png", "https://a.example/a.png"),
    *("Tide_files/a%00.png", "//a.example/a.png", "Tide_files/", "Tide_files/none.png"),
]


@pytest.mark.parametrize("reference", OUT)
def test_nothing_outside_the_folder_is_read(tmp_path: Path, reference: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    page = saved(home, f"<title>T</title><img src='{reference}'>")
    for place in (tmp_path, home):
        (place / "secret.png").write_bytes(b"secret")
    (home / "Tide_files" / "link.png").symlink_to(tmp_path / "secret.png")
    (home / "Tide_files" / "linked").symlink_to(tmp_path)
    made = complete(page, Incoming.of_file(page.name, page.read_bytes()), home / "Tide_files")
    assert (made.parts, [each.uri for each in made.failures]) == (1, [reference])


ADDRESSES = [
    # the comment, the address
    ("<!-- saved from url=(0017)http://a.example/ -->", "http://a.example/"),
    ("<!-- saved from url=(0014)about:internet -->", None),
    ("<!-- saved from url=(0099)http://a.example/ -->", None),
    ("<!-- saved from url=(0018)file:///C:/a/b.htm -->", None),
]


@pytest.mark.parametrize(("comment", "uri"), ADDRESSES, ids=[row[0] for row in ADDRESSES])
def test_an_address_is_taken_from_the_comment(
    cli: Cli, tmp_path: Path, comment: str, uri: str | None
) -> None:
    (tmp_path / "a.html").write_text(f"<!DOCTYPE html>\n{comment}\n<title>T</title>words")
    (one,) = json.loads(cli("import", str(tmp_path / "a.html"), "--json").out)
    assert one["document"]["uri"] == uri
