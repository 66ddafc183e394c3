"""Documents in a real browser: the passage marked, labels beside it, words selected."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.faces.selecting import Chromium, cite_random, page_frame, squeezed
from tests.faces.test_documents import BOOK, LIGHT, run
from tests.faces.test_reader import address

from permacite.service.archive import Archive
from permacite.service.proofs.proofs import check

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.faces.conftest import Running, Site

pytestmark = pytest.mark.browser


def test_the_passage_is_marked_with_its_labels_beside(
    archive: Path, running: Running, page: Page
) -> None:
    with Archive.open(archive) as held:
        cited = held.cite(held.add(BOOK, name="light.tei").pdi, quote="on the water")
    page.goto(address(running, cited.reference))
    frame = page_frame(page)
    mark = frame.locator("mark")
    expect(mark).to_be_in_viewport()
    assert mark.inner_text() == "on the water"
    told = frame.locator(".label").evaluate_all("labels => labels.map(l => l.dataset.label)")
    assert told == ["p. xvii, chapter 2", "p. 18"]
    assert frame.locator("pre").evaluate("pre => pre.textContent").count("p. 18") == 0
    expect(page.locator(".printed")).to_have_text("pp. xvii-18, chapter 2")
    with page.expect_download() as download:
        page.locator(".made-from a").click()
    assert download.value.path().read_bytes() == BOOK


def test_a_value_of_json_is_marked_beside_its_pointer(
    archive: Path, running: Running, page: Page
) -> None:
    with Archive.open(archive) as held:
        cited = held.cite(held.add(LIGHT, name="light.json").pdi, quote="on the water")
    page.goto(address(running, cited.reference))
    frame = page_frame(page)
    assert frame.locator("mark").inner_text() == "on the water"
    told = frame.locator(".label").evaluate_all("labels => labels.map(l => l.dataset.label)")
    assert told == ["pointer /title", "pointer /verses/0/line", "pointer /verses/0/no"]


def test_an_element_is_marked_in_the_source(archive: Path, running: Running, page: Page) -> None:
    with Archive.open(archive) as held:
        cited = held.cite(held.add(BOOK, name="light.tei").pdi.replace("utf-8", "tei"), elt="10,10")
    page.goto(address(running, cited.reference))
    assert page_frame(page).locator("mark").first.inner_text().startswith("<p>It falls.")


def test_what_is_selected_among_labels_is_what_is_cited(
    archive: Path, running: Running, page: Page
) -> None:
    with Archive.open(archive) as held:
        name = held.add(BOOK, name="light.tei").pdi
    choose = random.Random(7)  # noqa: S311 - no secret
    for _ in range(5):
        page.goto(f"{running.base}/{name}")
        gesture = cite_random(Chromium(page), choose, (5, 40))
        assert gesture is not None
        assert gesture.trouble == ""
        with Archive.open(archive) as held:
            assert squeezed(held.resolve(gesture.reference).text or "") == squeezed(gesture.words)


def test_by_keyboard_alone(archive: Path, running: Running, page: Page) -> None:
    with Archive.open(archive) as held:
        name = held.add(BOOK, name="light.tei").pdi
    page.goto(f"{running.base}/{name}")
    page.locator("#quote").focus()
    page.keyboard.type("falls on the water")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("Cited")
    with Archive.open(archive) as held:
        (cited,) = held.show(name).citations
    assert (cited.quote, cited.labels[0].told) == ("falls on the water", "pp. xvii-18")


GOLDEN = Path(__file__).parents[1] / "golden"
MAIL = b"""From: Jane Roe <jane@lab.example.us>\r
Subject: On light\r
MIME-Version: 1.0\r
Content-Type: text/html; charset=utf-8\r
\r
<p>The light <i>falls on</i> the water.</p>\r
"""
FORMATS = [
    # file, its octets, words in it, octets that are other ones later
    ("rays.csv", b"ray,angle\nred,42 degrees\nblue,none\n", "42 degrees", (b"42", b"43")),
    ("light.json", LIGHT, "on the water", (b"the w", b"white w")),
    ("light.tei", BOOK, "on the water", (b"water", b"lake")),
    ("report.docx", GOLDEN / "office/pandoc.docx", "A second paragraph", (b"second", b"third")),
    ("report.odt", GOLDEN / "office/pandoc.odt", "A second paragraph", (b"second", b"third")),
    ("report.epub", GOLDEN / "office/pandoc.epub", "A second paragraph", (b"second", b"third")),
    ("report.ipynb", GOLDEN / "office/pandoc.ipynb", "A second paragraph", (b"second", b"third")),
    ("light.eml", MAIL, "falls on the water", (b"falls", b"fell")),
    ("hyphens.pdf", GOLDEN / "pdf/hyphens.pdf", "extraordinary circumspection", (b"%PDF", b"%PDF")),
    ("light.md", b"# Light\n\nIt *falls* on the water.\n", "on the water", (b"water", b"lake")),
    ("light.py", b"def falls():\n    return 'water'\n", "return 'water'", (b"water", b"lake")),
]


@pytest.mark.parametrize(("name", "held", "words", "change"), FORMATS, ids=[f[0] for f in FORMATS])
def test_from_a_file_to_a_proof_and_back(
    name: str, held: bytes | Path, words: str, change: tuple[bytes, bytes], archive: Path,
    site: Site, running: Running, page: Page, tmp_path: Path,
) -> None:  # fmt: skip
    content = held if isinstance(held, bytes) else held.read_bytes()
    changed = _with_other_words(content, *change)
    if name.endswith(".pdf"):
        changed = (GOLDEN / "pdf/ligatures.pdf").read_bytes()
    file = tmp_path / name
    file.write_bytes(content)
    address_ = site.put(f"/{name}", _TYPES.get(file.suffix, "text/plain"), content)
    imported = run(archive, "import", str(file), "--uri", address_)
    assert imported.returncode == 0, imported.stderr
    assert "cite words" in imported.stderr
    document = imported.stdout.split()[0]

    page.goto(f"{running.base}/{document}")
    page.locator("#quote").focus()
    page.keyboard.type(words)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("Cited")
    with Archive.open(archive) as reader:
        (cited,) = reader.show(document).citations
        assert squeezed(cited.quote) == squeezed(words)
        assert reader.resolve(cited.reference).text == cited.quote
        assert reader.verify(cited.reference).ok
        assert check(reader.prove(cited.reference)).holds
        assert reader.check(document, allow_private=True).passages[0].status == "verified"
        site.put(f"/{name}", _TYPES.get(file.suffix, "text/plain"), changed)
        assert reader.check(document, allow_private=True).passages[0].status != "verified"

    page.goto(address(running, cited.reference))
    inside = page_frame(page) if page.locator("#page").count() else page
    marks = inside.locator("#text mark, #grid mark") if inside is page else inside.locator("mark")
    expect(marks.first).to_be_in_viewport()
    if not name.endswith(".pdf"):  # of a drawn page boxes are marked: see test_pages_browser
        assert squeezed("".join(marks.all_text_contents())) == squeezed(words)


_TYPES = {
    ".csv": "text/csv", ".json": "application/json", ".tei": "application/tei+xml",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".odt": "application/vnd.oasis.opendocument.text", ".epub": "application/epub+zip",
    ".ipynb": "application/x-ipynb+json", ".eml": "message/rfc822", ".pdf": "application/pdf",
    ".md": "text/markdown", ".py": "text/x-python",
}  # fmt: skip


def _with_other_words(content: bytes, old: bytes, new: bytes) -> bytes:
    """The same document with other words, in the entries of a zip too."""
    if not content.startswith(b"PK"):
        return content.replace(old, new)
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(made, "w") as after:
        for entry in before.infolist():
            after.writestr(entry, before.read(entry).replace(old, new))
    return made.getvalue()
