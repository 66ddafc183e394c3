"""A site in PostgreSQL divides the log's tables as the page about large archives says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from tests.engines import Repository

from permacite.archive.model.submitted import NewRepresentation

if TYPE_CHECKING:
    from tests.engines import Server

    from permacite.pdi import PDI

PAGE = Path(__file__).parents[2] / "docs/explanation/a-thousand-million-names.md"
BOUND = 3
"""Small, so that a few names are on both sides of it."""


def test_the_log_divided_as_the_page_says_goes_on(postgresql: Server, tmp_path: Path) -> None:
    (words,) = re.findall(r"```sql\n(.*?)```", PAGE.read_text("utf-8"), flags=re.DOTALL)
    words = words.replace("100000000", str(BOUND))
    place = postgresql.location(tmp_path / "archive")
    with Repository.create(place, series="lab.example.us") as archive:
        names = [_commit(archive, number) for number in range(2)]
        root = archive.log.root(2)
    with psycopg.connect(place.partition("&schema=")[0]) as hand:
        schema = place.partition("&schema=")[2].partition("&")[0]
        hand.execute(f"SET search_path = {schema}".encode())
        hand.execute(words.encode())
    with Repository.open(place) as archive:
        names += [_commit(archive, number) for number in range(2, 7)]
        assert archive.log.root(2) == root
        assert archive.access.erase(names[1].document, ground="court-order").is_done
        assert {finding.kind for finding in archive.fixity.fsck()} == {"ok", "erased"}
        assert archive.proofs.prove(names[6])
    rows = postgresql.execute(f"SELECT count(*) FROM {schema}.opening_2")  # noqa: S608 - ours
    assert rows[0][0] > 0
    with psycopg.connect(place.partition("&schema=")[0]) as hand:
        for statement in ("DELETE FROM {}.opening_2", "UPDATE {}.log_node_1 SET position = 9"):
            with pytest.raises(psycopg.IntegrityError, match="never change"):
                hand.execute(statement.format(schema).encode())
            hand.rollback()


def _commit(archive: Repository, number: int) -> PDI:
    made = archive.committer.commit([NewRepresentation(b"%d" % number, "text/plain")])
    return made.representations[0].pdi
