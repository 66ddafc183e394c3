"""Make the words of PDFs, beside other programs, over a thousand pages and more of real documents.

Alone: python benchmarks/bench_pdf.py [FOLDER...]; else PERMACITE_PDFS names the folders. Without
either, those that Debian's documentation packages have installed are taken. pdfs.py fetches a list
of them that does not change. The documents are taken
in the order of their digests, of one program that made them at most MOST_OF_ONE pages, and of a
large document the pages in the middle (cut out by mutool, which leaves how they are drawn as it
is). Words count that pdftotext and mutool agree on; places are compared with `pdftotext -bbox`, and
where they differ, with what PDFium draws there: a box holds the ink if all but a fiftieth is in it.
Of fonts of drawings (type 3) pdftotext guesses the size by the width of a letter, and it takes the
height of a word from the font of its first glyph: files with such fonts are told apart, and words
of which our box alone holds the ink.
PERMACITE_OLDER_PDFIUM is a folder with an older build: pip install --target FOLDER --no-deps
pypdfium2==4.30.0
"""

from __future__ import annotations

import hashlib
import html
import json
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from permacite.pdi import PagePlace
from permacite.renditions import Original, Rendered, rendition_named
from permacite.renditions.drawing import draw
from permacite.renditions.pdf.boxes import read_map

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TITLE = "PDF: the words of two thousand pages, their places, and two builds of PDFium"
RIVALS = ["pypdfium2"]
FOLDERS = [Path("/usr/share/doc"), Path("/usr/share/texmf/doc")]
PAGES, MOST_PAGES, MOST_OF_ONE = 2000, 40, 250
WORD_BOX = re.compile(
    r'xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(.*?)</word>'
)
UNSPACED = re.compile(r"([\u0e00-\u0eff\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef])")
"""Characters of scripts without spaces between words: each counts as one."""
UNKNOWN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
"""What is given for a glyph whose character is not known."""
FACT = re.compile(r"^(Producer|Creator|Pages): +(.*)$", re.MULTILINE)
OLDER = """
import json, sys
from permacite.renditions import Original, rendition_named
from permacite.renditions.pdf.library import library
print(json.dumps(library().build))
for path in sys.argv[1:]:
    text = rendition_named("pdf-text/1")(Original(open(path, "rb").read(), "application/pdf"))
    print(json.dumps({each.target: text.text[each.start : each.end] for each in text.labels}))
"""


Box: TypeAlias = tuple[float, ...]
PIXELS = 2
"""For a point, as pages are drawn."""
INK, ALL_INK = 64, 0.98
"""How far a pixel differs from its ground, and what of the ink a box holds that holds a word."""


class Boxes(NamedTuple):
    """The boxes of a word by pdftotext and by us, and how much they share."""

    page: int
    theirs: Box
    ours: Box
    shared: float


class Read(NamedTuple):
    """What all programs make of a document, page by page."""

    path: Path
    ours: Rendered
    poppler: list[str]
    mupdf: list[str]

    def pages(self) -> Iterator[tuple[int, str, Counter[str]]]:
        """The number and our text of each page, and the words that the others agree on."""
        texts = pages_of(self.ours)
        for number, both in enumerate(zip(self.poppler, self.mupdf, strict=False), 1):
            yield number, texts.get(f"page={number}", ""), words_of(both[0]) & words_of(both[1])


def pages_of(text: Rendered) -> dict[str, str]:
    """The text of each page by its target."""
    return {label.target: text.text[label.start : label.end] for label in text.labels}


def words_of(text: str) -> Counter[str]:
    """How often each word stands there, without marks at its ends."""
    known = UNKNOWN.sub("\ufffd", unicodedata.normalize("NFKC", text))
    words = UNSPACED.sub(r" \1 ", known).split()
    counted = Counter(word.strip(".,;:()[]") for word in words)
    counted.pop("", None)
    return counted


