"""What has no words is told in every form: none is empty, and each survives its own syntax."""

from __future__ import annotations

import html.parser
import json
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import mwparserfromhell
import pytest
import rispy
from markdown_it import MarkdownIt
from pybtex.database import parse_string
from tests.faces.nasty import TEXTS

from permacite.service.citations.recorded import CitationForms
from permacite.service.citations.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable

ANNO = Path(__file__).parents[1] / "golden/annotation/anno.jsonld"
DAY = "urn:pdi://lab.example.us/2026/11/21/"
MEDIA = "http://www.w3.org/TR/media-frags/"

PARTS = [
    # format and fragment, media type of what is cut out, the part in words, exact selectors of
    # others
    ("utf-8.1#char=5,6", "text/plain", "character 5", [("start", 5), ("exact", " ")]),
    ("html.1#elt=3,4", "text/html", "elements 3-4", []),
    ("html.1#name=in%20short,end", "text/html", "elements in short to end", []),
    ("jpeg.1#rect=(5,10),(25,40)", "image/png", "rectangle from 5,10 to 25,40",
     [("value", "xywh=5,10,20,30")]),
    ("jpeg.1#(5,10),(25,40),0", "image/png", "frame 0, rectangle from 5,10 to 25,40",
     [("value", "xywh=5,10,20,30")]),
    ("gif.1#rect=(5,10),(25,40),2", "image/png", "frame 2, rectangle from 5,10 to 25,40", []),
    ("gif.1#rect=(5,10),(25,40)", "image/png", "rectangle from 5,10 to 25,40", []),
    ("tiff.1#rect=(0,0),(2,2)", "image/tiff", "rectangle from 0,0 to 2,2", []),
    ("mp4.1#rect=(0,0),(2,2),31", "video/matroska", "frame 31, rectangle from 0,0 to 2,2", []),
    ("audio+mpeg.1#sec=12,31", "audio/wav", "0:12-0:31", [("value", "t=12,31")]),
    ("audio+mpeg.1#msec=12500,3723000", "audio/wav", "0:12.5-1:02:03", [("value", "t=12.5,3723")]),
    ("mp4.1#12,31", "video/matroska", "0:12-0:31", [("value", "t=12,31")]),
    ("mp4.1#crop=sec,12,31,(5,10),(25,40)", "video/matroska",
     "0:12-0:31, rectangle from 5,10 to 25,40", [("value", "t=12,31&xywh=5,10,20,30")]),
    ("pdf.1#byte=5,10", "application/octet-stream", "bytes 5-9", [("start", 5), ("end", 10)]),
]  # fmt: skip


def source(fragment: str, media_type: str, title: str = "Tides") -> Source:
    """Return a part without words of a document with this title."""
    name, _, specifier = fragment.partition("#")
    return Source(
        reference=f"{DAY}7.{fragment}",
        url=f"https://archive.example.org/{DAY}7.{name}?fragment={specifier}",
        quote=" " if "char=" in fragment else "",
        title=title,
        uri="https://example.org/a_b?x=1&y=%20",
        retrieved_at=datetime(2026, 11, 21, tzinfo=UTC),
        archive="lab.example.us",
        media_type=media_type,
    )


class Shown(html.parser.HTMLParser):
    """What a browser would show of HTML: its text, its pictures by their alternative text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words = ""
        self.pictures: list[tuple[str | None, str | None]] = []
        self.feed(text)
        self.close()

    def handle_data(self, data: str) -> None:
        """Take a text."""
        self.words += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a start tag."""
        found = dict(attrs)
        if tag == "img":
            self.pictures.append((found["src"], found["alt"]))


def squeezed(text: str | None) -> str:
    """Return text with white space made alike."""
    return " ".join((text or "").split())


CASES = [
    (source(fragment, kind, title), part)
    for (fragment, kind, part, _), title in product(PARTS, ["Tides", *TEXTS[::3]])
]


