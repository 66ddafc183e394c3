"""What we write, shown in a browser by wabac.js, the engine of ReplayWeb.page.

Its worker comes from npm, under the folder of the suites: npm install --ignore-scripts --prefix DIR
@webrecorder/wabac. The engine is given our files at an address, as a site that embeds it does.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.crawled import info, packed, response
from tests.faces.conftest import archive, browser, chromium, cli, playwright
from tests.faces.parcels import PNG
from tests.outside.serving import serving

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page
    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

__all__ = ["archive", "browser", "chromium", "cli", "playwright"]

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


@pytest.fixture
def engine(pytestconfig: pytest.Config) -> Path:
    """Where the engine's worker is; skip where it is not."""
    path = Path(pytestconfig.getoption("--outside")) / WORKER
    if not path.is_file():
        pytest.skip(f"{path} is not there: npm install --ignore-scripts @webrecorder/wabac")
    return path


@pytest.fixture
def embedding(engine: Path, archive: Path, cli: Cli, tmp_path: Path) -> Iterator[str]:
    """A site that embeds the engine, with a crawl that came in and went out again."""
    folder = tmp_path / "site"
    folder.mkdir()
    crawl = [
        info(),
        response("http://a.example/", HTML),
        response("http://a.example/s.css", b"p { color: rgb(1, 2, 3) }", "text/css"),
        response("http://a.example/a.png", PNG, "image/png"),
    ]
    (tmp_path / "a.warc.gz").write_bytes(packed(crawl))
    assert cli("import", str(tmp_path / "a.warc.gz")).status == 0
    with Archive.open(archive) as service:
        service.cite(service.list().documents[0].pdi, quote="tide")
    for form in ("wacz", "warc"):
        name = "b.wacz" if form == "wacz" else "b.warc.gz"
        assert cli("export", f"--{form}", str(folder / name)).status == 0
    shutil.copy(engine, folder / "sw.js")
    (folder / "index.html").write_text(EMBEDDING, encoding="utf-8")
    with serving(folder) as base:
        yield base


def shown(page: Page, base: str, file: str) -> object:
    """What a page of ours is in the engine, from that file."""
    page.goto(f"{base}/")
    page.evaluate("address => show(address)", f"{base}/{file}")
    frame = page.locator("iframe").element_handle().content_frame()
    assert frame is not None
    frame.wait_for_function("document.images[0]?.complete")
    return frame.evaluate(SHOWN)


@pytest.mark.browser
@pytest.mark.parametrize("file", ["b.wacz", "b.warc.gz"])
def test_the_engine_shows_our_pages_with_all_they_show(
    browser: Browser, embedding: str, file: str
) -> None:
    context = browser.new_context()
    try:
        seen = shown(context.new_page(), embedding, file)
    finally:
        context.close()
    assert seen == {"words": "The tide is high.", "color": "rgb(1, 2, 3)", "picture": 1}
