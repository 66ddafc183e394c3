"""Files in which others keep many pages are no documents, whatever they are called."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

RECORD = b"WARC/1.1\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
ARC = b"filedesc://a.arc 0.0.0.0 20010101000000 text/plain 9\n1 0 IA\n\n"
LOG = {"log": {"version": "1.2", "creator": {"name": "a", "version": "1"}, "entries": []}}


def packed(*names: str) -> bytes:
    """A zip file with these members."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as file:
        for name in names:
            file.writestr(name, b"{}")
    return target.getvalue()


RECORDS = [
    # file name, content, what it is called
    ("crawl.txt", RECORD, "WARC"),
    ("crawl", b"\r\n" + RECORD.replace(b"\r\n", b"\n"), "WARC"),
    ("crawl.warc.gz", gzip.compress(RECORD), "WARC"),
    ("crawl.bin", gzip.compress(RECORD * 3000) + gzip.compress(RECORD), "WARC"),
    ("old.arc", ARC, "WARC"),
    ("old", gzip.compress(ARC), "WARC"),
    ("visit.har", json.dumps(LOG).encode(), "HAR"),
    ("visit.json", json.dumps(LOG, indent=2).encode("utf-8-sig"), "HAR"),
]


@pytest.mark.parametrize(("name", "content", "kind"), RECORDS, ids=[c[0] for c in RECORDS])
def test_records_are_told_by_their_content(
    cli: Cli, tmp_path: Path, name: str, content: bytes, kind: str
) -> None:
    (tmp_path / name).write_bytes(content)
    outcome = cli("import", str(tmp_path / name))
    assert (outcome.status, outcome.out) == (1, "")
    assert "no page is in these files" in outcome.err
    by_address = cli("import", str(tmp_path / name), "--uri", "http://a.example/")
    assert by_address.status == 2
    assert f"this is a {kind} file" in by_address.err


COLLECTIONS = [
    # file name, content, what the error calls it
    ("damaged.warc.gz", gzip.compress(RECORD)[:9], ".warc.gz"),
    ("empty.WACZ", b"", ".wacz"),
]


@pytest.mark.parametrize(("name", "content", "kind"), COLLECTIONS, ids=[c[0] for c in COLLECTIONS])
def test_a_collection_is_refused(
    cli: Cli, tmp_path: Path, name: str, content: bytes, kind: str
) -> None:
    (tmp_path / name).write_bytes(content)
    outcome = cli("import", str(tmp_path / name))
    assert (outcome.status, outcome.out) == (2, "")
    assert f"this is a {kind} file" in outcome.err
    assert "no document by itself" in outcome.err
    assert json.loads(cli("list", "--json").out)["total"] == 0


OTHERS = [
    # file name, content: what is near one
    ("about.txt", b"A WARC file begins with WARC/1.1\r\n"),
    ("other.txt", b"WARC/one"),
    ("package.zip", packed("datapackage.json", "data/a.csv")),
    ("archive.zip", packed("archive/a")),
    ("cut.zip", packed("datapackage.json", "archive/a")[:40]),
    ("page.txt.gz", gzip.compress(b"WARC files are read by many")),
    ("broken.gz", b"\x1f\x8b\x08"),
    ("log.json", b'{"log": {"entries": [1]}}'),
    ("package.json", b'{"name": "log", "creator": 1, "entries": []}'),
]


@pytest.mark.parametrize(("name", "content"), OTHERS, ids=[c[0] for c in OTHERS])
def test_what_is_near_one_is_archived(cli: Cli, tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    outcome = cli("import", str(tmp_path / name), "--json")
    assert outcome.status == 0, outcome.err
