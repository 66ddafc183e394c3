"""Special PDFs: a defined answer for hostile, damaged and unusual files."""

from __future__ import annotations

import contextlib
import zlib
from pathlib import Path

import pytest

from permacite.errors import ParseError
from permacite.renditions import Original, Rendered, rendition_named
from permacite.renditions.pdf.boxes import read_map
from permacite.renditions.pdf.fonts import said_heights

pytest.importorskip("pypdfium2_raw", reason="needs the extra pdf")

MADE = Path(__file__).parents[1] / "golden" / "pdf" / "special"
"""Made by qpdf 11.3 of the document that `pdf` below makes."""
FONT = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
WORDS = "BT/F 12 Tf 20 60 Td(The words stand here)Tj ET"
TEXT = "The words stand here\r\n"


def rendered(content: bytes) -> Rendered:
    return rendition_named("pdf-text/1")(Original(content, "application/pdf"))


def codes(result: Rendered) -> list[str]:
    return [notice.code for notice in result.notices]


def pdf(
    stream: str = WORDS, *, page: str = "", catalog: str = "", more: str = "", trailer: str = ""
) -> bytes:
    """A PDF of one page; objects from 6 on are those of `more`."""
    box = "/MediaBox[0 0 200 99]"
    resources = "/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>"
    objects = [
        f"1 0 obj<</Type/Catalog/Pages 2 0 R{catalog}>>endobj",
        "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj",
        f"3 0 obj<</Type/Page/Parent 2 0 R{box}/Contents 4 0 R{resources}{page}>>endobj",
        f"4 0 obj<</Length {len(stream)}>>stream\n{stream}\nendstream endobj",
        f"5 0 obj{FONT}endobj",
        more,
    ]
    made, places = "%PDF-1.7\n", []
    for each in objects[:5]:
        places.append(len(made))
        made += each + "\n"
    made += more + "\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    xref = f"xref\n0 6\n0000000000 65535 f \n{table}trailer<</Root 1 0 R/Size 6{trailer}>>\n"
    return f"{made}{xref}startxref\n{len(made)}\n%%EOF\n".encode("latin-1")


def rebuilt(content: bytes) -> bytes:
    """The same without a table of its objects, which have to be looked for."""
    return content[: content.index(b"xref\n")] + content[content.index(b"trailer") :]


@pytest.mark.parametrize(
    "content",
    [
        pdf(),
        rebuilt(pdf()),
        pdf().replace(b"startxref\n", b"startxref\n9"),
        pdf()[: pdf().index(b"startxref")],
        b"some octets before it\n" + pdf(),
        pdf() + b"\n" * 900,
    ],
    ids=["whole", "no table", "table elsewhere", "cut off", "late", "trailing"],
)
def test_words_are_read_where_the_table_is_damaged(content: bytes) -> None:
    assert rendered(content).text == TEXT


def test_the_last_change_counts() -> None:
    first = pdf()
    stream = WORDS.replace("stand", "stood")
    change = f"4 0 obj<</Length {len(stream)}>>stream\n{stream}\nendstream endobj\n"
    at, old = len(first), first.rindex(b"xref\n0")
    table = f"xref\n4 1\n{at:010} 00000 n \ntrailer<</Root 1 0 R/Size 6/Prev {old}>>\n"
    end = f"startxref\n{at + len(change)}\n%%EOF\n"
    assert rendered(first + (change + table + end).encode()).text == "The words stood here\r\n"


