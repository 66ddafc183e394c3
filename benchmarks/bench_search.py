"""Find words in a hundred thousand documents, beside tantivy's index and ripgrep over the files.

Documents are made of lines of real ones (tests/writings.py), each of one script, four of five in
one that sets spaces. CPU seconds of this process and its children; a search of ours ends with
twenty places in the texts, ready to cite; one of tantivy with twenty numbers of documents, one of
ripgrep with the names of all files. Alone, smaller, or on what an earlier run made:
python benchmarks/bench_search.py --documents 10000 --folder /tmp/search
"""

from __future__ import annotations

import argparse
import html
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.writings import script_of, thousand

from permacite.scan import compile_pattern
from permacite.service.archive import Archive
from permacite.service.ingest.options import CommitOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TITLE = "Search: words in a hundred thousand documents"
RIVALS = ["tantivy"]

DOCUMENTS = 100_000
LINES = 24
ROUNDS = 25
TAG = compile_pattern(r"<[^>]{0,2000}+>")
UNSPACED = ("HAN", "KANA")
SPACED = ("LATIN", "GREEK", "CYRILLIC", "ARABIC", "DEVANAGARI", "TAMIL")


def cpu() -> float:
    """The CPU seconds of this process and of those that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def lines_of(scripts: tuple[str, ...]) -> dict[str, list[str]]:
    """Lines of real documents, by script, each once."""
    found: dict[str, dict[str, None]] = {script: {} for script in scripts}
    for writing in thousand():
        if writing.script in found:
            text = writing.content.decode("utf-8", "replace")
            for line in html.unescape(TAG.sub("", text)).splitlines():
                if any(script_of(sign) == writing.script for sign in line):
                    found[writing.script][line.strip()] = None
    return {script: list(lines) for script, lines in found.items()}


def write(folder: Path, count: int) -> None:
    """Write documents into folders of a thousand."""
    chance = random.Random(1)  # noqa: S311 - no secret
    spaced, unspaced = lines_of(SPACED), lines_of(UNSPACED)
    for number in range(count):
        lines = chance.choice(list((spaced if number % 5 else unspaced).values()))
        place = folder / f"{number // 1000:03}"
        place.mkdir(parents=True, exist_ok=True)
        text = "\n".join(chance.choices(lines, k=LINES))
        (place / f"{number}.txt").write_text(text, encoding="utf-8")


class Made(NamedTuple):
    """What making the archive and the indexes cost."""

    importing_s: float
    indexing_s: float
    tantivy_s: float
    texts: int
    """Octets."""
    ours: int
    theirs: int


def size_of(folder: Path, pattern: str) -> int:
    """The octets of files."""
    return sum(path.stat().st_size for path in folder.rglob(pattern) if path.is_file())


def make(folder: Path, count: int) -> Made:
    """Make all that is asked, where it is not there."""
    files, place = folder / "files", folder / "archive"
    if not files.exists():
        write(files, count)
    start = cpu()
    if not place.exists():
        with Archive.create(place, series="lab.example.us") as archive:
            for _ in archive.lists.files.add_files(
                sorted(files.rglob("*.txt")), CommitOptions(new=True, misquoted=True)
            ):
                pass
    imported = cpu()
    with Archive.open(place) as archive:
        archive.documents.word_index.update(anew=True)
    indexed = cpu()
    shutil.rmtree(folder / "tantivy", ignore_errors=True)
    index_others(folder / "tantivy", files)
    done = cpu()
    return Made(
        imported - start,
        indexed - imported,
        done - indexed,
        size_of(files, "*.txt"),
        size_of(place, "search.sqlite*"),
        size_of(folder / "tantivy", "*"),
    )


def index_others(target: Path, files: Path) -> None:
    """Index the same texts with tantivy, without keeping them."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=False)
    builder.add_unsigned_field("number", stored=True)
    target.mkdir(parents=True)
    index = tantivy.Index(builder.build(), path=str(target))
    writer = index.writer(heap_size=128_000_000, num_threads=1)
    for path in sorted(files.rglob("*.txt")):
        document = tantivy.Document()
        document.add_text("text", path.read_text(encoding="utf-8"))
        document.add_unsigned("number", int(path.stem))
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()


def spaced_share(folder: Path, count: int) -> float:
    """What an index takes of the text, of documents in scripts with spaces alone."""
    with tempfile.TemporaryDirectory() as name:
        chosen = [path for path in sorted((folder / "files").rglob("*.txt")) if int(path.stem) % 5]
        place = Path(name) / "archive"
        with Archive.create(place, series="lab.example.us") as archive:
            for _ in archive.lists.files.add_files(
                chosen[:count], CommitOptions(new=True, misquoted=True)
            ):
                pass
            archive.documents.word_index.update()
        texts = sum(path.stat().st_size for path in chosen[:count])
        return size_of(place, "search.sqlite*") / texts


