"""Hostile pages: ways of a page to connect or to run, times the places in a page where they stand.

Each vector has an address of its own on loopback (127.9.0.1 and on), so that a connection tells
which vector opened it before anything is sent: hints such as `preconnect` never send anything.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CONTEXTS", "KINDS", "Sink", "Vector", "listening", "vectors"]

RUN = "document.documentElement.dataset.ran=1;new Image().src='{u}'"
"""What a script does that runs: it says so, and connects."""

KINDS = {
    # hints
    "preconnect": '<link rel=preconnect href="{u}">',
    "preconnect-cors": '<link rel="preconnect" crossorigin href="{u}">',
    "preconnect-words": '<link rel="next PRECONNECT" href="{u}">',
    "preconnect-split": '<link rel="next&#9;preconnect" href="&#9;{u}">',
    "prefetch": '<link rel=prefetch href="{u}/a">',
    "preload": '<link rel=preload as=image href="{u}/a.png">',
    "preload-set": '<link rel=preload as=image imagesrcset="{u}/a.png 1x">',
    "modulepreload": '<link rel=modulepreload href="{u}/a.js">',
    "stylesheet": '<link rel=stylesheet href="{u}/a.css">',
    "stylesheet-later": '<link rel=stylesheet media=print href="{u}/a.css">',
    # pictures and media
    "img": '<img src="{u}/a.png">',
    "img-set": '<img srcset="{u}/a.png 1x, {u}/b.png 2x">',
    "picture": '<picture><source srcset="{u}/a.png"><img></picture>',
    "img-alias": '<image src="{u}/a.png">',
    "input": '<input type=image src="{u}/a.png">',
    "video": '<video src="{u}/a.mp4" autoplay muted></video>',
    "video-source": '<video autoplay muted><source src="{u}/a.mp4"></video>',
    "poster": '<video poster="{u}/a.png"></video>',
    "audio": '<audio src="{u}/a.ogg" autoplay></audio>',
    "track": '<video src="data:video/mp4," crossorigin><track default src="{u}/a.vtt"></video>'
    '<img src="{u}/b.png">',
    "background": '<table background="{u}/a.png"><tr><td>x</table>',
    # styles
    "style": '<p style="background:url({u}/a.png)">x</p>',
    "style-escaped": '<p style="background:u\\72l({u}/a.png)">x</p>',
    "style-set": "<p style=\"background:image-set('{u}/a.png' 1x)\">x</p>",
    "style-import": '<style>@import "{u}/a.css";</style>',
    "style-import-url": "<style>@import url({u}/a.css) screen;</style>",
    "style-font": "<style>@font-face{{font-family:f;src:url({u}/a)}}*{{font-family:f}}</style>x",
    "style-cursor": "<style>*{{background:url('{u}/a.png')}}</style><p>x</p>",
    "style-list": '<ul style="list-style-image:url({u}/a.png)"><li>x</ul>',
    "style-content": '<style>p::before{{content:url("{u}/a.png")}}</style><p>x</p>',
    "style-variable": "<style>:root{{--a:url({u}/a.png)}}p{{background:var(--a)}}</style><p>x</p>",
    "style-border": '<p style="border:9px solid;border-image:url({u}/a.png) 1">x</p>',
    "style-mask": '<p style="mask-image:url({u}/a.svg#m);-webkit-mask-image:url({u}/b.png)">x</p>',
    "style-shape": '<p style="float:left;shape-outside:url({u}/a.png)">x</p>',
    "style-filter": '<p style="filter:url({u}/a.svg#f);background:url({u}/b.png)">x</p>',
    # pages within
    "iframe": '<iframe src="{u}/a"></iframe>',
    "iframe-lazy": '<iframe loading=eager src="{u}/a"></iframe>',
    "object": '<object data="{u}/a" type="text/html"></object>',
    "embed": '<embed src="{u}/a" type="text/html">',
    "srcdoc": "<iframe srcdoc='<img src=\"{u}/a.png\">'></iframe>",
    "srcdoc-hint": "<iframe srcdoc='<link rel=preconnect href=\"{u}\">'></iframe>",
    "refresh": '<meta http-equiv=refresh content="0;url={u}/a">',
    # svg
    "svg-image": '<svg><image href="{u}/a.png" width=9 height=9 /></svg>',
    "svg-xlink": '<svg><image xlink:href="{u}/a.png" width=9 height=9 /></svg>',
    "svg-feimage": '<svg><filter id=f><feImage href="{u}/a.png"/></filter>'
    '<rect width=9 height=9 filter="url(#f)"/></svg>',
    "svg-style": '<svg><style>@import "{u}/a.css";</style></svg>',
    "svg-script": "<svg><script>{run}</script></svg>",
    "svg-script-href": '<svg><script href="{u}/a.js"></script></svg>',
    "svg-onload": '<svg onload="{run}"></svg>',
    # scripts
    "script": "<script>{run}</script>",
    "script-src": '<script src="{u}/a.js"></script>',
    "script-module": "<script type=module>{run}</script>",
    "script-import": "<script>import('{u}/a.js')</script>",
    "onerror": '<img src="data:," onerror="{run}">',
    "onload-style": '<style onload="{run}"></style>',
    "onfocus": '<input autofocus onfocus="{run}"><img src=data: onerror="{run}">',
    "ontoggle": '<details open ontoggle="{run}"><summary>x</details>',
    "onanimation": "<style>@keyframes k{{from{{top:0}}to{{top:1px}}}}</style>"
    '<p style="animation:k .01s" onanimationstart="{run}">x</p>',
    "srcdoc-script": '<iframe srcdoc="<script>{run}</script>"></iframe>',
    "frame-script": '<iframe src="javascript:{run}"></iframe>',
    "speculation": '<script type=speculationrules>{{"prefetch":[{{"source":"list",'
    '"urls":["{u}/a"]}}]}}</script><script>{run}</script>',
    # what a click does
    "click-script": '<a href="javascript:{run}">x</a>',
    "click-split": '<a href=" java&#10;script:{run}">x</a>',
    "click-handler": '<a onclick="{run}">x</a>',
    "click-button": '<button onclick="{run}">x</button>',
    "click-ping": '<a href="#x" ping="{u}/a">x</a>',
    "click-form": '<form action="{u}/a"><button>x</button></form>',
    "click-action": '<form><button formaction="{u}/a">x</button></form>',
}  # fmt: skip
"""Ways to connect or to run; `{{u}}` is where to, `{{run}}` a script."""

CONTEXTS = {
    "body": "{v}",
    "table": "<table><tr><td>a</td>{v}</table>",
    "unclosed": "<p><b><i><a name=x>{v}",
    "foreign": "<svg><foreignObject width=99 height=99>{v}</foreignObject></svg>",
    "math": "<math><mtext>{v}</mtext></math>",
    "comment": "<!--x--!>{v}<!-- -->",
    "shadow": "<div><template shadowrootmode=open>{v}</template></div>",
    "title": "<svg><title>{v}</title></svg>",
    "mutated": "<math><mtext><table><mglyph><style><!--</style>{v}</mglyph></table></mtext></math>",
}
"""Places in a page."""


@dataclass(frozen=True, slots=True)
class Vector:
    """One way in one place."""

    number: int
    kind: str
    context: str

    @property
    def is_hint(self) -> bool:
        """Whether it connects from the page of a window alone, in no frame."""
        return self.kind.startswith("preconnect")

    @property
    def host(self) -> str:
        """The address on loopback that is its own."""
        return f"127.9.{self.number // 250}.{self.number % 250 + 1}"

    def page(self, port: int) -> bytes:
        """The page with it."""
        there = f"http://{self.host}:{port}"
        run = RUN.format(u=there)
        run = run if "<script" in KINDS[self.kind] and "srcdoc" not in self.kind else escape(run)
        vector = KINDS[self.kind].format(u=there, run=run)
        inside = CONTEXTS[self.context].format(v=vector)
        return f"<!doctype html><html><head><title>x</title></head><body>{inside}".encode()


def vectors() -> list[Vector]:
    """All of them."""
    pairs = [(kind, context) for kind in KINDS for context in CONTEXTS]
    return [Vector(number, *pair) for number, pair in enumerate(pairs)]


@dataclass(slots=True)
class Sink:
    """What listens at the addresses of vectors, and remembers at which somebody connected."""

    port: int
    connected: set[str] = field(default_factory=set)


@contextlib.contextmanager
def listening(wanted: list[Vector]) -> Iterator[Sink]:
    """Listen at the addresses of vectors, all on one port."""
    with contextlib.ExitStack() as held:
        first = held.enter_context(socket.create_server((wanted[0].host, 0), backlog=8))
        sink = Sink(first.getsockname()[1])
        rest = [
            held.enter_context(socket.create_server((each.host, sink.port), backlog=8))
            for each in wanted[1:]
        ]
        chooser = held.enter_context(selectors.DefaultSelector())
        for listener in (first, *rest):
            listener.setblocking(False)  # noqa: FBT003 - as it is called
            chooser.register(listener, selectors.EVENT_READ)
        over = threading.Event()

        def take() -> None:
            while not over.is_set():
                for key, _ in chooser.select(0.1):
                    with contextlib.suppress(OSError), key.fileobj.accept()[0] as taken:  # type: ignore[union-attr] # all are sockets
                        sink.connected.add(taken.getsockname()[0])

        thread = threading.Thread(target=take)
        thread.start()
        try:
            yield sink
        finally:
            over.set()
            thread.join()
