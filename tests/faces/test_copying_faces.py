"""`permacite copy`: from a folder into a database and back, and what keeps it from that."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.engines import Server
    from tests.faces.conftest import Outcome

    Cli = Callable[..., Outcome]


@pytest.fixture
def passage(cli: Cli, archive: Path, tmp_path: Path) -> str:
    """A passage that is cited in the archive."""
    assert archive.is_dir()
    page = tmp_path / "tide.html"
    page.write_text("<!doctype html><title>Tide</title><p>The highest tide of the year.")
    name = cli("import", str(page)).out.split()[0]
    return cli("cite", name, "--quote", "highest tide").out.split()[0]


def test_from_a_folder_into_a_database_and_back(
    cli: Cli, archive: Path, passage: str, postgresql: Server, tmp_path: Path
) -> None:
    there, back = postgresql.location(tmp_path / "there"), str(tmp_path / "back")
    proof, later = str(tmp_path / "proof.zip"), str(tmp_path / "later.zip")
    assert cli("prove", passage, "-o", proof).status == 0
    log = json.loads(cli("log", "--json").out)
    copied = cli("copy", str(archive), there, "--with-key", "--json")
    assert copied.status == 0, copied.err
    told = json.loads(copied.out)
    assert (told["entries"], told["root"], told["lost"]) == (log["size"], log["root"], [])
    assert told["whole"]
    assert told["files"]
    assert cli("copy", there, back, "--with-key").status == 0
    for location in (there, back):
        at = ("--archive", location)
        assert json.loads(cli(*at, "log", "--json").out)["checkpoint"] == log["checkpoint"]
        assert cli(*at, "resolve", passage).out == "highest tide"
        assert cli(*at, "fsck").status == 0
        assert cli(*at, "verify", proof, "--key", log["key"]).status == 0
    assert cli("--archive", back, "prove", passage, "-o", later).status == 0
    assert cli("verify", later, "--key", log["key"]).status == 0


def test_what_came_is_told(cli: Cli, archive: Path, passage: str, tmp_path: Path) -> None:
    target = str(tmp_path / "copy")
    outcome = cli("copy", str(archive), target)
    assert (outcome.status, outcome.out) == (0, f"{target}\n")
    assert "1 documents, 1 versions, 2 entries in the log" in outcome.err
    assert "contents came, all compared" in outcome.err
    assert "the root of its log is that of the archive: " in outcome.err
    assert "0 contents came, what is new" in cli("copy", str(archive), target).err
    assert cli("--archive", target, "resolve", passage).out == "highest tide"
    assert not (tmp_path / "copy" / "log.key").exists()
    (tmp_path / "other.html").write_text("<!doctype html><p>The copy is not written to.")
    for words in (
        ("import", str(tmp_path / "other.html")),
        ("withdraw", passage.partition("#")[0], "--reason", "safety"),
    ):
        refused = cli("--archive", target, *words)
        assert (refused.status, "a copy that reads" in refused.err) == (1, True), refused.err
        assert "permacite promote" in refused.err


def test_a_copy_that_reads_proves_and_takes_the_place_of_its_archive(
    cli: Cli, archive: Path, passage: str, tmp_path: Path
) -> None:
    log = json.loads(cli("log", "--json").out)
    copy, proof = str(tmp_path / "copy"), str(tmp_path / "proof.zip")
    assert cli("copy", str(archive), copy).status == 0
    at = ("--archive", copy)
    assert json.loads(cli(*at, "log", "--json").out) == log
    assert cli(*at, "prove", passage, "-o", proof).status == 0
    assert cli("verify", proof, "--key", log["key"]).status == 0
    assert cli(*at, "verify", passage).status == 0
    assert cli(*at, "fsck").status == 0
    refused = cli("promote", copy)
    assert (refused.status, "the key of the log is not here" in refused.err) == (1, True)
    (tmp_path / "copy" / "log.key").write_bytes((archive / "log.key").read_bytes())
    assert cli("promote", copy).out == f"{log['key']}\n"
    (tmp_path / "other.html").write_text("<!doctype html><p>It goes on here.")
    assert cli(*at, "import", str(tmp_path / "other.html")).status == 0
    assert json.loads(cli(*at, "log", "--json").out)["size"] > log["size"]
    assert cli("promote", copy).status == 1


def test_refusals(cli: Cli, archive: Path, passage: str, tmp_path: Path) -> None:
    assert passage
    for location in ("postgresql://me:sesame@h/d?objects=/o", "gopher://me:sesame@h/"):
        for words in ((location, str(tmp_path / "x")), (str(archive), location)):
            refused = cli("copy", *words)
            assert refused.status in {1, 2}
            assert "sesame" not in refused.out + refused.err
    assert cli("copy", str(archive), str(archive)).status == 1
    assert cli("copy", str(tmp_path / "nowhere"), str(tmp_path / "x")).status == 1
    assert not (tmp_path / "x").exists()
    refused = cli("copy", str(archive), str(tmp_path / "x"), "--objects", "s3://key:sesame@b/p")
    assert (refused.status, "sesame" in refused.err) == (2, False)


def test_a_disk_that_is_full_is_told_and_the_copy_goes_on(
    cli: Cli, archive: Path, tmp_path: Path
) -> None:
    (tmp_path / "large.bin").write_bytes(bytes(range(256)) * 8000)
    assert cli("import", str(tmp_path / "large.bin")).status == 0
    target = tmp_path / "copy"
    program = (
        "import resource, signal, sys\n"
        "from permacite.cli.commands import run\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"
        "sys.exit(run(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", program, "copy", str(archive), str(target)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, "the disk is full" in ended.stderr) == (1, True), ended.stderr
    refused = cli("--archive", str(target), "list")
    assert (refused.status, "permacite copy" in refused.err) == (1, True)
    assert cli("copy", str(archive), str(target)).status == 0
    assert cli("--archive", str(target), "fsck").status == 0
