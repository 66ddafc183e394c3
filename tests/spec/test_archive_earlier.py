"""An archive with every kind of entry, made when leaves had their first schema, stays good."""

from __future__ import annotations

import contextlib
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.earlier import unpack

from permacite.archive import NewRepresentation, Repository
from permacite.archive.log import check_proof
from permacite.archive.merkle import is_consistent
from permacite.errors import WithdrawnError
from permacite.service.archive import Archive
from permacite.service.preservation import ocfl, replaying

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("cryptography", reason="the log's signatures need it")
pytest.importorskip("rfc3161_client", reason="one checkpoint bears a time-stamp")


def later() -> datetime:
    """Return the time that the clock of these tests shows."""
    return datetime(2026, 11, 22, 12, tzinfo=UTC)


def test_it_opens_and_is_whole(tmp_path: Path) -> None:
    directory, _ = unpack(tmp_path)
    with Repository.open(directory, clock=later) as archive:
        assert {one.kind for one in archive.fsck()} == {"ok"}


def test_its_documents_get_the_text_that_they_lack(tmp_path: Path) -> None:
    directory, proofs = unpack(tmp_path)
    with Archive.open(directory) as archive:
        before = _committed(archive)
        outcomes = {each.pdi: each.outcome for each in archive.derive_all()}
        assert set(outcomes.values()) <= {"added", "present", "none", "restricted"}
        after = _committed(archive)
        added = {name for name in after if name not in before}
        assert len(added) == list(outcomes.values()).count("added")
        assert {name: after[name] for name in before} == before
        assert {each.outcome for each in archive.derive_all()}.isdisjoint({"added", "failed"})
        assert archive.fsck().ok
    del proofs["ca.pem"]
    with Repository.open(directory, clock=later) as repository:
        key = str(repository.log.verifier)
    assert all(check_proof(proof, key).ok for proof in proofs.values())


def _committed(archive: Archive) -> dict[str, str]:
    repository = archive._repository  # noqa: SLF001 - what is stored is looked at
    return {
        str(item.pdi): item.digest
        for version in repository.list()
        for item in version.representations
    }


def test_its_proofs_hold(tmp_path: Path) -> None:
    directory, proofs = unpack(tmp_path)
    roots = proofs.pop("ca.pem")
    with Repository.open(directory, clock=later) as archive:
        key = str(archive.log.verifier)
    reports = [check_proof(proof, key) for proof in proofs.values()]
    assert all(report.ok and report.trusted for report in reports)
    stamped = [one for one in proofs.values() if check_proof(one).stamped_at is not None]
    assert stamped
    assert all(check_proof(one, key, tsa_roots=roots).ok for one in stamped)


def test_it_goes_on_with_commitments_and_all_is_proven(tmp_path: Path) -> None:
    directory, _ = unpack(tmp_path)
    with Repository.open(directory, clock=later) as archive:
        before = [leaf.content for leaf in archive.log.leaves()]
        archive.commit([NewRepresentation(b"new", "text/plain")])
        leaves = [leaf.content for leaf in archive.log.leaves()]
        assert leaves[: len(before)] == before
        assert ["schema" in json.loads(leaf) for leaf in leaves] == [
            *(False for _ in before),
            *(True for _ in leaves[len(before) :]),
        ]
        key = str(archive.log.verifier)
        for version in archive.list():
            for one in version.representations:
                with contextlib.suppress(WithdrawnError):
                    assert check_proof(archive.prove(one.pdi), key).ok
        for citation in archive.citations():
            report = check_proof(archive.prove(citation.pdi, citation=citation), key)
            assert (report.ok, report.quote) == (True, citation.quote)


def test_its_log_is_extended_as_others_check_it(tmp_path: Path) -> None:
    directory, _ = unpack(tmp_path)
    with Repository.open(directory, clock=later) as archive:
        old = archive.log.size()
        root = archive.log.root(old)
        archive.commit([NewRepresentation(b"new", "text/plain")])
        new = archive.log.size()
        hashes = archive.log.consistency(old, new)
        assert is_consistent(old, root, new, archive.log.root(new), proof=hashes)


def test_what_is_exported_of_it_is_restored_with_the_same_log(tmp_path: Path) -> None:
    directory, _ = unpack(tmp_path)
    with Repository.open(directory, clock=later) as archive:
        archive.commit([NewRepresentation(b"new", "text/plain")])
        size, root = archive.log.size(), archive.log.root(archive.log.size())
        said = archive.statements.assertions()
        ocfl.export(archive, tmp_path / "ocfl")
    replaying.restore(tmp_path / "ocfl", tmp_path / "restored")
    with Repository.open(tmp_path / "restored", clock=later) as restored:
        assert restored.log.root(size) == root
        assert restored.statements.assertions() == said
        assert {one.kind for one in restored.fsck()} == {"ok"}