def asked(command: list[str]) -> tuple[bytes, float]:
    """What a program writes, and its processor time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, check=False, timeout=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout if done.returncode == 0 else b"", spent


def documents(folders: Sequence[Path], cuts: Path) -> Iterator[Path]:
    """The documents to read, until there are pages enough."""
    found = {
        hashlib.sha256(path.read_bytes()).hexdigest(): path
        for folder in folders
        for path in folder.rglob("*.pdf")
        if path.is_file()
    }
    made: Counter[str] = Counter()
    for digest, path in sorted(found.items()):
        facts = dict(FACT.findall(asked(["pdfinfo", str(path)])[0].decode("utf-8", "replace")))
        pages = int(facts.get("Pages", "0"))
        maker = f"{facts.get('Producer')} {facts.get('Creator')}"
        if not pages or made[maker] >= MOST_OF_ONE or made.total() >= PAGES:
            continue
        made[maker] += min(pages, MOST_PAGES)
        if pages <= MOST_PAGES:
            yield path
            continue
        first = (pages - MOST_PAGES) // 2 + 1
        cut = cuts / f"{digest}.pdf"
        asked(["mutool", "clean", str(path), str(cut), f"{first}-{first + MOST_PAGES - 1}"])
        if cut.exists():
            yield cut


def read(path: Path, spent: defaultdict[str, float]) -> Read | None:
    """A document as all read it; None where one of the others cannot."""
    poppler, poppler_s = asked(["pdftotext", str(path), "-"])
    mupdf, mupdf_s = asked(["mutool", "draw", "-q", "-F", "txt", str(path)])
    theirs = [each.decode("utf-8", "replace").split("\f")[:-1] for each in (poppler, mupdf)]
    if not theirs[0] or len(theirs[0]) != len(theirs[1]):
        return None
    content = path.read_bytes()
    start = time.process_time()
    ours = rendition_named("pdf-text/1")(Original(content, "application/pdf"))
    spent["ours"] += time.process_time() - start
    spent["pdftotext"] += poppler_s
    spent["mutool"] += mupdf_s
    return Read(path, ours, *theirs)


class Measured:
    """What was counted over all documents."""

    def __init__(self) -> None:
        self.paths: list[Path] = []
        self.texts: dict[tuple[Path, str], str] = {}
        self.spent: defaultdict[str, float] = defaultdict(float)
        self.pages = self.agreed = self.missed = self.matched = self.near = 0
        self.drawn = self.held_by_ours = self.held_by_poppler = self.held_by_ours_alone = 0
        self.sized = self.sized_near = 0
        self.characters = self.map_octets = 0

    def take(self, path: Path) -> None:
        """Read a document by all."""
        document = read(path, self.spent)
        if document is None:
            return
        self.paths.append(path)
        self.characters += len(document.ours.text)
        self.map_octets += len(document.ours.map)
        for number, text, agreed in document.pages():
            self.pages += 1
            self.texts[path, f"page={number}"] = text
            self.agreed += agreed.total()
            self.missed += (agreed - words_of(text)).total()
        if document.ours.text:
            words = [boxes for boxes in boxes_of_words(document) if boxes.shared]
            self.matched += len(words)
            apart = [boxes for boxes in words if boxes.shared < 0.8]
            self.near += len(words) - len(apart)
            if b" Type 3 " not in asked(["pdffonts", str(path)])[0]:
                self.sized += len(words)
                self.sized_near += len(words) - len(apart)
            for ours, theirs in ink_within(path, apart):
                self.drawn += 1
                self.held_by_ours += ours >= ALL_INK
                self.held_by_poppler += theirs >= ALL_INK
                self.held_by_ours_alone += theirs < ALL_INK <= ours

    def builds(self, folder: str) -> str:
        """On how many pages an older build gives the same text."""
        path = os.pathsep.join([folder, *filter(None, sys.path)])
        command = [sys.executable, "-c", OLDER, *map(str, self.paths)]
        told = subprocess.run(
            command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, check=True
        )
        build, *documents = map(json.loads, told.stdout.splitlines())
        same = sum(
            texts.get(target, "") == self.texts[path, target]
            for path, texts in zip(self.paths, documents, strict=True)
            for target in (target for known, target in self.texts if known == path)
        )
        return row(f"pages of which build {build} of PDFium gives the same text", same, self.pages)


def boxes_of_words(document: Read) -> Iterator[Boxes]:
    """Of each word of pdftotext its box, and that of ours that shares most with it."""
    places = read_map(document.ours.map)
    boxes = asked(["pdftotext", "-bbox", str(document.path), "-"])[0].decode("utf-8", "replace")
    labels = {label.target: label for label in document.ours.labels}
    for number, page in enumerate(boxes.split("<page ")[1:], 1):
        label = labels.get(f"page={number}")
        if label is None:
            continue
        ours: dict[str, list[Box]] = {}
        for word in re.finditer(r"\S+", document.ours.text[label.start : label.end]):
            quads = places.quads(label.start + word.start(), label.start + word.end())
            if len(quads) == 1:
                ours.setdefault(word[0], []).append(tuple(quads[0])[1:])
        for match in WORD_BOX.finditer(page):
            theirs = tuple(map(float, match.groups()[:4]))
            known = [(shared(theirs, box), box) for box in ours.get(html.unescape(match[5]), ())]
            if known:
                best, box = max(known)
                yield Boxes(number, theirs, box, best)


def ink_within(path: Path, words: Sequence[Boxes]) -> Iterator[tuple[float, float]]:
    """How much of what is drawn in both boxes of a word together ours holds, and pdftotext's."""
    content, number, page = path.read_bytes(), 0, None
    for word in words:
        if word.page != number:
            number = word.page
            page = draw(content, PagePlace(number), lambda _: None)
            channels = page.pixels.view(np.uint8).reshape(page.height, page.width, 4)
            grey = channels[:, :, :3].mean(axis=2)
        left, top = (
            math.floor(PIXELS * min(word.ours[side], word.theirs[side])) for side in (0, 1)
        )
        right, bottom = (
            math.ceil(PIXELS * max(word.ours[side], word.theirs[side])) for side in (2, 3)
        )
        part = grey[max(top, 0) : bottom, max(left, 0) : right]
        ink = np.abs(part - np.median(part)) > INK if part.size else part
        if not ink.any():
            continue
        held = []
        for box in (word.ours, word.theirs):
            x, y = (
                round(PIXELS * box[side]) - max(edge, 0) for side, edge in ((0, left), (1, top))
            )
            right, bottom = (
                round(PIXELS * box[2]) - max(left, 0),
                round(PIXELS * box[3]) - max(top, 0),
            )
            held.append(float(ink[max(y, 0) : bottom, max(x, 0) : right].sum() / ink.sum()))
        yield held[0], held[1]


