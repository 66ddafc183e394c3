"""Full names that were asked for of late: what others do to them is seen by the next who asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository, server

from permacite.archive.model.answered import Standing
from permacite.archive.model.submitted import NewRepresentation
from permacite.errors import ClosedError, ErasedError, PermaciteError, WithdrawnError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from permacite.pdi import PDI


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Repository]:
    """An archive that somebody reads."""
    with Repository.create(tmp_path / "archive", series="lab.example.us") as opened:
        yield opened


@pytest.fixture
def other(tmp_path: Path, archive: Repository) -> Iterator[Repository]:
    """The same, open for somebody else, as in another process."""
    del archive  # which made it
    with Repository.open(tmp_path / "archive") as opened:
        yield opened


def withdraw(other: Repository, name: PDI) -> None:
    """Withdraw a document."""
    other.statements.withdraw(name.document, reason="court-order")


def close(other: Repository, name: PDI) -> None:
    """Close a document to the public."""
    other.access.set_standing(name, Standing("closed", "licence"))


def erase(other: Repository, name: PDI) -> None:
    """Erase a document."""
    other.access.erase(name.document, ground="court-order")


@pytest.mark.engines
@pytest.mark.parametrize(
    ("change", "error"), [(withdraw, WithdrawnError), (close, ClosedError), (erase, ErasedError)]
)
def test_what_is_restricted_elsewhere_is_restricted_for_the_next_who_asks(
    archive: Repository,
    other: Repository,
    change: Callable[[Repository, PDI], None],
    error: type[PermaciteError],
) -> None:
    version = archive.committer.commit([NewRepresentation(b"tide", "image/png")])
    name, public = version.representations[0].pdi, archive.public()
    assert [public.lookup.representation(name).digest for _ in range(3)] == [
        version.representations[0].digest
    ] * 3
    change(other, name)
    assert not public.lookup.representation(name).digest
    with pytest.raises(error):
        public.contents.read(public.lookup.representation(name))
    # To the operator what is closed is open, and what was erased is nowhere.
    assert bool(archive.lookup.representation(name).digest) is (change is not erase)
    if change is close:
        other.access.set_standing(name, Standing("public", "licence"))
        assert public.lookup.representation(name).digest


@pytest.mark.engines
def test_a_format_that_is_withdrawn_elsewhere_leaves_the_others(
    archive: Repository, other: Repository
) -> None:
    formats = [NewRepresentation(b"tide", "image/png"), NewRepresentation(b"ebb", "image/gif")]
    version = archive.committer.commit(formats)
    public = archive.public()
    names = [each.pdi for each in version.representations]
    assert all(public.lookup.representation(name).digest for name in names * 2)
    other.statements.withdraw(names[0], reason="court-order")
    assert [bool(public.lookup.representation(name).digest) for name in names] == [False, True]


@pytest.mark.engines
def test_a_name_that_is_not_full_finds_what_came_since(
    archive: Repository, other: Repository
) -> None:
    first = archive.committer.commit([NewRepresentation(b"tide", "image/png")])
    assert archive.lookup.representation(first.pdi.document).pdi.version == 1
    other.committer.commit([NewRepresentation(b"ebb", "image/png")], replaces=first.pdi.document)
    assert archive.lookup.representation(first.pdi.document).pdi.version == 2


def test_a_server_that_was_away_is_asked_again(tmp_path: Path) -> None:
    with (
        server() as running,
        Repository.create(running.location(tmp_path), series="lab.example.us") as archive,
    ):
        name = (
            archive.committer.commit([NewRepresentation(b"tide", "image/png")])
            .representations[0]
            .pdi
        )
        digest = archive.lookup.representation(name).digest
        for _ in range(2):
            assert archive.lookup.representation(name).digest == digest
            running.stop()
            running.start()
