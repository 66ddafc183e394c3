"""RFC 8785 beside the documents of cyberphone/json-canonicalization, by its author."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.outside.conftest import Suite

from permacite.archive.canonical_json import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def documents(place: Path) -> Iterator[tuple[str, object]]:
    """Yield each document as it is, and as it should be written."""
    for path in sorted((place / "testdata/input").glob("*.json")):
        wanted = (place / "testdata/output" / path.name).read_bytes()
        yield path.stem, (path.read_text("utf-8"), wanted)


SUITES = {"document": Suite("cyberphone/json-canonicalization", documents)}


def test_documents_are_written_as_the_reference_does(document: tuple[str, bytes]) -> None:
    source, wanted = document
    assert canonical_json(json.loads(source)) == wanted
