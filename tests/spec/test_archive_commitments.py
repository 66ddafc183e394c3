"""Entries of the log commit to what they do not tell; openings tell it, part by part."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository
from tests.spec.zips import unzipped, zipped

from permacite.archive.entries import Entry, commitments, disclosed, opened, read, seal
from permacite.archive.log.bundles.checking import check_proof
from permacite.archive.model.answered import Provenance
from permacite.archive.model.submitted import NewCitation, NewRepresentation
from permacite.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from permacite.archive.model.answered import Version

pytestmark = pytest.mark.engines

pytest.importorskip("cryptography", reason="the log's signatures need it")

SERIES = "lab.example.us"
TEXT = b"the tide of the twelfth, told by canary-text"
DIGEST = hashlib.sha256(TEXT).hexdigest()
OPENED = ("title", "uri", "final", "details", "side", "note", "object", "minter")


def noon() -> datetime:
    """Return the time that the clock of these tests shows."""
    return datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Repository]:
    """An empty archive."""
    with Repository.create(tmp_path / "archive", series=SERIES, clock=noon) as opened_:
        yield opened_


@pytest.fixture
def version(archive: Repository) -> Version:
    """A document of two formats, with a word of its own in every place that words can stand in."""
    provenance = Provenance(
        title="canary-title",
        uri="https://example.org/?token=canary-uri",
        final_uri="https://example.org/canary-final",
        details={"requests": ["canary-details"]},
    )
    formats = [
        NewRepresentation(b"<p>" + TEXT, "text/html", sidecars={"canary-side": b"side"}),
        NewRepresentation(TEXT, "text/plain"),
    ]
    made = archive.committer.commit(formats, provenance=provenance)
    name = made.representation("text").pdi
    archive.passages.record(
        NewCitation(f"{name}#char=0,8", name, 0, 8, "the tide", "", " of the", note="canary-note")
    )
    document = str(made.pdi.document)
    archive.statements.state(document, "about", "canary-object", who="canary-who")
    archive.delegations.delegate("minter", f"press.{SERIES}", "canary-minter")
    return made


def test_no_word_of_a_document_or_person_is_served(archive: Repository, version: Version) -> None:
    size = archive.log.size()
    assert size == 4
    served = [
        archive.proofs.tile(f"tile/entries/000.p/{size}"),
        archive.proofs.tile(f"tile/0/000.p/{size}"),
    ]
    served.append(archive.log.checkpoints.current().encode())
    for octets in served:
        assert b"canary" not in octets
        assert b"tide" not in octets
        assert DIGEST.encode() not in octets
    assert str(version.pdi.document).encode() in served[0]
    # All of it is told by what the archive keeps beside the log; persons are told by no more
    # than an id.
    leaves = archive.log.leaves()
    told = b"".join(one for leaf in leaves for one in archive.log.openings(leaf).values())
    assert all(f"canary-{place}".encode() in told for place in OPENED)
    assert DIGEST.encode() in told
    assert b"canary-who" not in told


def test_a_person_stands_in_openings_by_an_id(archive: Repository, version: Version) -> None:
    (leaf,) = [one for one in archive.log.leaves() if b'"assertion"' in one.content]
    told = archive.log.disclosed(leaf)
    assert told["who"].startswith("person:")
    assert archive.statements.persons() == {told["who"]: "canary-who"}
    (said,) = archive.statements.assertions()
    assert said.who == "canary-who"
    again = archive.statements.state(str(version.pdi.document), "x", "y", who="canary-who")
    assert again.who == "canary-who"
    assert len(archive.statements.persons()) == 1
    Repository.by_hand(archive.directory, "UPDATE person SET name = NULL")
    assert {one.who for one in archive.statements.assertions()} == {told["who"]}
    assert {one.kind for one in archive.fixity.fsck()} == {"ok"}


def test_the_digest_of_an_opening_is_the_commitment(archive: Repository, version: Version) -> None:
    leaf = next(iter(archive.log.leaves()))
    entry, openings = json.loads(leaf.content), archive.log.openings(leaf)
    assert set(openings) == {"format.html", "format.text", "provenance"}
    for part, opening in openings.items():
        assert entry["commitments"][part] == f"sha-256:{hashlib.sha256(opening).hexdigest()}"
        tag, salt, told = json.loads(opening)
        assert (tag, len(bytes.fromhex(salt))) == ("permacite-opening/1", 32)
        assert told
    assert len({json.loads(opening)[1] for opening in openings.values()}) == 3
    assert archive.log.disclosed(leaf)["title"] == "canary-title" == version.title


def test_what_is_the_same_has_another_commitment_each_time() -> None:
    entry = Entry({"kind": "format", "name": "n"}, {"format.text": {"digest": "d"}})
    assert len({seal(entry).content for _ in range(20)}) == 20


GOOD = seal(Entry({"kind": "citation", "name": "n"}, {"citation": {"quote": "q"}}))
OPENING = GOOD.openings["citation"]
WRONG = {
    "another-salt": OPENING.replace(OPENING[24:40], b"0123456789abcdef"),
    "another-word": OPENING.replace(b'"q"', b'"p"'),
    "spaces": OPENING.replace(b",", b", "),
    "no-opening": b"",
    "no-json": b"[",
    "nested": b"[" * 100_000,
}


@pytest.mark.parametrize("opening", WRONG.values(), ids=WRONG)
def test_nothing_else_opens_an_entry(opening: bytes) -> None:
    entry = read(GOOD.content)
    assert disclosed(entry, GOOD.openings) == {"kind": "citation", "name": "n", "quote": "q"}
    with pytest.raises(ValueError, match="does not commit"):
        opened(entry, "citation", opening)
    with pytest.raises(ValueError, match="does not commit"):
        opened(entry, "format.citation", OPENING)


SALT = b"0" * 64
ODD = {
    "short-salt": b'["permacite-opening/1","00",{}]',
    "another-tag": b'["permacite-opening/2","%s",{}]' % SALT,
    "four-members": b'["permacite-opening/1","%s",{},1]' % SALT,
    "no-object": b'["permacite-opening/1","%s",[]]' % SALT,
    "twice": b'["permacite-opening/1","%s",{"a":1,"a":1}]' % SALT,
    "a-number": b"1",
    "nested": b"[" * 100_000,
    "no-utf-8": b"\xff",
}


@pytest.mark.parametrize("opening", ODD.values(), ids=ODD)
def test_what_is_committed_to_and_no_opening_is_refused(opening: bytes) -> None:
    digest = f"sha-256:{hashlib.sha256(opening).hexdigest()}"
    entry = {"schema": 2, "commitments": {"citation": digest}}
    assert commitments(entry) == {"citation": digest}
    with pytest.raises(ValueError, match=r"expected an opening|codec"):
        opened(entry, "citation", opening)


def test_a_proof_of_one_format_tells_nothing_of_others_nor_where_it_is_from(
    archive: Repository, version: Version
) -> None:
    files = unzipped(archive.proofs.prove(version.representation("text").pdi))
    assert set(files) > {"leaf.json", "opening.json"}
    assert json.loads(files["opening.json"])[2]["digest"] == f"sha-256:{DIGEST}"
    words = b"".join(content for name, content in files.items() if name != "content")
    assert b"canary" not in words
    html = version.representation("html").digest.removeprefix("sha-256:")
    assert html.encode() not in words


def test_a_proof_of_a_citation_opens_it(archive: Repository, version: Version) -> None:
    citation = archive.passages.citations()[0]
    key = str(archive.log.keys.verifier)
    proof = archive.proofs.prove(citation.pdi, citation=citation)
    report = check_proof(proof, key)
    assert (report.ok, report.trusted, report.quote) == (True, True, "the tide")
    files = unzipped(proof)
    assert b"the tide" not in files["citation.json"]
    assert b"the tide" in files["citation-opening.json"]
    assert b"canary-note" not in b"".join(files.values())
    for left_out in ("opening.json", "citation-opening.json", "citation.tlog-proof"):
        rest = {name: content for name, content in files.items() if name != left_out}
        assert not check_proof(zipped(rest), key).ok
    other = unzipped(archive.proofs.prove(version.representation("html").pdi))
    swapped = files | {"opening.json": other["opening.json"]}
    assert not check_proof(zipped(swapped), key).ok


CHANGES = {
    "salt": "UPDATE opening SET content = replace(content, substr(content, 25, 6), 'abcdef')",
    "word": "UPDATE opening SET content = replace(content, 'canary-title', 'canary-tale')",
    "gone": "DELETE FROM opening WHERE part = 'provenance'",
    "format-gone": "DELETE FROM opening WHERE part = 'format.text'",
    "added": "INSERT INTO opening VALUES (0, 'format.pdf', '[]')",
    "no-json": "UPDATE opening SET content = '[' WHERE part = 'citation'",
    "row": "UPDATE version SET title = 'canary-tale'",
    "person": "UPDATE assertion SET who = 'person:0'",
    "target": "UPDATE delegation SET target = 'another'",
}


@pytest.mark.usefixtures("version")
@pytest.mark.engines(deep=True)
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_fsck_finds_what_an_entry_does_not_commit_to(archive: Repository, change: str) -> None:
    Repository.tamper(archive.directory, change)
    assert {one.kind for one in archive.fixity.verify()} == {"ok", "log"}


def test_without_its_opening_there_is_no_proof(archive: Repository, version: Version) -> None:
    Repository.tamper(archive.directory, CHANGES["format-gone"])
    with pytest.raises(IntegrityError, match=r"opening 'format\.text' is missing"):
        archive.proofs.prove(version.representation("text").pdi)


@pytest.mark.usefixtures("version")
def test_these_members_and_no_others_are_told_in_clear(archive: Repository) -> None:
    entries = [json.loads(leaf.content) for leaf in archive.log.leaves()]
    assert entries[0] | {"commitments": {}} == {
        "schema": 2,
        "kind": "version",
        "name": "urn:pdi://lab.example.us/2026/11/21/1",
        "version": 1,
        "committed_at": "2026-11-21T12:00:00.000000Z",
        "commitments": {},
    }
    assert [set(one) - {"schema", "kind", "name", "commitments"} for one in entries] == [
        {"version", "committed_at"},
        {"version", "format", "cited_at"},
        {"stated_at"},
        {"recorded_at"},
    ]
