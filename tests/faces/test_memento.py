"""Pages through time for other archives and their clients: RFC 7089, with RFC 6690 link lists."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from tests.archives import Archive
from tests.faces.conftest import served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.faces.conftest import Site

pytestmark = pytest.mark.engines(deep=True)

MOMENTS = ["2024-01-05T10:00:00+00:00", "2025-06-01T00:00:00+00:00", "2026-01-01T12:30:15+00:00"]

WRONG_DATES = (
    # Accept-Datetime, which has the one form of RFC 1123
    "",
    " ",
    "yesterday",
    "now",
    "0",
    "-1",
    "1704448800",
    "2026-01-01",
    "2024-01-05T10:00:00Z",
    "20240105100000",
    "Fri, 99 Jan 2024 10:00:00 GMT",
    "Fri, 30 Feb 2024 10:00:00 GMT",
    "Fri, 05 Foo 2024 10:00:00 GMT",
    "Fri, 05 Jan 2024 25:00:00 GMT",
    "Fri, 05 Jan 2024 10:60:00 GMT",
    "Fri, 05 Jan 2024 10:00:00 +9999",
    "Fri, 05 Jan 0000 10:00:00 GMT",
    "Fri, 05 Jan 20240 10:00:00 GMT",
    f"Fri, 05 Jan {'9' * 30} 10:00:00 GMT",
    f"Fri, 05 Jan {'9' * 5000} 10:00:00 GMT",
    "Fri, 05 Jan 2024",
    "05 Jan",
    "Fri,",
    ",",
    "Fri, 05 Jan 2024 10:00:00 GMT; Fri, 05 Jan 2025 10:00:00 GMT",
    '"Fri, 05 Jan 2024 10:00:00 GMT"',
    "\xb2\xb3",
    "x" * 4000,
)
WRONG_STAMPS = (
    # the time in /web/TIME/ADDRESS
    "soon",
    "0",
    "202",
    "20241",  # half a month
    "2024010",
    "0000",
    "20240",
    "202400",
    "202413",
    "20240230",
    "20269999",
    "2024010524",
    "202401051060",
    "20240105100061",
    "2024010510000",
    "2024010510000099",
    "9" * 5000,
    "-2024",
    "+2024",
    "2024-01-05",
    "2024.5",
    "2024*",
    "**",
    "2024id",
    "2024ID_",
    "2024id_id_",
    "id_",
    "%D9%A2%D9%A0%D9%A2%D9%A4",  # digits of another script
    "%EF%BC%92%EF%BC%90%EF%BC%92%EF%BC%94",
    "2024%00",
    "2024%0A",
)


class _Direct(urllib.request.HTTPRedirectHandler):
    """Redirects are looked at, not followed."""

    def redirect_request(self, *_: object) -> None:
        return None


def ask(address: str, **headers: str) -> tuple[int, dict[str, str], str]:
    """What a server answers: status, fields, body."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(address, headers=fields)  # noqa: S310 - loopback
    try:
        answer = urllib.request.build_opener(_Direct).open(request)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        said = {name.lower(): value for name, value in answer.headers.items()}
        return answer.status, said, answer.read().decode()


class Through:
    """A server, the address of a page that it has three versions of, and their names."""

    def __init__(self, base: str, address: str, names: list[str]) -> None:
        self.base = base
        self.address = address
        self.names = names


