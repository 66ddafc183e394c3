"""Time-stamps on the log (RFC 3161): of a real authority on loopback, checked by OpenSSL too."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import threading
import zipfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository
from tests.needs import need
from tests.spec.zips import unzipped, zipped

from permacite import pdi
from permacite.archive.log.bundles.checking import check_proof
from permacite.archive.log.keys import KeyType, Signer
from permacite.archive.log.note import signed
from permacite.archive.log.timestamps import Request, fault_of, read
from permacite.archive.model.submitted import NewRepresentation
from permacite.cli.commands import run
from permacite.errors import CaptureError, IntegrityError, ParseError
from permacite.service.proofs import proofs
from permacite.service.proofs.logs import ArchiveLog

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.engines(deep=True)

pytest.importorskip("cryptography", reason="signatures need it")
pytest.importorskip("click", reason="one test is of the command")
pytest.importorskip("aiohttp", reason="authorities are asked over HTTP")
pytest.importorskip("rfc3161_client", reason="time-stamps need it")

SETTINGS = """
[ tsa ]
default_tsa = one
[ one ]
serial = {folder}/serial
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
certs = {folder}/tsa.pem
default_policy = 1.2.3.4.1
digests = sha256
signer_digest = sha256
ess_cert_id_alg = sha256
[ stamping ]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
[ authority ]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
[ req ]
distinguished_name = nobody
[ nobody ]
"""
MAKING = [
    (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem"
        " -days 3650 -subj /CN=Root -config tsa.cnf -extensions authority"
    ),
    (
        "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout tsa.key -out tsa.csr"
        " -subj /CN=Stamps -config tsa.cnf"
    ),
    (
        "x509 -req -in tsa.csr -CA ca.pem -CAkey ca.key -set_serial 7 -days 3650 -out tsa.pem"
        " -extfile tsa.cnf -extensions stamping"
    ),
]
TEXT = b"the tide of the twelfth"


def openssl(*words: object, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """Run OpenSSL."""
    command = [need("openssl"), *map(str, words)]
    return subprocess.run(command, cwd=cwd, capture_output=True, check=False)


def make_authority(folder: Path) -> Path:
    """Make an authority with its certificate in ca.pem, and one that stamps under it."""
    folder.mkdir()
    (folder / "tsa.cnf").write_text(SETTINGS.format(folder=folder))
    (folder / "serial").write_text("01\n")
    for command in MAKING:
        made = openssl(*command.split(), cwd=folder)
        assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where an authority keeps its keys."""
    return make_authority(tmp_path_factory.mktemp("tsa") / "one")


@dataclass
class Server:
    """An authority on loopback: `answer` makes the answer to a request, `asked` has them all."""

    folder: Path
    base: str = ""
    asked: list[tuple[str, bytes]] = field(default_factory=list)
    status: int = 200
    media_type: str = "application/timestamp-reply"
    replayed: bytes | None = None

    def answer(self, query: bytes) -> bytes:
        """Let OpenSSL stamp a request, or answer with a stamp of before."""
        if self.replayed is not None:
            return self.replayed
        (self.folder / "query.tsq").write_bytes(query)
        command = "ts -reply -config tsa.cnf -section one -queryfile query.tsq -out reply.tsr"
        made = openssl(*command.split(), cwd=self.folder)
        assert made.returncode == 0, made.stderr
        return (self.folder / "reply.tsr").read_bytes()


@pytest.fixture
def server(authority: Path) -> Iterator[Server]:
    """A time-stamp authority that answers over HTTP (RFC 3161 §3.4)."""
    served = Server(authority)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            query = self.rfile.read(int(self.headers["Content-Length"]))
            served.asked.append((self.headers["Content-Type"], query))
            content = served.answer(query)
            self.send_response(served.status)
            self.send_header("Content-Type", served.media_type)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        served.base = f"http://127.0.0.1:{http.server_address[1]}/tsa"
        threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
        yield served
        http.shutdown()


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Repository]:
    """An archive with one document."""

    def noon() -> datetime:
        return datetime(2026, 11, 21, 12, tzinfo=UTC)

    with Repository.create(tmp_path / "archive", series="lab.example.us", clock=noon) as archive:
        archive.committer.commit([NewRepresentation(TEXT, "text/plain", charset="utf-8")])
        yield archive


def prove(archive: Repository, number: int = 1) -> bytes:
    """Return a proof about a document."""
    name = pdi.parse(f"urn:pdi://lab.example.us/2026/11/21/{number}.utf-8.1")
    assert isinstance(name, pdi.PDI)
    return archive.proofs.prove(name)