LAUNCH = "/OpenAction<</S/Launch/F(/bin/true)>>"
SCRIPT = "/Names<</JavaScript<</Names[(a)<</S/JavaScript/JS(app.alert\\(1\\))>>]>>>>"
OUTSIDE = "6 0 obj<</Type/XObject/Subtype/Image/F(/etc/passwd)/Length 0>>stream\n\nendstream endobj"
LINK = "6 0 obj<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/GoToR/F(other.pdf)/D(a)>>>>endobj"
FIELD = "/AcroForm<</Fields[6 0 R]>>"
FIELD_OBJECT = "6 0 obj<</FT/Tx/T(name)/V(filled in)>>endobj"
FILE = (
    "6 0 obj<</Type/Filespec/F(a.txt)/UF(a.txt)/EF<</F 7 0 R>>>>endobj\n"
    "7 0 obj<</Type/EmbeddedFile/Length 2>>stream\nhi\nendstream endobj"
)
ATTACHED = "/Names<</EmbeddedFiles<</Names[(a.txt)6 0 R]>>>>"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (pdf(catalog=LAUNCH), ["launch"]),
        (rebuilt(pdf(page="/Annots[6 0 R]", more=LINK)), ["outside"]),
        (pdf(catalog=SCRIPT), ["scripts"]),
        (rebuilt(pdf(WORDS + "/X Do", more=OUTSIDE)), []),
        (rebuilt(pdf(catalog=FIELD, more=FIELD_OBJECT)), ["form"]),
        (rebuilt(pdf(catalog=ATTACHED, more=FILE)), ["attachments"]),
    ],
    ids=["launch", "other file", "script", "file outside", "form", "attachment"],
)
def test_actions_are_not_run_and_are_reported(content: bytes, told: list[str]) -> None:
    result = rendered(content)
    assert result.text == TEXT
    assert codes(result) == told


LOOPS = [
    pdf().replace(b"/Kids[3 0 R]", b"/Kids[2 0 R]"),
    pdf().replace(b"/Count 1", b"/Count 99999999"),
    pdf().replace(b"/Parent 2 0 R", b"/Parent 3 0 R"),
    rebuilt(
        pdf(
            WORDS + "/X Do",
            more="6 0 obj<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 5"
            "/Resources<</XObject<</X 6 0 R>>>>>>stream\n/X Do\nendstream endobj",
        )
    ),
    pdf().replace(b"/Contents 4 0 R", b"/Contents 3 0 R"),
    pdf(trailer="/Prev 0"),
    pdf("q " * 100_000 + WORDS),
    pdf(page="/MediaBox[0 0 14400 14400]"),
    pdf(page="/MediaBox[0 0 0 0]"),
    pdf(page="/UserUnit 75000"),
]


@pytest.mark.parametrize("content", LOOPS)
def test_loops_and_sizes_end_in_a_text_or_a_refusal(content: bytes) -> None:
    with contextlib.suppress(ParseError):
        assert rendered(content).text in {"", TEXT}


def test_a_page_of_a_million_objects_is_read() -> None:
    lines = zlib.compress(b"0 0 m 9 9 l S\n" * 1_000_000)
    content = pdf(WORDS)
    more = b"6 0 obj<</Filter/FlateDecode/Length %d>>stream\n" % len(lines) + lines
    content = content.replace(b"/Contents 4 0 R", b"/Contents[4 0 R 6 0 R]")
    content = rebuilt(content).replace(b"trailer", more + b"\nendstream endobj\ntrailer")
    assert rendered(content).text == TEXT


def test_pages_without_words_say_so() -> None:
    picture = "q 100 0 0 90 0 0 cm BI/W 1/H 1/BPC 8/CS/G ID \x80 EI Q"
    result = rendered(pdf(picture))
    assert result.text == ""
    assert [notice.text for notice in result.notices] == [
        "there are no words in it: its pages are pictures"
    ]
    assert codes(rendered(pdf("0 0 m 9 9 l S"))) == ["no-words"]


def test_hidden_words_are_read_and_reported() -> None:
    result = rendered(pdf(WORDS.replace("BT", "BT 3 Tr")))
    assert result.text == TEXT
    assert codes(result) == ["hidden-text"]
    assert result.notices[0].text == (
        "20 of 20 characters are hidden, such as those recognised in a scan, on 1 pages; "
        "the first is number 1"
    )


@pytest.mark.parametrize(
    ("font", "said", "above", "below"),
    [
        ("Helvetica", "/Ascent 100/Descent 0", 0.718, 0.207),  # it has a table of its own
        ("Other", "/Ascent 800/Descent -300", 0.8, 0.3),
        ("Other", "/Ascent 800/Descent 300", 0.8, 0.3),
        ("Other", "/Ascent 100/Descent -10", 0.66, 0.17),
        ("Other", "/Ascent 9000/Descent -960", 0.95, 0.35),
        ("Other", "/Ascent 0/Descent 0", 0.95, 0.35),  # PDFium measures A and g
        ("Other", "", 0.95, 0.35),
        ("Other", "/Ascent 709/Descent -234", 0.709, 0.234),  # it says what these two take
    ],
)
def test_boxes_are_as_high_as_fonts_say_with_room_for_letters(
    font: str, said: str, above: float, below: float
) -> None:
    described = f"/{font}/FontDescriptor<</Type/FontDescriptor/Flags 32{said}/FontBBox[0 0 9 9]>>"
    content = pdf().replace(b"/Helvetica", described.encode())
    result = rendered(rebuilt(content))
    [quad] = read_map(result.map).quads(0, len(TEXT))
    line = 99 - 60
    assert quad.top == pytest.approx(line - above * 12, abs=0.06)
    assert quad.bottom == pytest.approx(line + below * 12, abs=0.06)


