"""A time may stand in an address, wherever an address is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.archives import Archive
from tests.faces.conftest import archive, site
from tests.faces.test_memento import Through, ask, through

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

pytestmark = pytest.mark.engines(deep=True)

__all__ = ["archive", "site", "through"]

FORMS = [
    # how it is written, which version is meant
    ("{address}", 2),
    ("{address}@2024", 0),
    ("{address}@2025-06", 1),
    ("{address}@2025-05-30", 1),
    ("{address}@2025-05-30T12:00Z", 1),
    ("{address}@20240105100000", 0),
    ("{address}@2024#:~:text=version", 0),
    ("/web/2024/{address}", 0),
    ("http://127.0.0.1:8420/web/202506/{address}", 1),
    ("https://web.archive.org/web/20240105100000id_/{address}", 0),
]


@pytest.mark.parametrize(("form", "version"), FORMS)
def test_every_command_takes_a_time_in_an_address(
    through: Through, archive: Path, cli: Cli, form: str, version: int
) -> None:
    typed = form.format(address=through.address)
    name = through.names[version]
    words = "version" if "#" in form else f"version {version}"
    assert words in cli("resolve", typed).out
    assert name.rpartition(".html")[0] in cli("show", typed).out
    with Archive.open(archive) as held:
        results = held.search(typed)
        assert (results.taken_for, results.hits[0].pdi) == ("address", name)
        assert held.cite(typed, quote=f"version {version}").quote == f"version {version}"
    status, _, _ = ask(f"{through.base}/-/api/search?q={typed.replace('#', '%23')}")
    assert status == 200


def test_an_address_that_ends_so_is_itself(archive: Path) -> None:
    with Archive.open(archive) as held:
        own = held.add(b"<p>own", name="a.html", uri="https://example.org/@2024").pdi
        other = held.add(b"<p>other", name="b.html", uri="https://example.org/b").pdi
        assert held.search("https://example.org/@2024").hits[0].pdi == own
        assert held.search("https://example.org/b@1999").hits[0].pdi == other
        assert held.search("https://example.org/b@1999-77").hits[0].pdi == other
        assert held.search("https://example.org/b@x").hits == ()
