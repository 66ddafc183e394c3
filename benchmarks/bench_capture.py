"""Save a page of 100 parts from loopback: how long it takes beside other savers, and what is kept.

The page has pictures with srcset candidates, style sheets that import others, fonts, a frame with
pictures of its own, a poster and a sound. The server is a process of its own. A part counts as
kept if its words or pixels are somewhere in the result; as kept whole if its bytes are those that
were served; as found if the result has it under the URI it was served from.

Rivals that are no Python packages are taken from PATH: wget and chromium (Debian), single-file
(npm: single-file-cli). What is not at hand is left out of the table and named below it.
"""

from __future__ import annotations

import base64
import contextlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote_to_bytes

from permacite import mhtml
from permacite.capture import capture
from permacite.capture.model import FetchOptions, body_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TITLE = "Saving a page of 100 parts"
RIVALS = ["aiohttp", "playwright"]

PARTS = 100
RUNS = 3
DELAYS_S = (0.0, 0.02)
"""How long the server waits before each answer: as fast as can be, and as from a near city."""
_CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


# ---------------------------------------------------------------- the page
def make_page(folder: Path) -> dict[str, bytes]:
    """Write the page below `folder`; return path to bytes, the page itself first."""
    dice = random.Random(2557)  # noqa: S311 - the same page every time
    files: dict[str, bytes] = {"index.html": b""}
    body = ['<!DOCTYPE html><meta charset="utf-8"><title>A page of 100 parts</title>']
    for n in range(8):
        files[f"css/{n}.css"] = _style_sheet(n).encode()
        files[f"css/more/{n}.css"] = f"/* deeper {n} */ .d{n} {{ color: #0{n}4 }}\n".encode()
        files[f"css/ground{n}.png"] = _picture(dice)
        body.append(f'<link rel="stylesheet" href="css/{n}.css">')
    for n in range(4):
        files[f"css/font{n}.woff2"] = b"wOF2" + dice.randbytes(20_000)
    for n in range(20):
        files[f"img/{n}.png"], files[f"img/{n}@2x.png"] = _picture(dice), _picture(dice)
        body.append(f'<p class="b{n % 8}">{n} <img src="img/{n}.png" srcset="img/{n}@2x.png 2x">')
    for n in range(8):
        files[f"frame/{n}.png"] = _picture(dice)
    rows = "".join(f'<img src="{n}.png">' for n in range(8))
    files["frame/index.html"] = f"<!DOCTYPE html><title>frame</title>{rows}".encode()
    files["poster.png"], files["icon.png"] = _picture(dice), _picture(dice)
    files["sound.wav"] = b"RIFF\x24\x50\0\0WAVEfmt " + dice.randbytes(20_000)
    files["film.webm"] = b"\x1aE\xdf\xa3" + dice.randbytes(60_000)
    body.append('<link rel="icon" href="icon.png"><iframe src="frame/index.html"></iframe>')
    body.append('<audio src="sound.wav"></audio>')
    body.append('<video src="film.webm" poster="poster.png"></video>')
    for markup, names in _OTHERS:
        body.append(markup)
        files.update({name: _content(name, dice) for name in names})
    while len(files) < PARTS:
        name = f"extra{len(files)}.png"
        files[name] = _picture(dice)
        body.append(f'<img src="{name}">')
    files["index.html"] = "\n".join(body).encode()
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return files


_OTHERS = (
    # other ways to show something, and the files that they show
    (
        '<picture><source srcset="/pic/a.png"><img src="/pic/b.png"></picture>',
        ("pic/a.png", "pic/b.png"),
    ),
    ('<p style="background: url(pic/c.png)">c</p>', ("pic/c.png",)),
    ('<svg><use href="pic/signs.svg#a"/></svg>', ("pic/signs.svg",)),
    ('<svg><image href="pic/d.png" width="9" height="9"/></svg>', ("pic/d.png",)),
    ('<input type="image" src="pic/e.png">', ("pic/e.png",)),
    ('<object data="pic/f.svg" type="image/svg+xml"></object>', ("pic/f.svg",)),
    ('<video><track default src="pic/words.vtt"></video>', ("pic/words.vtt",)),
    (
        '<style>.s { background: image-set("pic/g.png" 1x, "pic/h.png" 2x) }</style><p class="s">',
        ("pic/g.png", "pic/h.png"),
    ),
    ('<iframe srcdoc="&lt;img src=pic/i.png&gt;"></iframe>', ("pic/i.png",)),
    ('<img src="pic/two words.png">', ("pic/two words.png",)),
)


def _content(name: str, dice: random.Random) -> bytes:
    if name.endswith(".svg"):
        shape = f'<symbol id="a"><path d="M0 0 h{dice.randint(9, 99)}"/></symbol>'
        return f'<svg xmlns="http://www.w3.org/2000/svg"><desc>{name}</desc>{shape}</svg>'.encode()
    if name.endswith(".vtt"):
        return b"WEBVTT\n\n00:00.000 --> 00:01.000\nwords\n"
    return _picture(dice)


