"""Many names are asked for at once: each is answered as if it were the only one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.engines import Repository

from permacite import pdi
from permacite.archive.model.submitted import NewCitation, NewRepresentation
from permacite.errors import NotFoundError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.engines import Server

    from permacite.archive.model.answered import Representation, Version
    from permacite.pdi import PDI

pytestmark = pytest.mark.engines(deep=True)

DAY = "urn:pdi://lab.example.us/2026/11/21"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory, engine: Server | None) -> Repository:
    """An archive with documents of several versions and formats, never changed."""
    del engine
    directory: Path = tmp_path_factory.mktemp("many") / "archive"
    noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
    archive = Repository.create(directory, series="lab.example.us", clock=lambda: noon)
    text = NewRepresentation(b"text", "text/plain", charset="utf-8")
    page = NewRepresentation(b"<p>", "text/html")
    image = NewRepresentation(b"\x89", "image/png")
    first = archive.committer.commit([image, text, page])
    archive.committer.commit([image, text], replaces=first.pdi)
    archive.committer.add_format(first.pdi, NewRepresentation(b"{}", "application/json"))
    archive.committer.commit([image], unique_id="a%2eb")
    for number in range(250):
        archive.committer.commit([NewRepresentation(b"%d" % number, "image/png")])
    return archive


def name(tail: str) -> PDI:
    """Return the name of a document of the archive."""
    parsed = pdi.parse(f"{DAY}/{tail}")
    assert isinstance(parsed, pdi.PDI)
    return parsed


NAMES = [
    "1",
    "1.html.1",
    "1.html.2",
    "1.html",
    "1.TEXT.1",
    "1.text.2",
    "1.utf-8.2",
    "1.json.1",
    "1.png.3",
    "2.png.1",
    "2.png.1",
    "a%2eb",
    "a%2Eb.png.1",
    "nothing",
    "999.png.1",
    "1.gif.1",
    f"1.png.{1 << 63}",
    f"1.png.{'9' * 300}",
]


def one_by_one(archive: Repository, names: list[PDI]) -> list[Representation | None]:
    """Return what each name is answered by itself."""
    found: list[Representation | None] = []
    for one in names:
        try:
            found.append(archive.lookup.representation(one))
        except NotFoundError:
            found.append(None)
    return found


def versions_one_by_one(archive: Repository, names: list[PDI]) -> list[Version | None]:
    """Return likewise the version of each."""
    found: list[Version | None] = []
    for one in names:
        try:
            found.append(archive.lookup.version(one))
        except NotFoundError:
            found.append(None)
    return found


@pytest.mark.parametrize(
    "tails",
    [[], ["1"], ["nothing"], NAMES, NAMES[::-1], [str(number) for number in range(1, 251)]],
    ids=["none", "one", "unknown", "all-kinds", "turned-round", "more-than-one-question"],
)
def test_many_are_answered_as_one_is(archive: Repository, tails: list[str]) -> None:
    names = [name(tail) for tail in tails]
    assert archive.lookup.find_representations(names) == one_by_one(archive, names)
    assert archive.lookup.find_versions(names) == versions_one_by_one(archive, names)


ANSWERS = [
    ("1", "1.utf-8.2"),  # the highest version has no HTML
    ("1.html.1", "1.html.1"),
    ("1.html.2", None),
    ("1.text.1", "1.utf-8.1"),
    ("1.png.3", None),
    ("a%2eb", "a%2eb.png.1"),
    ("nothing", None),
    ("1.png", "1.png.2"),
]


def test_a_number_that_no_database_holds_is_unknown(archive: Repository) -> None:
    huge = name(f"1.png.{'9' * 300}")
    with pytest.raises(NotFoundError):
        archive.lookup.representation(huge)
    assert list(archive.lists.list(huge)) == []
    assert archive.passages.citations(huge) == []
    assert archive.passages.quotations(huge) == []
    with pytest.raises(NotFoundError):
        archive.passages.record(NewCitation(f"{huge}#byte=0,1", huge))


def test_unknown_names_keep_their_place(archive: Repository) -> None:
    found = archive.lookup.find_representations([name(asked) for asked, _ in ANSWERS])
    answers = [None if one is None else str(one.pdi).removeprefix(f"{DAY}/") for one in found]
    assert answers == [answer for _, answer in ANSWERS]


def test_formats_stand_in_the_order_of_their_commit(archive: Repository) -> None:
    (version,) = archive.lookup.find_versions([name("1.html.1")])
    assert version is not None
    assert version.formats == ("png", "utf-8", "html", "json")
    (version,) = archive.lookup.find_versions([name("1")])
    assert version is not None
    assert version.formats == ("png", "utf-8")