@pytest.fixture
def through(archive: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[Through]:
    """Three versions of a page at three moments, served to the public."""
    from datetime import datetime

    from permacite.service.ingest import pages

    real = pages._provenance  # noqa: SLF001 - when a page was fetched
    address, names = site.base + "/page?x=1", []
    with Archive.open(archive) as held:
        for number, moment in enumerate(MOMENTS):
            site.put("/page", "text/html", f"<title>t</title>version {number}")

            def dated(*given: object, moment: str = moment) -> object:
                import dataclasses

                when = datetime.fromisoformat(moment)
                return dataclasses.replace(real(*given), retrieved_at=when)  # type: ignore[arg-type]

            monkeypatch.setattr(pages, "_provenance", dated)
            names.append(held.save(address, allow_private=True).pdi)
    with served(archive, "--public") as running:
        yield Through(running.base, address, names)


GATES = [
    # Accept-Datetime, which version
    (None, 2),
    ("Fri, 05 Jan 2024 10:00:00 GMT", 0),
    ("Mon, 01 Jan 1990 00:00:00 GMT", 0),
    ("Sun, 01 Jun 2025 00:00:01 GMT", 1),
    ("Thu, 01 Jan 2099 00:00:00 GMT", 2),
]


def test_a_timegate_leads_to_the_nearest_version(through: Through) -> None:
    for said, version in GATES:
        given = {} if said is None else {"Accept_Datetime": said}
        status, fields, _ = ask(f"{through.base}/-/timegate/{through.address}", **given)
        assert status == 302
        assert fields["location"] == f"{through.base}/{through.names[version]}"
        assert fields["vary"] == "accept-datetime"
        assert f'<{through.address}>; rel="original"' in fields["link"]
        assert 'rel="timemap"; type="application/link-format"' in fields["link"]
        told = [each[""] for each in links(fields["link"]) if "memento" in each["rel"].split()]
        assert f"{through.base}/{through.names[version]}" in told
        assert told[0].endswith(through.names[0])
        assert told[-1].endswith(through.names[-1])
    gate = f"{through.base}/-/timegate/{through.address}"
    for wrong in WRONG_DATES:
        status, _, body = ask(gate, Accept_Datetime=wrong, Accept="application/json")
        assert (status, "Accept-Datetime" in body) == (400, True), wrong
    assert ask(f"{through.base}/-/timegate/https://elsewhere.example/")[0] == 404
    assert ask(f"{through.base}/-/timegate/no-address")[0] in {400, 404}


def test_a_memento_says_when_it_was_saved_and_from_where(through: Through) -> None:
    for accept in ("text/html", "*/*;q=0.1, application/octet-stream"):
        status, fields, _ = ask(f"{through.base}/{through.names[0]}", Accept=accept)
        assert (status, fields["memento-datetime"]) == (200, "Fri, 05 Jan 2024 10:00:00 GMT")
        assert f'<{through.address}>; rel="original"' in fields["link"]
        assert 'rel="cite-as"' in fields["link"]
    words = through.names[0].replace(".html.", ".utf-8.")
    assert "memento-datetime" not in ask(f"{through.base}/{words}")[1]
    assert "memento-datetime" not in ask(f"{through.base}/{words}%23char=0,3")[1]


def links(body: str) -> list[dict[str, str]]:
    """The links of a list (RFC 6690 §2), read by rules of this test's own."""
    found = []
    for link in re.findall(r'<([^>]*)>((?:\s*;\s*[\w-]+="[^"]*")*)\s*(?:,|$)', body):
        target, rest = link
        found.append({"": target} | dict(re.findall(r'([\w-]+)="([^"]*)"', rest)))
    return found


def test_a_timemap_has_all_versions_in_order(through: Through) -> None:
    status, fields, body = ask(f"{through.base}/-/timemap/link/{through.address}")
    assert (status, fields["content-type"]) == (200, "application/link-format")
    found = links(body)
    assert body.count("<") == len(found)
    assert [each["rel"] for each in found] == [
        "original",
        "self",
        "timegate",
        "first memento",
        "memento",
        "last memento",
    ]
    assert [each[""] for each in found[3:]] == [f"{through.base}/{pdi}" for pdi in through.names]
    assert found[1]["from"] == found[3]["datetime"] == "Fri, 05 Jan 2024 10:00:00 GMT"
    assert found[1]["until"] == found[5]["datetime"] == "Thu, 01 Jan 2026 12:30:15 GMT"
    told = json.loads(ask(f"{through.base}/-/timemap/json/{through.address}")[2])
    assert told["original_uri"] == through.address
    assert [each["uri"] for each in told["mementos"]["list"]] == [
        f"{through.base}/{pdi}" for pdi in through.names
    ]
    assert ask(f"{through.base}/-/timemap/link/1/{through.address}")[0] == 200
    assert ask(f"{through.base}/-/timemap/link/2/{through.address}")[0] == 404
    assert ask(f"{through.base}/-/timemap/xml/{through.address}")[0] == 404


def test_addresses_as_people_type_them(through: Through) -> None:
    for stamp, version in (
        ("20250601000000", 1),
        ("2024", 0),
        ("202606", 2),
        ("20240105100000id_", 0),
    ):
        status, fields, _ = ask(f"{through.base}/web/{stamp}/{through.address}")
        assert (status, fields["location"]) == (302, f"/{through.names[version]}")
    one_slash = through.address.replace("//", "/")
    assert ask(f"{through.base}/web/2024/{one_slash}")[1]["location"] == f"/{through.names[0]}"
    every = ask(f"{through.base}/web/*/{through.address}")[1]["location"]
    assert every == f"/-/follow?all=&to={quote(through.address, safe='')}"
    plain = through.address.partition("://")[2]
    for written in (through.address, quote(through.address, safe=""), plain):
        latest = ask(f"{through.base}/web/{written}")
        assert (latest[0], latest[1]["location"]) == (302, f"/{through.names[-1]}"), written
        timed = ask(f"{through.base}/web/2024/{written}")
        assert (timed[0], timed[1]["location"]) == (302, f"/{through.names[0]}"), written
        gate = ask(f"{through.base}/-/timegate/{written}")
        assert (gate[0], through.address in gate[1]["link"]) == (302, True), written
    assert ask(f"{through.base}/web/")[0] == 404
    for wrong in WRONG_STAMPS:
        assert ask(f"{through.base}/web/{wrong}/{through.address}")[0] == 400, wrong


def test_a_private_archive_tells_nobody(archive: Path, site: Site) -> None:
    with Archive.open(archive) as held:
        address = site.put("/", "text/html", "words")
        name = held.save(address, allow_private=True).pdi
    with served(archive) as running:
        for way in ("timegate", "timemap/link", "timemap/json"):
            status, _, body = ask(f"{running.base}/-/{way}/{address}")
            assert (status, "serve --public" in body) == (403, True)
        other = {"Sec_Fetch_Site": "cross-site"}
        assert ask(f"{running.base}/web/2026/{address}", **other)[0] == 403
        assert ask(f"{running.base}/web/2026/{address}")[0] == 302
        assert "memento-datetime" not in ask(f"{running.base}/{name}")[1]


def test_what_is_closed_is_no_memento(through: Through, archive: Path) -> None:
    with Archive.open(archive) as held:
        held.access.withdraw(through.names[0], reason="copyright")
    body = ask(f"{through.base}/-/timemap/link/{through.address}")[2]
    assert [each[""] for each in links(body)[3:]] == [
        f"{through.base}/{pdi}" for pdi in through.names[1:]
    ]
    assert "memento-datetime" not in ask(f"{through.base}/{through.names[0]}")[1]
