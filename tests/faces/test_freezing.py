"""Pages frozen in a real Chromium: what is drawn is kept, what runs is not; twice is the same."""

from __future__ import annotations

import asyncio
import dataclasses
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from tests.faces.conftest import BROWSER_ARGUMENTS
from tests.needs import need

from permacite import mhtml
from permacite.capture.browsing.freezing import SCRIPT_DIGEST, FreezeLimits, freeze
from permacite.errors import CaptureError
from permacite.mhtml import export
from permacite.renditions.drawn import read_map

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from playwright.async_api import CDPSession
    from playwright.sync_api import Browser

    from permacite.capture.model import Frozen

HOSTILE = """<script>
Array.prototype.map = Array.prototype[Symbol.iterator] = () => { throw 1 };
JSON.stringify = () => 'forged';
Object.defineProperty(Node.prototype, 'nextSibling', {get() { throw 2 }});
window.getComputedStyle = () => { throw 3 };
</script>
<form id=f><input name=firstChild value=x><input name=attributes><input name=localName></form>
<img name=URL><img name=documentElement><img name=title>"""

SVG = "http://www.w3.org/2000/svg"
PAGE = f"""<!DOCTYPE html><title>Tides</title>
<style id=given>p {{ color: red }}</style><style id=inserted></style>{HOSTILE}
<p id=p>Spring <b>tides</b> &amp; &lt;neap&gt;
   tides</p><p hidden>hidden</p><p style="visibility:hidden">unseen</p>
<div style="display:flex; text-transform:uppercase"><span>One</span><span>Two</span></div>
<x-open><b slot=s>slotted</b>light</x-open><div id=shut>not drawn</div>
<canvas id=drawn width=40 height=20></canvas><canvas id=gl width=40 height=20></canvas>
<canvas id=empty width=9 height=9></canvas><img id=blob alt="">
<iframe srcdoc="<p>inner words<script>parent.seen = 1</script>" width=200 height=60></iframe>
<dialog id=d>Modal words</dialog><div popover id=pop>Popover words</div>
<details><summary>Sum</summary>folded</details>
<a href=" java&#10;script:alert(1)" onclick="x()">a link</a><noscript>without</noscript>
<input id=typed><input type=password id=secret><textarea>old</textarea>
<input type=checkbox id=box><select><option>1<option>2</select>
<meta http-equiv=refresh content="900;url=/x"><link rel=preload href=/x as=script>
<script>
inserted.sheet.insertRule('b {{ font-style: italic }}');
const pen = drawn.getContext('2d'); pen.fillStyle = 'lime'; pen.fillRect(0, 0, 40, 20);
const gl_ = gl.getContext('webgl'); gl_.clearColor(1, 0, 0, 1); gl_.clear(gl_.COLOR_BUFFER_BIT);
blob.src = URL.createObjectURL(new Blob(['<svg xmlns="{SVG}" width="4" height="4"/>'],
  {{type: 'image/svg+xml'}}));
const open_ = document.querySelector('x-open').attachShadow({{mode: 'open'}});
open_.innerHTML = '<i>before</i><slot name=s></slot><slot></slot><i>after</i>';
const sheet = new CSSStyleSheet(); sheet.replaceSync('i {{ color: blue }}');
open_.adoptedStyleSheets = document.adoptedStyleSheets = [sheet];
shut.attachShadow({{mode: 'closed'}}).innerHTML = '<p>closed shadow</p>';
d.showModal(); pop.showPopover();
typed.value = 'what was typed'; secret.value = 'a secret'; box.checked = true;
document.querySelector('textarea').value = 'new\\n<b>';
document.querySelector('select').selectedIndex = 1;
</script>"""

WORDS = """Spring tides & <neap> tides

One
Two
beforeslottedlightafter

closed shadow

inner words

Modal words
Popover words
Sum
a link new
<b>
"""


