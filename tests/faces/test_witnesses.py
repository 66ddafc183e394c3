"""A mirror as a witness, and a log that asks one (C2SP tlog-witness, tlog-cosignature)."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import re
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests import engines
from tests.faces.conftest import served
from tests.faces.test_http import ask

from permacite.archive.log.keys import KeyType, Signer, Verifier, split
from permacite.archive.log.note import Checkpoint, Note, Signature, signed
from permacite.archive.log.submission import Submission
from permacite.archive.repository import Repository
from permacite.errors import ConflictError, IntegrityError, ParseError
from permacite.service.archive import Archive
from permacite.service.mirroring.following import follow
from permacite.service.proofs.proofs import check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.faces.conftest import Outcome
    from tests.faces.test_http import Answer

    from permacite.archive.engine.location import Location

pytest.importorskip("aiohttp", reason="mirrors fetch with it")

ADD = "/-/witness/add-checkpoint"
SERIES = "lab.example.us"


class Setting(NamedTuple):
    """An archive, and a mirror that is served as a witness of it."""

    archive: Path
    mirror: Location
    folder: Path
    """Of the mirror, with all that is not in its records."""
    base: str
    keys: list[Verifier]

    def add(self, submitted: Submission | str | bytes) -> Answer:
        """Submit something."""
        text = submitted.body if isinstance(submitted, Submission) else submitted
        content = text if isinstance(text, bytes) else text.encode()
        return ask(self.base, ADD, "POST", content, Content_Type="text/plain")

    def submission(self, old: int) -> Submission:
        """The log as it is, with the proof that it goes on from so many entries."""
        return submission(self.archive, old)


def submission(archive: Path, old: int) -> Submission:
    with Repository.open(archive) as there:
        note = there.log.checkpoints.current()
        proof = there.log.consistency(old, there.log.size()) if old else []
        return Submission(old, tuple(proof), Note.parse(note))


def grow(archive: Path, *texts: bytes) -> None:
    with Archive.open(archive) as there:
        for text in texts:
            there.add(text, name="text.txt")


def size_of(archive: Location) -> int:
    with Repository.open(archive) as there:
        return there.log.size()


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Return the folder of a fresh archive, whatever the mirror is in."""
    Archive.create(tmp_path / "archive", series="lab.example.us").close()
    return tmp_path / "archive"


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory, engine: engines.Server | None) -> Path:
    """A folder with an archive of three documents, and a mirror that has them."""
    del engine
    folder = tmp_path_factory.mktemp("followed")
    Archive.create(folder / "origin", series=SERIES).close()
    grow(folder / "origin", b"one", b"two", b"three")
    with served(folder / "origin", "--public") as origin:
        follow(origin.base, engines.Repository.at(folder / "mirror"))
    return folder


@pytest.fixture
def witness(followed: Path, tmp_path: Path) -> Iterator[Setting]:
    """An archive of three documents, and its witness, which has seen them."""
    shutil.copytree(followed / "origin", tmp_path / "origin")
    folder = tmp_path / "mirror"
    engines.Repository.duplicate(followed / "mirror", folder)
    mirror = engines.Repository.at(folder)
    with served(mirror, "--public", "--witness", str(tmp_path / "witness.key")) as running:
        said = [line.partition("/-/witness: ")[2] for line in running.told]
        keys = [Verifier.parse(text) for text in said if text]
        assert keys
        yield Setting(tmp_path / "origin", mirror, folder, running.base, keys)


@pytest.mark.engines
def test_c2sp_a_checkpoint_that_goes_on_is_cosigned_and_kept(witness: Setting) -> None:
    seen = size_of(witness.archive)
    name = hashlib.sha256(f"{SERIES}/log".encode()).hexdigest()
    assert ask(witness.base, f"/-/witness/{name}/checkpoint").status == 404, "nothing so far"
    grow(witness.archive, b"four", b"five")
    stale = witness.add(witness.submission(0))
    assert (stale.status, stale.body) == (409, f"{seen}\n".encode())
    assert stale.headers["content-type"] == "text/x.tlog.size"
    submitted = witness.submission(seen)
    answer = witness.add(submitted)
    assert answer.status == 200, answer.body
    text = submitted.note.text
    assert answer.body.startswith("\N{EM DASH} ".encode())
    note = Note.parse(f"{text}\n{answer.body.decode()}")
    assert len(note.signatures) == len(witness.keys)
    for key in witness.keys:
        assert key.name == f"{SERIES}/log/witness"
        assert key.verifies(note)
        assert split(key.key_type, key.signatures(note)[0])[0] > 1_700_000_000
    kept = Note.parse(ask(witness.base, f"/-/witness/{name}/checkpoint").body.decode())
    with Repository.open(witness.archive) as there:
        assert all(key.verifies(kept) for key in (*witness.keys, *there.log.keys.verifiers))
    assert kept.text == text
    assert ask(witness.base, f"/-/witness/{'0' * 64}/checkpoint").status == 404
    again = witness.add(witness.submission(submitted.checkpoint.size))
    assert again.status == 200, "the same tree, at a later time"
    assert witness.add(submitted).status == 409, "it goes on from what was cosigned before"
    with served(witness.archive, "--public") as origin:
        assert follow(origin.base, witness.mirror).size == submitted.checkpoint.size