def packed(objects: bytes, *, first: int, more: str = "") -> bytes:
    """A stream of objects (ISO 32000-1, 7.5.7)."""
    content = zlib.compress(objects)
    head = f"7 0 obj<</Type/ObjStm/N 2/First {first}/Filter/FlateDecode{more}>>stream\r\n".encode()
    return head + content + b"\r\nendstream endobj"


SAYS, OTHER = b"<</Type /FontDescriptor/Ascent 694/Descent 194>>", b"<</Ascent 5/Descent -7>>"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"8 0 obj" + SAYS + b"endobj 9 0 obj" + OTHER, {(694, -194)}),
        (b"<</FontDescriptor 8 0 R>>" + OTHER, set()),
        (b"1 0 obj<</Type/FontDescriptor/Ascent 12 0 R>>endobj", {(0, 0)}),
        (packed(b"8 0 9 49 " + SAYS + b" " + OTHER, first=9), {(694, -194)}),
        (packed(b"8 25 9 0 " + OTHER + b" " + SAYS, first=9), {(694, -194)}),
        (packed(b"8 0 9 49 " + SAYS, first=9)[:90], set()),
        (packed(b"8 0 x 49 " + SAYS, first=9), set()),
        (b"7 0 obj<</Type/ObjStm/First 9>>stream\nnot packed endstream", set()),
        (b"/Type/ObjStm", set()),
        (b"/FontDescriptor", set()),
    ],
)
def test_what_fonts_say_is_read_from_the_octets(content: bytes, said: set[tuple[int, int]]) -> None:
    assert said_heights(content) == said


def test_boxes_of_drawings_have_room_for_more_than_a_and_g() -> None:
    """A font of drawings (type 3) says nothing; PDFium measures these two letters."""
    glyph = "600 0 0 -205 600 716 d1 0 -205 600 921 re f"
    font = (
        "<</Type/Font/Subtype/Type3/FontBBox[0 -205 600 716]/FontMatrix[.001 0 0 .001 0 0]"
        "/FirstChar 65/LastChar 103/Widths[600%s 600]/Encoding<</Differences[65/A 103/g]>>"
        "/CharProcs<</A 6 0 R/g 6 0 R>>>>"
    ) % (" 0" * 37)
    more = f"6 0 obj<</Length {len(glyph)}>>stream\n{glyph}\nendstream endobj"
    content = pdf("BT/F 12 Tf 20 60 Td(AgAg)Tj ET", more=more).replace(FONT.encode(), font.encode())
    result = rendered(rebuilt(content))
    [quad] = read_map(result.map).quads(0, 4)
    assert (quad.left, quad.right) == pytest.approx((20, 20 + 4 * 7.2), abs=0.06)
    assert (quad.top, quad.bottom) == pytest.approx((39 - 0.85 * 12, 39 + 0.3 * 12), abs=0.06)


def test_drawings_reach_to_the_next_glyph() -> None:
    """A font of drawings (type 3) whose matrix is not in its size, and whose ink is narrow."""
    glyph = "600 0 0 0 450 700 d1 0 0 450 700 re f"
    font = (
        "<</Type/Font/Subtype/Type3/FontBBox[0 -43 600 0]/FontMatrix[1 0 0 1 0 0]/FirstChar 97"
        "/LastChar 97/Widths[600]/Encoding<</Differences[97/a]>>/CharProcs<</a 6 0 R>>>>"
    )
    more = f"6 0 obj<</Length {len(glyph)}>>stream\n{glyph}\nendstream endobj"
    content = pdf("BT/F .01 Tf 20 60 Td(aaa)Tj 30 0 Td(aa)Tj ET", more=more)
    result = rendered(rebuilt(content.replace(FONT.encode(), font.encode())))
    assert result.text == "aaa aa\r\n"
    [quad, _] = read_map(result.map).stretches(0, 6)
    size = 7 / 0.9  # of which the height of a glyph is nine tenths
    assert quad[1].top == pytest.approx(39 - 1.08 * size, abs=0.06)
    assert quad[1].bottom == pytest.approx(39 + 0.4 * size, abs=0.06)


