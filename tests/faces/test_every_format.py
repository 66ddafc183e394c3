"""Documents of every format, from a file to a proof and back: by commands, by mouse, by keys."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.faces.selecting import drag_over, page_frame, squeezed
from tests.faces.test_documents import BOOK, LIGHT
from tests.faces.test_proof_page import verdict
from tests.faces.test_reader import address
from tests.papers import Sheet, paper

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page
    from tests.faces.conftest import Outcome, Running, Site

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.browser
pytest.importorskip("pypdfium2_raw", reason="needs the extra pdf")

OFFICE = Path(__file__).parents[1] / "golden" / "office"
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
PDF = paper(Sheet(((40, 350, "It falls on the water"), (40, 100, "Blue"))))
WATER, PARAGRAPH = (b"water", b"lake"), (b"second p", b"third p")
TEAL, TESTED = (b"Blue", b"Teal"), (b"nested", b"tested")
FORMATS = [
    # file, media type, octets, words in it, what changes later: elsewhere, in the words
    ("light.pdf", "application/pdf", PDF, "on the water", TEAL, (b"water", b"lakes")),
    ("report.epub", "application/epub+zip", OFFICE / "pandoc.epub", "A second paragraph",
     TESTED, PARAGRAPH),
    ("report.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
     OFFICE / "pandoc.docx", "A second paragraph", TESTED, PARAGRAPH),
    ("report.odt", "application/vnd.oasis.opendocument.text", OFFICE / "pandoc.odt",
     "A second paragraph", TESTED, PARAGRAPH),
    ("light.eml", "message/rfc822", MAIL, "falls on the water", (b"The light", b"One light"),
     (b"falls", b"fell")),
    ("report.ipynb", "application/x-ipynb+json", OFFICE / "pandoc.ipynb", "A second paragraph",
     TESTED, PARAGRAPH),
    ("light.md", "text/markdown", b"# Light\n\nIt *falls* on the water.\n", "on the water",
     (b"Light", b"Waves"), WATER),
    ("light.py", "text/x-python", b"def falls():\n    return 'water'\n", "return 'water'",
     (b"falls", b"rises"), WATER),
    ("rays.csv", "text/csv", b"ray,angle\nred,42 degrees\nblue,none\n", "42 deg",
     (b"blue", b"teal"), (b"42", b"43")),
    ("light.json", "application/json", LIGHT, "on the water", (b"On Light", b"On Waves"),
     (b"the w", b"white w")),
    ("light.xml", "application/xml", b"<a><b>It falls on the water</b> Blue</a>", "on the water",
     TEAL, WATER),
    ("light.tei", "application/tei+xml", BOOK, "on the water", (b"Roe", b"Doe"), WATER),
    ("light.nxml", "application/jats+xml", JATS, "on the water", TEAL, WATER),
    ("light.svg", "image/svg+xml", SVG, "on the water", TEAL, WATER),
    ("light.txt", "text/plain", b"It falls on the water.\nBlue.\n", "on the water", TEAL, WATER),
]  # fmt: skip


SAMPLE = {"light.pdf", "report.docx", "light.eml", "light.xml", "light.svg", "rays.csv"}
"""One each of drawn pages, zips, messages, elements, pictures and rows: the rest with --deep."""


@pytest.mark.parametrize(
    ("name", "kind", "held", "words", "elsewhere", "change"),
    [
        pytest.param(*row, id=row[0], marks=[] if row[0] in SAMPLE else [pytest.mark.deep])
        for row in FORMATS
    ],
)
def test_from_a_file_to_a_proof_and_back(
    name: str, kind: str, held: bytes | Path, words: str, elsewhere: tuple[bytes, bytes],
    change: tuple[bytes, bytes], cli: Cli, site: Site, running: Running, page: Page,
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    content = held if isinstance(held, bytes) else held.read_bytes()
    (tmp_path / name).write_bytes(content)
    uri = site.put(f"/{name}", kind, content)
    imported = cli("import", str(tmp_path / name), "--uri", uri)
    assert imported.status == 0, imported.err
    assert "cite words" in imported.err
    document = imported.out.split()[0]

    reference = _cited_by_command(cli, document, words)
    assert _cited_by_mouse(page, running, document, words) == reference
    assert _cited_by_keys(page, running, document, words) == reference
    _shown(page, running, reference, words, tmp_path / "shown.png")
    proofs = [(tmp_path / "proof.zip", ()), (tmp_path / "proof.html", ("--html",))]
    for path, options in proofs:
        assert cli("prove", reference, *options, "-o", str(path)).status == 0
    with monkeypatch.context() as away:
        away.setenv("PERMACITE_ARCHIVE", str(tmp_path / "none"))
        for path, _ in proofs:
            assert cli("verify", str(path)).status == 0
    _proven_offline(browser, tmp_path / "proof.html", words)
    for pair, status in ((None, 0), (elsewhere, 0), (change, 1)):
        site.put(f"/{name}", kind, _with_other_words(content, *pair) if pair else content)
        checked = cli("check", document, "--allow-private", "--json")
        assert checked.status == status, checked.out
        assert json.loads(checked.out)["same_bytes"] == (pair is None)


def _cited_by_command(cli: Cli, document: str, words: str) -> str:
    """The name of words that are cited, which resolves to exactly these, and is verified."""
    cited = json.loads(cli("cite", document, "--quote", words, "--json").out)
    assert squeezed(cited["quote"]) == squeezed(words)
    reference = str(cited["reference"])
    resolved = json.loads(cli("resolve", reference, "--json").out)
    assert (resolved["text"], resolved["exact"]) == (cited["quote"], reference)
    assert cli("verify", reference).status == 0
    return reference


def _cited_by_mouse(page: Page, running: Running, document: str, words: str) -> str:
    """The name of words that a pointer was drawn over in the reader, and that a click cited."""
    page.goto(f"{running.base}/{document}")
    drag_over(page, words)
    expect(page.locator("#selected")).to_have_text(words)
    page.locator("#cite").click()
    return _told(page)


def _cited_by_keys(page: Page, running: Running, document: str, words: str) -> str:
    """The name of words that are typed and cited in the reader, with no other device than keys."""
    page.goto(f"{running.base}/{document}")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "quote":
            break
    page.keyboard.type(words)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    return _told(page)


def _told(page: Page) -> str:
    expect(page.locator("#answer")).to_contain_text("Cited")
    return page.locator(".passage .name code").inner_text()


def _shown(page: Page, running: Running, reference: str, words: str, picture: Path) -> None:
    """Open a citation: its words are in view, and marked."""
    page.goto(address(running, reference))
    is_framed = page.locator("#page").count() > 0
    marks = (page_frame(page) if is_framed else page.locator(".view")).locator("mark")
    expect(marks.first).to_be_in_viewport()
    if not marks.first.evaluate("mark => mark.matches('.quad')"):  # boxes over a drawn page
        assert squeezed("".join(marks.all_text_contents())) == squeezed(words)
    expect(page.locator(".passage mark")).to_have_text(words)
    page.screenshot(path=picture)


def _proven_offline(browser: Browser, path: Path, words: str) -> None:
    """A page with a proof agrees with itself where there is no network."""
    context = browser.new_context(offline=True)
    tab = context.new_page()
    state, _ = verdict(tab, path, path.read_bytes().decode())
    assert state == "agrees", tab.locator("#checks").inner_text()
    assert squeezed(tab.locator("#quote").inner_text()) == squeezed(words)
    tab.screenshot(path=path.with_suffix(".png"))
    context.close()


def _with_other_words(content: bytes, old: bytes, new: bytes) -> bytes:
    """The same document with other words, in the entries of a zip too."""
    if not content.startswith(b"PK"):
        return content.replace(old, new)
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(made, "w") as after:
        for entry in before.infolist():
            after.writestr(entry, before.read(entry).replace(old, new))
    return made.getvalue()
