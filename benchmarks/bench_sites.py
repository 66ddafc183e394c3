"""Save 25 real sites out of packages, served on loopback: what is kept, beside other savers.

Manuals come from Debian packages, pages that scripts draw from npm packages with the small pages of
`sites/`. `--fetch FOLDER` fetches and unpacks them; PERMACITE_SITES names the folder. Nothing of
them is kept here. A site is first shown by Chromium: what it asks the server for are the resources,
what it shows after two seconds the words and the pixels. Each saver then saves it, and what it left
is shown by Chromium in turn.

Rivals are taken from PATH: wget and chromium (Debian), single-file (npm: single-file-cli).
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from permacite import mhtml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser

TITLE = "Saving real sites"
RIVALS = ["playwright"]

HERE = Path(__file__).parent
DEBIAN = ("python3.11-doc", "rust-doc", "postgresql-doc-15", "libgtk-4-doc", "git-doc", "nginx-doc")
NPM = (
    *("swagger-ui-dist", "redoc", "docsify", "reveal.js", "mathjax@3", "mermaid", "chart.js"),
    *("plotly.js-dist-min", "vega", "vega-lite", "vega-embed", "three", "leaflet"),
    *("monaco-editor", "ace-builds", "marked", "katex", "d3", "highlight.js", "bootstrap"),
    "cytoscape",
)
MANUALS = {
    "Python manual": "/python3.11-doc/usr/share/doc/python3.11/html/library/asyncio-task.html",
    "Rust book": "/rust-doc/usr/share/doc/rust-doc/html/book/ch04-01-what-is-ownership.html",
    "Rust std": "/rust-doc/usr/share/doc/rust-doc/html/std/vec/struct.Vec.html",
    "PostgreSQL manual": "/postgresql-doc-15/usr/share/doc/postgresql-doc-15/html/sql-select.html",
    "GTK manual": "/libgtk-4-doc/usr/share/doc/libgtk-4-doc/gtk4/class.Button.html",
    "Git manual": "/git-doc/usr/share/doc/git/html/git-rebase.html",
    "reveal": "/reveal.js/package/demo.html",
}
VIEW = {"width": 1280, "height": 900}
SETTLE_S = 2.0
_THUMB = (192, 135)
_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_FLAGS = ["--no-sandbox", "--allow-file-access-from-files"]
_CHILD_SUBREAPER = 36  # <sys/prctl.h>
_WGET_MISSED = 8
"""What wget ends with where a single part was not there."""
_TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm"}


# ---------------------------------------------------------------- the sites
def fetch(folder: Path) -> None:
    """Fetch all packages with their ordinary clients, and unpack them."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        for package in NPM:
            subprocess.run(["npm", "pack", "--silent", package], cwd=name, check=True)
            (packed,) = Path(name).glob("*.tgz")
            target = folder / package.partition("@")[0]
            shutil.unpack_archive(packed, target)
            packed.unlink()
        for package in DEBIAN:
            subprocess.run(["apt-get", "download", "-q", package], cwd=name, check=True)
            (deb,) = Path(name).glob("*.deb")
            subprocess.run(["dpkg-deb", "-x", str(deb), str(folder / package)], check=True)
            deb.unlink()


def sites(folder: Path) -> dict[str, str]:
    """The path of the page of each site that is at hand."""
    own = {path.stem: f"/sites/{path.name}" for path in sorted((HERE / "sites").glob("*.html"))}
    manuals = {name: path for name, path in MANUALS.items() if (folder / path[1:]).exists()}
    return manuals | own


class _Server(ThreadingHTTPServer):
    """Serves the packages, and `sites/` beside them; remembers what was served."""

    def __init__(self, folder: Path, host: str) -> None:
        self.served: dict[str, bytes] = {}
        super().__init__((host, 0), partial(_Handler, directory=str(folder)))


class _Handler(SimpleHTTPRequestHandler):
    def translate_path(self, path: str) -> str:
        plain = unquote(urlsplit(path).path)
        if plain.startswith("/sites/"):
            return str(HERE / "sites" / Path(plain).name)
        return super().translate_path(path)

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        return _TYPES.get(Path(path).suffix) or super().guess_type(path)

    def do_GET(self) -> None:
        file = Path(self.translate_path(self.path))
        if file.is_file():
            assert isinstance(self.server, _Server)
            self.server.served[self.path] = file.read_bytes()
        super().do_GET()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def served(folder: Path, host: str = "127.0.0.1") -> Iterator[_Server]:
    """Serve the sites of a folder; under all names of this machine where `host` is ""."""
    with _Server(folder, host) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


