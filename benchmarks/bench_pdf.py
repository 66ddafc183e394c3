"""Make the words of PDFs, beside other programs, over a thousand pages of Debian's documentation.

The documents are those of at most a dozen pages that are installed (texlive-doc and others), in the
order of their digests, until there are pages enough. Words count that pdftotext and mutool agree
on; places are compared with `pdftotext -bbox`. Pages of an even number
were looked at when the rules were written, those of an odd one were not.
Alone: python benchmarks/bench_pdf.py [PAGES]
"""

from __future__ import annotations

import hashlib
import html
import re
import resource
import shutil
import subprocess
import sys
import time
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from permacite.renditions import Original, Rendered, rendition_named
from permacite.renditions.pdf.places import read_map

if TYPE_CHECKING:
    from collections.abc import Iterator

TITLE = "PDF: the words of a thousand pages, their order, their places"
RIVALS = ["pypdfium2"]
FOLDERS = [Path("/usr/share/doc"), Path("/usr/share/texmf/doc"), Path("/usr/share/texlive")]
PAGES, MOST_PAGES, MOST_PLACED = 1000, 12, 60
WORD_BOX = re.compile(
    r'xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(.*?)</word>'
)


class Read(NamedTuple):
    """What all programs make of a document, page by page."""

    path: Path
    ours: Rendered
    poppler: list[str]
    mupdf: list[str]

    def pages(self) -> Iterator[tuple[int, str]]:
        """The number and our text of each page."""
        by_target = {label.target: label for label in self.ours.labels}
        for number in range(1, min(len(self.poppler), len(self.mupdf)) + 1):
            label = by_target.get(f"page={number}")
            yield number, "" if label is None else self.ours.text[label.start : label.end]


def _asked(command: list[str]) -> tuple[bytes, float]:
    """What a program writes, and its processor time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, check=False, timeout=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout if done.returncode == 0 else b"", spent


def _documents() -> list[Path]:
    found = {
        hashlib.sha256(path.read_bytes()).hexdigest(): path
        for folder in FOLDERS
        for path in folder.rglob("*.pdf")
        if path.is_file()
    }
    return [path for _, path in sorted(found.items())]


def _words(text: str) -> Counter[str]:
    words = unicodedata.normalize("NFKC", text).split()
    counted = Counter(word.strip(".,;:()[]") for word in words)
    counted.pop("", None)
    return counted


class Measured:
    """What was counted over all documents."""

    def __init__(self) -> None:
        self.documents = self.pages = 0
        self.spent: defaultdict[str, float] = defaultdict(float)
        self.agreed: Counter[int] = Counter()
        self.missed: Counter[int] = Counter()
        self.matched = self.near = 0

    def take(self, path: Path) -> None:
        """Read a document by all."""
        content = path.read_bytes()
        poppler, poppler_s = _asked(["pdftotext", str(path), "-"])
        mupdf, mupdf_s = _asked(["mutool", "draw", "-q", "-F", "txt", str(path)])
        theirs = [each.decode("utf-8", "replace").split("\f")[:-1] for each in (poppler, mupdf)]
        if not 0 < len(theirs[0]) <= MOST_PAGES:
            return
        start = time.process_time()
        ours = rendition_named("pdf-text/1")(Original(content, "application/pdf"))
        self.spent["ours"] += time.process_time() - start
        self.spent["pdftotext"] += poppler_s
        self.spent["mutool"] += mupdf_s
        self._compare(Read(path, ours, *theirs))

    def _compare(self, read: Read) -> None:
        self.documents += 1
        for number, text in read.pages():
            self.pages += 1
            agreed = _words(read.poppler[number - 1]) & _words(read.mupdf[number - 1])
            self.agreed[number % 2] += agreed.total()
            self.missed[number % 2] += (agreed - _words(text)).total()
        if self.documents <= MOST_PLACED:
            self._places(read)

    def _places(self, read: Read) -> None:
        """Compare the boxes of words of the same letters that overlap at all."""
        places = read_map(read.ours.map) if read.ours.text else None
        boxes = _asked(["pdftotext", "-bbox", str(read.path), "-"])[0].decode("utf-8", "replace")
        labels = {label.target: label for label in read.ours.labels}
        for number, page in enumerate(boxes.split("<page ")[1:], 1):
            label = labels.get(f"page={number}")
            if label is None or places is None:
                continue
            ours: dict[str, list[tuple[float, ...]]] = {}
            for word in re.finditer(r"\S+", read.ours.text[label.start : label.end]):
                quads = places.quads(label.start + word.start(), label.start + word.end())
                if len(quads) == 1:
                    ours.setdefault(word[0], []).append(tuple(quads[0])[1:])
            for match in WORD_BOX.finditer(page):
                theirs = tuple(map(float, match.groups()[:4]))
                best = max(
                    (_shared(theirs, box) for box in ours.get(html.unescape(match[5]), ())),
                    default=0,
                )
                self.matched += best > 0
                self.near += best >= 0.8


def _shared(first: tuple[float, ...], second: tuple[float, ...]) -> float:
    """How much of the area of both together two boxes share."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    if width <= 0 or height <= 0:
        return 0.0
    both = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (first, second))
    return width * height / (both - width * height)


def measure(pages: int = PAGES) -> str:
    """The tables."""
    missing = [name for name in ("pdftotext", "mutool") if shutil.which(name) is None]
    if missing:
        return f"Not at hand: {', '.join(missing)} (Debian: poppler-utils, mupdf-tools)."
    from permacite.renditions.pdf.library import library  # noqa: PLC0415 - needs the extra pdf

    library()
    measured = Measured()
    for path in _documents():
        if measured.pages >= pages:
            break
        measured.take(path)
    if not measured.pages:
        return "No documents are installed (Debian: texlive-latex-extra-doc and others)."
    count = measured.pages
    lines = [f"{measured.documents} documents, {count} pages. Processor time a page:", ""]
    lines += ["| reader | ms | ours is |", "|---|---|---|"]
    ours = measured.spent.pop("ours")
    lines += [f"| `pdf-text/1` with its map, no start | {1000 * ours / count:.2f} | |"]
    for name, spent in measured.spent.items():
        lines.append(f"| {name} | {1000 * spent / count:.2f} | {ours / spent:.2f}x |")
    lines += ["", "| found | share |", "|---|---|"]
    for odd, name in ((0, "even pages"), (1, "odd pages")):
        share = 1 - measured.missed[odd] / max(measured.agreed[odd], 1)
        lines.append(f"| words that pdftotext and mutool agree on, {name} | {100 * share:.2f} % |")
    share = measured.near / max(measured.matched, 1)
    lines.append(
        f"| boxes of words that share four fifths with pdftotext's | {100 * share:.2f} % |"
    )
    return "\n".join(lines)


if __name__ == "__main__":
    print(measure(*map(int, sys.argv[1:2])))
