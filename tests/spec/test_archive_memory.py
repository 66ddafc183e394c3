"""What was found right is remembered, and takes no memory: versions are let go of."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository

from permacite.archive.model.answered import Provenance, Version
from permacite.archive.model.submitted import NewRepresentation
from permacite.archive.records.rows import among

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.engines(deep=True)
def test_versions_that_were_read_are_not_kept(tmp_path: Path) -> None:
    with Repository.create(tmp_path / "archive", series="memory.zz") as archive:
        for number in range(5):
            content = NewRepresentation(b"%d" % number, "text/plain")
            made = archive.committer.commit(
                [content], provenance=Provenance(details={"a": [number] * 99})
            )
            assert archive.lookup.version(made.pdi).provenance.details["a"] == [number] * 99
        del made
        gc.collect()
        kept = [each for each in gc.get_objects() if isinstance(each, Version)]
        assert [each for each in kept if each.pdi.series == ("memory", "zz")] == []


def test_any_number_of_values_is_asked_for_by_few_statements() -> None:
    values = [f"urn:pdi://memory.zz/2026/11/23/{number}" for number in range(20_000)]
    counts = [*range(1, 600), 16_384, 20_000]
    asked = [among("subject", values[:count]) for count in counts]
    for count, (condition, parameters) in zip(counts, asked, strict=True):
        assert set(parameters) == set(values[:count])
        assert condition.count("?") == len(parameters) <= 32_766
    assert len({condition for condition, _ in asked}) <= 16
    assert among("subject", [])[0] == "FALSE"
