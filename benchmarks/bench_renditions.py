"""Make the words of an office file and of a book, beside libraries that read the same files.

The book is Debian's policy manual as EPUB, from its package; the office file is the same book,
written by pandoc. Alone: python benchmarks/bench_renditions.py [BOOK.epub]
"""

from __future__ import annotations

import importlib.util
import io
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permacite.markup import Document
from permacite.renditions import Original, rendition_named

if TYPE_CHECKING:
    from collections.abc import Callable

TITLE = "Renditions: the words of office files and books"
RIVALS = ["mammoth", "docx2txt", "python-docx"]
ROUNDS = 5
BOOK = Path("/usr/share/doc/debian-policy/policy.epub")
XHTML = "application/xhtml+xml"


def _median_ms(work: Callable[[], object]) -> float:
    """Processor time, in ms."""
    work()
    spent = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        spent.append(1000 * (time.process_time() - start))
    return statistics.median(spent)


def _as_docx(book: Path) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "book.docx"
        subprocess.run([shutil.which("pandoc") or "pandoc", book, "-o", made], check=True)
        return made.read_bytes()


def _ours(name: str, content: bytes) -> Callable[[], object]:
    rendition = rendition_named(name)
    original = Original(content, min(rendition.media_types))
    return lambda: rendition(original)


def _mammoth(content: bytes) -> object:
    return importlib.import_module("mammoth").extract_raw_text(io.BytesIO(content)).value


def _docx2txt(content: bytes) -> object:
    return importlib.import_module("docx2txt").process(io.BytesIO(content))


def _python_docx(content: bytes) -> object:
    document: Any = importlib.import_module("docx").Document(io.BytesIO(content))
    return "\n".join(each.text for each in document.paragraphs)


READERS: dict[str, tuple[str, Callable[[bytes], object]]] = {
    "mammoth": ("mammoth, raw text", _mammoth),
    "docx2txt": ("docx2txt, all text in one", _docx2txt),
    "docx": ("python-docx, paragraphs of the body alone", _python_docx),
}
"""By what is imported, what it is asked for: the simplest text that it has."""


def measure(book: Path = BOOK) -> str:
    """Both tables."""
    if not book.exists():
        return f"{book} is not here: it is in Debian's package debian-policy."
    content = book.read_bytes()
    docx = _as_docx(book)
    ours = _median_ms(_ours("docx-text/1", docx))
    lines = [f"DOCX of {len(docx):,} octets, processor time:", "", "| reader | ms | ours is |"]
    lines += ["|---|---|---|", f"| `docx-text/1` | {ours:.0f} | |"]
    for library, (name, read) in READERS.items():
        if importlib.util.find_spec(library) is None:
            continue
        theirs = _median_ms(partial(read, docx))
        lines.append(f"| {name} | {theirs:.0f} | {ours / theirs:.2f}x |")
    with zipfile.ZipFile(book) as opened:
        pages = [opened.read(name) for name in opened.namelist() if name.endswith("html")]
    alone = _median_ms(lambda: [Document(page, XHTML).reading for page in pages])
    whole = _median_ms(_ours("epub-text/1", content))
    size = sum(map(len, pages))
    lines += ["", f"EPUB of {len(pages)} pages, {size:,} octets unpacked:", ""]
    lines += ["| work | ms | ratio |", "|---|---|---|"]
    lines += [f"| its pages alone, as pages | {alone:.0f} | 1 |"]
    lines += [f"| `epub-text/1`: zip, package, pages, labels | {whole:.0f} | {whole / alone:.2f} |"]
    return "\n".join(lines)


if __name__ == "__main__":
    print(measure(*map(Path, sys.argv[1:2])))
