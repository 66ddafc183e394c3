"""What is withdrawn is hidden on every route and in all that is exported for others."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

import pytest
from tests.archives import Archive
from tests.earlier import unpack
from tests.engines import Repository
from tests.faces.conftest import served
from tests.faces.test_http import ask

from permacite.web.route_table import TABLE
from permacite.web.templates import address_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faces.conftest import Outcome, Running
    from tests.faces.test_http import Answer

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

CANARY = "canary-heron"
ADDRESS = f"https://example.org/a?token={CANARY}"
BY_ADDRESS = [
    ("/-/timegate/{uri:path}", f"/-/timegate/{ADDRESS}"),
    ("/-/timemap/{form}/{uri:path}", f"/-/timemap/link/{ADDRESS}"),
    ("/-/timemap/{form}/{uri:path}", f"/-/timemap/json/{ADDRESS}"),
    ("/web/{stamp}/{uri:path}", f"/web/2026/{ADDRESS}"),
    ("/web/{uri:path}", f"/web/{ADDRESS}"),
]
BY_SITE = [
    *((path, path) for path in ("/-/sites", "/-/api/sites")),
    *((path, f"{path}?site=example.org") for path in ("/-/sites", "/-/api/sites")),
    *((path, f"{path}?to={quote(ADDRESS)}") for path in ("/-/calendar", "/-/api/calendar")),
]
PAGE = f"<title>{CANARY} title</title><p>Some {CANARY} words.".encode()


@pytest.fixture
def names(archive: Path) -> dict[str, str]:
    """A document full of canaries, and one that quotes it: full names by format, and "quoter"."""
    with Archive.open(archive) as service:
        page = service.add(PAGE, name=f"{CANARY}.html", uri=ADDRESS)
        found = {one.format: one.pdi for one in page.document.formats}
        cited = service.cite(page.pdi, quote=f"{CANARY} words", note=f"a {CANARY} note")
        service.annotations.annotate(page.pdi, "tag", f"the {CANARY} tag")
        service.annotations.statements.state(
            page.pdi, "subject", f"about {CANARY}", who=f"Ann {CANARY}"
        )
        service.annotations.statements.state(cited.reference, "subject", f"a part about {CANARY}")
        quoting = f'<title>Quoter</title><blockquote cite="{cited.reference}">{cited.quote}'
        found["quoter"] = service.add(quoting.encode(), name="b.html").pdi
        found["document"] = page.document.pdi
        found["cited"] = cited.reference
        service.log.state()
    return found


@pytest.fixture
def running(archive: Path) -> Iterator[Running]:
    """A server open to the public, which answers what is asked by address too."""
    with served(archive, "--public") as found:
        yield found


TEXT = f"{CANARY} title\n\nSome {CANARY} words.".encode()
FOR_MIRRORS = [
    ("/-/log/entries", "/-/log/entries?start=0&end=99"),
    ("/-/log/standings", "/-/log/standings?after=0"),
    *(
        ("/-/log/octets/{digest}", f"/-/log/octets/{hashlib.sha256(octets).hexdigest()}")
        for octets in (PAGE, TEXT)
    ),
]
PLAIN = (
    "/-/feed",
    "/sitemap.xml",
    "/-/sitemap",
    "/robots.txt",
    "/-/news.atom",
    "/-/health",
    "/-/ready",
    "/-/openapi.json",
)


def requests(names: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the path of each route, and requests of it about the document."""
    full, document = names["utf-8"], names["document"]
    cited = names["cited"].replace("#", "%23")
    for pattern in ("", f"?pattern={document}"):
        yield "/", f"/{pattern}"
    yield "/-/static/{file}", "/-/static/reader.css"
    yield "/-/static/{edition}/{file}", address_of("reader.css")
    for name in (full, names["html"], document, cited):
        yield "/-/page/{name:path}", f"/-/page/{name}"
        yield "/-/api/document", f"/-/api/document?name={name}"
        yield "/-/api/passages", f"/-/api/passages?name={name}&quote=Some"
        yield "/-/api/proof", f"/-/api/proof?name={name}"
        yield "/-/api/reference", f"/-/api/reference?name={name}"
        yield "/-/api/quotes", f"/-/api/quotes?name={name}"
        yield "/-/api/quoters", f"/-/api/quoters?name={name}"
        yield "/-/api/statements", f"/-/api/statements?name={name}"
        for view in ("bytes", "json", "reader", "reader&show=text"):
            yield "/{name:path}", f"/{name}?view={view}"
        for wanted in ("N2R", "N2Rs", "N2L", "N2Ls", "N2C", "N2Cs", "N2N", "N2Ns"):
            yield "/uri-res/{service}", f"/uri-res/{wanted}?{name}"
    for wanted in ("L2Ns", "L2Ls", "L2C"):
        yield "/uri-res/{service}", f"/uri-res/{wanted}?https://example.org/a"
    link = f"to=https://example.org/a&from={document}"
    yield "/-/follow", f"/-/follow?{link}"
    yield "/-/follow", f"/-/follow?all=1&{link}"
    yield "/-/api/follow", f"/-/api/follow?{link}"
    yield "/{name:path}", f"/{names['quoter']}?view=reader&{link}"
    yield "/-/api/versions", f"/-/api/versions?name={full}%23char=0,4"
    yield "/-/versions/{name:path}", f"/-/versions/{full}?fragment=char=0,4"
    yield "/-/changes/{name:path}", f"/-/changes/{full}"
    yield "/-/api/changes", f"/-/api/changes?name={full}"
    yield "/uri-res/{service}", f"/uri-res/N2Cs?{document}.*.*"
    yield "/{name:path}", f"/{document}.*.*"
    yield "/-/api/documents", "/-/api/documents"
    yield "/-/api/statements", "/-/api/statements"
    yield "/-/api/quotes", f"/-/api/quotes?name={names['quoter']}"
    yield "/-/api/quoters", f"/-/api/quoters?name={names['quoter']}"
    yield "/{name:path}", f"/{names['quoter']}?view=reader"
    for words in ("heron", "example.org", document, ADDRESS):
        yield "/-/search", f"/-/search?q={quote(words)}"
        yield "/-/api/search", f"/-/api/search?q={quote(words)}"
    yield from BY_SITE
    yield "/-/jottings", "/-/jottings"
    for query in ("", f"?name={document}"):
        yield "/-/api/jottings", f"/-/api/jottings{query}"
    for path in PLAIN:
        yield path, path
    yield from BY_ADDRESS
    yield "/-/api/log", "/-/api/log?since=1"
    yield "/-/log/checkpoint", "/-/log/checkpoint"
    yield from FOR_MIRRORS
    yield "/-/witness/{origin}/checkpoint", f"/-/witness/{'0' * 64}/checkpoint"
    for level in ("0", "entries"):
        yield "/-/log/tile/{path:path}", f"/-/log/tile/{level}/000.p/3"


