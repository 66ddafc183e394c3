"""Pages of PDFs cited and resolved: by place, by printed number, with words and picture."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.papers import Sheet, paper

from permacite.errors import NotFoundError, ParseError
from permacite.service import decoders

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.faces.conftest import Site

pytest.importorskip("pypdfium2_raw", reason="needs the pdf extra")

pytestmark = pytest.mark.engines(deep=True)

FIRST = Sheet(((40, 350, "Preface of the keeper"), (40, 330, "of the light at the shore")))
SECOND = Sheet(((40, 350, "The light falls on the water"), (40, 100, "and the tide turns again")))
BOOK = paper(FIRST, SECOND, labels="0<</S/r/St 17>>1<</S/D>>")
SCAN = paper(Sheet((), more="0 g 50 300 100 20 re f\n"))


@pytest.fixture
def held(archive: Path) -> Iterator[tuple[Archive, str]]:
    """An archive with a book: its page xvii, then its page 1."""
    with Archive.open(archive) as opened:
        yield opened, opened.add(BOOK, name="book.pdf").pdi.rpartition(".utf-8")[0]


def test_a_page_is_cited_with_the_number_that_is_printed(held: tuple[Archive, str]) -> None:
    archive, name = held
    cited = archive.cite(f"{name}.pdf.1#page=1")
    assert cited.reference == f"{name}.pdf.1#page=1"
    assert (cited.part, [label.told for label in cited.labels]) == ("file page 1", ["p. xvii"])
    assert "p. xvii" in cited.forms.sentence
    assert '"locator": "xvii"' in cited.forms.csl_json
    assert archive.citations.references.styled(cited.reference, "APA").endswith(
        "#page=1 (p. xvii)."
    )


def test_a_page_resolves_to_its_words_and_its_picture(held: tuple[Archive, str]) -> None:
    archive, name = held
    part = archive.resolve(f"{name}.pdf.1#page=2")
    assert " ".join((part.text or "").split()) == (
        "The light falls on the water and the tide turns again"
    )
    assert (part.media_type, part.derived) == ("image/png", "drawing")
    assert part.content.startswith(b"\x89PNG")
    assert archive.resolve(f"{name}.pdf.1#page=2", preview=True).media_type == "image/webp"


def test_a_page_is_drawn_before_it_is_asked_for(archive: Path) -> None:
    with Archive.open(archive) as held:
        text = held.add(paper(FIRST, SECOND, labels="0<</S/D/St 40>>"), name="own.pdf").pdi
        digest = next(
            f.digest for f in held.documents.show(text).document.formats if f.format == "pdf"
        )
        leaf = held.documents.reader.read(text).leaf
        assert leaf is not None
        drawn = decoders.workers("pages")._kept  # noqa: SLF001 - what is there already is looked at
        key = str(digest), "application/pdf", "page=1", "preview"
        assert drawn.get(*key) is None
        held.documents.reader.draw(leaf)
        picture = drawn.get(*key)
        assert picture is not None
        assert (
            base64.b64encode(picture.data).decode()
            in held.documents.reader.page(leaf.reference).html
        )
        held.access.withdraw(leaf.pdi, reason="copyright")
        held.documents.reader.draw(leaf)  # what is wrong is told where the page is shown


def test_an_area_is_cited_on_the_page_that_is_printed(held: tuple[Archive, str]) -> None:
    archive, name = held
    cited = archive.cite(name, viewrect="30,280,250,40", page="1")
    assert cited.reference == f"{name}.pdf.1#viewrect=30,280,250,40,2"
    part = archive.resolve(cited.reference)
    assert (part.text or "").split() == ["and", "the", "tide", "turns", "again"]
    assert "![" in cited.forms.markdown  # a thumbnail
    assert "p. 1" in cited.forms.sentence
    assert archive.verify(cited.reference).ok


def test_the_words_of_a_page_are_cited_as_before(held: tuple[Archive, str]) -> None:
    archive, name = held
    cited = archive.cite(name, page="xvii")
    assert cited.reference.startswith(f"{name}.utf-8.1#char=0,")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("#page=2&viewrect=30.5,280,240,40", "viewrect=30,280,241,40,2"),
        ("#zoom=100&page=2", "page=2"),
        ("#viewrect=0,0,10,10", "viewrect=0,0,10,10"),
    ],
)
def test_fragments_of_rfc_8118_are_read(held: tuple[Archive, str], typed: str, meant: str) -> None:
    archive, name = held
    assert archive.resolve(f"{name}.pdf.1{typed}").exact == f"{name}.pdf.1#{meant}"


def test_what_names_no_place_is_refused(held: tuple[Archive, str]) -> None:
    archive, name = held
    with pytest.raises(ParseError, match="nameddest is not read"):
        archive.resolve(f"{name}.pdf.1#nameddest=intro")
    with pytest.raises(NotFoundError, match="has 2 pages"):
        archive.cite(f"{name}.pdf.1#page=3")
    with pytest.raises(NotFoundError, match="no page of this document has the number 9") as error:
        archive.cite(name, viewrect="1,1,9,9", page="9")
    assert error.value.candidates == ("xvii", "1")
    with pytest.raises(NotFoundError, match="beyond the end"):
        archive.cite(f"{name}.pdf.1#viewrect=290,10,20,20,1")
    with pytest.raises(ParseError, match="an area"):
        archive.cite(name, rect="1,1,9,9", page="1")


def test_a_scan_is_cited_by_its_pages(archive: Path) -> None:
    with Archive.open(archive) as held:
        saved = held.add(SCAN, name="scan.pdf")
        cited = held.cite(saved.pdi, page="1")
        assert cited.reference.endswith(".pdf.1#page=1")
        assert held.resolve(cited.reference).text is None
        with pytest.raises(NotFoundError):
            held.cite(saved.pdi, page="2")


def test_the_address_of_a_pdf_names_its_page(archive: Path) -> None:
    with Archive.open(archive) as held:
        saved = held.add(BOOK, name="book.pdf", uri="https://example.org/book.pdf")
        name = saved.pdi.rpartition(".utf-8")[0]
        part = held.resolve("https://example.org/book.pdf#page=2&zoom=100")
        assert part.exact == f"{name}.pdf.1#page=2"
        assert held.resolve("https://example.org/book.pdf#toolbar=0").exact == saved.pdi


FIGURE = "0 g 50 300 100 20 re f\n"
FATES = [
    # the pages later, what became of the second of them
    ((FIRST, SECOND), "verified"),
    ((Sheet(((40, 350, "Another preface"),)), SECOND), "verified"),
    ((FIRST, Sheet(((40, 350, "A page of errata"),)), SECOND), "moved"),
    ((FIRST, Sheet(((40, 350, "The light falls on the lake"), *SECOND.lines[1:]))), "changed"),
    ((FIRST, Sheet(SECOND.lines, more=FIGURE)), "changed"),
    ((FIRST,), "gone"),
]


@pytest.mark.parametrize(("later", "status"), FATES)
def test_what_became_of_a_page_is_told(
    archive: Path, site: Site, later: tuple[Sheet, ...], status: str
) -> None:
    address = site.put("/book.pdf", "application/pdf", BOOK)
    with Archive.open(archive) as opened:
        name = opened.save(address, allow_private=True).pdi.rpartition(".utf-8")[0]
        opened.cite(f"{name}.pdf.1#page=2")
        site.put("/book.pdf", "application/pdf", paper(*later))
        (passage,) = opened.drift.check(name, allow_private=True).passages
        assert passage.status == status
        if status == "moved":
            assert "the tide turns" in (passage.now or "")
        if status == "changed" and passage.changes:
            assert (passage.changes[0].was, passage.changes[0].now) == ("water", "lake")
        elif status == "changed":
            assert "drawn otherwise" in passage.trouble
