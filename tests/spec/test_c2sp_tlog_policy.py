"""Which logs and witnesses a reader asks for (C2SP tlog-policy): syntax, quorum, and proofs."""

from __future__ import annotations

import contextlib
import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engines import Repository
from tests.spec.zips import unzipped, zipped

from permacite.archive.log.bundles.checking import check_proof
from permacite.archive.log.keys import KeyType, Signer, Verifier
from permacite.archive.log.note import Checkpoint, Note, signed
from permacite.archive.log.policy import Policy
from permacite.archive.model.submitted import NewRepresentation
from permacite.errors import LimitError, ParseError
from permacite.service.proofs import proofs

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("cryptography", minversion="48", reason="ML-DSA needs it")

pytestmark = pytest.mark.engines(deep=True)

GOLDEN = Path(__file__).parents[1] / "golden/notes"
OTHERS = (GOLDEN / "cosigned-keys.txt").read_text().splitlines()
"""Keys that other programs made: of a log twice, then of two witnesses."""

RENAMED = Verifier("elsewhere.example.com", Verifier.parse(OTHERS[0]).public_key)
LOG = Signer("example.com/log", bytes(32))
BODY = Checkpoint(LOG.name, 7, bytes(32)).body
WITNESSES = {
    name: Signer(f"witness.example.com/{name}", bytes([number]) * 32, key_type)
    for number, (name, key_type) in enumerate(
        zip(
            ("X1", "X2", "X3", "Y1", "Y2", "Y3"),
            itertools.cycle((KeyType.COSIGNATURE, KeyType.ML_DSA_44)),
            strict=False,
        )
    )
}
LINES = "".join(f"witness {name} {one.verifier}\n" for name, one in WITNESSES.items())
EXAMPLE = f"""\
# The example of tlog-policy.
log {LOG.verifier}

{LINES}
group X-witnesses 2 X1 X2 X3
group Y-witnesses any Y1 Y2 Y3

group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
"""


def cosigned(*names: str) -> Note:
    """Return a checkpoint of the log that these witnesses cosigned."""
    lines = [WITNESSES[name].signature(BODY, time=1679315147) for name in names]
    return Note.parse(signed(BODY, [LOG.signature(BODY), *lines]))


QUORUMS = [
    ("none", "quorum none", "", True),
    ("a-witness", "quorum X1", "X1", True),
    ("a-witness-lacks", "quorum X1", "X2 Y1", False),
    ("any", "group G any X1 X2\nquorum G", "X2", True),
    ("any-lacks", "group G any X1 X2\nquorum G", "X3 Y1", False),
    ("all", "group G all X1 X2 Y1\nquorum G", "X1 X2 Y1 Y2", True),
    ("all-lacks", "group G all X1 X2 Y1\nquorum G", "X1 X2", False),
    ("2-of-3", "group G 2 X1 X2 X3\nquorum G", "X1 X3", True),
    ("2-of-3-lacks", "group G 2 X1 X2 X3\nquorum G", "X3 Y1 Y2 Y3", False),
    ("all-of-one", "group G all X1\nquorum G", "X1", True),
    ("a-group-that-is-not-asked", "group G all X1 X2\nquorum Y1", "Y1", True),
    ("nested-once", "group A any X1 X2\ngroup B 2 A Y1 Y2\nquorum B", "X2 Y2", True),
    ("nested-lacks", "group A all X1 X2\ngroup B 2 A Y1 Y2\nquorum B", "X2 Y2", False),
    ("quorum-before-other-lines", "quorum X1\ngroup G any X1", "X1", True),
]


@pytest.mark.parametrize(
    ("rule", "names", "counts"), [row[1:] for row in QUORUMS], ids=[row[0] for row in QUORUMS]
)
def test_c2sp_tlog_policy_quorum(rule: str, names: str, *, counts: bool) -> None:
    policy = Policy.parse(f"log {LOG.verifier}\n{LINES}{rule}\n".encode())
    verdict = policy.judge(cosigned(*names.split()))
    assert (verdict.ok, verdict.log) == (counts, LOG.verifier)
    assert " ".join(verdict.witnesses) == names
    assert counts or "is not reached: cosigned by" in verdict.fault