def with_root(submitted: Submission) -> Submission:
    """The same signatures below another root."""
    shown = submitted.checkpoint
    body = Checkpoint(shown.origin, shown.size, b"\1" * 32).body
    return submitted_as(submitted, note=Note(body, submitted.note.signatures))


def submitted_as(submitted: Submission, **changes: object) -> Submission:
    fields = {"old": submitted.old, "proof": submitted.proof, "note": submitted.note} | changes
    return Submission(**fields)  # type: ignore[arg-type]


def by_another(submitted: Submission) -> Submission:
    """Signed by a key of the same name."""
    signer = Signer.make(submitted.checkpoint.origin)
    note = Note(submitted.note.text, (signer.signature(submitted.note.text),))
    return submitted_as(submitted, note=note)


def of_another(submitted: Submission) -> Submission:
    """A log that the witness does not know."""
    body = Checkpoint("other.example/log", 9, b"\1" * 32).body
    line = Signer.make("other.example/log").signature(body)
    return submitted_as(submitted, note=Note(body, (line,)))


def flipped(submitted: Submission) -> Submission:
    """One bit of the proof is another."""
    first, *others = submitted.proof
    return submitted_as(submitted, proof=(bytes([first[0] ^ 1]) + first[1:], *others))


def badly_signed(submitted: Submission) -> Submission:
    """A good signature of the log's key, and a bad one."""
    good = submitted.note.signatures[0]
    bad = Signature(good.name, good.key_id, bytes(64))
    return submitted_as(submitted, note=Note(submitted.note.text, (good, bad)))


REFUSED: list[tuple[str, Callable[[Submission], Submission], int]] = [
    ("forged-root", with_root, 403),
    ("another-key", by_another, 403),
    ("good-and-bad-signature", badly_signed, 403),
    ("wrong-origin", of_another, 404),
    ("backwards", lambda it: submitted_as(it, old=it.checkpoint.size + 1), 400),
    ("flipped-proof", flipped, 422),
    ("no-proof", lambda it: submitted_as(it, proof=()), 422),
    ("too-long-a-proof", lambda it: submitted_as(it, proof=(*it.proof, bytes(32))), 422),
    ("another-size", lambda it: submitted_as(it, old=it.old - 1), 409),
]


@pytest.mark.engines(deep=True)
def test_c2sp_what_does_not_go_on_is_refused_and_nothing_changes(witness: Setting) -> None:
    seen = size_of(witness.archive)
    grow(witness.archive, b"four", b"five")
    submitted = witness.submission(seen)
    for case, change, status in REFUSED:
        answer = witness.add(change(submitted))
        assert (case, answer.status) == (case, status), answer.body
        assert answer.body
    assert not (witness.folder / "forks").exists()
    assert witness.add(submitted).status == 200


def malformed(submitted: Submission) -> Iterator[tuple[bytes, int]]:
    """Bodies that are none, with what is answered."""
    body = submitted.body
    first, _, rest = body.partition("\n")
    lines = 64 * (base64.b64encode(bytes(32)).decode() + "\n")
    yield b"", 400
    yield b"\xff\xfe", 400
    yield b"old 3\n\n", 400
    yield f"old 03\n{rest}".encode(), 400
    yield f"old -1\n{rest}".encode(), 400
    yield f"old {'9' * 5000}\n{rest}".encode(), 400
    yield f"new 3\n{rest}".encode(), 400
    yield f"{first}\nAAAA\n{rest}".encode(), 400
    yield f"{first}\n{lines}{rest}".encode(), 400
    yield body[:-1].encode(), 400
    yield body.replace("\n\n", "\n").encode(), 400
    yield body.encode() + b"\0", 400
    yield b"\n" * 400_000, 400
    yield b"old 3\n" + b"x\n" * 200_000, 400


