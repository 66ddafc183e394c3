"""What a document says of itself: told by every face, corrected by statements, printed."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING
from urllib.request import Request, urlopen

import pytest
from tests.archives import Archive, command_on

from permacite.errors import NotFoundError
from permacite.service.archive import public_view
from permacite.service.reader.links import live_address

from .conftest import served

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.engines(deep=True)

PAGE = b"""<!doctype html><html lang="en"><meta charset="utf-8">
<title>The harbour is closed - The Herald</title><meta property="og:site_name" content="The Herald">
<script type="application/ld+json">{"@type":"NewsArticle","headline":"The harbour is closed",
"datePublished":"2021-02-03T23:30:00-05:00","author":[{"@type":"Person","name":"Ann Lee"}]}</script>
<p>The harbour is closed until noon.</p>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An archive of one page."""
    with Archive.create(tmp_path / "archive", series="lab.example.us") as archive:
        archive.add(PAGE, name="page.html")
    return tmp_path / "archive"


@pytest.fixture
def name(folder: Path) -> str:
    """The page's full name."""
    with Archive.open(folder) as archive:
        (document,) = archive.documents.list().documents
        return document.formats[0].pdi


def details(archive: Archive, name: str) -> dict[str, tuple[str, str]]:
    return {
        each.field: (each.value, each.stated)
        for each in archive.citations.references.describe(name).details
    }


def test_a_citation_tells_author_and_date(folder: Path, name: str) -> None:
    with Archive.open(folder) as archive:
        forms = archive.cite(name, quote="closed until noon").forms
    (item,) = json.loads(forms.csl_json)
    assert item["author"] == [{"family": "Lee", "given": "Ann"}]
    assert item["issued"] == {"date-parts": [[2021, 2, 3]]}
    assert item["type"] == "article-newspaper"
    assert "author = {Lee, Ann}" in forms.bibtex
    assert "date = {2021-02-03}" in forms.bibtex
    assert forms.wiki.startswith(
        "{{cite news |title=The harbour is closed |last1=Lee |first1=Ann |"
    )
    assert "Ann Lee, \u201cThe harbour is closed\u201d, The Herald, 2021-02-03" in forms.sentence


def test_no_form_takes_the_day_of_saving_for_the_year(tmp_path: Path) -> None:
    with Archive.create(tmp_path / "archive", series="lab.example.us") as archive:
        added = archive.add(b"<title>Tides</title><p>Ebb and flow.</p>", name="page.html")
        forms = archive.cite(added.pdi, quote="Ebb and flow").forms
    assert "issued" not in json.loads(forms.csl_json)[0]
    assert "year" not in forms.bibtex
    assert "\n  date = " not in forms.bibtex
    assert "\nPY  - " not in forms.ris


def test_each_value_says_where_it_is_stated(folder: Path, name: str) -> None:
    with Archive.open(folder) as archive:
        told = details(archive, name)
    assert told["author"] == ("Lee, Ann", "JSON-LD: NewsArticle.author")
    assert told["site"] == ("The Herald", "Open Graph: og:site_name")


def test_a_statement_corrects_it_and_a_later_one_that(folder: Path, name: str) -> None:
    with Archive.open(folder) as archive:
        document = archive.documents.show(name).document.pdi
        archive.annotations.statements.state(document, "creator", "Bo Ek", who="librarian")
        archive.annotations.statements.state(
            document, "dcterms:creator", "Ek, Bo; Fox, Cy", who="librarian"
        )
        told = archive.citations.references.describe(name)
    authors = [each.value for each in told.details if each.field == "author"]
    assert authors == ["Ek, Bo", "Fox, Cy"]
    assert "librarian" in told.details[0].stated


def test_what_is_withdrawn_is_not_told_of(folder: Path, name: str) -> None:
    with Archive.open(folder) as archive:
        archive.access.withdraw(name, reason="own-error")
        told = details(public_view(archive), name)
    assert told == {}


def test_a_style_prints_it(folder: Path, name: str) -> None:
    with Archive.open(folder) as archive:
        printed = archive.citations.references.styled(name, "APA")
        assert printed.startswith("Lee, A. (2021, February 3). The harbour is closed. The Herald.")
        assert name in printed
        with pytest.raises(NotFoundError, match="no such style") as refused:
            archive.citations.references.styled(name, "chicago-author")
        assert "chicago-author-date" in refused.value.details()["candidates"]  # type: ignore[operator]
        with pytest.raises(NotFoundError):
            archive.citations.references.styled(name, "../../etc/passwd")