def test_c2sp_tlog_policy_example_takes_what_it_says_and_no_less() -> None:
    policy = Policy.parse(EXAMPLE.encode())
    for size in range(len(WITNESSES) + 1):
        for names in itertools.combinations(WITNESSES, size):
            first = sum(name.startswith("X") for name in names)
            assert policy.judge(cosigned(*names)).ok is (first >= 2 and size > first)


def test_c2sp_tlog_policy_counts_the_signatures_of_other_programs() -> None:
    note = Note.parse((GOLDEN / "cosigned.txt").read_text())
    first, second, third, fourth = OTHERS
    witnesses = f"witness a {third}\nwitness b {fourth}\ngroup both all a b\nquorum both\n"
    for log in (f"log {first}\n", f"log {second} https://example.com/\n"):
        assert Policy.parse((log + witnesses).encode()).judge(note).ok


def test_c2sp_tlog_policy_a_known_signature_that_fails_spoils_the_checkpoint() -> None:
    # signed-note, Signatures: if one of a known key does not verify, reject the whole note.
    policy = Policy.parse(f"log {LOG.verifier}\n{LINES}quorum none\n".encode())
    lines = cosigned("X1", "X2").signatures
    elsewhere = WITNESSES["X1"].signature(BODY.replace("7", "8"), time=1)
    assert policy.judge(Note(BODY, lines)).ok
    spoilt = policy.judge(Note(BODY, (*lines, elsewhere)))
    assert "does not hold" in spoilt.fault
    stranger = Signer.make("stranger.example.com/w")
    assert policy.judge(Note(BODY, (*lines, stranger.signature(BODY)))).ok


def test_c2sp_tlog_policy_a_log_signs_for_its_own_origin() -> None:
    policy = Policy.parse(f"log {LOG.verifier}\nquorum none\n".encode())
    other = BODY.replace("example.com", "example.org")
    verdict = policy.judge(Note.parse(LOG.sign(other)))
    assert verdict.fault == "no log of the policy signed the checkpoint of example.org/log"


def test_c2sp_tlog_policy_without_logs_takes_the_log_from_elsewhere() -> None:
    policy = Policy.parse(f"{LINES}quorum X1\n".encode())
    assert policy.judge(cosigned("X1"), LOG.verifier).ok
    assert not policy.judge(cosigned("X1")).ok
    assert not policy.judge(cosigned("X1"), Signer.make("example.com/log").verifier).ok


ACCEPTED = [
    ("spaces-and-tabs", f" \tlog\t {LOG.verifier} \t\n\tquorum\tnone\t\n"),
    ("comments", "# a\n \t# \u00e9 b\n\nquorum none\n"),
    ("octets-that-are-no-utf-8", LINES.encode() + b"group \xff\xfe any X1\nquorum \xff\xfe\n"),
    ("names-alike", f"{LINES}group K any X1\ngroup \u212a any X2\nquorum \u212a\n"),
    ("name-of-a-keyword", f"{LINES}group all any X1\ngroup any all all\nquorum any\n"),
    ("spaces-of-unicode", f"{LINES}group a\u00a0b any X1\nquorum a\u00a0b\n"),
    ("one-key-as-log-and-witness", f"log {OTHERS[1]}\nwitness w {OTHERS[1]}\nquorum w\n"),
    ("urls", f"log {OTHERS[0]} https://a.us/\nwitness w {OTHERS[2]} https://b.us/\nquorum w\n"),
    (
        "groups-of-groups",
        f"{LINES}group g0 any X1\n"
        + "".join(f"group g{number + 1} any g{number}\n" for number in range(2000))
        + "quorum g2000\n",
    ),
]


@pytest.mark.parametrize("source", [row[1] for row in ACCEPTED], ids=[row[0] for row in ACCEPTED])
def test_c2sp_tlog_policy_accepts(source: str | bytes) -> None:
    policy = Policy.parse(source.encode() if isinstance(source, str) else source)
    assert policy.quorum