def questions(folder: Path) -> dict[str, list[str]]:
    """What is asked for, by kind: drawn from the texts."""
    chance = random.Random(2)  # noqa: S311 - no secret
    files = sorted((folder / "files").rglob("*.txt"))
    counts: dict[str, int] = {}
    for path in chance.sample(files, 2000):
        if int(path.stem) % 5:
            for word in set(path.read_text(encoding="utf-8").lower().split()):
                if word.isalpha():
                    counts[word] = counts.get(word, 0) + 1
    ordered = sorted(counts, key=lambda word: -counts[word])
    asked = {
        "a common word": ordered[:ROUNDS],
        "a rare word": chance.sample([word for word in ordered if counts[word] == 1], ROUNDS),
        "three words": [" ".join(chance.sample(ordered[:2000], 3)) for _ in range(ROUNDS)],
        "a phrase": [],
        "Chinese, Japanese": [],
    }
    for path in chance.sample(files, 40 * ROUNDS):
        text = path.read_text(encoding="utf-8")
        if int(path.stem) % 5:
            words = chance.choice([line for line in text.splitlines() if line]).split()
            phrase = " ".join(words[:5])
            if len(words) >= 5 and '"' not in phrase and len(asked["a phrase"]) < ROUNDS:
                asked["a phrase"].append(f'"{phrase}"')
        elif len(asked["Chinese, Japanese"]) < ROUNDS:
            at = chance.randrange(len(text) - 4)
            piece = text[at : at + chance.randint(2, 4)]
            if all(script_of(sign) in UNSPACED for sign in piece):
                asked["Chinese, Japanese"].append(f'"{piece}"')
    return asked


def costs(searches: Sequence[Callable[[], object]]) -> tuple[float, float]:
    """The CPU milliseconds of a search: the median, and the most."""
    found = []
    for search in searches:
        start = cpu()
        search()
        found.append((cpu() - start) * 1000)
    return statistics.median(found), max(found)


def table(folder: Path) -> list[str]:
    """What searches cost, by kind."""
    import tantivy

    index = tantivy.Index.open(str(folder / "tantivy"))
    rg = shutil.which("rg")
    lines = [
        "| searched for | permacite, median | most | tantivy | ripgrep |",
        "|---|---|---|---|---|",
    ]
    with Archive.open(folder / "archive") as archive:
        archive.search("warm")
        searcher = index.searcher()
        for kind, asked in questions(folder).items():

            def theirs(typed: str) -> object:
                return searcher.search(index.parse_query(typed, ["text"]), 20).hits

            def scanned(typed: str) -> object:
                words = [rg or "", "-l", "-i", "-F", "-j1", typed.strip('"'), str(folder / "files")]
                return subprocess.run(words, capture_output=True, check=False).stdout

            ours = costs([partial(archive.search, typed) for typed in asked])
            other = costs([partial(theirs, typed) for typed in asked])
            scans = "not at hand"
            if rg and kind != "three words":
                scans = f"{costs([partial(scanned, typed) for typed in asked[:3]])[0]:,.0f} ms"
            elif rg:
                scans = "-"
            lines.append(
                f"| {kind} | {ours[0]:,.1f} ms | {ours[1]:,.1f} ms | {other[0]:,.2f} ms | {scans} |"
            )
    return lines


def report(folder: Path, count: int) -> str:
    """Make what is asked, ask it, and tell."""
    made = make(folder, count)
    share = spaced_share(folder, min(count, 10_000))
    ours, theirs = made.ours / made.texts, made.theirs / made.texts
    return "\n".join(
        [
            f"{count:,} documents, {made.texts / 1e6:,.0f} MB of text. CPU time of one search:",
            "",
            *table(folder),
            "",
            "| | permacite | tantivy |",
            "|---|---|---|",
            f"| importing, CPU s | {made.importing_s:,.0f} | - |",
            f"| indexing, CPU s | {made.indexing_s:,.0f} | {made.tantivy_s:,.0f} |",
            f"| index, part of the text | {ours:.2f} | {theirs:.2f} |",
            f"| the same, scripts with spaces alone | {share:.2f} | - |",
            "",
            "A search of ours ends with twenty places in the texts, read, checked and ready to",
            "cite; one of tantivy with twenty numbers. Tantivy's tokenizer takes a run of Chinese",
            "for one word, and finds no part of it. ripgrep reads all files for each search.",
        ]
    )


def measure() -> str:
    """Return the table, as Markdown."""
    with tempfile.TemporaryDirectory() as name:
        return report(Path(name), DOCUMENTS)


def main() -> None:
    """Print the tables, of fewer documents or in a folder that is kept, where told."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    if options.folder:
        print(report(options.folder, options.documents))
        return
    with tempfile.TemporaryDirectory() as name:
        print(report(Path(name), options.documents))


if __name__ == "__main__":
    main()