@pytest.fixture
def stamped(archive: Repository, server: Server) -> Repository:
    """The same, its log stamped, and another document committed after."""
    ArchiveLog(archive).stamp(server.base, allow_private=True)
    archive.committer.commit([NewRepresentation(b"later", "text/plain", charset="utf-8")])
    return archive


def test_rfc3161_s2_4_the_log_is_stamped_and_the_proof_says_when(
    archive: Repository, server: Server, authority: Path
) -> None:
    roots = (authority / "ca.pem").read_bytes()
    made = ArchiveLog(archive).stamp(server.base, roots=roots, allow_private=True)
    assert (made.size, made.authority, made.checked) == (1, server.base, True)
    assert [media_type for media_type, _ in server.asked] == ["application/timestamp-query"]
    found = proofs.check(prove(archive), str(archive.log.keys.verifier), tsa_roots=roots)
    assert (found.holds, found.stamped_at) == (True, made.stamped_at)
    assert found.checks[-1].detail.endswith("UTC, by the authority that was given")
    assert {one.kind for one in archive.fixity.fsck()} == {"ok"}


def test_a_witness_that_cosigns_later_leaves_the_time_stamp_as_it_is(
    stamped: Repository, authority: Path
) -> None:
    files = unzipped(prove(stamped))
    witness = Signer("witness.example.com/w", bytes(32), KeyType.COSIGNATURE)
    body = files["checkpoint.txt"].decode()
    line = signed("", [witness.signature(body, time=1)]).removeprefix("\n")
    proof = zipped(files | {"proof.tlog-proof": files["proof.tlog-proof"] + line.encode()})
    roots = (authority / "ca.pem").read_bytes()
    policy = f"log {stamped.log.keys.verifier}\nwitness w {witness.verifier}\nquorum w\n".encode()
    found = proofs.check(proof, policy=policy, tsa_roots=roots)
    assert (found.holds, found.trusted) == (True, True)
    assert found.stamped_at is not None


