"""Pages that programs of others record, from a site to the words that are cited.

wget, and Chromium by Playwright; wacz, which packs what wget wrote, where it is in PATH (python -m
venv F; F/bin/pip install wacz); single-file, where it is in PATH (npm install single-file-cli).
"""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.faces.conftest import archive, cli
from tests.faces.parcels import PNG
from tests.outside.serving import serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser
    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

__all__ = ["archive", "cli"]

HTML = """<!doctype html><meta charset=utf-8><title>Tide</title><link rel=stylesheet href=s.css>
<p id=words>The tide is high.<img src=a.png>
"""
DRAWN = "<script>document.getElementById('words').append(' It falls at six.')</script>"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    """A site of one page, to which a script adds a sentence."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "index.html").write_text(HTML + DRAWN, encoding="utf-8")
    (folder / "s.css").write_text("p { color: rgb(1, 2, 3) }", encoding="ascii")
    (folder / "a.png").write_bytes(PNG)
    with serving(folder) as base:
        yield base


def program(name: str) -> str:
    """Where a program is; skip where it is not installed."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def by_wget(address: str, folder: Path) -> Path:
    """Record with wget."""
    words = [program("wget"), "-q", "--page-requisites", "--warc-file=a", f"{address}/"]
    subprocess.run(words, cwd=folder, check=True)
    return folder / "a.warc.gz"


def by_wacz(address: str, folder: Path) -> Path:
    """Record with wget, and pack it with wacz."""
    words = [program("wacz"), "create", "-f", "-d", "-o", "a.wacz", str(by_wget(address, folder))]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    return folder / "a.wacz"


def by_single_file(address: str, folder: Path) -> Path:
    """Record with single-file, which inlines all that a page shows."""
    words = [
        program("single-file"),
        f"--browser-executable-path={program('chromium')}",
        "--browser-arg=--no-sandbox",
        f"{address}/",
        "a.html",
    ]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    return folder / "a.html"


def by_chromium(address: str, folder: Path, browser: Browser, form: str) -> Path:
    """Record with Chromium: HAR, or MHTML."""
    path = folder / f"a.{form}"
    har = {"record_har_path": path, "record_har_content": "embed"} if form == "har" else {}
    context = browser.new_context(**har)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(f"{address}/")
    if form == "mhtml":
        told = context.new_cdp_session(page).send("Page.captureSnapshot")
        path.write_text(told["data"], encoding="utf-8", newline="")
    context.close()
    return path


@pytest.fixture(params=["wget", "wacz", "single-file", "har", "mhtml"])
def recorded(request: pytest.FixtureRequest, site: str, tmp_path: Path) -> Path:
    """A file that one of them wrote."""
    by = {"wget": by_wget, "wacz": by_wacz, "single-file": by_single_file}
    if request.param in by:
        return by[request.param](site, tmp_path)
    return by_chromium(site, tmp_path, request.getfixturevalue("browser"), request.param)


@pytest.mark.browser
def test_a_page_that_others_recorded_is_cited_by_its_words(
    recorded: Path, site: str, cli: Cli
) -> None:
    (saved,) = json.loads(cli("import", str(recorded), "--json").out)
    cited = json.loads(cli("cite", saved["pdi"], "--quote", "tide is high", "--json").out)
    assert cli("resolve", cited["reference"]).out == "tide is high"
    assert (cited["title"], cited["uri"]) == ("Tide", f"{site}/")


def alterations(content: bytes) -> Iterator[bytes]:
    """Cut off at ten places, and one octet changed at ten."""
    for each in range(1, 11):
        place = len(content) * each // 11
        yield content[:place]
        yield content[:place] + bytes([content[place] ^ 0x10]) + content[place + 1 :]


def test_what_was_altered_is_told_or_is_what_it_was(site: str, cli: Cli, tmp_path: Path) -> None:
    content = by_wget(site, tmp_path).read_bytes()
    refused = 0
    for number, altered in enumerate(alterations(content)):
        path = tmp_path / f"altered-{number}.warc.gz"
        path.write_bytes(altered)
        done = cli("import", "--new", str(path), "--json")
        pages = [each for each in json.loads(done.out) if "pdi" in each]
        names = [f"{each['document']['pdi']}.utf-8.1" for each in pages]
        texts = {cli("resolve", name).out.partition(".")[0] for name in names}
        assert texts <= {"The tide is high"}
        assert pages or done.status
        assert "damaged" in done.err or (pages and done.status == 0)
        refused += not pages
    assert 0 < refused < 20
