"""The tutorial is true: its commands, run in order, print what it shows."""

from __future__ import annotations

import doctest
import functools
import http.server
import os
import re
import shlex
import subprocess
import sys
import threading
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL = (ROOT / "docs/tutorial/first-citation.md").read_text(encoding="utf-8")

_BLOCK = re.compile(r"^```(?P<language>[a-z]+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_DAY = "2026/11/21"
_ADDRESS = "127.0.0.1:8000"
_FOLDER = "/home/you"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder and says nothing."""

    def log_message(self, *_: object) -> None:
        """Leave the log out."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """An empty folder, and the address at which it is served."""
    folder = tmp_path / "site"
    folder.mkdir()
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield folder, f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def steps() -> list[tuple[str, str, str | None]]:
    """Return (language, body, what is printed) of each block that is a page or a command."""
    blocks = [(match["language"], match["body"]) for match in _BLOCK.finditer(TUTORIAL)]
    found: list[tuple[str, str, str | None]] = []
    for place, (language, body) in enumerate(blocks):
        following = blocks[place + 1 : place + 2]
        printed = following[0][1] if following and following[0][0] == "text" else None
        if language in {"html", "console"}:
            found.append((language, body, printed))
    return found


def edit(page: Path, block: str) -> None:
    """Write the page; where it is there, replace the paragraph that begins like `block`."""
    if not page.exists():
        page.write_text(block, encoding="utf-8")
        return
    first = block.partition("\n")[0]
    old = re.search(re.escape(first) + r".*?</p>\n", page.read_text(encoding="utf-8"), re.DOTALL)
    assert old is not None, "the tutorial edits a paragraph that is not there"
    page.write_text(page.read_text(encoding="utf-8").replace(old[0], block), encoding="utf-8")


def run(words: list[str], folder: Path) -> str:
    """Run one command of the tutorial in `folder`, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PERMACITE_ARCHIVE": str(folder / "archive")},
    )
    # What is cited has changed by the time it is checked, and the exit status says so.
    assert done.returncode == (1 if "check" in words else 0), done.stderr
    return done.stdout


def test_the_commands_print_what_is_shown(tmp_path: Path, site: tuple[Path, str]) -> None:
    folder, address = site
    real = {_ADDRESS: address, _FOLDER: str(tmp_path)}
    first_day = datetime.now(UTC).date()

    def ours(text: str) -> str:
        """Put today, our server and our folder for those of the tutorial."""
        return functools.reduce(lambda all_, pair: all_.replace(*pair), real.items(), text)

    compared = 0
    for language, body, printed in steps():
        if language == "html":
            edit(folder / "report.html", body)
            continue
        # The last command of a block is the one whose output is shown.
        words = shlex.split(ours(body.rpartition("$ ")[2].replace("\\\n", "")))
        if words[0] != "permacite" or words[1] == "serve":
            continue
        output = "".join(f"{line.rstrip()}\n" for line in run(words, tmp_path).splitlines())
        if words[1] == "save":  # the day of its name, should midnight come
            day = date(*map(int, output.split("/")[3:6]))
            assert first_day <= day <= datetime.now(UTC).date()
            real |= {
                _DAY: f"{day:%Y/%m/%d}",
                f"{date.fromisoformat(_DAY.replace('/', '-'))}": f"{day}",
            }
        if printed is not None:
            compared += 1
            flags = doctest.ELLIPSIS
            alike = doctest.OutputChecker().check_output(ours(printed), output, flags)
            assert alike, output
    assert compared >= 6
