"""What we write, shown in a browser by wabac.js, the engine of ReplayWeb.page, and by pywb.

Its worker comes from npm, under the folder of the suites: npm install --ignore-scripts --prefix DIR
@webrecorder/wabac. The engine is given our files at an address, as a site that embeds it does.
Programs of pywb are asked where they are in PATH.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.crawled import info, packed, response
from tests.faces.conftest import archive, cli
from tests.faces.parcels import PNG
from tests.outside.serving import serving
from tests.outside.test_memento import python, pywb

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Frame, Page
    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

__all__ = ["archive", "cli"]

PAGE = "http://a.example/"
WORKER = "node_modules/@webrecorder/wabac/dist/sw.js"

HTML = b"<title>Tide</title><link rel=stylesheet href=s.css><p>The tide is high.<img src=a.png>"

EMBEDDING = """\
<!doctype html><title>Embedding</title><script>
async function show(address) {
  const name = "ours";
  const worker = navigator.serviceWorker;
  await worker.register("./sw.js?replayPrefix=w");
  await worker.ready;
  if (!worker.controller)
    await new Promise((on) => worker.addEventListener("controllerchange", on));
  const added = new Promise((on, off) => worker.addEventListener("message", ({ data }) => {
    if (data.msg_type === "collAdded") on(true);
    if (data.error) off(new Error(data.error));
  }));
  worker.controller.postMessage({ msg_type: "addColl", name, file: { sourceUrl: address } });
  await added;
  const frame = document.createElement("iframe");
  frame.src = `/w/${name}/mp_/http://a.example/`;
  document.documentElement.append(frame);
}
</script>
"""

SHOWN = """() => ({
    words: document.querySelector("p").textContent,
    color: getComputedStyle(document.querySelector("p")).color,
    picture: document.querySelector("img").naturalWidth,
})"""
SEEN = {"words": "The tide is high.", "color": "rgb(1, 2, 3)", "picture": 1}


@pytest.fixture
def engine(pytestconfig: pytest.Config) -> Path:
    """Where the engine's worker is; skip where it is not."""
    path = Path(pytestconfig.getoption("--outside")) / WORKER
    if not path.is_file():
        pytest.skip(f"{path} is not there: npm install --ignore-scripts @webrecorder/wabac")
    return path


@pytest.fixture
def written(archive: Path, cli: Cli, tmp_path: Path) -> Path:
    """A folder with a crawl that came in and went out again, as b.wacz and b.warc.gz."""
    folder = tmp_path / "site"
    folder.mkdir()
    crawl = [
        info(),
        response(PAGE, HTML),
        response("http://a.example/s.css", b"p { color: rgb(1, 2, 3) }", "text/css"),
        response("http://a.example/a.png", PNG, "image/png"),
    ]
    (tmp_path / "a.warc.gz").write_bytes(packed(crawl))
    assert cli("import", str(tmp_path / "a.warc.gz")).status == 0
    with Archive.open(archive) as service:
        service.cite(service.documents.list().documents[0].pdi, quote="tide")
    assert cli("export", "--wacz", str(folder / "b.wacz")).status == 0
    assert cli("export", "--warc", str(folder / "b.warc.gz")).status == 0
    return folder


@pytest.fixture
def embedding(engine: Path, written: Path) -> Iterator[str]:
    """A site that embeds the engine, with our files."""
    shutil.copy(engine, written / "sw.js")
    (written / "index.html").write_text(EMBEDDING, encoding="utf-8")
    with serving(written) as base:
        yield base


def embedded(page: Page, base: str, file: str) -> Frame:
    """A page of ours in the engine, from that file."""
    page.goto(f"{base}/")
    page.evaluate("address => show(address)", f"{base}/{file}")
    return within(page)


def within(page: Page) -> Frame:
    """What a page frames."""
    frame = page.locator("iframe").element_handle().content_frame()
    assert frame is not None
    return frame


def shown(frame: Frame) -> object:
    """What is seen of a page that is there with its picture."""
    frame.wait_for_function("document.images[0]?.complete")
    return frame.evaluate(SHOWN)


@pytest.mark.browser
@pytest.mark.parametrize("file", ["b.wacz", "b.warc.gz"])
def test_the_engine_shows_our_pages_with_all_they_show(
    browser: Browser, embedding: str, file: str
) -> None:
    with contextlib.closing(browser.new_context()) as context:
        assert shown(embedded(context.new_page(), embedding, file)) == SEEN


@pytest.mark.browser
def test_pywb_shows_our_pages_with_all_they_show(browser: Browser, written: Path) -> None:
    manager = Path(python()).parent / "wb-manager"
    for words in (["init", "ours"], ["add", "ours", "b.warc.gz"]):
        subprocess.run([manager, *words], cwd=written, check=True, capture_output=True)
    with pywb(written) as base, contextlib.closing(browser.new_context()) as context:
        page = context.new_page()
        page.goto(f"{base}/ours/{PAGE}")
        assert shown(within(page)) == SEEN