def test_the_command_tells_it(folder: Path, name: str) -> None:
    def run(*words: str) -> str:
        command = command_on(folder, *words)
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    told = run("reference", name)
    assert "article-newspaper" in told
    assert "JSON-LD: NewsArticle.author" in told
    printed = run("reference", name, "--style", "mla")
    assert printed.startswith(
        "Lee, Ann. \u201cThe Harbour Is Closed\u201d. The Herald, 3 Feb. 2021"
    )
    as_json = json.loads(run("reference", name, "--json"))
    assert as_json["details"][0] == {
        "field": "author", "value": "Lee, Ann", "stated": "JSON-LD: NewsArticle.author",
    }  # fmt: skip


def test_the_page_of_a_citation_shows_formatted_references_first(folder: Path, name: str) -> None:
    with Archive.open(folder) as archive:
        cited = archive.cite(name, quote="closed until noon")
    with served(folder) as running:
        address = cited.reference.replace("#", "?fragment=")
        wanted = Request(f"{running.base}/{address}", headers={"Accept": "text/html"})  # noqa: S310 - our server
        with urlopen(wanted, timeout=60) as answer:  # noqa: S310 - the same
            page, links = answer.read().decode(), answer.headers["Link"]
    shown = re.findall(r"<summary>([^<]+)</summary>", page)
    assert shown[:4] == ["What this shows, and what not", "Chicago", "APA", "MLA"]
    assert "These words stood on" in page
    assert '<meta name="citation_author" content="Lee, Ann">' in page
    assert '<meta name="citation_publication_date" content="2021-02-03">' in page
    assert f'<{cited.reference}>; rel="cite-as"' in links
    assert f'</{name}>; rel="item"; type="text/html"' in links


def test_what_a_page_states_is_not_kept_from_a_gate(folder: Path, name: str) -> None:
    """What was read before a withdrawal is not told after it."""
    with Archive.open(folder) as archive:
        assert archive.citations.references.describe(name).details
        archive.access.withdraw(name, reason="own-error")
        assert not public_view(archive).citations.references.describe(name).details


def test_the_page_of_a_citation_says_first_what_it_claims(tmp_path: Path) -> None:
    """The live page is linked at the words; what that shows and what not is said in plain words."""
    with Archive.create(tmp_path / "archive", series="lab.example.us") as archive:
        added = archive.add(PAGE, name="page.html", uri="https://herald.example/a#top")
        reading = archive.documents.reader.read(
            archive.cite(added.pdi, quote="closed until noon").reference
        )
    assert reading.live == "https://herald.example/a#top:~:text=closed%20until%20noon"


@pytest.mark.parametrize(
    ("quote", "directive"),
    [
        ("one-two, three & four", "one%2Dtwo%2C%20three%20%26%20four"),
        (" ".join("abcdefghijklm"), "a%20b%20c%20d%20e,i%20j%20k%20l%20m"),
        ("\u05e9\u05dc\u05d5\u05dd", "%D7%A9%D7%9C%D7%95%D7%9D"),
        ("100%#", "100%25%23"),
    ],
)
def test_text_directives(quote: str, directive: str) -> None:
    assert live_address("http://a.example/b", quote) == f"http://a.example/b#:~:text={directive}"


def test_no_live_address_of_what_is_no_page_of_the_web() -> None:
    assert live_address(None, "words") is None
    assert live_address("javascript:alert(1)", "words") is None
    assert live_address("https://a.example/b", " ") == "https://a.example/b"


def test_a_file_without_authors_goes_under_its_title_once(folder: Path) -> None:
    with Archive.open(folder) as archive:
        added = archive.add(b"Ebb and flow.", name="tides.txt")
        for style in ("Chicago", "Chicago, notes", "APA", "MLA", "Harvard", "IEEE"):
            printed = archive.citations.references.styled(added.pdi, style)
            assert printed.count("tides.txt") == 1
            assert "127.0.0.1" not in printed  # which nobody else could open
