"""What Web Annotations, Hypothesis and Zotero select is found, told how, and refused if unsure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import quote_plus
from urllib.request import Request, urlopen

import pytest
from tests.archives import Archive
from tests.media.tricks import png, zeros
from tests.papers import Sheet, paper

from permacite.errors import NotFoundError, ParseError
from permacite.service.citations.selecting.selectors import part_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faces.conftest import Outcome, Running

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

PAGE = (
    b"<!doctype html><title>Tide</title><body><p id=first>The tide falls at night.</p>\n"
    b"<p id=second>Then the tide rises, and the light\nturns. The tide falls again.</p>"
)
TEXT = b"one tide\r\ntwo tides\r\nthree tides\r\n"
BOOK = paper(
    Sheet(((40, 350, "The light falls on the wa-"), (40, 334, "ter of the bay"))),
    Sheet(((40, 350, "The light falls on the shore"), (40, 100, "and the tide turns again"))),
    labels="0<</S/r/St 17>>1<</S/D>>",
)
TURNED = paper(Sheet(((40, 350, "The light falls"),), box=(20, 30, 320, 430), turned=90))

PLAIN, MEDIA = "http://tools.ietf.org/rfc/rfc5147", "http://www.w3.org/TR/media-frags/"


def quote(exact: str, **around: str) -> dict[str, Any]:
    """A selector by words."""
    return {"type": "TextQuoteSelector", "exact": exact, **around}


def position(start: int, end: int) -> dict[str, Any]:
    """A selector by characters."""
    return {"type": "TextPositionSelector", "start": start, "end": end}


def fragment(value: str, rule: str = "") -> dict[str, Any]:
    """A selector by a fragment."""
    return {"type": "FragmentSelector", "value": value} | ({"conformsTo": rule} if rule else {})


def of_web(*selector: dict[str, Any]) -> dict[str, Any]:
    """An annotation of a page, as Hypothesis answers it."""
    target = {"source": "https://example.org/page", "selector": list(selector)}
    return {"uri": "https://example.org/page", "target": [target], "text": "a note"}


@pytest.fixture
def held(archive: Path) -> Iterator[Archive]:
    """An archive to add to."""
    with Archive.open(archive) as opened:
        yield opened


FOUND = [
    # content, file name, what selects, the words, by what
    (PAGE, "page.html", quote("the  tide rises"), "the tide rises", ["quote"]),
    (PAGE, "page.html", [quote("The tide falls", suffix=" again")], "The tide falls",
     ["quote", "context"]),
    (PAGE, "page.html", of_web(quote("The tide falls"), position(61, 75)), "The tide falls",
     ["quote", "position"]),
    (PAGE, "page.html", fragment("second"), "Then the tide rises", ["fragment"]),
    (PAGE, "page.html", {"type": "CssSelector", "value": "#second", "refinedBy":
     quote("The tide falls")}, "The tide falls", ["element", "quote"]),
    (PAGE, "page.html", {"@type": "oa:XPathSelector", "value": "//*[@id='first']", "refinedBy":
     quote("The tide falls")}, "The tide falls", ["element", "quote"]),
    (PAGE, "page.html", "https://example.org/page#second", "Then the tide rises", ["fragment"]),
    (PAGE, "page.html", {**quote("Then the tide rises"), "refinedBy": position(5, 13)}, "the tide",
     ["quote", "position"]),
    (PAGE, "page.html", fragment(":~:text=the%20light"), "the light", ["fragment"]),
    (PAGE, "page.html", position(0, 8), "The tide", ["position"]),
    (TEXT, "text.txt", fragment("char=9,12", PLAIN), "two", ["fragment"]),
    (TEXT, "text.txt", fragment("line=1,2;length=31", PLAIN), "two tides", ["fragment"]),
    (TEXT, "text.txt", {"type": "DataPositionSelector", "start": 10, "end": 13}, "two",
     ["octets"]),
    (b"a,b\r\n1,2\r\n", "t.csv", fragment("cell=2,1", "http://tools.ietf.org/rfc/rfc7111"), "1",
     ["fragment"]),
    (PAGE, "page.html", {"type": "RangeSelector", "startSelector": quote("night"), "endSelector":
     {"type": "CssSelector", "value": "#second"}}, "night.", ["range"]),
    (TEXT, "text.txt", {"type": "RangeSelector", "startSelector": fragment("char=9,12", PLAIN),
     "endSelector": quote("three")}, "two tides", ["range"]),
    (b'{"a": ["x", "y"]}', "t.json", fragment("/a/1", "http://tools.ietf.org/rfc/rfc6901"), '"y"',
     ["fragment"]),
]  # fmt: skip


@pytest.mark.parametrize(("content", "name", "selector", "words", "by"), FOUND)
def test_what_is_selected_is_found(
    held: Archive, content: bytes, name: str, selector: object, words: str, by: list[str]
) -> None:
    document = held.add(content, name=name).pdi
    if isinstance(selector, str):
        selector = {"type": "Annotation", "target": selector}
    cited = held.citations.selections.cite(document, json.dumps(selector))
    assert list(cited.found_by) == by
    resolved = held.resolve(cited.reference)
    assert words in " ".join((resolved.text or resolved.content.decode()).split())
    if "quote" in by or "position" in by:
        assert " ".join(cited.quote.split()) == words
    assert held.verify(cited.reference).ok


SVG = '<svg xmlns="http://www.w3.org/2000/svg"><rect x="1" y="2.0" width="10" height="10"/></svg>'
AREAS = [
    # what selects, the area
    (fragment("xywh=1,2,10,10", MEDIA), "rect=(1,2),(11,12)"),
    (fragment("xywh=pixel:1,2,10,10"), "rect=(1,2),(11,12)"),
    ({"type": "SvgSelector", "value": SVG}, "rect=(1,2),(11,12)"),
    ({"type": "SvgSelector", "value": SVG.replace("<svg", '<svg viewBox="0 0 9 9"')}, None),
    ({"type": "SvgSelector", "value": SVG.replace("rect", "circle")}, None),
    ({"type": "SvgSelector", "value": SVG.replace("2.0", "2.5")}, None),
    ({"type": "SvgSelector", "value": SVG.replace("</svg>", "<rect/></svg>")}, None),
    (fragment("xywh=percent:1,2,10,10", MEDIA), None),
    (fragment("xywh=1,2,1000,10", MEDIA), None),
]


@pytest.mark.parametrize(("selector", "area"), AREAS)
def test_areas_of_pictures_are_found(held: Archive, selector: object, area: str | None) -> None:
    document = held.add(png(40, 30, 8, 2, zeros(30 * (1 + 3 * 40))), name="a.png").pdi
    if area is None:
        with pytest.raises((NotFoundError, ParseError)):
            held.citations.selections.cite(document, json.dumps(selector))
        return
    cited = held.citations.selections.cite(document, json.dumps(selector))
    assert cited.reference == f"{document}#{area}"
    assert (
        held.citations.selections.cite(document, cited.forms.annotation).reference
        == cited.reference
    )


DIMENSIONS = [
    ("t=12,31.5", ("sec", "12,31.5")),
    ("t=npt:0:12,0:31", ("sec", "0:12,0:31")),
    ("t=,31", ("sec", "0,31")),
    ("t=12,31&xywh=1,2,3,4", ("crop", "sec,12,31,1,2,4,6")),
    ("t=12", None),
    ("t=smpte:0,1", None),
    ("t=1,2&t=3,4", None),
    ("", None),
]


@pytest.mark.parametrize(("value", "part"), DIMENSIONS)
def test_media_fragments_are_parts(value: str, part: tuple[str, str] | None) -> None:
    assert part_of(value) == part


REFUSED = [
    # content, file name, what selects, what is told
    (PAGE, "page.html", quote("tide falls"), "stand 2 times"),
    (PAGE, "page.html", of_web(quote("tide falls"), position(45, 49)), "stand 2 times"),
    (PAGE, "page.html", quote("no such words"), "do not stand in the text"),
    (PAGE, "page.html", of_web(position(0, 8)), "another program"),
    (PAGE, "page.html", {"type": "CssSelector", "value": "#first", "refinedBy":
     quote("Then the tide")}, "refine"),
    (PAGE, "page.html", fragment("page=2"), "expected a fragment"),
    (PAGE, "page.html", {"pageIndex": 0, "rects": [[1, 2, 3, 4]]}, "no PDF"),
    (PAGE, "page.html", {"type": "Annotation", "target": [
        {"source": "", "selector": quote("tide rises")},
        {"source": "", "selector": quote("light")}]}, "one at a time"),
    (PAGE, "page.html", {"type": "Annotation", "target": {
        "source": "urn:pdi://other.example.us/2026/1/1/1.utf-8.1",
        "selector": position(0, 8)}}, "another document"),
    (TEXT, "text.txt", position(0, 99), "fewer"),
    (TEXT, "text.txt", {"type": "RangeSelector", "startSelector": quote("three"), "endSelector":
     quote("two")}, "ends before"),
    (TEXT, "text.txt", fragment("char=3,9;length=7", PLAIN), "length"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "name", "selector", "told"), REFUSED)
def test_what_is_unsure_is_refused(
    held: Archive, content: bytes, name: str, selector: object, told: str
) -> None:
    document = held.add(content, name=name).pdi
    with pytest.raises(NotFoundError, match=told):
        held.citations.selections.cite(document, json.dumps(selector))


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "7", '"x"', "{}", "[1]", '{"type": "SvgSelector", "value": "<svg/>"}',
        '{"type": "TextQuoteSelector"}', '{"type": "TextPositionSelector", "start": 5, "end": 5}',
        '{"type": "TextPositionSelector", "start": -1, "end": 5}', "[" * 100_000,
        '{"pageIndex": 0, "rects": [[1, 2, 3]]}', '{"pageIndex": 0, "rects": [[1, 2, 3, 1e999]]}',
        '{"pageIndex": true, "rects": []}', '{"annotationPosition": "{"}',
        '{"type": "TextQuoteSelector", "exact": "a", "refinedBy": {"type": "SvgSelector"}}',
        '{"target": {"source": "https://example.org/"}}', "9" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_selector_is_told(held: Archive, text: str) -> None:
    document = held.add(TEXT, name="text.txt").pdi
    with pytest.raises(ParseError):
        held.citations.selections.cite(document, text)


def test_our_own_annotation_leads_back(held: Archive) -> None:
    document = held.add(PAGE, name="page.html").pdi
    cited = held.cite(document, quote="The tide falls", nth=2)
    target = json.loads(cited.forms.annotation)["target"]
    kinds = {each["type"]: each for each in target["selector"]}
    assert kinds["TextQuoteSelector"]["suffix"].rstrip() == " again."
    assert target["selector"][-1]["conformsTo"] == PLAIN
    again = held.citations.selections.cite(document, cited.forms.annotation)
    assert (again.reference, again.nth, again.occurrences) == (cited.reference, 2, 2)
    for each in target["selector"]:
        if each["type"] != "TextQuoteSelector":
            found = held.citations.selections.cite(
                document, json.dumps({**target, "selector": each})
            )
            assert found.reference == cited.reference


# ---------------------------------------------------------------- pages of PDFs


@pytest.fixture
def book(held: Archive) -> str:
    """A PDF of two pages in the archive: its name, without a format."""
    pytest.importorskip("pypdfium2_raw", reason="needs the pdf extra")
    return held.add(BOOK, name="book.pdf").pdi.rpartition(".utf-8")[0]


OF_PDF = [
    # what selects, the words, by what
    (quote("the water of"), "the water of", ["quote"]),
    (of_web(quote("on the wa-ter of")), "on the water of", ["quote", "letters"]),
    (of_web(quote("onthewa-terof")), "on the water of", ["quote", "letters"]),
    (of_web(quote("The light falls"), position(44, 59), {"type": "PageSelector", "index": 1}),
     "The light falls", ["quote", "page"]),
    (of_web(quote("The light falls", suffix=" on the wa-ter")), "The light falls",
     ["quote", "context"]),
    ({**fragment("page=2"), "refinedBy": quote("The light falls")}, "The light falls",
     ["fragment", "quote"]),
    ({"pageIndex": 1, "rects": [[38, 95, 200, 115]]}, "and the tide turns again", ["area"]),
    ({"data": {"annotationText": "The light falls", "annotationType": "highlight",
      "annotationPosition": '{"pageIndex":1,"rects":[[38,345,130,362]]}'}}, "The light falls",
     ["quote", "page"]),
]  # fmt: skip


@pytest.mark.parametrize(("selector", "words", "by"), OF_PDF)
def test_what_is_selected_on_pages_is_found(
    held: Archive, book: str, selector: object, words: str, by: list[str]
) -> None:
    cited = held.citations.selections.cite(book, json.dumps(selector))
    assert " ".join(cited.quote.split()) == words
    assert list(cited.found_by) == by
    if "page" in by or "fragment" in by:
        assert cited.labels[0].told == "p. 1"


def test_an_area_without_words_is_cited_as_a_place(held: Archive, book: str) -> None:
    position = {"pageIndex": 0, "rects": [[50, 40, 150, 90]]}
    assert held.citations.selections.cite(book, json.dumps(position)).reference == (
        f"{book}.pdf.1#viewrect=50,310,100,50,1"
    )
    with pytest.raises(NotFoundError, match="none of the number 3"):
        held.citations.selections.cite(book, json.dumps({**position, "pageIndex": 2}))
    apart = {"pageIndex": 1, "rects": [[38, 345, 70, 362], [38, 95, 200, 115]]}
    with pytest.raises(NotFoundError, match="do not stand together") as error:
        held.citations.selections.cite(book, json.dumps(apart))
    assert error.value.candidates[-1] == "and the tide turns again"


@pytest.mark.usefixtures("book")
def test_places_in_a_turned_page_with_an_edge_of_its_own(held: Archive) -> None:
    name = held.add(TURNED, name="turned.pdf").pdi
    position = {"pageIndex": 0, "rects": [[38, 345, 130, 362]]}
    assert held.citations.selections.cite(name, json.dumps(position)).quote == "The light falls"


def test_annotations_of_pages_have_their_places(held: Archive, book: str) -> None:
    words = held.cite(book, quote="the tide turns")
    text, paged = json.loads(words.forms.annotation)["target"]
    assert text["source"]["id"].endswith(".utf-8.1")
    assert paged["source"]["id"].endswith(f"{book}.pdf.1")
    assert [each["value"] for each in paged["selector"]] == ["page=2", "page=2"]
    assert paged["selector"][0]["refinedBy"]["exact"] == "the tide turns"
    assert held.citations.selections.cite(book, words.forms.annotation).reference == words.reference
    only = json.dumps({"type": "Annotation", "target": paged})
    assert held.citations.selections.cite(book, only).reference == words.reference
    area = held.cite(book, viewrect="30,280,250,40", page="1")
    _, *places = json.loads(area.forms.annotation)["target"]["selector"]
    assert [each["value"] for each in places] == ["page=2&viewrect=30,280,250,40"] * 2
    assert [each["conformsTo"][-4:] for each in places] == ["3778", "8118"]
    assert held.citations.selections.cite(book, area.forms.annotation).reference == area.reference


def test_the_command_reads_a_file_and_tells_how(cli: Cli, archive: Path, tmp_path: Path) -> None:
    with Archive.open(archive) as opened:
        name = opened.add(PAGE, name="page.html").pdi
    (tmp_path / "a.json").write_text(json.dumps(of_web(quote("tide rises"))))
    told = cli("cite", name, "--selector", str(tmp_path / "a.json"))
    assert told.status == 0
    assert "found by quote" in told.err
    found = json.loads(cli("cite", name, "--selector", str(tmp_path / "a.json"), "--json").out)
    assert found["found_by"] == ["quote"]
    assert cli("cite", name, "--selector", str(tmp_path / "none.json")).status == 1
    both = cli("cite", name, "--selector", str(tmp_path / "a.json"), "--quote", "tide")
    assert both.status == 2
    (tmp_path / "a.json").write_text(json.dumps(quote("tide falls")))
    unsure = cli("cite", name, "--selector", str(tmp_path / "a.json"))
    assert unsure.status == 1
    assert "[tide falls]" in unsure.err


def test_zotero_is_told_places_that_it_reads_back(held: Archive, book: str) -> None:
    words = held.cite(book, quote="on the water of").reference
    item = json.loads(held.citations.selection_export.write("zotero", words))
    position = json.loads(item["annotationPosition"])
    assert (position["pageIndex"], len(position["rects"])) == (0, 2)
    assert (item["annotationPageLabel"], item["annotationText"]) == ("xvii", "on the water of")
    assert item["annotationSortIndex"].startswith("00000|000016|")
    assert held.citations.selections.cite(book, json.dumps(item)).reference == words
    assert held.citations.selections.cite(book, json.dumps(position)).reference == words
    area = f"{book}.pdf.1#viewrect=50,310,100,50,1"
    image = json.loads(held.citations.selection_export.write("zotero", area))
    assert image["annotationType"] == "image"
    assert json.loads(image["annotationPosition"])["rects"] == [[50.0, 40.0, 150.0, 90.0]]
    assert held.citations.selections.cite(book, json.dumps(image)).reference == area


def test_zotero_is_told_two_pages_and_turned_ones(held: Archive, book: str) -> None:
    start = held.cite(book, quote="ter of the bay").start or 0
    end = held.cite(book, quote="shore").end
    words = held.cite(book, char=f"{start},{end}").reference
    item = json.loads(held.citations.selection_export.write("zotero", words))
    assert set(json.loads(item["annotationPosition"])) == {"pageIndex", "rects", "nextPageRects"}
    assert held.citations.selections.cite(book, json.dumps(item)).reference == words
    turned = held.add(TURNED, name="turned.pdf").pdi
    cited = held.cite(turned, quote="The light falls").reference
    boxes = json.loads(
        json.loads(held.citations.selection_export.write("zotero", cited))["annotationPosition"]
    )["rects"]
    assert boxes[0][0] == pytest.approx(40, abs=1)
    assert all(low < 350 < high for _, low, _, high in boxes)


def test_hypothesis_is_told_words_that_it_reads_back(held: Archive, book: str) -> None:
    words = held.cite(book, quote="The light falls", nth=2).reference
    told = held.citations.selection_export.write("hypothesis", words)
    quoted, page = json.loads(told)["target"][0]["selector"]
    assert (quoted["exact"], page) == (
        "The light falls",
        {"type": "PageSelector", "index": 1, "label": "1"},
    )
    assert held.citations.selections.cite(book, told).reference == words


def test_other_programs_are_told_no_more_than_they_can_keep(held: Archive, book: str) -> None:
    page = held.add(PAGE, name="page.html").pdi
    words = held.cite(page, quote="tide rises").reference
    assert json.loads(held.citations.selection_export.write("hypothesis", words))["target"]
    for program, reference in (
        ("zotero", words),
        ("zotero", page),
        ("hypothesis", f"{book}.pdf.1#page=1"),
    ):
        with pytest.raises(NotFoundError):
            held.citations.selection_export.write(program, reference)
    with pytest.raises(ParseError):
        held.citations.selection_export.write("mendeley", words)


def test_the_api_takes_a_selector(archive: Path, running: Running) -> None:
    with Archive.open(archive) as opened:
        name = opened.add(PAGE, name="page.html").pdi
    at = running.base + "/-/api/cite"
    status, cited = _post(at, {"reference": name, "selector": quote("tide rises"), "note": "x"})
    assert (status, cited["found_by"], cited["note"]) == (201, ["quote"], "x")
    status, unsure = _post(at, {"reference": name, "selector": [quote("tide falls")]})
    assert (status, len(unsure["candidates"])) == (404, 2)
    assert _post(at, {"reference": name, "selector": {}})[0] == 400
    both = {"reference": name, "selector": quote("tide"), "quote": "tide"}
    assert _post(at, both)[0] == 400
    told = f"{running.base}/-/api/reference?for=hypothesis&name={quote_plus(cited['reference'])}"
    with urlopen(told) as answer:  # noqa: S310 - our own server
        assert json.load(answer)["target"][0]["selector"][0]["exact"] == "tide rises"


def _post(address: str, value: object) -> tuple[int, Any]:
    head = {"Content-Type": "application/json"}
    try:
        request = Request(address, json.dumps(value).encode(), head)  # noqa: S310 - our own server
        with urlopen(request) as answer:  # noqa: S310 - the same
            return answer.status, json.load(answer)
    except HTTPError as error:
        return error.code, json.load(error)
