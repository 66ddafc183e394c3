"""Every form of a citation is read back by programs of others, whatever it holds.

Libraries are asked here; biber, pdflatex and pandoc in tests/outside/test_forms.py.
"""

from __future__ import annotations

import html.parser
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import mwparserfromhell
import pytest
import rispy
from markdown_it import MarkdownIt
from pybtex.database import parse_string

from permacite.bibliography import Date, Person, Place, Reference, Stated
from permacite.service.citations.recorded import CitationForms
from permacite.service.citations.source import Source
from permacite.service.citations.writing.csl import COMMON, styled

from .nasty import ADDRESSES, TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable

PLACE = Place("JSON-LD", "Article")
NAME = "urn:pdi://lab.example.us/2026/11/21"


def source(number: int, title: str, uri: str = "https://example.org/") -> Source:
    """A source whose title, words, site and second author are the same text."""
    about = Reference(
        title=Stated(title, PLACE),
        authors=(Stated(Person("Lee", "Ann"), PLACE), Stated(Person(title), PLACE)),
        issued=Stated(Date(2020, 3, 4), PLACE),
        site=Stated(title, PLACE),
    )
    document = f"{NAME}/{number}.utf-8.1"
    return Source(
        reference=f"{document}#char=1024,1039",
        url=f"https://archive.example.org/{document}?fragment=char=1024,1039",
        quote=title,
        title=title,
        uri=uri,
        retrieved_at=datetime(2026, 11, 21, tzinfo=UTC),
        archive="lab.example.us",
        about=about,
    )


SOURCES = [source(number, text) for number, text in enumerate(TEXTS)] + [
    source(number, "Tides", address) for number, address in enumerate(ADDRESSES, len(TEXTS))
]


@pytest.fixture(scope="module")
def made_forms() -> list[CitationForms]:
    """The forms of every source."""
    return [CitationForms(each) for each in SOURCES]


def squeezed(text: str) -> str:
    return " ".join(text.split())


class Shown(html.parser.HTMLParser):
    """What a browser would show of HTML, and its tags."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words = ""
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_data(self, data: str) -> None:
        """Take a text."""
        self.words += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a start tag."""
        self.tags.append((tag, dict(attrs)))

    def links(self) -> list[dict[str, str | None]]:
        """The attributes of links."""
        return [attributes for tag, attributes in self.tags if tag == "a"]


def test_there_are_enough_of_them() -> None:
    assert len(SOURCES) >= 330


def test_markdown_is_read_by_markdown_it(made_forms: list[CitationForms]) -> None:
    for each, made in zip(SOURCES, made_forms, strict=True):
        shown = Shown(MarkdownIt("commonmark").render(made.markdown))
        quoted, _, credit = shown.words.partition("\u2014")
        title = squeezed(each.title)
        assert squeezed(quoted) == (each.words or each.part)
        assert squeezed(credit).startswith(squeezed(f"Ann Lee and {title}, {title}"))
        assert {tag for tag, _ in shown.tags} == {"blockquote", "p", "a", "code"}
        assert len(shown.links()) == 2


def test_html_is_a_robust_link(made_forms: list[CitationForms]) -> None:
    for each, made in zip(SOURCES, made_forms, strict=True):
        link = Shown(made.html).links()[0]
        assert link == {
            "href": each.url,
            "data-originalurl": each.uri,
            "data-versionurl": each.url,
            "data-versiondate": "2026-11-21",
        }


def test_ris_is_read_by_rispy(made_forms: list[CitationForms]) -> None:
    read = rispy.loads("\n".join(made.ris for made in made_forms))
    for each, record in zip(SOURCES, read, strict=True):
        assert squeezed(record.get("title", "")) == squeezed(each.title)
        assert record["date"] == "2020/03/04/"


def test_csl_json_is_read(made_forms: list[CitationForms]) -> None:
    for each, made in zip(SOURCES, made_forms, strict=True):
        (item,) = json.loads(made.csl_json)
        assert item["title"] == each.title
        assert item["issued"] == {"date-parts": [[2020, 3, 4]]}


def test_bibtex_is_read_by_pybtex_and_no_entry_is_lost(
    made_forms: list[CitationForms],
) -> None:
    read = parse_string("\n".join(made.bibtex for made in made_forms), "bibtex")
    assert len(read.entries) == len(SOURCES)
    for each in SOURCES:
        fields = read.entries[each.key].fields
        assert fields["eprint"] == each.reference
        assert fields["url"] == each.url


def test_the_wiki_template_is_read_by_mwparserfromhell(made_forms: list[CitationForms]) -> None:
    for each, made in zip(SOURCES, made_forms, strict=True):
        code = mwparserfromhell.parse(made.wiki)
        (template,) = code.filter_templates()
        assert not code.filter_wikilinks()
        assert not code.filter_tags()
        said = ("quote", each.words) if each.words else ("at", each.part)
        for name, expected in [("title", each.title), said]:
            shown = template.get(name).value.strip_code(normalize=True)
            assert squeezed(shown) == squeezed(expected)


def test_styles_print_every_title(times: Callable[[int, int], int]) -> None:
    for each in SOURCES[:: times(37, 1)]:
        for style in COMMON:
            printed = styled(each, style, is_public=True)
            assert each.reference in printed
            words = [word for word in each.title.split() if word.isalpha() and word.isascii()]
            assert all(word.lower() in printed.lower() for word in words)
