"""Drawn text: rules of docs/explanation/the-words-of-drawn-pages.md by number."""

from __future__ import annotations

import pytest

from permacite.errors import LimitError, ParseError
from permacite.renditions.drawn import DRAWN_TEXT, Drawing, draw, read_map

TEXT, LINE, APART, BREAK, ROW, ROW_END, CELL, CELL_END, FRAME = range(9)
COLLAPSED, PRESERVED, LINES = range(3)


def drawn(*flow: int | str, mode: int = COLLAPSED) -> str:
    """The text of a flow in which texts stand as they are; line ends as LF."""
    pieces, numbers = ["<p>"], list[int]()
    for item in flow:
        if isinstance(item, str):
            numbers += [TEXT, len(pieces) // 2, mode]
            pieces += [item, "</p>"]
        else:
            numbers.append(item)
    return draw({0: Drawing(pieces, numbers)}, {})[1].text.replace("\r\n", "\n")


RULES = [
    # rule, flow, text (line ends as LF here)
    ("2-order-of-drawing", ["a", "b"], "ab\n"),
    ("4-white-space-is-one-space", ["a \n", "\t b", "  "], "a b\n"),
    ("4-none-at-edges", [LINE, " a ", LINE, " b ", LINE], "a\nb\n"),
    ("4-no-break-spaces-stay", ["a\xa0 b"], "a\xa0 b\n"),
    ("4-nul-is-dropped", ["a\0b"], "ab\n"),
    ("5-break", ["a", BREAK, "b", BREAK, BREAK, BREAK, "c"], "a\nb\n\nc\n"),
    ("5-blocks", [LINE, "a", LINE, LINE, "b", LINE], "a\nb\n"),
    ("5-paragraphs", [APART, "a", APART, LINE, "b", LINE], "a\n\nb\n"),
    ("5-nothing", [APART, " ", APART, BREAK], ""),
    ("6-cells", [ROW, CELL, "a", CELL_END, CELL, "b", CELL_END, ROW_END, "c"], "a\tb\nc\n"),
    ("6-empty-within", [ROW, CELL, "a", CELL_END, CELL, CELL_END, CELL, "b", CELL_END], "a\t\tb\n"),
    ("6-empty-at-edges", ["x", ROW, CELL, CELL_END, CELL, "a", CELL_END, CELL, ROW_END, "b"],
     "x\na\nb\n"),
    ("6-blocks-at-edges", [ROW, CELL, APART, "a", APART, CELL_END, CELL, LINE, "b", LINE, CELL_END],
     "a\tb\n"),
    ("6-blocks-within", [ROW, CELL, "a", APART, "b", CELL_END, CELL, "c"], "a\n\nb\tc\n"),
    ("6-table-in-a-cell", [ROW, CELL, "a", ROW, CELL, "b", CELL_END, CELL, "c", CELL_END, ROW_END,
     CELL_END, CELL, "d", CELL_END, ROW_END, "e"], "a\nb\tc\td\ne\n"),
    ("6-cell-without-a-row", [CELL, "a", CELL_END, CELL, "b", CELL_END], "a\nb\n"),
]  # fmt: skip


@pytest.mark.parametrize(("flow", "text"), [each[1:] for each in RULES], ids=[r[0] for r in RULES])
def test_rules(flow: list[int | str], text: str) -> None:
    assert drawn(*flow) == text


def test_white_space_that_is_kept() -> None:
    assert drawn(LINE, "\n\n  a\n\tb  ", LINE, "c", mode=PRESERVED) == "  a\n\tb\nc\n"
    assert drawn("a  \n\n\n  b  c", mode=LINES) == "a\n\nb c\n"


def test_frames_are_in_place_and_each_once() -> None:
    flow = [TEXT, 0, 0, LINE, FRAME, 1, LINE, TEXT, 1, 0, FRAME, 1]
    page = Drawing(["<p>", "a", "<iframe>", "b", ""], flow)
    inner = Drawing(["<p>", "in", ""], [TEXT, 0, 0, FRAME, 0, FRAME, 7])
    sources, rendered = draw({0: page, 1: inner}, {})
    assert rendered.text == "a\r\nin\r\nb\r\n"
    assert [sources[0].text, sources[1].text] == ["<p>a<iframe>b", "<p>in"]


def test_the_map_leads_back() -> None:
    page = Drawing(
        ["<p>", "x  <b> & \U0001f600", "</p>", "y", ""], [FRAME, 1, LINE, TEXT, 1, 0, TEXT, 0, 0]
    )
    inner = Drawing(["<i>", "in", ""], [TEXT, 0, 0])
    sources, rendered = draw({0: page, 1: inner}, {})
    assert rendered.text == "in\r\nyx <b> & \U0001f600\r\n"
    assert sources[0].text == "<p>x  &lt;b> &amp; \U0001f600</p>y"
    places = read_map(rendered.map)
    shown = [
        "".join(sources[part].text[a:b] for part, a, b in places.places(at, at + 1))
        for at in range(13)
    ]
    assert shown == ["i", "n", "", "", "y", "x", "", "&", "b", ">", " ", "&", " "]
    assert [places.position(0, at) for at in (3, 4, 6, 30)] == [5, None, 7, None]
    assert places.position(1, 4) == 1


def test_what_cannot_be_written_is_replaced() -> None:
    sources, rendered = draw({0: Drawing(["<p \ud800>", "a\udc00\r", ""], [TEXT, 0, 0])}, {})
    assert sources[0].text == "<p \ufffd>a\ufffd&#13;"
    assert rendered.text == "a\ufffd\r\n"


@pytest.mark.parametrize("flow", [[TEXT], [TEXT, 5, 0], [TEXT, -1, 0]])
def test_what_is_no_drawing_is_refused(flow: list[int]) -> None:
    with pytest.raises(ParseError):
        draw({0: Drawing(["", "a", ""], flow)}, {})
    with pytest.raises(ParseError):
        Drawing(["", "a"], [])
    with pytest.raises(LimitError):
        draw({number: Drawing([""], []) for number in range(1001)}, {})


def test_the_rules_have_a_name() -> None:
    assert DRAWN_TEXT == "drawn-text/1"