REFUSED = [
    # a mark ^ stands before the place that is told; it is no part of the file
    ("empty", "^", "expected a quorum line"),
    ("no-quorum", f"log {OTHERS[0]}\n^", "expected a quorum line"),
    ("no-last-newline", "quorum none^", "newline at the end"),
    ("carriage-return", "quorum none^\r\n", "no control characters"),
    ("zero-octet", "quorum none\n#^\0\n", "no control characters"),
    ("delete", "quorum ^\x7f\n", "no control characters"),
    ("unknown-line", "quorum none\n^Log a\n", "expected 'log', 'witness', 'group' or 'quorum'"),
    ("two-quorums", "quorum none\n^quorum none\n", "one quorum line"),
    ("quorum-of-what", "quorum^ \n", "expected 'quorum NAME'"),
    ("quorum-of-two", f"{LINES}quorum X1 ^X2\n", "no more than 'quorum NAME'"),
    ("quorum-undefined", "quorum ^X1\n", "no line above defines 'X1'"),
    ("quorum-defined-below", f"quorum ^X1\n{LINES}", "no line above defines 'X1'"),
    ("log-without-key", "log^\nquorum none\n", "expected 'log VKEY [URL]'"),
    ("log-with-more", f"log {OTHERS[0]} a ^b\nquorum none\n", "no more than 'log VKEY [URL]'"),
    ("log-of-no-key", "log ^example.com\nquorum none\n", "the text of a key"),
    ("log-of-a-wrong-id", f"log example.com/log+^00000000+{OTHERS[0][25:]}\n", "its id names"),
    ("log-by-a-cosigner", f"log ^{OTHERS[2]}\nquorum none\n", "type 1 or 6; this one has 4"),
    ("witness-by-a-log-key", f"witness a ^{OTHERS[0]}\nquorum a\n", "type 4 or 6; this one has 1"),
    ("witness-without-key", "witness a^\nquorum none\n", "expected 'witness NAME VKEY [URL]'"),
    ("log-twice", f"log {OTHERS[0]}\nlog ^{OTHERS[0]} a\nquorum none\n", "the same key"),
    (
        "log-twice-under-two-names",
        f"log {OTHERS[0]}\nlog ^{RENAMED}\nquorum none\n",
        "the same key",
    ),
    ("witness-twice", f"witness a {OTHERS[2]}\nwitness b ^{OTHERS[2]}\n", "the same key"),
    ("name-twice", f"witness a {OTHERS[2]}\nwitness ^a {OTHERS[3]}\n", "'a' is defined already"),
    ("group-of-a-witness's-name", f"{LINES}group ^X1 any X2\n", "'X1' is defined already"),
    ("witness-none", f"witness ^none {OTHERS[2]}\n", "'none' is no name"),
    ("group-none", f"{LINES}group ^none any X1\n", "'none' is no name"),
    ("member-none", f"{LINES}group G any ^none\n", "no line above defines 'none'"),
    ("member-undefined", f"{LINES}group G any X1 ^Z1\n", "no line above defines 'Z1'"),
    ("member-itself", f"{LINES}group G any ^G\n", "no line above defines 'G'"),
    ("member-twice", f"{LINES}group G any X1 ^X1\n", "'X1' is a member already"),
    (
        "member-of-two",
        f"{LINES}group G any X1\ngroup H any ^X1\n",
        "'X1' is a member already: each can be one once",
    ),
    ("no-member", f"{LINES}group G any^\n", "expected 'group NAME all|any|NUMBER NAME...'"),
    ("threshold-none", f"{LINES}group G ^0 X1\n", "expected 'all', 'any' or a number"),
    ("threshold-too-high", f"{LINES}group G ^3 X1 X2\n", "expected at most 2"),
    ("threshold-signed", f"{LINES}group G ^+1 X1\n", "'all', 'any' or a number"),
    ("threshold-with-zero", f"{LINES}group G ^01 X1\n", "'all', 'any' or a number"),
    ("threshold-in-words", f"{LINES}group G ^one X1\n", "'all', 'any' or a number"),
    ("threshold-of-other-digits", f"{LINES}group G ^\u0661 X1\n", "'all', 'any' or a number"),
    ("threshold-huge", f"{LINES}group G ^{'9' * 5000} X1\n", "'all', 'any' or a number"),
    ("unprintable-name", "quorum ^\udcff\n", "no line above defines '\ufffd'"),
]


