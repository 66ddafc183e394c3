"""A site with one page that does everything pages do, for whatever captures it.

Each feature has a name, its markup, what it makes a browser ask for, and the words that are there
once it has been drawn. `by` says who does it: "markup" needs no script, "scripts" does.
"""

from __future__ import annotations

import gzip
import threading
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FEATURES", "Everything", "Feature", "everything"]

PNG = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\0\0\0\0\x3a\x7e\x9b\x55"
    b"\0\0\0\nIDATx\x9cc`\0\0\0\2\0\1\x48\xaf\xa4\x71\0\0\0\0IEND\xaeB`\x82"
)
SVG = '<svg xmlns="http://www.w3.org/2000/svg"><symbol id="s"><path d="M0 0h9v9z"/></symbol></svg>'
WAV = b"RIFF\x26\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x40\x1f\0\0\1\0\x08\0data\0\0\0\0"


@dataclass(frozen=True)
class Answer:
    """What the server says at a path."""

    content: bytes
    media_type: str
    fields: tuple[tuple[str, str], ...] = ()
    status: int = 200
    wants: tuple[tuple[str, str], ...] = ()
    """Header fields that the request must have, each with a part of its value; else 403."""


@dataclass(frozen=True)
class Feature:
    """One thing that pages do."""

    name: str
    markup: str
    asks: tuple[tuple[str, Answer], ...] = ()
    """What it makes a browser ask for, by path, and the answers."""
    words: str = ""
    """What is to be read once it has been drawn."""
    by: Literal["markup", "scripts"] = "markup"


def _png(*paths: str) -> tuple[tuple[str, Answer], ...]:
    """A picture of its own at each path."""
    return tuple((path, Answer(PNG + path.encode(), "image/png")) for path in paths)


def _text(path: str, content: str, media_type: str = "text/html") -> tuple[str, Answer]:
    return path, Answer(content.encode(), f"{media_type};charset=utf-8")


def _coded(path: str, coding: str, content: bytes) -> tuple[str, Answer]:
    return path, Answer(content, "text/css", (("Content-Encoding", coding),))


def _codings() -> tuple[tuple[str, Answer], ...]:
    """A style sheet in each coding of the web; those of libraries that are here."""
    sheet = b"b { font-weight: 900 } /* %s */"
    found = [_coded("/gzip.css", "gzip", gzip.compress(sheet % b"gzip", mtime=0))]
    found.append(_coded("/deflate.css", "deflate", zlib.compress(sheet % b"deflate")))
    try:
        import brotli  # type: ignore[import-untyped, unused-ignore]

        found.append(_coded("/br.css", "br", brotli.compress(sheet % b"br")))
    except ModuleNotFoundError:
        pass
    return tuple(found)


