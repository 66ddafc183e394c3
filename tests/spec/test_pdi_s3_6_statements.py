"""Assertions about names (PDI §3.6.5), and withdrawals: names are never retracted (PDI §2.1)."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from tests.engines import Refused, Repository

from permacite import pdi
from permacite.archive.model.submitted import NewRepresentation
from permacite.errors import ConflictError, NotFoundError, ParseError, WithdrawnError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from permacite.archive.model.answered import Version

pytestmark = pytest.mark.engines(deep=True)

SERIES = "lab.example.us"
BASE = f"urn:pdi://{SERIES}/2026/11/21/1"


class Clock:
    """A clock that moves on by a second at each look."""

    now = datetime(2026, 11, 21, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        """Return the time it shows, and move on."""
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Repository]:
    """An empty archive."""
    with Repository.create(tmp_path / "archive", series=SERIES, clock=Clock()) as opened:
        yield opened


@pytest.fixture
def document(archive: Repository) -> Version:
    """A document with two versions of two formats."""
    formats = [
        NewRepresentation(b"<p>one", "text/html", charset="utf-8"),
        NewRepresentation(b"one", "text/plain", charset="utf-8", received=b"one"),
    ]
    first = archive.committer.commit(formats)
    return archive.committer.commit(formats, replaces=first.pdi)


def name(text: str) -> pdi.PDI:
    """Return the name of one document."""
    value = pdi.parse(text)
    assert isinstance(value, pdi.PDI)
    return value


def readable(archive: Repository) -> list[str]:
    """Return the names whose octets are given out."""
    found = []
    for version in archive.lists.list():
        for one in version.representations:
            with contextlib.suppress(NotFoundError):
                archive.contents.read(one)
                found.append(str(one.pdi).removeprefix(BASE))
    return found


ALL = [".html.1", ".utf-8.1", ".html.2", ".utf-8.2"]


def test_pdi_18_a_withdrawn_document_keeps_name_and_digests(
    archive: Repository, document: Version
) -> None:
    """Clause pdi-18."""
    tombstone = archive.statements.withdraw(
        document.pdi.document, reason="court-order", status=451, who="the librarian"
    )
    assert (tombstone.pdi, tombstone.status, tombstone.reason) == (BASE, 451, "court-order")
    for version in archive.lists.list():
        for one in version.representations:
            assert archive.statements.withdrawal(one) == tombstone
            for give in (
                archive.contents.read,
                archive.contents.source,
                archive.contents.check_access,
            ):
                with pytest.raises(WithdrawnError, match="court-order") as error:
                    give(one)
                assert (error.value.status, error.value.reason) == (451, "court-order")
            with pytest.raises(NotFoundError):
                archive.contents.sidecar(one, "map")
            with pytest.raises(NotFoundError):
                archive.proofs.prove(one.pdi)
    assert archive.lookup.version(document.pdi) == document
    assert archive.committer.commit([NewRepresentation(b"", "image/png")]).pdi.unique_id == "2"
    assert {finding.kind for finding in archive.fixity.verify()} == {"ok"}


def test_pdi_18_one_format_of_one_version_is_withdrawn_alone(
    archive: Repository, document: Version
) -> None:
    """Clause pdi-18."""
    archive.statements.withdraw(name(f"{BASE}.text.1"), reason="data-protection")
    assert readable(archive) == [one for one in ALL if one != ".utf-8.1"]
    archive.statements.withdraw(document.pdi.document, reason="copyright")
    assert readable(archive) == []
    archive.statements.reinstate(document.pdi.document)
    assert readable(archive) == ALL
    with pytest.raises(NotFoundError):
        archive.statements.reinstate(document.pdi.document)
    kinds = [one.predicate for one in archive.statements.assertions()]
    assert kinds == ["withdrawn", "withdrawn", "reinstated"]


def test_pdi_18_only_what_is_here_is_withdrawn(archive: Repository, document: Version) -> None:
    """Clause pdi-18."""
    with pytest.raises(NotFoundError):
        archive.statements.withdraw(name(f"urn:pdi://{SERIES}/2026/11/21/9"), reason="safety")
    with pytest.raises(NotFoundError):
        archive.statements.withdraw(name(f"{BASE}.gif.1"), reason="safety")
    with pytest.raises(ConflictError):
        archive.statements.withdraw(document.pdi, reason="safety")


def test_pdi_11_assertions_about_a_document_stay_with_the_document(archive: Repository) -> None:
    """Clause pdi-11."""
    say = archive.statements.state
    first = say(BASE.upper().replace("URN:", ""), "dc:subject", "harbours", who="a reader")
    say(f"{BASE}.html.1#char=0,3", "cites", f"{BASE}.html.2#char=0,3")
    assert first.subject == f"urn:pdi://{SERIES}/2026/11/21/1"
    assert (first.predicate, first.object, first.who) == ("dc:subject", "harbours", "a reader")
    assert archive.statements.assertions(BASE) == [first]
    assert archive.statements.assertions(predicate="dc:subject") == [first]
    assert archive.statements.assertions(f"{BASE}.html.1") == []
    assert len(archive.statements.assertions()) == 2


def test_assertions_are_never_changed_and_stand_in_the_log(archive: Repository) -> None:
    said = archive.statements.state(BASE, "dc:subject", "harbours")
    again = archive.statements.state(BASE, "dc:subject", "harbours")
    assert archive.statements.assertions() == [said, again]
    assert said.stated_at < again.stated_at
    (entry, _) = (archive.log.disclosed(leaf) for leaf in archive.log.leaves())
    assert (entry["kind"], entry["name"], entry["object"]) == ("assertion", BASE, "harbours")
    change = "UPDATE assertion SET object = 'other' WHERE assertion_id = 1"
    with pytest.raises(Refused):
        Repository.by_hand(archive.directory, change)
    Repository.tamper(archive.directory, change)
    assert [finding.kind for finding in archive.fixity.verify()] == ["log"]


@pytest.mark.parametrize(
    ("subject", "predicate", "error"),
    [
        ("http://example.org/", "x", ParseError),
        (BASE, " ", ParseError),
        (BASE, "oa:<x>", ParseError),
        (BASE, "withdrawn", ConflictError),
        (BASE, "reinstated", ConflictError),
        (BASE, " withdrawn", ConflictError),
        (BASE, "urn:permacite:predicate:reinstated", ConflictError),
    ],
)
def test_assertions_need_a_name_and_a_predicate(
    archive: Repository, subject: str, predicate: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        archive.statements.state(subject, predicate, "object")
    assert archive.log.size() == 0
