"""Citation PDIs A@origin=B are read before they are believed, at every face (PDI §3.5)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from tests.archives import Archive
from tests.faces.test_http import ask

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome, Running

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

CONVICTED = "The court convicted him on Monday."
ACQUITTED = "The court acquitted him on Monday."
OUTCOMES = [
    # composite document, origin, outcome, exit status, of words
    ("quoting", 9, "exact", 0),
    ("wrapped", 9, "space", 0),
    ("block", 2, "space", 0),
    ("convicted", 0, "differs", 1),
    ("quoting", 10, "differs", 1),
    ("quoting", 99999, "differs", 1),
    ("link", 4, "reference", 0),
    ("link", 0, "differs", 1),
    ("absent", 9, "unknown", 1),
    ("elsewhere", 9, "unchecked", 0),
    ("picture", "(0,0)", "unchecked", 0),
    ("withdrawn", 9, "unchecked", 0),
    ("erased", 9, "unchecked", 0),
]


@pytest.fixture
def cited(archive: Path) -> dict[str, str]:
    """Names of documents that quote, and of what they quote ("source"), without "urn:"."""
    with Archive.open(archive) as service:

        def add(words: str | bytes, name: str) -> str:
            content = words.encode() if isinstance(words, str) else words
            return service.add(content, name=name, new=True, misquoted=True).pdi[4:]

        source = add(ACQUITTED, "b.txt")
        passage = f"{source}#char=0,34"
        names = {
            "source": passage,
            "convicted": add(CONVICTED, "a.txt"),
            "quoting": add(f"He said: {ACQUITTED}", "c.txt"),
            "wrapped": add(f"He said: {ACQUITTED.replace(' ', chr(10))}", "d.txt"),
            "block": add(f"> {ACQUITTED.replace(' him', chr(10) + '> him')}", "e.md"),
            "link": add(f"See {passage} for it.", "f.txt"),
            "picture": add(b"GIF89a\1\0\1\0\0\0\0;\xff", "g.gif"),
            "elsewhere": "pdi://other.example.us/2026/11/01/1.text.1",
            "withdrawn": add(f"He said: {ACQUITTED} ", "h.txt"),
            "erased": add(f"He said: {ACQUITTED}  ", "i.txt"),
        }
        names["absent"] = names["quoting"].removesuffix("1") + "7"
        service.access.withdraw(names["withdrawn"], reason="own-error")
        service.access.erase(names["erased"], ground="court-order")
    return names


@pytest.mark.parametrize(("composite", "origin", "outcome", "status"), OUTCOMES)
def test_commands_compare_what_a_citation_says(
    cli: Cli, cited: dict[str, str], composite: str, origin: str | int, outcome: str, status: int
) -> None:
    citation = f"{cited[composite]}@{origin}={cited['source']}"
    checked, resolved = cli("verify", citation), cli("resolve", citation)
    assert (checked.status, resolved.status) == (status, status)
    assert resolved.out == ACQUITTED
    is_told = outcome not in {"exact", "space", "reference"}
    assert ("warning: " in resolved.err) == is_told
    assert cli("verify", "--strict", citation).status == (1 if is_told else 0)
    if composite == "convicted":
        assert "it has “convicted him on Monday.”, the source has “acquitted him" in checked.err
    if outcome == "unchecked":
        told = json.loads(cli("verify", "--json", citation).out)
        assert [each["kind"] for each in told["unchecked"]] == ["unchecked"]


def test_the_server_and_the_reader_say_the_same(running: Running, cited: dict[str, str]) -> None:
    for composite, origin, outcome, _ in OUTCOMES:
        citation = f"{cited[composite]}@{origin}={cited['source']}"
        answer = ask(running.base, f"/{quote(citation, safe='/:@=,()')}")
        assert (answer.status, answer.body.decode()) == (200, ACQUITTED)
        assert answer.headers["permacite-quotation"] == outcome
        page = ask(running.base, f"/{quote(citation, safe='/:@=,()')}?view=reader").body.decode()
        assert ("It does not:" in page) == (outcome in {"differs", "unknown"})
        assert ("cannot be checked:" in page) == (outcome == "unchecked")


def test_a_citation_of_a_citation_is_no_better_than_what_it_cites(
    cli: Cli, cited: dict[str, str]
) -> None:
    inner = f"{cited['convicted']}@0={cited['source']}"
    assert cli("verify", f"{cited['quoting']}@9={inner}").status == 1
    inner = f"{cited['wrapped']}@9={cited['source']}"
    assert cli("verify", f"{cited['quoting']}@9={inner}").status == 0
