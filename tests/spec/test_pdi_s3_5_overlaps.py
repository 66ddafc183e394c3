"""Passages of one version that share something, named in one format or in two (PDI §3.5.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.engines import Repository

from permacite import pdi
from permacite.archive.model.submitted import NewRepresentation
from permacite.service.quotations.comparing import Overlaps

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.engines(deep=True)

# Elements:   0 html 1 head 2 title   3 body 4 p        5 em                      6 p
PAGE = (
    "<html><head><title>T</title><body><p>Über <em id=a name=b>one</em> two.</p><p>three</p>"
    "<p hidden>none</p>"
)
TEXT = "Über one two.\r\n\r\nthree\r\n"
FORMATS = {
    "html": NewRepresentation(PAGE.encode(), "text/html", charset="utf-8"),
    "utf-8": NewRepresentation(
        TEXT.encode(), "text/plain", charset="utf-8", format="utf-8", derived_from="html"
    ),
    "png": NewRepresentation(b"no picture", "image/png"),
    "mp4": NewRepresentation(b"no video", "video/mp4"),
    "css": NewRepresentation(b"em{}", "text/css", charset="utf-8", derived_from="html"),
}


@pytest.fixture(scope="module")
def opened(
    tmp_path_factory: pytest.TempPathFactory, engine: object
) -> Iterator[tuple[Repository, str]]:
    """An archive with two versions of a page, and the name of the page without a format."""
    assert engine is Repository.engine
    folder = tmp_path_factory.mktemp("overlaps") / "archive"
    with Repository.create(folder, series="lab.example.us") as archive:
        version = archive.committer.commit(list(FORMATS.values()))
        archive.committer.commit(list(FORMATS.values())[:2], replaces=version.pdi)
        yield archive, str(version.pdi.document)


TOUCHING = [
    # A name of the version, and a name that shares something with it.
    ("pdi-45-element-and-words", "html.1#elt=5,5", "utf-8.1#char=5,8"),
    ("pdi-45-element-and-part-of-it", "html.1#elt=5,5", "utf-8.1#char=7,9"),
    ("pdi-45-paragraph-and-words", "html.1#elt=4,4", "utf-8.1#char=0,1"),
    ("pdi-45-named-element-and-words", "html.1#name=b,b", "utf-8.1#char=0,6"),
    ("pdi-45-page-whole-and-words", "html.1#elt=0,0", "utf-8.1#char=17,19"),
    ("pdi-45-source-characters-and-words", "html.1#char=37,41", "utf-8.1#char=0,4"),
    ("pdi-45-element-and-bytes-of-the-text", "html.1#elt=5,5", "utf-8.1#byte=6,7"),
    ("pdi-45-element-and-element-in-it", "html.1#elt=4,4", "html.1#elt=5,5"),
    ("pdi-45-element-and-its-bytes", "html.1#elt=5,5", "html.1#byte=45,46"),
    ("pdi-45-characters-and-bytes", "utf-8.1#char=1,2", "utf-8.1#byte=2,3"),
    ("pdi-45-words", "utf-8.1#char=0,5", "utf-8.1#char=4,9"),
    ("pdi-45-rectangles", "png.1#rect=(0,0),(9,9)", "png.1#rect=(8,8),(20,20)"),
    ("pdi-45-times", "mp4.1#sec=1,3", "mp4.1#msec=2999,4000"),
    ("pdi-45-alike", "mp4.1#crop=sec,1,3", "mp4.1#crop=sec,1,3"),
]
APART = [
    ("pdi-45-element-and-other-words", "html.1#elt=5,5", "utf-8.1#char=8,12"),
    ("pdi-45-element-that-shows-nothing", "html.1#elt=7,7", "utf-8.1#char=0,24"),
    ("pdi-45-title-and-words", "html.1#elt=2,2", "utf-8.1#char=0,24"),
    ("pdi-45-element-and-other-bytes", "html.1#elt=6,6", "utf-8.1#byte=0,9"),
    ("pdi-45-another-version", "html.1#elt=5,5", "utf-8.2#char=5,8"),
    ("pdi-45-elements-side-by-side", "html.1#elt=4,4", "html.1#elt=6,6"),
    ("pdi-45-words-side-by-side", "utf-8.1#char=0,5", "utf-8.1#char=5,9"),
    ("pdi-45-not-the-text-of-the-page", "html.1#elt=0,0", "css.1#char=0,4"),
    ("pdi-45-formats-without-a-map", "png.1#rect=(0,0),(9,9)", "html.1#elt=0,0"),
    ("pdi-45-rectangles-side-by-side", "png.1#rect=(0,0),(9,9)", "png.1#rect=(9,0),(20,20)"),
    ("pdi-45-rectangles-one-below", "png.1#rect=(0,0),(9,9)", "png.1#rect=(0,9),(20,20)"),
    ("pdi-45-times-one-after-the-other", "mp4.1#sec=1,3", "mp4.1#msec=3000,4000"),
    ("pdi-45-format-that-is-not-there", "html.1#elt=5,5", "text%2bx.1#byte=0,1"),
    ("pdi-45-beyond-the-end", "html.1#elt=5,5", "html.1#byte=900,901"),
]


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [(*row[1:], True) for row in TOUCHING] + [(*row[1:], False) for row in APART],
    ids=[row[0] for row in TOUCHING + APART],
)
def test_passages_touch(opened: tuple[Repository, str], a: str, b: str, *, expected: bool) -> None:
    archive, document = opened
    first, second = (pdi.parse(f"{document}.{one}", strict=False) for one in (a, b))
    assert isinstance(first, pdi.FragmentPDI)
    assert isinstance(second, pdi.FragmentPDI)
    overlaps = Overlaps(archive)
    assert overlaps.touch(first, second) is expected
    assert overlaps.touch(second, first) is expected


def test_who_quotes_an_element_is_found_by_its_words(tmp_path: Path) -> None:
    """pdi-45: who quotes words of a page's text quotes the element that they stand in."""
    with Archive.create(tmp_path / "archive", series="lab.example.us") as service:
        page = service.add(PAGE.encode(), name="page.html", charset="utf-8").pdi
        text = page.replace(".html.", ".utf-8.")
        quoting = f'<p><q cite="{text}#char=5,8">one</q>'
        quoter = service.add(quoting.encode(), name="quoting.html").pdi
        for reference in (f"{page}#elt=5,5", f"{page}#name=b,b", f"{text}#char=0,6", page):
            (found,) = service.quotations.quoters(reference)
            assert found.composite == quoter.replace(".html.", ".utf-8.")
        assert service.quotations.quoters(f"{page}#elt=6,6") == []
