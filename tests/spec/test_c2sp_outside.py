"""The log as programs see it that are not ours: Go's packages for transparency logs check it.

checker/checker.go is built with golang.org/x/mod/sumdb (C2SP signed-note, tlog-checkpoint,
tlog-proof, tlog-tiles), from packages of Debian and without network: `./do parts` installs them.
"""

from __future__ import annotations

import base64
import io
import os
import shutil
import signal
import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository
from tests.faces.conftest import served
from tests.needs import need

from permacite import pdi
from permacite.archive.entries import Entry, Sealed, in_clear
from permacite.archive.log.tiles import Tile, tiles_of
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository as Mirror
from permacite.errors import LimitError, NotFoundError, ParseError
from permacite.service.mirroring.following import follow
from permacite.service.proofs.logs import ArchiveLog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Checker = Callable[..., subprocess.CompletedProcess[str]]

pytest.importorskip("cryptography", reason="the log's signatures need it")

pytestmark = pytest.mark.engines(deep=True)

SOURCE = Path(__file__).parent / "checker" / "checker.go"
LIBRARIES = Path("/usr/share/gocode")
NAME = "urn:pdi://lab.example.us/2026/11/21/2.utf-8.1"
MANY = 300
"""Entries: more than one tile holds."""

_BUILDS = 3
"""How often the checker is built, where the compiler hangs."""


@pytest.fixture(scope="session")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Checker:
    """Build the checker once, and return a function that runs it."""
    go = need("go")
    program = tmp_path_factory.mktemp("checker") / "checker"
    settings = {"GO111MODULE": "off", "GOPATH": str(LIBRARIES), "GOFLAGS": "", "GOPROXY": "off"}
    # Go's compiler takes a second; on some virtual machines it spins for ever, once in a while.
    command = ["timeout", "--signal=KILL", "60", go, "build", "-o", str(program), str(SOURCE)]
    for _ in range(_BUILDS):
        built = subprocess.run(
            command, check=False, env=os.environ | settings, capture_output=True, text=True
        )
        if built.returncode != -signal.SIGKILL:
            break
    assert built.returncode == 0, built.stderr

    def run(*words: object) -> subprocess.CompletedProcess[str]:
        command = [str(program), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return run


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory, engine: object) -> Iterator[Repository]:
    """An archive with two documents and many statements, its log longer than a tile."""
    assert engine is Repository.engine
    folder = tmp_path_factory.mktemp("outside") / "archive"

    def noon() -> datetime:
        return datetime(2026, 11, 21, 12, tzinfo=UTC)

    with Repository.create(folder, series="lab.example.us", clock=noon) as archive:
        for text in (b"first", b"second"):
            archive.committer.commit([NewRepresentation(text, "text/plain", charset="utf-8")])
        with ThreadPoolExecutor(32) as threads:
            for number in range(2, MANY):
                threads.submit(archive.statements.state, NAME, "number", str(number))
        yield archive


@pytest.fixture(scope="module")
def key(archive: Repository) -> str:
    """The public key."""
    return str(archive.log.keys.verifier)


@pytest.fixture
def bundle(archive: Repository, tmp_path: Path) -> Path:
    """An unzipped proof about the second document."""
    name = pdi.parse(NAME)
    assert isinstance(name, pdi.PDI)
    with zipfile.ZipFile(io.BytesIO(archive.proofs.prove(name))) as files:
        files.extractall(tmp_path / "bundle")
    return tmp_path / "bundle"


def test_c2sp_tlog_proof_is_accepted_outside(checker: Checker, key: str, bundle: Path) -> None:
    found = checker("bundle", key, bundle)
    assert (found.stdout, found.stderr) == (f"ok entry 1 of {MANY}\n", "")


