"""Every document is reached from every list: over HTTP, in a shell, by links of the reader."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import pytest
from tests.archives import Archive
from tests.engines import Repository
from tests.faces.conftest import served
from tests.faces.test_http import ask

from permacite.archive.model.answered import Provenance
from permacite.archive.model.submitted import NewRepresentation
from permacite.service.plain import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser
    from tests.faces.conftest import Outcome, Running
    from tests.faces.test_http import Answer

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

SERIES = "lab.example.us"
MANY = 130
NEXT = re.compile(r'<([^>]+)>; rel="next"')
LINK = re.compile(r'<a href="([^"]+)"[^>]*>(Newest|Newer|Older)</a>')
SHOWN = re.compile(r"<code>(urn:pdi://[^<]+)</code>")


def fill(directory: Path, size: int = MANY) -> list[str]:
    """Commit documents, one with two versions; return their names in the order of commit."""
    with Repository.create(directory, series=SERIES) as archive:
        made = [
            archive.committer.commit(
                [NewRepresentation(b"%d" % number, "image/png")],
                provenance=Provenance(title=f"Picture {number}"),
            )
            for number in range(size)
        ]
        archive.committer.commit([NewRepresentation(b"again", "image/png")], replaces=made[0].pdi)
    names = [str(one.pdi.document) for one in made]
    return [*names[1:], names[0]]


@pytest.fixture(scope="module")
def shelf(engine: object, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """An archive that nobody changes, and the names in it."""
    assert engine is Repository.engine
    directory = tmp_path_factory.mktemp("paging") / "archive"
    return directory, fill(directory)


@pytest.fixture(scope="module")
def names(shelf: tuple[Path, list[str]]) -> list[str]:
    """The names of its documents, in the order in which their highest versions were committed."""
    return shelf[1]


@pytest.fixture(scope="module")
def server(engine: object, shelf: tuple[Path, list[str]]) -> Iterator[Running]:
    """A server of it."""
    assert engine is Repository.engine
    with served(shelf[0]) as running:
        yield running


def followed(server: Running, target: str, *, accept: str = "*/*") -> Iterator[Answer]:
    """The answers that links to the next page lead through."""
    while True:
        answer = ask(server.base, target, Accept=accept)
        assert answer.status == 200, answer.body
        yield answer
        link = NEXT.fullmatch(answer.headers.get("link", ""))
        if link is None:
            return
        target = urljoin(target, link[1])


def test_the_api_says_what_the_library_says(server: Running, shelf: tuple[Path, list[str]]) -> None:
    with Archive.open(shelf[0]) as archive:
        listing = archive.documents.list(limit=3)
    assert ask(server.base, "/-/api/documents?limit=3").json == plain(listing)


@pytest.mark.parametrize("pattern", ["", f"pattern={SERIES}&"], ids=["all", "pattern"])
def test_the_api_leads_through_all_documents(
    server: Running, names: list[str], pattern: str
) -> None:
    pages = [one.json for one in followed(server, f"/-/api/documents?{pattern}limit=40")]
    assert [len(one["documents"]) for one in pages] == [40, 40, 40, 10]
    assert [one["pdi"] for page in pages for one in page["documents"]] == names
    assert [page["next"] is None for page in pages] == [False, False, False, True]
    assert {page["complete"] for page in pages} == {False}
    assert {page["total"] for page in pages} == {None if pattern else MANY}


def test_a_list_that_is_whole_says_so(server: Running, names: list[str]) -> None:
    (answer,) = followed(server, f"/-/api/documents?pattern={SERIES}&limit=999999")
    assert (answer.json["complete"], answer.json["total"]) == (True, MANY)
    assert [one["pdi"] for one in answer.json["documents"]] == names


SETS = [
    f"/urn:pdi://{SERIES}/*/*/*/*?limit=40",
    f"/uri-res/N2Cs?urn:pdi://{SERIES}/*/*/*/*&limit=40",
]
LINES = [
    f"/urn:pdi://{SERIES}/*/*/*/*?limit=40",
    f"/uri-res/N2Ns?urn:pdi://{SERIES}/*/*/*/*&limit=40",
    f"/uri-res/N2Ls?urn:pdi://{SERIES}/*/*/*/*&limit=129",
]


@pytest.mark.parametrize("target", SETS)
def test_a_set_of_names_is_led_through(server: Running, names: list[str], target: str) -> None:
    pages = [one.json for one in followed(server, target)]
    listed = [name for page in pages for name in page["names"]]
    assert [name.partition(".png.")[0] for name in listed] == names
    assert {page["complete"] for page in pages} == {False}


@pytest.mark.parametrize("target", LINES)
def test_a_set_of_names_is_led_through_line_by_line(
    server: Running, names: list[str], target: str
) -> None:
    answers = list(followed(server, target, accept="text/uri-list"))
    lines = [line for answer in answers for line in answer.body.decode().split()]
    assert [re.sub(r"^http://[^/]+/|\.png\.\d$", "", line) for line in lines] == names
    assert len(answers) > 1


BAD = [
    "/-/api/documents?after=nothing",
    f"/-/api/documents?after=urn:pdi://{SERIES}/1999/01/01/1.png.1",
    f"/-/api/documents?until=urn:pdi://{SERIES}/1999/01/01/1.png.1",
    "/-/api/documents?limit=-1",
    f"/urn:pdi://{SERIES}/*/*/*/*?after=urn:pdi://{SERIES}/1999/01/01/1.png.1",
    f"/uri-res/N2Ns?urn:pdi://{SERIES}/*/*/*/*&after=nothing",
    "/-/api/statements?after=nothing",
    "/?after=nothing",
    "/?before=nothing",
]


@pytest.mark.parametrize("target", BAD)
def test_a_page_behind_nothing_is_a_problem(server: Running, target: str) -> None:
    answer = ask(server.base, target)
    assert (answer.status, answer.json["code"]) == (400, "syntax")
    assert answer.headers["content-type"] == "application/problem+json"


def test_what_is_committed_meanwhile_moves_no_page(tmp_path: Path) -> None:
    expected = fill(tmp_path / "archive", 9)
    with Archive.open(tmp_path / "archive") as archive, served(tmp_path / "archive") as running:
        listed: list[str] = []
        for answer in followed(running, "/-/api/documents?limit=2"):
            listed += [one["pdi"] for one in answer.json["documents"]]
            archive.add(b"new", name="new.txt")
            archive.lists.submissions.put(f"{expected[-2]}.png", b"%d" % len(listed), "image/png")
        assert listed == expected


def test_statements_are_led_through(tmp_path: Path) -> None:
    (name,) = fill(tmp_path / "archive", 1)
    with Archive.open(tmp_path / "archive") as archive:
        for number in range(5):
            archive.annotations.statements.state(f"{name}.png.1", "dcterms:subject", str(number))
    with served(tmp_path / "archive") as running:
        for about in ("", f"&name={name}"):
            answers = list(followed(running, f"/-/api/statements?limit=2{about}"))
            listed = [json.loads(answer.body) for answer in answers]
            assert [[one["object"] for one in page] for page in listed] == [
                ["0", "1"],
                ["2", "3"],
                ["4"],
            ]


def test_the_list_of_a_shell_goes_on_behind_a_name(
    shelf: tuple[Path, list[str]], names: list[str], cli: Cli
) -> None:
    listed: list[str] = []
    words = ["--archive", shelf[0], "list", "--limit", "60"]
    after: list[str] = []
    while True:
        page = json.loads(cli(*words, *after, "--json").out)
        listed += [one["pdi"] for one in page["documents"]]
        if page["next"] is None:
            break
        after = ["--after", page["next"]]
    assert listed == names
    shown = cli(*words, SERIES)
    assert shown.err.startswith("60 shown; there are more: --after urn:pdi://")
    assert cli(*words, "--after", "nothing").status == 2


def home(server: Running, target: str) -> tuple[list[str], dict[str, str]]:
    """The names on a page of the reader's home, and where its links lead."""
    answer = ask(server.base, target, Accept="text/html")
    assert answer.status == 200
    text = answer.body.decode()
    links = {word: unescape(address) for address, word in LINK.findall(text)}
    link = NEXT.fullmatch(answer.headers.get("link", ""))
    assert links.get("Older") == (link and link[1])
    return SHOWN.findall(text), links


