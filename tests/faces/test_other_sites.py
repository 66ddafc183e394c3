"""What pages of other sites can do to an archive, and learn of it: they may lead people there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.faces.conftest import served
from tests.faces.test_http import ask

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faces.conftest import Running

pytestmark = pytest.mark.engines(deep=True)

KEPT = "https://sea.example.org/tides"
OTHER = "https://sea.example.org/nothing"
LOOKS = [
    f"/uri-res/L2R?{KEPT}",
    f"/uri-res/l2ns?{KEPT}",
    f"/uri-res/I2L?{KEPT}",
    f"/web/2026/{KEPT}",
    f"/-/api/search?q={KEPT}",
    f"/-/api/follow?to={KEPT}",
]


@pytest.fixture
def name(archive: Path) -> str:
    """The name of a page of the archive with a frame in it."""
    page = b"<title>Tides</title><iframe srcdoc=a></iframe><p>The tide of the twelfth."
    with Archive.open(archive) as held:
        return held.add(page, name="tides.html", uri=KEPT).document.pdi


@pytest.mark.usefixtures("name")
@pytest.mark.parametrize("path", LOOKS)
def test_an_address_is_looked_up_for_own_pages_alone(archive: Path, path: str) -> None:
    with served(archive) as running:
        for site in ("cross-site", "same-site"):
            told = ask(running.base, path, Sec_Fetch_Site=site, Sec_Fetch_Dest="document")
            absent = ask(running.base, path.replace(KEPT, OTHER), Sec_Fetch_Site=site)
            assert (told.status, absent.status) == (403, 403)
            assert told.body.replace(KEPT.encode(), b"") == absent.body.replace(OTHER.encode(), b"")
        for site in ("same-origin", "none"):
            assert ask(running.base, path, Sec_Fetch_Site=site).status < 400
        assert ask(running.base, path).status < 400


def test_a_public_archive_looks_up_for_all(archive: Path, name: str) -> None:
    with served(archive, "--public") as running:
        for path in (LOOKS[0], LOOKS[1], f"/{name}?view=bytes"):
            asked = ask(running.base, path, Sec_Fetch_Site="cross-site", Sec_Fetch_Dest="empty")
            assert asked.status < 400, path


WRITES = [
    ("PUT", "/{name}"),
    ("POST", "/-/cite"),
    ("POST", "/-/api/cite"),
    ("POST", "/-/api/derive"),
    ("POST", "/-/save"),
    ("POST", "/-/jottings"),
    ("POST", "/-/api/jottings"),
]


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_a_page_of_another_site_writes_nothing(
    archive: Path, name: str, method: str, path: str
) -> None:
    content = json.dumps({"reference": name, "quote": "tide", "kind": "tag", "text": "x"}).encode()
    with served(archive, "--writable") as running:
        for fields in (
            {"Sec_Fetch_Site": "cross-site"},
            {"Sec_Fetch_Site": "same-site", "Sec_Fetch_Dest": "document"},
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
        ):
            where = path.format(name=name)
            answer = ask(running.base, where, method, content, Content_Type="text/html", **fields)
            assert answer.status == 403, fields
    with Archive.open(archive) as held:
        assert held.documents.show(name).citations == ()
        assert list(held.annotations.list()) == []


SHOWN = ["document", "iframe", "frame", "object", "embed"]


@pytest.mark.parametrize("destination", SHOWN)
def test_octets_that_are_a_page_are_kept_not_shown(
    running: Running, name: str, destination: str
) -> None:
    path = f"/{name}?view=bytes"
    shown = ask(running.base, path, Sec_Fetch_Site="none", Sec_Fetch_Dest=destination)
    assert shown.headers["content-disposition"] == "attachment"
    plain = ask(running.base, path, Sec_Fetch_Site="none", Sec_Fetch_Dest="empty")
    assert "content-disposition" not in plain.headers
    assert plain.body == shown.body
