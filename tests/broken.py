"""Documents broken by their numbers, and how workers answer: a text or an error of ours, in time.

`./do deep` breaks a hundred thousand of each kind, the suite a sample. A part of them is broken as
they stand; of the others a stream of a PDF is, or an entry of a zip, and packed anew, or check sums
would keep all else from it. A number is one document for good, so a long run goes by slices, and
tells each in a line of JSON once it is done:

    python -m tests.broken pdf epub docx --first 0 --count 100000
"""

from __future__ import annotations

import argparse
import io
import json
import random
import re
import sys
import time
import zipfile
import zlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.spec.test_words_of_books import NAV, PAGES, book
from tests.spec.test_words_of_office_files import NOTES, NUMBERING, REVIEWED, STYLES, docx, item, p

from permacite.decoding.workers import DecodingPool
from permacite.errors import LimitError, ParseError
from permacite.renditions import (
    Original,
    Rendered,
    media_type_of,
    rendition_named,
    renditions,
)

__all__ = ["KINDS", "Tally", "mutated", "problem_of", "started", "tried"]

KINDS = ("pdf", "epub", "docx", "others")
GOLDEN = Path(__file__).parent / "golden"
PICTURES = Path(__file__).parents[1] / "demo" / "site" / "pictures"
JOB_S = 60.0
"""What one may take; a server waits twice as long."""
AT_ONCE = 2

TAG = re.compile(rb"<[^<>]*>")
START_TAG = re.compile(rb"<([A-Za-z:]+)(?:\s[^<>]*)?(?<!/)>")
VALUE = re.compile(rb"""(?<==)(?:"[^"<]*"|'[^'<]*')""")
STREAM = re.compile(rb"/Length [0-9]+(?P<rest>[^>]*>>\s*stream\r?\n)")
NUMBER = re.compile(rb"(?<![0-9.])[0-9]+(?![0-9.])")
WORD = re.compile(rb"/[A-Za-z0-9]+|[0-9]+ 0 R|<<|>>|\[|\]")
NUMBERS = tuple(b"0 -1 1 65535 2147483647 -2147483648 4294967296 1e30 nan".split())
READ = (".xml", ".xhtml", ".opf", ".rels", ".ncx")
"""Endings of what is read of books and office files."""

MARKUP = [
    b"""<TEI><teiHeader><fileDesc><titleStmt><title>On Light</title></titleStmt></fileDesc>
</teiHeader><text><body><pb n='1'/><div n='2'><head>Rays</head><p>It falls<note n='1'>at
noon</note> on wa<lb break='no'/>ter.</p><pb n='2'/><list><item>blue</item></list></div></body>
</text></TEI>""",
    b"""<article><front><article-meta><title-group><article-title>On Light</article-title>
</title-group></article-meta></front><body><sec><label>2</label><title>Rays</title><p>It falls
</p><table-wrap><table><tr><td>42</td><td/></tr></table></table-wrap></sec></body></article>""",
    b"<!DOCTYPE a [<!ENTITY b 'c'><!ENTITY d '&b;&b;'>]><a x='1'>&b;<![CDATA[<b>]]>&d;<?e f?></a>",
]


# ---------------------------------------------------------------- what is broken


@cache
def _seeds() -> dict[str, dict[str, list[bytes]]]:
    """Octets of whole documents, by their kind and the rules that read them."""
    rules = {
        media_type: str(each)
        for each in renditions()
        if not each.on_request
        for media_type in each.media_types
    }
    read: dict[str, list[bytes]] = {}
    for path in sorted((GOLDEN / "office").iterdir()) + sorted((GOLDEN / "rfc2557").glob("*.eml")):
        name = rules.get(media_type_of(path.name) or "")
        if name is not None:
            read.setdefault(name, []).append(path.read_bytes())
    numbered = docx(item("a", 2) + p("One"), styles=STYLES, numbering=NUMBERING, **NOTES)
    books = [*read.pop("epub-text/1"), book(PAGES, list(PAGES), nav=NAV)]
    office = [*read.pop("docx-text/1"), REVIEWED, numbered]
    drawings = [path.read_bytes() for path in sorted(PICTURES.glob("*.svg"))]
    return {
        "pdf": {"pdf-text/1": [each.read_bytes() for each in sorted(GOLDEN.glob("pdf/*.pdf"))]},
        "epub": {"epub-text/1": books},
        "docx": {"docx-text/1": office, "docx-reviewed-text/1": office},
        "others": read | {"xml-text/1": MARKUP + drawings},
    }


