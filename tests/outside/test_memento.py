"""Memento and Signposting by programs of others: clients, parsers of links, a linter, pywb.

They are asked where pywb's programs are in PATH, for they want other packages than ours:
python -m venv F; F/bin/pip install pywb memento-client LinkHeader httplink httplint signposting
"""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.faces.conftest import archive, site
from tests.faces.test_memento import MOMENTS, Through, ask, through

from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["archive", "site", "through"]

CLIENT = """
import datetime, json, sys
from memento_client import MementoClient
gate, address, *moments = sys.argv[1:]
found = []
for moment in moments:
    client = MementoClient(timegate_uri=gate, check_native_timegate=False)
    told = client.get_memento_info(address, datetime.datetime.fromisoformat(moment))
    found.append({
        "timegate": told.get("timegate_uri"), "original": told.get("original_uri"),
        "mementos": {name: each["uri"][0] for name, each in told["mementos"].items()},
    })
print(json.dumps(found))
"""
LINKS = """
import json, sys
import link_header, httplink
text = sys.stdin.read()
first = [
    {"": link.href} | {name: value for name, value in link.attr_pairs}
    for link in link_header.parse(text).links
]
second = [
    {"": link.target} | {name: value for name, value in link.attributes}
    for link in httplink.parse_link_header(text).links
]
print(json.dumps([first, second]))
"""

SIGNPOSTS = """
import json, sys
from signposting import find_signposting_http_link
found = find_signposting_http_link(sys.argv[2:], sys.argv[1])
print(json.dumps({
    "collection": found.collection and found.collection.target,
    "citeAs": found.citeAs and found.citeAs.target,
    "describedBy": [each.target for each in found.describedBy],
    "items": sorted([each.target, str(each.type)] for each in found.items),
    "types": sorted(each.target for each in found.types),
    "context": found.context,
}))
"""
LINT = """
import json, sys
from httplint import HttpResponseLinter
status, fields, body = json.load(sys.stdin)
linter = HttpResponseLinter()
linter.process_response_topline(b"1.1", str(status).encode(), b"")
linter.process_headers([(name.encode(), value.encode()) for name, value in fields.items()])
linter.feed_content(body.encode())
linter.finish_content(True)
told = [[note.level.value, type(note).__name__, str(note.summary)] for note in linter.notes]
print(json.dumps(told))
"""


def python() -> str:
    """The Python that has the others' packages."""
    wayback = shutil.which("wayback")
    if wayback is None:
        pytest.skip("no wayback (pywb) in PATH")
    return str(Path(wayback).parent / "python")


