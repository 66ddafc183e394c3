"""Index, list, decode and write aggregates of 20 MB beside other libraries; list a large one.

Rounds of all contestants alternate, so that a busy machine is busy for all. The file is one as a
browser saves it: a page in quoted-printable, pictures in base64. A rival that is not installed is
left out. Alone: python benchmarks/bench_mhtml.py
"""

from __future__ import annotations

import email
import email.mime.image
import email.mime.multipart
import email.mime.text
import importlib
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permacite import mhtml
from permacite.mhtml.mime import transfer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TITLE = "Aggregate documents"
RIVALS = ["unmhtml", "fast-mail-parser", "pybase64"]

ROUNDS = 7
PICTURES = 180
PICTURE_BYTES = 78_000
LARGE_BYTES = 1 << 30
KIB = 1024

Work = dict[str, "Callable[[], object]"]


def resources() -> tuple[mhtml.Resource, list[mhtml.Resource]]:
    """Return a page of about 1.5 MB and pictures of 14 MB in all."""
    rng = random.Random(1)  # noqa: S311 - reproducible, not secret
    page = "".join(
        f'<p>{number} {"words &amp; more of them, " * 300}</p>\n<img src="i/{number}.png">\n'
        for number in range(PICTURES)
    )
    root = mhtml.Resource(page.encode(), "text/html; charset=utf-8", "http://a.example/p")
    pictures = [
        mhtml.Resource(rng.randbytes(PICTURE_BYTES), "image/png", f"http://a.example/i/{n}.png")
        for n in range(PICTURES)
    ]
    return root, pictures


def rounds(work: Work) -> dict[str, float]:
    """Return the median seconds of each contestant."""
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(ROUNDS):
        for name, do in work.items():
            start = time.perf_counter()
            do()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(each) for name, each in seconds.items()}


def at_hand(name: str) -> Any:
    """Import a rival, or return None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def without_pybase64(do: Callable[[], object]) -> Callable[[], object]:
    """Return the work, done as it is where pybase64 is not installed."""
    absent: Any = None  # what makes an import fail

    def alone() -> object:
        kept = sys.modules.get("pybase64")
        sys.modules.update({"pybase64": absent})
        transfer.forget_codec()
        try:
            return do()
        finally:
            if kept is None:
                del sys.modules["pybase64"]
            else:
                sys.modules["pybase64"] = kept
            transfer.forget_codec()

    return alone


# ---------------------------------------------------------------- the contestants
def indexing(source: bytes, path: Path) -> Work:
    """Find every part and its offsets."""
    work: Work = {
        "permacite": lambda: mhtml.open(source),
        "permacite, from a path": lambda: mhtml.open(path).close(),
        "permacite, and every label": lambda: [
            (part.content_type, part.content_location) for part in mhtml.open(source).body_parts
        ],
        "email": lambda: email.message_from_bytes(source),
    }
    if module := at_hand("fast_mail_parser"):
        work["fast-mail-parser"] = partial(module.parse_email, source, mode="metadata")
    return work


def decoding(source: bytes) -> Work:
    """Find and decode every part."""

    def ours() -> object:
        return [part.content for part in mhtml.open(source).body_parts]

    def by_email() -> object:
        parts = email.message_from_bytes(source).walk()
        return [part.get_payload(decode=True) for part in parts if not part.is_multipart()]

    work: Work = {
        "permacite": ours,
        "permacite, without pybase64": without_pybase64(ours),
        "email": by_email,
    }
    if module := at_hand("unmhtml"):
        work["unmhtml"] = partial(module.load_mhtml, source)
    if module := at_hand("fast_mail_parser"):
        work["fast-mail-parser"] = partial(module.parse_email, source)
        # Its octets become objects of Python when they are asked for; all others give them at once.
        work["fast-mail-parser, and every content"] = lambda: [
            part.content for part in module.parse_email(source).attachments
        ]
    return work


def writing(root: mhtml.Resource, pictures: list[mhtml.Resource]) -> Work:
    """Write the page and its pictures."""

    def by_email() -> bytes:
        whole = email.mime.multipart.MIMEMultipart("related")
        whole.attach(email.mime.text.MIMEText(root.content.decode(), "html", "utf-8"))
        for picture in pictures:
            part = email.mime.image.MIMEImage(picture.content, "png")
            part["Content-Location"] = picture.content_location or ""
            whole.attach(part)
        return whole.as_bytes()

    def mail() -> bytes:
        return mhtml.build(root, pictures, profile="mail")

    return {
        "permacite, mail": mail,
        "permacite, mail, without pybase64": without_pybase64(mail),
        "permacite, archive": lambda: mhtml.build(root, pictures, profile="archive"),
        "permacite, chromium": lambda: mhtml.build(root, pictures, profile="chromium"),
        "email": by_email,
    }


# ---------------------------------------------------------------- memory
_LIST = """
import sys
from permacite import mhtml
def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
mhtml.open(b"Subject: x\\r\\n\\r\\n").root.content_location  # loads what reading needs
before = peak()
with mhtml.open(sys.argv[1]) as aggregate:
    parts = [(p.content_type, p.content_location) for p in aggregate.body_parts]
print(len(parts), before, peak())
"""


def memory(folder: Path) -> str:
    """Say what listing a file of 1 GiB takes beyond the interpreter with the library in it."""
    if not Path("/proc/self/status").exists():
        return "Memory is measured on Linux only."
    path = folder / "large.mhtml"
    line = b"QUJD" * 19 + b"\r\n"
    part_head = b"\r\n--b\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n"
    with path.open("wb") as file:
        file.write(b"Content-Type: multipart/related; type=text/html; boundary=b\r\n\r\n")
        number = 0
        while file.tell() < LARGE_BYTES:
            file.write(part_head + f"Content-Location: http://a.example/{number}\r\n\r\n".encode())
            file.write(line * 13_000)
            number += 1
        file.write(b"\r\n--b--\r\n")
    command = [sys.executable, "-c", _LIST, str(path)]
    start = time.perf_counter()
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    seconds = time.perf_counter() - start
    parts, before, after = map(int, answer)
    size = path.stat().st_size
    grown = (after - before) / KIB
    return (
        f"Listing a file of {size / (1 << 30):.1f} GiB with {parts} parts by its path takes "
        f"{grown:.0f} MiB of memory beyond the interpreter with the library loaded "
        f"({before / KIB:.0f} MiB), at {size / seconds / 1e9:.1f} GB/s with the interpreter's "
        "start in it."
    )


def table(title: str, medians: Mapping[str, float], rival: str = "email") -> str:
    """Return a table of ratios to a rival, the fastest first."""
    base = medians[rival]
    lines = [f"{title}, as often as `{rival}` does:", "", "| library | times |", "|---|---|"]
    for name, seconds in sorted(medians.items(), key=lambda item: item[1]):
        lines.append(f"| {name} | {base / seconds:.3g} |")
    return "\n".join(lines)


def measure() -> str:
    """Measure everything and return it as Markdown."""
    root, pictures = resources()
    source = mhtml.build(root, pictures, profile="chromium")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "saved.mhtml"
        path.write_bytes(source)
        sections = [
            f"A file of {len(source) / 1e6:.1f} MB with {len(pictures) + 1} parts.",
            table("Index", rounds(indexing(source, path))),
            table("Index and decode everything", rounds(decoding(source))),
            table("Write", rounds(writing(root, pictures))),
            memory(folder),
        ]
    return "\n\n".join(sections)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUTF8", "1")
    print(f"# {TITLE}\n\n{measure()}")
