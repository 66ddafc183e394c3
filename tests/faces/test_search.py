"""Documents are found again by words, addresses and names; what is closed never is."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from tests.archives import Archive
from tests.faces.conftest import served

from permacite.archive.lookup import VersionLists
from permacite.service.access import Choice
from permacite.service.search import indexing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from playwright.sync_api import Browser
    from tests.faces.conftest import Outcome, Running, Site

    from permacite.archive.repository import Repository
    from permacite.service.search.index import Row

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

TIDES = (
    "<title>Tide tables</title><p>The tide of the twelfth was the <em>high</em>est in a century."
)
TEXTS = {
    "english": "The boats were moored below the quay, and nobody saw the lantern go out.",
    "french": "D\u00e9j\u00e0 la mar\u00e9e montait sur les quais d\u2019\u00c9tretat.",
    "german": "Die Fluten stiegen \u00fcber die Stra\u00dfe hinaus.",
    "greek": "\u0397 θάλασσα είναι ήρεμη.",
    "russian": "Прилив был самым высоким.",
    "arabic": "كان البحر هادئا.",
    "hebrew": "הים היה שקט.",
    "hindi": "समुद्र शांत था।",
    "japanese": "潮は最も高かった。",
    "chinese": "潮水是本世纪最高的。",
    "korean": "바다는 조용했다.",
    "thai": "ทะเลสงบมาก",
}


@pytest.fixture
def library(archive: Path) -> Path:
    """An archive with texts in twelve scripts and languages, and a page."""
    with Archive.open(archive) as held:
        for name, text in TEXTS.items():
            held.add(
                (f"{name}. \r\n" + "filler words here. " * 20 + text).encode(), name=f"{name}.txt"
            )
        held.add(TIDES.encode(), name="tides.html", uri="https://sea.example.org/tides?year=1953")
    return archive


def _found(folder: Path, typed: str, **options: Any) -> list[str]:
    with Archive.open(folder) as held:
        return [hit.words for hit in held.search(typed, **options).hits]


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_any_stretch_of_words_is_found_where_it_stands(library: Path, language: str) -> None:
    text = TEXTS[language]
    spaced = text.split()
    pieces = [" ".join(spaced[at : at + 3]) for at in range(max(1, len(spaced) - 2))]
    if len(spaced) == 1:
        pieces = [text[at : at + 2] for at in range(0, len(text) - 3, 2)]
    with Archive.open(library) as held:
        for piece in pieces:
            hits = held.search(f'"{piece}"').hits
            assert [hit.title for hit in hits] == [f"{language}.txt"], piece
            resolved = held.resolve(hits[0].reference)
            assert resolved.text == piece.strip(".,。।") or piece in (resolved.text or "")


FORMS = [
    # what is typed, the words that are found
    ("BOATS lantern", ["boats were moored below the quay, and nobody saw the lantern"]),
    ("deja MAREE", ["D\u00e9j\u00e0 la mar\u00e9e"]),
    ("strasse", ["Stra\u00dfe"]),
    ("θαλασσα", ["θάλασσα"]),
    ("boat", []),
    ("boat*", ["boats"]),
    ('"boats below"', []),
    ("boats -lantern", []),
    ("the tide of the twelfth", ["The tide of the twelfth"]),
    ("highest century", ["highest in a century"]),
    ("sea.example.org", [""]),
    ("1953 tide", ["tide"]),
]


@pytest.mark.parametrize(("typed", "words"), FORMS)
def test_words_are_found_in_any_case_and_with_accents_or_without(
    library: Path, typed: str, words: list[str]
) -> None:
    assert _found(library, typed)[: len(words) or 1] == words


def test_finds_are_narrowed_down(library: Path, cli: Cli) -> None:
    assert len(_found(library, "filler")) == 12
    assert _found(library, "tide", site="example.org") == ["tide"]
    assert _found(library, "tide", site="ample.org") == []
    assert _found(library, "filler", media_type="text/html") == []
    assert len(_found(library, "filler", media_type="text/", limit=5)) == 5
    assert len(_found(library, "filler", limit=5, offset=10)) == 2
    assert _found(library, "tide", cited=True) == []
    with Archive.open(library) as held:
        name = held.search("tide").hits[0].pdi
        held.cite(name, quote="twelfth")
        assert [hit.words for hit in held.search("tide", cited=True).hits] == ["tide"]
    said = cli("search", "tide", "--since", "2020", "--until", "2021")
    assert (said.status, "nothing found" in said.err) == (1, True)


def test_of_a_document_the_newest_version_is_found(archive: Path, site: Site) -> None:
    with Archive.open(archive) as held:
        for words in ("old words about boats", "new words about boats"):
            held.save(site.put("/", "text/html", f"<title>t</title>{words}"), allow_private=True)
        assert [hit.pdi[-1] for hit in held.search("boats").hits] == ["2"]
        assert held.search("old").hits == ()
        every = held.search("boats", every_version=True, newest=True).hits
        assert [hit.words for hit in every] == ["boats", "boats"]


TAKEN = [
    # what is typed, what it is taken for, the end of what it leads to
    ("https://sea.example.org/tides?year=1953", "address", ".html.1"),
    ("sea.example.org/tides?year=1953", "address", ".html.1"),
    ("https://sea.example.org/tides?year=1953#:~:text=twelfth", "address", "#char=16,23"),
    ("https://elsewhere.example/", "address", None),
    ("urn:pdi://lab.example.us/2020/01/01/1", "name", None),
    ("lab.example.us/2026", "pattern", "lab.example.us/2026"),
    ("urn:pdi://lab.example.us/*/*/*/*.html.1", "pattern", "*.html.1"),
    ("tide", "words", None),
    ('"tide of the"', "passage", None),
]


@pytest.mark.parametrize(("typed", "taken", "leads"), TAKEN)
def test_the_box_says_what_it_took_something_for(
    library: Path, typed: str, taken: str, leads: str | None
) -> None:
    with Archive.open(library) as held:
        results = held.search(typed)
    assert results.taken_for == taken
    assert leads is None or (results.goes_to or "").endswith(leads)
    if taken in {"address", "name"}:
        assert len(results.hits) == bool(leads)


def test_what_is_closed_withdrawn_or_erased_is_never_found(library: Path) -> None:
    def words() -> list[str]:
        return _found(library, "lantern")

    assert words() == ["lantern"]
    with Archive.open(library) as held:
        name = held.search("lantern").hits[0].pdi
        held.access.standing(name, Choice(access="closed", ground="consent"))
        assert held.search("lantern").hits == ()
    assert words() == []
    with Archive.open(library) as held:
        held.access.standing(name, Choice(access="public"))
        assert [hit.words for hit in held.search("lantern").hits] == ["lantern"]
        held.access.withdraw(name, reason="copyright")
        assert held.search("lantern").hits == ()
        held.access.reinstate(name)
        assert len(held.search("lantern").hits) == 1
        held.access.erase(name, ground="data-protection")
        assert held.search("lantern").hits == ()
        assert held.search("quay moored").hits == ()
        assert len(held.search("filler").hits) == 11
    for file in library.glob("search.sqlite*"):
        assert b"lantern" not in file.read_bytes()


def test_a_version_that_is_open_again_is_found_beside_the_others(library: Path) -> None:
    with Archive.open(library) as held:
        first = held.search("lantern").hits[0].pdi
        held.access.withdraw(first, reason="copyright")
        held.lists.submissions.put(first, b"The beacon went out.", "text/plain")
        assert len(held.search("beacon").hits) == 1
        held.access.reinstate(first)
        assert len(held.search("lantern", every_version=True).hits) == 1
        assert len(held.search("beacon").hits) == 1


def test_a_commit_has_only_what_is_new_looked_at(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[tuple[str, int]] = []
    asked = indexing.rows_of

    def rows_of(repository: Repository, wanted: Iterable[tuple[str, int]]) -> list[Row]:
        looked.extend(named := list(wanted))
        return asked(repository, named)

    with Archive.open(library) as held:
        assert held.search("filler").hits
        monkeypatch.setattr(indexing, "rows_of", rows_of)
        monkeypatch.delattr(VersionLists, "list")
        held.add(b"one more lantern", name="more.txt")
        for _ in range(2):
            assert len(held.search("lantern").hits) == 2
    assert len(looked) == 1


def test_an_index_that_is_damaged_or_missing_is_made_anew(library: Path) -> None:
    assert _found(library, "lantern") == ["lantern"]
    file = library / "search.sqlite"
    for damage in (b"", b"no database at all" * 100, file.read_bytes()[:9000]):
        for each in library.glob("search.sqlite*"):
            each.unlink()
        file.write_bytes(damage)
        assert _found(library, "lantern") == ["lantern"]
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 99")
    assert _found(library, "lantern") == ["lantern"]
    (library / "search.sqlite").unlink()
    assert _found(library, "lantern") == ["lantern"]


def test_the_index_is_no_part_of_the_archive(library: Path, tmp_path: Path) -> None:
    with Archive.open(library) as held:
        assert held.search("lantern").hits
        assert held.copies.fsck().findings == ()
        held.copies.backup(tmp_path / "copy")
    assert not list((tmp_path / "copy").glob("search*"))


def test_two_that_index_at_once_index_each_once(library: Path) -> None:
    with Archive.open(library) as one, Archive.open(library) as other:
        assert one.search("filler", most_s=0).entries == 13
        assert other.documents.word_index.update() == 13
        assert one.documents.word_index.update() == 13
        one.add(b"one more lantern", name="more.txt")
        assert len(other.search("lantern").hits) == 2
        assert len(one.search("lantern").hits) == 2


@pytest.mark.usefixtures("library")
def test_search_on_the_command_line(cli: Cli) -> None:
    done = cli("search", "nobody saw", "lantern")
    assert done.status == 0
    reference, about, words = done.out.splitlines()
    assert re.fullmatch(r"urn:pdi://lab\.example\.us/.*\.us-ascii\.1#char=\d+,\d+", reference) or (
        "#char=" in reference
    )
    assert about.startswith("  english.txt \u00b7 20")
    assert "nobody saw the lantern" in words
    assert "taken for words" in done.err
    told = json.loads(cli("search", "https://a.example/x", "--json").out)
    assert (told["taken_for"], told["sought"]) == ("address", "https://a.example/x")
    assert (
        "permacite save https://a.example/x archives it" in cli("search", "https://a.example/x").err
    )
    bad = cli("search", "--", "-boat")
    assert (bad.status, "expected words to look for" in bad.err) == (2, True)
    assert "permacite list lab.example.us/2026" in cli("search", "lab.example.us/2026").err


def _get(running: Running, path: str, **headers: str) -> tuple[int, str]:
    request = urllib.request.Request(  # noqa: S310 - loopback
        running.base + path,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )
    try:
        with urllib.request.urlopen(request) as answer:  # noqa: S310 - loopback
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


@pytest.mark.usefixtures("library")
def test_search_over_http(running: Running) -> None:
    status, body = _get(running, "/-/api/search?q=lantern")
    (hit,) = json.loads(body)["hits"]
    assert (status, hit["words"]) == (200, "lantern")
    assert _get(running, f"/{hit['reference'].replace('#', '%23')}")[0] == 200
    assert _get(running, "/-/api/search?q=-x")[0] == 400
    assert _get(running, "/-/api/search?q=x&since=soon")[0] == 400
    assert _get(running, "/-/api/search?q=x&offset=99999")[0] in {400, 413}
    tides = "https://sea.example.org/tides?year=1953"
    calendar = f"/-/calendar?to={quote(tides, safe='')}"
    assert calendar in _get(running, f"/-/search?q={quote(tides)}")[1], "its other versions"
    for path in ("/-/api/search?q=lantern", "/-/search?q=lantern"):
        other = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Dest": "image"}
        assert _get(running, path, **other)[0] == 403
    status, body = _get(running, "/-/search?q=%22%3Cscript%3Ealert(1)%3C/script%3E")
    assert (status, "<script>alert" in body) == (200, False)
    assert _get(running, f"/-/search?q={quote('x' * 5000)}")[0] == 200


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_box_in_a_browser(library: Path, browser: Browser, scheme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    width = 1200 if scheme == "light" else 380
    with served(library) as running:
        page = browser.new_page(
            color_scheme="dark" if scheme == "dark" else "light",
            viewport={"width": width, "height": 800},
        )
        try:
            page.goto(running.base)
            page.get_by_label("Words, a web address, or a name").fill("nobody saw the lantern")
            page.keyboard.press("Enter")
            assert page.get_by_role("status").inner_text().startswith("Taken for a passage")
            assert page.locator("mark").inner_text() == "nobody saw the lantern"
            page.wait_for_load_state()  # the style sheet too
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            assert Axe().run(page).violations_count == 0
            page.get_by_role("link", name="english.txt").click()
            page.wait_for_selector("text=nobody saw the lantern")
            assert "char=" in page.url
            page.goto(f"{running.base}/-/search?q=filler&limit=5")
            page.get_by_text("Narrow down").click()
            page.get_by_label("Type").select_option("text/html")
            page.get_by_role("button", name="Find").click()
            assert page.get_by_text("Nothing found.").is_visible()
            page.get_by_label("Words, a web address, or a name").fill("https://new.example/x")
            page.keyboard.press("Enter")
            page.get_by_role("link", name="https://new.example/x").click()
            assert "/-/follow" in page.url
        finally:
            page.close()