def test_c2sp_what_is_no_request_is_refused_in_linear_time(witness: Setting) -> None:
    for content, status in malformed(witness.submission(size_of(witness.archive))):
        answer = witness.add(content)
        assert answer.status == status, content[:80]
        assert json.loads(answer.body)["code"]
    with contextlib.suppress(ConnectionError):  # it may be cut before all of it is sent
        assert witness.add(b"old 3\n" + bytes(100_000_000)).status == 413
    assert witness.add(witness.submission(size_of(witness.archive))).status == 200


def forked(witness: Setting, tmp_path: Path) -> Path:
    """A copy of the archive that goes on otherwise, with its key."""
    other = tmp_path / "other"
    shutil.copytree(witness.archive, other)
    return other


@pytest.mark.engines
def test_a_fork_is_named_kept_and_nothing_is_cosigned_any_more(
    witness: Setting, tmp_path: Path
) -> None:
    seen, other = size_of(witness.archive), forked(witness, tmp_path)
    grow(witness.archive, b"one way")
    grow(other, b"another way")
    first, second = witness.submission(seen), submission(other, seen)
    assert witness.add(first).status == 200
    assert witness.add(submitted_as(second, old=second.checkpoint.size, proof=())).status == 422
    (evidence,) = (witness.folder / "forks").iterdir()
    for note in (first.note, second.note):
        assert note.text in evidence.read_text()
    grow(witness.archive, b"further on")
    refused = witness.add(witness.submission(first.checkpoint.size))
    assert refused.status == 422
    assert "forked" in json.loads(refused.body)["detail"]
    with Archive.open(witness.mirror) as here:
        assert "fork" in {item.kind for item in here.copies.fsck().bad}
    with served(other, "--public") as origin, pytest.raises(IntegrityError, match="forked"):
        follow(origin.base, witness.mirror)


@pytest.mark.engines(deep=True)
def test_a_fork_below_what_a_mirror_has_is_named_too(witness: Setting, tmp_path: Path) -> None:
    other = tmp_path / "before"
    Archive.create(other, series=SERIES).close()
    (other / "log.key").write_bytes((witness.archive / "log.key").read_bytes())
    grow(other, b"another one")
    assert size_of(other) < size_of(witness.mirror)
    assert witness.add(submission(other, 0)).status == 422
    assert len(list((witness.folder / "forks").iterdir())) == 1


@pytest.mark.engines(deep=True)
def test_what_a_witness_cosigned_binds_the_mirror(witness: Setting, tmp_path: Path) -> None:
    seen, other = size_of(witness.archive), forked(witness, tmp_path)
    grow(other, b"another way")
    assert witness.add(submission(other, seen)).status == 200, "nobody can know so far"
    grow(witness.archive, b"one way", b"and on")
    with (
        served(witness.archive, "--public") as origin,
        pytest.raises(IntegrityError, match="forked"),
    ):
        follow(origin.base, witness.mirror)
    assert size_of(witness.mirror) == seen


def test_only_a_mirror_is_a_witness_and_only_where_it_is_told_to_be(
    cli: Callable[..., Outcome], archive: Path, tmp_path: Path
) -> None:
    refused = cli("serve", "--port", "0", "--witness", str(tmp_path / "key"))
    assert (refused.status, "and this is none" in refused.err) == (1, True)
    with served(archive) as running:
        assert ask(running.base, ADD, "POST", b"old 0\n\n").status == 404
    with Archive.open(archive) as here, pytest.raises(ConflictError):
        here.log.cosigner.keys(tmp_path / "key")


