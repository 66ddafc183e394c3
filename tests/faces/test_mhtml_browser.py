"""Profile "chromium": pages open in a real Chromium with every reference satisfied.

Each image is as wide as its number says, so that a picture in the wrong place is seen too.
"""

from __future__ import annotations

import io
import struct
import wave
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from permacite import mhtml
from permacite.mhtml import links

if TYPE_CHECKING:
    from collections.abc import Mapping

    from playwright.sync_api import Browser, Frame

pytestmark = pytest.mark.browser

HERE = "http://site.example/d/"
SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">'
    b'<rect id="x" width="40" height="20"/></svg>'
)
WAIT_MS = 20_000
FONT = next((Path(__file__).resolve().parents[2] / "demo/site").rglob("*.woff2"))

SEEN = """async () => {
  await document.fonts.ready;
  return {
    title: document.title,
    text: document.body ? document.body.innerText : "",
    charset: document.characterSet,
    color: document.body ? getComputedStyle(document.body).color : "",
    images: [...document.images].map(i => [i.alt, i.naturalWidth]),
    inputs: [...document.querySelectorAll("input[type=image]")].map(i => [i.alt, i.width]),
    fonts: [...document.fonts].map(f => f.status),
    media: [...document.querySelectorAll("audio,video")].map(m => m.error && m.error.message),
  };
}"""


def gif(width: int) -> bytes:
    """Return an image of that width."""
    size = struct.pack("<HH", width, 1)
    return b"GIF89a" + size + b"\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"


