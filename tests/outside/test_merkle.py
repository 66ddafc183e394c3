"""RFC 6962 §2.1 beside the vectors of transparency-dev/merkle: proofs, sound and broken."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from tests.outside.conftest import Suite

from permacite.archive.merkle import is_consistent, root_of_inclusion

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REPOSITORY = "transparency-dev/merkle"


def vectors(place: Path, kind: str) -> Iterator[tuple[str, object]]:
    """Yield the vectors of one kind, by their place below testdata/."""
    folder = place / "testdata" / kind
    for path in sorted(folder.rglob("*.json")):
        yield str(path.relative_to(folder)), json.loads(path.read_text("utf-8"))


SUITES = {
    "inclusion": Suite(
        REPOSITORY,
        lambda place: vectors(place, "inclusion"),
        {
            "single-entry/empty-root-and-leaf.json": "the caller compares with the root of a"
            " checkpoint, which always has 32 octets"
        },
    ),
    "consistency": Suite(
        REPOSITORY,
        lambda place: vectors(place, "consistency"),
        {
            "additional/size1-is-zero-and-size2-is-not-zero.json": "every tree begins with the"
            " empty one, whose root is known: no proof is needed"
        },
    ),
}


def octets(vector: dict[str, Any], field: str) -> bytes:
    """Return a hash of a vector."""
    return base64.b64decode(vector[field] or "")


def hashes(vector: dict[str, Any]) -> list[bytes]:
    """Return the proof of a vector."""
    return [base64.b64decode(each) for each in vector["proof"] or ()]


def test_inclusion(inclusion: dict[str, Any]) -> None:
    leaf, root = octets(inclusion, "leafHash"), octets(inclusion, "root")
    reached = root_of_inclusion(
        leaf, inclusion["leafIdx"], inclusion["treeSize"], hashes(inclusion)
    )
    assert (reached != root) == inclusion["wantErr"]


def test_consistency(consistency: dict[str, Any]) -> None:
    holds = is_consistent(
        consistency["size1"],
        octets(consistency, "root1"),
        consistency["size2"],
        octets(consistency, "root2"),
        proof=hashes(consistency),
    )
    assert holds != consistency["wantErr"]
