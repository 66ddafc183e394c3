"""Many names in one go, and resolvers elsewhere that speak THTTP alone."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive, command_on
from tests.faces.test_http import ask, names

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Running

pytestmark = pytest.mark.engines(deep=True)

__all__ = ["names"]  # a fixture

AWAY = "urn:pdi://old.example.us/1999/09/16/1.text.1"
BOTH = "urn:pdi://both.example.us/1999/09/16/1.text.1"
NONE = "urn:pdi://lab.example.us/1999/09/16/1.text.1"
THTTP = "https://old.example/resolver/uri-res"
TARGET = "https://both.example/archive"
MANY = 1000


@pytest.fixture
def asked(archive: Path, names: dict[str, str]) -> list[str]:
    """Delegate two series, withdraw a text; return what is to be looked up."""
    with Archive.open(archive) as held:
        held.documents.series.delegate("resolver", "old.example.us", f"{THTTP}/")
        held.documents.series.delegate("resolver", "both.example.us", TARGET)
        gone = held.add(b"gone\n", name="gone.txt").pdi
        held.access.withdraw(gone, reason="court-order")
    part = f"{names['text']}#char=0,3"
    document = names["html"].rpartition(".html.")[0]
    return [names["html"], part, document, AWAY, f"{AWAY}#char=1,2", BOTH, NONE, gone, "nonsense"]


def _expected(names: dict[str, str], asked: list[str]) -> list[tuple[str | None, str | None]]:
    """Return the exact name, or where it leads, of each."""
    found: list[tuple[str | None, str | None]] = [(names["html"], None), (asked[1], None)]
    found += [(names["html"], None), (None, f"{THTTP}/N2R?{AWAY}")]
    found += [(None, f"{THTTP}/N2R?{AWAY}%23char=1,2"), (None, f"{TARGET}/{BOTH}")]
    return [*found, (None, None), (None, None), (None, None)]


CODES = [None, None, None, *["not-found"] * 4, "withdrawn", "syntax"]


def test_each_name_of_many_has_one_answer(
    archive: Path, names: dict[str, str], asked: list[str]
) -> None:
    with Archive.open(archive) as held:
        found = list(held.documents.look_ups.look_up(asked))
        many = list(held.documents.look_ups.look_up(asked[:1] * MANY))
    assert [each.reference for each in found] == asked
    told = [(each.found.exact if each.found else None, each.elsewhere) for each in found]
    assert told == _expected(names, asked)
    assert [each.problem and each.problem["code"] for each in found] == CODES
    assert [each.found.assumed for each in found if each.found] == [False, False, True]
    assert found[1].found is not None
    assert (found[1].found.size_bytes, found[1].found.media_type) == (14, "text/plain")
    assert [each.found for each in many] == [found[0].found] * MANY


def test_commands_and_programs_get_the_same(
    running: Running, cli: Callable[..., Outcome], names: dict[str, str], asked: list[str]
) -> None:
    told = json.loads(cli("look-up", *asked, "--json").out)
    body = json.dumps(asked).encode()
    path = "/-/api/look-up"
    answer = ask(running.base, path, "POST", body, Content_Type="application/json")
    assert json.loads(answer.body) == told
    lines = "# a comment\r\n" + "".join(f"{each}\r\n" for each in asked)
    listed = ask(running.base, path, "POST", lines.encode(), Content_Type="text/uri-list")
    assert json.loads(listed.body) == told
    shown = cli("look-up", *asked)
    assert shown.status == 1
    rows = [line.split("\t") for line in shown.out.splitlines()]
    assert [row[0] for row in rows] == asked
    assert rows[0] == [names["html"], names["html"], "text/html"]
    assert rows[3] == [AWAY, "-", f"{THTTP}/N2R?{AWAY}"]
    assert cli("look-up", names["html"]).status == 0
    many = json.dumps([names["html"]] * (MANY + 1)).encode()
    for content, kind, status in (
        (many, "application/json", 413),
        (b"{}", "application/json", 400),
        (b"[1]", "application/json", 400),
        (b"[", "application/json", 400),
        (b"a", "text/plain", 415),
    ):
        assert ask(running.base, path, "POST", content, Content_Type=kind).status == status
    assert ask(running.base, path).status == 405


def test_names_are_read_from_standard_input(archive: Path, names: dict[str, str]) -> None:
    command = command_on(archive, "look-up")
    typed = f"{names['html']}\n\n {names['text']} \n"
    ended = subprocess.run(command, input=typed, capture_output=True, text=True, check=True)
    assert [line.split("\t")[1] for line in ended.stdout.splitlines()] == [
        names["html"],
        names["text"],
    ]


LED = [
    # what is asked for, how, and where it leads
    (f"/{AWAY}", "GET", f"{THTTP}/N2R?{AWAY}"),
    (f"/{AWAY}", "HEAD", f"{THTTP}/N2C?{AWAY}"),
    (f"/{AWAY}?fragment=char=1,2", "GET", f"{THTTP}/N2R?{AWAY}%23char=1,2"),
    (f"/uri-res/N2R?{AWAY}", "GET", f"{THTTP}/N2R?{AWAY}"),
    (f"/uri-res/N2Cs?{AWAY}", "GET", f"{THTTP}/N2Cs?{AWAY}"),
    (f"/uri-res/N2L?{AWAY}%23char=1,2", "GET", f"{THTTP}/N2L?{AWAY}%23char=1,2"),
    (f"/{BOTH}", "GET", f"{TARGET}/{BOTH}"),
    (f"/{BOTH}", "HEAD", f"{TARGET}/{BOTH}"),
    (f"/uri-res/N2C?{BOTH}", "GET", f"{TARGET}/uri-res/N2C?{BOTH}"),
]


@pytest.mark.usefixtures("asked")
def test_a_resolver_is_asked_in_what_it_speaks(running: Running) -> None:
    for path, method, target in LED:
        for accept in ("*/*", "text/html"):
            answer = ask(running.base, path, method, Accept=accept)
            assert (answer.status, answer.headers["location"]) == (307, target), (path, method)