class Tab:
    """A page of the tests' browser, as `freeze` asks for one."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session
        self.sessions: Mapping[str, Any] = {"": SimpleNamespace(id="", type="page", target="")}

    async def send(
        self, method: str, params: Mapping[str, Any] | None = None, *, session: str | None = None
    ) -> dict[str, Any]:
        """What is answered."""
        assert not session
        try:
            answer: dict[str, Any] = await self._session.send(method, dict(params or {}))
        except Exception as error:
            raise CaptureError(str(error), uri="", reason="browser") from error
        return answer


async def _frozen(sources: Sequence[str], bounds: FreezeLimits | None) -> list[Frozen]:
    from playwright.async_api import async_playwright

    path = need("chromium")
    results = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=BROWSER_ARGUMENTS)
        for source in sources:
            page = await browser.new_page(viewport={"width": 800, "height": 600})
            await page.set_content(source)
            session = await page.context.new_cdp_session(page)
            results.append(await freeze(Tab(session), bounds=bounds))
            await page.close()
        await browser.close()
    return results


@pytest.fixture
def frozen(browser: Browser) -> Callable[..., list[Frozen]]:
    """Return what freezes pages, in a browser of its own: that of the tests has a loop already."""
    assert browser.is_connected()

    def freeze_all(*sources: str, bounds: FreezeLimits | None = None) -> list[Frozen]:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, _frozen(sources, bounds)).result()

    return freeze_all


def parts_of(page: Frozen) -> dict[str, bytes]:
    return {f"cid:{part.content_id}": part.content for part in page.parts}


def test_what_is_drawn_is_kept_whatever_scripts_redefine(
    frozen: Callable[..., list[Frozen]],
) -> None:
    (page,) = frozen(PAGE)
    assert page.text.replace("\r\n", "\n") == WORDS
    source, parts = page.root.content.decode(), parts_of(page)
    assert '<template shadowrootmode="open"><i>before</i><slot name="s">' in source
    assert '<template shadowrootmode="closed"><p>closed shadow</p></template>not drawn' in source
    assert '<style id="inserted">b { font-style: italic; }</style>' in source
    assert '<style id="given">p { color: red }</style>' in source
    assert 'id="typed" value="what was typed"' in source
    assert '<input id="box" type="checkbox" checked' in source.replace(
        'type="checkbox" id="box"', 'id="box" type="checkbox"'
    )
    assert "<option selected>2</option>" in source
    assert "<textarea>\nnew\n&lt;b></textarea>" in source
    sheets = [uri for uri, content in parts.items() if content == b"i { color: blue; }"]
    assert source.count(f'<link rel="stylesheet" href="{sheets[0]}">') == 2
    pictures = [uri for uri, content in parts.items() if content.startswith(b"\x89PNG")]
    pictures += [uri for uri, content in parts.items() if content.startswith(b"<svg")]
    assert len(pictures) == 3
    assert all(uri in source for uri in pictures)
    assert "inner words" in parts["cid:frame-1@drawn"].decode()
    assert page.screenshot.startswith(b"\x89PNG")
    assert page.view["script"] == SCRIPT_DIGEST
    assert (page.view["width"], page.view["height"], page.view["left_out"]) == (800, 600, {})


def test_nothing_that_runs_or_is_secret_is_kept(frozen: Callable[..., list[Frozen]]) -> None:
    (page,) = frozen(PAGE)
    kept = (page.root.content + b"".join(part.content for part in page.parts)).lower()
    for word in (b"<script", b"onclick", b"javascript", b"a secret", b"refresh", b"preload"):
        assert word not in kept
    assert b"without" not in kept


def test_the_map_leads_to_the_frozen_page(frozen: Callable[..., list[Frozen]]) -> None:
    (page,) = frozen(PAGE)
    places = read_map(page.map)
    sources = {0: page.root.content.decode(), 1: parts_of(page)["cid:frame-1@drawn"].decode()}
    for words, shown in (
        ("slotted", "slotted"),
        ("inner words", "inner words"),
        ("tides &", "tides"),
    ):
        start = page.text.index(words)
        part, begin, _ = next(places.places(start, start + len(words)))
        assert sources[part][begin:].startswith(shown)


def test_what_is_frozen_is_shown_by_itself(frozen: Callable[..., list[Frozen]]) -> None:
    (page,) = frozen(PAGE)
    aggregate = mhtml.open(mhtml.build(page.root, page.parts, profile="archive"))
    result = export.single_html(aggregate)
    assert not result.unresolved
    assert not result.left_out
    assert "cid:" not in result.html


def test_the_same_page_is_frozen_the_same_way(
    frozen: Callable[..., list[Frozen]], times: Callable[[int, int], int]
) -> None:
    pages = frozen(*[PAGE] * times(2, 5))
    assert len({page.root.content for page in pages}) == 1
    assert len({(page.text, page.map, page.screenshot) for page in pages}) == 1
    assert len({tuple(parts_of(page).items()) for page in pages}) == 1


def test_what_is_too_much_is_left_out_and_told(frozen: Callable[..., list[Frozen]]) -> None:
    many = "<body><script>for (let i = 0; i < 5000; i++) document.body.append('w ', document."
    many += "createElement('i'))</script><style>" + "b{color:red}" * 1000 + "</style>"
    many += "<canvas width=500 height=500></canvas>"
    bounds = FreezeLimits(nodes=3000, css=5000, pixels=9, looked_into=10)
    (page,) = frozen(many, bounds=bounds)
    assert page.view["left_out"].keys() == {"nodes", "closed-shadow-roots-not-looked-for"}
    assert page.root.content.endswith(b"</html>")
    (page,) = frozen(many, bounds=dataclasses.replace(bounds, nodes=20000))
    assert "style-sheet-too-large" in page.view["left_out"]
    assert "canvas-too-large" in page.view["left_out"]


def test_a_deep_tree_is_frozen(frozen: Callable[..., list[Frozen]]) -> None:
    deep = "<body><script>let n = document.body; for (let i = 0; i < 900; i++) n = n.appendChild("
    deep += "document.createElement('b')); n.append('deep')</script>"
    (page,) = frozen(deep)
    assert page.text == "deep\r\n"
    assert page.root.content.count(b"<b>") == 900
