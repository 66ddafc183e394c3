"""Whatever makes an archive runs on every engine of records, or says here why it does not."""

from __future__ import annotations

import ast
import re

import pytest
from tests.docs.test_house import texts

ROOMS = re.compile(r"tests/(?:spec/test_(?:archive|pdi|c2sp)_|property/test_|crash/test_)\w+\.py")
OF_TESTS = {"tests.engines", "tests.archives"}
"""What makes an archive where the engine of the test has its records."""
OF_ONE_ENGINE = {
    "crash/test_database_in_trouble": "the trouble is that of PostgreSQL",
    "crash/test_full_disk": "a disk under both files and records",
    "crash/test_kill_servers": "those of PostgreSQL",
    "crash/test_kill_while_copying": "from one engine to the other",
    "crash/test_kill_work": "its fixture gives a location on each",
    "crash/test_store_in_trouble": "a store, with PostgreSQL",
    "property/test_incoming": "types and texts of files, whatever keeps them",
    "property/test_transport": "from one engine to the other",
    "property/test_flipped_bits": "bits of SQLite's file; test_altered_rows has rows of both",
    "spec/test_archive_brought_up": "the steps of PostgreSQL",
    "spec/test_archive_cluster": "many machines have one PostgreSQL",
    "spec/test_archive_copying": "from one engine to the other",
    "spec/test_archive_fixity": "columns of SQLite; test_altered_rows has rows of both",
    "spec/test_archive_lying_store": "a store, with PostgreSQL",
    "spec/test_archive_partitions": "PostgreSQL alone has them",
    "spec/test_archive_postgresql": "what is of PostgreSQL alone",
    "spec/test_archive_schema": "the steps of SQLite",
    "spec/test_archive_whose_octets": "records in PostgreSQL, that share a store",
}
"""Files that are not marked, and why."""

OF_MIRRORS = {
    "tests/crash/test_kill_while_mirroring.py",
    "tests/faces/test_forks.py",
    "tests/faces/test_mirroring.py",
    "tests/faces/test_witnesses.py",
}
"""Their origins are in folders: it is the mirrors that are on each engine."""


def makers(text: str) -> set[tuple[str, str]]:
    """Return whose classes make or open archives in a file, each with its name in it."""
    tree = ast.parse(text)
    came = {
        alias.asname or alias.name: str(node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in {"Archive", "Repository"}
    }
    return {
        (came[call.value.id], call.value.id)
        for call in ast.walk(tree)
        if isinstance(call, ast.Attribute)
        and call.attr in {"create", "open"}
        and isinstance(call.value, ast.Name)
        and call.value.id in came
    }


def is_marked(text: str) -> bool:
    """Say whether tests of a file ask for each engine."""
    return "pytest.mark.engines" in text


def test_what_makes_an_archive_is_marked_or_says_why() -> None:
    unmarked = {
        name.removeprefix("tests/").removesuffix(".py")
        for name, text in texts(".py", under="tests/")
        if ROOMS.fullmatch(name) and makers(text) and not is_marked(text)
    }
    assert unmarked == OF_ONE_ENGINE.keys()


def test_what_is_marked_makes_its_archives_on_the_engine() -> None:
    """Else it would run twice on SQLite. What is to be in a folder is called otherwise."""
    elsewhere = {
        name: sorted(who for who in makers(text) if who[0] not in OF_TESTS)
        for name, text in texts(".py", under="tests/")
        if is_marked(text) and name not in OF_MIRRORS
    }
    blind = {
        name: found
        for name, found in elsewhere.items()
        if {each for _, each in found} & {"Archive", "Repository"}
    }
    assert blind == {}


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (
            "from tests.engines import Repository\nRepository.open(x)",
            {("tests.engines", "Repository")},
        ),
        (
            "from permacite.archive.repository import Repository as R\nR.create(x)",
            {("permacite.archive.repository", "R")},
        ),
        ("from permacite.archive.repository import Repository\ndef f(x: Repository): ...", set()),
    ],
)
def test_makers_are_seen(text: str, made: set[tuple[str, str]]) -> None:
    assert makers(text) == made
