"""The program on records in PostgreSQL: the same commands, and two servers that answer for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.faces.conftest import served
from tests.faces.test_http import ask

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.engines import Server
    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]


@pytest.fixture
def location(postgresql: Server, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> str:
    """A new archive, which commands use."""
    location = postgresql.location(tmp_path / "kept")
    monkeypatch.setenv("PERMACITE_ARCHIVE", location)
    assert cli("init", location, "--series", "lab.example.us").status == 0
    return location


def test_from_a_file_to_a_proof(location: str, cli: Cli, tmp_path: Path) -> None:
    page, proof = tmp_path / "tide.html", str(tmp_path / "proof.zip")
    page.write_text("<!doctype html><title>Tide</title><p>The highest tide of the year.")
    name = cli("import", str(page)).out.split()[0]
    passage = cli("cite", name, "--quote", "highest tide").out.split()[0]
    assert cli("resolve", passage).out == "highest tide"
    assert "Tide" in cli("search", "highest").out
    assert cli("prove", passage, "-o", proof).status == 0
    for checked in (["verify", name], ["verify", proof], ["fsck"]):
        assert cli(*checked).status == 0, checked
    with served(location) as first, served(location) as second:
        for running in (first, second):
            assert ask(running.base, f"/{name}", "GET", None).body == page.read_bytes()
        assert cli("access", name, "closed").status == 0
        for running in (first, second):
            assert ask(running.base, f"/{name}", "GET", None).status == 403
        assert ask(first.base, "/-/ready", "GET", None).status == 200


def test_several_processes_answer_for_it(location: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "tide.txt").write_text("The tide.")
    name = cli("import", str(tmp_path / "tide.txt")).out.split()[0]
    with served(location, "--workers", "2") as running:
        assert {ask(running.base, f"/{name}", "GET", None).body for _ in range(8)} == {b"The tide."}


@pytest.mark.usefixtures("location")
def test_a_backup_is_a_folder_or_nothing(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "tide.txt").write_text("The tide.")
    name = cli("import", str(tmp_path / "tide.txt")).out.split()[0]
    copy, taken = tmp_path / "copy", tmp_path / "taken"
    assert cli("backup", str(copy)).status == 0
    assert cli("--archive", str(copy), "resolve", name).out == "The tide."
    assert cli("--archive", str(copy), "fsck").status == 0
    taken.mkdir()
    (taken / "mine").touch()
    assert cli("backup", str(taken)).status == 1
    assert [path.name for path in taken.iterdir()] == ["mine"]
