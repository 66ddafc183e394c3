"""Files in which others keep many pages are refused, whatever they are called."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Site

    Cli = Callable[..., Outcome]

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


COLLECTIONS = [
    # file name, content, what the error calls it
    ("crawl.warc", RECORD, "WARC"),
    ("crawl.txt", RECORD, "WARC"),
    ("crawl", b"\r\n" + RECORD.replace(b"\r\n", b"\n"), "WARC"),
    ("crawl.warc.gz", gzip.compress(RECORD), "WARC"),
    ("crawl.bin", gzip.compress(RECORD * 3000) + gzip.compress(RECORD), "WARC"),
    ("old.arc", ARC, "WARC"),
    ("old", gzip.compress(ARC), "WARC"),
    ("crawl.wacz", packed("datapackage.json", "archive/data.warc.gz"), "WACZ"),
    ("crawl.zip", packed("archive/data.warc.gz", "datapackage.json", "pages/a"), "WACZ"),
    ("visit.har", json.dumps(LOG).encode(), "HAR"),
    ("visit.json", json.dumps(LOG, indent=2).encode("utf-8-sig"), "HAR"),
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
    assert "cannot be read yet" in outcome.err
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


def test_our_own_warc_is_refused_too(archive: Path, cli: Cli, site: Site, tmp_path: Path) -> None:
    address = site.put("/", "text/html", "<title>a</title><p>b")
    assert cli("save", address, "--allow-private").status == 0
    with Archive.open(archive) as service:
        service.export_warc(tmp_path / "all.warc.gz", None)
    (tmp_path / "all.warc.gz").rename(tmp_path / "all")
    assert cli("import", str(tmp_path / "all")).status == 2