# ---------------------------------------------------------------- what a browser shows
@dataclass
class Seen:
    """What a browser shows of a page: its words, and its first screen as PNG."""

    words: Counter[str]
    screen: bytes


def see(browser: Browser, address: str) -> Seen:
    """Open an address, and wait until it is drawn."""
    context = browser.new_context(viewport=VIEW)  # type: ignore[arg-type]
    page = context.new_page()
    try:
        with contextlib.suppress(Exception):
            page.goto(address, wait_until="load", timeout=30_000)
        page.wait_for_timeout(1000 * SETTLE_S)
        script = "() => document.body ? document.body.innerText : ''"
        text = " ".join(str(frame.evaluate(script)) for frame in page.frames)
        return Seen(Counter(re.findall(r"\w+", text)), page.screenshot())
    finally:
        context.close()


def alike(before: bytes, after: bytes) -> float:
    """The share of pixels that are the same, up to what nobody sees."""
    from PIL import Image, ImageChops

    images = [Image.open(BytesIO(each)).convert("RGB") for each in (before, after)]
    difference = ImageChops.difference(*images).convert("L").point(lambda v: 255 * (v > 16))
    return difference.histogram()[0] / (difference.width * difference.height)


def kept(before: Counter[str], after: Counter[str]) -> float:
    """The share of words that are still there."""
    return sum((before & after).values()) / max(1, before.total())


# ---------------------------------------------------------------- the savers
@dataclass
class Left:
    """What a saver left: contents by address, and where a browser opens it."""

    by_uri: dict[str, bytes]
    address: str


def _permacite(uri: str, folder: Path, *options: str) -> Left:
    from permacite.service.archive import Archive

    archive = folder / "archive"
    command = [sys.executable, "-m", "permacite", "--archive", str(archive)]
    making = [*command, "init", str(archive), "--series", "lab.example.us"]
    subprocess.run(making, check=True, capture_output=True)
    _run([*command, "save", "--allow-private", *options, uri])
    with Archive.open(archive) as held:
        (document,) = held.documents.list().documents
        drawn = [str(item.pdi) for item in document.formats if item.format == "multipart+drawn"]
        name = drawn[0] if drawn else document.full_name
        related = next(item for item in document.formats if item.format == "related")
        content = held.documents.export(related.pdi).content
    return Left(_aggregate(content), f"permacite:{archive}:{name}")


def _wget(uri: str, folder: Path) -> Left:
    _run(["wget", "-q", "-p", "-k", "-K", "-nH", "-P", str(folder), uri])
    base = uri[: uri.index("/", len("http://"))]
    files = sorted((str(f.relative_to(folder)), f) for f in folder.rglob("*") if f.is_file())
    by_uri = {  # what was converted comes first, and what it was before in its place
        f"{base}/{quote(name.removesuffix('.orig'))}": file.read_bytes() for name, file in files
    }
    return Left(by_uri, f"file://{folder}{urlsplit(uri).path}")


def _single_file(uri: str, folder: Path) -> Left:
    file = folder / "page.html"
    flags = json.dumps(["--no-sandbox", f"--window-size={VIEW['width']},{VIEW['height']}"])
    options = [f"--browser-executable-path={_CHROMIUM}", f"--browser-args={flags}"]
    _run(["single-file", *options, f"--browser-wait-delay={int(1000 * SETTLE_S)}", uri, str(file)])
    return Left({}, file.as_uri())


def _snapshot(uri: str, folder: Path) -> Left:
    file = folder / "page.mhtml"
    _run([sys.executable, __file__, "--snapshot", uri, str(file)])
    return Left(_aggregate(file.read_bytes()), file.as_uri())


