"""What cosigners sign, and the two signatures of a log (C2SP tlog-cosignature, tlog-checkpoint).

tests/golden/notes holds a checkpoint with four signatures that other programs made: @noble/curves 2
and @noble/post-quantum 0.7 (JavaScript), from the texts of C2SP alone, with the seeds 1 to 32, 2 to
33 and so on.
"""

from __future__ import annotations

import base64
import contextlib
import subprocess
import sys
from pathlib import Path

import pytest
from tests.engines import Repository
from tests.spec.zips import unzipped, zipped

from permacite import pdi
from permacite.archive.log.audit import audit
from permacite.archive.log.bundles.checking import check_proof
from permacite.archive.log.keys import KeyType, Signer, Verifier
from permacite.archive.log.note import Checkpoint, Note, Signature
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.records.leaves import record_checkpoint
from permacite.errors import ParseError

pytest.importorskip("cryptography", minversion="48", reason="ML-DSA needs it")

pytestmark = pytest.mark.engines(deep=True)

GOLDEN = Path(__file__).parents[1] / "golden/notes"
NOTE = Note.parse((GOLDEN / "cosigned.txt").read_text())
KEYS = [Verifier.parse(line) for line in (GOLDEN / "cosigned-keys.txt").read_text().splitlines()]
IDS = ["ed25519", "log-ml-dsa-44", "cosignature-v1", "witness-ml-dsa-44"]
NAME = pdi.parse("urn:pdi://lab.example.us/2026/11/21/1.utf-8.1")


@pytest.mark.parametrize("key", KEYS, ids=IDS)
def test_c2sp_cosignatures_of_other_programs_hold(key: Verifier) -> None:
    assert key.verifies(NOTE)
    assert len(key.signatures(NOTE)) == 1


def altered(key: Verifier, change: str) -> Note:
    """Return the checkpoint with something else in it, signed as it was."""
    if change == "size":
        return Note(NOTE.text.replace("20852163", "20852164"), NOTE.signatures)
    if change == "origin":
        return Note(NOTE.text.replace("example.com/log", "example.com/lag"), NOTE.signatures)
    (line,) = key.signatures(NOTE)
    if change == "signature":
        line = line[:-1] + bytes([line[-1] ^ 1])
    elif change == "time":
        line = line[:7] + bytes([line[7] ^ 1]) + line[8:]
    elif change == "time-beyond-63-bits":
        line = b"\x80" + line[1:]
    elif change == "cut-short":
        line = line[:5]
    return Note(NOTE.text, (Signature(key.name, key.key_id, line),))


CHANGES = ["size", "origin", "signature", "time", "time-beyond-63-bits", "cut-short"]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("key", KEYS, ids=IDS)
def test_c2sp_cosignatures_hold_for_nothing_else(key: Verifier, change: str) -> None:
    assert not key.verifies(altered(key, change))


def test_c2sp_an_ml_dsa_signature_names_its_cosigner() -> None:
    # The same octets under another name: Ed25519 cosignatures do not commit to it, ML-DSA does.
    for key, holds in zip(KEYS[2:], (True, False), strict=True):
        other = Verifier("elsewhere.example.com/w", key.public_key, key.key_type)
        line = Signature(other.name, other.key_id, key.signatures(NOTE)[0])
        assert other.verifies(Note(NOTE.text, (line,))) is holds


def test_c2sp_an_ml_dsa_signature_vouches_for_no_extension_line() -> None:
    more = Note(NOTE.text + "an extension\n", NOTE.signatures)
    assert [key.verifies(more) for key in KEYS] == [False] * 4
    assert [key.verifies(Note("a line\n", NOTE.signatures)) for key in KEYS] == [False] * 4


@pytest.mark.parametrize("key_type", KeyType)
def test_c2sp_keys_of_every_type_sign_what_they_verify(key_type: KeyType) -> None:
    signer = Signer("witness.example.com/w", bytes(32), key_type)
    assert Signer.parse(signer.text) == signer
    assert Verifier.parse(str(signer.verifier)) == signer.verifier
    signature = signer.signature(NOTE.text, time=1679315147)
    assert signer.verifier.verifies(Note(NOTE.text, (signature, *NOTE.signatures)))


