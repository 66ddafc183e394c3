"""Texts of any kind are shown by lines, marked and cited by them, and long ones by pieces."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.archives import Archive
from tests.faces.selecting import Chromium, cite_random, squeezed
from tests.faces.sharing import archive, running

from permacite.markup import Document
from permacite.service.reader.marking import MarkedSpans
from permacite.service.reader.texts import text_sheet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Browser, Page
    from tests.faces.conftest import Running

    from permacite.text.entity import DocumentText

__all__ = ["archive", "running"]  # fixtures
pytestmark = pytest.mark.engines(deep=True)

FILES = {
    "notes.txt": "The first line.\nThe second, with words.\n\tThe third, behind a tab.\n",
    "notes.md": "# Title\n\nSome *words* here.\n\n\u05e9\u05dc\u05d5\u05dd\nThe end.\n",
    "table.csv": "name,year\r\nAnn,1990\r\nBo,2001\r\n",
    "part.py": "def word():\n\treturn 'words'\n\n\nword()\n",
    "page.css": "a {\n  color: red;\n}\n",
}


@pytest.fixture
def texts(archive: Path) -> dict[str, str]:
    """Archive a text of each kind; their names by file."""
    with Archive.open(archive) as service:
        return {name: service.add(text.encode(), name=name).pdi for name, text in FILES.items()}


@pytest.mark.parametrize("name", FILES)
def test_what_is_cited_is_marked_in_every_kind_of_text(
    archive: Path, texts: dict[str, str], name: str
) -> None:
    text = FILES[name].replace("\r\n", "\n")
    with Archive.open(archive) as service:
        cited = service.cite(texts[name], line="1,3")
        reading = service.documents.reader.read(cited.reference, text=True)
    assert reading.is_text
    assert reading.text is not None
    assert reading.passage is not None
    assert reading.passage.quote == cited.quote
    lines = reading.text.lines
    assert [line.number for line in lines] == list(range(1, text.count("\n") + 1))
    assert "".join(piece.text for line in lines for piece in line.pieces) == text
    marked = [piece.text for line in lines for piece in line.pieces if piece.marked]
    assert "".join(marked) == "".join(text.splitlines(keepends=True)[1:3])


def _text(source: str) -> DocumentText:
    return Document(source.encode(), "text/plain", "utf-8").text


LONG = "".join(f"{number}: naïve words\n" for number in range(40_000))


def test_pieces_of_a_long_text_follow_each_other() -> None:
    document = _text(LONG)
    at: int | None = 0
    number, shown = 1, []
    while at is not None:
        piece = text_sheet(document, MarkedSpans(), at)
        assert (piece.start, piece.lines[0].number) == (at, number)
        assert piece.end - piece.start <= 130_000
        shown += [part.text for line in piece.lines for part in line.pieces]
        number = piece.lines[-1].number + 1
        at = piece.after
    assert "".join(shown) == LONG


def test_a_piece_is_around_what_is_marked() -> None:
    document = _text(LONG)
    start = document.text.index("30000: ")
    piece = text_sheet(document, MarkedSpans(((start, start + 12),)), None)
    line = next(line for line in piece.lines if any(part.marked for part in line.pieces))
    assert line.number == 30_001
    assert [part.text for part in line.pieces if part.marked] == ["30000: naïve"]
    assert piece.before is not None
    assert piece.after is not None
    assert text_sheet(document, MarkedSpans(), len(document.text) + 5).after is None


@pytest.mark.parametrize("length", [0, 1, 119_999, 120_000, 120_001, 500_000])
def test_a_line_without_an_end_is_cut(length: int) -> None:
    document = _text("x" * length)
    at: int | None = 0
    shown = 0
    while at is not None:
        piece = text_sheet(document, MarkedSpans(), at)
        assert [line.number for line in piece.lines] == [1]
        shown += sum(len(part.text) for part in piece.lines[0].pieces)
        at = piece.after
    assert shown == length


def test_positions_are_carets_in_their_lines() -> None:
    document = _text("ab\ncd")
    for place, number in ((0, 1), (2, 1), (4, 2), (6, 2)):
        piece = text_sheet(document, MarkedSpans(((place, place),), caret=True), None)
        (line,) = [line for line in piece.lines if any(part.marked for part in line.pieces)]
        assert line.number == number


@pytest.mark.browser
def test_lines_are_marked_and_cited_by_their_numbers(
    texts: dict[str, str], running: Running, page: Page
) -> None:
    page.goto(f"{running.base}/{texts['notes.md']}")
    assert page.locator("iframe").count() == 0
    page.locator("a.number[data-line='3']").click()
    assert page.locator("#text mark").all_text_contents() == ["Some *words* here.\n"]
    page.locator("a.number[data-line='5']").click(modifiers=["Shift"])
    page.wait_for_url("**line=2,5*")
    page.locator(".passage form button").click()
    page.wait_for_url("**fragment=char=*")
    marked = "".join(page.locator("#text mark").all_text_contents())
    assert marked == "Some *words* here.\n\n\u05e9\u05dc\u05d5\u05dd\n"
    assert page.locator("#citations li[aria-current]").count() == 1
    axe = Axe().run(page)
    assert axe.violations_count == 0, axe.generate_report()


COLOURED = """() => Object.fromEntries([...CSS.highlights].map(([name, ranges]) => [
    name.replace("code-", ""),
    [...ranges].map(({ startContainer, startOffset, endContainer, endOffset }) => {
        const range = new Range();
        range.setStart(startContainer, startOffset);
        range.setEnd(endContainer, endOffset);
        return range.toString();
    }),
]))"""

COLOURS = [
    # file, its text, what is told apart in it
    ("a.py", "def word():\n\treturn 'it' # 7\n'''\n42'''\n",
     {"word": ["def", "return"], "string": ["'it'", "'''\n42'''"], "comment": ["# 7"]}),
    ("a.c", '/* if\n0 */ int a = 0x1F; // else "b"\n',
     {"comment": ["/* if\n0 */", '// else "b"'], "number": ["0x1F"]}),
    ("a.sql", "select 'it' 3 -- from\n",
     {"word": ["select"], "string": ["'it'"], "number": ["3"], "comment": ["-- from"]}),
    ("a.md", "# Light\n\nSome `code`, if [here](b)\n> quoted\n",
     {"word": ["# Light"], "string": ["`code`"], "number": ["[here](b)"], "comment": ["> quoted"]}),
    ("a.txt", "if 'it' # 7\n", {}),
]  # fmt: skip


@pytest.mark.browser
@pytest.mark.parametrize(("name", "text", "told"), COLOURS, ids=[row[0] for row in COLOURS])
def test_source_code_has_colours_and_stays_as_it_is(
    archive: Path, running: Running, page: Page, name: str, text: str, told: dict[str, list[str]]
) -> None:
    with Archive.open(archive) as service:
        pdi = service.add(text.encode(), name=name).pdi
    page.goto(f"{running.base}/{pdi}")
    found = page.evaluate(COLOURED)
    assert {kind: words for kind, words in found.items() if words} == told
    assert page.locator("#text").text_content() == text


@pytest.mark.browser
def test_colours_take_no_time_over_what_has_no_end(
    archive: Path, running: Running, page: Page
) -> None:
    with Archive.open(archive) as service:
        for piece, ending in (('\\"', "c"), ("\\`", "c"), ("<!--", "md"), ("[](", "md")):
            name = service.add((piece * 40_000).encode(), name=f"a.{ending}").pdi
            page.goto(f"{running.base}/{name}")
            assert page.evaluate("CSS.highlights.size") == 4


@pytest.mark.browser
def test_numbers_are_in_nothing_that_is_selected(
    texts: dict[str, str], running: Running, page: Page
) -> None:
    page.goto(f"{running.base}/{texts['part.py']}")
    selected = page.evaluate(
        """() => {
            getSelection().selectAllChildren(document.querySelector("#text"));
            return getSelection().toString();
        }"""
    )
    assert selected.strip() == FILES["part.py"].strip()
    page.locator("#cite").click()
    page.wait_for_url("**fragment=*")
    assert page.locator(".passage .name").inner_text().endswith("#char=0,42")


@pytest.mark.browser
def test_one_citation_in_a_text_follows_another(
    archive: Path, running: Running, page: Page, times: Callable[[int, int], int]
) -> None:
    choose = random.Random(1)  # noqa: S311 - the same each time
    reader = Chromium(page)
    with Archive.open(archive) as service:
        for name, text in [("part.py", FILES["part.py"]), ("long.log", LONG)]:
            reader.open(f"{running.base}/{service.add(text.encode(), name=name).pdi}")
            gestures = [cite_random(reader, choose, (3, 30)) for _ in range(times(2, 4))]
            for gesture in filter(None, gestures):
                assert gesture.trouble == ""
                cited = service.resolve(gesture.reference).text or ""
                assert squeezed(cited) == squeezed(gesture.words)
            assert any(gestures)


@pytest.mark.browser
def test_lines_are_typed_without_scripts(
    texts: dict[str, str], running: Running, browser: Browser
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{running.base}/{texts['table.csv']}?show=text")
    page.locator("#first").fill("2")
    page.locator("form.frames button").click()
    assert page.locator("#text mark").all_text_contents() == ["Ann,1990\n"]
    page.locator(".passage form button").click()
    assert urlsplit(page.url).query == "fragment=char=11,21"
    context.close()


@pytest.mark.browser
def test_a_piece_of_a_long_text_is_cited_by_its_place(
    archive: Path, running: Running, page: Page
) -> None:
    with Archive.open(archive) as service:
        name = service.add(LONG.encode(), name="long.log").pdi
    page.goto(f"{running.base}/{name}?rfc5147=line=30000,30001")
    assert page.locator("#text .line").count() < 10_000
    page.evaluate(
        """() => {
            const node = document.querySelector("#text mark").firstChild;
            getSelection().setBaseAndExtent(node, 7, node, 12);
        }"""
    )
    page.locator("#cite").click()
    page.wait_for_url("**fragment=*")
    reference = page.locator(".passage .name").inner_text()
    with Archive.open(archive) as service:
        resolved = service.resolve(reference)
    start = LONG.replace("\n", "\r\n").index("30000: ") + 7
    assert (resolved.text, resolved.start) == ("naïve", start)
    page.locator("nav.pieces a[rel=next]").click()
    page.wait_for_url("**at=*")
    assert page.locator("nav.pieces a[rel=prev]").count() == 1
