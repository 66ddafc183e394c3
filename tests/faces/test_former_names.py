"""Names that documents had in another archive: they come with a file, and are led from here."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.crawled import HTML, PNG, record, response
from tests.faces.conftest import served
from tests.faces.test_http import ask

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Site

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)


NAME = "urn:pdi://a.us/2020/02/03/1.html.1"
DIGEST = "sha-256:" + hashlib.sha256(HTML).hexdigest()


def crawled(told: str) -> bytes:
    """Return the records of a page, and of what an archive tells of it."""
    uri = "http://a.example/"
    beside = record(
        "metadata",
        uri,
        told.encode(),
        WARC_Refers_To=f"<urn:test:response:{uri}:>",
        Content_Type="application/warc-fields",
    )
    return response(uri, HTML) + beside


def made(cli: Cli, folder: Path, series: str) -> Path:
    """Make another archive."""
    path = folder / series
    assert cli("init", path, "--series", series).status == 0
    return path


@pytest.mark.parametrize("form", ["wacz", "warc"])
def test_names_and_citations_travel_through_archives(
    archive: Path, cli: Cli, site: Site, tmp_path: Path, form: str
) -> None:
    site.put("/s.css", "text/css", "p { color: red }")
    site.put("/a.png", "image/png", PNG)
    assert cli("save", site.put("/", "text/html", HTML), "--allow-private").status == 0
    with Archive.open(archive) as service:
        (held,) = service.documents.list().documents
        cited = service.cite(held.pdi, quote="tide is high").reference
    second, third = (made(cli, tmp_path, series) for series in ("b.zz", "c.zz"))
    for number, (there, here) in enumerate([(archive, second), (second, third)]):
        file = tmp_path / f"{number}.{form}"
        assert cli("--archive", there, "export", f"--{form}", str(file)).status == 0
        assert cli("--archive", here, "import", str(file)).status == 0
    for path in (second, third):
        with Archive.open(path) as service:
            (document,) = service.documents.list().documents
            assert (document.uri, document.retrieved_at) == (held.uri, held.retrieved_at)
            assert {item.digest for item in document.formats} == {
                item.digest for item in held.formats
            }
            for item in held.formats:
                found = service.resolve(item.pdi)
                assert (found.digest, found.reference) == (item.digest, item.pdi)
                assert "came from another archive" in found.warnings[-1]
            assert service.resolve(cited).text == "tide is high"
            assert service.resolve(cited.replace(".1#", "#")).text == "tide is high"
            assert service.resolve(held.pdi).pdi.startswith(document.pdi)
            assert service.documents.resolver.now_called(cited.replace("/1.", "/9.")) is None
            assert service.copies.fsck().ok
    again = cli("--archive", third, "resolve", cited)
    assert (again.status, again.out.strip()) == (0, "tide is high")


def test_the_resolver_leads_to_the_present_name(cli: Cli, tmp_path: Path) -> None:
    path = made(cli, tmp_path, "d.zz")
    (tmp_path / "a.warc").write_bytes(crawled(f"pdi: {NAME}\r\ndigest: html {DIGEST}\r\n"))
    (saved,) = json.loads(cli("--archive", path, "import", str(tmp_path / "a.warc"), "--json").out)
    with served(path) as running:
        plain = ask(running.base, f"/{NAME}")
        assert (plain.status, plain.body) == (200, HTML)
        assert saved["pdi"] in plain.headers["content-location"]
        shown = ask(running.base, f"/{NAME}?fragment=char=1,3", Accept="text/html")
        place = f"/{saved['pdi']}?fragment=char=1,3"
        assert (shown.status, shown.headers["location"]) == (303, place)
        assert ask(running.base, f"/{NAME.replace('1.html', '2.html')}").status == 404


CLAIMS = [
    # what the record says, whether the name is led here
    ("as it is", f"pdi: {NAME}\r\ndigest: html {{}}\r\n", True),
    ("other octets", f"pdi: {NAME}\r\ndigest: html sha-256:00\r\n", False),
    ("no digest", f"pdi: {NAME}\r\n", False),
    ("another format", f"pdi: {NAME.replace('html', 'png')}\r\ndigest: html {{}}\r\n", False),
    ("no name", "pdi: nothing\r\ndigest: html {}\r\n", False),
    ("a name of ours", f"pdi: {NAME.replace('a.us', 'd.zz')}\r\ndigest: html {{}}\r\n", False),
]


@pytest.mark.parametrize(("told", "is_led"), [r[1:] for r in CLAIMS], ids=[r[0] for r in CLAIMS])
def test_a_name_counts_for_its_octets_alone(
    cli: Cli, tmp_path: Path, told: str, *, is_led: bool
) -> None:

    path = made(cli, tmp_path, "d.zz")
    (tmp_path / "a.warc").write_bytes(crawled(told.format(DIGEST)))
    outcome = cli("--archive", path, "import", str(tmp_path / "a.warc"), "--json")
    (saved,) = json.loads(outcome.out)
    with Archive.open(path) as service:
        assert service.documents.resolver.now_called(NAME) == (saved["pdi"] if is_led else None)
