"""An archive with every kind of entry, made when leaves had their first schema, stays good."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.earlier import unpack

from permacite.archive import Archive
from permacite.archive.log import check_proof

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("cryptography", reason="the log's signatures need it")
pytest.importorskip("rfc3161_client", reason="one checkpoint bears a time-stamp")


def later() -> datetime:
    """Return the time that the clock of these tests shows."""
    return datetime(2026, 11, 22, 12, tzinfo=UTC)


def test_it_opens_and_is_whole(tmp_path: Path) -> None:
    directory, _ = unpack(tmp_path)
    with Archive.open(directory, clock=later) as archive:
        assert {one.kind for one in archive.fsck()} == {"ok"}


def test_its_proofs_hold(tmp_path: Path) -> None:
    directory, proofs = unpack(tmp_path)
    roots = proofs.pop("ca.pem")
    with Archive.open(directory, clock=later) as archive:
        key = str(archive.log.verifier)
    reports = [check_proof(proof, key) for proof in proofs.values()]
    assert all(report.ok and report.trusted for report in reports)
    stamped = [one for one in proofs.values() if check_proof(one).stamped_at is not None]
    assert stamped
    assert all(check_proof(one, key, tsa_roots=roots).ok for one in stamped)