def _style_sheet(n: int) -> str:
    font = (
        f'@font-face {{ font-family: "f{n}"; src: url(font{n}.woff2) format("woff2") }}\n'
        if n < 4
        else ""
    )
    return (
        f'@import "more/{n}.css";\n/* sheet {n} */\n{font}'
        f'.b{n} {{ background: url("ground{n}.png"); font-family: "f{n}" }}\n'
    )


def _picture(dice: random.Random) -> bytes:
    """Return a PNG of 40 by 40 random grey pixels."""
    rows = b"".join(b"\0" + dice.randbytes(40) for _ in range(40))
    chunks = [(b"IHDR", b"\0\0\0\x28\0\0\0\x28\x08\0\0\0\0"), (b"IDAT", zlib.compress(rows))]
    png = b"\x89PNG\r\n\x1a\n"
    for name, data in [*chunks, (b"IEND", b"")]:
        png += len(data).to_bytes(4, "big") + name + data
        png += zlib.crc32(name + data).to_bytes(4, "big")
    return png


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # One packet an answer: else clients that ask for one thing after another wait on timers.
    wbufsize = -1
    disable_nagle_algorithm = True
    delay_s = 0.0

    def do_GET(self) -> None:
        time.sleep(self.delay_s)
        super().do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""


def serve(folder: str, delay_s: float) -> None:
    """Serve `folder` for ever; the first line printed is the port."""
    _Handler.delay_s = delay_s
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=folder))
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()


