"""The words of PDFs that Chromium printed from known text (tests/golden/pdf/generate.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from permacite.errors import ParseError
from permacite.renditions import Original, Rendered, rendition_named
from permacite.renditions.pdf.places import read_map

FOLDER = Path(__file__).parents[1] / "golden" / "pdf"
PDFS = sorted(FOLDER.glob("*.pdf"))


def rendered(content: bytes) -> Rendered:
    return rendition_named("pdf-text/1")(Original(content, "application/pdf"))


@pytest.mark.parametrize("pdf", PDFS, ids=[pdf.stem for pdf in PDFS])
def test_words_stand_as_they_were_written(pdf: Path) -> None:
    words = pdf.with_suffix(".txt").read_text(encoding="utf-8").split()
    assert rendered(pdf.read_bytes()).text.split() == words


@pytest.mark.parametrize("pdf", PDFS, ids=[pdf.stem for pdf in PDFS])
def test_every_word_has_its_place_on_its_page(pdf: Path) -> None:
    text = rendered(pdf.read_bytes())
    places = read_map(text.map)
    for label in text.labels:
        page = places.page_at(label.start)
        assert label.target == f"page={page.number}"
        for quad in places.quads(label.start, label.end):
            assert 0 <= quad.left < quad.right <= page.width / 20
            assert 0 <= quad.top < quad.bottom <= page.height / 20


def test_the_map_knows_joined_hyphens() -> None:
    text = rendered((FOLDER / "hyphens.pdf").read_bytes())
    places = read_map(text.map)
    joined = [at for at in range(len(text.text)) if places.had_hyphen(at)]
    assert joined
    assert all(text.text[at - 1].isalpha() and text.text[at].islower() for at in joined)


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7\n", b"no PDF at all"])
def test_what_is_no_pdf_is_refused(content: bytes) -> None:
    with pytest.raises(ParseError):
        rendered(content)


@pytest.mark.parametrize("octets", [b"", b"pdf-map/1\n", b"pdf-map/1\nx\x9c", b"pdf-map/2\n"])
def test_a_damaged_map_is_refused(octets: bytes) -> None:
    with pytest.raises(ParseError):
        read_map(octets)
