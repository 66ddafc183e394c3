"""Words of a PDF whose tables of characters are broken are cited with a warning, in every face."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import expect
from tests.archives import Archive, command_on
from tests.papers import Sheet, paper

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.faces.conftest import Running

pytest.importorskip("pypdfium2_raw", reason="needs the pdf extra")

pytestmark = pytest.mark.engines(deep=True)

TOLD = "have no meaning in its tables of characters"
_TABLE = b"""/CIDInit /ProcSet findresource begin begincmap
1 begincodespacerange <00> <ff> endcodespacerange
1 beginbfrange <41> <4d> <e041> endbfrange
endcmap
"""
_STREAM = b"9 0 obj<</Length %d>>stream\n%sendstream endobj\n" % (len(_TABLE), _TABLE)


def broken() -> bytes:
    """A PDF whose capitals up to M are said to be characters for private use."""
    whole = paper(Sheet(((40, 350, "ABCDEFGHIJKLM and the keeper"),)))
    content = whole[: whole.index(b"xref\n")] + _STREAM + whole[whole.index(b"trailer") :]
    content = content.replace(b"endstreamendobj", b"endstream endobj")
    return content.replace(b"/Helvetica", b"/Helvetica/ToUnicode 9 0 R", 1)


def test_the_command_warns_and_so_does_json(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(broken())

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = command_on(archive, *words)
        return subprocess.run(command, capture_output=True, text=True, check=True)

    imported = run("import", str(tmp_path / "broken.pdf"))
    assert TOLD in imported.stderr
    name = imported.stdout.split()[0]
    told = run("cite", name, "--quote", "the keeper")
    assert "warning:" in told.stderr
    assert TOLD in told.stderr
    (caution,) = json.loads(run("cite", name, "--quote", "the keeper", "--json").stdout)["cautions"]
    assert TOLD in caution
    (cited,) = json.loads(run("show", name, "--json").stdout)["citations"]
    assert cited["cautions"] == [caution]


def test_the_api_warns(archive: Path, running: Running) -> None:
    with Archive.open(archive) as held:
        name = held.add(broken(), name="broken.pdf").pdi
    body = json.dumps({"reference": name, "quote": "the keeper"}).encode()
    head = {"Content-Type": "application/json"}
    request = Request(f"{running.base}/-/api/cite", body, head)  # noqa: S310 - our own server
    with urlopen(request) as answer:  # noqa: S310 - the same
        assert TOLD in json.load(answer)["cautions"][0]


@pytest.mark.browser
def test_the_reader_warns_whoever_cites(archive: Path, running: Running, page: Page) -> None:
    with Archive.open(archive) as held:
        name = held.add(broken(), name="broken.pdf").pdi
    page.goto(f"{running.base}/{name}")
    expect(page.locator(".made-from")).to_contain_text(TOLD)
    page.locator("#quote").focus()
    page.keyboard.type("the keeper")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("Cited")
    expect(page.get_by_role("note").filter(has_text=TOLD)).to_be_visible()
