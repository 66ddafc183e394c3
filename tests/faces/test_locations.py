"""A location with a secret in it is refused wherever one may be named, and shown nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]

SECRET = "sesame"  # noqa: S105 - of nothing
PASSWORD = f"postgresql://me:{SECRET}@localhost/d?objects=/o"
KEY = f"postgresql://localhost/d?objects=s3://me:{SECRET}@bucket"
MISSPELT = f"postgresql:/me:{SECRET}@localhost/d?objects=/o"
BAD_INPUT = 2

COMMANDS = [
    ["--archive", "LOCATION", "list"],
    ["--archive", "LOCATION", "list", "--json"],
    ["--archive", "LOCATION", "init"],
    ["init", "LOCATION"],
    ["init", "LOCATION", "--json"],
    ["copy", "LOCATION", "FOLDER"],
    ["copy", "ARCHIVE", "LOCATION"],
    ["promote", "LOCATION"],
    ["fsck", "--repair-from", "LOCATION"],
    ["mirror", "LOCATION", "FOLDER"],
    ["mirror", "http://127.0.0.1:1", "LOCATION"],
    ["backup", "LOCATION"],
    ["--archive", "LOCATION", "backup", "FOLDER"],
    ["--archive", "LOCATION", "work"],
    ["--archive", "LOCATION", "bulk", "fixity"],
    ["--archive", "LOCATION", "serve", "--port", "0"],
    ["--config", "FILE", "list"],
    ["config", "check", "FILE"],
]


@pytest.mark.parametrize("location", [PASSWORD, KEY, MISSPELT], ids=["password", "key", "misspelt"])
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_secret_in_a_location_is_refused_and_not_shown(
    words: list[str], location: str, cli: Cli, archive: Path, tmp_path: Path
) -> None:
    (tmp_path / "config.toml").write_text(f'archive = "{location}"\n')
    places = {
        "LOCATION": location,
        "ARCHIVE": str(archive),
        "FOLDER": str(tmp_path / "folder"),
        "FILE": str(tmp_path / "config.toml"),
    }
    told = cli(*(places.get(word, word) for word in words))
    assert told.status == BAD_INPUT, told
    assert SECRET not in told.out + told.err
    assert "Traceback" not in told.err
    assert not (tmp_path / "folder").exists()


@pytest.mark.parametrize("location", [PASSWORD, KEY, MISSPELT], ids=["password", "key", "misspelt"])
def test_so_is_one_in_the_environment(
    location: str, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERMACITE_ARCHIVE", location)
    for words in (["list"], ["config", "check"], ["serve", "--port", "0"]):
        told = cli(*words)
        assert told.status == BAD_INPUT, told
        assert SECRET not in told.out + told.err


def test_a_backup_is_a_folder(cli: Cli, tmp_path: Path) -> None:
    told = cli("backup", "postgresql://localhost/d?objects=/o")
    assert told.status == BAD_INPUT, told
    assert "expected a folder, not a location" in told.err
    assert not list(tmp_path.glob("postgresql*"))