@pytest.mark.engines(deep=True)
def test_a_log_asks_its_witness_and_proofs_count_for_a_policy(
    witness: Setting, cli: Callable[..., Outcome]
) -> None:
    grow(witness.archive, b"four")
    at = ("--archive", str(witness.archive))
    named = [word for key in witness.keys for word in (f"{witness.base}/-/witness", str(key))]
    outcome = cli(*at, "witness", *named, "--json", "--allow-private")
    assert outcome.status == 0, outcome.err
    told = json.loads(outcome.out)
    assert (told["refused"], sorted(told["cosigned"])) == ([], sorted(map(str, witness.keys)))
    note = Note.parse(told["checkpoint"])
    assert all(key.verifies(note) for key in witness.keys)
    with Archive.open(witness.archive) as there:
        assert there.log.state().checkpoint == told["checkpoint"]
        log, name = there.log.state().key, there.documents.list().documents[0].formats[0].pdi
        there.add(b"five", name="five.txt")
        proof = there.prove(name)
        latest = there.log.state().checkpoint
    assert len(Note.parse(latest).signatures) < len(note.signatures), "that is not cosigned so far"
    policy = f"log {log}\nwitness W {witness.keys[0]}\nquorum W\n".encode()
    assert check(proof, policy=policy).holds
    assert cli(*at, "witness", *named[:2], "--allow-private").status == 0, (
        "asked again, it goes on from the last"
    )
    assert cli(*at, "fsck").status == 0


def test_c2sp_a_witness_of_another_key_is_told_and_not_taken(
    witness: Setting, cli: Callable[..., Outcome]
) -> None:
    at = ("--archive", str(witness.archive))
    other = Signer(witness.keys[0].name, bytes(32), KeyType.COSIGNATURE).verifier
    place = f"{witness.base}/-/witness"
    refused = cli(*at, "witness", place, str(other))
    assert (refused.status, "--allow-private" in refused.err) == (1, True), refused.err
    refused = cli(*at, "witness", place, str(other), "--allow-private")
    assert (refused.status, "did not cosign with the key" in refused.err) == (1, True)
    assert str(cli(*at, "log").out).count("\N{EM DASH}") == len(signatures(witness.archive))
    with Repository.open(witness.archive) as there:
        key = str(there.log.keys.verifier)
    assert cli(*at, "witness", witness.base, key).status == 2
    assert cli(*at, "witness", witness.base).status == 2


def signatures(archive: Path) -> tuple[Signature, ...]:
    with Repository.open(archive) as there:
        return Note.parse(there.log.checkpoints.current()).signatures


ANSWERS = [
    (200, b"", "no signatures"),
    (200, b"\xff\xff", "no signatures"),
    (200, "\N{EM DASH} x AAAAAAAA\n".encode(), "did not cosign"),
    (200, b"x" * 10_000_000, "part_bytes|limit"),
    (409, b"999999\n", "more entries"),
    (409, b"9" * 6000, "more entries"),
    (409, b"0\n", "busy"),
    (422, b"no", "422"),
    (500, b"no", "500"),
]


@pytest.mark.parametrize(("status", "content", "said"), ANSWERS, ids=lambda value: str(value)[:12])
def test_what_a_witness_says_is_not_believed(
    tmp_path: Path, status: int, content: bytes, said: str
) -> None:
    Archive.create(tmp_path / "archive", series=SERIES).close()
    grow(tmp_path / "archive", b"one")
    key = Signer("w.example", bytes(32), KeyType.COSIGNATURE).verifier
    with answering(status, content) as base, Archive.open(tmp_path / "archive") as there:
        outcome = there.log.ask_witnesses([(base, str(key))], allow_private=True)
        (refused,) = outcome.refused
        assert re.search(said, refused.problem), refused.problem
        assert there.log.state().checkpoint == outcome.checkpoint


@contextlib.contextmanager
def answering(status: int, content: bytes) -> Iterator[str]:
    """A server that always says the same."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with contextlib.suppress(ConnectionError):
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_c2sp_the_body_of_the_specification_is_read() -> None:
    source = (
        "old 20852014\n"
        "PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=\n"
        "jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=\n"
        "5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=\n"
        "/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=\n"
        "\n"
        "example.com/behind-the-sofa\n"
        "20852163\n"
        "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
        "\n"
        "\N{EM DASH} example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe"
        "4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
    )
    submitted = Submission.parse(source)
    assert (submitted.old, len(submitted.proof)) == (20852014, 4)
    assert submitted.checkpoint.size == 20852163
    assert submitted.body == source


@pytest.mark.parametrize(
    ("source", "offset"),
    [
        ("old 1", 5),
        ("older\n\n", 0),
        ("old 1\nAAAA\n\nx", 6),
        ("old 1\n\nx\n", 9),
        (signed("old 1\n", ()) + "x\n0\n\n", 12),
    ],
)
def test_c2sp_what_is_no_body_is_told_where(source: str, offset: int) -> None:
    with pytest.raises(ParseError) as refused:
        Submission.parse(source)
    assert refused.value.offset == offset