def told(code: str, *words: str, typed: str = "") -> Any:
    """What a program of others answers."""
    command = [python(), "-c", code, *words]
    ended = subprocess.run(command, input=typed, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def links(text: str) -> list[dict[str, str]]:
    """Links as two parsers of others read them, which must agree."""
    first, second = told(LINKS, typed=" ".join(text.splitlines()))
    assert [each[""] for each in first] == [each[""] for each in second]
    assert [each.get("rel") for each in first] == [each.get("rel") for each in second]
    assert len(first) == text.count("rel=")
    return list(first)


def test_a_client_finds_the_nearest_version(through: Through) -> None:
    gate = f"{through.base}/-/timegate/"
    wanted = ["2023-01-01T00:00:00", "2025-05-01T00:00:00", "2026-06-01T00:00:00"]
    found = told(CLIENT, gate, through.address, *wanted)
    for answer, name in zip(found, through.names, strict=True):
        assert answer["original"] == through.address
        assert answer["mementos"]["closest"] == f"{through.base}/{name}"


def test_links_of_every_answer_are_read_alike(through: Through) -> None:
    for path in (
        f"/-/timegate/{through.address}",
        f"/{through.names[0]}",
        f"/{through.names[0]}?view=bytes",
        f"/{through.names[0].replace('.html.', '.utf-8.')}%23char=0,4",
    ):
        for accept in ("text/html", "application/octet-stream"):
            _, fields, _ = ask(through.base + path, Accept=accept)
            if "link" in fields:
                assert links(fields["link"])


def test_a_client_follows_our_signposts(through: Through) -> None:
    name = through.names[0]
    address = f"{through.base}/{name}"
    octets = told(SIGNPOSTS, address, ask(address)[1]["link"])
    assert octets["citeAs"].endswith(name)
    landing = octets["collection"]
    found = told(SIGNPOSTS, landing, ask(landing, Accept="text/html")[1]["link"])
    assert found["citeAs"].endswith(name)
    assert len(found["describedBy"]) == 1
    assert json.loads(ask(found["describedBy"][0])[2])["document"]["pdi"] in name
    assert "https://schema.org/AboutPage" in found["types"]
    assert [f"{through.base}/{name}", "text/html"] in found["items"]
    assert {ask(address)[0] for address, _ in found["items"]} == {200}


@pytest.mark.parametrize(
    "path",
    [
        "/-/timegate/{address}",
        "/-/timemap/link/{address}",
        "/-/timemap/json/{address}",
        "/web/2024/{address}",
        "/web/*/{address}",
        "/-/timegate/https://elsewhere.example/",
        "/web/soon/{address}",
        "/{name}",
        "/{name}?view=bytes",
        "/-/feed",
        "/sitemap.xml",
        "/robots.txt",
        "/-/search?q=version",
        "/-/calendar?to={address}",
    ],
)
def test_a_linter_has_nothing_against_our_answers(through: Through, path: str) -> None:
    asked = path.format(address=through.address, name=through.names[0])
    notes = told(LINT, typed=json.dumps(ask(through.base + asked, Accept="text/html")))
    assert [note for note in notes if note[0] == "bad"] == []


def times(found: list[dict[str, str]]) -> list[str]:
    """The times of the mementos among links."""
    return [each["datetime"] for each in found if "memento" in each["rel"].split()]


@contextlib.contextmanager
def pywb(folder: Path, settings: str = "") -> Iterator[str]:
    """Pywb's server over the collections in a folder."""
    (folder / "config.yaml").write_text(settings or "debug: false\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    wayback = Path(python()).parent / "wayback"
    command = [str(wayback), "-p", str(port), "-b", "127.0.0.1"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        base = f"http://127.0.0.1:{port}"
        try:
            for _ in range(300):
                with contextlib.suppress(urllib.error.URLError, ConnectionError):
                    urllib.request.urlopen(base).close()
                    break
                time.sleep(0.1)
            yield base
        finally:
            process.terminate()


def test_pywb_has_the_same_timemap_of_what_we_export(
    through: Through,
    archive: Path,
    tmp_path: Path,
) -> None:
    python()
    folder = tmp_path / "pywb"
    folder.mkdir()
    with Archive.open(archive) as held:
        held.copies.export("warc", folder / "all.warc.gz", through.names[0].rpartition(".html")[0])
    manager = str(Path(python()).parent / "wb-manager")
    for words in (["init", "ours"], ["add", "ours", "all.warc.gz"]):
        subprocess.run([manager, *words], cwd=folder, check=True, capture_output=True)
    ours = links(ask(f"{through.base}/-/timemap/link/{through.address}")[2])
    with pywb(folder) as base:
        theirs = links(ask(f"{base}/ours/timemap/link/{through.address}")[2])
    assert len(times(ours)) == len(MOMENTS)
    # It lists the record of the words beside that of the page, under the same address and time.
    assert times(ours) == list(dict.fromkeys(times(theirs)))
    assert {"original", "self", "timegate"} <= {each["rel"] for each in ours}
    assert {"original", "self", "timegate"} <= {each["rel"] for each in theirs}


def test_pywb_reads_our_timemaps(through: Through, tmp_path: Path) -> None:
    python()
    ours = f"{through.base}/-"
    settings = {
        "type": "memento",
        "timegate_url": f"{ours}/timegate/{{url}}",
        "timemap_url": f"{ours}/timemap/link/{{url}}",
        "replay_url": f"{through.base}/web/{{timestamp}}id_/{{url}}",
    }
    with pywb(tmp_path, json.dumps({"collections": {"far": {"index": settings}}})) as base:
        found = links(ask(f"{base}/far/timemap/link/{through.address}")[2])
    assert times(found) == times(links(ask(f"{ours}/timemap/link/{through.address}")[2]))
    assert len(times(found)) == len(MOMENTS)