def test_a_time_stamp_by_command(
    archive: Repository,
    server: Server,
    authority: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    here = ["--archive", str(Repository.at(archive.directory))]
    asked = ["stamp", server.base, "--allow-private"]
    assert run([*here, *asked]) == 0
    told = capsys.readouterr()
    assert told.out.endswith(f" UTC  1 entries  {server.base}\n")
    assert "whose word this is was not checked" in told.err
    ca = str(authority / "ca.pem")
    assert run([*here, *asked, "--tsa-ca", ca, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["checked"] is True
    path = tmp_path / "proof.zip"
    path.write_bytes(prove(archive))
    assert run(["verify", str(path), "--tsa-ca", ca]) == 0
    assert "UTC, by the authority that was given" in capsys.readouterr().out
    assert run([*here, "stamp", server.base]) == 1, "an address of this network"
    assert run(["verify", str(path), "--tsa-ca", str(authority / "tsa.cnf")]) == 2


def test_rfc3161_openssl_agrees_with_the_time_stamp_in_a_proof(
    stamped: Repository, authority: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "proof"
    with zipfile.ZipFile(io.BytesIO(prove(stamped))) as files:
        files.extractall(folder)
    readme = (folder / "README.txt").read_text()
    assert "openssl ts -verify -data checkpoint.note -in timestamp.tsr -CAfile ca.pem" in readme
    note = (folder / "proof.tlog-proof").read_text("utf-8").partition("\n\n")[2]
    (folder / "checkpoint.note").write_text(note, "utf-8")
    shutil.copy(authority / "ca.pem", folder)
    command = "ts -verify -data checkpoint.note -in timestamp.tsr -CAfile ca.pem"
    assert b"Verification: OK" in openssl(*command.split(), cwd=folder).stdout
    (folder / "checkpoint.note").write_text(note + " ", "utf-8")
    assert openssl(*command.split(), cwd=folder).returncode != 0


def test_a_proof_is_under_the_earliest_stamped_checkpoint(stamped: Repository) -> None:
    report = check_proof(prove(stamped))
    assert (report.ok, report.tree_size) == (True, 1)
    assert report.stamped_at is not None
    later = check_proof(prove(stamped, 2))
    assert (later.ok, later.tree_size, later.stamped_at) == (True, 2, None)


def test_without_its_certificate_a_time_stamp_is_nobodys(stamped: Repository) -> None:
    report = check_proof(prove(stamped))
    assert report.checks[-1].detail.endswith("by an authority that nobody vouched for")


def failed(proof: bytes, roots: bytes | None) -> list[tuple[str, str]]:
    """Return what does not hold."""
    report = check_proof(proof, tsa_roots=roots)
    return [(one.name, one.detail) for one in report.checks if not one.ok]


def test_a_time_stamp_of_another_authority_is_named(
    stamped: Repository, tmp_path: Path, authority: Path
) -> None:
    other = (make_authority(tmp_path / "other") / "ca.pem").read_bytes()
    ((name, told),) = failed(prove(stamped), other)
    assert (name, told.partition(":")[0]) == ("timestamp", "the time-stamp does not hold")
    roots = (authority / "ca.pem").read_bytes()
    assert failed(prove(stamped, 2), roots) == [("timestamp", "this proof bears no time-stamp")]
    with pytest.raises(ParseError, match="in PEM"):
        proofs.check(prove(stamped), tsa_roots=b"nonsense")


def replaced(proof: bytes, response: bytes) -> bytes:
    """Return a proof with another time-stamp."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(proof)) as source, zipfile.ZipFile(target, "w") as copy:
        for name in source.namelist():
            copy.writestr(name, response if name == "timestamp.tsr" else source.read(name))
    return target.getvalue()


def test_a_forged_time_stamp_is_named(stamped: Repository, server: Server, authority: Path) -> None:
    proof, roots = prove(stamped), (authority / "ca.pem").read_bytes()
    other = server.answer(Request.about("something else\n").content)
    told = [("timestamp", "the time-stamp is on something else")]
    assert failed(replaced(proof, other), roots) == failed(replaced(proof, other), None) == told
    assert failed(replaced(proof, b""), None)[0][0] == "timestamp"


def test_no_damage_makes_a_time_stamp_say_another_time(
    stamped: Repository, authority: Path
) -> None:
    proof, roots = prove(stamped), (authority / "ca.pem").read_bytes()
    response = stamped.log.checkpoints.timestamps()[0].response
    right = check_proof(proof, tsa_roots=roots).stamped_at
    found = 0
    for position in range(0, len(response), 23):
        damaged = response[:position] + bytes([response[position] ^ 1]) + response[position + 1 :]
        report = check_proof(replaced(proof, damaged), tsa_roots=roots)
        found += not report.ok
        # Some octets around what is signed say nothing.
        assert not report.ok or report.stamped_at == right
    assert found > len(response) // 23 // 2


def test_answers_that_are_no_time_stamp_are_refused(archive: Repository, server: Server) -> None:
    def ask() -> None:
        ArchiveLog(archive).stamp(server.base, allow_private=True)

    server.replayed = server.answer(Request.about(archive.log.checkpoints.current()).content)
    with pytest.raises(IntegrityError, match="answers another request"):
        ask()
    server.replayed = None
    server.replayed = server.answer(Request.about("other\n").content)
    with pytest.raises(IntegrityError, match="on something else"):
        ask()
    server.replayed = b"nonsense"
    with pytest.raises(ParseError):
        ask()
    server.replayed = None
    server.media_type = "text/html"
    with pytest.raises(CaptureError, match="expected application/timestamp-reply"):
        ask()
    server.status = 302
    with pytest.raises(CaptureError, match="a request that is made only once"):
        ask()
    assert archive.log.checkpoints.timestamps() == []


def test_an_answer_of_another_authority_is_not_kept(
    archive: Repository, server: Server, tmp_path: Path
) -> None:
    other = (make_authority(tmp_path / "other") / "ca.pem").read_bytes()
    with pytest.raises(IntegrityError, match="does not hold"):
        ArchiveLog(archive).stamp(server.base, roots=other, allow_private=True)
    assert archive.log.checkpoints.timestamps() == []


def test_authorities_in_this_network_are_asked_only_if_allowed(
    archive: Repository, server: Server
) -> None:
    with pytest.raises(CaptureError):
        ArchiveLog(archive).stamp(server.base)
    assert server.asked == []


def test_a_time_stamp_that_was_altered_is_found(stamped: Repository) -> None:
    Repository.tamper(stamped.directory, "UPDATE timestamp SET response = zeroblob(32)")
    assert "log" in {one.kind for one in stamped.fixity.verify()}


@pytest.mark.parametrize(
    "data", [b"", b"0", b"\x30\x00", b"\x30\x80", bytes(100), b"0" * 1_000_001]
)
def test_what_is_no_response_is_refused(data: bytes) -> None:
    with pytest.raises(ParseError):
        read(data)
    with pytest.raises(ParseError):
        fault_of(data, "note\n", b"")