def shared(first: tuple[float, ...], second: tuple[float, ...]) -> float:
    """How much of the area of both together two boxes share."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    if width <= 0 or height <= 0:
        return 0.0
    both = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (first, second))
    return width * height / (both - width * height)


def row(name: str, part: int, whole: int) -> str:
    """A row of a table."""
    return f"| {name} | {100 * part / max(whole, 1):.2f} % of {whole:,} |"


def measure(folders: Sequence[Path] = ()) -> str:
    """The tables."""
    missing = [each for each in ("pdftotext", "pdfinfo", "mutool") if shutil.which(each) is None]
    if missing:
        return f"Not at hand: {', '.join(missing)} (Debian: poppler-utils, mupdf-tools)."
    from permacite.renditions.pdf.library import library

    library()
    named = os.environ.get("PERMACITE_PDFS", "")
    folders = folders or list(map(Path, filter(None, named.split(os.pathsep)))) or FOLDERS
    older = os.environ.get("PERMACITE_OLDER_PDFIUM")
    measured = Measured()
    with tempfile.TemporaryDirectory() as cuts:
        for path in documents(folders, Path(cuts)):
            measured.take(path)
        if not measured.pages:
            return "No documents are there (Debian: installation-guide-amd64 and others)."
        builds = measured.builds(older) if older else "| an older build of PDFium | not at hand |"
    return report(measured, builds)


def report(measured: Measured, builds: str) -> str:
    """The tables of what was measured."""
    count = measured.pages
    about = f"{len(measured.paths)} documents, {count} pages, {measured.characters:,} characters."
    lines = [f"{about} Processor time a page:", ""]
    lines += ["| reader | ms | ours is |", "|---|---|---|"]
    ours = measured.spent.pop("ours")
    lines += [f"| `pdf-text/1` with its map, no start | {1000 * ours / count:.2f} | |"]
    for name, spent in measured.spent.items():
        lines.append(f"| {name} | {1000 * spent / count:.2f} | {ours / spent:.2f}x |")
    agreed, found = measured.agreed, measured.agreed - measured.missed
    drawn, alone = measured.drawn, measured.near + measured.held_by_ours_alone
    octets = measured.map_octets / max(measured.characters, 1)
    return "\n".join(
        [
            *lines,
            "",
            "| found | share |",
            "|---|---|",
            row("words that pdftotext and mutool agree on", found, agreed),
            row("boxes that share four fifths with pdftotext's", measured.near, measured.matched),
            row("the same in files without fonts of drawings", measured.sized_near, measured.sized),
            row("boxes that do, or alone hold the ink", alone, measured.matched),
            row("of those that do not: ours that hold the ink", measured.held_by_ours, drawn),
            row("of those that do not: pdftotext's that do", measured.held_by_poppler, drawn),
            builds,
            f"| octets of the map for a character | {octets:.2f} |",
        ]
    )


if __name__ == "__main__":
    print(measure([Path(each) for each in sys.argv[1:]]))