@pytest.mark.parametrize("start", ["/", f"/?pattern={SERIES}"])
def test_home_leads_to_older_and_back_to_newer(
    server: Running, names: list[str], start: str
) -> None:
    pages = []
    target = start
    while True:
        shown, links = home(server, target)
        pages.append(shown)
        if "Older" not in links:
            break
        target = links["Older"]
    assert [len(page) for page in pages] == [50, 50, 30]
    assert [name for page in pages for name in page] == names[::-1]
    for page in pages[-2::-1]:
        shown, links = home(server, links["Newer"])
        assert shown == page
    assert "Newer" not in links
    assert home(server, links["Newest"])[0] == pages[0]
    assert "Newest" not in home(server, start)[1]


@pytest.mark.browser
def test_home_is_read_without_scripts(
    browser: Browser, server: Running, names: list[str], tmp_path: Path
) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 800})
    page = context.new_page()
    page.goto(server.base)
    pages = page.get_by_role("navigation", name="Pages of documents")
    assert pages.get_by_role("link").all_inner_texts() == ["Older"]
    pages.get_by_role("link", name="Older").click()
    assert page.locator(".documents li").count() == 50
    assert pages.get_by_role("link").all_inner_texts() == ["Newest", "Newer", "Older"]
    page.screenshot(path=tmp_path / "home.png", full_page=True)
    pages.get_by_role("link", name="Older").click()
    assert page.locator("code").last.inner_text() == names[0]
    context.close()
