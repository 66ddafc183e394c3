"""Resolvers that delegate to each other, by series and dates: servers, and the way over them."""

from __future__ import annotations

import contextlib
import json
import socket
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.archives import Archive
from tests.faces.conftest import archive, cli, served
from tests.faces.test_http import ask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

__all__ = ["archive", "cli"]

WORDS = "The tide is high."


class Place(NamedTuple):
    """An archive with a server."""

    folder: Path
    base: str

    def delegate(self, series: str, *targets: str, **dates: str) -> None:
        """Delegate a series, in the archive that is served."""
        with Archive.open(self.folder) as service:
            service.documents.series.delegate("resolver", series, " ".join(targets), **dates)


class Places(NamedTuple):
    """Three resolvers, and the name of a text that the last of them holds."""

    root: Place
    middle: Place
    last: Place
    name: str


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Places]:
    """Three processes, none of which delegates yet."""
    series = ("example.us", "lab.example.us", "deep.lab.example.us")
    with contextlib.ExitStack() as stack:
        found = []
        for name in series:
            folder = tmp_path / name
            Archive.create(folder, series=name).close()
            found.append(Place(folder, stack.enter_context(served(folder)).base))
        with Archive.open(found[-1].folder) as service:
            name = service.add(WORDS.encode(), name="tide.txt").pdi
        root, middle, last = found
        yield Places(root, middle, last, name)


@pytest.fixture
def nobody() -> str:
    """An address at which nobody answers."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{held.getsockname()[1]}"


def way(cli: Cli, *words: str | Path) -> tuple[int, list[tuple[str, str]]]:
    """The exit status of `where`, and its steps."""
    before = [] if words[0] != "--archive" else words[:2]
    told = cli(*before, "where", *words[len(before) :], "--allow-private", "--json")
    steps = json.loads(told.out)["steps"] if told.out else []
    return told.status, [(step["resolver"], step["outcome"]) for step in steps]


def test_a_name_is_found_over_two_resolvers_that_lead_on(places: Places, cli: Cli) -> None:
    root, middle, last, name = places
    root.delegate("lab.example.us", middle.base)
    middle.delegate("deep.lab.example.us", last.base)
    steps = [(root.base, "leads-on"), (middle.base, "leads-on"), (last.base, "answers")]
    assert way(cli, name, "--at", root.base) == (0, steps)
    redirected = ask(root.base, f"/{name}")
    assert (redirected.status, redirected.headers["location"]) == (307, f"{middle.base}/{name}")
    assert ask(last.base, f"/{name}").body.decode() == WORDS
    assert cli("--archive", last.folder, "where", name).out == "this archive holds it\n"
    assert way(cli, "--archive", root.folder, name) == (0, steps[1:])

    middle.delegate("deep.lab.example.us", root.base)
    told = cli("where", name, "--at", root.base, "--allow-private")
    assert (told.status, "runs in a circle" in told.err) == (1, True)


def test_dates_decide_who_is_asked(places: Places, cli: Cli) -> None:
    root, middle, last, _ = places
    root.delegate("press.example.us", middle.base, last="2025-12-31")
    root.delegate("press.example.us", last.base, first="2026-01-01")
    for day, place in (("2025/12/31", middle), ("2026/01/01", last)):
        name = f"urn:pdi://press.example.us/{day}/1"
        steps = [(root.base, "leads-on"), (place.base, "fails")]  # neither holds it
        assert way(cli, name, "--at", root.base) == (1, steps)


def test_where_one_does_not_answer_a_copy_is_asked(places: Places, cli: Cli, nobody: str) -> None:
    root, _, last, name = places
    assert cli("where", name).status == 1, "nobody is named"
    root.delegate("deep.lab.example.us", nobody)
    told = cli("where", name, "--at", root.base, "--allow-private")
    assert told.status == 1
    assert told.out.splitlines()[1].startswith(f"{nobody}\tfails\t")
    assert "refused" in told.out, "a dead end, with its cause"

    root.delegate("deep.lab.example.us", nobody, last.base)
    link = ask(root.base, f"/{name}").headers["link"]
    assert link == f'<{last.base}/{name}>; rel="duplicate"'
    steps = [(root.base, "leads-on"), (nobody, "fails"), (last.base, "answers")]
    assert way(cli, name, "--at", root.base) == (0, steps)

    told = cli("where", name, "--at", root.base)
    assert (told.status, "\tfails\t" in told.out) == (1, True), "addresses inside are not asked"