def answers(running: Running, names: dict[str, str]) -> dict[str, Answer]:
    """Return what is answered to each request, forms and scripts among them."""
    found = {path: ask(running.base, path) for _, path in requests(names)}
    wanted = json.dumps({"reference": names["document"], "quote": "words"}).encode()
    path = "/-/api/cite"
    found[path] = ask(running.base, path, "POST", wanted, Content_Type="application/json")
    body, path = json.dumps([names["document"]]).encode(), "/-/api/look-up"
    found[path] = ask(running.base, path, "POST", body, Content_Type="application/json")
    words = f"Some{CANARY}words."
    selected: dict[str, object] = {"start": 0, "end": len(words), "head": words}
    selected |= {"before": "", "after": "", "checksum": zlib.crc32(words.encode())}
    selected["reference"] = names["document"]
    body, path = json.dumps(selected).encode(), "/-/api/place"
    found[path] = ask(running.base, path, "POST", body, Content_Type="application/json")
    form = f"reference={names['document']}&quote=words".encode()
    found["/-/cite"] = ask(running.base, "/-/cite", "POST", form)
    accept = "application/ld+json"
    found["json-ld"] = ask(running.base, "/-/api/statements", Accept=accept)
    return found


def telling(found: dict[str, Answer]) -> set[str]:
    """Return the requests whose answers hold a canary that was not asked for."""
    canaries = set()
    for path, answer in found.items():
        told = answer.body.decode("utf-8", "replace") + str(answer.headers)
        if ADDRESS in unquote(path):
            told = unquote(told).replace(ADDRESS, "")
        if CANARY in told:
            canaries.add(path)
    return canaries


def test_the_walk_takes_every_route(names: dict[str, str]) -> None:
    posted = {"/-/api/cite", "/-/api/look-up", "/-/api/place", "/-/cite", "/-/api/derive"}
    posted.add("/-/witness/add-checkpoint")
    saving = {"/-/save", "/-/save/{id}"}  # these tell of what is on the web
    handed = {"/-/api/captures", "/-/api/token", "/-/extension.zip", "/-/sign-in"}  # by a token
    walked = {route for route, _ in requests(names)} | posted | saving | handed
    assert walked == {route.path for route in TABLE}


