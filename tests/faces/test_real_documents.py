"""Real documentation, captured and built into aggregates: nothing is lost, and a browser shows it.

The pages come from Debian packages: from /usr/share/doc where they are installed, else downloaded
by apt into build/documents/. What a page shows is told by the standard library's HTML parser.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from tests.packages import unpacked

from permacite import mhtml
from permacite.capture import capture
from permacite.capture.model import Capture, FetchOptions, body_parts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

DOCUMENTS = [
    # package, page (a pattern below the root of the package), images that it shows at least
    ("apache2-doc", "usr/share/doc/apache2-doc/manual/zh-cn/rewrite/tech.html", 5),
    ("debian-policy", "usr/share/doc/debian-policy/policy.html/ap-flowcharts.html", 6),
    ("docbook-xsl-doc-html", "usr/share/doc/docbook-xsl-doc-html/doc/fo/general.html", 1),
    ("geographiclib-doc", "usr/share/doc/geographiclib/html/transversemercator.html", 8),
    ("libxslt1-dev", "usr/share/doc/libxslt1-dev/gtk-doc/html/libxslt/libxslt-xsltlocale.html", 4),
    ("ntpsec-doc", "usr/share/doc/ntpsec-doc/html/driver_generic.html", 10),
    ("sqlite3-doc", "usr/share/doc/sqlite3/atomiccommit.html", 25),
    ("xfig-doc", "usr/share/doc/xfig/html/japanese/attributes.html", 80),
]
Profile = Literal["archive", "chromium"]
PROFILES: tuple[Profile, ...] = ("archive", "chromium")


@dataclass(frozen=True)
class Saved:
    """A captured page with its aggregates by profile, and what it shows: URI to file."""

    captured: Capture
    aggregates: dict[str, bytes]
    images: dict[str, Path]
    style_sheets: dict[str, Path]


class _Shown(HTMLParser):
    """Collects the images and style sheets of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.images: list[str] = []
        self.style_sheets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "img" and given.get("src"):
            self.images.append(given["src"])
        if tag == "link" and "stylesheet" in given.get("rel", "").lower().split():
            self.style_sheets.append(given["href"])


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _files(references: list[str], uri: str, folder: Path) -> dict[str, Path]:
    """Return URI to file for the references of the page `uri` that exist as files."""
    found = {}
    for reference in references:
        absolute = urljoin(uri, reference).partition("#")[0]
        file = folder / unquote(urlsplit(absolute).path).lstrip("/")
        if absolute.startswith("http://127.0.0.1") and file.is_file():
            found[absolute] = file
    return found


@dataclass
class _Store:
    """Each page is captured once in a session."""

    saved: dict[str, Saved] = field(default_factory=dict)

    def get(self, package: str, page: str) -> Saved:
        if package not in self.saved:
            self.saved[package] = _save(unpacked(package, page), page)
        return self.saved[package]


def _save(folder: Path, page: str) -> Saved:
    shown = _Shown()
    shown.feed((folder / page).read_bytes().decode("latin-1"))
    with _served(folder) as base:
        uri = base + page
        captured = capture(uri, FetchOptions(allow_private=True))
    root, parts = body_parts(captured)
    return Saved(
        captured,
        {profile: mhtml.build(root, parts, profile=profile) for profile in PROFILES},
        _files(shown.images, uri, folder),
        _files(shown.style_sheets, uri, folder),
    )


@pytest.fixture(scope="module")
def store() -> _Store:
    """Return the pages captured so far."""
    return _Store()


IDS = [package for package, *_ in DOCUMENTS]


@pytest.mark.slow
@pytest.mark.parametrize(("package", "page", "images"), DOCUMENTS, ids=IDS)
@pytest.mark.parametrize("profile", PROFILES)
def test_every_image_and_style_sheet_is_in_the_aggregate(
    store: _Store, package: str, page: str, images: int, profile: str
) -> None:
    saved = store.get(package, page)
    aggregate = mhtml.open(saved.aggregates[profile])
    parts = {part.content_location: part.content for part in aggregate.body_parts}
    assert len(saved.images) >= images
    for uri, file in (saved.images | saved.style_sheets).items():
        assert parts[uri] == file.read_bytes()
    if profile == "archive":  # browsers may need help with the page itself
        assert aggregate.root.content == saved.captured.root.content
    assert saved.captured.root.uri.endswith(page)


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize(("package", "page", "images"), DOCUMENTS, ids=IDS)
@pytest.mark.parametrize("profile", PROFILES)
def test_a_browser_shows_every_image(
    store: _Store,
    browser: Browser,
    tmp_path: Path,
    package: str,
    page: str,
    images: int,
    profile: str,
) -> None:
    file = tmp_path / "page.mhtml"
    file.write_bytes(store.get(package, page).aggregates[profile])
    tab = browser.new_page()
    tab.goto(file.as_uri(), wait_until="load")
    loaded = tab.evaluate("[...document.images].map(image => [image.src, image.naturalWidth > 0])")
    rules = tab.evaluate("[...document.styleSheets].map(sheet => sheet.href)")
    tab.close()
    assert [source for source, whole in loaded if not whole] == []
    assert len({source for source, _ in loaded}) >= images
    assert len(rules) >= len(store.get(package, page).style_sheets)
