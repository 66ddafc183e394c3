"""Pages of PDFs as places (RFC 8118 §3), and as pictures that workers draw."""

from __future__ import annotations

import io
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from tests.papers import Sheet, paper

from permacite import pdi
from permacite.decoding.workers import DecodingPool
from permacite.errors import LimitError, NotFoundError, ParseError, PermaciteError
from permacite.extract import extract
from permacite.pdi import PagePlace, parse_rfc8118

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permacite.extract import Excerpt

images = pytest.importorskip("PIL.Image", reason="needs the pdf extra")
pytest.importorskip("pypdfium2_raw", reason="needs the pdf extra")

NAME = "urn:pdi://example.us/2026/11/23/1.pdf.1#"
TYPE = "application/pdf"
BLOCK = "0 g 50 300 100 20 re f\n"
"""A black rectangle: left 50, top 80, width 100, height 20 on a page of 300 by 400."""

READ = [
    # clause id, fragment, place
    ("page", "page=17", PagePlace(17)),
    ("viewrect", "viewrect=72,100,200,150,17", PagePlace(17, (72, 100, 200, 150))),
    ("first-page", "viewrect=72,100,200,150", PagePlace(1, (72, 100, 200, 150))),
    ("case", "PAGE=3", PagePlace(3)),
]
REFUSED = [
    # clause id, fragment, offset
    ("from-1", "page=0", 5),
    ("one", "page=1,2", 6),
    ("no-number", "page=xvii", 5),
    ("four", "viewrect=1,2,3", 14),
    ("no-page", "viewrect=1,2,3,4,0", 17),
    ("nameddest", "nameddest=intro", 0),
]


@pytest.mark.parametrize(("fragment", "place"), [c[1:] for c in READ], ids=[c[0] for c in READ])
def test_places_are_read(fragment: str, place: PagePlace) -> None:
    value = pdi.parse(NAME + fragment)
    assert isinstance(value, pdi.FragmentPDI)
    assert PagePlace.of(value.scheme, value.positions) == place
    assert pdi.denotes_same(value, NAME + place.specifier)
    assert parse_rfc8118(place.parameters) == place


@pytest.mark.parametrize(
    ("fragment", "offset"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED]
)
def test_what_is_no_place_is_refused_where_it_is_wrong(fragment: str, offset: int) -> None:
    with pytest.raises(ParseError) as error:
        pdi.parse(NAME + fragment)
    assert error.value.offset == len(NAME) + offset


def test_pages_are_places_of_pdfs_alone() -> None:
    with pytest.raises(ParseError, match="no fragment scheme page"):
        pdi.parse("urn:pdi://example.us/2026/11/23/1.text.1#page=1")


PARAMETERS = [
    # clause id, fragment, place
    ("both", "page=3&viewrect=72.5,100,199.2,150", PagePlace(3, (72, 100, 200, 150))),
    ("hash", "viewrect=0,0,10,10#page=3", PagePlace(3, (0, 0, 10, 10))),
    ("zoom", "page=3&zoom=200,1,1", PagePlace(3)),
    ("above", "viewrect=-5,-5,15,15", PagePlace(1, (0, 0, 10, 10))),
]


@pytest.mark.parametrize(
    ("text", "place"), [c[1:] for c in PARAMETERS], ids=[c[0] for c in PARAMETERS]
)
def test_parameters_of_rfc_8118_are_read(text: str, place: PagePlace) -> None:
    assert parse_rfc8118(text) == place


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nameddest=intro", "nameddest is not read"),
        ("page=3&nameddest=intro", "nameddest is not read"),
        ("page=0", "counted from 1"),
        ("viewrect=1,2,3", "left, top, width"),
        ("viewrect=1,2,0,3", "not empty"),
        ("zoom=100", "expected page="),
        ("", "expected page="),
    ],
)
def test_other_parameters_are_refused_clearly(text: str, problem: str) -> None:
    with pytest.raises(ParseError, match=problem):
        parse_rfc8118(text)


# ---------------------------------------------------------------- drawing


@pytest.fixture(scope="module")
def workers() -> Iterator[DecodingPool]:
    with closing(DecodingPool("pages", most=1)) as made:
        yield made


def opened(excerpt: Excerpt) -> Any:
    return images.open(io.BytesIO(excerpt.data)).convert("L")


