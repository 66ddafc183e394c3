"""Where `permacite init` makes an archive: its argument, else --archive, else a user folder."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]


def test_init_makes_an_archive_in_its_argument(cli: Cli, archive: Path, tmp_path: Path) -> None:
    place = tmp_path / "shelf" / "mine"
    made = cli("init", str(place), "--series", "press.example.us", "--resolver", "https://a.us/")
    assert made.status == 0, made.err
    assert made.out.splitlines()[:2] == [f"archive {place}", "series  press.example.us"]
    assert "https://a.us" in made.out
    assert (place / "catalog.sqlite").is_file()
    assert json.loads(cli("--archive", str(place), "list", "--json").out)["documents"] == []
    listed = json.loads(cli("series", "list", "--json").out)
    assert "press.example.us" not in json.dumps(listed), "the one in PERMACITE_ARCHIVE is as it was"
    assert archive != place


def test_the_argument_counts_before_the_option(cli: Cli, tmp_path: Path) -> None:
    told, meant = tmp_path / "told", tmp_path / "meant"
    made = json.loads(cli("--archive", str(told), "init", str(meant), "--json").out)
    assert made["directory"] == str(meant)
    assert (meant / "catalog.sqlite").is_file()
    assert not told.exists()


def test_init_without_an_argument_takes_the_option(cli: Cli, tmp_path: Path) -> None:
    told = tmp_path / "told"
    assert cli("--archive", str(told), "init").status == 0
    assert (told / "catalog.sqlite").is_file()


def test_init_without_either_takes_the_folder_of_the_user(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PERMACITE_ARCHIVE")
    made = json.loads(cli("init", "--json").out)
    assert made["directory"].startswith(os.environ["XDG_DATA_HOME"])
    assert made["directory"].startswith(str(tmp_path))


@pytest.mark.parametrize("what", ["an archive", "a file"])
def test_init_writes_over_nothing(cli: Cli, archive: Path, tmp_path: Path, what: str) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"words")
    before = (archive / "catalog.sqlite").read_bytes()
    refused = cli("init", str(archive if what == "an archive" else file))
    assert refused.status != 0
    assert file.read_bytes() == b"words"
    assert (archive / "catalog.sqlite").read_bytes() == before