def test_c2sp_seeds_of_other_programs_give_the_same_keys() -> None:
    for first, key in enumerate(KEYS, 1):
        seed = bytes(range(first, first + 32))
        assert Signer(key.name, seed, key.key_type).verifier == key


BAD_KEYS = [
    ("type-2", 2, 32, "of Ed25519"),
    ("type-255", 255, 32, "of Ed25519"),
    ("too-short-for-ml-dsa", 6, 32, "1312 octets"),
    ("too-long-for-ed25519", 1, 1312, "32 octets"),
]


@pytest.mark.parametrize(
    ("key_type", "size", "told"), [row[1:] for row in BAD_KEYS], ids=[row[0] for row in BAD_KEYS]
)
def test_c2sp_keys_have_a_known_type_and_its_length(key_type: int, size: int, told: str) -> None:
    data = base64.b64encode(bytes([key_type]) + bytes(size)).decode()
    with pytest.raises(ParseError, match=told):
        Verifier.parse(f"example.com/log+00000000+{data}")


def test_the_ml_dsa_key_follows_from_the_key_that_is_kept() -> None:
    signer = Signer("lab.example.us/log", bytes(range(32)))
    beside = signer.ml_dsa()
    assert beside is not None
    # HMAC-SHA-256 of "permacite ML-DSA-44 lab.example.us/log" under the octets 0 to 31, by openssl.
    seed = "5afb5e3a2112b045efb9381c24d263190a13be5d0308a2e7fce6903d1f84bd99"
    assert base64.b64decode(beside.text.rpartition("+")[2]).hex() == f"06{seed}"
    assert signer.ml_dsa() == beside
    assert Signer("other.example.us/log", bytes(range(32))).ml_dsa() != beside
    assert Signer("a" * 256, bytes(32)).ml_dsa() is None


def archive_with_a_text(directory: Path) -> Repository:
    """Return a new archive of one short text."""
    archive = Repository.create(directory, series="lab.example.us")
    archive.committer.commit(
        [NewRepresentation(b"words", "text/plain", charset="utf-8")], unique_id="words"
    )
    return archive


def proof_of_all(archive: Repository) -> bytes:
    """Return a bundle about the one text."""
    ((version),) = archive.lists.list(limit=1)
    return archive.proofs.prove(version.representations[0].pdi)


def test_c2sp_tlog_checkpoint_is_signed_by_both_keys(tmp_path: Path) -> None:
    with archive_with_a_text(tmp_path / "archive") as archive:
        note = Note.parse(archive.log.checkpoints.current())
        ed25519, ml_dsa = archive.log.keys.verifiers
        assert ed25519 == archive.log.keys.verifier
        assert ml_dsa.name == ed25519.name == Checkpoint.parse(note.text).origin
        assert [one.name for one in note.signatures] == [ed25519.name] * 2
        assert all(one.verifies(note) for one in (ed25519, ml_dsa))
        assert len(ml_dsa.signatures(note)[0]) == 8 + 2420
        assert ml_dsa.signatures(note)[0][:8] == bytes(8)  # the time 0: it states nothing of time
        proof = proof_of_all(archive)
    for key in (ed25519, ml_dsa):
        report = check_proof(proof, str(key))
        assert (report.ok, report.trusted) == (True, True)
    assert unzipped(proof)["log-key.txt"].decode() == f"{ed25519}\n{ml_dsa}\n"