def silence() -> bytes:
    """Return a tenth of a second of sound."""
    stream = io.BytesIO()
    with wave.open(stream, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(b"\x80" * 800)
    return stream.getvalue()


@dataclass(frozen=True)
class Case:
    """A page, the parts beside it by label, and what a browser must see of it."""

    page: str | bytes
    parts: Mapping[str, bytes | str] = field(default_factory=dict)
    content_type: str = "text/html; charset=utf-8"
    label: str | None = HERE + "p.html"
    text: str = ""
    color: str = ""
    frames: tuple[str, ...] = ()
    extra: tuple[mhtml.Resource | mhtml.Multipart, ...] = ()

    def resources(self) -> list[mhtml.Resource | mhtml.Multipart]:
        """Return the parts as resources, their types by their names."""
        made: list[mhtml.Resource | mhtml.Multipart] = []
        for label, content in self.parts.items():
            octets = content.encode() if isinstance(content, str) else content
            suffix = label.partition("#")[0].partition("?")[0].rpartition(".")[2]
            media_type = TYPES.get(suffix, "image/gif")
            full = label if ":" in label or self.label is None else HERE + label
            made.append(mhtml.Resource(octets, media_type, full))
        return [*made, *self.extra]


TYPES = {
    "css": "text/css",
    "html": "text/html; charset=utf-8",
    "svg": "image/svg+xml",
    "wav": "audio/wav",
    "woff2": "font/woff2",
}
IMAGE = '<p>caf\xe9 \u65e5\u672c</p><img alt="77" src="i.gif">'
SEEN_TEXT = "caf\xe9 \u65e5\u672c"
GIF = {"i.gif": gif(77)}
FRAME = mhtml.Resource(
    b'<title>in</title><img alt="55" src="x.gif"><img alt="77" src="../i.gif">',
    "text/html",
    HERE + "in/f.html",
)
INNER = mhtml.Resource(gif(55), "image/gif", HERE + "in/x.gif")

CASES = {
    "plain": Case(IMAGE, GIF, text=SEEN_TEXT),
    "utf-16 with a mark": Case(IMAGE.encode("utf-16"), GIF, "text/html", text=SEEN_TEXT),
    "utf-16 by its heading": Case(
        IMAGE.encode("utf-16-le"), GIF, "text/html; charset=utf-16le", text=SEEN_TEXT
    ),
    "utf-16 that nothing declares": Case(
        IMAGE.encode("utf-16-be"), GIF, "text/html", text=SEEN_TEXT
    ),
    "iso-8859-1 by its heading": Case(
        "<p>caf\xe9</p>".encode("latin-1"), {}, "text/html; charset=iso-8859-1", text="caf\xe9"
    ),
    "a meta that is wrong": Case(
        "<meta charset=utf-8><p>caf\xe9</p>".encode("latin-1"),
        {},
        "text/html; charset=iso-8859-1",
        text="caf\xe9",
    ),
    "no label at all": Case(IMAGE, GIF, label=None, text=SEEN_TEXT),
    "a policy against everything": Case(
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">' + IMAGE,
        GIF,
        text=SEEN_TEXT,
    ),
    "a relative base": Case('<base href="sub/">' + IMAGE, {"sub/i.gif": gif(77)}, text=SEEN_TEXT),
    "an absolute base": Case(
        '<base href="http://b.example/">' + IMAGE, {"http://b.example/i.gif": gif(77)}
    ),
    "odd names": Case(
        '<img alt="1" src="a b.gif"><img alt="2" src="caf\xe9.gif"><img alt="3" src="c%20d.gif">'
        '<img alt="4" src="p|q[1].gif"><img alt="5" src="HTTP://SITE.example:80/d/../up.gif">'
        '<img alt="6" src="q.gif?n=\xe9&amp;x"><img alt="7" src="\u65e5/\u672c.gif">'
        f'<img alt="8" src="{"long/" * 400}x.gif">',
        {
            "a b.gif": gif(1),
            "caf\xe9.gif": gif(2),
            "c%20d.gif": gif(3),
            "p%7Cq%5B1%5D.gif": gif(4),
            "http://site.example/up.gif": gif(5),
            "q.gif?n=%C3%A9&x": gif(6),
            "\u65e5/\u672c.gif": gif(7),
            "long/" * 400 + "x.gif": gif(8),
        },
    ),
    "a query in the charset of the page": Case(
        '<img alt="1" src="i.gif?q=\xe9">'.encode("latin-1"),
        {"i.gif?q=%E9": gif(1)},
        "text/html; charset=iso-8859-1",
    ),
    "srcset": Case(
        '<img alt="1" srcset="1.gif 1x, 2.gif 2x" src="3.gif">'
        '<picture><source srcset="2.gif"><img alt="2" src="3.gif"></picture>',
        {"1.gif": gif(1), "2.gif": gif(2), "3.gif": gif(3)},
    ),
    "fragments": Case(
        '<img alt="40" src="a.svg#x"><iframe src="f.html#part"></iframe>',
        {"a.svg": SVG, "f.html": "<title>f</title><p id=part>"},
        frames=("f",),
    ),
    "styles and fonts": Case(
        '<link rel="stylesheet" href="css/s.css"><style>@font-face{font-family:B;src:url(b.woff2)}'
        'i{font-family:B}</style><p><i>b</i> <b>a</b></p><img alt="1" src="1.gif">',
        {
            "css/s.css": '@import "t.css";@font-face{font-family:A;src:url("../a.woff2")}'
            "b{font-family:A}",
            "css/t.css": "body{color:rgb(1,2,3)}",
            "1.gif": gif(1),
        },
        color="rgb(1, 2, 3)",
    ),
    "nested frames": Case(
        '<iframe src="1.html"></iframe><iframe src="http://other.example/2.html"></iframe>',
        {
            "1.html": '<title>1</title><iframe src="in/3.html"></iframe>',
            "http://other.example/2.html": '<title>2</title><img alt="9" src="9.gif">',
            "http://other.example/9.gif": gif(9),
            "in/3.html": '<title>3</title><img alt="77" src="../i.gif">',
            **GIF,
        },
        frames=("1", "3", "2"),
    ),
    "a frame by cid": Case(
        '<iframe src="cid:f@x"></iframe>',
        GIF,
        extra=(mhtml.Resource(FRAME.content, "text/html", HERE + "in/f.html", "f@x"), INNER),
        frames=("in",),
    ),
    "an image by cid": Case(
        '<img alt="5" src="cid:i@x">', extra=(mhtml.Resource(gif(5), "image/gif", None, "i@x"),)
    ),
    "a frameset": Case(
        "<frameset cols=50%,50%><frame src=1.html><frame src=2.html></frameset>",
        {
            "1.html": '<title>1</title><img alt="77" src="i.gif">',
            "2.html": "<title>2</title>",
            **GIF,
        },
        frames=("1", "2"),
    ),
    "a nested aggregate": Case(
        IMAGE + '<iframe src="in/f.html"></iframe>',
        GIF,
        extra=(mhtml.Multipart((FRAME, INNER)),),
        frames=("in",),
    ),
    "a nested aggregate by its label": Case(
        IMAGE + '<iframe src="in/f.html"></iframe>',
        GIF,
        extra=(
            mhtml.Multipart(
                (mhtml.Resource(FRAME.content, "text/html"), INNER),
                content_location=HERE + "in/f.html",
            ),
        ),
        frames=("in",),
    ),
    "xhtml": Case(
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>'
        '<img alt="77" src="i.gif"/></body></html>',
        GIF,
        "application/xhtml+xml",
    ),
    "sound and buttons": Case(
        '<audio src="a.wav"></audio><input type="image" alt="9" src="9.gif">'
        '<video poster="9.gif"></video><table background="9.gif"><tr><td>x</table>',
        {"a.wav": silence(), "9.gif": gif(9)},
    ),
    "three thousand parts": Case(
        "".join(f'<img alt="{n}" src="m/{n}.gif">' for n in range(1, 3001)),
        {f"m/{n}.gif": gif(n) for n in range(1, 3001)},
    ),
}


def seen_in(frame: Frame) -> list[dict[str, Any]]:
    """Return what a frame shows, and the frames inside it."""
    return [
        frame.evaluate(SEEN),
        *(seen for child in frame.child_frames for seen in seen_in(child)),
    ]


@pytest.mark.parametrize("name", CASES)
def test_a_page_opens_with_nothing_missing(browser: Browser, tmp_path: Path, name: str) -> None:
    case = CASES[name]
    page = case.page.encode() if isinstance(case.page, str) else case.page
    root = mhtml.Resource(page, case.content_type, case.label)
    parts = case.resources()
    if "fonts" in name:
        fonts = [HERE + "a.woff2", HERE + "b.woff2"]
        parts += [mhtml.Resource(FONT.read_bytes(), "font/woff2", label) for label in fonts]
    path = tmp_path / "page.mhtml"
    path.write_bytes(mhtml.build(root, parts, profile="chromium"))
    tab = browser.new_page()
    failed: list[str] = []
    tab.on("requestfailed", lambda request: failed.append(request.url))
    tab.goto(path.as_uri(), wait_until="load", timeout=WAIT_MS)
    seen = seen_in(tab.main_frame)
    tab.close()
    assert failed == []
    shown = [image for each in seen for image in [*each["images"], *each["inputs"]]]
    assert shown == [[alt, int(alt)] for alt, _ in shown]
    assert len(shown) == page.replace(b"\0", b"").count(b"alt=") + sum(
        each.content.count(b"alt=")
        for part in parts
        for each in (part.body_parts if isinstance(part, mhtml.Multipart) else (part,))
        if isinstance(each, mhtml.Resource)
    )
    assert tuple(each["title"] for each in seen[1:]) == case.frames
    assert [status for each in seen for status in each["fonts"] if status != "loaded"] == []
    assert [error for each in seen for error in each["media"] if error] == []
    assert case.text in seen[0]["text"]
    assert case.color in seen[0]["color"]


@pytest.mark.parametrize("name", CASES)
def test_what_a_browser_finds_is_found_here(name: str) -> None:
    case = CASES[name]
    page = case.page.encode() if isinstance(case.page, str) else case.page
    root = mhtml.Resource(page, case.content_type, case.label)
    aggregate = mhtml.open(mhtml.build(root, case.resources(), profile="archive"))
    missing = [
        link.value
        for part in aggregate.body_parts
        for link in links.references(part.content, part.content_type, part.charset)
        if link.role == "embed"
        and aggregate.resolve(link.value, within=part, profile="browser").part is None
    ]
    # A browser sees into nested aggregates; the RFC does not (§9.6).
    hidden = ["in/f.html"] if name == "a nested aggregate" else []
    assert [value for value in missing if not value.endswith(".woff2")] == hidden