@contextlib.contextmanager
def served(folder: Path, delay_s: float) -> Iterator[str]:
    """Serve `folder` from another process, so that it shares no lock with what is measured."""
    command = [sys.executable, __file__, "--serve", str(folder), str(delay_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/"
        finally:
            process.terminate()


# ---------------------------------------------------------------- the savers
@dataclass(frozen=True)
class Result:
    """What a saver left behind: contents by URI, and contents without one."""

    by_uri: dict[str, bytes] = field(default_factory=dict)
    loose: tuple[bytes, ...] = ()


def _permacite(uri: str, _folder: Path) -> Callable[[], Result]:
    root, parts = body_parts(capture(uri, FetchOptions(allow_private=True)))
    aggregate = mhtml.build(root, parts, profile="archive")
    return partial(_aggregate, aggregate)


def _permacite_command(uri: str, folder: Path) -> Callable[[], Result]:
    code = (
        "import sys; from permacite import mhtml; from permacite.capture import *;"
        "root, parts = body_parts(capture(sys.argv[1], FetchOptions(allow_private=True)));"
        "open(sys.argv[2], 'wb').write(mhtml.build(root, parts))"
    )
    file = folder / "page.mhtml"
    _run([sys.executable, "-c", code, uri, str(file)])
    return lambda: _aggregate(file.read_bytes())


def _wget(uri: str, folder: Path) -> Callable[[], Result]:
    # -p: what the page shows; -k: links converted, so that the copy opens by itself.
    _run(["wget", "-q", "-p", "-k", "-nH", "-P", str(folder), uri])
    return lambda: Result(
        {
            uri + quote(str(f.relative_to(folder)), safe="/@"): f.read_bytes()
            for f in folder.rglob("*")
            if f.is_file()
        }
    )


def _single_file(uri: str, folder: Path) -> Callable[[], Result]:
    file = folder / "page.html"
    arguments = [f"--browser-executable-path={_CHROMIUM}", '--browser-args=["--no-sandbox"]']
    _run(["single-file", *arguments, uri, str(file)])
    return lambda: Result(loose=(file.read_bytes(),))


def _chromium(uri: str, _folder: Path) -> Callable[[], Result]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(uri, wait_until="load")
        session = page.context.new_cdp_session(page)
        snapshot: str = session.send("Page.captureSnapshot", {"format": "mhtml"})["data"]
        browser.close()
    return lambda: _aggregate(snapshot.encode())


def _aggregate(source: bytes) -> Result:
    parts = mhtml.open(source).body_parts
    return Result(
        {part.content_location or f"no URI {n}": part.content for n, part in enumerate(parts)}
    )


def _run(command: list[str]) -> None:
    done = subprocess.run(command, check=False, capture_output=True, timeout=120)
    if done.returncode and command[0] != "wget":  # wget's is not zero for a single missing part
        raise RuntimeError(f"{command[0]} failed: {done.stderr.decode(errors='replace')[-500:]}")


SAVERS: tuple[tuple[str, str, str, Callable[[str, Path], Callable[[], Result]]], ...] = (
    # name, program that it needs, package of that, function
    ("permacite (library)", "", "", _permacite),
    ("permacite (a process)", "", "", _permacite_command),
    ("wget -p -k", "wget", "Debian: wget", _wget),
    ("Chromium, save as MHTML", "chromium", "Debian: chromium", _chromium),
    ("SingleFile", "single-file", "npm: single-file-cli", _single_file),
)


# ---------------------------------------------------------------- what was kept
_DATA = re.compile(rb"data:([^,\"'()\s]*),([^\"'()\s>]*)")


def _everything(contents: list[bytes]) -> tuple[set[bytes], bytes]:
    """Return each content, those inside data: URIs included, and all text that is among them."""
    found: set[bytes] = set()
    waiting = list(contents)
    while waiting:
        content = waiting.pop()
        if content in found:
            continue
        found.add(content)
        for about, data in _DATA.findall(content):
            plain = unquote_to_bytes(data)
            with contextlib.suppress(ValueError):
                waiting.append(base64.b64decode(plain) if about.endswith(b";base64") else plain)
    return found, b"\n".join(found)


def _counts(files: dict[str, bytes], base: str, result: Result) -> tuple[int, int, int]:
    """Return how many parts were kept in some form, kept whole, and found by their URI."""
    contents, text = _everything([*result.by_uri.values(), *result.loose])
    kept = sum(_told(name, content) in text for name, content in files.items())
    whole = sum(content in contents for content in files.values())
    found = sum(base + quote(name, safe="/@") in result.by_uri for name in files)
    return kept, whole, found


def _told(name: str, content: bytes) -> bytes:
    """Return what tells a part in whatever form: all of a binary one, a few words of a text."""
    if name.endswith(".css"):
        number = name.rpartition("/")[2].removesuffix(".css")
        return f".{'d' if 'more' in name else 'b'}{number}".encode()
    if name.endswith(".svg"):
        return f"<desc>{name}</desc>".encode()
    if name.endswith(".html"):
        return b"A page of 100 parts" if name == "index.html" else b"frame</title>"
    return content


# ---------------------------------------------------------------- the measurement
def measure() -> str:
    """Return a table of ratios and counts."""
    with tempfile.TemporaryDirectory() as name:
        files = make_page(Path(name))
        assert len(files) == PARTS
        rounds = []
        for delay_s in DELAYS_S:
            with served(Path(name), delay_s) as base:
                rounds.append(_round(files, base))
    at_once, waiting = rounds
    unit = [next(iter(each.values()))[0] for each in rounds]
    lines = [
        "| saver | time, ratio | time at 20 ms an answer, ratio | kept | whole | found by URI |",
        "|---|---|---|---|---|---|",
    ]
    for saver in [saver for saver in at_once if saver in waiting]:
        ratios = f"{at_once[saver][0] / unit[0]:.1f} | {waiting[saver][0] / unit[1]:.1f}"
        kept, whole, found = at_once[saver][1]
        lines.append(f"| {saver} | {ratios} | {kept} | {whole} | {found} |")
    absent = [
        f"{name} ({package})" for name, program, package, _ in SAVERS if not _at_hand(program)
    ]
    note = (
        f"Times are medians of {RUNS} runs, as ratios to the first row. Counts are of {PARTS} "
        "parts: kept in any form, kept byte for byte, and found under the URI they came from."
    )
    missing = f" Not at hand: {', '.join(absent)}." if absent else ""
    return "\n".join([*lines, "", note + missing])


def _at_hand(program: str) -> bool:
    if program == "chromium":
        return _CHROMIUM is not None
    return not program or shutil.which(program) is not None


def _round(files: dict[str, bytes], base: str) -> dict[str, tuple[float, tuple[int, int, int]]]:
    """Run each saver in turn, again and again, so that all meet the same machine."""
    savers = [(name, function) for name, program, _, function in SAVERS if _at_hand(program)]
    times: dict[str, list[float]] = {name: [] for name, _ in savers}
    counts: dict[str, tuple[int, int, int]] = {}
    for _ in range(RUNS):
        for name, function in savers:
            with tempfile.TemporaryDirectory() as folder, contextlib.suppress(FileNotFoundError):
                start = time.perf_counter()
                look = function(base, Path(folder))
                seconds = time.perf_counter() - start
                result = look()  # FileNotFoundError where a saver ended without a result
                times[name].append(seconds)
                if name not in counts:
                    counts[name] = _counts(files, base, _at_index(result, base))
    return {name: (statistics.median(times[name]), counts[name]) for name in counts}


def _at_index(result: Result, base: str) -> Result:
    """Count the page itself as found under either of its addresses."""
    if base in result.by_uri:
        return Result({**result.by_uri, base + "index.html": result.by_uri[base]}, result.loose)
    return result


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2], float(sys.argv[3]))
    else:
        print(measure())