class _Stream(NamedTuple):
    """A compressed stream of a PDF: where its dictionary's length stands, and what it holds."""

    start: int
    rest: bytes
    end: int
    plain: bytes


@cache
def _streams(content: bytes) -> list[_Stream]:
    found = []
    for head in STREAM.finditer(content):
        end = content.find(b"endstream", head.end())
        try:
            plain = zlib.decompressobj().decompress(content[head.end() : end], 1 << 20)
        except zlib.error:
            continue
        found.append(_Stream(head.start(), head["rest"], end, plain))
    return found


@cache
def _entries(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        return {each: opened.read(each) for each in opened.namelist()}


# ---------------------------------------------------------------- how


def mutated(kind: str, number: int) -> tuple[str, bytes]:
    """A broken document by its number: the rules that read it, and its octets."""
    rng = random.Random(f"{kind} {number}")  # noqa: S311 - reproducible, not secret
    rules, contents = rng.choice(list(_seeds()[kind].items()))
    content = rng.choice(contents)
    change = _numbers_changed if kind == "pdf" else _tags_changed
    if content.startswith(b"PK") and rng.random() < 0.75:
        return rules, _entry_broken(content, rng)
    if rng.random() < 0.5:
        return rules, change(content, rng)
    if _streams(content):
        return rules, _stream_broken(content, rng)
    return rules, change(content, rng)


def _entry_broken(content: bytes, rng: random.Random) -> bytes:
    files = dict(_entries(content))
    chosen = rng.choice([each for each in files if each.endswith(READ)])
    files[chosen] = _tags_changed(files[chosen], rng)
    if rng.random() < 0.1:
        del files[rng.choice(list(files))]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, octets in files.items():
            archive.writestr(name, octets)
    return packed.getvalue()


def _stream_broken(content: bytes, rng: random.Random) -> bytes:
    chosen = rng.choice(_streams(content))
    packed = zlib.compress(_numbers_changed(chosen.plain, rng), 1)
    head = b"/Length %d%s" % (len(packed), chosen.rest)
    return b"".join([content[: chosen.start], head, packed, b"\n", content[chosen.end :]])


def _somewhere(pattern: re.Pattern[bytes], data: bytearray, rng: random.Random) -> slice:
    """One of what a pattern finds: the first behind a place by chance; else nothing."""
    found = pattern.search(data, rng.randrange(len(data) + 1)) or pattern.search(data)
    return slice(*found.span()) if found else slice(0, 0)


def _octets_changed(data: bytearray, rng: random.Random, longest: int) -> None:
    """Octets put in place of others, taken away, repeated, or all behind a place cut off."""
    at = rng.randrange(len(data) + 1)
    end = at + rng.choice((1, 4, 30, longest))
    kind = rng.randrange(7)
    if kind < 2:
        data[at:end] = rng.randbytes(min(4, end - at))
    elif kind < 4:
        del data[at:end]
    elif kind < 6:
        data[at:at] = data[at:end] * rng.choice((1, 2, 50))
    else:
        del data[at:]


def _tags_changed(content: bytes, rng: random.Random) -> bytes:
    """Octets, tags or values changed, of which the last leave markup that is well-formed."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 5))):
        change = rng.choice(_CHANGES_OF_MARKUP)
        if not change(data, rng):
            _octets_changed(data, rng, 300)
    return bytes(data)


def _tags_moved(data: bytearray, rng: random.Random) -> bool:
    """A tag taken away or put elsewhere, or all between two taken away."""
    first, second = (_somewhere(TAG, data, rng) for _ in range(2))
    kind = rng.randrange(3)
    if kind == 0:
        del data[first]
    elif kind == 1:
        data[second.start : second.start] = data[first]
    else:
        del data[min(first.start, second.start) : max(first.stop, second.stop)]
    return bool(first.stop)


def _values_changed(data: bytearray, rng: random.Random) -> bool:
    """The value of an attribute put in the place of another, or a number."""
    first, second = (_somewhere(VALUE, data, rng) for _ in range(2))
    data[first] = data[second] if rng.random() < 0.5 else b'"%s"' % rng.choice(NUMBERS)
    return bool(first.stop)


def _elements_repeated(data: bytearray, rng: random.Random) -> bool:
    """An element repeated, taken away, or put into itself."""
    start = _somewhere(START_TAG, data, rng)
    name = START_TAG.match(data, start.start)
    end = data.find(b"</%s>" % name[1], start.stop) if name else -1
    if name is None or end < 0:
        return False
    element = slice(start.start, end + len(name[1]) + 3)
    kind = rng.randrange(3)
    if kind == 0:
        del data[element]
    else:
        at = element.stop if kind == 1 else start.stop
        data[at:at] = data[element] * rng.choice((1, 2, 50))
    return True


_CHANGES_OF_MARKUP = (
    lambda *_: False, lambda *_: False, _tags_moved, _values_changed, _values_changed,
    _elements_repeated, _elements_repeated,
)  # fmt: skip


def _numbers_changed(content: bytes, rng: random.Random) -> bytes:
    """Octets changed; numbers, names and references put in each other's place."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 4, 12))):
        kind = rng.randrange(7)
        pattern = NUMBER if kind < 5 else WORD
        first, second = (_somewhere(pattern, data, rng) for _ in range(2))
        if kind < 3 or not first.stop:
            _octets_changed(data, rng, 400)
        else:
            data[first] = rng.choice(NUMBERS) if kind == 3 else data[second]
    return bytes(data)


# ---------------------------------------------------------------- how it is answered


@dataclass
class Tally:
    """What became of some documents that follow each other."""

    kind: str
    first: int
    count: int
    answers: Counter[str] = field(default_factory=Counter)
    """How many have a "text", how many were "refused" for what they are, or for a "limit"."""
    problems: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    seconds: float = 0.0


def problem_of(text: Rendered) -> str:
    """What no text may be; "" where it is none of that."""
    if text.text and not text.text.endswith("\r\n"):
        return "it ends badly"
    is_within = all(0 <= each.start < each.end <= len(text.text) for each in text.labels)
    return "" if is_within else "a label is of nothing in it"


def tried(kind: str, first: int, count: int, workers: dict[str, DecodingPool]) -> Tally:
    """Have workers read some documents, two at once."""
    tally, start = Tally(kind, first, count), time.monotonic()

    def answered(number: int) -> _Answer:
        return _answered(workers, *mutated(kind, number))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for number, answer in enumerate(pool.map(answered, range(first, first + count)), first):
            tally.answers[answer.outcome] += 1
            tally.slowest_s = max(tally.slowest_s, round(answer.seconds, 2))
            if answer.problem:
                tally.problems.append(f"{kind} {number}: {answer.problem}")
    tally.seconds = round(time.monotonic() - start, 1)
    return tally


class _Answer(NamedTuple):
    outcome: str
    problem: str
    seconds: float


def _answered(workers: dict[str, DecodingPool], rules: str, content: bytes) -> _Answer:
    start = time.monotonic()
    outcome, problem = _outcome(workers, rules, content)
    return _Answer(outcome, problem and f"{rules}: {problem}", time.monotonic() - start)


def _outcome(workers: dict[str, DecodingPool], rules: str, content: bytes) -> tuple[str, str]:
    """How a document is answered, and what is wrong with that."""
    rendition = rendition_named(rules)
    original = Original(content, min(rendition.media_types, default=""))
    try:
        text = workers[rendition.worker].render(original, rendition)
    except ParseError:
        return "refused", ""
    except LimitError as error:
        return "limit", str(error) if error.limit == "time" else ""
    except Exception as error:  # noqa: BLE001 - whatever else it is, a server would have failed
        return "failed", f"{type(error).__name__} {error}"
    return "text", problem_of(text)


def started(stack: ExitStack) -> dict[str, DecodingPool]:
    """The workers that read documents, until the stack is closed."""
    return {
        name: stack.enter_context(closing(DecodingPool(name, most=AT_ONCE, job_s=JOB_S)))
        for name in ("pdf", "documents")
    }


def main() -> None:
    """Break and try documents slice by slice, of each kind in turn, and tell of each slice."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("kinds", nargs="*", default=KINDS, metavar="KIND", help=", ".join(KINDS))
    parser.add_argument("--first", type=int, default=0, help="the number to begin with")
    parser.add_argument("--count", type=int, default=100_000, help="how many of each kind")
    parser.add_argument("--slice", type=int, default=500, help="how many of a kind in its turn")
    options = parser.parse_args()
    found = 0
    with ExitStack() as stack:
        workers = started(stack)
        for first in range(options.first, options.first + options.count, options.slice):
            count = min(options.slice, options.first + options.count - first)
            for kind in options.kinds:
                tally = tried(kind, first, count, workers)
                found += len(tally.problems)
                sys.stdout.write(json.dumps(vars(tally)) + "\n")
                sys.stdout.flush()
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
