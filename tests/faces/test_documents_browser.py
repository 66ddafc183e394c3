"""Documents in a real browser: the passage marked, labels beside it, words selected."""

from __future__ import annotations

import io
import json
import random
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.faces.selecting import Chromium, cite_random, page_frame, squeezed
from tests.faces.test_documents import BOOK, LIGHT
from tests.faces.test_reader import address
from tests.papers import Sheet, paper

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from tests.faces.conftest import Outcome, Running, Site

    Cli = Callable[..., Outcome]

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
    within = frame.locator(".label.within")  # beside the line it would lie over the other one
    assert within.get_attribute("data-label") == "p. 18"
    assert within.evaluate("it => getComputedStyle(it, '::before').position") == "static"
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
JATS = b"""<article><front><article-meta><title-group><article-title>On Light</article-title>
</title-group></article-meta></front><body><sec><title>Rays</title>
<p>It falls on the water.</p><p>Blue.</p></sec></body></article>"""
SVG = b"""<svg xmlns="http://www.w3.org/2000/svg"><title>On Light</title>
<text>It falls on the water</text><text y="9">Blue</text></svg>"""
SHEET = ((40, 350, "It falls on the water"), (40, 100, "Blue"))
PDF = paper(Sheet(SHEET))
FORMATS = [
    # file, its octets, words in it, octets that are other ones later: elsewhere, in the words
    ("rays.csv", b"ray,angle\nred,42 degrees\nblue,none\n", "42 degrees",
     (b"blue", b"teal"), (b"42", b"43")),
    ("light.json", LIGHT, "on the water", (b"On Light", b"On Waves"), (b"the w", b"white w")),
    ("light.tei", BOOK, "on the water", (b"Roe", b"Doe"), (b"water", b"lake")),
    ("light.nxml", JATS, "on the water", (b"Blue", b"Teal"), (b"water", b"lake")),
    ("light.svg", SVG, "on the water", (b"Blue", b"Teal"), (b"water", b"lake")),
    ("light.xml", b"<a><b>It falls on the water</b> Blue</a>", "on the water",
     (b"Blue", b"Teal"), (b"water", b"lake")),
    ("report.docx", GOLDEN / "office/pandoc.docx", "A second paragraph",
     (b"nested", b"tested"), (b"second p", b"third p")),
    ("report.odt", GOLDEN / "office/pandoc.odt", "A second paragraph",
     (b"nested", b"tested"), (b"second p", b"third p")),
    ("report.epub", GOLDEN / "office/pandoc.epub", "A second paragraph",
     (b"nested", b"tested"), (b"second p", b"third p")),
    ("report.ipynb", GOLDEN / "office/pandoc.ipynb", "A second paragraph",
     (b"nested", b"tested"), (b"second p", b"third p")),
    ("light.eml", MAIL, "falls on the water", (b"The light", b"One light"), (b"falls", b"fell")),
    ("light.pdf", PDF, "on the water", (b"Blue", b"Teal"), (b"water", b"lakes")),
    ("light.md", b"# Light\n\nIt *falls* on the water.\n", "on the water",
     (b"Light", b"Waves"), (b"water", b"lake")),
    ("light.py", b"def falls():\n    return 'water'\n", "return 'water'",
     (b"falls", b"rises"), (b"water", b"lake")),
    ("light.txt", b"It falls on the water.\nBlue.\n", "on the water",
     (b"Blue", b"Teal"), (b"water", b"lake")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "held", "words", "elsewhere", "change"), FORMATS, ids=[f[0] for f in FORMATS]
)
def test_from_a_file_to_a_proof_and_back(
    name: str, held: bytes | Path, words: str, elsewhere: tuple[bytes, bytes],
    change: tuple[bytes, bytes], cli: Cli, site: Site, running: Running, page: Page,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    content = held if isinstance(held, bytes) else held.read_bytes()
    file = tmp_path / name
    file.write_bytes(content)
    kind = _TYPES.get(file.suffix, "text/plain")
    imported = cli("import", str(file), "--uri", site.put(f"/{name}", kind, content))
    assert imported.status == 0, imported.err
    assert "cite words" in imported.err
    document = imported.out.split()[0]

    reference = _cited_by_keys(page, running, document, words)
    cited = json.loads(cli("cite", document, "--quote", words, "--json").out)
    assert cited["reference"] == reference
    assert squeezed(cited["quote"]) == squeezed(words)
    resolved = json.loads(cli("resolve", reference, "--json").out)
    assert (resolved["text"], resolved["exact"]) == (cited["quote"], reference)
    assert cli("verify", reference).status == 0
    proof = str(tmp_path / "proof.zip")
    assert cli("prove", reference, "-o", proof).status == 0
    with monkeypatch.context() as away:
        away.setenv("PERMACITE_ARCHIVE", str(tmp_path / "none"))
        assert cli("verify", proof).status == 0
    for pair, status in ((None, 0), (elsewhere, 0), (change, 1)):
        site.put(f"/{name}", kind, _with_other_words(content, *pair) if pair else content)
        checked = cli("check", document, "--allow-private", "--json")
        assert checked.status == status, checked.out
        assert json.loads(checked.out)["same_bytes"] == (pair is None)

    page.goto(address(running, reference))
    inside = page_frame(page) if page.locator("#page").count() else page
    marks = inside.locator("#text mark, #grid mark") if inside is page else inside.locator("mark")
    expect(marks.first).to_be_in_viewport()
    if not name.endswith(".pdf"):  # of a drawn page boxes are marked: see test_pages_browser
        assert squeezed("".join(marks.all_text_contents())) == squeezed(words)


def _cited_by_keys(page: Page, running: Running, document: str, words: str) -> str:
    """The name of words that are typed and cited in the reader, without a mouse."""
    page.goto(f"{running.base}/{document}")
    page.locator("#quote").focus()
    page.keyboard.type(words)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("Cited")
    return page.locator(".passage .name code").inner_text()


_TYPES = {
    ".csv": "text/csv", ".json": "application/json", ".tei": "application/tei+xml",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".odt": "application/vnd.oasis.opendocument.text", ".epub": "application/epub+zip",
    ".ipynb": "application/x-ipynb+json", ".eml": "message/rfc822", ".pdf": "application/pdf",
    ".md": "text/markdown", ".py": "text/x-python", ".nxml": "application/jats+xml",
    ".svg": "image/svg+xml", ".xml": "application/xml",
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