@pytest.mark.parametrize(("status", "reason"), [(410, "own-error"), (451, "data-protection")])
def test_no_route_tells_what_is_withdrawn(
    running: Running, archive: Path, names: dict[str, str], status: int, reason: str
) -> None:
    before = answers(running, names)
    assert len(telling(before)) > 30, "the canaries are there"
    assert 404 not in {before[path].status for _, path in BY_ADDRESS}
    with Archive.open(archive) as service:
        who, note = f"Ann {CANARY}", f"asked for by {CANARY}"
        service.access.withdraw(names["document"], reason=reason, status=status, who=who, note=note)
    after = answers(running, names)
    assert telling(after) == set()
    assert {after[path].status for _, path in BY_ADDRESS} == {404}
    for path, answer in after.items():
        assert answer.status < 500, path
        if "/-/api/jottings" in path:
            assert answer.status == 403, "the owner's alone"
        elif "changes" in path:
            assert answer.status == 404, "it has one version"
        elif names["document"] in path and "/-/api/document?" not in path:
            assert answer.status in {200, 303, status}, path
    for name in (names["utf-8"], names["document"], names["cited"].replace("#", "%23")):
        refused = ask(running.base, f"/{name}")
        assert (refused.status, refused.json["code"]) == (status, "withdrawn")
        assert refused.json["reason"] == reason
    with Archive.open(archive) as service:
        service.access.reinstate(names["document"])
    assert telling(before) <= telling(answers(running, names)), "all of it is there again"


def test_no_route_tells_what_is_closed_and_the_operator_reads_it(
    running: Running, cli: Cli, names: dict[str, str], tmp_path: Path
) -> None:
    before = telling(answers(running, names))
    assert cli("access", names["document"], "closed").out == "closed; ground: unknown\n"
    after = answers(running, names)
    assert telling(after) == set()
    assert {after[path].status for _, path in BY_ADDRESS} == {404}
    refused = after[f"/{names['utf-8']}?view=json"]
    assert (refused.status, refused.json["code"]) == (403, "closed")
    assert "(403): not open to all" in after["/"].body.decode()
    assert CANARY in cli("resolve", names["utf-8"]).out
    assert CANARY in cli("show", names["document"]).out
    warc = tmp_path / "a.warc"
    assert cli("export", "--warc", str(warc), names["document"]).status == 0
    assert CANARY.encode() not in warc.read_bytes()
    until = "2999-01-01"
    cli("access", names["document"], "--embargo", until)
    refused = ask(running.base, f"/{names['utf-8']}")
    assert (refused.status, refused.json["detail"][-10:]) == (403, until)
    cli("access", names["document"], "public")
    assert before <= telling(answers(running, names))


def test_nothing_that_is_exported_for_others_holds_what_is_withdrawn(
    cli: Cli, archive: Path, names: dict[str, str], tmp_path: Path
) -> None:
    assert cli("log", "--tiles", str(tmp_path / "tiles")).status == 0
    assert cli("withdraw", names["document"], "--reason", "copyright").status == 0
    with Archive.open(archive) as service:
        service.add(b"later", name="later.txt")
    assert cli("log", "--tiles", str(tmp_path / "tiles")).status == 0, "brought up"
    whole = tmp_path / "whole.warc.gz"
    assert cli("export", "--warc", str(whole), names["document"]).status == 0
    (tmp_path / "whole.warc").write_bytes(gzip.decompress(whole.read_bytes()))
    whole.unlink()
    for name in (names["document"], names["html"], names["utf-8"], names["cited"]):
        for words in (
            ["export", name, "-o", str(tmp_path / "x")],
            ["prove", name, "-o", str(tmp_path / "x")],
            ["resolve", name],
            ["quotes", name],
            ["cite", name, "--quote", "words"],
        ):
            outcome = cli(*words)
            assert outcome.status == 1, words
            assert CANARY not in outcome.out + outcome.err, words
    made = [path for path in tmp_path.rglob("*") if path.is_file()]
    made = [path for path in made if not path.is_relative_to(archive)]
    assert len(made) > 5
    assert [path for path in made if CANARY.encode() in path.read_bytes()] == []


def test_entries_that_earlier_versions_wrote_in_clear_are_withheld(tmp_path: Path) -> None:
    directory, _ = unpack(tmp_path)
    Repository.adopt(directory)
    with Archive.open(directory) as service:
        for document in service.documents.list().documents:
            service.access.withdraw(document.pdi, reason="safety")
        size = service.log.state().size
    with served(directory) as running:
        entries = ask(running.base, f"/-/log/tile/entries/000.p/{size}")
        told = entries.body.replace(b"canary-who", b"", 1)
        assert b'"target":"canary-who' in entries.body, "who mints is said of a series"
        assert (entries.status, b"canary" in told) == (200, False)
        assert len(ask(running.base, f"/-/log/tile/0/000.p/{size}").body) == 32 * size