FORGED = [
    (
        "c2sp-tlog-proof-index",
        "proof.tlog-proof",
        b"index 1",
        b"index 0",
        "invalid transparency proof",
    ),
    ("c2sp-tlog-proof-leaf", "leaf.json", b"2026", b"2025", "invalid transparency proof"),
    ("c2sp-tlog-proof-size", "proof.tlog-proof", b"\n300\n", b"\n301\n", "invalid signature"),
    ("c2sp-tlog-checkpoint", "checkpoint.txt", b"\n300\n", b"\n301\n", "another checkpoint"),
]


@pytest.mark.parametrize(
    ("file", "old", "new", "told"), [row[1:] for row in FORGED], ids=[row[0] for row in FORGED]
)
def test_c2sp_forgeries_are_refused_outside(
    checker: Checker, key: str, bundle: Path, *, file: str, old: bytes, new: bytes, told: str
) -> None:
    content = (bundle / file).read_bytes()
    assert old in content
    (bundle / file).write_bytes(content.replace(old, new, 1))
    found = checker("bundle", key, bundle)
    assert found.returncode == 1
    assert told in found.stderr


def test_c2sp_another_key_is_refused_outside(
    checker: Checker, bundle: Path, tmp_path: Path
) -> None:
    with Repository.create(tmp_path / "other", series="lab.example.us") as other:
        found = checker("bundle", other.log.keys.verifier, bundle)
    assert found.returncode == 1
    assert "no verifiable signatures" in found.stderr


@pytest.mark.parametrize("old", [1, 2, 255, 256, 257, MANY])
def test_rfc6962_s2_1_2_consistency_is_accepted_outside(
    checker: Checker, archive: Repository, key: str, tmp_path: Path, *, old: int
) -> None:
    earlier = f"{archive.log.keys.verifier.name}\n{old}\n"
    earlier += base64.b64encode(archive.log.root(old)).decode() + "\n"
    (tmp_path / "old").write_text(archive.log.keys.signer.sign(earlier))
    (tmp_path / "new").write_text(archive.log.checkpoints.current())
    hashes = [base64.b64encode(one).decode() for one in archive.log.consistency(old, MANY)]
    (tmp_path / "proof").write_text("\n".join(hashes))
    words = ("grown", key, tmp_path / "old", tmp_path / "new", tmp_path / "proof")
    assert checker(*words).stdout == f"ok {old} to {MANY}\n"
    (tmp_path / "proof").write_text("\n".join([*hashes, base64.b64encode(bytes(32)).decode()]))
    assert checker(*words).returncode == 1


def test_c2sp_tiles_of_a_mirror_are_read_outside_without_its_database(
    archive: Repository, checker: Checker, key: str, tmp_path: Path
) -> None:
    into, folder = tmp_path / "mirror", tmp_path / "tiles"
    with served(str(Repository.at(archive.directory))) as origin:
        assert follow(origin.base, into, cosigner=tmp_path / "cosigner").size == MANY
    with Mirror.open(into) as mirror:
        ArchiveLog(mirror).export_tiles(folder)
    shutil.rmtree(into)
    found = checker("tiles", key, folder)
    assert (found.stdout, found.stderr) == (f"ok {MANY} entries\n", "")


@pytest.mark.engines
def test_c2sp_tlog_tiles_are_read_outside(
    checker: Checker, archive: Repository, key: str, tmp_path: Path
) -> None:
    folder = tmp_path / "tiles"
    ArchiveLog(archive).export_tiles(folder)
    found = checker("tiles", key, folder)
    assert (found.stdout, found.stderr) == (f"ok {MANY} entries\n", "")
    written = {str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file()}
    assert written == {
        "checkpoint",
        "tile/entries/000",
        "tile/entries/001.p/44",
        "tile/0/000",
        "tile/0/001.p/44",
        "tile/1/000.p/1",
    }
    for name in sorted(written - {"checkpoint"}):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        assert checker("tiles", key, folder).returncode == 1, name
        (folder / name).write_bytes(content)


