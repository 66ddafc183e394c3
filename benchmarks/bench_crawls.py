"""Read a WARC file to its end beside other readers: processor time, and the most memory.

A reader gives every record and all octets of its block. The index is what an import makes first:
every length and digest is checked, every HTTP head is read. Memory is the most that a process held.
Processor time counts, for the machine is shared.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import uuid
import zipfile
from importlib.util import find_spec
from pathlib import Path

TITLE = "Crawls"
RIVALS = ["warcio", "fastwarc"]

RUNS = 5
PAGES = 4000
LARGE = 50_000
"""Pages of 20 kB in the file of 1 GB."""
PACKAGES = (400, 4000)
"""Pages in the packages, each with a picture of 256 KiB: 0.1 and 1 GB."""
_HEAD = """
import resource, sys, time
from pathlib import Path
path = Path(sys.argv[1])
begun = time.process_time()
count = size = 0
"""
_TAIL = """
used = time.process_time() - begun
print(count, used, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
IMPORT = """
from permacite.service.archive import Archive
from permacite.service.exchange.crawls import Crawl
begun = time.process_time()
with Archive.create(Path(sys.argv[2]), series="b.zz") as archive, Crawl([path]) as crawl:
    for page, saved in archive.add_crawl(crawl):
        assert not saved.lost
        count += 1
"""
EXPORT = """
from permacite.service.archive import Archive
begun = time.process_time()
with Archive.open(Path(sys.argv[2])) as archive:
    count, _ = archive.copies.export("wacz", path)
"""
READERS = {
    "permacite, records": """
from permacite.capture.crawls.records import Reader
begun = time.process_time()
with path.open("rb") as file:
    reader = Reader(file)
    while reader.next() is not None:
        size += sum(map(len, reader.pieces()))
        count += 1
""",
    "warcio": """
from warcio.archiveiterator import ArchiveIterator
begun = time.process_time()
with path.open("rb") as file:
    for record in ArchiveIterator(file, no_record_parse=True):
        size += len(record.raw_stream.read())
        count += 1
""",
    "fastwarc": """
from fastwarc.warc import ArchiveIterator
begun = time.process_time()
with path.open("rb") as file:
    for record in ArchiveIterator(file, parse_http=False):
        size += len(record.reader.read())
        count += 1
""",
    "warcio, digests": """
from warcio.archiveiterator import ArchiveIterator
begun = time.process_time()
with path.open("rb") as file:
    for record in ArchiveIterator(file, check_digests="raise"):
        size += len(record.content_stream().read())
        count += 1
""",
    "permacite, digests and index": """
from permacite.service.exchange.crawls import Crawl
begun = time.process_time()
with Crawl([path]) as crawl:
    count = crawl.files.index.counts.total()
    assert not crawl.unread().damaged
""",
}


def measure() -> str:
    """Return the tables."""
    with tempfile.TemporaryDirectory() as folder:
        packed, plain = Path(folder) / "a.warc.gz", Path(folder) / "a.warc"
        for path in (packed, plain):
            make(path, PAGES)
        rows = []
        for name in READERS:
            if find_spec(name.partition(",")[0]) is not None:
                taken = [(run(name, packed)[1], run(name, plain)[1]) for _ in range(RUNS)]
                rows.append((name, *map(statistics.median, zip(*taken, strict=True))))
        size = plain.stat().st_size / 1e6
        lines = [f"{PAGES} records, {size:.0f} MB unpacked; median of {RUNS} runs, processor s", ""]
        lines += ["| reader | packed | not packed |", "|---|---|---|"]
        lines += [f"| {name} | {one:.2f} | {other:.2f} |" for name, one, other in rows]
        large = Path(folder) / "b.warc"
        make(large, LARGE)
        held = [run("permacite, digests and index", path) for path in (plain, large)]
        lines += ["", "Most memory of the index, in MiB:", ""]
        lines += ["| file | records | MiB |", "|---|---|---|"]
        for path, (count, _, most) in zip((plain, large), held, strict=True):
            lines.append(f"| {path.stat().st_size / 1e6:.0f} MB | {count} | {most:.0f} |")
        lines += ["", "Packages of pages, each with a picture: imported, and exported again", ""]
        lines += ["| WACZ | pages | way | processor s | MiB |", "|---|---|---|---|---|"]
        for many in PACKAGES:
            lines += package(Path(folder), many)
    return "\n".join(lines)


def package(folder: Path, many: int) -> list[str]:
    """Write a WACZ file of pages with pictures, import it, and export it; return the rows."""
    source, target = folder / f"{many}.wacz", folder / f"{many}.again.wacz"
    make_package(source, many)
    size, archive = f"{source.stat().st_size / 1e6:.0f} MB", str(folder / f"archive.{many}")
    rows = []
    for way, path, code in (("in", source, IMPORT), ("out", target, EXPORT)):
        told = subprocess.run(
            [sys.executable, "-c", _HEAD + code + _TAIL, str(path), archive],
            check=True,
            capture_output=True,
            text=True,
        )
        count, used, most = told.stdout.split()
        assert int(count) == many
        rows.append(f"| {size} | {many} | {way} | {float(used):.0f} | {float(most):.0f} |")
    shutil.rmtree(archive)
    return rows


def make_package(path: Path, many: int) -> None:
    """Write a WACZ file of pages, each with a picture of octets that cannot be packed."""
    dice = random.Random(8493)  # noqa: S311 - the same file every time
    with tempfile.TemporaryFile() as records:
        digest, size = hashlib.sha256(), 0
        for number in range(many):
            picture = b"\x89PNG\r\n\x1a\n" + dice.randbytes(1 << 18)
            body = f"<title>{number}</title><p>words<img src=/{number}.png>".encode()
            for address, kind, octets in (
                (str(number), "text/html", body),
                (f"{number}.png", "image/png", picture),
            ):
                member = gzip.compress(page(address, octets, kind), 1)
                digest.update(member)
                size += records.write(member)
        records.seek(0)
        name = "archive/data.warc.gz"
        described = {"path": name, "hash": f"sha256:{digest.hexdigest()}", "bytes": size}
        with zipfile.ZipFile(path, "w") as packed:
            with packed.open(name, "w", force_zip64=True) as target:
                shutil.copyfileobj(records, target)
            packed.writestr("datapackage.json", json.dumps({"resources": [described]}))


def run(name: str, path: Path) -> tuple[int, float, float]:
    """Read a file in a process of its own; return records, processor seconds and MiB."""
    code = _HEAD + READERS[name] + _TAIL
    told = subprocess.run(
        [sys.executable, "-c", code, str(path)], check=True, capture_output=True, text=True
    )
    count, used, most = told.stdout.split()
    return int(count), float(used), float(most)


def make(path: Path, pages: int) -> None:
    """Write a WARC file of pages of about 20 kB, packed by its suffix."""
    dice = random.Random(28500)  # noqa: S311 - the same file every time
    words = [f"{dice.getrandbits(32):x}" for _ in range(3000)]
    texts = [" ".join(dice.choices(words, k=2200)) for _ in range(200)]
    with path.open("wb") as file:
        for number in range(pages):
            body = f"<title>{number}</title><p>{texts[number % len(texts)]}"
            record = page(str(number), body.encode())
            file.write(gzip.compress(record) if path.suffix == ".gz" else record)


def page(name: str, payload: bytes, kind: str = "text/html") -> bytes:
    """Return a response record with both digests."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nServer: a\r\n\r\n"
    block = head.encode() + payload
    fields = {
        "WARC-Type": "response",
        "WARC-Record-ID": f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, name)}>",
        "WARC-Date": "2026-11-21T09:30:00Z",
        "WARC-Target-URI": f"http://a.example/{name}",
        "WARC-Block-Digest": stated(block),
        "WARC-Payload-Digest": stated(payload),
        "Content-Type": "application/http;msgtype=response",
        "Content-Length": str(len(block)),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return b"WARC/1.1\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n"


def stated(octets: bytes) -> str:
    """Return a digest as records state it."""
    digest = hashlib.sha1(octets, usedforsecurity=False).digest()
    return f"sha1:{base64.b32encode(digest).decode()}"