def test_hidden_words_over_drawn_ones_are_reported() -> None:
    layer = " " + WORDS.replace("BT", "BT 3 Tr")
    assert codes(rendered(pdf(WORDS + layer))) == []  # PDFium has what is drawn twice once
    assert codes(rendered(pdf(WORDS + layer.replace("60", "20")))) == ["hidden-text"]
    result = rendered(pdf(WORDS + layer.replace("stand", "never")))
    assert codes(result) == ["hidden-text", "hidden-text-differs"]
    assert result.notices[1].text == (
        "1 of 4 hidden words over drawn ones say something else, "
        "the first on page 1: 'never' over 'stand'"
    )


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("linearised", []),
        ("object-streams", []),
        ("opens", ["encrypted"]),
        ("opens-old", ["encrypted"]),
    ],
)
def test_pdfs_of_other_programs_are_read(name: str, told: list[str]) -> None:
    result = rendered((MADE / f"{name}.pdf").read_bytes())
    assert (result.text, codes(result)) == (TEXT, told)


def test_a_password_is_not_guessed() -> None:
    with pytest.raises(ParseError, match="opens without a password"):
        rendered((MADE / "closed.pdf").read_bytes())


def test_characters_without_meaning_are_reported() -> None:
    table = "6 0 obj<</Length 150>>stream\n/CIDInit /ProcSet findresource begin begincmap\n"
    table += "1 begincodespacerange <00> <ff> endcodespacerange\n"
    table += "1 beginbfrange <20> <7e> <e020> endbfrange endcmap\nendstream endobj"
    content = rebuilt(pdf(more=table).replace(b"/Helvetica", b"/Helvetica/ToUnicode 6 0 R"))
    result = rendered(content)
    assert codes(result) == ["encoding"]
    assert "no meaning" in result.notices[0].text


def test_a_glyph_with_a_control_character_is_kept_as_unknown() -> None:
    table = "6 0 obj<</Length 150>>stream\n/CIDInit /ProcSet findresource begin begincmap\n"
    table += "1 begincodespacerange <00> <ff> endcodespacerange\n"
    table += "1 beginbfchar <77> <0013> endbfchar endcmap\nendstream endobj"
    content = rebuilt(pdf(more=table).replace(b"/Helvetica", b"/Helvetica/ToUnicode 6 0 R"))
    assert rendered(content).text == TEXT.replace("w", "\ufffd")


def test_words_beyond_the_page_are_none_of_it() -> None:
    beyond = "BT/F 12 Tf 240 60 Td(and out here)Tj ET"
    assert rendered(pdf(WORDS + " " + beyond)).text == TEXT


def test_a_page_wider_than_the_map_goes_is_answered() -> None:
    content = pdf().replace(b"/MediaBox[0 0 200 99]", b"/MediaBox[0 0 200000000 99]")
    assert rendered(rebuilt(content)).text == TEXT


def test_fonts_of_drawings_are_as_large_as_they_are_drawn() -> None:
    stroke = "50 0 0 0 44 60 d1 0 0 44 60 re f"
    font = (
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 50 60]/FontMatrix[1 0 0 1 0 0]/FirstChar 97"
        "/LastChar 98/Widths[50 50]/CharProcs<</a 6 0 R/b 6 0 R>>"
        "/Encoding<</Type/Encoding/Differences[97/a/b]>>>>"
    )
    more = f"6 0 obj<</Length {len(stroke)}>>stream\n{stroke}\nendstream endobj"
    words = "BT/F .12 Tf 20 60 Td(abba)Tj 36 0 Td(ba)Tj ET"
    content = rebuilt(pdf(words, more=more).replace(FONT.encode(), font.encode()))
    assert rendered(content).text == "abba ba\r\n"
