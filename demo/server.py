"""The small site that the demonstration saves: served on loopback, and changed while it is served.

    site = serve()
    with site as base:              # "http://127.0.0.1:PORT/"
        ...                         # save base + "storm.html", cite its sentences
        site.change()               # from now on the files of demo/changed/ come first
        ...                         # ask what became of the sentences

What the change does to four sentences of storm.html is in `SENTENCES`.
"""

# ruff: noqa: INP001 - a script's neighbour, not a package

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["CHANGED", "SENTENCES", "SITE", "Site", "serve"]

SITE = Path(__file__).with_name("site")
CHANGED = Path(__file__).with_name("changed")

SENTENCES = {
    "verified": "The town remembers a night of wind. The gauge remembers something else.",
    "moved": "the committee of 1960 wrote that the sea had been pushed into the harbour rather"
    " than lifted",
    "changed": "The board raised the east mole by sixty centimetres in the summer of 1961.",
    "gone": "No sample was kept, and the question is open.",
}
"""What becomes of it -> a sentence of storm.html, white space as single spaces."""

_TYPES = {
    ".css": "text/css",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/vnd.microsoft.icon",
    ".jpg": "image/jpeg",
    ".md": "text/markdown; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=us-ascii",
    ".wav": "audio/wav",
    ".woff2": "font/woff2",
}
_LATIN_1 = "text/html; charset=iso-8859-1"
"""For letters.html, as its meta element says."""


class Site:
    """A folder of files behind HTTP; a context manager that gives the base URI."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        self._folders = [folder]
        handler = type("Handler", (_Handler,), {"site": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def base(self) -> str:
        """The URI of the folder, with a slash at its end."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def change(self, folder: Path = CHANGED) -> None:
        """From now on answer from `folder` where it has the file."""
        self._folders.insert(0, folder)

    def find(self, path: str) -> Path | None:
        """Return the file that the path of a request names; a folder's is its index.html."""
        names = [unquote(name) for name in path.split("/") if name]
        if path.endswith("/"):
            names.append("index.html")
        if any(name in {".", ".."} or "/" in name or "\0" in name for name in names):
            return None
        files = (folder.joinpath(*names) for folder in self._folders)
        return next((file for file in files if file.is_file()), None)

    def __enter__(self) -> str:
        self._thread.start()
        return self.base

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def serve(folder: Path = SITE, *, port: int = 0) -> Site:
    """Serve `folder` on loopback; port 0 takes any that is free."""
    return Site(folder, port)


class _Handler(BaseHTTPRequestHandler):
    site: Site
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet an answer
    disable_nagle_algorithm = True
    timeout = 30

    def do_GET(self) -> None:
        file = self.site.find(urlsplit(self.path).path)
        if file is None:
            self.send_error(404)
            return
        content = file.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", _media_type(file))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing: the demonstration tells its own story."""


def _media_type(file: Path) -> str:
    if file.name == "letters.html":
        return _LATIN_1
    return _TYPES.get(file.suffix.lower(), "application/octet-stream")


if __name__ == "__main__":
    with serve(port=8089) as here:
        print(f"the site is at {here} until Enter is pressed")  # noqa: T201 - a script
        input()
