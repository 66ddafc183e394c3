"""Records in PostgreSQL and octets in S3 under one archive: a page goes its way, writers die."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.faces.conftest import archive, cli
from tests.stores import CREDENTIALS

from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository
from permacite.errors import ConflictError, StorageError
from permacite.service.archive import Archive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.engines import Server
    from tests.faces.conftest import Outcome
    from tests.stores import Store, Troubled

    Cli = Callable[..., Outcome]

__all__ = ["archive", "cli"]

SERIES = "lab.example.us"
LARGE = bytes(range(256)) * 1024


@pytest.fixture
def location(postgresql: Server, bucket: str, tmp_path: Path) -> str:
    """Where an archive is to be."""
    place = postgresql.location(tmp_path / "local")
    return place.replace(f"objects={tmp_path}/local/objects", f"objects=s3://{bucket}/p")


def test_from_a_file_to_a_proof(
    location: str, cli: Cli, store: Store, bucket: str, tmp_path: Path
) -> None:
    page, picture, proof = (tmp_path / name for name in ("tide.html", "large.bin", "proof.zip"))
    page.write_text("<!doctype html><title>Tide</title><p>The highest tide of the year.")
    picture.write_bytes(LARGE)
    at = ("--archive", location)
    made = cli("init", location, "--series", SERIES)
    assert made.status == 0, made.err
    name, large = (cli(*at, "import", str(each)).out.split()[0] for each in (page, picture))
    passage = cli(*at, "cite", name, "--quote", "highest tide").out.split()[0]
    assert cli(*at, "resolve", passage).out == "highest tide"
    assert "Tide" in cli(*at, "search", "highest").out
    assert cli(*at, "prove", passage, "-o", str(proof)).status == 0
    for checked in (["verify", name], ["verify", str(proof)], ["fsck"], ["fsck", "--new"]):
        assert cli(*at, *checked).status == 0, checked
    with Archive.open(location) as archive:
        assert archive.resolve(large).content == LARGE
    digest = hashlib.sha256(LARGE).hexdigest()
    assert f"p/objects/{digest[:2]}/{digest[2:4]}/{digest}" in store.keys(bucket)
    assert cli(*at, "erase", large, "--ground", "court-order", "--yes").status == 0
    assert not any(digest in key for key in store.keys(bucket))
    assert cli(*at, "fsck").status == 0
    told = " ".join(
        each for outcome in (made, cli(*at, "log")) for each in (outcome.out, outcome.err)
    )
    assert CREDENTIALS["AWS_SECRET_ACCESS_KEY"] not in told


def test_a_place_that_is_taken_makes_nothing(location: str, store: Store, bucket: str) -> None:
    store.client.put_object(Bucket=bucket, Key="p/other", Body=b"mine")
    with pytest.raises(ConflictError, match="not empty"):
        Repository.create(location, series=SERIES)
    with pytest.raises(StorageError) as error:
        Repository.open(location)
    assert error.value.reason == "not-an-archive", "no schema is left either"
    assert store.keys(bucket) == ["p/other"]
    store.client.delete_object(Bucket=bucket, Key="p/other")
    Repository.create(location, series=SERIES).close()


def test_what_is_small_is_committed_while_the_store_is_away(
    location: str, troubled: Troubled
) -> None:
    with Repository.create(location, series=SERIES) as archive:
        troubled.trouble = "away"
        small = archive.committer.commit([NewRepresentation(b"small", "image/png")])
        assert archive.contents.read(small.representations[0]) == b"small"
        troubled.trouble = ""
    with Repository.open(location) as archive:
        assert archive.contents.read(small.representations[0]) == b"small"
        assert archive.contents.staged_bytes() == 0
        assert {finding.kind for finding in archive.fixity.fsck()} == {"ok"}


WRITER = """
import hashlib, os, sys, threading
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository
def work():
    while True:
        content = os.urandom(3000)
        large = os.urandom(70_000) if content[0] < 20 else content[::-1]
        formats = [NewRepresentation(content, "application/octet-stream"),
                   NewRepresentation(large, "image/png")]
        version = archive.committer.commit(formats)
        os.write(1, f"{version.pdi.document} {hashlib.sha256(content).hexdigest()}\\n".encode())
archive = Repository.open(sys.argv[1])
for _ in range(3):
    threading.Thread(target=work).start()
"""


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_what_was_acknowledged_survives_the_death_of_writers(
    location: str, times: Callable[[int, int], int]
) -> None:
    Repository.create(location, series=SERIES).close()
    chance = random.Random(os.urandom(8))  # noqa: S311 - no secret: when to kill
    acknowledged: list[str] = []
    for _ in range(times(6, 200)):
        command = [sys.executable, "-c", WRITER, location]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            acknowledged += [writer.stdout.readline() for _ in range(chance.randint(1, 30))]
            writer.kill()
            acknowledged += writer.stdout.readlines()
    promised = dict(line.split() for line in acknowledged if line.strip())
    assert len(promised) == len([line for line in acknowledged if line.strip()])
    with Repository.open(location) as archive:
        kept = {
            str(version.pdi.document): hashlib.sha256(
                archive.contents.read(version.representations[0])
            ).hexdigest()
            for version in archive.lists.list()
        }
        assert promised.items() <= kept.items()
        assert {finding.kind for finding in archive.fixity.fsck()} <= {"ok", "orphan"}