@pytest.fixture(scope="module")
def made_forms() -> list[CitationForms]:
    """The forms of every case."""
    return [CitationForms(each) for each, _ in CASES]


def test_every_part_is_told_by_every_form(made_forms: list[CitationForms]) -> None:
    for (each, part), made in zip(CASES, made_forms, strict=True):
        assert each.told == squeezed(f"{part} of {each.title}")
        assert made.sentence.lower().startswith(f"{part} \u2014 ".lower())
        for form in (made.bibtex, made.wiki, made.ris, made.csl_json, made.annotation):
            assert form.strip()


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_a_picture_is_a_thumbnail_with_its_words(
    form: str, made_forms: list[CitationForms]
) -> None:
    for (each, part), made in zip(CASES, made_forms, strict=True):
        text: str = getattr(made, form)
        shown = Shown(MarkdownIt("commonmark").render(text) if form == "markdown" else text)
        before, _, _ = shown.words.partition("\u2014")
        if each.media_type == "image/png":
            ((src, alt),) = shown.pictures
            assert (src, squeezed(alt)) == (each.url, each.told)
            assert not before.strip()
        else:
            assert not shown.pictures
            assert squeezed(before) == part


def test_bibtex_and_ris_and_csl_are_read_back(
    made_forms: list[CitationForms], times: Callable[[int, int], int]
) -> None:
    assert len({each.key for each, _ in CASES[:: len(CASES) // len(PARTS)]}) == len(PARTS)
    pairs = list(zip(CASES, made_forms, strict=True))
    for (each, part), made in pairs[:: times(5, 1)]:
        (entry,) = parse_string(made.bibtex, "bibtex").entries.values()
        assert entry.fields["titleaddon"].replace(r"\%", "%") == part
        assert entry.fields["annotation"].startswith(part)
        (record,) = rispy.loads(made.ris)
        assert record["notes"] == [each.told]
        assert json.loads(made.csl_json)[0]["note"] == each.told


def test_the_wiki_template_says_where(made_forms: list[CitationForms]) -> None:
    for (each, part), made in zip(CASES, made_forms, strict=True):
        (template,) = mwparserfromhell.parse(made.wiki).filter_templates()
        assert not template.has("quote")
        assert squeezed(template.get("at").value.strip_code(normalize=True)) == part
        assert squeezed(template.get("title").value.strip_code(normalize=True)) == squeezed(
            each.title
        )


@pytest.mark.parametrize(("fragment", "kind", "part", "exact"), PARTS)
def test_an_annotation_selects_exactly_the_part(
    fragment: str, kind: str, part: str, exact: list[tuple[str, object]]
) -> None:
    del part
    each = source(fragment, kind)
    made = json.loads(CitationForms(each).annotation)
    assert made == json.loads(CitationForms(each).annotation)
    assert made["target"]["id"] == each.reference
    assert made["target"]["source"]["id"] == each.url.partition("?")[0]
    own, *others = made["target"]["selector"]
    assert own["value"] == fragment.partition("#")[2]
    assert [(name, value) for other in others for name, value in other.items()
            if (name, value) in exact] == exact  # fmt: skip
    assert bool(others) == bool(exact)
    assert all(other.get("conformsTo", MEDIA) == MEDIA for other in others)


def test_an_annotation_speaks_the_words_of_its_context() -> None:
    terms = json.loads(ANNO.read_text())["@context"]

    def check(value: object) -> None:
        if isinstance(value, list):
            for item in value:
                check(item)
        if isinstance(value, dict):
            for name, inner in value.items():
                assert name.partition(":")[0] in terms or name == "@context"
                if name == "type":
                    assert inner in terms
                check(inner)

    for fragment, kind, _, _ in PARTS:
        made = json.loads(CitationForms(source(fragment, kind)).annotation)
        assert made["@context"] == "http://www.w3.org/ns/anno.jsonld"
        assert made["motivation"] in terms
        check(made)
        missing = {"start", "end"} - terms.keys()
        assert not missing