def test_all_that_is_not_erased_is_accepted_outside(checker: Checker, tmp_path: Path) -> None:
    with Repository.create(tmp_path / "archive", series="lab.example.us") as archive:
        texts = (b"first", b"a canary", b"third")
        made = [
            archive.committer.commit([NewRepresentation(text, "text/plain", charset="utf-8")])
            for text in texts
        ]
        key, before = archive.log.keys.verifier, archive.log.checkpoints.current()
        archive.access.erase(made[1].pdi.document, ground="safety")
        with zipfile.ZipFile(
            io.BytesIO(archive.proofs.prove(made[2].representations[0].pdi))
        ) as files:
            files.extractall(tmp_path / "bundle")
        (tmp_path / "old").write_text(before)
        (tmp_path / "new").write_text(archive.log.checkpoints.current())
        hashes = [base64.b64encode(one).decode() for one in archive.log.consistency(3, 4)]
        ArchiveLog(archive).export_tiles(tmp_path / "tiles")
    (tmp_path / "proof").write_text("\n".join(hashes))
    assert checker("bundle", key, tmp_path / "bundle").stdout == "ok entry 2 of 4\n"
    grown = checker("grown", key, tmp_path / "old", tmp_path / "new", tmp_path / "proof")
    assert grown.stdout == "ok 3 to 4\n"
    assert checker("tiles", key, tmp_path / "tiles").stdout == "ok 4 entries\n"


PATHS = [
    (Tile(0, 0), "tile/0/000"),
    (Tile(None, 0, 7), "tile/entries/000.p/7"),
    (Tile(2, 1234067), "tile/2/x001/x234/067"),
    (Tile(0, 255_000, 255), "tile/0/x255/000.p/255"),
]


@pytest.mark.parametrize(("tile", "path"), PATHS, ids=[row[1] for row in PATHS])
def test_c2sp_tlog_tiles_paths(tile: Tile, path: str) -> None:
    assert tile.path == path
    assert Tile.parse(path) == tile


@pytest.mark.parametrize(
    "path",
    [
        "",
        "tile/0/0",
        "tile/00/000",
        "tile/64/000",
        "tile/0/x000/000",
        "tile/0/000.p/0",
        "tile/0/000.p/256",
        "tile/0/000/",
        "tile/data/000",
        "tile/0/\u0660\u0660\u0660",
        "../tile/0/000",
        "tile/0/" + "x999/" * 9 + "999",
    ],
)
def test_c2sp_tlog_tiles_refuse_other_paths(path: str) -> None:
    with pytest.raises(ParseError):
        Tile.parse(path)


def test_c2sp_tlog_tiles_of_a_long_log() -> None:
    found = list(tiles_of(256 * 256 + 257))
    assert len(found) == 2 * 258 + 2 + 1
    assert found[-3:] == [Tile(1, 0), Tile(1, 1, 1), Tile(2, 0, 1)]
    assert list(tiles_of(0)) == []


def test_c2sp_tlog_tiles_are_given_out_once_they_are_filled(archive: Repository) -> None:
    assert len(archive.proofs.tile("tile/0/000")) == 256 * 32
    for path in ("tile/0/001", "tile/0/001.p/45", "tile/1/000.p/2", "tile/entries/002.p/1"):
        with pytest.raises(NotFoundError):
            archive.proofs.tile(path)


def test_c2sp_tlog_tiles_refuse_a_bundle_whose_lengths_have_too_few_bits(tmp_path: Path) -> None:
    def in_the_first_schema(entry: Entry) -> Sealed:
        return in_clear(entry, {})

    with Repository.create(
        tmp_path / "long", series="lab.example.us", sealer=in_the_first_schema
    ) as archive:
        archive.statements.state(NAME, "text", "x" * 65_536)
        assert len(archive.proofs.tile("tile/0/000.p/1")) == 32
        with pytest.raises(LimitError, match=r"entry 0 has [0-9]+ octets") as error:
            archive.proofs.tile("tile/entries/000.p/1")
    assert error.value.maximum == 65_535