def test_a_proof_whose_ml_dsa_signature_is_another_does_not_hold(tmp_path: Path) -> None:
    with archive_with_a_text(tmp_path / "archive") as archive:
        files = unzipped(proof_of_all(archive))
        ed25519, ml_dsa = archive.log.keys.verifiers
    name = "proof.tlog-proof"
    line = files[name].splitlines()[-1].split(b" ")
    data = base64.b64decode(line[-1])
    other = base64.b64encode(data[:-1] + bytes([data[-1] ^ 1]))
    forged = zipped(files | {name: files[name].replace(line[-1], other)})
    failing = [one.name for one in check_proof(forged, str(ed25519)).checks if not one.ok]
    assert failing == ["signature"]
    assert "key" in {one.name for one in check_proof(forged, str(ml_dsa)).checks if not one.ok}
    # Without the line and its key, it is a proof under the other key alone.
    stripped = files[name][: -len(b" ".join(line)) - 1]
    alone = zipped(files | {name: stripped, "log-key.txt": f"{ed25519}\n".encode()})
    assert check_proof(alone, str(ed25519)).ok
    assert not check_proof(alone, str(ml_dsa)).trusted
    with pytest.raises(ParseError, match="key of Ed25519, and perhaps one of ML-DSA-44"):
        check_proof(zipped(files | {"log-key.txt": f"{ml_dsa}\n{ed25519}\n".encode()}))


def test_checkpoints_from_before_ml_dsa_stay_as_they_are(tmp_path: Path) -> None:
    with archive_with_a_text(tmp_path / "archive") as archive:
        log = archive.log
        body = Checkpoint(log.keys.verifier.name, 1, log.root(1)).body
        earlier = log.keys.signer.sign(body)
    with contextlib.closing(Repository.catalog(tmp_path / "archive")) as catalog:
        catalog.write(record_checkpoint, 1, earlier)
    with Repository.open(tmp_path / "archive") as archive:
        assert archive.log.checkpoints.current() == earlier
        proof = proof_of_all(archive)
        assert check_proof(proof, str(archive.log.keys.verifier)).trusted
        assert unzipped(proof)["log-key.txt"].decode() == f"{archive.log.keys.verifier}\n"
        archive.statements.state(str(NAME), "number", "1")
        assert len(Note.parse(archive.log.checkpoints.current()).signatures) == 2


def test_verify_finds_an_ml_dsa_signature_that_does_not_hold(tmp_path: Path) -> None:
    with archive_with_a_text(tmp_path / "archive") as archive:
        log = archive.log
        body = Checkpoint(log.keys.verifier.name, 1, log.root(1)).body
        line = Signature(log.keys.verifier.name, log.keys.verifiers[1].key_id, bytes(2428))
        bad = log.keys.signer.sign(body)
        bad += f"\u2014 {line.name} {base64.b64encode(line.key_id + line.signature).decode()}\n"
        with contextlib.closing(Repository.catalog(tmp_path / "archive")) as catalog:
            assert [one.kind for one in audit(catalog, log)] == ["ok"]
            catalog.write(record_checkpoint, 1, bad)
            assert [one.detail for one in audit(catalog, log)] == [
                "checkpoint 1 is not signed by the log's key"
            ]


WITHOUT_ML_DSA = """\
import sys
sys.modules["cryptography.hazmat.primitives.asymmetric.mldsa"] = None
from pathlib import Path
from permacite.archive.repository import Repository
from permacite.archive.log.bundles.checking import check_proof
from permacite.archive.log.note import Note
proof = Path(sys.argv[1]).read_bytes()
ed25519, ml_dsa = sys.argv[2:]
report = check_proof(proof, ed25519)
assert report.ok and report.trusted
(told,) = [one.detail for one in report.checks if one.name == "signature"]
assert "ML-DSA-44 needs the package cryptography, 48 or newer" in told
with Repository.create(Path(sys.argv[1] + ".archive"), series="lab.example.us") as archive:
    note = Note.parse(archive.log.checkpoints.current())
    assert len(note.signatures) == len(archive.log.keys.verifiers) == 1
check_proof(proof, ml_dsa)
"""


def test_without_ml_dsa_the_other_key_does_and_an_ml_dsa_key_is_told_of(tmp_path: Path) -> None:
    with archive_with_a_text(tmp_path / "archive") as archive:
        keys = list(map(str, archive.log.keys.verifiers))
        (tmp_path / "proof.zip").write_bytes(proof_of_all(archive))
    command = [sys.executable, "-c", WITHOUT_ML_DSA, str(tmp_path / "proof.zip"), *keys]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.stderr.splitlines()[-1].startswith("permacite.errors.StorageError: ML-DSA-44 needs")
