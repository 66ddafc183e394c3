"""Words of PDFs that were printed from known text (tests/golden/pdf/generate.py)."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

import pytest

from permacite.errors import ParseError
from permacite.renditions import Original, Rendered, rendition_named
from permacite.renditions.pdf.boxes import read_map

FOLDER = Path(__file__).parents[1] / "golden" / "pdf"
PDFS = sorted(FOLDER.glob("*.pdf"))


LATIN, OTHERS = 0.995, 0.98
OTHER = ["arabic", "hebrew", "devanagari", "chinese", "japanese", "vertical", "korean"]
UNSPACED = ["chinese", "japanese", "vertical"]
EIGHT = 8


@cache
def rendered(content: bytes) -> Rendered:
    return rendition_named("pdf-text/1")(Original(content, "application/pdf"))


def is_of(pdf: Path, scripts: list[str]) -> bool:
    return any(script in pdf.stem for script in scripts)


def words_of(pdf: Path, text: str) -> list[str]:
    """Words; characters, in scripts without spaces."""
    return list("".join(text.split())) if is_of(pdf, UNSPACED) else text.split()


@pytest.mark.parametrize("pdf", PDFS, ids=[pdf.stem for pdf in PDFS])
def test_words_are_in_reading_order(pdf: Path) -> None:
    words = words_of(pdf, pdf.with_suffix(".txt").read_text(encoding="utf-8"))
    made = words_of(pdf, rendered(pdf.read_bytes()).text)
    alike = SequenceMatcher(None, words, made, autojunk=False).get_matching_blocks()
    least = OTHERS if is_of(pdf, OTHER) else LATIN
    assert sum(block.size for block in alike) >= least * len(words)


def test_quotations_of_eight_words_are_found() -> None:
    found = asked = 0
    for pdf in PDFS:
        words = words_of(pdf, pdf.with_suffix(".txt").read_text(encoding="utf-8"))
        made = " ".join(words_of(pdf, rendered(pdf.read_bytes()).text))
        quotes = [" ".join(words[at : at + EIGHT]) for at in range(len(words) - EIGHT + 1)]
        asked += len(quotes)
        found += sum(f" {quote} " in f" {made} " for quote in quotes)
    assert found >= 0.99 * asked


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
