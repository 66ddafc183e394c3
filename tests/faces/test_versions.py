"""What became of a cited passage in the other versions of its document, told by every face."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from tests.archives import Archive
from tests.faces.test_http import ask

from permacite.errors import ParseError
from permacite.service.archive import public_view

from .conftest import served

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from permacite.service.drift.versions import InVersion, Through

    from .conftest import Outcome, Site

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

PARAGRAPHS = (
    "The port authority runs the harbour and its two docks.",
    "The harbour is closed from noon until six on Mondays.",
    "Pilots are to be asked for a day before, by telephone.",
)
WORDS = "The harbour is closed from noon until six on Mondays."
WORDINGS = {
    # what the page says in a later version, and what became of the words
    "verified": (*PARAGRAPHS, "A new quay is being built."),
    "moved": ("All times are those of the port.", *PARAGRAPHS),
    "changed": (
        PARAGRAPHS[0],
        "The harbour is not closed from noon until seven on Mondays.",
        PARAGRAPHS[2],
    ),
    "gone": (PARAGRAPHS[0], PARAGRAPHS[2]),
}


def page(paragraphs: tuple[str, ...], language: str = "en") -> str:
    """Return a page of some paragraphs."""
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return f'<!doctype html><html lang="{language}"><title>The port</title>{body}'


@pytest.fixture
def folder(tmp_path: Path, site: Site) -> Path:
    """An archive of five versions of one page, the first of which is cited."""
    with Archive.create(tmp_path / "kept", series="lab.example.us") as archive:
        for wording in (PARAGRAPHS, *WORDINGS.values()):
            address = site.put("/port", "text/html", page(wording))
            archive.save(address, allow_private=True)
        archive.cite(_name(archive, 1), quote=WORDS)
    return tmp_path / "kept"


def _name(archive: Archive, version: int) -> str:
    (document,) = archive.documents.list().documents
    series, _, rest = document.pdi.partition("//")
    return f"{series}//{rest}.utf-8.{version}"


def _cited(archive: Archive) -> str:
    (citation,) = archive.documents.show(_name(archive, 1)).citations
    return citation.reference


def _through(folder: Path) -> Through:
    with Archive.open(folder) as archive:
        return archive.drift.versions(_cited(archive))


def _only(through: Through, number: int) -> InVersion:
    (version,) = (item for item in through.versions if item.number == number)
    return version


def test_each_later_version_says_what_became_of_the_words(folder: Path) -> None:
    through = _through(folder)
    assert [item.status for item in through.versions] == list(WORDINGS)
    assert through.told == WORDS


def test_every_new_wording_is_cited_by_its_own_name(folder: Path) -> None:
    with Archive.open(folder) as archive:
        through = archive.drift.versions(_cited(archive))
        for item in through.versions[:3]:
            assert item.reference is not None
            assert item.drift is not None
            assert archive.resolve(item.reference).text == item.drift.now
    assert through.versions[3].reference is None


def test_a_change_is_told_word_by_word_and_what_matters_first(folder: Path) -> None:
    changed = _only(_through(folder), 4)
    assert changed.drift is not None
    assert [(piece.kind, piece.words) for piece in changed.difference] == [
        ("same", "The harbour is "),
        ("added", "not "),
        ("same", "closed from noon until "),
        ("removed", "six "),
        ("added", "seven "),
        ("same", "on Mondays."),
    ]
    assert [change.kind for change in changed.drift.changes] == ["negation", "number"]


def test_from_a_later_version_the_earlier_ones_are_told(folder: Path) -> None:
    with Archive.open(folder) as archive:
        later = archive.cite(_name(archive, 4), quote="not closed from noon until seven")
        through = archive.drift.versions(later.reference)
    assert [item.number for item in through.versions] == [5, 3, 2, 1]
    assert _only(through, 1).status == "changed"


def test_what_is_withdrawn_tells_nothing_of_the_words(folder: Path) -> None:
    with Archive.open(folder) as archive:
        for item in archive.documents.show(_name(archive, 4)).document.formats:
            archive.access.withdraw(item.pdi, reason="copyright")
        for each in archive, public_view(archive):
            told = _only(each.drift.versions(_cited(archive)), 4)
            assert (told.drift, told.reference, told.difference) == (None, None, ())
            assert told.status == "withdrawn"


def test_pages_hold_all_versions_once(folder: Path) -> None:
    numbers: list[int] = []
    with Archive.open(folder) as archive:
        after = None
        while True:
            through = archive.drift.versions(_cited(archive), limit=3, after=after)
            numbers += [item.number for item in through.versions]
            after = through.next
            if after is None:
                break
        assert numbers == [2, 3, 4, 5]
        with pytest.raises(ParseError, match="another version"):
            archive.drift.versions(_cited(archive), after=1)
        with pytest.raises(ParseError, match="part of a document"):
            archive.drift.versions(_name(archive, 1))


def test_long_texts_are_left_where_so_asked(folder: Path) -> None:
    with Archive.open(folder) as archive:
        through = archive.drift.versions(_cited(archive), longest=100)
    assert {item.status for item in through.versions} == {"unchecked"}
    assert "too long" in (through.versions[0].drift.trouble if through.versions[0].drift else "")


def test_a_part_of_the_page_itself_is_followed_too(folder: Path) -> None:
    with Archive.open(folder) as archive:
        cited = archive.cite(_name(archive, 1).replace("utf-8", "html"), elt="3,3")
        through = archive.drift.versions(cited.reference)
    assert WORDS in cited.quote
    assert [item.status for item in through.versions] == list(WORDINGS)


def test_the_command_and_the_route_tell_the_same(folder: Path, cli: Cli) -> None:
    with Archive.open(folder) as archive:
        reference = _cited(archive)
    by_command = json.loads(cli("--archive", folder, "versions", reference, "--json").out)
    with served(folder) as running:
        route = f"/-/api/versions?name={quote(reference, safe='')}"
        by_route = json.loads(ask(running.base, route).body)
        first = ask(running.base, f"{route}&limit=2")
    assert by_command == by_route
    assert by_route["versions"][2]["difference"][1] == {"kind": "added", "words": "not "}
    assert 'rel="next"' in first.headers["link"]
    told = cli("--archive", folder, "versions", reference).out
    assert "negation: nothing -> not" in told