def test_a_page_is_drawn_where_its_marks_are(workers: DecodingPool) -> None:
    whole = workers.extract(paper(Sheet((), more=BLOCK)), TYPE, "page=1")
    shown = opened(whole)
    assert (whole.media_type, shown.size, whole.clipped) == ("image/png", (600, 800), False)
    assert shown.point(lambda level: 255 * (level < 99)).getbbox() == (100, 160, 300, 200)


def test_an_area_is_cut_out_of_the_page(workers: DecodingPool) -> None:
    area = workers.extract(paper(Sheet((), more=BLOCK)), TYPE, "viewrect=40,70,60,20,1")
    shown = opened(area)
    assert shown.size == (120, 40)
    assert shown.point(lambda level: 255 * (level < 99)).getbbox() == (20, 20, 120, 40)


def test_a_turned_page_is_drawn_as_it_is_shown(workers: DecodingPool) -> None:
    """Boxes that begin elsewhere, and a quarter of a turn, change nothing of what is seen."""
    content = paper(Sheet((), box=(-10, 20, 290, 420), turned=90, more=BLOCK))
    shown = opened(workers.extract(content, TYPE, "page=1"))
    assert shown.size == (800, 600)
    # In the box it stands 60 from the left and 100 from the top; turned, its top is its right.
    box = shown.point(lambda level: 255 * (level < 99)).getbbox()
    assert box == (800 - 240, 120, 800 - 200, 320)


def test_a_preview_is_a_webp_and_said_to_be_derived(workers: DecodingPool) -> None:
    seen = workers.extract(paper(Sheet((), more=BLOCK)), TYPE, "page=1", preview=True)
    assert (seen.media_type, seen.derived) == ("image/webp", True)
    assert opened(seen).size == (600, 800)


def test_a_page_of_two_hundred_inches_is_drawn_smaller(workers: DecodingPool) -> None:
    content = paper(Sheet((), box=(0, 0, 14400, 14400), more="0 g 0 0 14400 7200 re f\n"))
    shown = opened(workers.extract(content, TYPE, "page=1"))
    assert shown.width * shown.height <= 8_100_000
    assert (shown.getpixel((9, 9)), shown.getpixel((9, shown.height - 9))) == (255, 0)


@pytest.mark.parametrize(
    ("fragment", "problem"),
    [
        ("page=2", "the document has 1 page"),
        ("viewrect=300,0,5,5,1", "300 by 400 points"),
    ],
)
def test_what_is_not_there_is_not_found(workers: DecodingPool, fragment: str, problem: str) -> None:
    with pytest.raises(NotFoundError, match=problem):
        workers.extract(paper(Sheet(())), TYPE, fragment)


def test_an_area_beyond_the_page_is_clipped(workers: DecodingPool) -> None:
    assert workers.extract(paper(Sheet(())), TYPE, "viewrect=290,0,20,20,1").clipped
    assert not workers.extract(paper(Sheet(())), TYPE, "viewrect=290,0,10,20,1").clipped


def test_an_empty_area_and_no_pdf_are_refused(workers: DecodingPool) -> None:
    with pytest.raises(ParseError, match="not empty"):
        workers.extract(paper(Sheet(())), TYPE, "viewrect=1,1,0,9,1")
    with pytest.raises(ParseError, match="expected a PDF"):
        workers.extract(b"no PDF at all", TYPE, "page=1")


def test_more_memory_than_there_is_is_refused() -> None:
    with (
        closing(DecodingPool("pages", most=1, budget_bytes=1 << 20)) as small,
        pytest.raises(LimitError),
    ):
        small.extract(paper(Sheet(())), TYPE, "page=1")


def test_the_pages_are_counted_and_measured(workers: DecodingPool) -> None:
    content = paper(Sheet(()), Sheet((), turned=90))
    assert workers.run({"measure": 2}, content)[0] == {"measured": [2, 0, 0, 300, 400, 1]}
    with pytest.raises(PermaciteError, match="cannot be read"):
        workers.run({"measure": 3}, content)


def test_without_workers_nothing_is_drawn() -> None:
    with pytest.raises(PermaciteError, match="run apart"):
        extract(paper(Sheet(())), TYPE, "page=1")
