"""An exported page in a real Chromium: it shows what it holds, and asks nobody for anything."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import pytest

from permacite import mhtml
from permacite.markup import plain_text
from permacite.mhtml import Resource
from permacite.mhtml.export import single_html

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

BASE = "http://site.example/d/"
EVIL = "http://evil.example/"


def picture() -> bytes:
    """Return a green square of 40 by 40 pixels, as PNG."""
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", 40, 40, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress((b"\0" + b"\0\xa0\0" * 40) * 40)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


RESOURCES = [
    Resource(b"@import 'deep.css'; h1{color:rgb(255,0,0)}", "text/css", BASE + "s.css"),
    Resource(b"h1{background:url(i.png)}", "text/css", BASE + "deep.css"),
    Resource(picture(), "image/png", BASE + "i.png"),
    Resource(
        f"<p>in a frame<img src=i.png><img src={EVIL}f><script>fetch('{EVIL}g')</script>".encode(),
        "text/html",
        BASE + "f.html",
    ),
]

HOSTILE = f"""<!DOCTYPE html><html><head><meta charset=utf-8><title>Page</title>
<link rel=preconnect href={EVIL}><link rel=dns-prefetch href={EVIL}><link rel=prefetch href={EVIL}a>
<link rel=stylesheet href=s.css><link rel=stylesheet href={EVIL}b><link rel=icon href={EVIL}c>
<meta http-equiv=refresh content="1;url={EVIL}d"><base href="{BASE}">
<script src={EVIL}e></script><script>new Image().src="{EVIL}f"</script>
<style>@import "{EVIL}g"; @font-face{{font-family:F;src:url({EVIL}h)}}
body{{background:u\\72l({EVIL}i);font-family:F}} p{{background:image-set("{EVIL}j" 1x)}}</style>
</head><body onload="fetch('{EVIL}k')"><h1>Heading</h1>
<p>The passage to cite is <b>here</b>, in the middle.</p>
<img id=good src=i.png><img src={EVIL}l srcset="{EVIL}m 2x" onerror="fetch('{EVIL}n')">
<iframe src=f.html></iframe><iframe src={EVIL}o></iframe>
<iframe srcdoc="<img src='{EVIL}p'><script>fetch('{EVIL}q')</script>"></iframe>
<object data={EVIL}r></object><embed src={EVIL}s><video src={EVIL}t poster={EVIL}u autoplay></video>
<svg><image href={EVIL}v width=9 height=9 /><use href="{EVIL}w#a"/><rect fill="url({EVIL}x#g)"/>
<script>fetch("{EVIL}y")</script><animate attributeName=href to="javascript:fetch('{EVIL}z')"/>
</svg>
<form action={EVIL}A><input type=image src={EVIL}B></form><table background={EVIL}C><td>c</table>
<noscript>no <img src={EVIL}D></noscript>
<div><template shadowrootmode=open><img src={EVIL}E></template></div>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src={EVIL}F&gt;"></mtext>
</math><svg><style><img src={EVIL}G onerror="fetch('{EVIL}H')"></style></svg>
<noscript><p title="</noscript><img src={EVIL}I onerror=fetch('{EVIL}J')>"></noscript>
<svg><title><![CDATA[</title><img src={EVIL}K onerror=fetch('{EVIL}L')>]]></title></svg>
<a id=run href=" java&#10;script:fetch('{EVIL}M')">run</a> <a id=go href=/x ping={EVIL}N>go</a>
</body></html>"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of its own profile."""
    context = browser.new_context(offline=True)
    yield context.new_page()
    context.close()


def opened(page: Page, path: Path) -> list[str]:
    """Open an export of HOSTILE with a marked passage, and return the URIs asked for."""
    root = Resource(HOSTILE.encode(), "text/html; charset=utf-8", BASE)
    text = plain_text(HOSTILE)
    start = text.text.index("cite is here")
    made = single_html(
        mhtml.open(mhtml.build(root, RESOURCES)),
        marks=[text.source_range(start, start + len("cite is here"))],
        inline_script="document.documentElement.dataset.ran = 'ours'",
    )
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    file = path / "page.html"
    file.write_text(made.html, encoding="utf-8", newline="")
    page.goto(file.as_uri())
    page.wait_for_timeout(1500)
    return [uri for uri in asked if not uri.startswith("data:") and uri != file.as_uri()]


def test_replay_r2_a_hostile_page_asks_nobody(page: Page, tmp_path: Path) -> None:
    """replay-r2: from a disk too, where no server sends a policy."""
    assert opened(page, tmp_path) == []
    page.locator("#run").evaluate("link => link.click()")
    page.wait_for_timeout(300)
    assert page.url.startswith("file:")
    assert page.locator("html").get_attribute("data-ran") == "ours"


def test_replay_r4_what_it_holds_is_shown(page: Page, tmp_path: Path) -> None:
    """replay-r4: the passage is marked in its place."""
    opened(page, tmp_path)
    assert page.locator("mark.permacite-mark").all_text_contents() == ["cite is ", "here"]
    assert page.locator("#permacite-mark").is_visible()
    assert page.locator("#good").evaluate("image => image.naturalWidth") == 40
    heading = page.locator("h1")
    assert heading.evaluate("it => getComputedStyle(it).color") == "rgb(255, 0, 0)"
    assert "data:image/png" in str(heading.evaluate("it => getComputedStyle(it).backgroundImage"))
    frame = page.frame_locator("iframe").first
    assert frame.locator("p").inner_text().strip() == "in a frame"
    assert page.locator("#go").evaluate("link => link.href") == "http://site.example/x"