FEATURES = (
    Feature(
        "CSS imports",
        '<link rel=stylesheet href="/a.css">',
        (
            _text("/a.css", '@import "/b.css"; @import url(/c.css) print; p{}', "text/css"),
            _text("/b.css", "h2 { background: url(/ground.png) }", "text/css"),
            _text("/c.css", "h2 { color: black }", "text/css"),
            *_png("/ground.png"),
        ),
    ),
    Feature(
        "srcset and picture",
        '<img src="/1.png" srcset="/2.png 2x, /3.png 3x" alt>'
        '<picture><source srcset="/4.png" media="print"><img src="/5.png" alt></picture>',
        _png("/1.png", "/2.png", "/3.png", "/4.png", "/5.png"),
    ),
    Feature(
        "fonts",
        "<style>@font-face { font-family: f; src: url(/f.woff2) } h3 { font-family: f }</style>"
        "<h3>In a font</h3>",
        (("/f.woff2", Answer(b"wOF2 no real font", "font/woff2")),),
        "In a font",
    ),
    Feature(
        "video and audio",
        '<video poster="/poster.png"><source src="/film.webm"><track src="/t.vtt" default></video>'
        '<audio src="/sound.wav"></audio>',
        (
            *_png("/poster.png"),
            ("/film.webm", Answer(b"\x1aE\xdf\xa3 no real film", "video/webm")),
            _text("/t.vtt", "WEBVTT\n\n00:00.000 --> 00:01.000\nsaid\n", "text/vtt"),
            ("/sound.wav", Answer(WAV, "audio/wav")),
        ),
    ),
    Feature(
        "SVG use",
        '<svg width=9 height=9><use href="/signs.svg#s"/><image href="/in.png"/></svg>',
        (("/signs.svg", Answer(SVG.encode(), "image/svg+xml")), *_png("/in.png")),
    ),
    Feature(
        "frames",
        '<iframe src="/frame.html"></iframe>'
        '<iframe srcdoc="&lt;p&gt;In srcdoc&lt;img src=/doc.png&gt;"></iframe>',
        (
            _text("/frame.html", '<p>In a frame<img src="/framed.png">'),
            *_png("/framed.png", "/doc.png"),
        ),
        "In a frame In srcdoc",
    ),
    Feature(
        "object and embed",
        '<object data="/object.html"></object><embed src="/embed.svg" type="image/svg+xml">',
        (
            _text("/object.html", "<p>In an object"),
            ("/embed.svg", Answer(SVG.encode() + b"<!-- embed -->", "image/svg+xml")),
        ),
        "In an object",
    ),
    Feature(
        "inline styles and data:",
        '<p style="background: url(/inline.png)">Inline</p><img src="data:image/gif,GIF89a" alt>',
        _png("/inline.png"),
        "Inline",
    ),
    Feature(
        "redirects",
        '<img src="/moved.png" alt><iframe src="/moved.html"></iframe>',
        (
            ("/moved.png", Answer(b"", "text/plain", (("Location", "/there.png"),), 302)),
            *_png("/there.png"),
            ("/moved.html", Answer(b"", "text/plain", (("Location", "/deep/x.html"),), 301)),
            _text("/deep/x.html", 'Moved<img src="x.png" alt>'),
            *_png("/deep/x.png"),
        ),
        "Moved",
    ),
    Feature(
        "cookies and referrers",
        '<img src="/cookie.png" alt><img src="/referred.png" alt>',
        (
            ("/cookie.png", Answer(PNG + b"c", "image/png", wants=(("Cookie", "visit=7"),))),
            ("/referred.png", Answer(PNG + b"r", "image/png", wants=(("Referer", "/"),))),
        ),
    ),
    Feature(
        "codings",
        "".join(f'<link rel=stylesheet href="{path}">' for path, _ in _codings()),
        _codings(),
    ),
    Feature(
        "charsets",
        '<iframe src="/latin.html"></iframe><iframe src="/shift.html"></iframe>',
        (
            ("/latin.html", Answer("<meta charset=latin1>Caf\xe9".encode("latin-1"), "text/html")),
            ("/shift.html", Answer("港".encode("shift-jis"), "text/html;charset=shift_jis")),
        ),
        "Caf\xe9 港",
    ),
    Feature(
        "lazy loading",
        '<div style="height:9000px"></div><img loading=lazy src="/lazy.png" alt>',
        _png("/lazy.png"),
    ),
    Feature(
        "dialogs and forms",
        "<dialog open>A dialog</dialog><form><input value=typed><textarea>Written</textarea>"
        "<select><option>one<option selected>two</select></form><details>Closed</details>",
        words="A dialog Written Closed",
    ),
    Feature(
        "modules",
        '<script type=module src="/m.mjs"></script><p id=module></p>',
        (
            _text("/m.mjs", 'import {t} from "/n.mjs"; module.textContent = t', "text/javascript"),
            _text("/n.mjs", 'export const t = "By a module"', "text/javascript"),
        ),
        "By a module",
        "scripts",
    ),
    Feature(
        "workers",
        "<p id=work></p><script>new Worker('/w.js').onmessage = e => work.textContent = e.data"
        "</script>",
        (
            _text(
                "/w.js", "fetch('/w.txt').then(a => a.text()).then(postMessage)", "text/javascript"
            ),
            _text("/w.txt", "By a worker", "text/plain"),
        ),
        "By a worker",
        "scripts",
    ),
    Feature(
        "fetched text",
        "<p id=got></p><script>fetch('/got.json').then(a => a.json()).then(j =>"
        " got.textContent = j.words)</script>",
        (_text("/got.json", '{"words": "Fetched later"}', "application/json"),),
        "Fetched later",
        "scripts",
    ),
    Feature(
        "shadow DOM",
        "<div id=open></div><div id=closed></div><script>for (const mode of ['open', 'closed'])"
        " document.getElementById(mode).attachShadow({mode}).innerHTML ="
        " `<p>In a shadow that is ${mode}`</script>",
        words="In a shadow that is open In a shadow that is closed",
        by="scripts",
    ),
    Feature(
        "canvas and blobs",
        "<canvas id=c width=20 height=20></canvas><img id=i alt>"
        "<script>const x = c.getContext('2d'); x.fillStyle = '#080'; x.fillRect(0, 0, 20, 20);"
        " c.toBlob(b => i.src = URL.createObjectURL(b))</script>",
        by="scripts",
    ),
    Feature(
        "sheets by CSSOM",
        "<p id=sheeted>Styled by script</p><script>const s = new CSSStyleSheet();"
        " s.replaceSync('#sheeted { color: rgb(0, 128, 0) }'); document.adoptedStyleSheets = [s]"
        "</script>",
        words="Styled by script",
        by="scripts",
    ),
    Feature(
        "modal dialogs",
        "<dialog id=modal>A modal dialog</dialog><script>modal.showModal()</script>",
        words="A modal dialog",
        by="scripts",
    ),
)


@dataclass
class Everything:
    """The site as it is served."""

    base: str
    answers: dict[str, Answer]
    asked: list[str] = field(default_factory=list)

    @property
    def page(self) -> str:
        """The address of the page, to which a redirect leads that sets a cookie."""
        return f"{self.base}/start"


@contextmanager
def everything(*names: str) -> Iterator[Everything]:
    """Serve a page with the features of some names, or with all."""
    chosen = [each for each in FEATURES if not names or each.name in names]
    body = "\n".join(f"<section><h2>{each.name}</h2>{each.markup}</section>" for each in chosen)
    page = f"<!doctype html><html lang=en><meta charset=utf-8><title>Everything</title>{body}"
    lead = (("Location", "/"), ("Set-Cookie", "visit=7"))
    answers = {"/": Answer(page.encode(), "text/html"), "/start": Answer(b"", "", lead, 302)}
    answers |= {path: answer for each in chosen for path, answer in each.asks}
    site = Everything("", answers)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            answer = answers.get(self.path, Answer(b"nothing here", "text/plain", (), 404))
            if any(part not in (self.headers.get(name) or "") for name, part in answer.wants):
                answer = Answer(b"not for you", "text/plain", (), 403)
            self.send_response(answer.status)
            for name, value in (("Content-Type", answer.media_type), *answer.fields):
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        site.base = f"http://127.0.0.1:{server.server_address[1]}"
        yield site
        server.shutdown()