def snapshot(uri: str, file: Path) -> None:
    """Have Chromium write a page as MHTML, once it had the time that others have."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=_FLAGS)
        page = browser.new_page(viewport=VIEW)  # type: ignore[arg-type]
        page.goto(uri, wait_until="load")
        page.wait_for_timeout(1000 * SETTLE_S)
        session = page.context.new_cdp_session(page)
        data: str = session.send("Page.captureSnapshot", {"format": "mhtml"})["data"]
        file.write_bytes(data.encode())
        browser.close()


def _aggregate(source: bytes) -> dict[str, bytes]:
    parts = mhtml.open(source).body_parts
    return {part.content_location: part.content for part in parts if part.content_location}


def _run(command: list[str]) -> None:
    """Run a saver, and note what it took."""
    with tempfile.NamedTemporaryFile("r", suffix=".json") as told:
        counting = [sys.executable, __file__, "--count", told.name, *command]
        done = subprocess.run(counting, check=False, capture_output=True, timeout=180)
        _SPENT[:] = json.load(told) if done.returncode == 0 else [0.0, 0.0]
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {done.stderr.decode(errors='replace')[-300:]}")


def count(file: Path, command: list[str]) -> int:
    """Run a command, and write down its CPU and wall seconds, those of its orphans too.

    A browser leaves processes behind that nobody waits for: here they become children of ours.
    """
    ctypes.CDLL(None).prctl(_CHILD_SUBREAPER, 1, 0, 0, 0)
    start = time.perf_counter()
    done = subprocess.run(command, check=False)
    wall_s = time.perf_counter() - start
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    file.write_text(json.dumps([used.ru_utime + used.ru_stime, wall_s]))
    missed = command[0] == "wget" and done.returncode == _WGET_MISSED
    return 0 if missed else done.returncode


_SPENT = [0.0, 0.0]
"""CPU and wall seconds of the last saver."""


def savers() -> dict[str, Callable[[str, Path], Left]]:
    """The savers at hand, ours first."""
    command = [sys.executable, "-m", "permacite", "save", "--help"]
    has_ways = b"--via" in subprocess.run(command, check=True, capture_output=True).stdout
    found: dict[str, Callable[[str, Path], Left]] = {}
    if has_ways:
        found["permacite, http"] = lambda uri, folder: _permacite(uri, folder, "--via", "http")
        found["permacite, browser"] = lambda uri, folder: _permacite(
            uri, folder, "--via", "browser"
        )
    else:
        found["permacite, http"] = _permacite
    if shutil.which("wget"):
        found["wget -p -k -K"] = _wget
    if shutil.which("single-file"):
        found["SingleFile"] = _single_file
    return found | {"Chromium's MHTML": _snapshot}


# ---------------------------------------------------------------- the measurement
@dataclass
class Row:
    """What one saver kept of one site."""

    site: str
    saver: str
    resources: int
    exact: int = 0
    """Resources that are there, octet for octet, under their addresses."""
    words: float = 0.0
    pixels: float = 0.0
    cpu_s: float = 0.0
    wall_s: float = 0.0
    failed: str = ""
    thumb: str = field(default="", repr=False)


def measure_site(folder: Path, name: str, path: str) -> list[Row]:
    """Show a site, save it with each saver, and show what each left."""
    from playwright.sync_api import sync_playwright

    rows = []
    with served(folder) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=_FLAGS)
        base = f"http://127.0.0.1:{server.server_address[1]}"
        truth = see(browser, base + path)
        wanted = {base + asked: content for asked, content in server.served.items()}
        rows.append(Row(name, "", len(wanted), thumb=_thumb(truth.screen)))
        for saver, function in savers().items():
            row = Row(name, saver, len(wanted))
            with tempfile.TemporaryDirectory() as place:
                try:
                    left = function(base + path, Path(place))
                    row.cpu_s, row.wall_s = _SPENT
                    row.exact = sum(left.by_uri.get(uri) == data for uri, data in wanted.items())
                    with _opened(left) as address:
                        seen = see(browser, address)
                    row.words, row.pixels = (
                        kept(truth.words, seen.words),
                        alike(truth.screen, seen.screen),
                    )
                    row.thumb = _thumb(seen.screen)
                except (RuntimeError, OSError, subprocess.TimeoutExpired) as error:
                    row.failed = str(error)[:200]
            rows.append(row)
        browser.close()
    return rows


@contextlib.contextmanager
def _opened(left: Left) -> Iterator[str]:
    """Where a browser finds what was left; the reader's frame, of an archive."""
    if not left.address.startswith("permacite:"):
        yield left.address
        return
    _, archive, name = left.address.split(":", 2)
    command = [sys.executable, "-m", "permacite", "--archive", archive, "serve", "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    try:
        base = next(filter(None, (re.match(r"(http://\S+)/ answers", x) for x in server.stderr)))[1]
        yield f"{base}/-/page/{name}"
    finally:
        server.terminate()
        server.wait(20)
        server.stderr.close()


def _thumb(screen: bytes) -> str:
    from PIL import Image

    image, written = Image.open(BytesIO(screen)).convert("RGB"), BytesIO()
    image.resize(_THUMB, Image.Resampling.LANCZOS).save(written, "PNG")
    return base64.b64encode(written.getvalue()).decode()


def measure() -> str:
    """Measure every site that was not measured so far, and return the table."""
    folder = Path(os.environ.get("PERMACITE_SITES", ""))
    if "PERMACITE_SITES" not in os.environ or not folder.is_dir():
        return "Not measured: PERMACITE_SITES names no folder (`bench_sites.py --fetch FOLDER`)."
    notes = folder / "rows.jsonl"
    done = [json.loads(line) for line in notes.read_text().splitlines()] if notes.exists() else []
    known = {row["site"] for row in done}
    for name, path in sites(folder).items():
        if name not in known:
            rows = [asdict(row) for row in measure_site(folder, name, path)]
            with notes.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in rows)
            done += rows
    _draw(done)
    return _table(done)


