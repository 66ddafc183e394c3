"""An archive with every kind of entry, made when leaves had their first schema, stays good."""

from __future__ import annotations

import contextlib
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.archives import Archive
from tests.earlier import unpack
from tests.engines import Repository

from permacite.archive.entries import in_clear
from permacite.archive.log.bundles.checking import check_proof
from permacite.archive.merkle import is_consistent
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.repository import Repository as InFolder
from permacite.errors import WithdrawnError
from permacite.service import preservation
from permacite.service.exchange import ocfl

pytestmark = pytest.mark.engines(deep=True)

pytest.importorskip("cryptography", reason="the log's signatures need it")
pytest.importorskip("rfc3161_client", reason="one checkpoint bears a time-stamp")

Earlier = tuple[Path, dict[str, bytes]]


def later() -> datetime:
    """Return the time that the clock of these tests shows."""
    return datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def earlier(tmp_path: Path) -> Earlier:
    """The archive, on the engine of the test, and proofs of it."""
    directory, proofs = unpack(tmp_path)
    Repository.adopt(directory)
    return directory, proofs


def test_it_opens_and_is_whole(earlier: Earlier) -> None:
    directory, _ = earlier
    with Repository.open(directory, clock=later) as archive:
        assert {one.kind for one in archive.fixity.fsck()} == {"ok"}


def test_its_documents_get_the_text_that_they_lack(earlier: Earlier) -> None:
    directory, proofs = earlier
    with Archive.open(directory) as archive:
        before = _committed(archive)
        outcomes = {each.pdi: each.outcome for each in archive.documents.derivations.derive_all()}
        assert set(outcomes.values()) <= {"added", "present", "none", "restricted"}
        after = _committed(archive)
        added = {name for name in after if name not in before}
        assert len(added) == list(outcomes.values()).count("added")
        assert {name: after[name] for name in before} == before
        assert {each.outcome for each in archive.documents.derivations.derive_all()}.isdisjoint(
            {"added", "failed"}
        )
        assert archive.copies.fsck().ok
    del proofs["ca.pem"]
    with Repository.open(directory, clock=later) as repository:
        key = str(repository.log.keys.verifier)
    assert all(check_proof(proof, key).ok for proof in proofs.values())


def _committed(archive: Archive) -> dict[str, str]:
    repository = archive._repository  # noqa: SLF001 - what is stored is looked at
    return {
        str(item.pdi): item.digest
        for version in repository.lists.list()
        for item in version.representations
    }


def test_its_proofs_hold(earlier: Earlier) -> None:
    directory, proofs = earlier
    roots = proofs.pop("ca.pem")
    with Repository.open(directory, clock=later) as archive:
        key = str(archive.log.keys.verifier)
    reports = [check_proof(proof, key) for proof in proofs.values()]
    assert all(report.ok and report.trusted for report in reports)
    stamped = [one for one in proofs.values() if check_proof(one).stamped_at is not None]
    assert stamped
    assert all(check_proof(one, key, tsa_roots=roots).ok for one in stamped)


def test_it_goes_on_with_commitments_and_all_is_proven(earlier: Earlier) -> None:
    directory, _ = earlier
    with Repository.open(directory, clock=later) as archive:
        before = [leaf.content for leaf in archive.log.leaves()]
        archive.committer.commit([NewRepresentation(b"new", "text/plain")])
        leaves = [leaf.content for leaf in archive.log.leaves()]
        assert leaves[: len(before)] == before
        assert ["schema" in json.loads(leaf) for leaf in leaves] == [
            *(False for _ in before),
            *(True for _ in leaves[len(before) :]),
        ]
        key = str(archive.log.keys.verifier)
        for version in archive.lists.list():
            for one in version.representations:
                with contextlib.suppress(WithdrawnError):
                    assert check_proof(archive.proofs.prove(one.pdi), key).ok
        for citation in archive.passages.citations():
            report = check_proof(archive.proofs.prove(citation.pdi, citation=citation), key)
            assert (report.ok, report.quote) == (True, citation.quote)


def test_its_log_is_extended_as_others_check_it(earlier: Earlier) -> None:
    directory, _ = earlier
    with Repository.open(directory, clock=later) as archive:
        old = archive.log.size()
        root = archive.log.root(old)
        archive.committer.commit([NewRepresentation(b"new", "text/plain")])
        new = archive.log.size()
        hashes = archive.log.consistency(old, new)
        assert is_consistent(old, root, new, archive.log.root(new), proof=hashes)


def test_what_is_exported_of_it_is_restored_with_the_same_log(
    earlier: Earlier, tmp_path: Path
) -> None:
    directory, _ = earlier
    with Repository.open(directory, clock=later) as archive:
        archive.committer.commit([NewRepresentation(b"new", "text/plain")])
        size, root = archive.log.size(), archive.log.root(archive.log.size())
        said = archive.statements.assertions()
        ocfl.export(archive, tmp_path / "ocfl")
    preservation.restore(tmp_path / "ocfl", tmp_path / "restored")
    with InFolder.open(tmp_path / "restored", clock=later) as restored:
        assert restored.log.root(size) == root
        assert restored.statements.assertions() == said
        assert {one.kind for one in restored.fixity.fsck()} == {"ok"}


@pytest.mark.parametrize("text", ["a\0b", "\\u0000", "\0" * 3 + '\\"\0'])
def test_entries_that_tell_u0000_in_clear_stand_under_their_names(
    tmp_path: Path, text: str
) -> None:
    folder = tmp_path / "archive"
    with Repository.create(
        folder, series="lab.example.us", sealer=lambda e: in_clear(e, {})
    ) as made:
        made.statements.state("urn:pdi://lab.example.us/2026/11/20/1", "text", text)
        assert [one.kind for one in made.fixity.fsck()] == ["ok"]
