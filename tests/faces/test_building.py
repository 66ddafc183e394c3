"""What may be read in the archive's building alone: who is in it, and what others are told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.engines import Repository
from tests.faces.conftest import served
from tests.faces.test_http import Answer
from tests.faces.test_http import ask as sent
from tests.faces.test_suppression import CANARY, names
from tests.faces.test_workers import ask as ask_with

from permacite.service.access import Choice

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Running

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

__all__ = ["names"]  # a fixture

PLACE = "Reading room, 1 Quay Street"
BUILDING = ("--building", "192.0.2.0/24,2001:db8:7::/48", "--building-name", PLACE)
PROXY = ("--forwarded-allow-ips", "127.0.0.1")
INSIDE = "192.0.2.7"


@pytest.fixture
def kept(archive: Path, names: dict[str, str]) -> dict[str, str]:
    """The names of a document that may be read in the building alone."""
    with Archive.open(archive) as held:
        held.access.standing(names["document"], Choice(access="building"))
    return names


def ask(running: Running, path: str, method: str = "GET", **fields: str) -> Answer:
    """Send a request without a body."""
    return sent(running.base, path, method, None, **fields)


def is_told(answer: Answer) -> bool:
    """Whether an answer has the words of the document."""
    return answer.status == 200 and CANARY.encode() in answer.body


INSIDERS = (INSIDE, "2001:db8:7::1", "::ffff:192.0.2.7", f"203.0.113.9, {INSIDE}")
OUTSIDERS = (
    *(f"{INSIDE}, 203.0.113.9", "192.0.3.7", "2001:db8:8::1"),
    *("127.0.0.1", "192.0.2.7.", "nonsense", ""),
)


def test_the_address_that_a_proxy_tells_says_who_is_inside(
    archive: Path, kept: dict[str, str]
) -> None:
    with served(archive, *BUILDING, *PROXY) as running:
        for path in (f"/{kept['html']}", f"/-/api/document?name={kept['document']}"):
            for told in (*INSIDERS, *OUTSIDERS):
                answer = ask(running, path, X_Forwarded_For=told)
                assert is_told(answer) is (told in INSIDERS), told
            assert not is_told(ask(running, path)), "the proxy itself told of nobody"


def test_nobody_is_inside_by_what_they_say(archive: Path, kept: dict[str, str]) -> None:
    path = f"/{kept['html']}"
    with served(archive, *BUILDING) as running:
        for field in ("X_Forwarded_For", "Forwarded", "X_Real_IP", "Via"):
            assert ask(running, path, **{field: f"for={INSIDE}"}).status == 403
            assert ask(running, path, **{field: INSIDE}).status == 403
        assert ask(running, path).status == 403, "not even this machine, which is not named"
    with served(archive, "--building", "127.0.0.0/8") as running:
        assert is_told(ask(running, path))
        for field in ("X_Forwarded_For", "Forwarded", "X_Real_IP", "Via"):
            through = ask(running, path, **{field: "127.0.0.1"})
            assert through.status == 403, f"{field}: a proxy that is not named lets nobody in"


def test_workers_know_the_building_and_the_proxies(archive: Path, kept: dict[str, str]) -> None:
    with served(archive, *BUILDING, *PROXY, "--workers", "2") as running:
        for address, status in ((INSIDE, 200), ("203.0.113.9", 403)) * 4:
            fields = {"X-Forwarded-For": address}
            assert ask_with(running, f"/{kept['html']}", fields=fields)[0] == status


def test_what_is_answered_inside_is_never_packed(archive: Path, kept: dict[str, str]) -> None:
    fields = {"Accept_Encoding": "zstd, gzip"}
    with served(archive, *BUILDING, *PROXY) as running:
        for path in (f"/-/page/{kept['html']}", "/-/search?q=a", "/-/api/search?q=a", "/"):
            inside = ask(running, path, X_Forwarded_For=INSIDE, **fields)
            assert inside.status == 200, path
            assert "content-encoding" not in inside.headers, path
            assert inside.headers["cache-control"].startswith("private, "), path
        packed = ask(running, "/", X_Forwarded_For="203.0.113.9", **fields)
        assert packed.headers["content-encoding"] == "zstd"


def test_what_is_answered_inside_is_kept_by_nobody_between(
    archive: Path, kept: dict[str, str]
) -> None:
    path = f"/{kept['html']}"
    with served(archive, *BUILDING, *PROXY) as running:
        for _ in range(3):
            inside = ask(running, path, X_Forwarded_For=INSIDE)
            assert is_told(inside)
            assert inside.headers["cache-control"] == "private, no-cache"
            tag = inside.headers["etag"]
            outside = {"X_Forwarded_For": "203.0.113.9"}
            assert ask(running, path, **outside).status == 403
            assert ask(running, path, If_None_Match=tag, **outside).status == 403
            assert ask(running, path, "HEAD", **outside).status == 403
            assert ask(running, path, Range="bytes=0-3", **outside).status == 403
            same = ask(running, path, If_None_Match=tag, X_Forwarded_For=INSIDE)
            assert same.status == 304


SAID = {"en": "own building, and from nowhere", "de": "nirgendwo sonst", "fr": "dans les murs"}


def test_a_page_says_why_and_where_it_can_be_read(archive: Path, kept: dict[str, str]) -> None:
    with served(archive, *BUILDING, *PROXY) as running:
        for language, words in SAID.items():
            fields = {"Accept": "text/html", "Accept_Language": language}
            page = ask(running, f"/{kept['html']}", **fields)
            assert page.status == 403
            text = page.body.decode()
            assert words in text
            assert PLACE in text
            assert "/-/sign-in" in text, "a token helps too"
        told = ask(running, f"/{kept['html']}?view=json").json
        assert (told["code"], told["reason"], told["building"]) == ("closed", "building", PLACE)
        assert "building" in ask(running, "/?view=reader").body.decode()
    with served(archive) as running:
        assert "building" not in ask(running, f"/{kept['html']}?view=json").json
        assert b"own building" in ask(running, f"/{kept['html']}?view=reader").body


def test_what_is_written_for_others_has_nothing_of_it(
    cli: Cli, kept: dict[str, str], tmp_path: Path
) -> None:
    shown = cli("access", kept["document"], "--json")
    assert json.loads(shown.out)["standing"]["access"] == "building"
    assert cli("access", kept["document"]).out == "building; ground: unknown\n"
    assert CANARY in cli("resolve", kept["utf-8"]).out, "the operator's own"
    for kind in ("--warc", "--wacz"):
        target = tmp_path / f"a.{kind[2:]}"
        assert cli("export", kind, str(target), kept["document"]).status == 0
        assert CANARY.encode() not in target.read_bytes()
    assert cli("log", "--tiles", str(tmp_path / "tiles")).status == 0
    for path in (tmp_path / "tiles").rglob("*"):
        assert path.is_dir() or CANARY.encode() not in path.read_bytes()
    assert cli("access", "default", "building").out == "building; ground: unknown\n"
    with Archive.open(tmp_path / "archive") as held:
        made = held.add(b"new", name="new.txt")
        assert held.access.standing(made.pdi).standing.access == "building"


@pytest.mark.parametrize("typed", ["nonsense", "10.0.0.1/8", "127.0.0.1,,", "unix"])
def test_a_building_that_is_no_network_is_told(archive: Path, typed: str) -> None:
    from permacite.cli.commands import run

    assert run(["--archive", str(Repository.at(archive)), "serve", "--building", typed]) == 2
