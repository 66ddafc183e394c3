"""Tables (CSV) in the reader: by rows and columns, marked, and cited by what is selected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.archives import Archive

from permacite import pdi
from permacite.extract.structure import CellTable
from permacite.service.reader.marking import MarkedSpans
from permacite.service.reader.texts import table_sheet

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page
    from tests.faces.conftest import Running

pytestmark = pytest.mark.engines(deep=True)

RAIN = (
    'day,"rain, mm",place\r\nMonday,3,Galway\r\nTuesday,"4\r\n5","the ""old"" pier"\r\n'
    "Wednesday,,Cork,extra\r\n"
)
LONG = "number,square\r\n" + "".join(f"{n},{n * n}\r\n" for n in range(2, 1501))


@pytest.fixture
def tables(archive: Path) -> dict[str, str]:
    """Archive a small table and a long one; their names."""
    with Archive.open(archive) as service:
        files = {"rain": RAIN, "long": LONG, "empty": ""}
        return {
            name: service.add(text.encode(), name=f"{name}.csv", charset="utf-8").pdi
            for name, text in files.items()
        }


CITED = [
    # what is cited, how it is told beside it, the cells that are marked
    ({"row": "3"}, "row 3", ["3,1", "3,2", "3,3"]),
    ({"col": "2"}, "column rain, mm", ["1,2", "2,2", "3,2", "4,2"]),
    ({"cell": "2,2-3,3"}, "rows 2-3, columns rain, mm-place", ["2,2", "2,3", "3,2", "3,3"]),
    ({"cell": "4,4"}, "row 4, column 4", ["4,4"]),
    ({"quote": "Galway"}, "row 2, column place", ["2,3"]),
    ({"quote": "Monday,3"}, "row 2, columns day-rain, mm", ["2,1", "2,2"]),
    ({"quote": "Galway Tuesday"}, "rows 2-3", ["2,3", "3,1"]),
]


@pytest.mark.parametrize(("part", "told", "cells"), CITED)
def test_what_is_cited_is_marked_and_told(
    archive: Path, tables: dict[str, str], part: dict[str, Any], told: str, cells: list[str]
) -> None:
    with Archive.open(archive) as service:
        cited = service.cite(tables["rain"], **part)
        reading = service.documents.reader.read(cited.reference)
        assert service.verify(cited.reference).ok
        assert told in cited.forms.sentence
    assert ", ".join(label.told for label in cited.labels) == told
    assert reading.printed == cited.labels
    assert reading.table is not None
    assert reading.table.first is not None
    rows = [reading.table.first, *reading.table.rows]
    marked = [f"{row.number},{cell.column}" for row in rows for cell in row.cells if cell.is_marked]
    assert marked == cells


def test_rows_follow_each_other_by_pieces() -> None:
    table = CellTable(LONG)
    at: int | None = None
    numbers: list[int] = []
    while not numbers or at is not None:
        piece = table_sheet(table, None, MarkedSpans(), at)
        assert piece.first is not None
        assert piece.first.cells[0].pieces[0].text == "number"
        numbers += [row.number for row in piece.rows]
        at = piece.after
    assert numbers == list(range(2, 1501))
    name = pdi.parse("urn:pdi://lab.example.us/2026/11/21/1.csv.1#row=1200")
    assert isinstance(name, pdi.FragmentPDI)
    around = table_sheet(table, name, MarkedSpans(), None)
    assert [row.number for row in around.rows if row.cells[0].is_marked] == [1200]
    assert around.before is not None
    assert table_sheet(table, None, MarkedSpans(), 9999).rows[-1].number == 1500
    assert table_sheet(CellTable(""), None, MarkedSpans(), None).is_whole


def test_a_hostile_table_is_shown_in_part() -> None:
    wide = table_sheet(CellTable("," * 5000 + "\r\n" + "x" * 5000), None, MarkedSpans(), None)
    assert wide.first is not None
    assert (len(wide.first.cells), wide.first.hidden, wide.width) == (200, 4801, 200)
    assert wide.rows[0].cells[0].is_cut
    many = table_sheet(CellTable((",,,,,,,,," * 10 + "\r\n") * 600), None, MarkedSpans(), None)
    assert sum(len(row.cells) for row in many.rows) < 21_000
    assert many.after is not None


SELECT = """([first, last]) => {
  const at = ([cell, offset]) => {
    const text = document.querySelector(`[data-cell="${cell}"]`);
    return [text.firstChild, offset < 0 ? text.textContent.length : offset];
  };
  document.getSelection().setBaseAndExtent(...at(first), ...at(last));
}"""

SELECTED = [
    # from where to where; what becomes of it
    (("2,1", 0), ("3,2", -1), "cell=2,1-3,2"),
    (("2,3", 0), ("2,3", -1), "cell=2,3"),
    (("2,3", 0), ("2,3", 3), f"char={RAIN.index('Galway')},{RAIN.index('Galway') + 3}"),
    (("3,2", 2), ("3,2", 3), f"char={RAIN.index('5')},{RAIN.index('5') + 1}"),
    (("3,3", 0), ("3,3", 3), "cell=3,3"),
    (("1,2", 0), ("2,1", -1), "cell=1,1-2,2"),
]


@pytest.mark.browser
def test_what_is_selected_is_cited(tables: dict[str, str], running: Running, page: Page) -> None:
    for first, last, fragment in SELECTED:
        page.goto(f"{running.base}/{tables['rain']}")
        page.evaluate(SELECT, [first, last])
        page.locator("#bar button").click()
        page.wait_for_url(f"**fragment={fragment}")
        page.locator(".forms").wait_for()
        assert page.locator("#grid mark").count()
        assert page.locator(".name code").inner_text() == f"{tables['rain']}#{fragment}"


@pytest.mark.browser
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_rows_and_cells_are_cited_by_keyboard(
    tables: dict[str, str],
    running: Running,
    browser: Browser,
    scripts: bool,  # noqa: FBT001 - a column
) -> None:
    context = browser.new_context(
        java_script_enabled=scripts, viewport={"width": 390, "height": 844}, color_scheme="dark"
    )
    page = context.new_page()
    page.goto(f"{running.base}/{tables['rain']}")
    page.get_by_role("link", name="Row 3").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**fragment=row=3")
    assert page.locator("#grid td.marked").count() == 3
    page.locator(".passage button", has_text="Cite this").focus()
    page.keyboard.press("Enter")
    page.locator(".forms").wait_for()
    page.locator("#cell").focus()
    page.keyboard.type("2,1 - 3,1")
    page.keyboard.press("Enter")
    page.wait_for_url("**fragment=cell=2,1-3,1")
    page.locator("#citations li[aria-current]").wait_for()
    assert page.locator("#grid td.marked").all_inner_texts() == ["Monday", "Tuesday"]
    if scripts:
        axe = Axe().run(page)
        assert axe.violations_count == 0, axe.generate_report()
    context.close()


@pytest.mark.browser
def test_a_long_table_leads_on(tables: dict[str, str], running: Running, page: Page) -> None:
    page.goto(f"{running.base}/{tables['long']}?fragment=row=1200")
    assert page.locator("#grid td.marked").all_inner_texts() == ["1200", "1440000"]
    assert page.locator("#permacite-mark").is_visible()
    page.get_by_role("link", name="The rows before").click()
    assert page.get_by_role("link", name="Row 700").count() == 1
    assert page.locator("thead th").all_inner_texts()[1:] == ["number", "square"]
    page.goto(f"{running.base}/{tables['empty']}")
    assert page.locator("#grid").is_visible()
    page.get_by_role("link", name="Text").click()
    assert page.locator("#text").count() == 1