@pytest.mark.parametrize(
    ("source", "told"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_c2sp_tlog_policy_refuses_at_the_right_place(source: str, told: str) -> None:
    offset = source.index("^")
    with pytest.raises(ParseError) as error:
        Policy.parse(source.replace("^", "", 1).encode("utf-8", "surrogateescape"))
    assert told in error.value.problem
    assert error.value.offset == offset
    str(error.value).encode()  # it can be printed


def test_c2sp_tlog_policy_has_a_limit() -> None:
    with pytest.raises(LimitError) as error:
        Policy.parse(b"#" * 1_000_001)
    assert (error.value.limit, error.value.maximum) == ("policy_bytes", 1_000_000)


@settings(max_examples=max(60, settings().max_examples))
@given(
    st.lists(
        st.sampled_from(
            [b"log ", b"witness ", b"group ", b"quorum ", b"none", b"a ", b"b ", b"all ", b"any "]
        )
        | st.sampled_from([b"\n", b"\t", b"#", b"\xff", b"\r", *map(str.encode, OTHERS)])
        | st.binary(max_size=3),
        max_size=30,
    )
)
def test_c2sp_tlog_policy_any_octets_parse_or_raise_parse_error(parts: list[bytes]) -> None:
    with contextlib.suppress(ParseError):
        policy = Policy.parse(b"".join(parts))
        assert policy.quorum in {"none", *policy.witnesses, *(one.name for one in policy.groups)}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory, engine: object) -> Iterator[Repository]:
    """An archive of one short text."""
    assert engine is Repository.engine
    folder = tmp_path_factory.mktemp("policy") / "archive"
    with Repository.create(folder, series="lab.example.us") as archive:
        archive.committer.commit([NewRepresentation(b"words", "text/plain", charset="utf-8")])
        yield archive


@pytest.fixture(scope="module")
def proof(archive: Repository) -> bytes:
    """A bundle about it."""
    ((version),) = archive.lists.list(limit=1)
    return archive.proofs.prove(version.representations[0].pdi)


def with_witnesses(proof: bytes, *names: str) -> bytes:
    """Return a bundle whose checkpoint these witnesses cosigned."""
    files = unzipped(proof)
    body = files["checkpoint.txt"].decode()
    lines = signed("", [WITNESSES[name].signature(body, time=1679315147) for name in names])
    name = "proof.tlog-proof"
    return zipped(files | {name: files[name] + lines.removeprefix("\n").encode()})


def test_a_proof_is_checked_by_a_policy(archive: Repository, proof: bytes) -> None:
    for log in archive.log.keys.verifiers:
        policy = f"log {log}\n{LINES}group G 2 X1 X2 Y1\nquorum G\n".encode()
        report = check_proof(with_witnesses(proof, "X1", "X2"), policy=policy)
        assert (report.ok, report.trusted) == (True, True)
        (told,) = [one.detail for one in report.checks if one.name == "policy"]
        assert told == (
            f"signed by {log.label}, cosigned by X1 (2023-03-20 12:25:47 UTC),"
            " X2 (2023-03-20 12:25:47 UTC)"
        )
        report = check_proof(with_witnesses(proof, "X2", "Y2"), policy=policy)
        assert [one.name for one in report.checks if not one.ok] == ["policy"]
        assert not report.trusted


def test_a_key_and_a_policy_must_both_agree(archive: Repository, proof: bytes) -> None:
    key, other = str(archive.log.keys.verifier), str(Signer.make("lab.example.us/log").verifier)
    none = f"log {other}\nquorum none\n".encode()
    assert not check_proof(proof, key, policy=none).trusted
    assert not check_proof(proof, other, policy=f"log {key}\nquorum none\n".encode()).trusted
    assert check_proof(proof, key, policy=b"quorum none\n").trusted
    with pytest.raises(ParseError, match="give the key of the log too"):
        proofs.check(proof, policy=b"quorum none\n")
    assert not check_proof(proof, policy=b"quorum none\n").ok


def test_without_key_or_policy_anyone_could_have_made_a_proof(
    archive: Repository, proof: bytes
) -> None:
    found = proofs.check(proof)
    assert (found.holds, found.trusted) == (True, False)
    assert found.caution is not None
    assert found.caution.startswith("anyone could have made this file")
    key = str(archive.log.keys.verifier)
    assert proofs.check(proof, key).caution is None
    assert proofs.check(proof, policy=f"log {key}\nquorum none\n".encode()).caution is None
