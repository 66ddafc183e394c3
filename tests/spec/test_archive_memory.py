"""What was found right is remembered, and takes no memory: versions are let go of."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from permacite.archive import NewRepresentation, Provenance, Repository, Version

if TYPE_CHECKING:
    from pathlib import Path


def test_versions_that_were_read_are_not_kept(tmp_path: Path) -> None:
    with Repository.create(tmp_path / "archive", series="memory.zz") as archive:
        for number in range(5):
            content = NewRepresentation(b"%d" % number, "text/plain")
            made = archive.commit([content], provenance=Provenance(details={"a": [number] * 99}))
            assert archive.version(made.pdi).provenance.details["a"] == [number] * 99
        del made
        gc.collect()
        kept = [each for each in gc.get_objects() if isinstance(each, Version)]
        assert [each for each in kept if each.pdi.series == ("memory", "zz")] == []
