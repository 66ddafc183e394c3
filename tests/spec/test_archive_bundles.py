"""Proof bundles of an archive: checked offline, file by file, and forged in every way."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import subprocess
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engines import Repository
from tests.needs import need
from tests.spec.zips import unzipped, zipped

from permacite import pdi
from permacite.archive.log.bundles.checking import check_proof
from permacite.archive.log.keys import Signer
from permacite.archive.log.note import Checkpoint, Note
from permacite.archive.model.answered import Citation, Provenance
from permacite.archive.model.submitted import NewRepresentation
from permacite.errors import (
    LimitError,
    ParseError,
    PermaciteError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.engines import Server

    from permacite.archive.model.answered import Version

pytest.importorskip("cryptography", reason="the log's signatures need it")

pytestmark = pytest.mark.engines(deep=True)

SERIES = "lab.example.us"
GOLDEN = Path(__file__).parents[1] / "golden/proof"


def noon() -> datetime:
    """Return the time that the clock of these tests shows."""
    return datetime(2026, 11, 21, 12, tzinfo=UTC)


def commit(archive: Repository, count: int = 1) -> Version:
    """Commit pages with their text, and return the last one."""
    for number in range(count):
        page = NewRepresentation(f"<p>{number}".encode(), "text/html", charset="utf-8")
        text = NewRepresentation(f"word {number}".encode(), "text/plain", charset="utf-8")
        source = Provenance(title="t", uri="http://example.org/")
        version = archive.committer.commit([page, text], provenance=source)
    return version


@pytest.fixture(scope="module")
def proven(tmp_path_factory: pytest.TempPathFactory, engine: Server | None) -> Iterator[Repository]:
    """An archive of seven documents."""
    del engine
    directory = tmp_path_factory.mktemp("proven") / "archive"
    with Repository.create(directory, series=SERIES, clock=noon) as archive:
        commit(archive, 7)
        yield archive


@pytest.fixture(scope="module")
def proof(proven: Repository) -> bytes:
    """A bundle about the text of the fourth of seven documents."""
    return proven.proofs.prove(name("urn:pdi://lab.example.us/2026/11/21/4.text.1"))


def name(text: str) -> pdi.PDI:
    """Return the name of one document."""
    value = pdi.parse(text)
    assert isinstance(value, pdi.PDI)
    return value


@pytest.mark.engines
def test_a_bundle_is_checked_offline(proven: Repository, proof: bytes) -> None:
    report = check_proof(proof, str(proven.log.keys.verifier))
    assert report.ok
    assert report.trusted
    assert report.name == "urn:pdi://lab.example.us/2026/11/21/4.utf-8.1"
    assert report.digest == "sha-256:" + hashlib.sha256(b"word 3").hexdigest()
    assert (report.origin, report.tree_size) == (f"{SERIES}/log", 7)
    assert report.committed_at == "2026-11-21T12:00:00.000000Z"
    assert {check.name for check in report.checks} >= {"content", "inclusion", "signature", "key"}
    assert proven.proofs.prove(name(report.name)) == proof


def test_a_bundle_whose_key_nobody_vouches_for_says_so(proof: bytes) -> None:
    assert not check_proof(proof).trusted
    other = Signer.make(f"{SERIES}/log").verifier
    report = check_proof(proof, str(other))
    assert not report.ok
    assert [check.name for check in report.checks if not check.ok] == ["key"]


FORGERIES = [
    ("content", "content", b"word 3", b"word 4", "content"),
    ("entry", "leaf.json", b"12:00", b"11:00", "inclusion"),
    ("index", "proof.tlog-proof", b"index 3", b"index 2", "inclusion"),
    ("size", "proof.tlog-proof", b"log\n7\n", b"log\n8\n", "signature"),
    ("origin", "proof.tlog-proof", b"lab.example.us/log\n7", b"lab.example.uk/log\n7", "signature"),
]


@pytest.mark.parametrize(
    ("file", "old", "new", "fails"),
    [row[1:] for row in FORGERIES],
    ids=[row[0] for row in FORGERIES],
)
def test_a_forged_bundle_fails_where_it_was_forged(
    proof: bytes, file: str, old: bytes, new: bytes, fails: str
) -> None:
    files = unzipped(proof)
    assert old in files[file]
    report = check_proof(zipped(files | {file: files[file].replace(old, new)}))
    assert fails in {check.name for check in report.checks if not check.ok}


ADDED_OR_CHANGED = [
    ("a-file-added", {"extra.txt": b"hello"}, "'extra.txt' is no file of this proof"),
    ("a-name-like-a-path", {"../content": b"x"}, "'../content' is no file of this proof"),
    ("readme", {"README.txt": b"All is well."}, "README.txt was changed"),
    ("checkpoint", {"checkpoint.txt": b"lab.example.us/log\n9\n"}, "checkpoint.txt was changed"),
    ("signature", {"checkpoint.sig": bytes(64)}, "checkpoint.sig was changed"),
    ("key", {"log-key.pem": b"-----BEGIN PUBLIC KEY-----\n"}, "log-key.pem was changed"),
    ("readme-gone", {"README.txt": None}, "README.txt is missing"),
    ("signature-gone", {"checkpoint.sig": None}, "checkpoint.sig is missing"),
]


@pytest.mark.parametrize(
    ("changes", "told"),
    [row[1:] for row in ADDED_OR_CHANGED],
    ids=[row[0] for row in ADDED_OR_CHANGED],
)
def test_every_file_of_a_bundle_is_accounted_for(
    proof: bytes, changes: dict[str, bytes | None], told: str
) -> None:
    files: dict[str, bytes | None] = {**unzipped(proof), **changes}
    report = check_proof(zipped({one: data for one, data in files.items() if data is not None}))
    assert [(one.name, one.detail) for one in report.checks if not one.ok] == [("files", told)]


REWRITTEN = [
    ("name.txt", lambda data: data + b"\n"),
    ("log-key.txt", lambda data: b"\n" + data),
    ("proof.tlog-proof", lambda data: data.replace(b"\nindex", b"\nextra aGk=\nindex")),
]


@pytest.mark.parametrize(
    ("file", "rewrite"), REWRITTEN, ids=[f"{row[0]}-with-more-in-it" for row in REWRITTEN]
)
def test_no_octet_of_a_file_is_passed_over(
    proof: bytes, file: str, rewrite: Callable[[bytes], bytes]
) -> None:
    files = unzipped(proof)
    report = check_proof(zipped(files | {file: rewrite(files[file])}))
    failed = [(one.name, one.detail) for one in report.checks if not one.ok]
    assert failed == [("files", f"{file} was changed")]


def test_a_bundle_with_the_page_of_an_earlier_version_holds(proof: bytes) -> None:
    page = (GOLDEN / "README-1.txt").read_bytes()
    assert check_proof(zipped(unzipped(proof) | {"README.txt": page})).ok


def stuffed(proof: bytes, where: str) -> bytes:
    """Return a zip that holds more than the files in its directory."""
    with zipfile.ZipFile(io.BytesIO(proof)) as files:
        directory = files.start_dir
    if where == "before":
        return b"PK\x03\x04" + bytes(50) + proof
    if where == "between":
        return proof[:directory] + b"hidden" + proof[directory:]
    target = io.BytesIO(proof)
    with zipfile.ZipFile(target, "a") as files:
        files.writestr("hidden", b"hello")
        files.filelist.pop()  # from the directory, not from the zip
        files.comment = b"trust me" if where == "comment" else b""
    return target.getvalue()


@pytest.mark.parametrize("where", ["before", "between", "unlisted", "comment"])
def test_nothing_hides_in_a_bundle_beside_its_files(proof: bytes, where: str) -> None:
    with pytest.raises(ParseError, match="not a proof bundle: something stands"):
        check_proof(stuffed(proof, where))


def test_a_bundle_that_was_packed_again_holds(proof: bytes) -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *_: int) -> int:
            raise io.UnsupportedOperation

    target = Pipe()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for one, content in reversed(unzipped(proof).items()):
            archive.writestr(one, content)
    assert check_proof(target.getvalue()).ok


def test_a_file_that_unpacks_to_too_much_is_refused_unread(proof: bytes) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for one, content in unzipped(proof).items():
            archive.writestr(one, bytes(17_000_000) if one == "README.txt" else content)
    with pytest.raises(LimitError, match=r"README\.txt is too large"):
        check_proof(target.getvalue())


def test_an_entry_that_says_a_thing_twice_is_refused(proof: bytes) -> None:
    files = unzipped(proof)
    twice = files["leaf.json"].replace(b'"version":1', b'"version":2,"version":1')
    with pytest.raises(ParseError, match="canonical JSON"):
        check_proof(zipped(files | {"leaf.json": twice}))


def test_a_key_signs_for_the_log_of_its_name_alone(proven: Repository, proof: bytes) -> None:
    body = Checkpoint("other.example.us/log", 7, proven.log.root(7)).body
    signed = proven.log.keys.signer.sign(body)
    assert proven.log.keys.verifier.verifies(Note.parse(signed))
    files = unzipped(proof)
    head = files["proof.tlog-proof"].partition(b"\n\n")[0]
    files["proof.tlog-proof"] = head + b"\n\n" + signed.encode()
    assert "signature" in {one.name for one in check_proof(zipped(files)).checks if not one.ok}


@pytest.mark.parametrize(
    "changes",
    [
        {"name.txt": b"urn:pdi://lab.example.us/2026/11/21/5.utf-8.1\n"},
        {"name.txt": b"urn:pdi://lab.example.us/2026/11/21/4.gif.1\n"},
        {"name.txt": b"urn:pdi://lab.example.us/2026/11/21/4.utf-8.2\n"},
        {"name.txt": b"\xff"},
        {"leaf.json": b"[" * 100_000},
        {"leaf.json": b"[]"},
        {"leaf.json": b'{"formats": [[]]}'},
        {"log-key.txt": b"\xff"},
        {"proof.tlog-proof": b""},
    ],
)
def test_a_bundle_about_something_else_is_refused(proof: bytes, changes: dict[str, bytes]) -> None:
    with pytest.raises(ParseError):
        check_proof(zipped(unzipped(proof) | changes))


@pytest.mark.parametrize(
    "missing", ["name.txt", "content", "leaf.json", "proof.tlog-proof", "log-key.txt"]
)
def test_a_bundle_that_lacks_a_part_is_refused(proof: bytes, missing: str) -> None:
    files = unzipped(proof)
    del files[missing]
    with pytest.raises(ParseError):
        check_proof(zipped(files))


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_damaged_bundle_is_refused_or_fails(proof: bytes, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(proof) - 1))
    value = data.draw(st.integers(0, 255))
    damaged = proof[:position] + bytes([value]) + proof[position + 1 :]
    try:
        report = check_proof(damaged)
    except PermaciteError:
        return
    # What is proven is the same, or the proof fails; the times that a zip keeps may differ.
    assert not report.ok or report == check_proof(proof)


def test_a_zip_bomb_is_refused_unread(proof: bytes) -> None:
    with pytest.raises(LimitError) as error:
        check_proof(proof, max_bytes=1000)
    assert (error.value.limit, error.value.maximum) == ("bundle_bytes", 1000)


@pytest.fixture(scope="module")
def cited(proven: Repository) -> bytes:
    """A bundle about a passage of a text, which nobody recorded."""
    text = name("urn:pdi://lab.example.us/2026/11/21/1.utf-8.1")
    words = Citation(
        f"{text}#char=0,4", text, 0, 4, "word", "", "", "text/plain", noon(), note=None
    )
    return proven.proofs.prove(text, citation=words)


@pytest.mark.engines
def test_a_citation_goes_into_the_bundle_with_its_words(cited: bytes) -> None:
    report = check_proof(cited)
    assert report.reference == "urn:pdi://lab.example.us/2026/11/21/1.utf-8.1#char=0,4"
    assert report.ok
    assert report.checks[-1].name == "quote"


AROUND = [
    ("before", "before", "x", "other words stand before"),
    ("before-too-long", "before", "xword", "other words stand before"),
    ("after", "after", " 1", "other words stand after"),
    ("note", "note", "trust me", "what nothing vouches for: note"),
    ("a-member-added", "author", "Shakespeare", "what nothing vouches for: author"),
]


@pytest.mark.parametrize(
    ("member", "value", "told"), [row[1:] for row in AROUND], ids=[row[0] for row in AROUND]
)
def test_all_that_a_citation_says_is_checked(
    cited: bytes, member: str, value: str, told: str
) -> None:
    files = unzipped(cited)
    said = json.loads(files["citation.json"]) | {member: value}
    report = check_proof(zipped(files | {"citation.json": json.dumps(said).encode()}))
    failed = [one for one in report.checks if not one.ok]
    assert [one.name for one in failed] == ["quote"]
    assert told in failed[0].detail


def test_words_around_are_compared_with_the_text(cited: bytes) -> None:
    files = unzipped(cited)
    said = json.loads(files["citation.json"]) | {"after": " 0"}
    assert check_proof(zipped(files | {"citation.json": json.dumps(said).encode()})).ok


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"word"', b'"ward"'),
        (b"char=0,4", b"char=0,3"),
        (b"char=0,4", b"char=0,99"),
        (b"char=0,4", b"rect=(0,0),(1,1)"),
        (b"#char=0,4", b""),
        (b"/1.utf-8.1#", b"/2.utf-8.1#"),
        (b"{", b"["),
    ],
)
def test_other_words_than_those_cited_are_found(cited: bytes, old: bytes, new: bytes) -> None:
    files = unzipped(cited)
    forged = files["citation.json"].replace(old, new)
    report = check_proof(zipped(files | {"citation.json": forged}))
    assert [check.name for check in report.checks if not check.ok] == ["quote"]


def test_openssl_agrees_with_the_signature(proof: bytes, tmp_path: Path) -> None:
    openssl = need("openssl")
    with zipfile.ZipFile(io.BytesIO(proof)) as files:
        files.extractall(tmp_path)
    command = "pkeyutl -verify -pubin -inkey log-key.pem -rawin -in checkpoint.txt -sigfile"
    arguments = [openssl, *command.split(), "checkpoint.sig"]
    checked = subprocess.run(arguments, cwd=tmp_path, capture_output=True, check=False)
    assert checked.returncode == 0, checked.stderr
    (tmp_path / "checkpoint.txt").write_text("other\n")
    checked = subprocess.run(arguments, cwd=tmp_path, capture_output=True, check=False)
    assert checked.returncode != 0


def test_the_way_that_the_readme_tells_leads_to_the_root(proof: bytes) -> None:
    files = unzipped(proof)
    assert b"halve fn and sn" in files["README.txt"]
    lines = files["proof.tlog-proof"].decode().split("\n\n")[0].split("\n")
    _, size, root = files["checkpoint.txt"].decode().splitlines()
    fn, sn = int(lines[1].split()[1]), int(size) - 1
    r = hashlib.sha256(b"\0" + files["leaf.json"]).digest()
    for line in lines[2:]:
        p = base64.b64decode(line)
        if fn % 2 or fn == sn:
            r = hashlib.sha256(b"\1" + p + r).digest()
            if fn % 2 == 0:
                while fn % 2 == 0 and fn:
                    fn, sn = fn // 2, sn // 2
        else:
            r = hashlib.sha256(b"\1" + r + p).digest()
        fn, sn = fn // 2, sn // 2
    assert sn == 0
    assert base64.b64encode(r).decode() == root