def _table(rows: list[dict[str, object]]) -> str:
    """One table of sums, one of sites."""
    by_saver: dict[str, list[Row]] = {}
    for each in rows:
        row = Row(**each)  # type: ignore[arg-type]
        if row.saver:
            by_saver.setdefault(row.saver, []).append(row)
    lines = [
        (
            "| saver | resources exact and found | words, mean | at least 0.98 of them |"
            " first screen, mean | at least 0.99 of it | CPU, median | wall, median |"
        ),
        "|---|---|---|---|---|---|---|---|",
    ]
    for saver, those in by_saver.items():
        exact, every = sum(row.exact for row in those), sum(row.resources for row in those)
        many = len(those)
        lines.append(
            f"| {saver} | {exact} of {every} | {statistics.mean(r.words for r in those):.3f} |"
            f" {sum(r.words >= 0.98 for r in those)} of {many} |"
            f" {statistics.mean(r.pixels for r in those):.3f} |"
            f" {sum(r.pixels >= 0.99 for r in those)} of {many} |"
            f" {statistics.median(r.cpu_s for r in those):.2f} s |"
            f" {statistics.median(r.wall_s for r in those):.2f} s |"
        )
    savers_of = list(by_saver)
    lines += [
        "",
        f"| site | resources | {' | '.join(savers_of)} |",
        "|---" * (2 + len(savers_of)) + "|",
    ]
    for position, first in enumerate(by_saver[savers_of[0]]):
        cells = [by_saver[saver][position] for saver in savers_of]
        told = " | ".join(
            "failed" if c.failed else f"{c.exact}, {c.words:.2f}, {c.pixels:.2f}" for c in cells
        )
        lines.append(f"| {first.site} | {first.resources} | {told} |")
    lines += [
        "",
        (
            "Cells of the second table: resources exact and found, share of the words, share of"
            " the pixels of the first screen (1280x900), of which much is white. What wget saved is"
            " shown with its scripts running, from the disk; exact are the files that `-K` keeps."
            " The HTTP way runs no scripts, so it has none of what they draw or fetch, and says so."
            " CPU is that of all processes. Wall time: SingleFile and the snapshot wait two seconds"
            " once a page is loaded, the browser way runs eight seconds of the page's own time. The"
            " machine had other work to do as well."
        ),
        "",
        (
            f"Programs: {', '.join(_versions())}."
            " First screens: [the site, then each saver](./sites.webp)."
        ),
    ]
    return "\n".join(lines)


def _versions() -> Iterator[str]:
    """The programs at hand, as they call themselves."""
    for program in ("wget", "single-file", _CHROMIUM or "chromium"):
        if shutil.which(program):
            told = subprocess.run([program, "--version"], check=False, capture_output=True).stdout
            words = told.decode(errors="replace").split("\n")[0].split(" built")[0].strip()
            yield words if words[:1].isalpha() else f"{Path(program).name} {words}"


def _draw(rows: list[dict[str, object]]) -> None:
    """Write all first screens side by side, small: a row a site, the site itself first."""
    from PIL import Image

    names = list(dict.fromkeys(str(row["site"]) for row in rows))
    columns = list(dict.fromkeys(str(row["saver"]) for row in rows))
    gap = 4
    size = (len(columns) * (_THUMB[0] + gap), len(names) * (_THUMB[1] + gap))
    sheet = Image.new("RGB", size, "white")
    for row in rows:
        if row["thumb"]:
            image = Image.open(BytesIO(base64.b64decode(str(row["thumb"]))))
            x, y = columns.index(str(row["saver"])), names.index(str(row["site"]))
            sheet.paste(image, (x * (_THUMB[0] + gap), y * (_THUMB[1] + gap)))
    sheet.save(HERE / "results/sites.webp", quality=40, method=6)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--fetch"]:
        fetch(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["--snapshot"]:
        snapshot(sys.argv[2], Path(sys.argv[3]))
    elif sys.argv[1:2] == ["--count"]:
        sys.exit(count(Path(sys.argv[2]), sys.argv[3:]))
    else:
        print(measure())
